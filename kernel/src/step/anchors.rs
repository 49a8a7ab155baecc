//! Points that are fixed in their bodies, and where they are now.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::quaternion::{matrix, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, times};
use crate::problem::kept::KeptPoint;
use crate::step::world::StateRef;

/// The two bodies of a manifold.
pub(crate) struct Pair<'a, T: Real> {
    pub a: StateRef<'a, T>,
    pub b: StateRef<'a, T>,
}

/// Where anchors are now: what depths follow from.
pub(crate) struct Axes<T> {
    a: Matrix3<T>,
    b: Matrix3<T>,
    between: Vector3<T>,
}

impl<T: Real> Axes<T> {
    pub(crate) fn of(pair: &Pair<'_, T>) -> Self {
        let (a, b) = (matrix(pair.a.orientation), matrix(pair.b.orientation));
        Axes { a, b, between: pair.a.position.minus(pair.b.position) }
    }

    /// Depth of a point along a normal.
    pub(crate) fn depth(&self, point: &KeptPoint<T>, normal: &Vector3<T>) -> T {
        let apart = self.between.plus(&times(&self.a, &point.anchor_a)).minus(&times(&self.b, &point.anchor_b));
        normal.dot(&apart)
    }
}

/// Anchors of a point between two bodies, such that their distance along the normal is the depth.
pub(crate) fn anchors<T: Real>(
    on_a: &Vector3<T>,
    on_b: &Vector3<T>,
    depth: T,
    normal: &Vector3<T>,
    pair: &Pair<'_, T>,
) -> (Vector3<T>, Vector3<T>) {
    let shift = normal.dot(&on_a.minus(on_b)) - depth;
    let on_b = on_b.plus(&normal.scaled(shift));
    (
        to_own_axes(&matrix(pair.a.orientation), &on_a.minus(pair.a.position)),
        to_own_axes(&matrix(pair.b.orientation), &on_b.minus(pair.b.position)),
    )
}

/// Rotation vector from one orientation to another, to first order in the angle, rad.
pub(crate) fn rotation_since<T: Real>(before: &UnitQuaternion<T>, now: &UnitQuaternion<T>) -> Vector3<T> {
    let (p, q) = (before.quaternion().coords, now.quaternion().coords);
    if p == q {
        return Vector3::zeros();
    }
    // The vector part of now · conjugate of before; x, y, z, w in this order.
    let vector = |p: &nalgebra::Vector4<T>| Vector3::new(p.x, p.y, p.z);
    let (u, v) = (vector(&p), vector(&q));
    let part = v.scaled(p.w).minus(&u.scaled(q.w)).minus(&v.cross(&u));
    let same_side = p.dot(&q) >= T::ZERO;
    part.scaled(if same_side { T::lit(2.0) } else { T::lit(-2.0) })
}
