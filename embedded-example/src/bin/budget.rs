//! Counts the cost of a solve in instructions (cycles on a real board), bytes of stack and bytes of memory. The host
//! compares every line with the committed figures.

#![no_std]
#![no_main]

use core::mem::size_of;
use core::ptr::addr_of_mut;

use cortex_m_rt::entry;
use defmt::{error, info};
use stiction::Hooks;
use stiction::nalgebra::{Matrix3, Vector3};
use stiction::{
    Bodies, Body, Contact, ContactState, Contacts, FlightRecorder, InputError, Report, Settings, Solver, StepReport,
};
use stiction_board::board::{Clock, TICKS_PER_MICROSECOND, end};
use stiction_board::stack::measured;
use stiction_scenes::robot::{Robot, TICKS};

const NB: usize = 5;
const NC: usize = 8;

/// Instructions to reserve for finishing a solve, for each contact.
const CLOSING_A_CONTACT: u32 = 1200;

/// Measured data, kept in static memory so that it does not use the stack.
struct State {
    solver: Solver<f32, NB, NC>,
    bodies: Bodies<f32, NB>,
    contacts: Contacts<f32, NC>,
    robot: Option<Robot<f32>>,
    recorder: FlightRecorder<8192>,
}

static mut STATE: State = State {
    solver: Solver::new(),
    bodies: Bodies::new(),
    contacts: Contacts::new(),
    robot: None,
    recorder: FlightRecorder::new(),
};

#[entry]
fn main() -> ! {
    let clock = Clock::start();
    // SAFETY: the only reference to it, taken once, in the only thread.
    let state = unsafe { &mut *addr_of_mut!(STATE) };
    let ended = count_everything(&clock, state);
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(ended.is_ok())
}

fn count_everything(clock: &Clock, state: &mut State) -> Result<(), InputError<f32>> {
    for (name, speed) in [("stick", 0.01), ("slide", 3.0)] {
        let few = count_sweeps(clock, state, speed, 4)?;
        let many = count_sweeps(clock, state, speed, 12)?;
        info!("count {=str}_contacts {=usize}", name, in_state(state, speed));
        info!("count {=str}_visit {=u32}", name, (many - few) / (8 * NC as u32));
        info!("count {=str}_8_contacts_10_sweeps {=u32}", name, count_sweeps(clock, state, speed, 10)?);
        rods(state, speed)?;
        let with_tolerance = Settings { sweeps: 10, ..Settings::default() };
        info!("count {=str}_default_settings_10_sweeps {=u32}", name, count(clock, state, &with_tolerance)?);
    }
    info!("count stack_of_512 {=u32}", stiction_board::stack::of_half_a_kilobyte());
    info!(
        "count memory {=usize}",
        size_of::<Solver<f32, NB, NC>>() + size_of::<Bodies<f32, NB>>() + size_of::<Contacts<f32, NC>>()
    );
    compare_roots(clock);
    solve_stack(state)?;
    step_stack(clock, state)?;
    deadline(clock, state)
}

/// Four rods of 1 kg on one another, each on two feet, 0.16 m/s down, each faster sideways than the one below.
fn rods(state: &mut State, speed: f32) -> Result<(), InputError<f32>> {
    state.bodies.clear();
    state.contacts.clear();
    let mut below = state.bodies.push(Body::fixed())?;
    let mut faster = speed;
    for _ in 1..NB {
        let linear = Vector3::new(faster, 0.5 * faster, -0.16);
        let rod = state
            .bodies
            .push(Body { linear_velocity: linear, ..Body::from_inverse(1.0, Matrix3::identity() * 6.0) })?;
        for x in [-0.5, 0.5] {
            let (on_lower, on_upper) = (Vector3::new(x, 0.0, 0.25), Vector3::new(x, 0.0, -0.25));
            state.contacts.push(Contact::new(below, rod, Vector3::z(), on_lower, on_upper, 0.6))?;
        }
        below = rod;
        faster += speed;
    }
    Ok(())
}

/// Zero tolerance: every sweep is made.
fn settings(sweeps: u32) -> Settings<f32> {
    Settings { sweeps, tolerance: 0.0, ..Settings::default() }
}

