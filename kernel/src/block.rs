//! A contact's own 3×3 block `K = J M⁻¹ Jᵀ`, prepared for the local step.
//!
//! Everything that the local step computes is made dimensionless here, once: with `unit` the power of two at or below
//! `tr(K)/3`, the block is stored as `K/unit` and impulses as `unit·x`, which has the unit of a velocity. Powers of two
//! scale without rounding, so doubling all masses changes no bit of any velocity, and no product of three entries can
//! underflow however heavy the bodies are.
//!
//! `K` is regularised by `RELATIVE_CFM · tr(K)/3` on its diagonal. Sweeps use it only to turn a velocity into an impulse
//! *change*, so it slows convergence by that tiny factor and does not move the solution.
//!
//! Eliminating the normal row of `u = û + Kx` at `u_n = 0` leaves the Schur complement
//!
//! ```text
//! A = K_tt − K_tn K_nt / K_nn
//! ```
//!
//! which is factored as `L U` without pivoting, stable for a matrix whose symmetric part is positive definite; its pivots
//! are kept positive so that nothing can divide by zero, and their inverses are stored so that sticking needs no division.
//! (Cramer's rule would be shorter, and loses as many digits again as the block is ill-conditioned: measured.) The block
//! need not be symmetric: published Delassus matrices are not, in their last digits, and are taken as they are.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use crate::real::{Real, larger, positive_part, smaller};

/// A contact's own block, normalised. Build one from any `K` that is positive semidefinite and not zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block<T> {
    /// `K/unit` with regularisation.
    pub(crate) k: Matrix3<T>,
    /// `A`, the Schur complement of the normal entry of `k`.
    pub(crate) schur: Matrix2<T>,
    /// `1/k_nn`.
    pub(crate) inverse_normal: T,
    /// Factors of `A`.
    pub(crate) factors: Factors2<T>,
}

/// How strongly a contact's normal and friction are coupled.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Coupling<T> {
    /// `‖K_nt‖ / K_nn`: normal velocity per friction impulse, relative to normal velocity per normal impulse.
    pub normal_tangent_ratio: T,
    /// Condition number of the symmetric part of `K`.
    pub condition: T,
}

impl<T: Real> Block<T> {
    /// A placeholder that maps every velocity to no impulse.
    pub(crate) const EMPTY: Self = Block {
        k: Matrix3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 3])),
        schur: Matrix2::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 2]; 2])),
        inverse_normal: T::ZERO,
        factors: Factors2 { below: T::ZERO, right: T::ZERO, inverse_first: T::ZERO, inverse_last: T::ZERO },
    };

    /// Prepares `K` and gives the unit it was divided by.
    ///
    /// `K` must be finite, positive semidefinite up to rounding, and have a positive trace.
    pub fn new(k: &Matrix3<T>) -> (Self, T) {
        let third_of_trace = k.trace() / T::lit(3.0);
        let unit = third_of_trace.power_of_two_below();
        let mut k = k * (T::ONE / unit);
        let regularisation = T::RELATIVE_CFM * third_of_trace / unit;
        k.m11 = positive_part(k.m11) + regularisation;
        k.m22 = positive_part(k.m22) + regularisation;
        k.m33 = positive_part(k.m33) + regularisation;
        let inverse_normal = T::ONE / k.m11;
        let (right_1, right_2) = (k.m12 * inverse_normal, k.m13 * inverse_normal);
        let schur = Matrix2::new(
            k.m22 - k.m21 * right_1,
            k.m23 - k.m21 * right_2,
            k.m32 - k.m31 * right_1,
            k.m33 - k.m31 * right_2,
        );
        (Block { k, schur, inverse_normal, factors: Factors2::new(&schur, T::ZERO) }, unit)
    }

    /// A third of the trace: the block's typical size, between 1 and 2 when built from a valid `K`.
    #[inline(always)]
    pub(crate) fn size(&self) -> T {
        (self.k.m11 + self.k.m22 + self.k.m33) * T::lit(1.0 / 3.0)
    }

    /// `û = u − K x`: the contact's velocity with its own impulse taken away.
    #[inline(always)]
    pub(crate) fn free_velocity(&self, u: &Vector3<T>, impulse: &Vector3<T>) -> Vector3<T> {
        u - self.k * impulse
    }

    /// Coupling of this contact, from its regularised block.
    pub fn coupling(&self) -> Coupling<T> {
        let k = &self.k;
        let tangential = (k.m12 * k.m12 + k.m13 * k.m13).root();
        let [a, b, c] = symmetric_eigenvalues(&((k + k.transpose()) * T::HALF));
        let largest = larger(larger(a, b), c);
        let smallest = smaller(smaller(a, b), c);
        let floor = T::EPSILON * largest;
        Coupling {
            normal_tangent_ratio: tangential * self.inverse_normal,
            condition: if smallest > floor { largest / smallest } else { T::ONE / T::EPSILON },
        }
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
    let t = sign / (theta.abs() + (theta * theta + T::ONE).root());
    let c = T::ONE / (t * t + T::ONE).root();
    d[i] -= t * *off;
    d[j] += t * *off;
    *off = T::ZERO;
    (c, t * c)
}
