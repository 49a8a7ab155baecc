//! Small problems by number, all of one size: for batches of millions, on any machine, in any order.

use nalgebra::{Matrix3, Vector3};
use stiction::{Body, Contact, WarmStart};

use crate::island::Island;
use crate::rng::Rng;

/// Bodies of a small problem, the ground included.
pub const BODIES: usize = 5;
/// Contacts of a small problem.
pub const CONTACTS: usize = 8;

/// A kind of small problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallProblem {
    /// Four bodies that land on the ground, each on two points: islands of two contacts.
    Feet,
    /// Four bodies in a row from the ground, two contacts between neighbours: one island.
    Linked,
    /// Linked bodies that bounce, begin warm, stand on ice or on moving ground, and some without any friction.
    Mixed,
}

/// All of them.
pub const SMALL_PROBLEMS: [SmallProblem; 3] = [SmallProblem::Feet, SmallProblem::Linked, SmallProblem::Mixed];

impl SmallProblem {
    /// The problem with a number. Every number gives another one.
    pub fn island(self, number: u64) -> Island {
        let mut rng = Rng::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self as u64);
        let mut island = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
        for body in 1..BODIES {
            island.bodies.push(falling_body(&mut rng));
            let below = if self == SmallProblem::Feet { 0 } else { body - 1 };
            for side in [-1.0, 1.0] {
                island.contacts.push(support(&mut rng, below, body, side));
            }
        }
        if self == SmallProblem::Mixed {
            mix(&mut rng, &mut island);
        }
        island
    }
}

fn falling_body(rng: &mut Rng) -> Body<f64> {
    let mass = rng.log_range(0.1, 10.0);
    let inertia = Matrix3::from_diagonal(&Vector3::from_fn(|_, _| mass * rng.range(0.01, 0.03)));
    let turn = rng.rotation();
    Body {
        linear_velocity: Vector3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 0.1)),
        angular_velocity: rng.direction() * rng.range(0.0, 3.0),
        ..Body::from_mass(mass, turn * inertia * turn.transpose())
    }
}

fn support(rng: &mut Rng, below: usize, body: usize, side: f64) -> Contact<f64> {
    let normal = (Vector3::z() + rng.direction() * 0.2).normalize();
    let foot = Vector3::new(0.1 * side, rng.range(-0.05, 0.05), -0.1);
    let on_below = if below == 0 { Vector3::zeros() } else { foot + Vector3::z() * 0.2 };
    Contact { depth: rng.range(-1e-3, 1e-3), ..Contact::new(below, body, normal, on_below, foot, rng.range(0.1, 1.0)) }
}

fn mix(rng: &mut Rng, island: &mut Island) {
    if rng.chance(0.25) {
        island.bodies[0].linear_velocity = rng.direction() * 0.5;
    }
    let is_smooth = rng.chance(0.25);
    for contact in &mut island.contacts {
        if rng.chance(0.3) {
            contact.restitution = rng.range(0.1, 0.9);
        }
        if is_smooth {
            contact.mu = 0.0;
        } else if rng.chance(0.3) {
            contact.mu = rng.log_range(1e-4, 1e-2);
        }
        if rng.chance(0.5) {
            let along = contact.normal.cross(&rng.direction());
            let normal_impulse = rng.range(0.0, 0.3);
            let tangent_impulse = along * (contact.mu * normal_impulse);
            contact.warm = WarmStart { normal_impulse, tangent_impulse };
        }
        if rng.chance(0.1) {
            contact.pre_impact_normal_velocity = Some(rng.range(-2.0, 0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_of_one_size() {
        for kind in SMALL_PROBLEMS {
            for number in 0..1000 {
                let island = kind.island(number);
                assert_eq!((island.bodies.len(), island.contacts.len()), (BODIES, CONTACTS));
                island.columns::<f32, BODIES, CONTACTS>();
                assert_ne!(kind.island(number + 1), island);
            }
        }
    }
}