#[inline(never)]
fn solve(state: &mut State, settings: &Settings<f32>) -> Result<Report<f32>, InputError<f32>> {
    state.solver.solve(&mut state.bodies, &state.contacts, settings, 1.0 / 60.0)
}

fn count_sweeps(clock: &Clock, state: &mut State, speed: f32, sweeps: u32) -> Result<u32, InputError<f32>> {
    rods(state, speed)?;
    count(clock, state, &settings(sweeps))
}

fn count(clock: &Clock, state: &mut State, settings: &Settings<f32>) -> Result<u32, InputError<f32>> {
    let start = clock.now();
    solve(state, settings)?;
    Ok(clock.now().wrapping_sub(start))
}

/// How many contacts are in the state expected at this speed.
fn in_state(state: &State, speed: f32) -> usize {
    let wanted = if speed > 1.0 { ContactState::Slide } else { ContactState::Stick };
    (0..NC).filter(|i| state.solver.contact(*i).is_some_and(|contact| contact.state == wanted)).count()
}

/// Properties of the rods' contacts.
#[derive(Clone, Copy)]
struct Kind {
    mu: f32,
    restitution: f32,
    depth: f32,
}

/// Default, deep penetration, bouncing, and both.
const KINDS: [Kind; 4] = [
    Kind { mu: 0.6, restitution: 0.0, depth: 0.0 },
    Kind { mu: 0.6, restitution: 0.0, depth: 0.03 },
    Kind { mu: 0.6, restitution: 0.5, depth: 0.0 },
    Kind { mu: 0.6, restitution: 0.5, depth: 0.03 },
];

fn special_rods(state: &mut State, Kind { mu, restitution, depth }: Kind) -> Result<(), InputError<f32>> {
    rods(state, 3.0)?;
    for i in 0..NC {
        let Some(contact) = state.contacts.get(i) else { break };
        state.contacts.set(i, Contact { mu, restitution, depth, ..contact })?;
    }
    Ok(())
}

/// With friction, with friction and bouncing, and without friction, where normals are solved exactly. Each deep or not,
/// with and without a tolerance; the largest stack use counts.
fn solve_stack(state: &mut State) -> Result<(), InputError<f32>> {
    let [plain, deep, bouncing, both] = KINDS;
    let smooth = |kind| Kind { mu: 0.0, ..kind };
    let of = [
        ("solve_stack", &[plain, deep][..]),
        ("solve_stack_bouncing", &[bouncing, both]),
        ("solve_stack_without_friction", &[smooth(plain), smooth(deep), smooth(bouncing), smooth(both)]),
    ];
    for (name, kinds) in of {
        let mut deepest = 0;
        for kind in kinds {
            for tolerance in [0.0, 1e-6] {
                special_rods(state, *kind)?;
                let settings = Settings { restitution_threshold: 0.1, tolerance, ..settings(10) };
                let (solved, bytes) = measured(|| solve(state, &settings));
                solved?;
                deepest = if bytes > deepest { bytes } else { deepest };
            }
        }
        info!("count {=str} {=u32}", name, deepest);
    }
    Ok(())
}

