//! One problem, read from a batch.
use stiction::{Bodies, ContactRows, Contacts, ErrorKind, InputError, InputField, Real, ThreeRows};

use crate::layout::Layout;

/// One problem: up to `NB` bodies and `NC` contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem<T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    /// Its bodies.
    pub bodies: Bodies<T, NB>,
    /// Its contacts.
    pub contacts: Contacts<T, NC, R>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Problem<T, NB, NC, R> {
    /// Without bodies and contacts.
    pub fn empty() -> Self {
        Problem { bodies: Bodies::new(), contacts: Contacts::empty() }
    }

    /// Removes all bodies and contacts.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
    }

    /// Rejects a problem that is larger than its part of the answers.
    pub fn check_size(&self, layout: &Layout) -> Result<(), InputError<T>> {
        let full = |capacity: usize| ErrorKind::Full { capacity };
        if self.bodies.len() > layout.bodies {
            return Err(InputError { field: InputField::Body(layout.bodies, ""), kind: full(layout.bodies) });
        }
        if self.contacts.len() > layout.contacts {
            return Err(InputError { field: InputField::Contact(layout.contacts, ""), kind: full(layout.contacts) });
        }
        Ok(())
    }
}
