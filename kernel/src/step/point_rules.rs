//! What a detector's point must be.
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::ContactRows;
use crate::problem::error::{ErrorKind, InputError, is_within};
use crate::problem::material::Material;
use crate::step::anchors::Pair;
use crate::step::manifold::{Manifold, ManifoldPoint};
use crate::step::world::{StateRef, World};

/// The state of a contact's body.
pub(crate) fn state_of<'a, T: Real, const NB: usize, R: ContactRows>(
    world: &'a World<T, NB, R>,
    index: usize,
    (contact, field): (usize, &'static str),
) -> Result<StateRef<'a, T>, InputError<T>> {
    let missing = ErrorKind::NoSuchBody { index, bodies: world.len() };
    world.state(index).ok_or(InputError::contact(contact, field, missing))
}

/// Whether a point's own numbers are within their ranges.
pub(crate) fn is_valid_point<T: Real>(point: &ManifoldPoint<T>, pair: &Pair<'_, T>) -> bool {
    let limit = T::LENGTH_LIMIT;
    is_within(&point.on_a.minus(pair.a.position), limit)
        && is_within(&point.on_b.minus(pair.b.position), limit)
        && point.depth.abs() <= limit
}

/// A point as a contact, for its validation.
pub(crate) fn contact_at<T: Real>(
    manifold: &Manifold<T>,
    point: &ManifoldPoint<T>,
    pair: &Pair<'_, T>,
    material: &Material<T>,
) -> Contact<T> {
    Contact {
        a: manifold.a,
        b: manifold.b,
        normal: manifold.normal,
        r_a: point.on_a.minus(pair.a.position),
        r_b: point.on_b.minus(pair.b.position),
        mu: material.mu,
        restitution: material.restitution,
        depth: point.depth,
        pre_impact_normal_velocity: None,
        warm: WarmStart::cold(),
    }
}
