//! Answers of a solver, stored in the arrays of a part.
use stiction::{ContactOutcome, ContactRows, Contacts, InputError, Real, Report, Solver};

use crate::answers::{Part, REJECTED};

/// Stores a report and contacts, or the error.
pub(crate) fn store<T: Real>(
    part: &mut Part<'_, T>,
    place: usize,
    contacts: usize,
    solved: Result<Report<T>, InputError<T>>,
    errors: &mut Vec<(usize, InputError<T>)>,
    outcome: impl Fn(usize) -> Option<ContactOutcome<T>>,
) {
    match solved {
        Ok(report) => {
            part.set_report(place, &report);
            for contact in 0..contacts {
                if let Some(outcome) = outcome(contact) {
                    part.set_contact(place, contact, &outcome);
                }
            }
        }
        Err(error) => {
            part.set_status_word(place, REJECTED);
            errors.push((place, error));
        }
    }
}

/// Stores the moments of contacts that can have some.
pub(crate) fn store_moments<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    part: &mut Part<'_, T>,
    place: usize,
    contacts: &Contacts<T, NC, R>,
    is_solved: bool,
    solver: &Solver<T, NB, NC, R>,
) {
    for contact in (0..contacts.len()).filter(|_| is_solved && R::HAS_MOMENTS) {
        if let Some(moment) = solver.moment(contact) {
            part.set_moment(place, contact, &moment);
        }
    }
}
