//! The memory is for the bodies of the whole problem: their indices count, not how many an island has.

use stiction::sweep::lane_memory::LaneMemory;
use stiction::{Body, Hooks, MethodChoice, Settings, Solver};
use stiction_lanes::Lanes;
use stiction_testkit::island::{DT, Island};
use stiction_testkit::walls::wall;

const NB: usize = 512;
const NC: usize = 512;
const NG: usize = 171;
const IDLE: usize = 100;

/// The bits of all velocities after a solve.
fn solved(island: &Island, lanes: Option<&mut dyn LaneMemory<f32>>) -> Vec<u32> {
    let (mut bodies, contacts) = island.columns::<f32, NB, NC>();
    let settings = Settings { method: MethodChoice::Sweeps, ..Settings::default() };
    let mut solver = Box::new(Solver::<f32, NB, NC>::new());
    solver
        .solve_with(&mut bodies, &contacts, &settings, DT as f32, Hooks { lanes, ..Hooks::default() })
        .expect("a valid island");
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
    velocities.flatten().map(|value| value.to_bits()).collect()
}

/// The bits of a solve in memory for so many bodies, and how many contacts were in lanes.
fn in_lanes<const BODIES: usize>(island: &Island) -> (Vec<u32>, usize) {
    let mut lanes = Box::new(Lanes::<f32, BODIES, NC, NG>::new());
    let bits = solved(island, Some(&mut *lanes));
    (bits, lanes.in_lanes().0)
}

#[test]
fn memory_for_all_bodies_is_used_and_a_smaller_one_is_not() {
    let small = wall(5, 6, 0.5);
    let (count, contacts) = (small.bodies.len(), small.contacts.len());
    assert!(count <= 64 && contacts <= NC, "{count} bodies, {contacts} contacts");
    let (bits, used) = in_lanes::<64>(&small);
    assert!(used >= 24, "{used} contacts in lanes");
    assert_eq!(bits, solved(&small, None));
    // The same island after bodies that touch nothing.
    let mut large = Island { bodies: vec![Body::fixed(); IDLE], contacts: small.contacts };
    large.bodies.extend(small.bodies);
    for contact in &mut large.contacts {
        (contact.a, contact.b) = (contact.a + IDLE, contact.b + IDLE);
    }
    let alone = solved(&large, None);
    assert_eq!(in_lanes::<NB>(&large), (alone.clone(), used));
    assert_eq!(in_lanes::<64>(&large), (alone, 0));
}
