//! Bit-exact answers, beyond the scenes: random small problems under every combination of settings, in both precisions.
//! The kernel guarantees the same bits on every machine; a digest that changes here means that answers changed: see the
//! changelog.
//!
//! Everything that a solve reports is hashed: reports, velocities, impulses, wrenches, corrections, warm starts for the
//! next solve.

use std::fmt::Write;
use stiction::DirectMemory;
use stiction::DirectView;
use stiction::Hooks;
use stiction::Observer;

use nalgebra::{Matrix3, Vector3};
use stiction::local::{Block, Cone, exact, exact_near};
use stiction::{
    Body, BounceMode, Contact, LocalRule, MethodChoice, PositionCorrection, Real, Settings, Solver, SweepOrder,
    WarmStart,
};
use stiction::{Delassus, DelassusSolver};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::{cube_inverse_inertia, stack};
use stiction_testkit::rng::Rng;

const ROWS: usize = 24;

/// FNV-1a, 64 bits, over text: numbers are printed so that different ones differ, the sign of zero too.
struct Digest(u64);

/// Words of reports that had another name when the digests were first drawn: digests cover numbers, not names.
const FIRST_NAMES: [(&str, &str); 14] = [
    (", safe_blocks: 0", ""),
    (", is_replaced: false", ""),
    ("status: Guarded", "status: SweepLimit"),
    ("status: BounceDropped", "status: SweepLimit"),
    ("closing_speed", "approach"),
    ("closing_floor", "approach_floor"),
    ("memory_too_small", "cramped"),
    ("_impulse: ", ": "),
    ("Twist { linear: ", "("),
    ("]], angular: [[", "]], [["),
    ("]] }));", "]])));"),
    ("inverse_inertia_world", "inverse_inertia"),
    ("linear_velocity", "linear"),
    ("angular_velocity", "angular"),
];

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

impl Digest {
    fn add(&mut self, value: impl std::fmt::Debug) {
        let text = FIRST_NAMES.iter().fold(format!("{value:?};"), |text, (now, then)| text.replace(now, then));
        self.write_str(&text).expect("writing to a digest cannot fail");
    }
}

/// The digest of a number of cases, each with its own random numbers.
fn digest(cases: u64, each: impl Fn(&mut Rng, &mut Digest)) -> u64 {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for case in 0..cases {
        each(&mut Rng::new(case), &mut digest);
    }
    digest.0
}

fn one_of<V: Copy>(rng: &mut Rng, values: &[V]) -> V {
    values[rng.below(values.len())]
}

/// No logarithm, no exponential: those are not the same everywhere.
fn body(rng: &mut Rng) -> Body<f64> {
    let mass = one_of(rng, &[0.125, 1.0, 3.0, 20.0]);
    Body {
        linear_velocity: rng.direction() * rng.unit(),
        angular_velocity: rng.direction() * rng.unit(),
        ..Body::from_inverse(1.0 / mass, cube_inverse_inertia(mass) * rng.range(0.5, 2.0))
    }
}

fn contact(rng: &mut Rng, bodies: usize, mu: f64) -> Contact<f64> {
    let b = 1 + rng.below(bodies - 1);
    let arm = rng.direction() * rng.range(0.3, 1.0);
    let normal = (-arm.normalize() + rng.direction() * 0.5).normalize();
    let along = normal.cross(&rng.direction()) * 0.01;
    Contact {
        restitution: one_of(rng, &[0.0, 0.0, 0.5, 1.0]),
        depth: one_of(rng, &[0.0, -0.002, 0.03, 0.5]),
        pre_impact_normal_velocity: one_of(rng, &[None, None, Some(-2.0)]),
        warm: if rng.chance(0.3) {
            WarmStart { normal_impulse: 0.1, tangent_impulse: along }
        } else {
            WarmStart::cold()
        },
        ..Contact::new(rng.below(b), b, normal, rng.direction() * rng.range(0.3, 1.0), arm, mu * rng.range(0.2, 1.0))
    }
}

