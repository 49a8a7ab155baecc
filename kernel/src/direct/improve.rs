//! Direct methods for islands on which sweeps converge slowly or cycle: Newton's method near a solution, otherwise
//! interior points, and proximal points where these stop short.
//!
//! Their memory is not part of the solver: callers pass a [`DirectMemory`](crate::DirectMemory). The best impulses by
//! residual are kept through all stages. If they do not solve the problem, the sweeps continue from their own last
//! state, and the better answer is returned: it is never worse than that of sweeps alone.
use crate::direct::contact_system::ContactSystem;
use crate::direct::memory::DirectView;
use crate::direct::workspace::{Stop, Workspace, restore};
use crate::direct::{interior_point, newton, proximal};
use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::DirectReport;
use crate::problem::settings::Settings;
use crate::problem::status::Method;
use crate::problem::stop_check::StopCheck;

/// How direct methods ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectEnd {
    /// The method that found the best impulses; `None` if the sweeps before did.
    pub method: Option<Method>,
    pub solved: bool,
    pub report: DirectReport,
    pub deadline_passed: bool,
}

/// Replaces the impulses of the later sweeps by the best ones of direct methods, if these are no worse in every
/// respect.
pub(crate) fn take_better<T: Real>(problem: &mut dyn ContactSystem<T>, memory: &mut DirectView<'_, T>) -> bool {
    let swept = problem.residual();
    let DirectView { scratch, .. } = memory.reborrow();
    for (i, entry) in scratch.iter_mut().enumerate().take(problem.len()) {
        entry.swept = problem.impulse(i);
    }
    restore(problem, scratch, |entry| entry.best);
    let best = problem.residual();
    let better = best.natural < swept.natural && best.worst() <= swept.worst();
    if !better {
        restore(problem, scratch, |entry| entry.swept);
    }
    better
}

/// Improves the present impulses as far as possible.
pub(crate) fn improve<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    memory: &mut DirectView<'_, T>,
    settings: &Settings<T>,
    stop: &mut StopCheck<'_>,
) -> DirectEnd {
    let DirectView { scratch, equations } = memory.reborrow();
    let fits = problem.len() <= scratch.len();
    let mut work = Workspace {
        scratch,
        equations,
        tolerance: settings.tolerance,
        stop,
        cap: settings.factorisations,
        newton_steps: 0,
        interior_steps: 0,
        min_residual: T::MAX,
    };
    let too_small = DirectReport { memory_too_small: true, ..Default::default() };
    let mut end = DirectEnd { method: None, solved: false, report: too_small, deadline_passed: false };
    if !fits || !work.equations.prepare(problem) {
        return end;
    }
    work.note_swept(problem);
    work.keep(problem);
    let before = work.min_residual;
    let mut stop_reason = newton::polish::<T, K>(problem, &mut work);
    work.keep(problem);
    if work.min_residual < before {
        end.method = Some(Method::Newton);
    }
    if stop_reason == Stop::NoProgress {
        let before = work.min_residual;
        stop_reason = interior_point::solve::<T, K>(problem, &mut work);
        if work.min_residual < before {
            end.method = Some(Method::InteriorPoint);
        }
    }
    if stop_reason == Stop::NoProgress {
        let before = work.min_residual;
        restore(problem, work.scratch, |entry| entry.best);
        stop_reason = proximal::solve::<T, K>(problem, &mut work);
        if work.min_residual < before {
            end.method = Some(Method::Newton);
        }
    }
    // Impulses that solve the problem may still have been too large to keep.
    end.solved = stop_reason == Stop::Solved && work.min_residual < work.tolerance;
    // The last point is discarded unless it is the best; sweeps continue from their own last state if time is left.
    let best = end.solved || stop_reason == Stop::Deadline;
    restore(problem, work.scratch, |entry| if best { entry.best } else { entry.swept });
    let Workspace { newton_steps, interior_steps, .. } = work;
    end.report = DirectReport { newton_steps, interior_steps, memory_too_small: false };
    end.deadline_passed = stop_reason == Stop::Deadline;
    end
}
