//! From what a collision detector knows to contacts: up to four points between two bodies.
//!
//! ```text
//! e = √(e_a e_b),   μ = √(μ_a μ_b),   u_n⁻ = ((v_b + ω_b×r_b) − (v_a + ω_a×r_a))·n
//! ```
//!
//! Restitution is dropped at once where the approach is not faster than the rest threshold, so that a resting contact
//! carries no trace of it.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::body::Body;
use crate::contact::{Contact, WarmStart};
use crate::real::Real;

/// Points of one manifold.
pub const MAX_POINTS: usize = 4;

/// What a surface is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material<T> {
    /// Friction coefficient of the surface.
    pub mu: T,
    /// Restitution of the surface, 0 to 1.
    pub restitution: T,
}

impl<T: Real> Material<T> {
    /// The pair's material: geometric means.
    pub fn combined(&self, other: &Self) -> Self {
        Material { mu: (self.mu * other.mu).root(), restitution: (self.restitution * other.restitution).root() }
    }
}

/// One point of a manifold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPoint<T> {
    /// The point on A's surface, world coordinates in m.
    pub on_a: Vector3<T>,
    /// The point on B's surface, world coordinates in m.
    pub on_b: Vector3<T>,
    /// Penetration depth, m.
    pub depth: T,
}

/// A side of a manifold: which body, where and how it moves.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a, T> {
    /// Index of the body.
    pub index: usize,
    /// The body.
    pub body: &'a Body<T>,
    /// Its centre of mass in world coordinates, m.
    pub center: Vector3<T>,
    /// Its surface.
    pub material: Material<T>,
}

/// Velocity of B's contact point less that of A's, along the normal, m/s.
pub fn relative_normal_velocity<T: Real>(
    a: &Body<T>,
    b: &Body<T>,
    r_a: &Vector3<T>,
    r_b: &Vector3<T>,
    normal: &Vector3<T>,
) -> T {
    (b.linear + b.angular.cross(r_b) - a.linear - a.angular.cross(r_a)).dot(normal)
}

/// Contacts of a manifold with unit normal `normal` from A to B. Points beyond the fourth are not taken.
pub fn contacts_of<T: Real>(
    a: &Side<'_, T>,
    b: &Side<'_, T>,
    normal: &Vector3<T>,
    points: &[ManifoldPoint<T>],
    rest_threshold: T,
) -> ArrayVec<Contact<T>, MAX_POINTS> {
    let material = a.material.combined(&b.material);
    let mut contacts = ArrayVec::new();
    for point in points.iter().take(MAX_POINTS) {
        let (r_a, r_b) = (point.on_a - a.center, point.on_b - b.center);
        let before = relative_normal_velocity(a.body, b.body, &r_a, &r_b, normal);
        let bounces = before < -rest_threshold;
        let _ = contacts.try_push(Contact {
            a: a.index,
            b: b.index,
            normal: *normal,
            r_a,
            r_b,
            mu: material.mu,
            restitution: if bounces { material.restitution } else { T::ZERO },
            depth: point.depth,
            pre_impact_normal_velocity: Some(before),
            warm: WarmStart::cold(),
        });
    }
    contacts
}
