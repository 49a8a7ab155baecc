//! Symmetric matrices of the five friction rows, and their factors `L D Lᵀ`.
//!
//! Rows are eliminated in the order `s, r1, r2, t1, t2`: sliding, which changes most often, comes last, and a vector
//! that has only sliding rows needs almost no substitution. Written entry by entry: there is no loop and no index, and
//! the rows that a contact lacks cost a few products with 0. There is no pivoting, stable for a positive definite
//! matrix; pivots are kept positive to rule out division by zero. The two pivots of `r` and of `t` are found together, from
//! the determinant: a factorisation waits for three divisions instead of five. (Inverses of 2×2 blocks would be shorter,
//! but lose twice as many digits on an ill-conditioned block, as for three rows.)
use crate::local::moment_law::Five;
use crate::math::real::{Real, larger, smaller};

/// A symmetric matrix of the rows `t1, t2, s, r1, r2`; entries are named by their rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Symmetric5<T> {
    pub t11: T,
    pub t12: T,
    pub t22: T,
    pub st1: T,
    pub st2: T,
    pub ss: T,
    pub rt11: T,
    pub rt12: T,
    pub rt21: T,
    pub rt22: T,
    pub rs1: T,
    pub rs2: T,
    pub r11: T,
    pub r12: T,
    pub r22: T,
}

impl<T: Real> Symmetric5<T> {
    /// The inverse; none if it would lose half of all digits.
    pub fn inverse(&self) -> Option<Self> {
        let largest = larger(larger(larger(self.t11, self.t22), self.ss), larger(self.r11, self.r22));
        let is_well_conditioned = Factors5::smallest_pivot(self) > T::EPSILON.sqrt_or_zero() * largest;
        let factors = Factors5::new(self, [T::ZERO; 3]);
        let column = |t1: T, t2: T, s: T, r1: T, r2: T| factors.solve_negated(&[-t1, -t2, -s, -r1, -r2]);
        let (zero, one) = (T::ZERO, T::ONE);
        let [t11, t12, st1, rt11, rt21] = column(one, zero, zero, zero, zero);
        let [_, t22, st2, rt12, rt22] = column(zero, one, zero, zero, zero);
        let [_, _, ss, rs1, rs2] = column(zero, zero, one, zero, zero);
        let [_, _, _, r11, r12] = column(zero, zero, zero, one, zero);
        let [_, _, _, _, r22] = column(zero, zero, zero, zero, one);
        let inverse = Symmetric5 { t11, t12, t22, st1, st2, ss, rt11, rt12, rt21, rt22, rs1, rs2, r11, r12, r22 };
        is_well_conditioned.then_some(inverse)
    }

    /// Product with a vector.
    #[inline(always)]
    pub fn times(&self, [t1, t2, s, r1, r2]: &Five<T>) -> Five<T> {
        let (t1, t2, s, r1, r2) = (*t1, *t2, *s, *r1, *r2);
        [
            (self.t11 * t1 + self.t12 * t2) + (self.st1 * s + (self.rt11 * r1 + self.rt21 * r2)),
            (self.t12 * t1 + self.t22 * t2) + (self.st2 * s + (self.rt12 * r1 + self.rt22 * r2)),
            (self.st1 * t1 + self.st2 * t2) + (self.ss * s + (self.rs1 * r1 + self.rs2 * r2)),
            (self.rt11 * t1 + self.rt12 * t2) + (self.rs1 * s + (self.r11 * r1 + self.r12 * r2)),
            (self.rt21 * t1 + self.rt22 * t2) + (self.rs2 * s + (self.r12 * r1 + self.r22 * r2)),
        ]
    }

    /// The same matrix plus `v wᵀ`, which is symmetric.
    pub fn plus_product(&self, [v1, v2, v3, v4, v5]: &Five<T>, [w1, w2, w3, w4, w5]: &Five<T>) -> Self {
        Symmetric5 {
            t11: self.t11 + *v1 * *w1,
            t12: self.t12 + *v1 * *w2,
            t22: self.t22 + *v2 * *w2,
            st1: self.st1 + *v1 * *w3,
            st2: self.st2 + *v2 * *w3,
            ss: self.ss + *v3 * *w3,
            rt11: self.rt11 + *v1 * *w4,
            rt12: self.rt12 + *v2 * *w4,
            rt21: self.rt21 + *v1 * *w5,
            rt22: self.rt22 + *v2 * *w5,
            rs1: self.rs1 + *v3 * *w4,
            rs2: self.rs2 + *v3 * *w5,
            r11: self.r11 + *v4 * *w4,
            r12: self.r12 + *v4 * *w5,
            r22: self.r22 + *v5 * *w5,
        }
    }

