//! Random small islands of four kinds, cold: contact problems on which sweeps converge slowly.

use nalgebra::{Matrix3, Vector3};
use stiction::{Body, Contact};

use crate::island::Island;
use crate::known_answers::{DT, GRAVITY, cube_inverse_inertia, lower_corners};
use crate::rng::Rng;

/// A kind of island.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Two to eight unit cubes on each other, masses 0.1 to 10 kg, tilted, some kicked.
    Stack,
    /// Two to six bodies with contacts between any of them and the ground.
    Graph,
    /// One body held from many sides.
    OneBody,
    /// As `Graph`, with masses from 1e-3 to 1e3 kg.
    Masses,
}

/// All of them.
pub const FAMILIES: [Family; 4] = [Family::Stack, Family::Graph, Family::OneBody, Family::Masses];

impl Family {
    /// One of them.
    pub fn island(self, rng: &mut Rng) -> Island {
        match self {
            Family::Stack => stack(rng),
            Family::Graph => graph(rng, 10.0),
            Family::OneBody => one_body(rng),
            Family::Masses => graph(rng, 1000.0),
        }
    }
}

fn stack(rng: &mut Rng) -> Island {
    let boxes = 2 + rng.below(7);
    let (mu, tilt, kick) = (rng.range(0.2, 1.0), rng.range(0.0, 0.4), if rng.chance(0.5) { 0.5 } else { 0.0 });
    let fall = Vector3::new(tilt.sin(), 0.0, -tilt.cos()) * (GRAVITY * DT);
    let mut island = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
    for i in 1..=boxes {
        let mass = rng.log_range(0.1, 10.0);
        island.bodies.push(Body {
            linear_velocity: fall + rng.direction() * kick,
            angular_velocity: rng.direction() * kick,
            ..Body::from_inverse(1.0 / mass, cube_inverse_inertia(mass))
        });
        for r_b in lower_corners() {
            island.contacts.push(Contact::new(i - 1, i, Vector3::z(), r_b + Vector3::z(), r_b, mu));
        }
    }
    island
}

fn body(rng: &mut Rng, ratio: f64) -> Body<f64> {
    let mass = rng.log_range(1.0 / ratio, ratio);
    // Slender or flat, never impossible: I_x ≤ I_y + I_z.
    let shape = Vector3::from_fn(|_, _| rng.range(0.3, 1.0));
    let inertia = Vector3::new(shape.y + shape.z, shape.x + shape.z, shape.x + shape.y) * (mass * 0.1);
    let rotation = rng.rotation();
    let inverse = rotation * Matrix3::from_diagonal(&inertia.map(|i| 1.0 / i)) * rotation.transpose();
    Body {
        linear_velocity: rng.direction() * rng.unit(),
        angular_velocity: rng.direction() * rng.unit(),
        ..Body::from_inverse(1.0 / mass, (inverse + inverse.transpose()) * 0.5)
    }
}

fn graph(rng: &mut Rng, ratio: f64) -> Island {
    let count = 2 + rng.below(5);
    let mut bodies = vec![Body::fixed()];
    bodies.extend((0..count).map(|_| body(rng, ratio)));
    let contacts = (0..count + rng.below(3 * count))
        .map(|_| {
            let b = 1 + rng.below(count);
            let a = rng.below(b);
            contact(rng, a, b)
        })
        .collect();
    Island { bodies, contacts }
}

fn one_body(rng: &mut Rng) -> Island {
    let bodies = vec![Body::fixed(), body(rng, 10.0)];
    let contacts = (0..4 + rng.below(17)).map(|_| contact(rng, 0, 1)).collect();
    Island { bodies, contacts }
}

fn contact(rng: &mut Rng, a: usize, b: usize) -> Contact<f64> {
    let arm = rng.direction() * rng.range(0.3, 1.0);
    // From A to B: roughly from the contact towards B's centre.
    let normal = (-arm.normalize() + rng.direction() * 0.5).normalize();
    Contact::new(a, b, normal, rng.direction() * rng.range(0.3, 1.0), arm, rng.range(0.1, 1.0))
}
