//! Contact manifolds of one pair of shapes: of any two that parry knows, or of the few that a page in a browser shows.
//!
//! [`any`] links every algorithm that parry has, 360 kB of WebAssembly. [`simple`] uses the same algorithms for boxes,
//! balls and half-spaces only, a tenth of that. Where both have an answer it is the same to the bit.

use parry3d_f64::math::Pose;
use parry3d_f64::query::details::{
    contact_manifold_ball_ball, contact_manifold_convex_ball, contact_manifold_cuboid_cuboid,
    contact_manifold_halfspace_pfm,
};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

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

/// Of boxes, balls and half-spaces; none of other shapes.
pub fn simple(between: &Pose, a: &Form, b: &Form, margin: f64) -> Vec<ContactManifold<(), ()>> {
    let mut manifold = ContactManifold::new();
    let out = &mut manifold;
    let back = || between.inverse();
    match (a, b) {
        (Form::Ball(a), Form::Ball(b)) => contact_manifold_ball_ball(between, a, b, margin, out),
        (Form::Box(a), Form::Box(b)) => contact_manifold_cuboid_cuboid(between, a, b, margin, out),
        (Form::Box(a), Form::Ball(b)) => contact_manifold_convex_ball(between, a, b, None, None, margin, out, false),
        (Form::Ball(a), Form::Box(b)) => contact_manifold_convex_ball(&back(), b, a, None, None, margin, out, true),
        (Form::HalfSpace(a), Form::Ball(b)) => {
            contact_manifold_convex_ball(between, a, b, None, None, margin, out, false);
        }
        (Form::Ball(a), Form::HalfSpace(b)) => {
            contact_manifold_convex_ball(&back(), b, a, None, None, margin, out, true);
        }
        (Form::HalfSpace(a), Form::Box(b)) => contact_manifold_halfspace_pfm(between, a, b, 0.0, margin, out, false),
        (Form::Box(a), Form::HalfSpace(b)) => contact_manifold_halfspace_pfm(&back(), b, a, 0.0, margin, out, true),
        _ => return Vec::new(),
    }
    vec![manifold]
}
