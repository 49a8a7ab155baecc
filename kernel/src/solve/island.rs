//! One island from prepared rows to its report: order and stopping, no arithmetic.
//!
//! ```text
//! bounce → warm start → contact phase → passivity → position correction
//! ```
//!
//! Which method solves the contact phase depends on the island alone: no friction and few rows, the exact active set;
//! no friction and more, sweeps over the normals; friction, block sweeps. If all contacts are solved together, all
//! contacts are one island.
use crate::direct::memory::DirectView;
use crate::math::ldlt3::Energy;
use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::{Report, Residual};
use crate::problem::status::{Method, Status};
use crate::solve::active_set;
use crate::solve::bounce::{Bounced, bounce};
use crate::solve::contact_phase::{ContactPhase, PhaseState};
use crate::solve::friction_work::book_friction;
use crate::solve::normal_rows::NormalsEnd;
use crate::solve::passivity::{PhaseOutcome, Targets, enforce_passivity};
use crate::solve::position_correction::correct_positions;
use crate::solve::task::Task;
use crate::solve::warm_start::warm_start;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::velocity::kinetic_energy;
use crate::sweep::lane_memory::Loaded;
use crate::sweep::moment_row::Role;
use crate::sweep::residual::speed_norm;

/// Solves one island and sets the new velocities of its bodies.
///
/// `direct` is a separate argument, not a field of the task: if a program never passes one, the compiler sees a
/// constant and omits the direct methods.
pub(crate) fn solve_island<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    island: usize,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    direct: Option<&mut DirectView<'_, T>>,
) -> Report<T> {
    let begun = begin_island(work, island, task);
    solve_contact_phase(work, task, direct, begun.q_norm, begun.is_exact);
    end_island(work, task, &begun)
}

/// What an island's contact phase begins with.
#[derive(Clone, Copy)]
pub(crate) struct Begun<T> {
    before: Energy<T>,
    bounced: Bounced<T>,
    /// The speed norm at the start of the phase.
    pub q_norm: T,
    /// Whether the active set has solved it.
    pub is_exact: bool,
}

impl<T: Real> Begun<T> {
    /// Of no island.
    pub const NONE: Self = {
        let energy = Energy { value: T::ZERO, uncertainty: T::ZERO };
        let bounced =
            Bounced { sweeps: 0, status: Status::Converged, missing: T::ZERO, energy, work: T::ZERO, guarded: false };
        Begun { before: energy, bounced, q_norm: T::ZERO, is_exact: false }
    };
}

/// All that comes before the contact phase.
#[inline(always)]
pub(crate) fn begin_island<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    island: usize,
    task: &mut Task<'_, '_, T, NB, NC, R>,
) -> Begun<T> {
    work.select(island);
    work.save_start();
    let before = kinetic_energy(task.bodies, work.islands.bodies(), &work.velocity);
    let bounced = bounce(work, task, before);
    set_contact_targets(work, task);
    let q_norm = start_speed_norm(work);
    let is_exact = !task.stop.has_stopped() && work.rows.is_frictionless() && active_set::solve_island(work, task.stop);
    if is_exact {
        work.rows.set_normal_impulses(&work.normal_impulse);
    } else {
        warm_start(work, task, q_norm);
    }
    Begun { before, bounced, q_norm, is_exact }
}

/// All that comes after the contact phase.
#[inline(always)]
pub(crate) fn end_island<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    begun: &Begun<T>,
) -> Report<T> {
    let contact = finish_contact_phase(work, task, begun.bounced.energy, begun.q_norm);
    let correction = correct_positions(work, task);
    work.store(task.bodies);
    report(work, begun.before, &begun.bounced, &contact, correction)
}

/// Sets the target normal velocities of the contact phase: zero, the closing of a gap, or the bias that corrects
/// penetration.
fn set_contact_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
) {
    for i in work.rows.window() {
        let speed = task.settings.contact_speed(work.depth(task.contacts, i), work.dt);
        work.rows.target[i] = if R::HAS_MOMENTS && work.rows.role(i) == Role::Second { T::ZERO } else { speed };
    }
}

