//! The bounce: the normals of all contacts are solved together for the separation speeds that restitution requires.
//!
//! Targets are `−e u_n⁻` where the velocity before impact `u_n⁻` approaches faster than the restitution threshold, and
//! 0 elsewhere: the target form of Newton's law, and the only place where restitution enters. `u_n⁻` is taken before
//! any impulse of the solve, warm start included. Contacts that do not bounce take part, so that a bounce cannot push
//! one body into the next. Where there is a gap, 0 becomes `−gap/dt`: it may close within the step, and a contact that
//! would not close it does not bounce yet. Solved together the answer does not depend on the order of contacts; the
//! sequential choice makes one pass over the bouncing contacts and does.
//!
//! Separation speeds can contradict each other: a part squeezed from two sides cannot leave both. Then no impulses
//! solve the rows and sweeps keep adding impulse; such a bounce makes no progress, and is discarded.
use crate::math::ldlt3::Energy;
use crate::math::real::{Real, positive_part};
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::settings::{BounceMode, Settings};
use crate::problem::status::Status;
use crate::solve::active_set;
use crate::solve::normal_rows::{self, NormalsEnd, worst_shortfall};
use crate::solve::passivity::{PhaseOutcome, Targets, enforce_passivity};
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::velocity::copy_velocities;
use crate::sweep::moment_row::Role;
use crate::sweep::rows::Rows;

/// Result of a bounce.
#[derive(Clone, Copy)]
pub(crate) struct Bounced<T> {
    pub sweeps: u32,
    /// How it ended: converged also if nothing bounced.
    pub status: Status,
    /// Worst separation speed not reached.
    pub missing: T,
    /// Kinetic energy after it.
    pub energy: Energy<T>,
    /// Energy change, J.
    pub work: T,
    /// Whether its impulses were scaled down so as not to add energy.
    pub guarded: bool,
}

impl<T: Real> Bounced<T> {
    /// A bounce that changed nothing.
    #[inline(always)]
    pub fn unchanged(before: Energy<T>, sweeps: u32, status: Status, missing: T) -> Self {
        Bounced { sweeps, status, missing, energy: before, work: T::ZERO, guarded: false }
    }
}

/// Lets an island bounce, in parts that are not on the stack together.
pub(crate) fn bounce<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    before: Energy<T>,
) -> Bounced<T> {
    let Some(target_speed) = set_targets(work, task) else {
        return Bounced::unchanged(before, 0, Status::Converged, T::ZERO);
    };
    let (sweeps, ended) = solve_targets(work, task, target_speed);
    if ended == NormalsEnd::NoProgress {
        work.restore_start();
        return Bounced::unchanged(before, sweeps, Status::BounceDropped, target_speed);
    }
    let (missing, outcome) = finish(work, task, before);
    // The sequential mode makes exactly one pass; missing a target does not count.
    let reached = task.settings.bounce == BounceMode::Sequential
        || missing <= (task.settings.tolerance + T::lit(64.0) * T::EPSILON) * target_speed;
    let guarded = outcome.guarded();
    let status = match ended {
        NormalsEnd::Interrupted => Status::Deadline,
        _ if reached => Status::Converged,
        _ if guarded => Status::Guarded,
        _ => Status::SweepLimit,
    };
    Bounced { sweeps, status, missing, energy: outcome.energy, work: outcome.work.total, guarded }
}

/// Sets the targets; returns the largest missing separation speed, if any contact bounces.
#[cfg_attr(target_os = "none", inline(never))]
fn set_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
) -> Option<T> {
    let SolverWorkspace { islands, rows, jacobians, velocity, dt, .. } = work;
    let contact_of = |row| islands.contact_of(row);
    // Fast path: usually no contact has restitution.
    if !rows.window().any(|row| task.contacts.impact(contact_of(row)).0 > T::ZERO) {
        return None;
    }
    let space = BodySpace::new(jacobians, velocity);
    let bounces = set_bounce_targets(task.contacts, contact_of, task.settings, *dt, rows, &space);
    bounces.then(|| worst_shortfall(rows, &space))
}

fn set_bounce_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    contacts: &Contacts<T, NC, R>,
    contact_of: impl Fn(usize) -> usize,
    settings: &Settings<T>,
    dt: T,
    rows: &mut Rows<T, NC, R>,
    space: &BodySpace<'_, T, NB, NC, R>,
) -> bool {
    let mut bounces = false;
    for i in rows.window() {
        let contact = contact_of(i);
        let (restitution, recorded) = contacts.impact(contact);
        let min = Settings::min_normal_velocity(contacts.depth(contact), dt);
        let is_moment = R::HAS_MOMENTS && rows.role(i) == Role::Second;
        rows.target[i] = if is_moment { T::ZERO } else { min };
        if is_moment || !(restitution > T::ZERO) {
            continue;
        }
        let now = space.normal_velocity(i);
        let bounce = bounce_speed(restitution, recorded, now, min, settings);
        rows.target[i] = if bounce > T::ZERO { bounce } else { min };
        bounces |= bounce > T::ZERO;
    }
    bounces
}

/// The separation speed that restitution requires of a contact with the normal velocity `now`; 0 if it does not bounce.
/// `min` is its smallest normal velocity.
#[inline(always)]
pub(crate) fn bounce_speed<T: Real>(restitution: T, recorded: Option<T>, now: T, min: T, settings: &Settings<T>) -> T {
    let before = recorded.unwrap_or(now);
    let hits = before < -settings.restitution_threshold && now < min;
    if hits { positive_part(-restitution * before) } else { T::ZERO }
}

/// Solves the rows for their targets; returns the number of sweeps and how they ended.
fn solve_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    target_speed: T,
) -> (u32, NormalsEnd) {
    let exact = !task.stop.has_stopped()
        && task.settings.bounce != BounceMode::Sequential
        && active_set::solve_island(work, task.stop);
    sweep_targets(work, task, target_speed, exact)
}

#[cfg_attr(target_os = "none", inline(never))]
fn sweep_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
    target_speed: T,
    exact: bool,
) -> (u32, NormalsEnd) {
    let mut space = BodySpace::new(&work.jacobians, &mut work.velocity);
    if task.settings.bounce == BounceMode::Sequential {
        normal_rows::pass(&work.rows, &mut space, &mut work.normal_impulse);
        return (0, NormalsEnd::Done);
    }
    // Exact if there are few rows, no dependent row has a contradicting target, and rounding is small enough.
    if exact && worst_shortfall(&work.rows, &space) <= T::EPSILON.sqrt_or_zero() * target_speed {
        return (0, NormalsEnd::Done);
    }
    work.restore_start();
    let mut space = BodySpace::new(&work.jacobians, &mut work.velocity);
    let cap = task.settings.normal_sweeps;
    normal_rows::solve(&work.rows, &mut space, &mut work.normal_impulse, cap, task.stop)
}

/// Makes the bounce passive and its impulses the preloads of the contact phase; returns the missing speed.
#[cfg_attr(target_os = "none", inline(never))]
fn finish<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
    before: Energy<T>,
) -> (T, PhaseOutcome<T>) {
    work.rows.set_normal_impulses(&work.normal_impulse);
    let outcome = enforce_passivity(work, task, before, Targets::Ignored);
    work.rows.turn_impulses_into_preloads();
    copy_velocities(work.islands.bodies(), &work.velocity, &mut work.start);
    (worst_shortfall(&work.rows, &BodySpace::new(&work.jacobians, &mut work.velocity)), outcome)
}
