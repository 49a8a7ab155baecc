//! Random contacts with all kinds of numbers.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, MethodChoice, Real, Settings, SweepOrder};
use stiction_testkit::rng::Rng;

/// Largest number of bodies.
pub const NB: usize = 96;
/// Largest number of contacts.
pub const NC: usize = 1024;

/// A vector in the scalar of a test.
pub fn vector<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::lit)
}

/// An inertia of any shape: of a solid, of a rod, of a point.
pub fn inverse_inertia(rng: &mut Rng, inverse_mass: f64) -> Matrix3<f64> {
    let (rotation, size) = (rng.rotation(), rng.log_range(1e-2, 1e2));
    let by = |rng: &mut Rng| if rng.chance(0.1) { 0.0 } else { inverse_mass / size * rng.log_range(0.1, 10.0) };
    let diagonal = Vector3::new(by(rng), by(rng), by(rng));
    let inertia = rotation * Matrix3::from_diagonal(&diagonal) * rotation.transpose();
    (inertia + inertia.transpose()) * 0.5
}

fn body<T: Real>(rng: &mut Rng) -> Body<T> {
    let speed = [0.0, 1e-3, 1.0, 1e4][rng.below(4)];
    let (linear, angular) = (rng.direction() * speed, rng.direction() * speed * rng.unit());
    let inverse_mass = if rng.chance(0.15) { 0.0 } else { rng.log_range(1e-3, 1e3) };
    let inertia = if inverse_mass > 0.0 { inverse_inertia(rng, inverse_mass) } else { Matrix3::zeros() };
    Body {
        linear_velocity: vector(&linear),
        angular_velocity: vector(&angular),
        ..Body::from_inverse(T::lit(inverse_mass), inertia.map(T::lit))
    }
}

fn contact<T: Real>(rng: &mut Rng, a: usize, b: usize) -> Contact<T> {
    let arm = [0.0, 1e-6, 1.0, 10.0][rng.below(4)];
    let (r_a, r_b) = (rng.direction() * arm, rng.direction() * arm * rng.unit());
    let mu = [0.0, 1e-7, 0.3, 0.8, 5.0, 1e6][rng.below(6)];
    let mut contact = Contact::new(a, b, vector(&rng.direction()), vector(&r_a), vector(&r_b), T::lit(mu));
    if rng.chance(0.3) {
        contact.restitution = T::lit(rng.unit());
    }
    if rng.chance(0.3) {
        contact.depth = T::lit(rng.range(-0.01, 0.05));
    }
    if rng.chance(0.5) {
        let normal = rng.log_range(1e-3, 1e2);
        contact.warm.normal_impulse = T::lit(normal);
        contact.warm.tangent_impulse = vector(&(rng.direction() * normal * mu.min(1.0)));
    }
    contact
}

/// Bodies and contacts with all kinds of numbers.
pub fn problem<T: Real>(rng: &mut Rng) -> (Bodies<T, NB>, Contacts<T, NC>) {
    let (mut bodies, mut contacts) = (Bodies::new(), Contacts::new());
    let count = 8 + rng.below(NB - 8);
    for _ in 0..count {
        while bodies.push(body(rng)).is_err() {}
    }
    for _ in 0..24 + rng.below(NC - 24) {
        let (a, b) = (rng.below(count), rng.below(count));
        let _ = contacts.push(contact(rng, a, b));
    }
    (bodies, contacts)
}

/// Settings for a few sweeps.
pub fn settings<T: Real>(rng: &mut Rng) -> Settings<T> {
    Settings {
        sweeps: 1 + rng.below(8) as u32,
        tolerance: if rng.chance(0.5) { T::ZERO } else { T::DEFAULT_TOLERANCE },
        method: MethodChoice::Sweeps,
        order: if rng.chance(0.5) { SweepOrder::Alternating } else { SweepOrder::Forward },
        ..Settings::default()
    }
}
