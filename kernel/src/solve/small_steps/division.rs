//! How a frame is divided, and what its substeps came to.
use core::cell::Cell;

use nalgebra::Matrix3;

use crate::math::real::{Real, positive_part, smaller};
use crate::problem::bodies::Bodies;
use crate::problem::report::FactorReport;
use crate::problem::settings::{PositionCorrection, Settings};
use crate::problem::step_settings::StepSettings;
use crate::solve::small_steps::frame::SOLVED;
use crate::sweep::lane_memory::Loaded;
use crate::sweep::lent_lanes::LentLanes;

/// How a frame is divided, and how penetration is corrected in it.
#[derive(Clone, Copy)]
pub(crate) struct Division<T> {
    pub substeps: u32,
    /// Length of a substep, s, and its inverse.
    pub h: T,
    pub inverse_h: T,
    /// Softness of contacts, `s`; 0 without position correction.
    pub soft: T,
    /// Depth that is not corrected, m.
    pub slop: T,
    /// Largest speed of correction, m/s.
    pub max_push: T,
}

impl<T: Real> Division<T> {
    /// A frame with substeps of `h` seconds.
    pub fn new(settings: &StepSettings<T>, h: T) -> Self {
        let Settings { position_correction, error_reduction, slop, max_correction_speed, .. } = settings.solver;
        let soft = if position_correction == PositionCorrection::None { T::ZERO } else { error_reduction };
        let max_push = max_correction_speed;
        Division { substeps: settings.substeps, h, inverse_h: T::ONE / h, soft, slop, max_push }
    }

    /// Speed at which a penetration is corrected, m/s.
    #[inline(always)]
    pub fn push_speed(&self, depth: T) -> T {
        smaller(self.soft * positive_part(depth - self.slop) * self.inverse_h, self.max_push)
    }

    /// The part of its impulse that a contact's spring gives up in a soft pass, where contact phases have so many
    /// sweeps: nothing where they are solved.
    pub fn leak(&self, sweeps: u32) -> T {
        if sweeps >= SOLVED { T::ZERO } else { self.soft }
    }

    /// The whole frame as one substep.
    pub fn undivided(&self) -> Self {
        let count = T::integer(self.substeps as i16);
        Division { substeps: 1, h: self.h * count, inverse_h: self.inverse_h / count, ..*self }
    }
}

/// What all islands of a frame share.
pub(crate) struct FrameTask<'a, T: Real, const NB: usize> {
    pub bodies: &'a Bodies<T, NB>,
    pub settings: &'a Settings<T>,
    pub division: Division<T>,
    /// Whether some body has a velocity that no impulse can change.
    pub driven: bool,
    /// Whether islands that moved in the last frame are tried for rest.
    pub tries_rest: bool,
    /// Gap up to which there are contacts, m.
    pub contact_margin: T,
    /// Mass, kg, and inertia of a body where its first contacts were built; none if it cannot rotate about some axis.
    pub mass_of: &'a dyn Fn(usize) -> Option<(T, Matrix3<T>)>,
    /// Memory for sweeps in lanes; taken while it is used.
    pub lanes: Cell<LentLanes<'a, T>>,
}

impl<T: Real, const NB: usize> FrameTask<'_, T, NB> {
    /// What is in the lanes is of another island.
    #[inline(always)]
    pub fn forget_lanes(&self) {
        let mut lanes = self.lanes.take();
        lanes.set_loaded(Loaded::Nothing);
        self.lanes.set(lanes);
    }
}

/// The substeps of an island, and what they came to.
#[derive(Clone, Copy)]
pub(crate) struct IslandFrame<T> {
    /// Passes over its contacts, of whatever kind.
    pub sweeps: u32,
    /// Passes over the normals of its bounces.
    pub bounce_sweeps: u32,
    /// Substeps in which impulses were scaled down so as not to add energy.
    pub guarded: u32,
    /// Whether it was at rest.
    pub rested: bool,
    /// Use of the kept factor.
    pub factor: FactorReport,
    /// Whether the work of friction is booked in every substep, and not at the end of the frame.
    pub books_substeps: bool,
    /// Whether it is small, and sweeps do not solve it in a short time.
    pub converges_slowly: bool,
    /// Whether the deadline passed.
    pub interrupted: bool,
    /// Whether a bounce made no progress and was taken back.
    pub bounce_dropped: bool,
    /// Largest speed that a bounce lacked, m/s.
    pub bounce_missing: T,
    /// Change of kinetic energy by bounces, J.
    pub bounce_work: T,
    /// Change of kinetic energy by contacts without bounces, J.
    pub contact_work: T,
    /// The part of it that friction has, J.
    pub friction_work: T,
}

impl<T: Real> IslandFrame<T> {
    pub const EMPTY: Self = IslandFrame {
        sweeps: 0,
        bounce_sweeps: 0,
        guarded: 0,
        rested: false,
        factor: FactorReport::EMPTY,
        books_substeps: false,
        converges_slowly: false,
        interrupted: false,
        bounce_dropped: false,
        bounce_missing: T::ZERO,
        bounce_work: T::ZERO,
        contact_work: T::ZERO,
        friction_work: T::ZERO,
    };
}
