//! Islands solved together and each alone give the same bits: "an island is independent of its neighbours"
//! (`tests/solve_method_choice.rs`). A second solve gives the same bits as the first.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::Hooks;
use stiction::{Bodies, Body, Contact, Contacts, Real, Solver};
use stiction_fuzz::scene::{self, WILD};
use stiction_fuzz::{Bytes, Mood, NB, NC};
use stiction_testkit::reports::Reports;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    if bytes.coin() { compare::<f32>(&mut bytes) } else { compare::<f64>(&mut bytes) }
});

/// Body 0 is ground for all, and islands are single bodies on it; but bodies 2 and 3 may touch each other as well.
fn compare<T: Real>(bytes: &mut Bytes<'_>) {
    let mood = bytes.pick(&[Mood::Usual, Mood::Usual, Mood::Limits]);
    let (settings, dt) = scene::settings::<T>(bytes, mood);
    let joined = bytes.coin();
    let mut bodies = Bodies::<T, NB>::new();
    bodies.push(Body::fixed()).expect("ground");
    for _ in 1..NB {
        let body = scene::body::<T>(bytes, mood, &WILD);
        let body = if body.inverse_mass > T::ZERO { body } else { Body { inverse_mass: T::ONE, ..body } };
        if bodies.push(body).is_err() {
            return;
        }
    }
    let mut contacts = Contacts::<T, NC>::new();
    for _ in 0..1 + bytes.below(NC) {
        let mut contact = scene::contact::<T>(bytes, mood, &WILD, NB);
        (contact.a, contact.b) = pair(bytes, joined);
        if contacts.push(contact).is_err() {
            return;
        }
    }
    let (mut together, mut again) = (bodies.clone(), bodies.clone());
    let mut solver = Solver::<T, NB, NC>::new();
    let mut reports = Reports::default();
    if solver.solve_islands(&mut together, &contacts, &settings, dt, Hooks::with_observer(&mut reports)).is_err() {
        return;
    }
    assert_eq!(reports.0.len(), solver.islands(), "not every island has a report");
    for (island, joint) in reports.0.iter().enumerate() {
        let members: Vec<usize> = (0..contacts.len()).filter(|i| solver.island_of(*i) == Some(island)).collect();
        let ((mut own_bodies, names), own) = alone(&bodies, &contacts, &members);
        let mut other = Solver::<T, NB, NC>::new();
        let report = other.solve(&mut own_bodies, &own, &settings, dt).expect("solved before");
        assert_eq!((report.sweeps, report.status, report.method), (joint.sweeps, joint.status, joint.method));
        assert_eq!(report.residual.natural, joint.residual.natural, "{report:?} {joint:?}");
        for (position_in_island, i) in members.iter().enumerate() {
            assert_eq!(other.contact(position_in_island), solver.contact(*i), "contact {i} feels other islands");
        }
        for (own, name) in names.iter().enumerate() {
            assert_eq!(own_bodies.get(own), together.get(*name), "body {name} feels other islands");
        }
    }
    solver.solve_islands(&mut again, &contacts, &settings, dt, Hooks::default()).expect("solved before");
    assert_eq!(again, together, "the same solver gives other bits the second time");
}

/// The bodies of some contacts with their original indices, ground first, and these contacts.
fn alone<T: Real>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC>,
    members: &[usize],
) -> ((Bodies<T, NB>, Vec<usize>), Contacts<T, NC>) {
    let of = |i: &usize| contacts.get(*i).expect("a contact");
    let touched = |body: &usize| *body == 0 || members.iter().map(of).any(|c| c.a == *body || c.b == *body);
    let names: Vec<usize> = (0..NB).filter(touched).collect();
    let mut own = (Bodies::new(), Contacts::new());
    for name in &names {
        own.0.push(bodies.get(*name).expect("a body")).expect("valid before");
    }
    let position_in_island = |body: usize| names.iter().position(|name| *name == body).expect("one of them");
    for contact in members.iter().map(of) {
        let renamed = Contact { a: position_in_island(contact.a), b: position_in_island(contact.b), ..contact };
        own.1.push(renamed).expect("valid before");
    }
    ((own.0, names), own.1)
}

fn pair(bytes: &mut Bytes<'_>, joined: bool) -> (usize, usize) {
    let pairs = [(0, 1), (2, 0), (0, 3), (2, 3), (3, 2)];
    bytes.pick(if joined { &pairs } else { &pairs[..3] })
}
