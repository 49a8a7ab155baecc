//! Which kept contacts a step can have left: bytes of others are rejected.
use crate::local::cone::Cone;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::error::{NORMALISED_TOLERANCE, is_within};
use crate::problem::kept::{KeptManifold, KeptPoint};
use crate::problem::kept_joint::KeptJoint;

/// Whether a step can have left this joint.
pub(crate) fn is_valid_joint<T: Real>(joint: &KeptJoint<T>) -> bool {
    let is_right = is_within(&joint.linear, T::IMPULSE_LIMIT) && is_within(&joint.angular, T::IMPULSE_LIMIT);
    is_right && joint.position.abs() <= T::POSITION_LIMIT
}

/// Whether a step can have left this manifold.
pub(crate) fn is_valid_manifold<T: Real>(manifold: &KeptManifold<T>) -> bool {
    let (limit, material) = (T::POSITION_LIMIT + T::POSITION_LIMIT, &manifold.material);
    let is_unit = |square: T| (square - T::ONE).abs() <= T::lit(2.0 * NORMALISED_TOLERANCE);
    let orientations = [&manifold.orientation_a, &manifold.orientation_b];
    manifold.a != manifold.b
        && manifold.count > 0
        && is_unit(manifold.normal.dot(&manifold.normal))
        && orientations.iter().all(|q| is_unit(q.quaternion().coords.dot(&q.quaternion().coords)))
        && is_within(&manifold.offset, limit)
        && (T::ZERO..=T::LENGTH_LIMIT + T::LENGTH_LIMIT).contains(&manifold.extent)
        && (T::ZERO..=T::FRICTION_LIMIT).contains(&material.mu)
        && (T::ZERO..=T::ONE).contains(&material.restitution)
}

/// Whether a step can have left this point under a friction coefficient.
pub(crate) fn is_valid_point<T: Real>(point: &KeptPoint<T>, mu: T) -> bool {
    let (limit, x) = (T::LENGTH_LIMIT + T::LENGTH_LIMIT, &point.impulse);
    let clamped = Cone { mu, preload: T::ZERO }.clamp(x);
    let beyond = x.minus(&clamped);
    is_within(&point.anchor_a, limit)
        && is_within(&point.anchor_b, limit)
        && (-limit..=limit).contains(&point.depth)
        && (-limit..=limit).contains(&point.depth_built)
        && x.x >= T::ZERO
        && is_within(x, T::IMPULSE_LIMIT)
        && beyond.dot(&beyond) <= T::lit(1e-6) * x.dot(x)
}
