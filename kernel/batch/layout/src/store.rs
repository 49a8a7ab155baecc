//! Answers of a solver, stored in a part.
use stiction::{Bodies, ContactOutcome, ContactRows, Contacts, InputError, Real, Report, Solver};

use crate::part::{Part, Slots};
use crate::words::REJECTED;

impl<S, W: Slots<u32>> Part<S, W> {
    /// Stores a report and contacts, or that the problem was rejected.
    pub fn set_solved<T: Real>(
        &mut self,
        problem: usize,
        contacts: usize,
        solved: &Result<Report<T>, InputError<T>>,
        outcome: impl Fn(usize) -> Option<ContactOutcome<T>>,
    ) where
        S: Slots<T>,
    {
        let Ok(report) = solved else {
            self.set_status_word(problem, REJECTED);
            return;
        };
        self.set_report(problem, report);
        for contact in 0..contacts {
            if let Some(outcome) = outcome(contact) {
                self.set_contact(problem, contact, &outcome);
            }
        }
    }

    /// Stores the moments of contacts that can have some.
    pub fn set_moments<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        problem: usize,
        contacts: &Contacts<T, NC, R>,
        is_solved: bool,
        solver: &Solver<T, NB, NC, R>,
    ) where
        S: Slots<T>,
    {
        for contact in (0..contacts.len()).filter(|_| is_solved && R::HAS_MOMENTS) {
            if let Some(moment) = solver.moment(contact) {
                self.set_moment(problem, contact, &moment);
            }
        }
    }

    /// Stores the velocities of all bodies.
    pub fn set_velocities<T: Real, const NB: usize>(&mut self, problem: usize, bodies: &Bodies<T, NB>)
    where
        S: Slots<T>,
    {
        let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
        for (body, (linear, angular)) in velocities.enumerate() {
            self.set_velocity(problem, body, linear, angular);
        }
    }
}
