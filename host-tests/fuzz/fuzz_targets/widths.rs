//! Single against double precision. Where velocities are unique and the problem is well conditioned, and both solves
//! converged,
//! they agree to the tabled tolerance "solved stays solved" of single precision. Unique means: no friction anywhere, or
//! one
//! contact; with friction several contacts can have several solutions.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::Vector3;
use stiction::{Body, Contact, ContactConstraint, Real, Settings, Solver, Status, WarmStart};
use stiction_fuzz::scene::{self, Scene, TAME};
use stiction_fuzz::{Bytes, Mood, NB, NC};
use stiction_testkit::merit::condition;
use stiction_testkit::tolerance;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let alone = bytes.coin();
    let single = if alone { one_contact(&mut bytes) } else { frictionless(&mut bytes) };
    let double = in_double(&single);
    if !is_well_conditioned(&double) {
        return;
    }
    let (Some(single), Some(double)) = (solved(&single), solved(&double)) else { return };
    let scale = double.iter().map(|v| v.norm()).fold(1.0, f64::max);
    let allowed = tolerance::of::<f32>("solved stays solved") * scale;
    for (a, b) in single.iter().zip(&double) {
        assert!((a - b).norm() <= allowed, "{a} in single precision, {b} in double");
    }
});

/// Drawn in single precision, so that both solve the same numbers.
fn frictionless(bytes: &mut Bytes<'_>) -> Scene<f32> {
    let mut scene = scene::scene::<f32>(bytes, Mood::Usual, &TAME);
    for i in 0..scene.contacts.len() {
        let contact = scene.contacts.get(i).expect("a contact");
        scene.contacts.set(i, Contact { mu: 0.0, ..contact }).expect("valid before");
    }
    scene
}

fn one_contact(bytes: &mut Bytes<'_>) -> Scene<f32> {
    let mut scene = Scene { bodies: Default::default(), contacts: Default::default() };
    for _ in 0..2 {
        scene.bodies.push(scene::body(bytes, Mood::Usual, &TAME)).expect("a usual body");
    }
    scene.contacts.push(scene::contact(bytes, Mood::Usual, &TAME, 2)).expect("a usual contact");
    scene
}

fn in_double(scene: &Scene<f32>) -> Scene<f64> {
    let mut double = Scene { bodies: Default::default(), contacts: Default::default() };
    let wide = |v: Vector3<f32>| v.map(f64::from);
    for body in (0..scene.bodies.len()).filter_map(|i| scene.bodies.get(i)) {
        let body = Body {
            inverse_mass: f64::from(body.inverse_mass),
            inverse_inertia_world: body.inverse_inertia_world.map(f64::from),
            linear_velocity: wide(body.linear_velocity),
            angular_velocity: wide(body.angular_velocity),
        };
        double.bodies.push(body).expect("valid before");
    }
    for contact in (0..scene.contacts.len()).filter_map(|i| scene.contacts.get(i)) {
        let contact = Contact {
            depth: f64::from(contact.depth),
            warm: WarmStart::cold(),
            ..Contact::new(
                contact.a,
                contact.b,
                wide(contact.normal),
                wide(contact.r_a),
                wide(contact.r_b),
                f64::from(contact.mu),
            )
        };
        double.contacts.push(contact).expect("valid before");
    }
    double
}

/// One contact: its block. Several: each pair of normals acts on the bodies differently enough.
fn is_well_conditioned(scene: &Scene<f64>) -> bool {
    let island = stiction_testkit::island::Island {
        bodies: (0..scene.bodies.len()).filter_map(|i| scene.bodies.get(i)).collect(),
        contacts: (0..scene.contacts.len()).filter_map(|i| scene.contacts.get(i)).collect(),
    };
    let movable = |index: usize| island.bodies[index].inverse_mass > 0.0;
    if island.contacts.is_empty() || !island.contacts.iter().all(|c| movable(c.a) || movable(c.b)) {
        return false;
    }
    if let [contact] = &island.contacts[..] {
        let mass = |index: usize| (island.bodies[index].inverse_mass, &island.bodies[index].inverse_inertia_world);
        let k =
            ContactConstraint::new(contact).expect("a valid contact").effective_mass(mass(contact.a), mass(contact.b));
        // Jamming, where friction alone can hold a contact closed, has several solutions again.
        let pull = k[(0, 1)].hypot(k[(0, 2)]);
        return condition(&k) < 100.0 && contact.mu * pull < 0.5 * k[(0, 0)];
    }
    let w = island.delassus(&[]).w;
    let normals = w.select_rows(&rows(island.contacts.len())).select_columns(&rows(island.contacts.len()));
    let eigenvalues = normals.symmetric_eigenvalues();
    eigenvalues.min() > 0.01 * eigenvalues.max()
}

fn rows(contacts: usize) -> Vec<usize> {
    (0..contacts).map(|i| 3 * i).collect()
}

/// Velocities of all bodies, if the solve converged.
fn solved<T: Real>(scene: &Scene<T>) -> Option<Vec<Vector3<f64>>> {
    let settings = Settings { sweeps: 200, ..Settings::default() };
    let mut bodies = scene.bodies.clone();
    let report = Solver::<T, NB, NC>::new().solve(&mut bodies, &scene.contacts, &settings, T::lit(1.0 / 60.0)).ok()?;
    let velocities =
        bodies.linear_velocities().iter().chain(bodies.angular_velocities()).map(|v| v.map(T::to_f64)).collect();
    (report.status == Status::Converged && !report.passivity_guard).then_some(velocities)
}
