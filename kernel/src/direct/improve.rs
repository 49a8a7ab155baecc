//! Direct methods for islands on which sweeps converge slowly or cycle: Newton's method where sweeps came near, else interior points.
//!
//! Their memory is not part of the solver: callers pass a [`DirectMemory`](crate::DirectMemory). The best impulses by residual are
//! kept through all stages. Where they do not solve the problem, the sweeps go on from where they were, and the better of both
//! is handed back: an answer is never worse than that of sweeps alone.
use crate::direct::contact_system::Coupled;
use crate::direct::memory::DirectView;
use crate::direct::workspace::{Desk, Halt, restore};
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
    pub late: bool,
}

/// Takes the best impulses of direct methods instead of what the sweeps after them came to, if they are no worse in anything.
pub(crate) fn take_better<T: Real>(problem: &mut dyn Coupled<T>, memory: &mut DirectView<'_, T>) -> bool {
    let swept = problem.residual();
    let DirectView { seats, .. } = memory.reborrow();
    for (i, seat) in seats.iter_mut().enumerate().take(problem.len()) {
        seat.swept = problem.impulse(i);
    }
    restore(problem, seats, |seat| seat.best);
    let best = problem.residual();
    let better = best.natural < swept.natural && best.worst() <= swept.worst();
    if !better {
        restore(problem, seats, |seat| seat.swept);
    }
    better
}

/// Improves on the present impulses as far as it can.
pub(crate) fn improve<T: Real>(
    problem: &mut dyn Coupled<T>,
    memory: &mut DirectView<'_, T>,
    settings: &Settings<T>,
    stop: &mut StopCheck<'_>,
) -> DirectEnd {
    let DirectView { seats, equations } = memory.reborrow();
    let fits = problem.len() <= seats.len();
    let mut desk = Desk {
        seats,
        equations,
        tolerance: settings.tolerance,
        stop,
        cap: settings.factorisations,
        newton_steps: 0,
        interior_steps: 0,
        least: T::LARGEST,
    };
    let cramped = DirectReport { cramped: true, ..Default::default() };
    let mut end = DirectEnd { method: None, solved: false, report: cramped, late: false };
    if !fits || !desk.equations.prepare(problem) {
        return end;
    }
    desk.note_swept(problem);
    desk.keep(problem);
    let before = desk.least;
    let mut halt = newton::polish(problem, &mut desk);
    desk.keep(problem);
    if desk.least < before {
        end.method = Some(Method::Newton);
    }
    if halt == Halt::Stuck {
        let before = desk.least;
        halt = interior_point::solve(problem, &mut desk);
        if desk.least < before {
            end.method = Some(Method::InteriorPoint);
        }
    }
    // Solved impulses may yet have been too large to keep.
    end.solved = halt == Halt::Solved && desk.least < desk.tolerance;
    // Interior points are left wherever they were; with time left, sweeps go on from where they stood.
    let best = end.solved || halt == Halt::Late;
    restore(problem, desk.seats, |seat| if best { seat.best } else { seat.swept });
    let Desk { newton_steps, interior_steps, .. } = desk;
    end.report = DirectReport { newton_steps, interior_steps, cramped: false };
    end.late = halt == Halt::Late;
    end
}