/// Up to five bodies, the first immovable and at times driven, and contacts between any.
fn island(rng: &mut Rng, mu: f64) -> Island {
    let mut bodies = vec![Body::fixed()];
    if rng.chance(0.2) {
        bodies[0].linear_velocity = Vector3::new(0.5, 0.0, 0.25);
    }
    bodies.extend((0..1 + rng.below(4)).map(|_| body(rng)));
    let contacts: Vec<_> = (0..1 + rng.below(ROWS - 6)).map(|_| contact(rng, bodies.len(), mu)).collect();
    let twins: Vec<_> = contacts.iter().take(rng.below(4)).map(|c| Contact { depth: c.depth - 0.004, ..*c }).collect();
    Island { bodies, contacts: contacts.into_iter().chain(twins).collect() }
}

fn settings<T: Real>(rng: &mut Rng) -> Settings<T> {
    let rules = [LocalRule::Exact, LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
    let default = Settings::default();
    Settings {
        method: one_of(
            rng,
            &[MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct],
        ),
        local: one_of(rng, &rules),
        bounce: one_of(rng, &[BounceMode::Together, BounceMode::Sequential]),
        order: one_of(rng, &[SweepOrder::Alternating, SweepOrder::Forward]),
        relaxation: T::lit(one_of(rng, &[1.0, 1.0, 1.25])),
        sweeps: one_of(rng, &[0, 3, 50, 150]),
        min_sweeps: one_of(rng, &[0, 2]),
        tolerance: one_of(rng, &[default.tolerance, default.tolerance, T::lit(1e-3), T::ZERO]),
        position_correction: one_of(
            rng,
            &[PositionCorrection::None, PositionCorrection::SplitImpulse, PositionCorrection::Bias],
        ),
        ..default
    }
}

/// Adds the report of every island.
struct Reports<'a>(&'a mut Digest);

impl<T: Real> Observer<T> for Reports<'_> {
    fn report(&mut self, island: usize, report: &stiction::Report<T>) {
        self.0.add((island, report));
    }
}

/// Solves whole or by islands, and hashes every result. The deadline passes after a number of calls, if ever.
fn solve_in<T: Real, const NC: usize>(
    island: &Island,
    settings: &Settings<T>,
    (by_islands, calls): (bool, usize),
    direct: DirectView<'_, T>,
    digest: &mut Digest,
) {
    let (mut bodies, contacts) = island.columns::<T, 20, NC>();
    let mut solver = Box::new(Solver::<T, 20, NC>::new());
    let mut asked = 0;
    let mut should_stop = || {
        asked += 1;
        asked > calls
    };
    if by_islands {
        let mut reports = Reports(digest);
        let hooks = Hooks {
            should_stop: Some(&mut should_stop),
            direct: Some(direct),
            observer: Some(&mut reports),
            lanes: None,
        };
        solver.solve_islands(&mut bodies, &contacts, settings, T::lit(1.0 / 60.0), hooks).expect("valid");
    } else {
        let hooks = Hooks { should_stop: Some(&mut should_stop), direct: Some(direct), observer: None, lanes: None };
        digest.add(solver.solve_with(&mut bodies, &contacts, settings, T::lit(1.0 / 60.0), hooks));
    }
    for i in 0..contacts.len() {
        digest.add((solver.contact(i), solver.warm(i), solver.coupling(i), solver.island_of(i)));
    }
    for i in 0..bodies.len() {
        digest.add((bodies.get(i), solver.wrench(i), solver.position_correction(i)));
    }
}

/// The same with enough memory for direct methods and no deadline.
fn solve<T: Real>(island: &Island, settings: &Settings<T>, by_islands: bool, digest: &mut Digest) {
    let mut direct_memory = Box::new(DirectMemory::<T, ROWS, 300>::new());
    solve_in::<T, ROWS>(island, settings, (by_islands, usize::MAX), direct_memory.view(), digest);
}

