//! The set of impulses that a contact may carry, and the distance from being solved.
//!
//! With `p ≥ 0` the preload (the bounce's normal impulse), the set is the truncated cone
//!
//! ```text
//! C = { x : x_n ≥ 0,  ‖x_t‖ ≤ μ (x_n + p) }
//! ```
//!
//! It is convex and contains 0, so scaling an impulse down keeps it inside. Coulomb's law for a contact velocity `u` is
//! the inclusion `−(u + μ‖u_t‖ n) ∈ N_C(x)` (the shift is De Saxcé's). For `x_n > 0` on the rim it says `u_n = 0` and
//! friction against the sliding; at the edge `x_n = 0` it allows `u_n > 0`; inside, `u_t = 0`. Its natural map
//!
//! ```text
//! r = x − P_C( x − ρ (u + μ‖u_t‖ n) )
//! ```
//!
//! vanishes exactly at solutions. With `p = 0` it is the merit function that the field publishes.
use nalgebra::{Matrix3, Vector3};

use crate::math::real::{Real, positive_part};
use crate::math::vector::{VectorOps, outer, tangent_length};

/// Friction coefficient and preload of a contact: its cone.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::local::Cone;
/// let cone = Cone { mu: 0.5_f64, preload: 0.0 };
/// assert_eq!(cone.radius(10.0), 5.0); // N s of friction under 10 N s
/// let wanted = Vector3::new(10.0, 8.0, 0.0); // normal, two tangents
/// assert_eq!(cone.excess(&wanted), 3.0);
/// assert!((cone.clamp(&wanted) - Vector3::new(10.0, 5.0, 0.0)).norm() < 1e-12);
/// // The nearest impulse inside presses more and rubs less.
/// let nearest = cone.project(&wanted);
/// assert!(nearest.x > 10.0 && (nearest - wanted).norm() < 3.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone<T> {
    /// Coulomb friction coefficient.
    pub mu: T,
    /// Normal impulse of the bounce, in the unit of the impulses.
    pub preload: T,
}

impl<T: Real> Cone<T> {
    pub(crate) const EMPTY: Self = Cone { mu: T::ZERO, preload: T::ZERO };

    /// Largest friction impulse at a normal impulse.
    #[inline(always)]
    pub fn radius(&self, normal: T) -> T {
        self.mu * (normal + self.preload)
    }

    /// Whether an impulse is inside the cone; false if the radius is 0.
    #[inline(always)]
    pub(crate) fn holds(&self, [normal, t1, t2]: [T; 3]) -> bool {
        let radius = self.radius(normal);
        normal >= T::ZERO && reaches(radius, t1 * t1 + t2 * t2) && radius > T::ZERO
    }

    /// As `holds`, for a `Vector3`.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub(crate) fn is_around(&self, impulse: &Vector3<T>) -> bool {
        self.holds([impulse.x, impulse.y, impulse.z])
    }

    /// Moves an impulse inside by raising a negative normal part to 0, then shortening the tangent.
    #[inline(never)]
    pub fn clamp(&self, impulse: &Vector3<T>) -> Vector3<T> {
        let normal = positive_part(impulse.x);
        let radius = self.radius(normal);
        let square = impulse.y * impulse.y + impulse.z * impulse.z;
        if reaches(radius, square) {
            return Vector3::new(normal, impulse.y, impulse.z);
        }
        let beyond = square / (radius * radius) - T::ONE;
        let shorten = if beyond < T::CUBE_ROOT_EPSILON {
            // 1/√(1 + x) = 1 − x/2 + 3x²/8 to rounding: an impulse of the exact step is hardly beyond the rim.
            T::ONE - beyond * (T::HALF - T::lit(0.375) * beyond)
        } else {
            radius / tangent_length(impulse)
        };
        let vanishes = shorten > T::ZERO && !(shorten * T::EPSILON > T::ZERO);
        if shorten >= T::ONE {
            // Squares overflow, and the tangent is inside.
            Vector3::new(normal, impulse.y, impulse.z)
        } else if vanishes || !shorten.is_finite() {
            // A length that underflowed or is NaN leaves no direction; a subnormal factor leaves no length.
            Vector3::new(normal, T::ZERO, T::ZERO)
        } else {
            Vector3::new(normal, impulse.y * shorten, impulse.z * shorten)
        }
    }

    /// Nearest impulse of the cone.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn project(&self, impulse: &Vector3<T>) -> Vector3<T> {
        let (a, mu) = (impulse.x, self.mu);
        // Fast path: most impulses are inside, and comparing squares needs no root.
        if self.is_around(impulse) {
            return *impulse;
        }
        let length = tangent_length(impulse);
        let limit = self.mu * self.preload;
        if a >= T::ZERO && length <= self.radius(a) {
            return *impulse;
        }
        let on_rim = (a + mu * (length - limit)) / (T::ONE + mu * mu);
        let (normal, target) = if length > self.radius(a) && on_rim > T::ZERO {
            (on_rim, self.radius(on_rim))
        } else {
            (T::ZERO, if length > limit { limit } else { length })
        };
        let scale = if length > T::ZERO { target / length } else { T::ZERO };
        Vector3::new(normal, impulse.y * scale, impulse.z * scale)
    }

    /// Derivative of [`Cone::project`]; one of several at the borders between its cases.
    pub(crate) fn project_derivative(&self, impulse: &Vector3<T>) -> Matrix3<T> {
        let (a, mu) = (impulse.x, self.mu);
        let length = tangent_length(impulse);
        let limit = self.mu * self.preload;
        if !(mu > T::ZERO) {
            let normal = if a >= T::ZERO { T::ONE } else { T::ZERO };
            return Matrix3::from_diagonal(&Vector3::new(normal, T::ZERO, T::ZERO));
        }
        if a >= T::ZERO && length <= self.radius(a) {
            return Matrix3::identity();
        }
        let direction = if length > T::ZERO { impulse / length } else { Vector3::zeros() };
        let (y, z) = (direction.y, direction.z);
        let across = Matrix3::new(T::ZERO, T::ZERO, T::ZERO, T::ZERO, z * z, -y * z, T::ZERO, -y * z, y * y);
        let on_rim = (a + mu * (length - limit)) / (T::ONE + mu * mu);
        if length > self.radius(a) && on_rim > T::ZERO {
            let along = Vector3::new(T::ONE, mu * y, mu * z);
            return outer(&along) / (T::ONE + mu * mu) + across * (self.radius(on_rim) / length);
        }
        if length > limit || !(limit > T::ZERO) {
            return if length > T::ZERO { across * (limit / length) } else { Matrix3::zeros() };
        }
        Matrix3::from_diagonal(&Vector3::new(T::ZERO, T::ONE, T::ONE))
    }

    /// The natural map at step `rho`; zero where the impulse and the velocity satisfy Coulomb's law.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn natural_map(&self, impulse: &Vector3<T>, velocity: &Vector3<T>, rho: T) -> Vector3<T> {
        let shift = self.mu * tangent_length(velocity);
        let shifted = Vector3::new(velocity.x + shift, velocity.y, velocity.z);
        impulse.minus(&self.project(&impulse.minus(&shifted.scaled(rho))))
    }

    /// How far the friction impulse reaches beyond the rim.
    pub fn excess(&self, impulse: &Vector3<T>) -> T {
        positive_part(tangent_length(impulse) - self.radius(impulse.x))
    }
}

/// Whether the square of a radius is at least a square. If both overflow the difference is NaN, and the
/// result is `false`.
#[inline(always)]
pub(crate) fn reaches<T: Real>(radius: T, square: T) -> bool {
    radius * radius - square >= T::ZERO
}
