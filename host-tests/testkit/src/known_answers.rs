//! Small problems with known answers, one definition each.

use nalgebra::{Matrix3, Rotation3, Vector3};
use stiction::{Body, Contact};

pub use crate::island::DT;
use crate::island::Island;

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// Inverse inertia of a solid cube of unit side.
pub fn cube_inverse_inertia(mass: f64) -> Matrix3<f64> {
    Matrix3::identity() * (6.0 / mass)
}

/// Inverse inertia of a solid sphere.
pub fn sphere_inverse_inertia(mass: f64, radius: f64) -> Matrix3<f64> {
    Matrix3::identity() * (2.5 / (mass * radius * radius))
}

/// The four lower corners of a unit cube, from its centre.
pub fn lower_corners() -> [Vector3<f64>; 4] {
    [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)].map(|(x, y)| Vector3::new(x, y, -0.5))
}

/// A unit cube of a mass on level ground, on its four corners, with the given velocity and no spin.
pub fn cube_on_ground(mass: f64, linear: Vector3<f64>, mu: f64, restitution: f64) -> Island {
    let cube = Body { linear_velocity: linear, ..Body::from_inverse(1.0 / mass, cube_inverse_inertia(mass)) };
    let corner = |r_b| Contact { restitution, ..Contact::new(0, 1, Vector3::z(), r_b, r_b, mu) };
    Island { bodies: vec![Body::fixed(), cube], contacts: lower_corners().map(corner).to_vec() }
}

/// A cube of 1 kg that slides at `speed` in direction `angle` (radians from x) and has just felt gravity for a step.
pub fn sliding_cube(speed: f64, angle: f64, mu: f64) -> Island {
    let v = Vector3::new(speed * angle.cos(), speed * angle.sin(), -GRAVITY * DT);
    cube_on_ground(1.0, v, mu, 0.0)
}

/// A solid sphere of 1 kg and unit radius that hits level ground without spin.
pub fn thrown_sphere(forward: f64, down: f64, mu: f64, restitution: f64) -> Island {
    let linear = Vector3::new(forward, 0.0, -down);
    let sphere = Body { linear_velocity: linear, ..Body::from_inverse(1.0, sphere_inverse_inertia(1.0, 1.0)) };
    let contact =
        Contact { restitution, ..Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0), mu) };
    Island { bodies: vec![Body::fixed(), sphere], contacts: vec![contact] }
}

/// A cube of 2 kg on a ramp of the given angle, sliding down it at `speed`, after gravity acted for a step.
pub fn cube_on_ramp(angle: f64, speed: f64, mu: f64) -> Island {
    let tilt = Rotation3::from_axis_angle(&Vector3::y_axis(), angle);
    let downhill = tilt * Vector3::x();
    let mut island = cube_on_ground(2.0, Vector3::zeros(), mu, 0.0).rotated(tilt.matrix());
    island.bodies[1].linear_velocity = downhill * speed + Vector3::new(0.0, 0.0, -GRAVITY * DT);
    island
}

/// A stack of unit cubes of 1 kg, the top one of `top_mass`, the lowest on the ground, after gravity acted for a step.
pub fn stack(boxes: usize, top_mass: f64, mu: f64) -> Island {
    let mut island = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
    for i in 1..=boxes {
        let mass = if i == boxes { top_mass } else { 1.0 };
        let linear = Vector3::new(0.0, 0.0, -GRAVITY * DT);
        island
            .bodies
            .push(Body { linear_velocity: linear, ..Body::from_inverse(1.0 / mass, cube_inverse_inertia(mass)) });
        for r_b in lower_corners() {
            let r_a = r_b + Vector3::new(0.0, 0.0, 1.0);
            island.contacts.push(Contact::new(i - 1, i, Vector3::z(), r_a, r_b, mu));
        }
    }
    island
}

/// Two spheres of unit radius that meet head on along x.
pub fn head_on(masses: [f64; 2], speeds: [f64; 2], restitution: f64, mu: f64) -> Island {
    let body = |i: usize| Body {
        linear_velocity: Vector3::new(speeds[i], 0.0, 0.0),
        ..Body::from_inverse(1.0 / masses[i], sphere_inverse_inertia(masses[i], 1.0))
    };
    let contact = Contact { restitution, ..Contact::new(0, 1, Vector3::x(), Vector3::x(), -Vector3::x(), mu) };
    Island { bodies: vec![body(0), body(1)], contacts: vec![contact] }
}