/// `W = J M⁻¹ Jᵀ` of one body and random arms, row by row, and a velocity.
fn delassus(rng: &mut Rng, contacts: usize) -> (Vec<f64>, Vec<Vector3<f64>>) {
    let rows: Vec<[f64; 6]> = (0..3 * contacts).map(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0))).collect();
    let entry = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let w = rows.iter().flat_map(|a| rows.iter().map(move |b| entry(a, b))).collect();
    (w, (0..contacts).map(|_| rng.direction()).collect())
}

fn solve_delassus<T: Real>(rng: &mut Rng, digest: &mut Digest) {
    let contacts = 1 + rng.below(7);
    let (w, q) = delassus(rng, contacts);
    let mu: Vec<T> = (0..contacts).map(|_| T::lit(one_of(rng, &[0.0, 0.3, 0.8, 2.0]))).collect();
    let (w, q): (Vec<T>, Vec<_>) = (w.into_iter().map(T::lit).collect(), q.iter().map(|v| v.map(T::lit)).collect());
    let start: Vec<_> = (0..rng.below(contacts + 1)).map(|_| rng.direction().map(T::lit)).collect();
    let settings = settings::<T>(rng);
    let mut solver = Box::new(DelassusSolver::<T, 8>::new());
    let mut direct_memory = Box::new(DirectMemory::<T, 8, 36>::new());
    let block = |i: usize, j: usize| Matrix3::from_fn(|k, l| w[(3 * i + k) * 3 * contacts + 3 * j + l]);
    let blocks: Vec<_> = (0..contacts * contacts).map(|k| block(k / contacts, k % contacts)).collect();
    let columns: Vec<u32> = (0..contacts * contacts).map(|k| (k % contacts) as u32).collect();
    let starts: Vec<u32> = (0..=contacts).map(|i| (i * contacts) as u32).collect();
    let problem =
        if rng.chance(0.5) { Delassus::dense(&w, &q, &mu) } else { Delassus::new(&blocks, &starts, &columns, &q, &mu) };
    digest.add(solver.solve_with(
        &problem.expect("valid input"),
        &settings,
        &start,
        Hooks::with_direct(direct_memory.view()),
    ));
    for i in 0..contacts {
        digest.add((solver.impulse(i), solver.coupling(i), solver.state(i)));
    }
}

/// Both precisions.
fn both(single: u64, double: u64, golden: [u64; 2]) {
    assert!([single, double] == golden, "[{single:#018x}, {double:#018x}]");
}

#[test]
fn problems_with_friction_match_the_golden_bits() {
    fn all<T: Real>() -> u64 {
        digest(120, |rng, digest| {
            let mu = one_of(rng, &[0.4, 1.0, 3.0]);
            let by_islands = rng.chance(0.3);
            solve(&island(rng, mu), &settings::<T>(rng), by_islands, digest);
        })
    }
    both(all::<f32>(), all::<f64>(), [0x09e0_581a_d38f_3266, 0x2bfb_9b41_5617_7520]);
}

#[test]
fn problems_without_friction_match_the_golden_bits() {
    fn all<T: Real>() -> u64 {
        digest(150, |rng, digest| {
            let by_islands = rng.chance(0.3);
            solve(&island(rng, 0.0), &settings::<T>(rng), by_islands, digest);
        })
    }
    both(all::<f32>(), all::<f64>(), [0xa651_ec93_5795_0362, 0x0e51_df99_d686_1d0b]);
}

#[test]
fn heavy_stacks_match_the_golden_bits_for_every_method() {
    fn all<T: Real>() -> u64 {
        digest(8, |rng, digest| {
            let island = stack(2 + rng.below(4), one_of(rng, &[1.0, 100.0]), one_of(rng, &[0.0, 0.5]));
            let settings = Settings { sweeps: 300, ..settings::<T>(rng) };
            for method in [MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct] {
                solve(&island, &Settings { method, ..settings }, false, digest);
            }
        })
    }
    both(all::<f32>(), all::<f64>(), [0x3d98_3923_7b5a_caab, 0xf732_3d51_9abc_8af0]);
}

#[test]
fn problems_in_delassus_form_match_the_golden_bits() {
    fn all<T: Real>() -> u64 {
        digest(100, |rng, digest| solve_delassus::<T>(rng, digest))
    }
    both(all::<f32>(), all::<f64>(), [0x4187_720a_2451_e243, 0xe0e5_f812_ff30_034f]);
}

