//! Position correction by split impulse: velocities that move bodies apart for one step and are then dropped.
//!
//! They are solved over the normals alone, after the contact phase. The target of a contact is the correction speed of
//! its depth minus the speed at which it already separates. Contacts with a gap take part, so that a correction cannot
//! push one body into the next.
use crate::math::real::{Real, positive_part};
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::{PositionCorrection, Settings};
use crate::solve::normal_rows::{self, NormalsEnd};
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::sweep::moment_row::Role;

/// A body's correction speed along an axis is implausible beyond this many times the correction speed of all contacts
/// together: a chain of bodies adds them up, a lever multiplies them.
pub(crate) const IMPLAUSIBLE: f64 = 64.0;

/// Limit on sweeps. Each step removes a part of the penetration in any case, and the next step sees the rest.
const SWEEPS: u32 = 40;

/// Leaves the correction's velocities in `work.start`, zero where there is none.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn correct_positions<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &mut Task<'_, '_, T, NB, NC, R>,
) -> NormalsEnd {
    work.clear_start();
    if task.settings.position_correction != PositionCorrection::SplitImpulse || !set_targets(work, task) {
        return NormalsEnd::Done;
    }
    let mut space = BodySpace::new(&work.jacobians, &mut work.start);
    let cap = task.settings.normal_sweeps;
    let cap = if cap < SWEEPS { cap } else { SWEEPS };
    let (_, end) = normal_rows::solve(&work.rows, &mut space, &mut work.normal_impulse, cap, task.stop);
    if end != NormalsEnd::Done || !is_plausible(work, task) {
        // A body squeezed from two sides cannot be corrected, and an unfinished correction could push one body into the
        // next.
        work.clear_start();
    }
    end
}

/// Sets the correction speed that each row still needs; returns whether any row does.
fn set_targets<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
) -> bool {
    // Fast path: usually no contact is deep enough.
    if !work.rows.window().any(|i| work.depth(task.contacts, i) > task.settings.slop) {
        return false;
    }
    let mut any = false;
    for i in work.rows.window() {
        let depth = work.depth(task.contacts, i);
        let u = work.space().normal_velocity(i);
        let target = if depth < T::ZERO {
            -positive_part(u - Settings::min_normal_velocity(depth, work.dt))
        } else {
            task.settings.correction_speed(depth, work.dt) - positive_part(u)
        };
        // Moments have no depth.
        let target = if R::HAS_MOMENTS && work.rows.role(i) == Role::Second { T::ZERO } else { target };
        work.rows.target[i] = target;
        any |= target > T::ZERO;
    }
    any
}

/// Whether no body is pushed out many times faster than all contacts together may ask for. The passivity guard does not
/// cover position correction. This check keeps a corrupted workspace from moving bodies.
fn is_plausible<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
) -> bool {
    let rows = work.rows.window().len();
    let rows = T::integer(if rows < 1000 { rows as i16 } else { 1000 });
    let limit = T::lit(IMPLAUSIBLE) * rows * task.settings.max_correction_speed;
    let plausible = |body: &u16| {
        let Some(v) = work.start.get(usize::from(*body)) else { return true };
        let (linear, angular) = (v.linear(), v.angular());
        // Part by part: squares may overflow.
        linear.iter().all(|part| part.abs() <= limit) && angular.iter().all(|part| part.is_finite())
    };
    work.islands.bodies().iter().all(plausible)
}
