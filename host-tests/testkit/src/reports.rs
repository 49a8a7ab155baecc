//! An observer that keeps the report of every island.

use stiction::{Observer, Real, Report};

/// The reports of the islands, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Reports<T>(pub Vec<Report<T>>);

impl<T> Default for Reports<T> {
    fn default() -> Self {
        Reports(Vec::new())
    }
}

impl<T: Real> Observer<T> for Reports<T> {
    fn report(&mut self, _island: usize, report: &Report<T>) {
        self.0.push(*report);
    }
}
