//! The contact phase's loop: sweep until solved, until the cap, or until the deadline.
//!
//! The stopping rule is the residual, never "little changed" alone: Gauss–Seidel that crawls also changes little. But a
//! sweep that still changes much has not solved the problem either, so the residual is evaluated only after sweeps whose
//! change is near the tolerance, which saves most of its cost.

use crate::real::Real;
use crate::report::{Residual, Status};
use crate::rows::{ContactSpace, Rows};
use crate::settings::Settings;
use crate::sweep::Sweeper;

/// Sweeps whose change exceeds this many tolerances are not worth a residual.
const GATE: f64 = 32.0;

/// How a contact phase ended.
#[derive(Clone, Copy)]
pub(crate) struct PhaseEnd<T> {
    pub status: Status,
    pub sweeps: u32,
    pub residual: Residual<T>,
}

/// Sweeps until one of the three ends.
pub(crate) fn run<T: Real, S: ContactSpace<T>, const NC: usize>(
    rows: &mut Rows<T, NC>,
    space: &mut S,
    settings: &Settings<T>,
    deadline: &mut dyn FnMut() -> bool,
    measure: impl Fn(&Rows<T, NC>, &S) -> Residual<T>,
) -> PhaseEnd<T> {
    let sweeper = Sweeper { rule: settings.local, relaxation: settings.relaxation, order: settings.order };
    // Without a tolerance there is nothing to compare with before the end.
    let mut fresh = settings.tolerance > T::ZERO;
    let mut residual = if fresh { measure(rows, space) } else { Residual::solved() };
    let mut sweeps = 0;
    let mut status = Status::SweepLimit;
    for number in 0..settings.sweeps {
        if fresh && number >= settings.least_sweeps && residual.is_below(settings.tolerance) {
            break;
        }
        if deadline() {
            status = Status::Deadline;
            break;
        }
        let change = sweeper.run(rows, space, number);
        sweeps = number + 1;
        // A single contact is solved by its first visit.
        let little = rows.window().len() == 1 || change <= T::lit(GATE) * settings.tolerance * residual.scale;
        fresh = little && settings.tolerance > T::ZERO;
        if fresh {
            residual = measure(rows, space);
        }
    }
    if !fresh {
        residual = measure(rows, space);
    }
    if residual.is_below(settings.tolerance) {
        status = Status::Converged;
    }
    PhaseEnd { status, sweeps, residual }
}
