//! A toy: frictionless contacts by projected Gauss–Seidel, tested with `stiction-testkit`.

use nalgebra::Vector3;
use stiction::{Body, Contact};

/// Linear and angular velocity of each body after some sweeps.
pub fn toy(bodies: &[Body<f64>], contacts: &[Contact<f64>], sweeps: usize) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let mut v: Vec<_> = bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
    let mut impulses = vec![0.0_f64; contacts.len()];
    for (k, c) in (0..sweeps).flat_map(|_| contacts.iter().enumerate()) {
        let sides = [(c.a, -c.normal, c.r_a), (c.b, c.normal, c.r_b)];
        let (mut speed, mut softness) = (0.0, 0.0);
        for (i, n, r) in sides {
            speed += n.dot(&(v[i].0 + v[i].1.cross(&r)));
            softness += bodies[i].inverse_mass + r.cross(&n).dot(&(bodies[i].inverse_inertia_world * r.cross(&n)));
        }
        let impulse = (impulses[k] - speed / softness).max(0.0) - impulses[k];
        impulses[k] += impulse;
        for (i, n, r) in sides {
            v[i].0 += n * (impulse * bodies[i].inverse_mass);
            v[i].1 += bodies[i].inverse_inertia_world * r.cross(&n) * impulse;
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stiction_testkit::island::kinetic_energy;
    use stiction_testkit::strategies::{Shape, check, island};

    use super::toy;

    const SMOOTH: Shape =
        Shape { bodies: 4, contacts: 8, mass_ratio: 100.0, mu: 0.0, bounce: false, warm: 0.0, ground: true, gap: 0.0 };

    #[test]
    fn the_toy_never_adds_energy() {
        check(500, (island(SMOOTH), 0..20usize), |(island, sweeps)| {
            let energy = |v: &[_]| kinetic_energy(&island.bodies, v);
            let (before, after) = (toy(&island.bodies, &[], 0), toy(&island.bodies, &island.contacts, sweeps));
            prop_assert!(energy(&after) <= energy(&before) * (1.0 + 1e-12));
            Ok(())
        });
    }

    #[test]
    fn the_toy_solves_one_contact_as_the_kernel_does() {
        check(500, island(Shape { contacts: 1, ..SMOOTH }), |island| {
            let exact = island.solve::<f64>(&Default::default()).expect("strategies draw admissible problems");
            for (a, b) in toy(&island.bodies, &island.contacts, 1).iter().zip(&exact.velocities) {
                prop_assert!((a.0 - b.0).norm().max((a.1 - b.1).norm()) < 1e-9);
            }
            Ok(())
        });
    }
}
