//! Islands with moments are not swept in lanes: lent memory changes no bit. Plain ones are, whatever rows there may be.

use nalgebra::{Matrix3, Vector3};
use stiction::{
    Bodies, Body, Contact, ContactRows, Contacts, Hooks, Settings, SixRows, Solver, Surface, ThreeRows, Tread,
};
use stiction_lanes::Lanes;

const BALLS: usize = 40;

/// Velocities of balls that roll and spin on the ground, all solved together.
fn balls<R: ContactRows>(
    add: impl Fn(&mut Contacts<f32, 512, R>, Contact<f32>),
    lanes: Option<&mut Lanes<f32, 512, 512, 171>>,
) -> Vec<[u32; 6]> {
    let mut bodies = Box::new(Bodies::<f32, 512>::new());
    let mut contacts = Box::new(Contacts::<f32, 512, R>::empty());
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
        add(&mut contacts, contact);
    }
    let mut solver = Box::new(Solver::<f32, 512, 512, R>::empty());
    let hooks = lanes.map_or_else(Hooks::default, |lanes| Hooks::with_lanes(lanes));
    let settings = Settings { sweeps: 20, tolerance: 0.0, ..Settings::default() };
    solver.solve_with(&mut bodies, &contacts, &settings, 0.01, hooks).unwrap();
    let bits = |v: &Vector3<f32>, w: &Vector3<f32>| [v.x, v.y, v.z, w.x, w.y, w.z].map(f32::to_bits);
    bodies.linear_velocities().iter().zip(bodies.angular_velocities()).map(|(v, w)| bits(v, w)).collect()
}

#[test]
fn lent_lanes_change_no_bit_of_contacts_with_moments() {
    let mut lanes = Box::new(Lanes::<f32, 512, 512, 171>::new());
    let tread = Tread { direction: Vector3::x(), mu_across: 0.1 };
    let surfaces = [
        Surface { torsion: 0.01, rolling: 0.01, ..Surface::default() },
        Surface { tread: Some(tread), ..Surface::default() },
    ];
    for surface in surfaces {
        let add = |contacts: &mut Contacts<f32, 512, SixRows>, contact| {
            contacts.push_on(contact, surface).unwrap();
        };
        let with = balls(add, Some(&mut lanes));
        assert_eq!(with, balls(add, None));
        assert_eq!(lanes.in_lanes().0, 0);
    }
}

#[test]
fn plain_islands_are_swept_in_lanes_with_six_rows_as_with_three() {
    fn add<R: ContactRows>(contacts: &mut Contacts<f32, 512, R>, contact: Contact<f32>) {
        contacts.push(contact).unwrap();
    }
    let mut lanes = Box::new(Lanes::<f32, 512, 512, 171>::new());
    let with = balls::<SixRows>(add, Some(&mut lanes));
    assert!(lanes.in_lanes().0 > 0);
    assert_eq!(with, balls::<SixRows>(add, None));
    assert_eq!(with, balls::<ThreeRows>(add, None));
}
