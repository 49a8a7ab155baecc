//! The demonstration: scenes with the same bits as on the host, a legged robot's loop, and two faults with their flight
//! recorder bytes.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use defmt::{error, info};
use static_cell::StaticCell;
use stiction::Hooks;
use stiction::PointId;
use stiction::nalgebra::Vector3;
use stiction::{ContactCollector, ContactState, FlightRecorder, InputError, RigidBody, Status, StepReport, World};
use stiction::{Manifold, ManifoldPoint};
use stiction_board::board::{Clock, TICKS_PER_MICROSECOND, end};
use stiction_scenes::boxes::{Boxes, sliding_cube_with_factor, stack_with_factor};
use stiction_scenes::digest::{Digest, of_boxes};
use stiction_scenes::robot::{BODIES, CONTACTS, FEET, Robot, TICKS};

/// Bytes of the flight recorder: the last four or five steps.
const RECORDER_BYTES: usize = 8192;

/// A controller has this long for a solve, µs.
const DEADLINE_MICROSECONDS: u32 = 800;

/// Time that is too short for a step, µs: contacts are found, and some feet are solved.
const TOO_SHORT_MICROSECONDS: u32 = 100;

/// One step of the loop.
const MILLISECOND: u32 = 1000 * TICKS_PER_MICROSECOND;

/// Data of the loop: too large for a stack that other tasks share. Initially zero, so that it takes no flash.
static ROBOT: StaticCell<Robot<f32>> = StaticCell::new();
static RECORDER: StaticCell<FlightRecorder<RECORDER_BYTES>> = StaticCell::new();

#[entry]
fn main() -> ! {
    let ended = show(&Clock::start());
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(ended.is_ok())
}

fn show(clock: &Clock) -> Result<(), InputError<f32>> {
    boxes("sliding cube", &mut sliding_cube_with_factor())?;
    boxes("stack of four", &mut stack_with_factor(4))?;
    // Both are available because they are taken once. (`init` would panic if not.)
    let robot = Robot::new()?;
    let (Some(recorder), Some(robot)) = (RECORDER.try_init_with(FlightRecorder::new), ROBOT.try_init(robot)) else {
        error!("asked for twice");
        return Ok(());
    };
    walk_without_recorder(clock, robot)?;
    *robot = Robot::new()?;
    walk(clock, robot, recorder)?;
    miss_a_deadline(clock, robot, recorder)?;
    reject_a_contact(robot, recorder)
}

/// A second of a scene with boxes.
fn boxes(name: &str, boxes: &mut Boxes<f32, BODIES, CONTACTS, 0>) -> Result<(), InputError<f32>> {
    let digest = of_boxes(boxes)?;
    let last = boxes.world.len() - 1;
    if let Some(body) = boxes.world.get(last) {
        let (p, v) = (body.position, body.linear_velocity);
        info!("{=str}: top at {} {} {} m, {} {} {} m/s", name, p.x, p.y, p.z, v.x, v.y, v.z);
    }
    info!("{=str}: digest {=u64:016x}", name, digest.0);
    Ok(())
}

/// The robot's script alone: what its steps cost.
#[inline(never)]
fn walk_without_recorder(clock: &Clock, robot: &mut Robot<f32>) -> Result<(), InputError<f32>> {
    let (mut most, mut sum) = (0, 0_u64);
    for _ in 0..TICKS {
        let start = clock.now();
        robot.step(Hooks::default())?;
        let took = clock.now().wrapping_sub(start);
        most = if took > most { took } else { most };
        sum += u64::from(took);
    }
    info!("count robot_bare_mean {=u64}", sum / u64::from(TICKS));
    info!("count robot_bare_most {=u32}", most);
    Ok(())
}

/// The robot's script, a line every 50 ms.
fn walk(
    clock: &Clock,
    robot: &mut Robot<f32>,
    recorder: &mut FlightRecorder<RECORDER_BYTES>,
) -> Result<(), InputError<f32>> {
    let mut digest = Digest::default();
    let (mut most, mut sum, mut cut_short, mut overruns) = (0, 0_u64, 0, 0);
    let mut due = clock.now();
    for _ in 0..TICKS {
        let phase = robot.phase();
        let start = clock.now();
        let mut deadline = || clock.now().wrapping_sub(start) > DEADLINE_MICROSECONDS * TICKS_PER_MICROSECOND;
        let report = robot.step(Hooks {
            should_stop: Some(&mut deadline),
            direct: None,
            observer: Some(recorder),
            lanes: None,
        })?;
        let took = clock.now().wrapping_sub(start);
        most = if took > most { took } else { most };
        sum += u64::from(took);
        cut_short += u32::from(report.status == Status::Deadline);
        digest.add_step(&robot.world, &robot.pipeline, &report);
        if robot.tick.is_multiple_of(50) {
            log_step(robot, phase.name(), &report);
        }
        // The next step starts at the next millisecond; the log is part of this one.
        let used = clock.now().wrapping_sub(due);
        overruns += u32::from(used > MILLISECOND);
        due = due.wrapping_add(MILLISECOND);
        while clock.now().wrapping_sub(due) > u32::MAX / 2 {}
    }
    info!(
        "robot: {=u32} steps, {=u32} cut short, {=u32} over a millisecond, digest {=u64:016x}",
        TICKS, cut_short, overruns, digest.0
    );
    info!("count robot_step_mean {=u64}", sum / u64::from(TICKS));
    info!("count robot_step_most {=u32}", most);
    Ok(())
}

