//! Workspace of the direct methods: scratch for each contact and the equations between them, borrowed from the caller.
use nalgebra::Vector3;

use crate::direct::contact_system::ContactSystem;
use crate::direct::linear_system::Equations;
use crate::math::real::Real;
use crate::math::vector::zero3;
use crate::problem::report::Residual;
use crate::problem::stop_check::StopCheck;

/// Scratch of one contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactScratch<T> {
    /// The best impulse of all.
    pub best: Vector3<T>,
    /// Impulse after the sweeps before.
    pub swept: Vector3<T>,
    /// Where a step began, or the centre of a proximal problem.
    pub centre: Vector3<T>,
    /// Impulse and velocity of an iterate, in the method's own units.
    pub p: Vector3<T>,
    pub u: Vector3<T>,
    /// Their steps.
    pub dp: Vector3<T>,
    pub du: Vector3<T>,
    /// Interior points: error of the velocities.
    pub gap: Vector3<T>,
}

impl<T: Real> ContactScratch<T> {
    pub const EMPTY: Self = ContactScratch {
        best: zero3(),
        swept: zero3(),
        centre: zero3(),
        p: zero3(),
        u: zero3(),
        dp: zero3(),
        du: zero3(),
        gap: zero3(),
    };
}

/// Why a method stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The residual is below the tolerance.
    Solved,
    /// No further progress.
    NoProgress,
    /// The deadline passed.
    Deadline,
}

/// Scratch and equations, the tolerance to reach, and the number of steps taken.
pub(crate) struct Workspace<'a, 's, T> {
    pub scratch: &'a mut [ContactScratch<T>],
    pub equations: Equations<'a, T>,
    pub tolerance: T,
    pub stop: &'a mut StopCheck<'s>,
    /// Maximum number of factorisations.
    pub cap: u32,
    pub newton_steps: u32,
    pub interior_steps: u32,
    /// Residual of the best impulses.
    pub min_residual: T,
}

impl<T: Real> Workspace<'_, '_, T> {
    /// Whether all factorisations are used up.
    pub fn out_of_factorisations(&self) -> bool {
        self.newton_steps.saturating_add(self.interior_steps) >= self.cap
    }

    /// Whether the deadline has passed.
    pub fn deadline_passed(&mut self) -> bool {
        self.stop.should_stop()
    }

    /// Keeps the present impulses if they are the best so far.
    pub fn keep(&mut self, problem: &dyn ContactSystem<T>) {
        let residual = problem.residual();
        let worst = residual.worst();
        if worst < self.min_residual && impulses_are_bounded(problem, &residual) {
            self.min_residual = worst;
            for (i, entry) in self.scratch.iter_mut().enumerate().take(problem.len()) {
                entry.best = problem.impulse(i);
            }
        }
    }

    /// Stores the impulses of the sweeps; they are the best so far.
    pub fn note_swept(&mut self, problem: &dyn ContactSystem<T>) {
        for (i, entry) in self.scratch.iter_mut().enumerate().take(problem.len()) {
            entry.swept = problem.impulse(i);
            entry.best = entry.swept;
        }
    }
}

/// Whether all impulses are small enough that their rounding does not matter. If contacts press against each other or
/// have almost no friction, interior points can diverge along directions that change no velocity.
fn impulses_are_bounded<T: Real>(problem: &dyn ContactSystem<T>, residual: &Residual<T>) -> bool {
    let limit = residual.speed * T::lit(1e-3) / T::EPSILON;
    (0..problem.len()).all(|i| problem.impulse(i).iter().all(|part| part.abs() <= limit))
}

/// Sets every impulse from its scratch entry.
pub(crate) fn restore<T: Real>(
    problem: &mut dyn ContactSystem<T>,
    scratch: &[ContactScratch<T>],
    impulse: impl Fn(&ContactScratch<T>) -> Vector3<T>,
) {
    problem.set_impulses(&|i| scratch.get(i).map_or_else(Vector3::zeros, &impulse));
}
