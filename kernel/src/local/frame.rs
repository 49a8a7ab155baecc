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
use crate::problem::contact_rules::{flaw_of_unit, normalised};
use crate::problem::error::{ErrorKind, NORMALISED_TOLERANCE};

/// A right-handed orthonormal frame: `n × t1 = t2`.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::Frame;
/// // How fast a wheel's contact point approaches a wall, and how fast it slides along it.
/// let wall = Frame::from_normal(&Vector3::new(0.6, 0.8, 0.0_f64))?;
/// let velocity = Vector3::new(-1.0, 0.5, 2.0);
/// let along = wall.components(&velocity);
/// assert!((along.x + 0.2).abs() < 1e-12); // m/s along the normal: approaching
/// assert!((along.norm() - velocity.norm()).abs() < 1e-12);
/// assert!((wall.to_world(&along) - velocity).norm() < 1e-12); // and back
/// # Ok::<(), stiction::ErrorKind<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<T> {
    pub(crate) n: Vector3<T>,
    pub(crate) t1: Vector3<T>,
    pub(crate) t2: Vector3<T>,
}

impl<T: Real> Frame<T> {
    /// The frame of vectors that are already given along `n, t1, t2`.
    #[inline(never)]
    pub(crate) fn own() -> Self {
        Frame { n: Vector3::x(), t1: Vector3::y(), t2: Vector3::z() }
    }

    /// The frame on a normal of unit length within 1e-3, which is normalised.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use stiction::{ErrorKind, Frame};
    /// let frame = Frame::from_normal(&Vector3::new(0.0_f64, 0.0, 1.0)).unwrap();
    /// assert_eq!(frame.t1(), Vector3::x());
    /// assert_eq!(frame.n().cross(&frame.t1()), frame.t2());
    /// let long = Frame::from_normal(&Vector3::new(0.0, 0.0, 5.0));
    /// assert_eq!(long, Err(ErrorKind::NotUnit { length: 5.0 }));
    /// ```
    pub fn from_normal(normal: &Vector3<T>) -> Result<Self, ErrorKind<T>> {
        flaw_of_unit(normal).map_or_else(|| Ok(Self::on(&normalised(normal))), Err)
    }

    /// A frame of given vectors: unit normal and tangents at right angles, right-handed, each within 1e-3.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use stiction::{ErrorKind, Frame};
    /// let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    /// assert_eq!(Frame::<f64>::new(&z, &x, &y), Frame::from_normal(&z));
    /// assert_eq!(Frame::<f64>::new(&z, &y, &x), Err(ErrorKind::NotOrthonormal)); // left-handed
    /// assert_eq!(Frame::<f64>::new(&z, &(x * 2.0), &y), Err(ErrorKind::NotUnit { length: 2.0 }));
    /// ```
    pub fn new(n: &Vector3<T>, t1: &Vector3<T>, t2: &Vector3<T>) -> Result<Self, ErrorKind<T>> {
        if let Some(flaw) = flaw_of_unit(n).or(flaw_of_unit(t1)).or(flaw_of_unit(t2)) {
            return Err(flaw);
        }
        let (n, t1) = (normalised(n), normalised(t1));
        let third = n.cross(&t1);
        let (along, apart) = (n.dot(&t1).abs(), third.minus(&normalised(t2)));
        let limit = T::lit(NORMALISED_TOLERANCE);
        if !(along <= limit && apart.dot(&apart) <= limit * limit) {
            return Err(ErrorKind::NotOrthonormal);
        }
        // Exactly at right angles: the first tangent without its part along the normal.
        let t1 = normalised(&t1.minus(&n.scaled(n.dot(&t1))));
        Ok(Frame { n, t1, t2: n.cross(&t1) })
    }

    /// Unit normal, from body A to body B.
    pub fn n(&self) -> Vector3<T> {
        self.n
    }

    /// First tangent.
    pub fn t1(&self) -> Vector3<T> {
        self.t1
    }

    /// Second tangent.
    pub fn t2(&self) -> Vector3<T> {
        self.t2
    }

    /// The frame on a normal of unit length within 1e-6, as stored contacts have it: one Newton step squares that
    /// error.
    pub(crate) fn on(normal: &Vector3<T>) -> Self {
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
    /// Where the direction has no tangential part, it is the frame of [`Frame::from_normal`].
    pub fn opposing(normal: &Vector3<T>, sliding: &Vector3<T>) -> Result<Self, ErrorKind<T>> {
        Self::from_normal(normal).map(|base| base.turned(sliding))
    }

    /// The same frame, turned about its normal so that the first tangent opposes a direction of sliding.
    pub(crate) fn turned(self, sliding: &Vector3<T>) -> Self {
        let base = self;
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

    /// The frame whose components are those along these directions, which are at right angles to each other but may have
    /// any length: each divided by its square.
    pub(crate) fn dual(&self) -> Self {
        self.map(|d| {
            let square = d.dot(d);
            if square > T::ZERO { d.divided(square) } else { Vector3::zeros() }
        })
    }

    /// The three directions after the same linear map: `r × d` for an arm, `I⁻¹ d` for an inverse inertia.
    ///
    /// The result is no longer orthonormal, but `components` and `to_world` remain transposes of each other.
    #[inline(always)]
    pub(crate) fn map(&self, f: impl Fn(&Vector3<T>) -> Vector3<T>) -> Self {
        Frame { n: f(&self.n), t1: f(&self.t1), t2: f(&self.t2) }
    }
}
