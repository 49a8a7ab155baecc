//! Rank-revealing factor of an inverse inertia: test for positive semidefiniteness, and rotational energy.
//!
//! With `P` a permutation that brings the largest remaining diagonal entry first,
//!
//! ```text
//! P I⁻¹ Pᵀ = L D Lᵀ,   L unit lower triangular,  D = diag(d0 ≥ d1 ≥ d2)
//! ```
//!
//! A negative pivot beyond rounding means a negative eigenvalue. A pivot that vanished by cancellation means a
//! direction about which the body cannot rotate: its inertia is infinite, no impulse changes that part of the angular
//! velocity, and its (constant, infinite) energy is left out. The energy is therefore that of the pseudo-inverse,
//! `½ ω_rᵀ (I⁻¹)⁺ ω_r` with `ω_r` the part of `ω` in the range of `I⁻¹`.
//!
//! A pivot counts as vanished relative to the diagonal entry it was left over from: a diagonal matrix with entries
//! twelve orders of magnitude apart suffers no cancellation and keeps its full rank. A matrix that is not diagonal was
//! rotated, and rotating rounds every entry by some ε of the largest: there a pivot of that size is noise as well, and
//! a body whose inverse inertias are further apart than 1/(64 ε) counts as unable to rotate about the axis of the
//! smallest.
use nalgebra::{Matrix3, Vector3};

use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::VectorOps;

/// `P I⁻¹ Pᵀ = L D Lᵀ`.
pub(crate) struct Ldlt3<T> {
    order: [usize; 3],
    l10: T,
    l20: T,
    l21: T,
    pivots: [T; 3],
    /// Diagonal entries that the pivots are left over from.
    entries: [T; 3],
    indefinite: bool,
}

/// Roundings of an entry up to which a pivot may be noise.
const CANCELLED: f64 = 256.0;
/// Roundings of the largest entry that rotating a matrix leaves in all others.
const ROTATED: f64 = 64.0;

/// Relative rounding of an energy: a few from its sum, the rest from the sweeps that made the velocities.
pub(crate) fn rounding<T: Real>() -> T {
    T::lit(16.0) * T::EPSILON
}

/// Energy, and a bound on how far rounding can have moved it.
///
/// ```
/// use stiction::solve::world_phase::Energy;
/// let energy = Energy { value: 2.0_f32, uncertainty: 1e-6 };
/// assert!(energy.uncertainty < energy.value);
/// ```
#[derive(Clone, Copy)]
pub struct Energy<T> {
    /// J.
    pub value: T,
    /// J.
    pub uncertainty: T,
}

/// When pivots vanish, and how far energies are rounded.
///
/// ```
/// use stiction::solve::world_phase::FactorLimits;
/// assert!(FactorLimits::<f32>::new().rotated < FactorLimits::new().cancelled);
/// ```
pub struct FactorLimits<T> {
    /// A pivot up to this fraction of the entry that it is left over from vanished.
    pub cancelled: T,
    /// One up to this fraction of the largest entry vanished, unless the matrix is diagonal.
    pub rotated: T,
    /// One up to this vanished.
    pub floor: T,
    /// Relative rounding of an energy.
    pub rounding: T,
}

impl<T: Real> FactorLimits<T> {
    /// Those of the scalar type.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "there is nothing to choose")]
    pub fn new() -> Self {
        let (cancelled, rotated) = (T::lit(CANCELLED) * T::EPSILON, T::lit(ROTATED) * T::EPSILON);
        FactorLimits { cancelled, rotated, floor: floor(), rounding: rounding() }
    }
}

/// An inverse inertia below that of the heaviest and largest body counts as 0.
fn floor<T: Real>() -> T {
    T::ONE / (T::INVERSE_MASS_LIMIT * T::LENGTH_LIMIT * T::LENGTH_LIMIT)
}

/// A pivot this small after cancellation counts as 0. `rotated` is the rounding error of rotating the tensor.
fn vanished<T: Real>(pivot: T, entry: T, rotated: T) -> bool {
    !(pivot > T::lit(CANCELLED) * T::EPSILON * entry) || !(pivot > rotated) || !(pivot > floor())
}

/// A matrix that was rotated and rounded is off by a few roundings of its largest entry, and elimination adds more.
fn noise<T: Real>(largest: T) -> T {
    T::lit(CANCELLED) * T::EPSILON * larger(largest, floor())
}