#[cfg_attr(target_os = "none", inline(never))]
fn start_speed_norm<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
) -> T {
    speed_norm(&mut work.rows, &BodySpace::new(&work.jacobians, &mut work.velocity))
}

/// Solves the contact phase unless the active set did. The steps before and after are the caller's: they are not on the
/// stack together.
#[cfg_attr(target_os = "none", inline(never))]
fn solve_contact_phase<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    direct: Option<&mut DirectView<'_, T>>,
    q_norm: T,
    exact: bool,
) {
    let SolverWorkspace { rows, jacobians, velocity, start, phase, .. } = work;
    let mut space = BodySpace::new(jacobians, velocity);
    if exact && phase.accept_exact(rows, &space, q_norm, task.settings) {
        return;
    }
    let frictionless = rows.is_frictionless();
    (space.normals_only, space.start) = (frictionless, Some(&*start));
    let run = ContactPhase::new(task.settings, q_norm, phase);
    let mut lanes = core::mem::take(&mut task.lanes);
    lanes.set_loaded(Loaded::Nothing);
    task.lanes = run.solve(rows, &mut space, task.stop, direct, lanes);
    debug_assert!(rows.are_admissible(), "an impulse outside its cone after a phase");
    name_method(phase, frictionless);
}

/// Block sweeps without friction are scalar ones.
#[inline(always)]
pub(crate) fn name_method<T: Real>(phase: &mut PhaseState<T>, frictionless: bool) {
    if frictionless && phase.method == Method::BlockPgs {
        phase.method = Method::ScalarPgs;
    }
}

/// Makes the contact phase passive, and measures it again if that changed the answer.
#[cfg_attr(target_os = "none", inline(never))]
fn finish_contact_phase<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
    before: Energy<T>,
    q_norm: T,
) -> PhaseOutcome<T> {
    let outcome = enforce_passivity(work, task, before, Targets::Counted);
    if outcome.rebuilt {
        let SolverWorkspace { rows, jacobians, velocity, phase, .. } = work;
        phase.measure_again(rows, &BodySpace::new(jacobians, velocity), q_norm, task.settings.tolerance);
    }
    if R::HAS_MOMENTS {
        book_friction(work, task.bodies);
    }
    outcome
}

/// The report, with the worst contact by its index among the caller's contacts.
fn report<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    before: Energy<T>,
    bounced: &Bounced<T>,
    contact: &PhaseOutcome<T>,
    correction: NormalsEnd,
) -> Report<T> {
    let phase = &work.phase;
    let worst_contact = phase.residual.worst_contact.map(|row| work.islands.contact_of(row));
    let report = report_of(phase, before, bounced, contact, correction);
    let residual = Residual { worst_contact, ..phase.residual };
    Report { residual, safe_blocks: work.rows.safe_blocks(), ..report }
}

/// The same of rows that are the caller's contacts, none of them with a safe block.
#[inline(always)]
pub(crate) fn report_of<T: Real>(
    phase: &PhaseState<T>,
    before: Energy<T>,
    bounced: &Bounced<T>,
    contact: &PhaseOutcome<T>,
    correction: NormalsEnd,
) -> Report<T> {
    Report {
        status: overall_status(phase.status, bounced.status, correction),
        method: phase.method,
        sweeps: phase.sweeps,
        direct: phase.direct,
        bounce_sweeps: bounced.sweeps,
        bounce_missing: bounced.missing,
        bounce_dropped: bounced.status == Status::BounceDropped,
        residual: phase.residual,
        energy_before: before.value,
        energy_after: contact.energy.value,
        bounce_work: bounced.work,
        contact_work: contact.work.total,
        friction_work: contact.work.friction,
        bias_work: contact.work.bias,
        passivity_guard: bounced.guarded || contact.guarded(),
        safe_blocks: 0,
    }
}

/// The status of the whole solve, which includes bounce and position correction.
fn overall_status(contact_phase: Status, bounce: Status, correction: NormalsEnd) -> Status {
    let correction = if correction == NormalsEnd::Interrupted { Status::Deadline } else { Status::Converged };
    contact_phase.or_worse(bounce).or_worse(correction)
}

#[cfg(test)]
#[path = "tests_bit_flips.rs"]
mod tests_bit_flips;
