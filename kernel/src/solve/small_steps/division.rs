//! How a frame is divided, and what its substeps came to.
use crate::math::real::Real;

/// How a frame is divided.
#[derive(Clone, Copy)]
pub(crate) struct Division<T> {
    pub substeps: u32,
    /// Length of a substep, s, and its inverse.
    pub h: T,
    pub inverse_h: T,
}

/// The substeps of an island, and what they came to.
#[derive(Clone, Copy)]
pub(crate) struct IslandFrame<T> {
    /// Substeps in which impulses were scaled down so as not to add energy.
    pub guarded: u32,
    /// Whether the deadline passed.
    pub interrupted: bool,
    /// Whether a bounce made no progress and was taken back.
    pub bounce_dropped: bool,
    /// Change of kinetic energy by bounces, J.
    pub bounce_work: T,
    /// Change of kinetic energy by contacts without bounces, J.
    pub contact_work: T,
}

impl<T: Real> IslandFrame<T> {
    pub const EMPTY: Self = IslandFrame {
        guarded: 0,
        interrupted: false,
        bounce_dropped: false,
        bounce_work: T::ZERO,
        contact_work: T::ZERO,
    };
}