impl<T: Real> Ldlt3<T> {
    /// Of a body that cannot rotate.
    pub const NONE: Self = Ldlt3 {
        order: [0, 1, 2],
        l10: T::ZERO,
        l20: T::ZERO,
        l21: T::ZERO,
        pivots: [T::ZERO; 3],
        entries: [T::ZERO; 3],
        indefinite: false,
    };

    /// Factors a symmetric matrix, of which the lower triangle is read.
    pub fn new(inverse_inertia: &Matrix3<T>) -> Self {
        let m = inverse_inertia;
        let mut order = [0, 1, 2];
        let mut diagonal = [m.m11, m.m22, m.m33];
        // Entries (1,0), (2,0), (2,1) of the permuted matrix.
        let mut off = [m.m21, m.m31, m.m32];
        if diagonal[1] > diagonal[0] && diagonal[1] >= diagonal[2] {
            order.swap(0, 1);
            diagonal.swap(0, 1);
            off.swap(1, 2);
        } else if diagonal[2] > diagonal[0] {
            order.swap(0, 2);
            diagonal.swap(0, 2);
            off.swap(0, 2);
        }
        let noise = noise(diagonal[0]);
        let mut factor = Ldlt3 { order, ..Self::NONE };
        if !vanished(diagonal[0], diagonal[0], T::ZERO) {
            factor.eliminate(diagonal, off, noise);
        }
        factor
    }

    fn eliminate(&mut self, diagonal: [T; 3], off: [T; 3], noise: T) {
        let d0 = diagonal[0];
        let rotated = if off == [T::ZERO; 3] { T::ZERO } else { T::lit(ROTATED) * T::EPSILON * d0 };
        let (mut l10, mut l20) = (off[0] / d0, off[1] / d0);
        let mut rest = [diagonal[1] - l10 * off[0], diagonal[2] - l20 * off[1]];
        let mut entry = [diagonal[1], diagonal[2]];
        let cross = off[2] - l20 * off[0];
        if rest[1] > rest[0] {
            self.order.swap(1, 2);
            core::mem::swap(&mut l10, &mut l20);
            rest.swap(0, 1);
            entry.swap(0, 1);
        }
        (self.l10, self.l20) = (l10, l20);
        self.pivots[0] = d0;
        self.entries = [d0, entry[0], entry[1]];
        self.indefinite |= rest[1] < -noise;
        if vanished(rest[0], entry[0], rotated) {
            // The larger of the two remaining diagonal entries bounds the off-diagonal entry between them.
            self.indefinite |= cross.abs() > positive_part(rest[0]) + noise;
            return;
        }
        self.pivots[1] = rest[0];
        self.l21 = cross / rest[0];
        let last = rest[1] - self.l21 * cross;
        self.indefinite |= last < -noise;
        if !vanished(last, entry[1], rotated) {
            self.pivots[2] = last;
        }
    }

    /// Whether a symmetric matrix has no negative eigenvalue, up to rounding.
    pub fn is_positive_semidefinite(matrix: &Matrix3<T>) -> bool {
        !has_impossible_entry(matrix) && !Self::new(matrix).indefinite
    }

    /// The part of an angular velocity that impulses can change, in the factor's order.
    #[cfg_attr(target_os = "none", inline(never))]
    fn changeable(&self, angular: &Vector3<T>) -> Vector3<T> {
        let [d0, d1, d2] = self.pivots;
        let w = permuted(angular, self.order);
        if !(d0 > T::ZERO) {
            Vector3::zeros()
        } else if d2 > T::ZERO {
            w
        } else if d1 > T::ZERO {
            // Kernel of Lᵀ restricted to the first two rows: k = (l10 l21 − l20, −l21, 1).
            let k = Vector3::new(self.l10 * self.l21 - self.l20, -self.l21, T::ONE);
            w.minus(&k.scaled(k.dot(&w) / k.dot(&k)))
        } else {
            let l = Vector3::new(T::ONE, self.l10, self.l20);
            l.scaled(l.dot(&w) / l.dot(&l))
        }
    }

    /// The part of an angular velocity that no impulse can change: spin about axes about which the body cannot rotate.
    pub fn unchangeable(&self, angular: &Vector3<T>) -> Vector3<T> {
        angular.minus(&self.unpermuted(&self.changeable(angular)))
    }

