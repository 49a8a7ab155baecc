//! Contact manifolds of one pair of shapes: of any two that parry knows, or of the few that a page in a browser shows.
//!
//! [`any`] links every algorithm that parry has, 360 kB of WebAssembly. [`simple`] uses the same algorithms for boxes,
//! balls, capsules and half-spaces only. Where both have an answer it is the same to the bit.

use parry3d_f64::math::Pose;
use parry3d_f64::query::details::{
    contact_manifold_ball_ball, contact_manifold_capsule_capsule, contact_manifold_convex_ball,
    contact_manifold_cuboid_cuboid, contact_manifold_halfspace_pfm, contact_manifold_pfm_pfm,
};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{Ball, HalfSpace, PolygonalFeatureMap};

use crate::solid::Form;

/// Manifolds of two shapes, the second at a pose in the axes of the first, with points at most a margin (m) apart.
pub type Manifolds = fn(&Pose, &Form, &Form, f64) -> Vec<ContactManifold<(), ()>>;

/// Of any two convex shapes, or of one and a half-space.
pub fn any(between: &Pose, a: &Form, b: &Form, margin: f64) -> Vec<ContactManifold<(), ()>> {
    let mut manifolds = Vec::new();
    let (a, b) = (a.shape(), b.shape());
    let supported = DefaultQueryDispatcher.contact_manifolds(between, a, b, margin, &mut manifolds, &mut None);
    debug_assert!(supported.is_ok());
    manifolds
}

/// Of boxes, balls, capsules and half-spaces; none of other shapes.
pub fn simple(between: &Pose, a: &Form, b: &Form, margin: f64) -> Vec<ContactManifold<(), ()>> {
    let mut manifold = ContactManifold::new();
    let out = &mut manifold;
    let back = || between.inverse();
    let is_known = match (a, b) {
        (Form::Ball(a), Form::Ball(b)) => {
            contact_manifold_ball_ball(between, a, b, margin, out);
            true
        }
        (Form::Box(a), Form::Box(b)) => {
            contact_manifold_cuboid_cuboid(between, a, b, margin, out);
            true
        }
        (Form::Capsule(a), Form::Capsule(b)) => {
            contact_manifold_capsule_capsule(between, a, b, margin, out);
            true
        }
        (other, Form::Ball(ball)) => with_ball(between, other, ball, margin, out, false),
        (Form::Ball(ball), other) => with_ball(&back(), other, ball, margin, out, true),
        (Form::HalfSpace(plane), other) => on_plane(between, plane, other, margin, out, false),
        (other, Form::HalfSpace(plane)) => on_plane(&back(), plane, other, margin, out, true),
        _ => of_features(between, a, b, margin, out),
    };
    if is_known { vec![manifold] } else { Vec::new() }
}

type Out<'a> = &'a mut ContactManifold<(), ()>;

fn with_ball(between: &Pose, other: &Form, ball: &Ball, margin: f64, out: Out<'_>, flipped: bool) -> bool {
    match other {
        Form::HalfSpace(a) => contact_manifold_convex_ball(between, a, ball, None, None, margin, out, flipped),
        Form::Box(a) => contact_manifold_convex_ball(between, a, ball, None, None, margin, out, flipped),
        Form::Capsule(a) => contact_manifold_convex_ball(between, a, ball, None, None, margin, out, flipped),
        Form::Ball(_) | Form::Other(_) => return false,
    }
    true
}

fn on_plane(between: &Pose, plane: &HalfSpace, other: &Form, margin: f64, out: Out<'_>, flipped: bool) -> bool {
    let Some((features, radius)) = features(other) else { return false };
    contact_manifold_halfspace_pfm(between, plane, features, radius, margin, out, flipped);
    true
}

fn of_features(between: &Pose, a: &Form, b: &Form, margin: f64, out: Out<'_>) -> bool {
    let (Some((a, radius_a)), Some((b, radius_b))) = (features(a), features(b)) else { return false };
    contact_manifold_pfm_pfm(between, a, radius_a, None, b, radius_b, None, margin, out);
    true
}

/// The corners, edges and faces of a shape, and the radius around them, m.
fn features(form: &Form) -> Option<(&dyn PolygonalFeatureMap, f64)> {
    match form {
        Form::Box(cuboid) => Some((cuboid, 0.0)),
        Form::Capsule(capsule) => Some((&capsule.segment, capsule.radius)),
        _ => None,
    }
}
