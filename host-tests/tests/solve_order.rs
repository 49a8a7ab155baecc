//! The order in which sweeps visit contacts.

use nalgebra::Vector3;
use stiction::{Contact, Hooks, MethodChoice, Real, Settings, Solver, SweepOrder};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::*;
use stiction_testkit::rng::Rng;
use stiction_testkit::walls::{pyramid, wall};

/// A fixed number of sweeps.
fn sweeps<T: Real>(order: SweepOrder) -> Settings<T> {
    Settings { order, sweeps: 7, tolerance: T::ZERO, method: MethodChoice::Sweeps, ..Settings::default() }
}

/// The island, moving, with its contacts in the order of colours, and where each came from.
fn sorted_by_colours(island: &Island) -> (Island, Vec<usize>) {
    let mut colours_of = vec![Vec::new(); island.bodies.len()];
    let mut colours = Vec::new();
    for contact in &island.contacts {
        let movable = [contact.a, contact.b].into_iter().filter(|body| island.bodies[*body].inverse_mass > 0.0);
        let movable: Vec<usize> = movable.collect();
        let is_free = |colour: &usize| movable.iter().all(|body| !colours_of[*body].contains(colour));
        let colour = (0..63).find(is_free).unwrap_or(63);
        movable.iter().for_each(|body| colours_of[*body].push(colour));
        colours.push(colour);
    }
    let mut order: Vec<usize> = (0..island.contacts.len()).collect();
    order.sort_by_key(|contact| colours[*contact]);
    let contacts = order.iter().map(|contact| island.contacts[*contact]).collect();
    (Island { contacts, ..island.clone() }, order)
}

fn moving(mut island: Island) -> Island {
    let mut rng = Rng::new(11);
    for body in island.bodies.iter_mut().skip(1) {
        body.linear_velocity += rng.direction();
        body.angular_velocity += rng.direction();
    }
    island
}

/// A plate on many posts: more contacts at one body than there are colours.
fn plate() -> Island {
    let mut island = stack(1, 1.0, 0.5);
    island.contacts.clear();
    for post in 0..100 {
        let at = Vector3::new(f64::from(post % 10), f64::from(post / 10), 0.0) * 0.1;
        island.contacts.push(Contact::new(0, 1, Vector3::z(), at, at, 0.5));
    }
    island
}

fn assert_colours_sort<T: Real>(island: &Island) {
    let (sorted, order) = sorted_by_colours(island);
    let ours = island.solve(&sweeps::<T>(SweepOrder::Colours)).unwrap();
    let expected = sorted.solve(&sweeps::<T>(SweepOrder::Forward)).unwrap();
    assert_eq!(ours.velocities, expected.velocities);
    for (place, contact) in order.iter().enumerate() {
        assert_eq!(ours.contacts[*contact], expected.contacts[place]);
    }
    let forward = island.solve(&sweeps::<T>(SweepOrder::Forward)).unwrap();
    assert_ne!(ours.velocities, forward.velocities, "the order changes nothing here");
}

#[test]
fn colours_are_forward_sweeps_over_contacts_sorted_by_colours() {
    for island in [wall(4, 6, 0.5), pyramid(6, 5, 0.4), stack(16, 1.0, 0.5)].map(moving) {
        assert_colours_sort::<f64>(&island);
        assert_colours_sort::<f32>(&island);
    }
}

#[test]
fn contacts_without_a_free_colour_come_last() {
    let (sorted, order) = sorted_by_colours(&moving(plate()));
    assert!(sorted.contacts.len() == 100 && order.is_sorted());
    // One contact for each of 63 colours, then all others in their order: that is the order that they have.
    let [ours, forward] =
        [SweepOrder::Colours, SweepOrder::Forward].map(|order| moving(plate()).solve(&sweeps::<f64>(order)).unwrap());
    assert_eq!(ours.velocities, forward.velocities);
}

#[test]
fn islands_below_64_contacts_are_swept_forward() {
    let solved = |boxes: usize, order| moving(stack(boxes, 1.0, 0.5)).solve(&sweeps::<f64>(order)).unwrap().velocities;
    assert_eq!(solved(15, SweepOrder::Colours), solved(15, SweepOrder::Forward));
    assert_ne!(solved(16, SweepOrder::Colours), solved(16, SweepOrder::Forward));
}

#[test]
fn each_island_is_sorted_on_its_own() {
    let (large, small) = (moving(stack(16, 1.0, 0.5)), moving(stack(3, 1.0, 0.5)));
    let mut both = small.clone();
    for (contact, other) in large.contacts.iter().zip(0..) {
        let shift = |body: usize| if body == 0 { 0 } else { body + 3 };
        // Contacts of the two islands are mixed.
        both.contacts.insert(2 * other.min(12), Contact { a: shift(contact.a), b: shift(contact.b), ..*contact });
    }
    both.bodies.extend(large.bodies.iter().skip(1).cloned());
    let (mut bodies, contacts) = both.columns::<f64, 33, 128>();
    let mut solver = Solver::new();
    let settings = sweeps(SweepOrder::Colours);
    solver.solve_islands(&mut bodies, &contacts, &settings, DT, Hooks::default()).unwrap();
    assert_eq!(solver.islands(), 2);
    let alone = |island: &Island, contacts: Vec<Contact<f64>>| {
        let island = Island { contacts, ..island.clone() };
        island.solve(&sweeps::<f64>(SweepOrder::Colours)).unwrap().velocities
    };
    let of_large = |contact: &&Contact<f64>| contact.b > 3;
    let back = |contact: &Contact<f64>| {
        let shift = |body: usize| if body == 0 { 0 } else { body - 3 };
        Contact { a: shift(contact.a), b: shift(contact.b), ..*contact }
    };
    let expected = alone(&large, both.contacts.iter().filter(of_large).map(back).collect());
    for (body, (linear, angular)) in expected.iter().enumerate().skip(1) {
        assert_eq!((bodies.linear_velocities()[body + 3], bodies.angular_velocities()[body + 3]), (*linear, *angular));
    }
    let expected = alone(&small, both.contacts.iter().filter(|contact| !of_large(contact)).copied().collect());
    for (body, (linear, _)) in expected.iter().enumerate().skip(1) {
        assert_eq!(bodies.linear_velocities()[body], *linear);
    }
}