/// Compares the square-root instruction with the software version over all exponents and both signs, and counts the
/// cost of a thousand of each.
fn compare_roots(clock: &Clock) {
    let (mut bits, mut different) = (0x0000_0001_u32, 0_u32);
    for _ in 0..2_000_000 {
        let x = f32::from_bits(bits);
        let (fast, slow) = (stiction_fast_sqrt::sqrt(x), libm::sqrtf(x));
        different += u32::from(fast.to_bits() != slow.to_bits() && !(fast.is_nan() && slow.is_nan()));
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    info!("count different_roots {=u32}", different);
    info!("count roots_by_instruction {=u32}", thousand_roots(clock, stiction_fast_sqrt::sqrt));
    info!("count roots_by_software {=u32}", thousand_roots(clock, libm::sqrtf));
}

fn thousand_roots(clock: &Clock, root: impl Fn(f32) -> f32) -> u32 {
    let start = clock.now();
    let mut x = 2.0_f32;
    for _ in 0..1000 {
        x = core::hint::black_box(root(core::hint::black_box(x)) + 1.0);
    }
    clock.now().wrapping_sub(start)
}

/// The robot's whole script, stepped as in its loop: with deadline and recorder.
fn step_stack(clock: &Clock, state: &mut State) -> Result<(), InputError<f32>> {
    state.robot = Some(Robot::new()?);
    let (Some(robot), recorder) = (&mut state.robot, &mut state.recorder) else { return Ok(()) };
    let mut deepest = 0;
    for _ in 0..TICKS {
        let start = clock.now();
        let (stepped, bytes) = measured(|| step(robot, start, clock, recorder));
        stepped?;
        deepest = if bytes > deepest { bytes } else { deepest };
    }
    info!("count step_stack {=u32}", deepest);
    Ok(())
}

#[inline(never)]
fn step(
    robot: &mut Robot<f32>,
    start: u32,
    clock: &Clock,
    recorder: &mut FlightRecorder<8192>,
) -> Result<StepReport<f32>, InputError<f32>> {
    let mut should_stop = || clock.now().wrapping_sub(start) > 10_000_000;
    robot.step(Hooks { should_stop: Some(&mut should_stop), direct: None, observer: Some(recorder), lanes: None })
}

/// A deadline for a solve that would take ten times as long; the worse of each kind counts. The time for the work after
/// the sweeps is reserved, as every caller should do: the whole call then ends in time, within one sweep. A bounce is
/// finished in the same way and needs twice the reserve. The work before the first deadline check alone takes most of
/// 100 µs.
fn deadline(clock: &Clock, state: &mut State) -> Result<(), InputError<f32>> {
    let [plain, deep, bouncing, both] = KINDS;
    let resting = cut_short(clock, state, [plain, deep], 100, CLOSING_A_CONTACT)?;
    let struck = cut_short(clock, state, [bouncing, both], 200, 2 * CLOSING_A_CONTACT)?;
    info!("count deadline_noticed_late {=u32}", resting.noticed_late);
    info!("count deadline_closing {=u32}", resting.closing);
    info!("count deadline_overrun {=u32}", resting.overrun);
    info!("count deadline_noticed_late_bouncing {=u32}", struck.noticed_late);
    info!("count deadline_closing_bouncing {=u32}", struck.closing);
    info!("count deadline_overrun_bouncing {=u32}", struck.overrun);
    info!("deadline: passive {=bool}", resting.passive && struck.passive);
    Ok(())
}

/// The worst results of solves that a deadline cut short.
struct Cut {
    noticed_late: u32,
    closing: u32,
    overrun: u32,
    passive: bool,
}

fn cut_short(
    clock: &Clock,
    state: &mut State,
    kinds: [Kind; 2],
    microseconds: u32,
    reserve_a_contact: u32,
) -> Result<Cut, InputError<f32>> {
    let ticks = microseconds * TICKS_PER_MICROSECOND;
    let sweeps_end = ticks - reserve_a_contact * NC as u32;
    let mut worst = Cut { noticed_late: 0, closing: 0, overrun: 0, passive: true };
    for kind in kinds {
        special_rods(state, kind)?;
        let settings = Settings { restitution_threshold: 0.1, ..settings(1000) };
        let start = clock.now();
        let mut first_yes = None;
        let mut expired = || {
            let now = clock.now().wrapping_sub(start);
            if now > sweeps_end {
                first_yes.get_or_insert(now);
            }
            now > sweeps_end
        };
        let before = energy(&state.bodies);
        state.solver.solve_with(
            &mut state.bodies,
            &state.contacts,
            &settings,
            1.0 / 60.0,
            Hooks::with_should_stop(&mut expired),
        )?;
        let took = clock.now().wrapping_sub(start);
        let noticed = first_yes.unwrap_or(took);
        let larger = |one: u32, other: u32| if one > other { one } else { other };
        worst.noticed_late = larger(worst.noticed_late, noticed.saturating_sub(sweeps_end));
        worst.closing = larger(worst.closing, took - noticed);
        worst.overrun = larger(worst.overrun, took.saturating_sub(ticks));
        worst.passive &= energy(&state.bodies) <= before && first_yes.is_some();
    }
    Ok(worst)
}

/// Kinetic energy of the bodies, J.
fn energy(bodies: &Bodies<f32, NB>) -> f32 {
    (0..NB).filter_map(|i| bodies.get(i)).map(|body| body.kinetic_energy()).sum()
}
