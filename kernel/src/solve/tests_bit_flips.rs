//! Memory faults: single bits of a solve's own scratch flip between two sweeps.
//!
//! Whatever flips, the answer has finite velocities and no more energy than before. Only tests see this file; it
//! walks the path of `solve_island` with a bit flip between the sweeps.

extern crate std;
use std::vec::Vec;

use nalgebra::{Matrix3, Vector3};

use super::*;
use crate::problem::bodies::Bodies;
use crate::problem::body::Body;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::{Column, ContactRows, SixRows, ThreeRows};
use crate::problem::contacts::Contacts;
use crate::problem::settings::{PositionCorrection, Settings};
use crate::problem::stop_check::StopCheck;
use crate::problem::surface::{Surface, Tread};
use crate::problem::wrench::Twist;
use crate::solve::position_correction::IMPLAUSIBLE;
use crate::solve::solver::Solver;
use crate::space::velocity::Velocity;
use crate::sweep::lent_lanes::LentLanes;
use crate::sweep::moment_row::MomentRow;

const BODIES: usize = 3;
const CONTACTS: usize = 8;
/// A contact with moments takes two.
const PLACES: usize = 2 * CONTACTS;

type Scratch<T, R> = Solver<T, BODIES, PLACES, R>;
type Scene<T, R> = (Bodies<T, BODIES>, Contacts<T, PLACES, R>);

/// Contacts of three rows or of up to six.
trait Friction: ContactRows {
    fn push<T: Real>(contacts: &mut Contacts<T, PLACES, Self>, contact: Contact<T>, corner: usize);
}

impl Friction for ThreeRows {
    fn push<T: Real>(contacts: &mut Contacts<T, PLACES, Self>, contact: Contact<T>, _corner: usize) {
        contacts.push(contact).expect("a corner");
    }
}

impl Friction for SixRows {
    fn push<T: Real>(contacts: &mut Contacts<T, PLACES, Self>, contact: Contact<T>, corner: usize) {
        let (none, radius) = (Surface::default(), T::lit(0.05));
        let tread = Some(Tread { direction: Vector3::x(), mu_across: T::HALF });
        let surface = match corner {
            0 => Surface { torsion: radius, ..none },
            1 => Surface { rolling: radius, tread, ..none },
            2 => Surface { torsion: radius, rolling: radius, is_joined: true, ..none },
            _ => Surface { torsion: radius, rolling: radius, ..none },
        };
        contacts.push_on(contact, surface).expect("a corner");
    }
}

/// Numbers whose bits can be flipped.
trait Bits: Real {
    const COUNT: u32;
    fn flipped(self, bit: u32) -> Self;
}

impl Bits for f32 {
    const COUNT: u32 = 32;
    fn flipped(self, bit: u32) -> f32 {
        f32::from_bits(self.to_bits() ^ (1 << bit))
    }
}

impl Bits for f64 {
    const COUNT: u32 = 64;
    fn flipped(self, bit: u32) -> f64 {
        f64::from_bits(self.to_bits() ^ (1 << bit))
    }
}

/// Xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Two boxes on each other, falling onto the ground with spin and slip; with or without warm starts.
fn scene<T: Real, R: Friction>(restitution: f64, depth: f64, warm: bool) -> Scene<T, R> {
    let (mut bodies, mut contacts) = (Bodies::new(), Contacts::empty());
    bodies.push(Body::fixed()).expect("ground");
    for upper in 1..BODIES {
        let speed = Vector3::new(0.7, -0.2, -1.0 / upper as f64);
        bodies
            .push(Body {
                linear_velocity: speed.map(T::lit),
                angular_velocity: Vector3::new(0.1, 0.3, -0.4).map(T::lit),
                ..Body::from_inverse(T::lit(upper as f64), Matrix3::identity() * T::lit(6.0))
            })
            .expect("a box");
        for corner in 0..4 {
            let half = |bit: u32| if corner & bit > 0 { 0.5 } else { -0.5 };
            let arm = |z: f64| Vector3::new(half(1), half(2), z).map(T::lit);
            let below = if upper == 1 { 0.0 } else { 0.5 };
            let mut contact = Contact::new(upper - 1, upper, Vector3::z(), arm(below), arm(-0.5), T::lit(0.4));
            (contact.restitution, contact.depth) = (T::lit(restitution), T::lit(depth));
            if warm {
                contact.warm = WarmStart { normal_impulse: T::lit(0.1), tangent_impulse: Vector3::x() * T::lit(-0.02) };
            }
            R::push(&mut contacts, contact, corner as usize);
        }
    }
    (bodies, contacts)
}

fn triple<T: Real>(v: &mut Vector3<T>) -> [&mut T; 3] {
    v.data.0[0].each_mut()
}

