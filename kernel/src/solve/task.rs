//! The arguments of solving one island.
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::{ContactRows, ThreeRows};
use crate::problem::contacts::Contacts;
use crate::problem::settings::Settings;
use crate::problem::stop_check::StopCheck;
use crate::sweep::lent_lanes::LentLanes;

/// The caller's input, and when to stop.
pub(crate) struct Task<'a, 's, T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    pub bodies: &'a mut Bodies<T, NB>,
    pub contacts: &'a Contacts<T, NC, R>,
    pub settings: &'a Settings<T>,
    pub stop: &'a mut StopCheck<'s>,
    /// Memory for sweeps over several contacts at once.
    pub lanes: LentLanes<'a, T>,
}
