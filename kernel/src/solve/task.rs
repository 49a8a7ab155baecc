//! What one island is solved with.
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contacts::Contacts;
use crate::problem::settings::Settings;

/// The caller's input, and when to stop.
pub(crate) struct Task<'a, T: Real, const NB: usize, const NC: usize> {
    pub bodies: &'a mut Bodies<T, NB>,
    pub contacts: &'a Contacts<T, NC>,
    pub settings: &'a Settings<T>,
    pub should_stop: &'a mut dyn FnMut() -> bool,
    /// Whether the deadline passed while another island was solved.
    pub deadline_passed: bool,
}
