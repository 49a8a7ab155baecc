//! A leg of two hinges with servos at 1 kHz: its script, and what its steps and its joints' visits cost, with a factor of
//! all joints and without it (feature `nothing`). The host compares every count with the committed figures, and the
//! digest of all steps with its own.

#![no_std]
#![no_main]

use core::mem::size_of;

use cortex_m_rt::entry;
use defmt::{error, info};
use static_cell::StaticCell;
use stiction::{InputError, JointAxis, JointKind, StepReport};
use stiction_board::board::{Clock, end};
use stiction_board::stack::measured;
use stiction_scenes::digest::Digest;
use stiction_scenes::leg::{BLOCKS, JOINTS, Leg, TICKS, servo};

/// Blocks of the factor.
const KEPT: usize = if cfg!(feature = "nothing") { 0 } else { BLOCKS };
/// Sweeps of the two steps whose difference is counted.
const SWEEPS: [u32; 2] = [4, 12];

static LEG: StaticCell<Leg<f32, KEPT>> = StaticCell::new();

#[entry]
fn main() -> ! {
    let ended = show(&Clock::start());
    if let Err(error) = &ended {
        error!("rejected: {}", error);
    }
    end(matches!(ended, Ok(true)))
}

/// Whether all of it was done.
fn show(clock: &Clock) -> Result<bool, InputError<f32>> {
    let Some(leg) = LEG.try_init(Leg::new(false)?) else { return Ok(false) };
    follow_script(clock, leg)?;
    *leg = Leg::new(false)?;
    info!("count leg_memory {=usize}", size_of::<Leg<f32, KEPT>>());
    info!("count leg_stack {=u32}", deepest(leg)?);
    let free = JointAxis::FREE;
    let kinds = [
        ("hinge", JointKind::Hinge(free)),
        ("hinge_servo", JointKind::Hinge(servo(0.1))),
        ("slider", JointKind::Slider(free)),
        ("slider_servo", JointKind::Slider(servo(0.1))),
    ];
    for (name, kind) in kinds {
        let Some(visit) = visit(clock, leg, kind)? else { return Ok(false) };
        info!("count leg_{=str}_visit {=u32}", name, visit);
    }
    Ok(true)
}

/// The script, a line every 100 ms.
#[inline(never)]
fn follow_script(clock: &Clock, leg: &mut Leg<f32, KEPT>) -> Result<(), InputError<f32>> {
    let mut digest = Digest::default();
    let (mut most, mut sum) = (0, 0_u64);
    for _ in 0..TICKS {
        let start = clock.now();
        let report = leg.step()?;
        let took = clock.now().wrapping_sub(start);
        most = if took > most { took } else { most };
        sum += u64::from(took);
        digest.add_leg(leg, &report);
        if leg.tick.is_multiple_of(100) {
            log_step(leg, &report, took);
        }
    }
    info!("leg: {=u32} steps, digest {=u64:016x}", TICKS, digest.0);
    info!("count leg_step_mean {=u64}", sum / u64::from(TICKS));
    info!("count leg_step_most {=u32}", most);
    Ok(())
}

fn log_step(leg: &Leg<f32, KEPT>, report: &StepReport<f32>, took: u32) {
    info!(
        "tick {=u32}: trunk at {=f32} m, ground carries {=f32} N, {=u32} sweeps, {=u32} instructions",
        leg.tick,
        leg.height(),
        leg.ground_force(),
        report.sweeps,
        took
    );
}

/// The most stack of a step of the script, bytes.
#[inline(never)]
fn deepest(leg: &mut Leg<f32, KEPT>) -> Result<u32, InputError<f32>> {
    let mut deepest = 0;
    for _ in 0..TICKS {
        let (stepped, bytes) = measured(|| leg.step().map(|_| ()));
        stepped?;
        deepest = if bytes > deepest { bytes } else { deepest };
    }
    Ok(deepest)
}

/// What a visit of a joint takes: the difference of two first steps by their sweeps. None if they were not made.
#[inline(never)]
fn visit(clock: &Clock, leg: &mut Leg<f32, KEPT>, kind: JointKind<f32>) -> Result<Option<u32>, InputError<f32>> {
    let mut took = [0; 2];
    for (took, sweeps) in took.iter_mut().zip(SWEEPS) {
        *leg = Leg::of_kind(kind)?;
        leg.sweep_always(sweeps);
        let start = clock.now();
        let report = leg.step()?;
        *took = clock.now().wrapping_sub(start);
        if report.sweeps != sweeps {
            error!("{=u32} sweeps instead of {=u32}", report.sweeps, sweeps);
            return Ok(None);
        }
    }
    Ok(Some((took[1] - took[0]) / ((SWEEPS[1] - SWEEPS[0]) * JOINTS as u32)))
}