    /// The angular momentum of an angular velocity, kg m²/s; none if the body cannot rotate about some axis.
    pub fn momentum(&self, angular: &Vector3<T>) -> Option<Vector3<T>> {
        let [d0, d1, d2] = self.pivots;
        if !(d2 > T::ZERO) {
            return None;
        }
        let w = permuted(angular, self.order);
        let z0 = w.x;
        let z1 = w.y - self.l10 * z0;
        let z2 = w.z - self.l20 * z0 - self.l21 * z1;
        let y2 = z2 / d2;
        let y1 = z1 / d1 - self.l21 * y2;
        let y0 = z0 / d0 - self.l10 * y1 - self.l20 * y2;
        Some(self.unpermuted(&Vector3::new(y0, y1, y2)))
    }

    /// Back from the factor's order to the axes'.
    fn unpermuted(&self, v: &Vector3<T>) -> Vector3<T> {
        let [a, b, _] = self.order;
        let back = |axis: usize| {
            if a == axis {
                v.x
            } else if b == axis {
                v.y
            } else {
                v.z
            }
        };
        Vector3::new(back(0), back(1), back(2))
    }

    /// The inertia, symmetric; zero for spin that no impulse can change.
    pub fn inertia(&self) -> Matrix3<T> {
        let axis = |x: T, y: T, z: T| self.in_pivot_axes(&Vector3::new(x, y, z));
        let (zero, one) = (T::ZERO, T::ONE);
        let (x, y, z) = (axis(one, zero, zero), axis(zero, one, zero), axis(zero, zero, one));
        let inverse = self.pivots.map(|pivot| if pivot > T::ZERO { T::ONE / pivot } else { T::ZERO });
        let entry =
            |a: &[T; 3], b: &[T; 3]| a[0] * b[0] * inverse[0] + a[1] * b[1] * inverse[1] + a[2] * b[2] * inverse[2];
        let (xy, xz, yz) = (entry(&x, &y), entry(&x, &z), entry(&y, &z));
        Matrix3::new(entry(&x, &x), xy, xz, xy, entry(&y, &y), yz, xz, yz, entry(&z, &z))
    }

    /// `L⁻¹` times the part of an angular velocity that impulses can change.
    fn in_pivot_axes(&self, angular: &Vector3<T>) -> [T; 3] {
        let w = self.changeable(angular);
        let z1 = w.y - self.l10 * w.x;
        [w.x, z1, w.z - self.l20 * w.x - self.l21 * z1]
    }

    /// Rotational energy of an angular velocity, in J.
    pub fn energy(&self, angular: &Vector3<T>) -> Energy<T> {
        let w = self.changeable(angular);
        let z0 = w[0];
        let z1 = w[1] - self.l10 * z0;
        let z2 = w[2] - self.l20 * z0 - self.l21 * z1;
        let mut energy = Energy { value: T::ZERO, uncertainty: T::ZERO };
        for (z, (d, entry)) in [z0, z1, z2].into_iter().zip(self.pivots.into_iter().zip(self.entries)) {
            if d > T::ZERO {
                let part = T::HALF * z * z / d;
                energy.value += part;
                // A pivot is as uncertain as the entry that it is left over from.
                energy.uncertainty += rounding::<T>() * part * (entry / d);
            }
        }
        energy
    }
}

fn permuted<T: Real>(v: &Vector3<T>, order: [usize; 3]) -> Vector3<T> {
    let pick = |i: usize| match i {
        0 => v.x,
        1 => v.y,
        _ => v.z,
    };
    Vector3::new(pick(order[0]), pick(order[1]), pick(order[2]))
}

/// In a positive semidefinite matrix the diagonal is not negative, and no off-diagonal entry exceeds the geometric mean
/// of its two diagonal ones. Elimination alone would miss this where the first pivot is zero.
fn has_impossible_entry<T: Real>(m: &Matrix3<T>) -> bool {
    let (a, b, c) = (m.m11, m.m22, m.m33);
    let largest = larger(a, larger(b, c));
    let noise = noise(largest);
    // Root before product: the product of two small entries would underflow.
    let beyond = |entry: T, p: T, q: T| entry.abs() > (p + noise).sqrt_or_zero() * (q + noise).sqrt_or_zero();
    let negative = largest < T::ZERO || a < -noise || b < -noise || c < -noise;
    negative || beyond(m.m21, a, b) || beyond(m.m31, a, c) || beyond(m.m32, b, c)
}
