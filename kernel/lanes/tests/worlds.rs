//! Worlds side by side beside [`Solver::solve`]: the same bits, at every level that this machine has.

use nalgebra::Matrix3;
use stiction::{
    Bodies, Body, Contact, ContactState, Contacts, InputError, MethodChoice, PositionCorrection, Real, Report,
    Settings, Solver, SweepOrder,
};
use stiction_lane_bits::problem::{inverse_inertia, vector};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Worlds, levels};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

const NB: usize = 6;
const NC: usize = 10;

type World<T> = (Bodies<T, NB>, Contacts<T, NC>);

/// How unusual worlds may be.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Boxes and balls in contact.
    Common,
    /// Any numbers.
    Wide,
}

fn body<T: Real>(rng: &mut Rng, kind: Kind) -> Body<T> {
    let speed = if kind == Kind::Common { [0.05, 1.0][rng.below(2)] } else { [0.0, 1e-3, 1.0, 1e4][rng.below(4)] };
    let (linear, angular) = (rng.direction() * speed, rng.direction() * speed * rng.unit());
    let is_wide = kind == Kind::Wide;
    let inverse_mass = match rng.below(if is_wide { 6 } else { 1 }) {
        1 => 0.0,
        2.. => rng.log_range(1e-3, 1e3),
        _ => rng.log_range(0.5, 2.0),
    };
    let inertia = match rng.below(if is_wide { 4 } else { 2 }) {
        0 => Matrix3::identity() * inverse_mass * rng.log_range(2.0, 20.0),
        1 => {
            let (turn, by) = (rng.rotation(), [rng.range(1.0, 9.0), rng.range(1.0, 9.0), rng.range(1.0, 9.0)]);
            turn * Matrix3::from_diagonal(&by.into()) * turn.transpose() * inverse_mass
        }
        2 => Matrix3::zeros(),
        _ => inverse_inertia(rng, inverse_mass),
    };
    Body {
        linear_velocity: vector(&linear),
        angular_velocity: vector(&angular),
        ..Body::from_inverse(T::lit(inverse_mass), ((inertia + inertia.transpose()) * 0.5).map(T::lit))
    }
}

fn contact<T: Real>(rng: &mut Rng, kind: Kind, a: usize, b: usize) -> Contact<T> {
    let is_wide = kind == Kind::Wide;
    let arm = if is_wide { [0.0, 1e-6, 1.0, 10.0][rng.below(4)] } else { 0.5 };
    let (r_a, r_b) = (rng.direction() * arm, rng.direction() * arm * rng.unit());
    let mu = if is_wide { [0.0, 1e-7, 0.3, 0.8, 5.0, 1e6][rng.below(6)] } else { [0.0, 0.5, 0.5, 1.0][rng.below(4)] };
    let mut contact = Contact::new(a, b, vector(&rng.direction()), vector(&r_a), vector(&r_b), T::lit(mu));
    if rng.chance(if is_wide { 0.1 } else { 0.02 }) {
        contact.restitution = T::lit(rng.unit());
        contact.pre_impact_normal_velocity = rng.chance(0.3).then(|| T::lit(rng.range(-2.0, 2.0)));
    }
    if rng.chance(0.1) {
        contact.depth = T::lit(rng.range(-0.01, 0.05));
    }
    contact
}

/// Bodies and contacts; sometimes such that the solver rejects them.
fn world<T: Real>(rng: &mut Rng) -> World<T> {
    let kind = if rng.chance(0.6) { Kind::Common } else { Kind::Wide };
    let (mut bodies, mut contacts) = (Bodies::new(), Contacts::new());
    let count = 1 + rng.below(NB);
    let _ = bodies.push(Body::fixed());
    while bodies.len() < count {
        let _ = bodies.push(body(rng, kind));
    }
    let is_warm = rng.chance(0.3);
    for _ in 0..rng.below(NC + 1) {
        let names = if rng.chance(0.01) { NB + 1 } else { count };
        let (a, b) = (rng.below(names), rng.below(names));
        let mut contact = contact(rng, kind, a, b);
        if is_warm && rng.chance(0.7) {
            let normal = if kind == Kind::Common { 0.05 * rng.unit() } else { rng.log_range(1e-3, 1e2) };
            contact.warm.normal_impulse = T::lit(normal);
            contact.warm.tangent_impulse = vector(&(rng.direction() * normal));
        }
        // Pairs of immovable bodies are rejected by the solver: a few remain.
        let moves = |index: usize| bodies.get(index).is_some_and(|body| body.inverse_mass > T::ZERO);
        if moves(contact.a) || moves(contact.b) || rng.chance(0.01) {
            let _ = contacts.push(contact);
        }
    }
    (bodies, contacts)
}

fn settings<T: Real>() -> Vec<Settings<T>> {
    let plain = Settings::default();
    let fixed = Settings { tolerance: T::ZERO, ..plain };
    vec![
        plain,
        Settings { sweeps: 20, method: MethodChoice::Sweeps, ..fixed },
        Settings { sweeps: 3, order: SweepOrder::Forward, ..fixed },
        Settings { sweeps: 200, min_sweeps: 7, order: SweepOrder::Forward, ..plain },
        Settings { sweeps: 1, min_sweeps: 2, ..plain },
        Settings { tolerance: T::lit(1e-2), ..plain },
        Settings { sweeps: 0, ..fixed },
        Settings { sweeps: 0, ..plain },
        Settings { method: MethodChoice::Accelerated, ..plain },
        Settings { position_correction: PositionCorrection::SplitImpulse, sweeps: 10, ..plain },
        Settings { relaxation: T::lit(1.3), sweeps: 10, ..plain },
        Settings { relaxation: T::lit(3.0), ..plain },
    ]
}

