//! What a call of `solve_batch` solves, and how: for processors and for a graphics processor.
use numpy::Element;
use stiction::Settings;
use stiction_batch::Control;
use stiction_lanes::scalar::LaneScalar;

use crate::input::Input;

/// The time step without one in the settings, s.
pub const DEFAULT_DT: f64 = 1.0 / 60.0;

/// Scalars of batches.
pub trait Scalar: LaneScalar + Element + stiction_gpu::Scalar {}
impl Scalar for f32 {}
impl Scalar for f64 {}

/// What is solved, and how.
pub struct Task<'a, 'b, T: Scalar> {
    /// The problems.
    pub input: &'a Input<'b, T>,
    /// The settings.
    pub settings: &'a Settings<T>,
    /// The time step, s.
    pub dt: T,
    /// Threads, progress, cancellation.
    pub control: &'a Control<'a>,
}
