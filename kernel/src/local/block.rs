//! A contact's own 3×3 block `K = J M⁻¹ Jᵀ`, prepared for the local step.
//!
//! Everything that the local step computes is made dimensionless here, once: with `impulse_scale` the power of two at
//! or below `tr(K)/3`, the block is stored as `K/impulse_scale` and impulses as `impulse_scale·x`, which has the unit
//! of a velocity. Powers of two scale without rounding, so doubling all masses changes no bit of any velocity, and no
//! product of three entries can underflow however heavy the bodies are.
//!
//! `K` is regularised by `RELATIVE_CFM · tr(K)/3` on its diagonal. Sweeps use it only to convert a velocity into an
//! impulse *change*, so it slows convergence by that tiny factor and does not change the solution.
//!
//! Eliminating the normal row of `u = û + Kx` at `u_n = 0` leaves the Schur complement
//!
//! ```text
//! A = K_tt − K_tn K_nt / K_nn
//! ```
//!
//! and with it `û_t` only enters as `b = û_t − û_n K_tn/K_nn`. So `A`, `K_tn/K_nn` and `K_nt/K_nn` are stored. `A + σI`
//! is factored as `L U` without pivoting, stable for a matrix whose symmetric part is positive definite; its pivots are
//! kept positive to rule out division by zero. (Cramer's rule would be shorter, but loses twice as many digits on an
//! ill-conditioned block: measured.) The block need not be symmetric: published Delassus matrices are not, in their
//! last digits, and are taken as they are.
//!
//! Most visits find a contact that sticks: `x − K⁻¹u` is in its cone. For those the explicit `K⁻¹` is computed once, in
//! the axes of the velocities: a visit then takes nine products, no division, and short chains of dependent operations.
//! An explicit inverse leaves an error of `ε cond K` of the velocity, which the next sweep removes. If the condition is
//! too bad for that, no `K⁻¹` is stored, and sticking contacts take the general path of `exact`.
use nalgebra::{Matrix2, Matrix3, Vector2};

use crate::local::frame::Frame;
use crate::math::real::{Real, larger, positive_part, smaller};
use crate::math::vector::VectorOps;

/// A contact's own block, normalised. Build one from any `K` that is positive semidefinite and not zero.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::local::{Block, Cone, exact};
/// // A mass of 0.5 kg that does not rotate: an impulse of 1 N s changes its velocity by 2 m/s.
/// let (block, impulse_scale) = Block::new(&(Matrix3::identity() * 2.0));
/// let falling = Vector3::new(-3.0, 0.0, 0.0); // along the normal and two tangents, m/s
/// let impulse = exact(&block, &Cone { mu: 0.5, preload: 0.0 }, &falling).impulse / impulse_scale;
/// assert!((impulse.x - 1.5_f64).abs() < 1e-12); // N s: stops it
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block<T> {
    /// `K_nn` with regularisation, over `impulse_scale`, and its inverse.
    pub(crate) normal: T,
    pub(crate) inverse_normal: T,
    /// `K_nt/K_nn`: decrease of the normal impulse per friction impulse.
    pub(crate) row: Vector2<T>,
    /// `K_tn/K_nn`.
    pub(crate) column: Vector2<T>,
    /// `A`, the Schur complement of the normal entry.
    pub(crate) schur: Matrix2<T>,
    /// Its principal axes.
    pub(crate) principal: Principal<T>,
}

/// `A = QᵀDQ` with `D = diag(first, last)` and `Q` a rotation; only for a symmetric `A`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Principal<T> {
    pub first: T,
    pub last: T,
    cos: T,
    sin: T,
}

impl<T: Real> Principal<T> {
    const NONE: Self = Principal { first: T::ZERO, last: T::ZERO, cos: T::ZERO, sin: T::ZERO };

    /// Whether `A` has principal axes.
    #[inline(always)]
    pub fn are_known(&self) -> bool {
        self.first > T::ZERO
    }

