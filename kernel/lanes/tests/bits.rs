//! Sweeps in lanes beside sweeps one by one: the same bits, at every level that this machine has.

mod support;

use nalgebra::Matrix3;
use stiction::sweep::lane_memory::LaneMemory;
use stiction::{Bodies, Body, Contact, Contacts, Hooks, MethodChoice, Real, Report, Settings, Solver, SweepOrder};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, levels};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;
use support::{inverse_inertia, vector};

const NB: usize = 96;
const NC: usize = 1024;
const NG: usize = 160;

fn body<T: Real>(rng: &mut Rng) -> Body<T> {
    let speed = [0.0, 1e-3, 1.0, 1e4][rng.below(4)];
    let (linear, angular) = (rng.direction() * speed, rng.direction() * speed * rng.unit());
    let inverse_mass = if rng.chance(0.15) { 0.0 } else { rng.log_range(1e-3, 1e3) };
    let inertia = if inverse_mass > 0.0 { inverse_inertia(rng, inverse_mass) } else { Matrix3::zeros() };
    Body {
        linear_velocity: vector(&linear),
        angular_velocity: vector(&angular),
        ..Body::from_inverse(T::lit(inverse_mass), inertia.map(T::lit))
    }
}

fn contact<T: Real>(rng: &mut Rng, a: usize, b: usize) -> Contact<T> {
    let arm = [0.0, 1e-6, 1.0, 10.0][rng.below(4)];
    let (r_a, r_b) = (rng.direction() * arm, rng.direction() * arm * rng.unit());
    let mu = [0.0, 1e-7, 0.3, 0.8, 5.0, 1e6][rng.below(6)];
    let mut contact = Contact::new(a, b, vector(&rng.direction()), vector(&r_a), vector(&r_b), T::lit(mu));
    if rng.chance(0.3) {
        contact.restitution = T::lit(rng.unit());
    }
    if rng.chance(0.3) {
        contact.depth = T::lit(rng.range(-0.01, 0.05));
    }
    if rng.chance(0.5) {
        let normal = rng.log_range(1e-3, 1e2);
        contact.warm.normal_impulse = T::lit(normal);
        contact.warm.tangent_impulse = vector(&(rng.direction() * normal * mu.min(1.0)));
    }
    contact
}

/// Bodies and contacts with all kinds of numbers.
fn problem<T: Real>(rng: &mut Rng) -> (Bodies<T, NB>, Contacts<T, NC>) {
    let (mut bodies, mut contacts) = (Bodies::new(), Contacts::new());
    let count = 8 + rng.below(NB - 8);
    for _ in 0..count {
        while bodies.push(body(rng)).is_err() {}
    }
    for _ in 0..24 + rng.below(NC - 24) {
        let (a, b) = (rng.below(count), rng.below(count));
        let _ = contacts.push(contact(rng, a, b));
    }
    (bodies, contacts)
}

fn settings<T: Real>(rng: &mut Rng) -> Settings<T> {
    Settings {
        sweeps: 1 + rng.below(8) as u32,
        tolerance: if rng.chance(0.5) { T::ZERO } else { T::DEFAULT_TOLERANCE },
        method: MethodChoice::Sweeps,
        order: if rng.chance(0.5) { SweepOrder::Alternating } else { SweepOrder::Forward },
        ..Settings::default()
    }
}

type Answer<T> = (Report<T>, Vec<u64>);

/// All bits of an answer.
fn answer<T: Real>(
    (bodies, contacts): &(Bodies<T, NB>, Contacts<T, NC>),
    settings: &Settings<T>,
    solver: &mut Solver<T, NB, NC>,
    lanes: Option<&mut dyn LaneMemory<T>>,
) -> Option<Answer<T>> {
    let mut bodies = bodies.clone();
    let hooks = Hooks { lanes, ..Hooks::default() };
    let report = solver.solve_with(&mut bodies, contacts, settings, T::lit(1.0 / 60.0), hooks).ok()?;
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
    let mut bits: Vec<u64> = velocities.flat_map(|v| v.iter().map(|x| x.to_f64().to_bits())).collect();
    for i in 0..contacts.len() {
        let contact = solver.contact(i)?;
        let all = [contact.bounce_impulse, contact.normal_impulse];
        bits.extend(all.iter().chain(contact.tangent_impulse.iter()).map(|x| x.to_f64().to_bits()));
    }
    Some((report, bits))
}

/// Contacts that were visited in lanes, at each level.
fn compare<T: LaneScalar>(wanted: usize) -> Vec<(&'static str, usize)> {
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let mut memories: Vec<_> = levels().map(|level| (Box::new(Lanes::<T, NB, NC, NG>::with_level(level)), 0)).collect();
    let mut rng = Rng::new(26);
    for case in 0.. {
        let (problem, settings) = (problem::<T>(&mut rng), settings(&mut rng));
        let Some(alone) = answer(&problem, &settings, &mut solver, None) else { continue };
        for (memory, contacts) in &mut memories {
            let side_by_side = answer(&problem, &settings, &mut solver, Some(&mut **memory)).expect("as without");
            assert_eq!(alone.0, side_by_side.0, "case {case}, {}", memory.level());
            assert!(alone.1 == side_by_side.1, "case {case}, {}: other bits", memory.level());
            *contacts += memory.in_lanes().0;
        }
        if memories.iter().all(|(_, contacts)| *contacts >= wanted) {
            break;
        }
    }
    memories.iter().map(|(memory, contacts)| (memory.level(), *contacts)).collect()
}

/// Contacts at each level.
fn wanted() -> usize {
    effort::cases(50_000, 1_000_000)
}

#[test]
fn lanes_have_the_bits_of_single_visits_in_f32() {
    println!("contacts: {:?}", compare::<f32>(wanted()));
}

#[test]
fn lanes_have_the_bits_of_single_visits_in_f64() {
    println!("contacts: {:?}", compare::<f64>(wanted()));
}