/// Flips one bit of one number of the scratch, by chance; says of which kind.
fn flip_random_bit<T: Bits, R: Friction>(
    work: &mut SolverWorkspace<T, BODIES, PLACES, R>,
    dice: &mut Dice,
) -> &'static str {
    let (row, body, bit) = (dice.below(work.rows.len()), dice.below(BODIES), dice.below(T::COUNT as usize) as u32);
    let which = dice.below(64);
    let flip = |number: &mut T| *number = number.flipped(bit);
    let rows = &mut work.rows;
    let block = &mut rows.block[row];
    match dice.below(if R::HAS_MOMENTS { 17 } else { 13 }) {
        0 => {
            let numbers =
                [&mut block.normal, &mut block.inverse_normal, &mut block.principal.first, &mut block.principal.last];
            numbers.into_iter().skip(which % 4).take(1).for_each(flip);
            "block"
        }
        1 => (flip(&mut block.schur.data.0[which % 2][which / 2 % 2]), "schur").1,
        2 => (flip(&mut block.row.data.0[0][which % 2]), "row").1,
        3 => (flip(&mut rows.inverse_in_axes[row][which % 10]), "inverse_in_axes").1,
        4 => {
            (flip(if which.is_multiple_of(2) { &mut rows.cone[row].mu } else { &mut rows.cone[row].preload }), "cone").1
        }
        5 => (triple(&mut rows.impulse[row]).into_iter().skip(which % 3).take(1).for_each(flip), "impulse").1,
        6 => (flip(&mut rows.impulse_scale[row]), "impulse scale").1,
        7 => (flip(&mut rows.target[row]), "target").1,
        8 => (flip(&mut rows.sigma[row]), "sigma").1,
        9 | 10 => (flip(&mut work.jacobians[row].packed[which % 35]), "jacobian").1,
        11 => (flip_velocity_bit(&mut work.velocity[body], which, bit), "velocity").1,
        12 => (flip_velocity_bit(&mut work.start[body], which, bit), "start").1,
        _ => rows.moments.at_mut(row).map_or("none", |row| (flip(number_of(row, which)), "moments").1),
    }
}

/// A number of a contact with moments.
fn number_of<T: Real>(row: &mut MomentRow<T>, which: usize) -> &mut T {
    let MomentRow { law, sigma: [slide, spin, roll], block, .. } = row;
    let schur = &mut block.schur;
    match which % 20 {
        0 => &mut law.mu,
        1 => &mut law.torsion,
        2 => &mut law.rolling,
        3 => &mut law.preload,
        4 => slide,
        5 => spin,
        6 => roll,
        7 => &mut block.normal,
        8 => &mut block.inverse_normal,
        9 => &mut schur.t11,
        10 => &mut schur.t12,
        11 => &mut schur.ss,
        12 => &mut schur.rt11,
        13 => &mut schur.rs1,
        14 => &mut schur.r22,
        other => &mut block.row[other - 15],
    }
}

fn flip_velocity_bit<T: Bits>(v: &mut Velocity<T>, which: usize, bit: u32) {
    let (mut linear, mut angular) = (v.linear(), v.angular());
    let part = if which.is_multiple_of(2) { &mut linear } else { &mut angular };
    triple(part).into_iter().skip(which / 2 % 3).take(1).for_each(|number| *number = number.flipped(bit));
    *v = Velocity::new(&linear, &angular);
}

/// `solve_island` of everything, with a bit flip after one of the sweeps.
fn solve_with_flip<T: Bits, R: Friction>(
    solver: &mut Scratch<T, R>,
    (bodies, contacts): &mut Scene<T, R>,
    settings: &Settings<T>,
    dice: &mut Dice,
) -> &'static str {
    Scratch::<T, R>::validate(bodies, contacts, settings, T::lit(1.0 / 60.0)).expect("a valid scene");
    let work = &mut solver.work;
    work.islands.merge(bodies.len(), contacts);
    work.load(bodies, contacts, T::lit(1.0 / 60.0));
    let stop = &mut StopCheck::new(None);
    let task = &mut Task { bodies, contacts, settings, stop, lanes: LentLanes::default() };
    work.select(0);
    work.save_start();
    let before = kinetic_energy(task.bodies, work.islands.bodies(), &work.velocity);
    let bounced = bounce(work, task, before);
    set_contact_targets(work, task);
    let q_norm = start_speed_norm(work);
    warm_start(work, task, q_norm);
    solve_contact_phase(work, task, None, q_norm, false);
    let flipped = flip_random_bit(work, dice);
    let mut space = BodySpace::new(&work.jacobians, &mut work.velocity);
    space.start = Some(&work.start);
    let rest = Settings { sweeps: dice.below(4) as u32, ..*settings };
    ContactPhase::new(&rest, q_norm, &mut work.phase).solve(
        &mut work.rows,
        &mut space,
        task.stop,
        None,
        LentLanes::default(),
    );
    finish_contact_phase(work, task, bounced.energy, q_norm);
    correct_positions(work, task);
    work.store(task.bodies);
    flipped
}