fn log_step(robot: &Robot<f32>, phase: &str, report: &StepReport<f32>) {
    let (mut press, mut aside) = ([0.0; FEET], Vector3::zeros());
    for (foot, press) in press.iter_mut().enumerate() {
        let force = robot.ground_force(foot);
        *press = force.z;
        aside += force;
    }
    let sliding = robot.pipeline.contacts().filter(|contact| contact.state == ContactState::Slide).count();
    info!(
        "tick {=u32} {=str}: feet carry {=f32} {=f32} {=f32} {=f32} N, {=f32} {=f32} N sideways, {=usize} contacts, {=usize} slide, {=u32} sweeps",
        robot.tick,
        phase,
        press[0],
        press[1],
        press[2],
        press[3],
        aside.x,
        aside.y,
        report.contacts,
        sliding,
        report.sweeps
    );
}

/// An intentional fault: less time than the step takes. The answer is passive, and the recorder has the inputs that
/// led to it.
fn miss_a_deadline(
    clock: &Clock,
    robot: &mut Robot<f32>,
    recorder: &mut FlightRecorder<RECORDER_BYTES>,
) -> Result<(), InputError<f32>> {
    if let Some(trunk) = robot.world.get(1) {
        // Hard enough a push that one sweep is not enough.
        robot
            .world
            .set(1, RigidBody { linear_velocity: trunk.linear_velocity + Vector3::new(1.0, 2.0, -4.0), ..trunk })?;
    }
    // The legs press the feet down in the steps after the push.
    for _ in 0..3 {
        robot.step(Hooks::with_observer(recorder))?;
    }
    let start = clock.now();
    let mut deadline = || clock.now().wrapping_sub(start) > TOO_SHORT_MICROSECONDS * TICKS_PER_MICROSECOND;
    let report =
        robot.step(Hooks { should_stop: Some(&mut deadline), direct: None, observer: Some(recorder), lanes: None })?;
    let taken = report.ledger.bounce + report.ledger.normal + report.ledger.friction;
    info!(
        "fault: deadline missed {=bool}, residual {=f32}, contacts took {=f32} J",
        report.status == Status::Deadline,
        report.residual,
        taken
    );
    dump(recorder);
    Ok(())
}

/// An intentional fault: a contact whose normal is NaN. The step is rejected, and nothing changes. The recorder has the
/// steps before it, not the rejected contact.
fn reject_a_contact(
    robot: &mut Robot<f32>,
    recorder: &mut FlightRecorder<RECORDER_BYTES>,
) -> Result<(), InputError<f32>> {
    robot.step(Hooks::with_observer(recorder))?;
    let before = (robot.world.get(1), robot.world.get(2));
    let point = ManifoldPoint { on_a: Vector3::zeros(), on_b: Vector3::zeros(), depth: 0.0, id: PointId::Proximity };
    let touch = |_: &World<f32, BODIES>, collector: &mut ContactCollector<'_, f32, BODIES, CONTACTS>| {
        let mut broken = Manifold::new(0, 2, Vector3::repeat(f32::NAN));
        let _ = broken.points.try_push(point);
        collector.push(&broken)
    };
    match robot.pipeline.step_with(&mut robot.world, touch, 1e-3, Hooks::with_observer(recorder)) {
        Ok(_) => error!("a contact without a direction was taken"),
        Err(error) => {
            let same = before == (robot.world.get(1), robot.world.get(2));
            info!("fault: {}, nothing changed {=bool}", error, same);
        }
    }
    dump(recorder);
    Ok(())
}

/// Prints the flight recorder's bytes in lines that the host joins.
fn dump(recorder: &FlightRecorder<RECORDER_BYTES>) {
    let (first, second) = recorder.pieces();
    for piece in first.chunks(256).chain(second.chunks(256)) {
        info!("dump {=[u8]}", piece);
    }
    info!("dump ends");
}
