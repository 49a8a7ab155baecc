//! Where direct methods work: a place for each contact, and the equations between them, borrowed from the caller.
use nalgebra::Vector3;

use crate::direct::contact_system::Coupled;
use crate::direct::linear_system::Equations;
use crate::math::real::Real;
use crate::problem::report::Residual;
use crate::problem::stop_check::StopCheck;

/// What a contact's place holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<T> {
    /// Where a Newton step began.
    pub saved: Vector3<T>,
    /// The best impulse of all.
    pub best: Vector3<T>,
    /// What the sweeps before had come to.
    pub swept: Vector3<T>,
    /// Interior points: impulse and velocity.
    pub z: Vector3<T>,
    pub w: Vector3<T>,
    /// Their steps.
    pub dz: Vector3<T>,
    pub dw: Vector3<T>,
    /// What the velocities miss.
    pub gap: Vector3<T>,
}

const fn zero_vector<T: Real>() -> Vector3<T> {
    Vector3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 1]))
}

impl<T: Real> Seat<T> {
    pub const EMPTY: Self = Seat {
        saved: zero_vector(),
        best: zero_vector(),
        swept: zero_vector(),
        z: zero_vector(),
        w: zero_vector(),
        dz: zero_vector(),
        dw: zero_vector(),
        gap: zero_vector(),
    };
}

/// Why a method stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The residual is below the tolerance.
    Solved,
    /// It got no further.
    Stuck,
    /// The deadline came.
    Late,
}

/// Seats and equations, the tolerance to reach, and what it took.
pub(crate) struct Desk<'a, 's, T> {
    pub seats: &'a mut [Seat<T>],
    pub equations: Equations<'a, T>,
    pub tolerance: T,
    pub stop: &'a mut StopCheck<'s>,
    /// Factorisations at the most.
    pub cap: u32,
    pub newton_steps: u32,
    pub interior_steps: u32,
    /// Residual of the best impulses.
    pub least: T,
}

impl<T: Real> Desk<'_, '_, T> {
    /// Whether all factorisations are used up.
    pub fn is_spent(&self) -> bool {
        self.newton_steps.saturating_add(self.interior_steps) >= self.cap
    }

    /// Whether the deadline has come.
    pub fn is_late(&mut self) -> bool {
        self.stop.should_stop()
    }

    /// Keeps the present impulses if they are the best so far.
    pub fn keep(&mut self, problem: &dyn Coupled<T>) {
        let residual = problem.residual();
        let worst = residual.worst();
        if worst < self.least && is_sound(problem, &residual) {
            self.least = worst;
            for (i, seat) in self.seats.iter_mut().enumerate().take(problem.len()) {
                seat.best = problem.impulse(i);
            }
        }
    }

    /// Notes what the sweeps have come to, the best so far.
    pub fn note_swept(&mut self, problem: &dyn Coupled<T>) {
        for (i, seat) in self.seats.iter_mut().enumerate().take(problem.len()) {
            seat.swept = problem.impulse(i);
            seat.best = seat.swept;
        }
    }
}

/// Whether no impulse is so large that its rounding would be felt. Contacts that hold against each other, or hardly have
/// friction, let interior points run far away along directions that change no velocity.
fn is_sound<T: Real>(problem: &dyn Coupled<T>, residual: &Residual<T>) -> bool {
    let most = residual.speed * T::lit(1e-3) / T::EPSILON;
    (0..problem.len()).all(|i| problem.impulse(i).iter().all(|part| part.abs() <= most))
}

/// Sets every impulse to what its seat says.
pub(crate) fn restore<T: Real>(
    problem: &mut dyn Coupled<T>,
    seats: &[Seat<T>],
    impulse: impl Fn(&Seat<T>) -> Vector3<T>,
) {
    problem.set_impulses(&|i| seats.get(i).map_or_else(Vector3::zeros, &impulse));
}