    /// The same matrix with a larger diagonal.
    pub fn raised(&self, by: T) -> Self {
        let Symmetric5 { t11, t22, ss, r11, r22, .. } = *self;
        Symmetric5 { t11: t11 + by, t22: t22 + by, ss: ss + by, r11: r11 + by, r22: r22 + by, ..*self }
    }

    /// The diagonal alone, not below a floor; 1 for entries that are not finite.
    pub fn diagonal_only(&self, floor: T) -> Self {
        let safe = |entry: T| if entry.is_finite() { larger(floor, entry) } else { T::ONE };
        let Symmetric5 { t11, t22, ss, r11, r22, .. } = *self;
        Symmetric5 { t11: safe(t11), t22: safe(t22), ss: safe(ss), r11: safe(r11), r22: safe(r22), ..Self::ZERO }
    }

    pub const ZERO: Self = Symmetric5 {
        t11: T::ZERO,
        t12: T::ZERO,
        t22: T::ZERO,
        st1: T::ZERO,
        st2: T::ZERO,
        ss: T::ZERO,
        rt11: T::ZERO,
        rt12: T::ZERO,
        rt21: T::ZERO,
        rt22: T::ZERO,
        rs1: T::ZERO,
        rs2: T::ZERO,
        r11: T::ZERO,
        r12: T::ZERO,
        r22: T::ZERO,
    };
}

/// `L D Lᵀ` of `S + diag(σ)`: entries of `L` by their rows, and the inverse of `D`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors5<T> {
    r1_s: T,
    r2_s: T,
    t1_s: T,
    t2_s: T,
    r2_r1: T,
    t1_r1: T,
    t2_r1: T,
    t1_r2: T,
    t2_r2: T,
    t2_t1: T,
    /// In the order of the rows of friction, as all vectors.
    pub inverse: Five<T>,
}

impl<T: Real> Factors5<T> {
    /// Factors `m + diag(σ)`, raising pivots that rounding brought to zero.
    #[inline(always)]
    pub fn new(m: &Symmetric5<T>, [slide, spin, roll]: [T; 3]) -> Self {
        Self::with_pivots(m, [slide, spin, roll]).0
    }

    /// The smallest pivot of a matrix, before it is raised; NaN or negative if the matrix is not finite.
    pub fn smallest_pivot(m: &Symmetric5<T>) -> T {
        let (factors, [first, rest @ ..]) = Self::with_pivots(m, [T::ZERO; 3]);
        let smallest = rest.iter().fold(first, |smallest, pivot| smaller(smallest, *pivot));
        let sum = factors.inverse.iter().fold(T::ZERO, |sum, inverse| sum + *inverse) + factors.t2_t1;
        if sum.is_finite() { smallest } else { -T::ONE }
    }

    /// The factors, and the pivots before they are raised.
    #[inline(always)]
    fn with_pivots(m: &Symmetric5<T>, [slide, spin, roll]: [T; 3]) -> (Self, Five<T>) {
        let s = m.ss + spin;
        let inverse_s = T::ONE / larger(s, T::RELATIVE_CFM);
        let (r1_s, r2_s, t1_s, t2_s) = (m.rs1 * inverse_s, m.rs2 * inverse_s, m.st1 * inverse_s, m.st2 * inverse_s);
        let (r1, r12) = ((m.r11 + roll) - m.rs1 * r1_s, m.r12 - m.rs2 * r1_s);
        let r22 = (m.r22 + roll) - m.rs2 * r2_s;
        let (c11, c12) = (m.rt11 - m.st1 * r1_s, m.rt12 - m.st2 * r1_s);
        let (c21, c22) = (m.rt21 - m.st1 * r2_s, m.rt22 - m.st2 * r2_s);
        let (t11, t12) = ((m.t11 + slide) - m.st1 * t1_s, m.t12 - m.st2 * t1_s);
        let t22 = (m.t22 + slide) - m.st2 * t2_s;

        let (r2, inverse_r1, inverse_r2) = pivots(r1, r12, r22);
        let (r2_r1, t1_r1, t2_r1) = (r12 * inverse_r1, c11 * inverse_r1, c12 * inverse_r1);
        let (c21, c22) = (c21 - r12 * t1_r1, c22 - r12 * t2_r1);
        let (t1_r2, t2_r2) = (c21 * inverse_r2, c22 * inverse_r2);
        let t1 = (t11 - c11 * t1_r1) - c21 * t1_r2;
        let t12 = (t12 - c12 * t1_r1) - c22 * t1_r2;
        let t22 = (t22 - c12 * t2_r1) - c22 * t2_r2;

        let (t2, inverse_t1, inverse_t2) = pivots(t1, t12, t22);
        let t2_t1 = t12 * inverse_t1;
        let inverse = [inverse_t1, inverse_t2, inverse_s, inverse_r1, inverse_r2];
        let factors = Factors5 { r1_s, r2_s, t1_s, t2_s, r2_r1, t1_r1, t2_r1, t1_r2, t2_r2, t2_t1, inverse };
        (factors, [t1, t2, s, r1, r2])
    }