    /// `Q v`.
    #[inline(always)]
    pub fn components(&self, v: &Vector2<T>) -> Vector2<T> {
        Vector2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// `Qᵀ v`.
    #[inline(always)]
    pub fn back(&self, v: &Vector2<T>) -> Vector2<T> {
        Vector2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }
}

/// `K⁻¹` by columns, one for each axis of the velocities, and one extra number (see `lanes`).
pub(crate) type InverseBlock<T> = [T; 10];

/// How strongly a contact's normal and friction are coupled.
///
/// ```
/// use nalgebra::Matrix3;
/// use stiction::local::Block;
/// // The tip of a slanted rod: pushing it sideways lifts it nearly as much as pushing it up.
/// let k = Matrix3::new(2.0, 1.8, 0.0, 1.8, 2.0, 0.0, 0.0, 0.0, 1.0);
/// let coupling = Block::<f64>::new(&k).0.coupling();
/// assert!((coupling.normal_tangent_ratio - 0.9).abs() < 1e-12);
/// assert!((coupling.condition - 19.0).abs() < 1e-9); // (2 + 1.8) / (2 − 1.8): expect more sweeps
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Coupling<T> {
    /// `‖K_nt‖ / K_nn`: normal velocity per friction impulse, relative to normal velocity per normal impulse.
    pub normal_tangent_ratio: T,
    /// Condition number of the symmetric part of `K`.
    pub condition: T,
    /// Whether `K` was singular or indefinite up to rounding, and a safe block is used instead.
    pub is_replaced: bool,
}

impl<T: Real> Block<T> {
    /// A placeholder that maps every velocity to zero impulse.
    pub(crate) const EMPTY: Self = Block {
        normal: T::ZERO,
        inverse_normal: T::ZERO,
        row: Vector2::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 2]; 1])),
        column: Vector2::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 2]; 1])),
        schur: Matrix2::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 2]; 2])),
        principal: Principal::NONE,
    };

    /// Prepares `K`; returns the block and the `impulse_scale` that `K` was divided by.
    ///
    /// `K` must be finite, positive semidefinite up to rounding, and have a positive trace.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn new(k: &Matrix3<T>) -> (Self, T) {
        let third_of_trace = k.trace() / T::lit(3.0);
        let impulse_scale = third_of_trace.power_of_two_below();
        let k = k * (T::ONE / impulse_scale);
        let regularisation = T::RELATIVE_CFM * third_of_trace / impulse_scale;
        let on_diagonal = |entry: T| positive_part(entry) + regularisation;
        let normal = on_diagonal(k.m11);
        let inverse_normal = T::ONE / normal;
        let row = Vector2::new(k.m12 * inverse_normal, k.m13 * inverse_normal);
        let column = Vector2::new(k.m21 * inverse_normal, k.m31 * inverse_normal);
        let symmetric = k.m12 == k.m21 && k.m13 == k.m31 && k.m23 == k.m32;
        let above = k.m23 - k.m21 * row.y;
        // Equal in exact arithmetic if `K` is symmetric; copied so that rounding cannot make them differ.
        let below = if symmetric { above } else { k.m32 - k.m31 * row.x };
        let schur = Matrix2::new(on_diagonal(k.m22) - k.m21 * row.x, above, below, on_diagonal(k.m33) - k.m31 * row.y);
        (Block { normal, inverse_normal, row, column, schur, principal: Self::principal(&schur) }, impulse_scale)
    }

    /// The principal axes of `A`, by one of Jacobi's rotations, if it is symmetric.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn principal(schur: &Matrix2<T>) -> Principal<T> {
        if schur.m12 != schur.m21 {
            return Principal::NONE;
        }
        let mut diagonal = [schur.m11, schur.m22, T::ZERO];
        let (cos, sin) = rotation(&mut diagonal, 0, 1, &mut { schur.m12 });
        let [first, last, _] = diagonal;
        Principal { first: larger(first, T::RELATIVE_CFM), last: larger(last, T::RELATIVE_CFM), cos, sin }
    }

    /// The numbers of a block as sweeps in lanes have them.
    pub(crate) fn lane_numbers(&self) -> [T; 14] {
        let (Principal { first, last, cos, sin }, a) = (self.principal, &self.schur);
        let (k, r, c) = (self.inverse_normal, &self.row, &self.column);
        [k, r.x, r.y, c.x, c.y, a.m11, a.m12, a.m21, a.m22, first, last, cos, sin, self.normal]
    }

    /// A block of its numbers, without principal axes: brackets do not need them.
    pub(crate) fn of_lane_numbers([k, r1, r2, c1, c2, m11, m12, m21, m22, .., normal]: [T; 14]) -> Self {
        Block {
            normal,
            inverse_normal: k,
            row: Vector2::new(r1, r2),
            column: Vector2::new(c1, c2),
            schur: Matrix2::new(m11, m12, m21, m22),
            principal: Principal::NONE,
        }
    }

    /// `K_tt`.
    pub(crate) fn tangential(&self) -> Matrix2<T> {
        let (row, column) = (self.row.scaled(self.normal), &self.column);
        Matrix2::new(
            self.schur.m11 + column.x * row.x,
            self.schur.m12 + column.x * row.y,
            self.schur.m21 + column.y * row.x,
            self.schur.m22 + column.y * row.y,
        )
    }

    /// A third of the trace: the block's typical size, between 1 and 2 when built from a valid `K`.
    #[inline(always)]
    pub(crate) fn size(&self) -> T {
        let tangential = self.column.x * self.row.x + self.column.y * self.row.y;
        (self.normal * (T::ONE + tangential) + self.schur.m11 + self.schur.m22) * T::lit(1.0 / 3.0)
    }

    /// `K⁻¹F` for velocities in the axes of a frame `F = [n t1 t2]ᵀ`; all NaN if the block is too ill-conditioned, so
    /// the sticking test always fails.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub(crate) fn inverse_in_axes(&self, frame: &Frame<T>) -> InverseBlock<T> {
        let factors = Factors2::new(&self.schur, T::ZERO);
        let column = |n: T, t1: T, t2: T| {
            let tangent = factors.solve(&Vector2::new(t1 - self.column.x * n, t2 - self.column.y * n));
            [n * self.inverse_normal - (self.row.x * tangent.x + self.row.y * tangent.y), tangent.x, tangent.y]
        };
        let Frame { n, t1, t2 } = frame;
        let (a, b, c) = (column(n.x, t1.x, t2.x), column(n.y, t1.y, t2.y), column(n.z, t1.z, t2.z));
        let largest = [a, b, c].iter().flatten().fold(T::ZERO, |largest, entry| larger(largest, entry.abs()));
        if !(largest < T::ONE / (T::lit(256.0) * T::EPSILON)) {
            return [T::lit(f64::NAN); 10];
        }
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], T::ZERO]
    }

    /// `(K + Kᵀ)/2`.
    fn symmetric_part(&self) -> Matrix3<T> {
        let t = self.tangential();
        let across = self.row.plus(&self.column).scaled(T::HALF * self.normal);
        let last = (t.m12 + t.m21) * T::HALF;
        Matrix3::new(self.normal, across.x, across.y, across.x, t.m11, last, across.y, last, t.m22)
    }

    /// Coupling of this contact, from its regularised block.
    pub fn coupling(&self) -> Coupling<T> {
        let k = self.symmetric_part();
        let coupling = (self.row.x * self.row.x + self.row.y * self.row.y).sqrt_or_zero();
        let [a, b, c] = symmetric_eigenvalues(&k);
        let largest = larger(larger(a, b), c);
        let smallest = smaller(smaller(a, b), c);
        let floor = T::EPSILON * largest;
        Coupling {
            normal_tangent_ratio: coupling,
            condition: if smallest > floor { largest / smallest } else { T::ONE / T::EPSILON },
            is_replaced: self.is_singular(),
        }
    }

    /// Whether `K` was singular or indefinite up to rounding: what it has instead is its regularisation.
    pub(crate) fn is_singular(&self) -> bool {
        let floor = T::lit(4.0) * T::RELATIVE_CFM;
        let (first, last) = if self.principal.are_known() {
            (self.principal.first, self.principal.last)
        } else {
            let schur = &self.schur;
            (schur.m11, schur.m22 - schur.m21 * schur.m12 / larger(schur.m11, T::RELATIVE_CFM))
        };
        self.normal <= floor || first <= floor || last <= floor
    }
}

