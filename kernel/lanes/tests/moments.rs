//! Contacts with moments are not swept in lanes: lent memory changes no bit.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, Hooks, Settings, SixRows, Solver, Surface};
use stiction_lanes::Lanes;

const BALLS: usize = 40;

/// Velocities of balls that roll and spin on the ground, all in one island.
fn rolling_balls(lanes: Option<&mut Lanes<f32, 64, 128, 43>>) -> Vec<[u32; 6]> {
    let mut bodies = Box::new(Bodies::<f32, 64>::new());
    let mut contacts = Box::new(Contacts::<f32, 128, SixRows>::empty());
    bodies.push(Body::fixed()).unwrap();
    for ball in 1..=BALLS {
        let speed = 0.1 * ball as f32;
        let body = Body {
            linear_velocity: Vector3::new(speed, -speed, -1.0),
            angular_velocity: Vector3::new(speed, 2.0, 3.0),
            ..Body::from_mass(1.0, Matrix3::identity() * 0.004)
        };
        bodies.push(body).unwrap();
        let contact = Contact { b: ball, r_b: Vector3::new(0.0, 0.0, -0.1), mu: 0.5, ..Contact::default() };
        contacts.push_on(contact, Surface { torsion: 0.01, rolling: 0.01, ..Surface::default() }).unwrap();
    }
    let mut solver = Box::new(Solver::<f32, 64, 128, SixRows>::empty());
    let hooks = lanes.map_or_else(Hooks::default, |lanes| Hooks::with_lanes(lanes));
    let settings = Settings { sweeps: 20, tolerance: 0.0, ..Settings::default() };
    solver.solve_with(&mut bodies, &contacts, &settings, 0.01, hooks).unwrap();
    let bits = |v: &Vector3<f32>, w: &Vector3<f32>| [v.x, v.y, v.z, w.x, w.y, w.z].map(f32::to_bits);
    bodies.linear_velocities().iter().zip(bodies.angular_velocities()).map(|(v, w)| bits(v, w)).collect()
}

#[test]
fn lent_lanes_change_no_bit_of_contacts_with_moments() {
    let mut lanes = Box::new(Lanes::<f32, 64, 128, 43>::new());
    let with = rolling_balls(Some(&mut lanes));
    assert_eq!(with, rolling_balls(None));
    assert_eq!(lanes.in_lanes().0, 0);
}