    /// `−M⁻¹ v`.
    #[inline(always)]
    pub fn solve_negated(&self, v: &Five<T>) -> Five<T> {
        let [t1, t2, s, r1, r2] = self.backward(&self.divided(&self.forward(v)));
        [-t1, -t2, -s, -r1, -r2]
    }

    /// `L⁻¹ v`.
    #[inline(always)]
    pub fn forward(&self, [t1, t2, s, r1, r2]: &Five<T>) -> Five<T> {
        let r1 = *r1 - self.r1_s * *s;
        let r2 = (*r2 - self.r2_s * *s) - self.r2_r1 * r1;
        let t1 = ((*t1 - self.t1_s * *s) - self.t1_r1 * r1) - self.t1_r2 * r2;
        let t2 = (((*t2 - self.t2_s * *s) - self.t2_r1 * r1) - self.t2_r2 * r2) - self.t2_t1 * t1;
        [t1, t2, *s, r1, r2]
    }

    /// `L⁻¹ v` for a vector that has only the rows `t`, and so does the result.
    #[inline(always)]
    pub fn forward_slide(&self, t1: T, t2: T) -> [T; 2] {
        [t1, t2 - self.t2_t1 * t1]
    }

    /// `L⁻¹ v` for a vector that has only the rows `r`; the result has the rows `t1, t2, r1, r2`.
    #[inline(always)]
    pub fn forward_roll(&self, r1: T, r2: T) -> [T; 4] {
        let r2 = r2 - self.r2_r1 * r1;
        let t1 = -(self.t1_r1 * r1 + self.t1_r2 * r2);
        let t2 = -((self.t2_r1 * r1 + self.t2_r2 * r2) + self.t2_t1 * t1);
        [t1, t2, r1, r2]
    }

    /// `D⁻¹ v`.
    #[inline(always)]
    pub fn divided(&self, [t1, t2, s, r1, r2]: &Five<T>) -> Five<T> {
        let [i1, i2, i3, i4, i5] = self.inverse;
        [*t1 * i1, *t2 * i2, *s * i3, *r1 * i4, *r2 * i5]
    }

    /// `L⁻ᵀ v`.
    #[inline(always)]
    pub fn backward(&self, [t1, t2, s, r1, r2]: &Five<T>) -> Five<T> {
        let t2 = *t2;
        let t1 = *t1 - self.t2_t1 * t2;
        let r2 = (*r2 - self.t1_r2 * t1) - self.t2_r2 * t2;
        let r1 = ((*r1 - self.t1_r1 * t1) - self.t2_r1 * t2) - self.r2_r1 * r2;
        let s = (((*s - self.t1_s * t1) - self.t2_s * t2) - self.r1_s * r1) - self.r2_s * r2;
        [t1, t2, s, r1, r2]
    }
}

/// The second pivot of a 2×2 block before it is raised, and the inverses of both. Their divisions do not wait for each
/// other, and the determinant has no more rounding than the pivot.
#[inline(always)]
fn pivots<T: Real>(m11: T, m12: T, m22: T) -> (T, T, T) {
    let first = larger(m11, T::RELATIVE_CFM);
    let determinant = first * m22 - m12 * m12;
    let inverse = T::ONE / first;
    let last = first / larger(determinant, T::RELATIVE_CFM * first);
    (determinant * inverse, inverse, last)
}