/// Settings whose limits are reached, warm starts that are far too large, little memory, and early deadlines.
fn solve_within_limits<T: Real>(rng: &mut Rng, digest: &mut Digest) {
    let mu = one_of(rng, &[0.0, 0.5, 0.5, 2.0]);
    let mut island = island(rng, mu);
    let few = rng.chance(0.3);
    island.contacts.truncate(if few { 8 } else { ROWS });
    for contact in &mut island.contacts {
        contact.warm.normal_impulse *= one_of(rng, &[1.0, 1.0, 1e6, 1e14]);
    }
    let settings = Settings {
        normal_sweeps: one_of(rng, &[0, 1, 3, 10, 1000]),
        factorisations: one_of(rng, &[0, 1, 3, 9, 200]),
        restitution_threshold: T::lit(one_of(rng, &[0.0, 0.25, 1.0])),
        slop: T::lit(one_of(rng, &[0.0, 0.02])),
        max_correction_speed: T::lit(one_of(rng, &[0.5, 10.0])),
        ..settings::<T>(rng)
    };
    let how = (rng.chance(0.3), one_of(rng, &[0, 1, 2, 5, 9, 14, 40, usize::MAX, usize::MAX, usize::MAX]));
    let mut small = Box::new(DirectMemory::<T, ROWS, 24>::new());
    let mut large = Box::new(DirectMemory::<T, ROWS, 300>::new());
    let direct = if rng.chance(0.3) { small.view() } else { large.view() };
    if few {
        solve_in::<T, 8>(&island, &settings, how, direct, digest);
    } else {
        solve_in::<T, ROWS>(&island, &settings, how, direct, digest);
    }
}

#[test]
fn solves_that_hit_their_limits_match_the_golden_bits() {
    fn all<T: Real>() -> u64 {
        digest(200, |rng, digest| solve_within_limits::<T>(rng, digest))
    }
    both(all::<f32>(), all::<f64>(), [0x0a33_6cc0_876b_2187, 0x17d8_1b4e_c46c_3001]);
}

/// One contact of any kind: round, flat, nearly singular, light, heavy, fast, slow.
fn solve_locally<T: Real>(rng: &mut Rng, digest: &mut Digest) {
    let axes = rng.rotation();
    let values = Vector3::from_fn(|_, _| one_of(rng, &[1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0, 1.0, 2.0, 30.0]));
    let k = axes * Matrix3::from_diagonal(&values) * axes.transpose() * one_of(rng, &[1.0, 1.0, 1e-3, 1e3]);
    let (block, _) = Block::new(&((k + k.transpose()) * 0.5).map(T::lit));
    let cone = Cone {
        mu: T::lit(one_of(rng, &[0.0, 1e-3, 0.3, 0.7, 1.5, 10.0])),
        preload: T::lit(one_of(rng, &[0.0, 0.0, 0.0, 0.1, 1.0])),
    };
    let speed = one_of(rng, &[1.0, 1.0, 1e-5, 1e5]);
    let free =
        Vector3::new(rng.range(-1.0, 0.3), rng.range(-3.0, 3.0), rng.range(-3.0, 3.0)).map(|v| T::lit(v * speed));
    let alone = exact(&block, &cone, &free);
    digest.add((alone, cone.excess(&free), cone.project(&free), cone.clamp(&free)));
    for guess in [0.0, 1e-9, 0.3, 1e6] {
        digest.add(exact_near(&block, &cone, &free, T::lit(guess)));
    }
    digest.add(exact_near(&block, &cone, &free, alone.sigma * T::lit(1.01)));
}

#[test]
fn single_contacts_match_the_golden_bits_and_step_counts() {
    fn all<T: Real>() -> u64 {
        digest(400, |rng, digest| solve_locally::<T>(rng, digest))
    }
    both(all::<f32>(), all::<f64>(), [0x8985_907c_52f6_b815, 0x8cc7_a98d_ccec_dc7b]);
}
