//! Direct methods for islands on which sweeps converge slowly or cycle: Newton's method where sweeps came near, else interior points.
//!
//! Their memory is not part of the solver: callers pass a [`DirectMemory`](crate::DirectMemory). The best impulses by residual are
//! kept through all stages. Where they do not solve the problem, the sweeps go on from where they were, and the better of both
//! is handed back: an answer is never worse than that of sweeps alone.
use crate::direct::contact_system::ContactSystem;
use crate::direct::memory::DirectView;
use crate::direct::workspace::{Stop, Workspace, restore};
use crate::direct::{interior_point, newton};
use crate::math::real::Real;
use crate::problem::report::DirectReport;
use crate::problem::settings::Settings;
use crate::problem::status::Method;
use crate::problem::stop_check::StopCheck;

/// How direct methods ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectEnd {
    /// What gave the best impulses; none if the sweeps before did.
    pub method: Option<Method>,
    pub solved: bool,
    pub report: DirectReport,
    pub deadline_passed: bool,
}

/// Takes the best impulses of direct methods instead of what the sweeps after them came to, if they are no worse in anything.
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

/// Improves on the present impulses as far as it can.
pub(crate) fn improve<T: Real>(
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
        least: T::MAX,
    };
    let too_small = DirectReport { memory_too_small: true, ..Default::default() };
    let mut end = DirectEnd { method: None, solved: false, report: too_small, deadline_passed: false };
    if !fits || !work.equations.prepare(problem) {
        return end;
    }
    work.note_swept(problem);
    work.keep(problem);
    let before = work.least;
    let mut stop_reason = newton::polish(problem, &mut work);
    work.keep(problem);
    if work.least < before {
        end.method = Some(Method::Newton);
    }
    if stop_reason == Stop::NoProgress {
        let before = work.least;
        stop_reason = interior_point::solve(problem, &mut work);
        if work.least < before {
            end.method = Some(Method::InteriorPoint);
        }
    }
    // Solved impulses may yet have been too large to keep.
    end.solved = stop_reason == Stop::Solved && work.least < work.tolerance;
    // Interior points are left wherever they were; with time left, sweeps go on from where they stood.
    let best = end.solved || stop_reason == Stop::Deadline;
    restore(problem, work.scratch, |entry| if best { entry.best } else { entry.swept });
    let Workspace { newton_steps, interior_steps, .. } = work;
    end.report = DirectReport { newton_steps, interior_steps, memory_too_small: false };
    end.deadline_passed = stop_reason == Stop::Deadline;
    end
}
