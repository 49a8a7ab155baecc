//! The contact frame `F = [n t1 t2]ᵀ`: a right-handed orthonormal basis on a unit normal.
//!
//! Tangents are built without a branch on the axes, after Duff, Burgess, Christensen, Hery, Kensler, Liani and
//! Villemin, "Building an orthonormal basis, revisited" (Journal of Computer Graphics Techniques 6, 2017). With
//! `s = sign(n_z)`,
//!
//! ```text
//! a = −1/(s + n_z),  b = n_x n_y a
//! t1 = (1 + s n_x² a,  s b,  −s n_x)
//! t2 = (b,  s + n_y² a,  −n_y)
//! ```
//!
//! `|s + n_z| ≥ 1`, so there is no division by zero. No tangent field on the sphere is continuous everywhere; this one
//! is smooth on each half `n_z ≥ 0`, `n_z < 0` and breaks across `n_z = 0`. No answer depends on it: the friction cone
//! is round, so rotating the tangents about the normal changes only rounding.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;

/// A right-handed orthonormal frame: `n × t1 = t2`.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::Frame;
/// // How fast a wheel's contact point approaches a wall, and how fast it slides along it.
/// let wall = Frame::from_normal(&Vector3::new(0.6, 0.8, 0.0_f64));
/// let velocity = Vector3::new(-1.0, 0.5, 2.0);
/// let along = wall.components(&velocity);
/// assert!((along.x + 0.2).abs() < 1e-12); // m/s along the normal: approaching
/// assert!((along.norm() - velocity.norm()).abs() < 1e-12);
/// assert!((wall.to_world(&along) - velocity).norm() < 1e-12); // and back
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<T> {
    /// Unit normal, from body A to body B.
    pub n: Vector3<T>,
    /// First tangent.
    pub t1: Vector3<T>,
    /// Second tangent.
    pub t2: Vector3<T>,
}

impl<T: Real> Frame<T> {
    /// The frame of vectors that are already given along `n, t1, t2`.
    #[inline(never)]
    pub(crate) fn own() -> Self {
        Frame { n: Vector3::x(), t1: Vector3::y(), t2: Vector3::z() }
    }

    /// The frame on a normal of unit length (within 1e-6, as stored contacts have it; one Newton step squares that
    /// error).
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// let frame = stiction::Frame::from_normal(&Vector3::new(0.0_f64, 0.0, 1.0));
    /// assert_eq!(frame.t1, Vector3::x());
    /// assert_eq!(frame.n.cross(&frame.t1), frame.t2);
    /// ```
    pub fn from_normal(normal: &Vector3<T>) -> Self {
        let n = normal.scaled(T::lit(1.5) - T::HALF * normal.dot(normal));
        let s = if n.z < T::ZERO { -T::ONE } else { T::ONE };
        let a = -T::ONE / (s + n.z);
        let b = n.x * n.y * a;
        Frame {
            n,
            t1: Vector3::new(T::ONE + s * n.x * n.x * a, s * b, -s * n.x),
            t2: Vector3::new(b, s + n.y * n.y * a, -n.y),
        }
    }

    /// The frame on a normal whose first tangent opposes a direction of sliding.
    ///
    /// Falls back to [`Frame::from_normal`] where the direction has no tangential part.
    pub fn opposing(normal: &Vector3<T>, sliding: &Vector3<T>) -> Self {
        let base = Self::from_normal(normal);
        let (along_1, along_2) = (base.t1.dot(sliding), base.t2.dot(sliding));
        let length = (along_1 * along_1 + along_2 * along_2).sqrt_or_zero();
        if !(length > T::ZERO) {
            return base;
        }
        let (cos, sin) = (-along_1 / length, -along_2 / length);
        Frame {
            n: base.n,
            t1: base.t1.scaled(cos).plus(&base.t2.scaled(sin)),
            t2: base.t2.scaled(cos).minus(&base.t1.scaled(sin)),
        }
    }

    /// Components of a world vector along `n`, `t1`, `t2`.
    #[inline(always)]
    pub fn components(&self, world: &Vector3<T>) -> Vector3<T> {
        Vector3::new(self.n.dot(world), self.t1.dot(world), self.t2.dot(world))
    }

    /// World vector with the given components along `n`, `t1`, `t2`.
    #[inline(always)]
    pub fn to_world(&self, components: &Vector3<T>) -> Vector3<T> {
        self.n.scaled(components.x).plus(&self.t1.scaled(components.y)).plus(&self.t2.scaled(components.z))
    }

    /// The three directions after the same linear map: `r × d` for an arm, `I⁻¹ d` for an inverse inertia.
    ///
    /// The result is no longer orthonormal, but `components` and `to_world` remain transposes of each other.
    #[inline(always)]
    pub(crate) fn map(&self, f: impl Fn(&Vector3<T>) -> Vector3<T>) -> Self {
        Frame { n: f(&self.n), t1: f(&self.t1), t2: f(&self.t2) }
    }
}