/// All that a solve gives, with the bits of its numbers.
#[derive(Debug, Clone, PartialEq)]
struct Answer<T> {
    report: Result<Report<T>, InputError<T>>,
    velocities: Vec<u64>,
    impulses: Vec<u64>,
    states: Vec<ContactState>,
}

impl<T: Real> Answer<T> {
    fn new(
        report: Result<Report<T>, InputError<T>>,
        contacts: usize,
        contact: impl Fn(usize) -> Option<stiction::ContactOutcome<T>>,
    ) -> Self {
        let contacts: Vec<_> = if report.is_ok() { (0..contacts).filter_map(contact).collect() } else { Vec::new() };
        let numbers = contacts.iter().flat_map(|c| {
            [c.bounce_impulse, c.normal_impulse, c.tangent_impulse.x, c.tangent_impulse.y, c.tangent_impulse.z]
        });
        let impulses = numbers.map(|x| x.to_f64().to_bits()).collect();
        Answer { report, velocities: Vec::new(), impulses, states: contacts.iter().map(|c| c.state).collect() }
    }

    fn with_velocities(mut self, bodies: &Bodies<T, NB>) -> Self {
        let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
        self.velocities = velocities.flat_map(|v| v.iter().map(|x| x.to_f64().to_bits())).collect();
        self
    }
}

fn alone<T: Real>(worlds: &[World<T>], settings: &Settings<T>) -> Vec<Answer<T>> {
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let solve = |(bodies, contacts): &World<T>| {
        let mut bodies = bodies.clone();
        let report = solver.solve(&mut bodies, contacts, settings, T::lit(1.0 / 60.0));
        Answer::new(report, contacts.len(), |index| solver.contact(index)).with_velocities(&bodies)
    };
    worlds.iter().map(solve).collect()
}

/// Answers in the order of the queue, and how many were solved in lanes. Every world is answered exactly once.
fn side_by_side<T: LaneScalar>(
    memory: &mut Worlds<T, NB, NC>,
    worlds: &[World<T>],
    settings: &Settings<T>,
) -> (Vec<Answer<T>>, usize) {
    let mut worlds = worlds.to_vec();
    let counts: Vec<usize> = worlds.iter().map(|(_, contacts)| contacts.len()).collect();
    let mut answers: Vec<Option<Answer<T>>> = vec![None; worlds.len()];
    let mut in_lanes = 0;
    let queue = worlds.iter_mut().map(|(bodies, contacts)| (bodies, &*contacts));
    memory.solve_all(queue, settings, T::lit(1.0 / 60.0), |index, report, answer| {
        assert!(answers[index].is_none(), "world {index} was answered twice");
        assert!(answer.contact(counts[index]).is_none(), "no more contacts than there are");
        answers[index] = Some(Answer::new(report, counts[index], |contact| answer.contact(contact)));
        in_lanes += usize::from(answer.was_in_lanes());
    });
    let answers = answers.into_iter().zip(&worlds).enumerate().map(|(index, (answer, (bodies, _)))| {
        answer.unwrap_or_else(|| panic!("world {index} was not answered")).with_velocities(bodies)
    });
    (answers.collect(), in_lanes)
}

/// Worlds at each level and setting.
fn wanted() -> usize {
    effort::cases(400, 20_000)
}

fn compare<T: LaneScalar>() {
    let mut rng = Rng::new(31);
    let worlds: Vec<World<T>> = (0..wanted()).map(|_| world(&mut rng)).collect();
    for (case, settings) in settings().iter().enumerate() {
        let expected = alone(&worlds, settings);
        for level in levels() {
            let mut memory = Box::new(Worlds::<T, NB, NC>::with_level(level));
            let (answers, in_lanes) = side_by_side(&mut memory, &worlds, settings);
            for (index, (answer, expected)) in answers.iter().zip(&expected).enumerate() {
                assert_eq!(answer, expected, "settings {case}, world {index}, {}", memory.level());
            }
            let solved = expected.iter().filter(|answer| answer.report.is_ok()).count();
            println!("settings {case}, {}: {in_lanes} of {solved} in lanes", memory.level());
            assert!(case >= 8 || 3 * in_lanes >= solved, "most common worlds are solved in lanes");
        }
    }
}

#[test]
fn worlds_have_the_bits_of_single_solves_in_f32() {
    compare::<f32>();
}

#[test]
fn worlds_have_the_bits_of_single_solves_in_f64() {
    compare::<f64>();
}

#[test]
fn answers_do_not_depend_on_the_order_or_the_number_of_worlds() {
    let mut rng = Rng::new(7);
    let worlds: Vec<World<f32>> = (0..40).map(|_| world(&mut rng)).collect();
    let settings = Settings::default();
    let mut memory = Box::new(Worlds::<f32, NB, NC>::new());
    let (expected, _) = side_by_side(&mut memory, &worlds, &settings);
    let reversed: Vec<World<f32>> = worlds.iter().rev().cloned().collect();
    let (answers, _) = side_by_side(&mut memory, &reversed, &settings);
    assert!(answers.iter().rev().eq(&expected));
    for count in 0..20 {
        let (answers, _) = side_by_side(&mut memory, &worlds[..count], &settings);
        assert_eq!(answers, expected[..count]);
    }
}

#[test]
fn worlds_without_capacity_are_answered() {
    let mut world = (Bodies::<f32, 0>::new(), Contacts::<f32, 0>::new());
    let mut answered = 0;
    let queue = [(&mut world.0, &world.1)];
    Worlds::new().solve_all(queue, &Settings::default(), 0.01, |_, report, _| {
        answered += usize::from(report.is_ok());
    });
    assert_eq!(answered, 1);
}