/// `L U` factors of `M + σI` for a 2×2 matrix `M` with positive semidefinite symmetric part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Factors2<T> {
    /// Entry of `L` below its unit diagonal.
    below: T,
    /// Entry of `U` right of its diagonal.
    right: T,
    inverse_first: T,
    inverse_last: T,
}

impl<T: Real> Factors2<T> {
    /// Factors `m + shift I`, raising pivots that rounding brought to zero.
    #[inline(always)]
    pub fn new(m: &Matrix2<T>, shift: T) -> Self {
        let first = larger(m.m11 + shift, T::RELATIVE_CFM);
        let inverse_first = T::ONE / first;
        let below = m.m21 * inverse_first;
        let last = larger(m.m22 + shift - below * m.m12, T::RELATIVE_CFM);
        Factors2 { below, right: m.m12, inverse_first, inverse_last: T::ONE / last }
    }

    /// `(M + σI)⁻¹ v`.
    #[inline(always)]
    pub fn solve(&self, v: &Vector2<T>) -> Vector2<T> {
        let y = (v.y - self.below * v.x) * self.inverse_last;
        Vector2::new((v.x - self.right * y) * self.inverse_first, y)
    }
}

/// Eigenvalues of a symmetric 3×3 matrix by cyclic Jacobi rotations, a fixed number of them.
fn symmetric_eigenvalues<T: Real>(m: &Matrix3<T>) -> [T; 3] {
    let mut d = [m.m11, m.m22, m.m33];
    // Off-diagonal entries (0,1), (0,2), (1,2). Convergence is quadratic: six cycles reach rounding from anywhere.
    let (mut xy, mut xz, mut yz) = (m.m12, m.m13, m.m23);
    for _ in 0..6 {
        let (c, s) = rotation(&mut d, 0, 1, &mut xy);
        (xz, yz) = (c * xz - s * yz, s * xz + c * yz);
        let (c, s) = rotation(&mut d, 0, 2, &mut xz);
        (xy, yz) = (c * xy - s * yz, s * xy + c * yz);
        let (c, s) = rotation(&mut d, 1, 2, &mut yz);
        (xy, xz) = (c * xy - s * xz, s * xy + c * xz);
    }
    d
}

/// The rotation that clears the off-diagonal entry between `i` and `j`, applied to the diagonal.
#[inline(always)]
fn rotation<T: Real>(d: &mut [T; 3], i: usize, j: usize, off: &mut T) -> (T, T) {
    if *off == T::ZERO {
        return (T::ONE, T::ZERO);
    }
    let theta = (d[j] - d[i]) / (*off + *off);
    let sign = if theta < T::ZERO { -T::ONE } else { T::ONE };
    let t = sign / (theta.abs() + (theta * theta + T::ONE).sqrt_or_zero());
    let c = T::ONE / (t * t + T::ONE).sqrt_or_zero();
    d[i] -= t * *off;
    d[j] += t * *off;
    *off = T::ZERO;
    (c, t * c)
}