fn total_energy<T: Real, R: Friction>((bodies, _): &Scene<T, R>) -> f64 {
    (0..bodies.len()).filter_map(|index| bodies.get(index)).filter(|body| body.inverse_mass > T::ZERO).fold(
        0.0,
        |sum, body| {
            let square = |v: &Vector3<T>| v.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>();
            sum + 0.5
                * (square(&body.linear_velocity) / body.inverse_mass.to_f64() + square(&body.angular_velocity) / 6.0)
        },
    )
}

fn study<T: Bits, R: Friction>(name: &str, tolerance: f64) {
    let mut solver = Scratch::<T, R>::empty();
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let [mut bad, mut fast, mut lost]: [Vec<(&str, f64)>; 3] = Default::default();
    let all = std::env::var("STICTION_TESTS").as_deref() == Ok("all");
    let flips: usize = match (cfg!(miri), all) {
        (true, _) => 2,
        (false, false) => 30_000,
        (false, true) => 300_000,
    };
    for flip in 0..flips {
        let mut scene = scene::<T, R>([0.0, 0.5][flip % 2], [0.0, -0.01, 0.03][flip % 3], flip.is_multiple_of(5));
        let corrections = [PositionCorrection::None, PositionCorrection::SplitImpulse];
        let settings = Settings {
            sweeps: 1 + dice.below(4) as u32,
            position_correction: corrections[flip / 2 % 2],
            ..Settings::default()
        };
        let before = total_energy(&scene);
        let flipped = solve_with_flip(&mut solver, &mut scene, &settings, &mut dice);
        let after = total_energy(&scene);
        if !(after <= before * (1.0 + tolerance)) {
            bad.push((flipped, after / before));
        }
        let correction = fastest_correction(&solver);
        if !(correction <= correction_speed_limit(&settings)) {
            fast.push((flipped, correction));
        }
        if !(0..CONTACTS).all(|contact| can_be_started_from(&solver, contact)) {
            lost.push((flipped, f64::NAN));
        }
    }
    print_summary(name, "gained energy or are NaN", flips, &bad);
    print_summary(name, "are corrected too fast", flips, &fast);
    print_summary(name, "the next step cannot start from", flips, &lost);
    assert!(bad.is_empty() && fast.is_empty() && lost.is_empty());
}

fn print_summary(name: &str, what: &str, flips: usize, bad: &[(&'static str, f64)]) {
    let mut kinds: Vec<_> = bad.iter().map(|(kind, _)| *kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let some: Vec<_> = bad.iter().filter(|(other, _)| *other == kind).map(|(_, figure)| *figure).collect();
        std::println!("{name}: {kind}: {} of {flips}, {:?}", some.len(), &some[..some.len().min(5)]);
    }
    std::println!("{name}: {flips} flipped bits, {} answers that {what}", bad.len());
}

/// Limit of the position correction, m/s.
fn correction_speed_limit<T: Real>(settings: &Settings<T>) -> f64 {
    3f64.sqrt() * IMPLAUSIBLE * CONTACTS as f64 * settings.max_correction_speed.to_f64() * (1.0 + 1e-6)
}

/// Largest correction speed of any body, m/s; NaN if a component is not finite.
fn fastest_correction<T: Real, R: Friction>(solver: &Scratch<T, R>) -> f64 {
    (0..BODIES).filter_map(|body| solver.position_correction(body)).fold(0.0, |max, Twist { linear, angular }| {
        let finite = angular.iter().all(|part| part.is_finite());
        let speed = linear.iter().map(|part| part.to_f64().powi(2)).sum::<f64>().sqrt();
        if finite && speed <= max {
            max
        } else if finite {
            speed
        } else {
            f64::NAN
        }
    })
}

/// Whether the next step can start from the impulse that a contact reports. Where a bit of a unit or of an axis
/// flipped, that may be NaN: then it starts cold.
fn can_be_started_from<T: Real, R: Friction>(solver: &Scratch<T, R>, contact: usize) -> bool {
    let mut next = scene::<T, R>(0.0, 0.0, false).1;
    let Some(reported) = solver.warm(contact) else { return true };
    next.store_warm(contact, reported);
    next.store_warm_moment(contact, solver.moment(contact).unwrap_or_else(Vector3::zeros));
    let (warm, moment) = (next.warm(contact), next.surface(contact).map_or_else(Vector3::zeros, |on| on.warm_moment));
    warm.normal_impulse.is_finite() && warm.tangent_impulse.iter().chain(&moment).all(|part| part.is_finite())
}

#[test]
fn flipped_bits_in_solver_scratch_add_no_energy_in_single_precision() {
    study::<f32, ThreeRows>("f32", 1e-5);
    study::<f32, SixRows>("f32 with moments", 1e-5);
}

#[test]
fn flipped_bits_in_solver_scratch_add_no_energy_in_double_precision() {
    study::<f64, ThreeRows>("f64", 1e-12);
    study::<f64, SixRows>("f64 with moments", 1e-12);
}
