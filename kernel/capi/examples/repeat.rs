//! The same as `checks/repeat.c` with the Rust interface, to measure the cost of a call from C and to compare the bits.

use std::hint::black_box;

use nalgebra::{Matrix3, Vector3};
use stiction::nalgebra;
use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver, WarmStart};

#[derive(Clone, Copy, Default)]
struct OwnBody {
    inverse_mass: f32,
    inverse_inertia: [f32; 9],
    velocity: [f32; 3],
    spin: [f32; 3],
}

#[derive(Clone, Copy, Default)]
struct OwnContact {
    a: u32,
    b: u32,
    normal: [f32; 3],
    r_a: [f32; 3],
    r_b: [f32; 3],
    mu: f32,
    impulse: f32,
    friction: [f32; 3],
}

fn set_up(bodies: &mut [OwnBody; 3], contacts: &mut [OwnContact; 8]) {
    *bodies = [OwnBody::default(); 3];
    for body in &mut bodies[1..] {
        body.inverse_mass = 1.0;
        for axis in [0, 4, 8] {
            body.inverse_inertia[axis] = 6.0;
        }
        body.velocity = [0.01, 0.0, -9.81 / 60.0];
    }
    for (i, contact) in contacts.iter_mut().enumerate() {
        let upper = i as u32 / 4 + 1;
        let side = |bit: usize| if i & bit != 0 { 0.5 } else { -0.5 };
        let (x, y, below) = (side(1), side(2), if upper == 1 { 0.0 } else { 0.5 });
        *contact = OwnContact {
            a: upper - 1,
            b: upper,
            normal: [0.0, 0.0, 1.0],
            r_a: [x, y, below],
            r_b: [x, y, -0.5],
            mu: 0.5,
            impulse: 0.0,
            friction: [0.0; 3],
        };
    }
}

/// Copies from and to its own structs, as an engine in Rust would. Not inlined, so that the compiler does not know the
/// problem.
#[inline(never)]
fn solve(
    solver: &mut (Solver<f32, 8, 16>, Bodies<f32, 8>, Contacts<f32, 16>),
    own_bodies: &mut [OwnBody],
    own_contacts: &mut [OwnContact],
    settings: &Settings<f32>,
) -> Result<u32, stiction::InputError<f32>> {
    let (solver, bodies, contacts) = solver;
    bodies.clear();
    contacts.clear();
    for body in own_bodies.iter() {
        bodies.push(Body {
            inverse_mass: body.inverse_mass,
            inverse_inertia_world: Matrix3::from_column_slice(&body.inverse_inertia),
            linear_velocity: body.velocity.into(),
            angular_velocity: body.spin.into(),
        })?;
    }
    for contact in own_contacts.iter() {
        let [normal, r_a, r_b] = [contact.normal, contact.r_a, contact.r_b].map(Vector3::from);
        let warm = WarmStart { normal_impulse: contact.impulse, tangent_impulse: contact.friction.into() };
        let plain = Contact::new(contact.a as usize, contact.b as usize, normal, r_a, r_b, contact.mu);
        contacts.push(Contact { warm, ..plain })?;
    }
    let report = solver.solve(bodies, contacts, settings, 1.0 / 60.0)?;
    for (body, (linear, angular)) in
        own_bodies.iter_mut().zip(bodies.linear_velocities().iter().zip(bodies.angular_velocities()))
    {
        body.velocity = (*linear).into();
        body.spin = (*angular).into();
    }
    for (index, contact) in own_contacts.iter_mut().enumerate() {
        if let Some(outcome) = solver.contact(index) {
            contact.impulse = outcome.normal_impulse;
            contact.friction = outcome.tangent_impulse.into();
        }
    }
    Ok(report.sweeps)
}

fn main() {
    let times: u64 = std::env::args().nth(1).and_then(|times| times.parse().ok()).unwrap_or(1);
    let (mut bodies, mut contacts) = ([OwnBody::default(); 3], [OwnContact::default(); 8]);
    let mut solver = (Solver::new(), Bodies::new(), Contacts::new());
    let settings = Settings::default();
    for _ in 0..times {
        set_up(&mut bodies, &mut contacts);
        let (bodies, contacts) = (black_box(&mut bodies[..]), black_box(&mut contacts[..]));
        if let Err(input_error) = solve(&mut solver, bodies, contacts, black_box(&settings)) {
            eprintln!("{input_error}");
            std::process::exit(2);
        }
    }
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for body in &bodies {
        for byte in body.velocity.iter().chain(&body.spin).flat_map(|value| value.to_le_bytes()) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("{digest:016x}");
}
