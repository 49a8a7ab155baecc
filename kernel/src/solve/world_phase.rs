//! One world of several that are solved side by side, by the crate `stiction-lanes`: all that is decided for a world
//! alone. The arithmetic over its contacts and bodies is done there, in lanes, and has the bits of this crate's.
//!
//! A world is taken if sweeps of the exact rule are all that it needs. Any other is left to [`Solver`], from its input:
//! one that bounces, that has no friction, that has a safe block, or that the passivity guard changes.
//!
//! [`Solver`]: crate::Solver
use nalgebra::Vector3;

use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::math::real::{Real, infinity};
use crate::problem::bodies::Bodies;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::report::{ContactOutcome, Report};
use crate::problem::settings::{LocalRule, MethodChoice, PositionCorrection, Settings, SweepOrder};
use crate::problem::status::{Method, Status};
use crate::solve::bounce::{Bounced, bounce_speed};
use crate::solve::contact_phase::PhaseState;
use crate::solve::island::report_of;
use crate::solve::normal_rows::NormalsEnd;
use crate::solve::passivity::PhaseOutcome;
use crate::solve::residual_watch::ResidualWatch;
use crate::solve::warm_start::{largest_useful, useful_impulse};
use crate::solve::workspace::outcome_of;

pub use crate::math::ldlt3::{Energy, FactorLimits};
pub use crate::math::velocity::Velocity;
pub use crate::solve::phase_work::{Boundary, Work};
pub use crate::sweep::residual::ResidualSums;

/// Whether worlds can be solved side by side with these settings: plain sweeps of the exact rule, in an order that does
/// not depend on the world, and no position correction.
pub fn takes<T: Real>(settings: &Settings<T>) -> bool {
    settings.local == LocalRule::Exact
        && settings.relaxation == T::ONE
        && matches!(settings.method, MethodChoice::Auto | MethodChoice::Sweeps)
        && settings.order != SweepOrder::Colours
        && settings.position_correction == PositionCorrection::None
}

/// Target normal velocity of a contact in the contact phase, m/s.
#[inline(always)]
pub fn target<T: Real>(contact: &Contact<T>, settings: &Settings<T>, dt: T) -> T {
    settings.contact_speed(contact.depth, dt)
}

/// Whether a contact with the normal velocity `now` bounces.
#[inline(always)]
pub fn bounces<T: Real>(contact: &Contact<T>, now: T, settings: &Settings<T>, dt: T) -> bool {
    let min = Settings::min_normal_velocity(contact.depth, dt);
    contact.restitution > T::ZERO
        && bounce_speed(contact.restitution, contact.pre_impact_normal_velocity, now, min, settings) > T::ZERO
}

/// Stores velocities that sweeps computed, one for each body.
pub fn store_velocities<T: Real, const NB: usize>(bodies: &mut Bodies<T, NB>, velocities: &[Velocity<T>]) {
    for (index, velocity) in velocities.iter().enumerate() {
        bodies.store_velocity(index, &velocity.linear(), &velocity.angular());
    }
}

/// A contact's axes, cone and unit of impulses.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::{ContactState, solve::world_phase::ContactAxes};
/// let axes = ContactAxes { frame: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], mu: 0.5_f32, scale: 2.0 };
/// let outcome = axes.outcome([2.0, 0.5, 0.0]);
/// assert_eq!((outcome.normal_impulse, outcome.state), (1.0, ContactState::Stick));
/// assert_eq!(outcome.tangent_impulse, Vector3::new(0.25, 0.0, 0.0));
/// ```
pub struct ContactAxes<T> {
    /// `n, t1, t2`.
    pub frame: [[T; 3]; 3],
    /// Friction coefficient.
    pub mu: T,
    /// What impulses in N s are multiplied by.
    pub scale: T,
}

impl<T: Real> ContactAxes<T> {
    fn frame(&self) -> Frame<T> {
        let [n, t1, t2] = self.frame;
        Frame { n: n.into(), t1: t1.into(), t2: t2.into() }
    }

    fn cone(&self) -> Cone<T> {
        Cone { mu: self.mu, preload: T::ZERO }
    }

    /// A stored impulse as the contact phase starts from it; none if it is cold or not useful. `q_norm` is the speed
    /// norm at the start.
    pub fn warm(&self, warm: &WarmStart<T>, q_norm: T) -> Option<[T; 3]> {
        if warm.is_cold() {
            return None;
        }
        useful_impulse(warm, &self.frame(), &self.cone(), self.scale, largest_useful(q_norm)).map(Vector3::into)
    }

    /// The contact's part in the answer.
    pub fn outcome(&self, impulse: [T; 3]) -> ContactOutcome<T> {
        outcome_of(&impulse.into(), self.scale, &self.cone(), &self.frame())
    }
}

/// The contact phase of a world: when its residual is measured, and when it ends.
///
/// ```
/// use stiction::Settings;
/// use stiction::solve::world_phase::WorldPhase;
/// let fixed = Settings::<f32> { sweeps: 2, tolerance: 0.0, ..Settings::default() };
/// let mut phase = WorldPhase::new(1.0, 8);
/// assert!(!phase.begins_with_residual(&fixed) && !phase.is_over(&fixed));
/// assert!(!phase.after_sweep(0.1, &fixed) && !phase.after_sweep(0.1, &fixed)); // no residual between
/// assert!(phase.is_over(&fixed) && phase.lacks_residual());
/// ```
#[derive(Clone, Copy)]
pub struct WorldPhase<T> {
    state: PhaseState<T>,
    watch: ResidualWatch<T>,
    q_norm: T,
    rows: usize,
}

impl<T: Real> WorldPhase<T> {
    /// Of no world.
    pub const EMPTY: Self =
        WorldPhase { state: PhaseState::EMPTY, watch: ResidualWatch::NEW, q_norm: T::ZERO, rows: 0 };

    /// Of a world with so many rows, and a speed norm where it began.
    pub fn new(q_norm: T, rows: usize) -> Self {
        WorldPhase { q_norm, rows, ..Self::EMPTY }
    }

    /// The speed norm where it began.
    pub fn q_norm(&self) -> T {
        self.q_norm
    }

    /// Begins; returns whether the residual is measured before the first sweep.
    pub fn begins_with_residual(&mut self, settings: &Settings<T>) -> bool {
        self.state.reset(Method::BlockPgs);
        self.state.residual_is_current = settings.tolerance > T::ZERO;
        self.state.residual_is_current
    }

    /// Takes the residual where it begins or ends, which counts whatever it is.
    pub fn take_residual(&mut self, sums: &ResidualSums<T>) {
        self.state.residual = sums.residual(self.q_norm, infinity());
        self.state.residual_is_current = true;
    }

    /// Notes a sweep that changed impulses by `change`; returns whether the residual is measured now.
    pub fn after_sweep(&mut self, change: T, settings: &Settings<T>) -> bool {
        self.state.sweeps += 1;
        let is_due = self.watch.is_due(change, self.rows, &self.state.residual, settings.tolerance);
        self.state.residual_is_current = is_due;
        is_due
    }

    /// Takes the residual after a sweep.
    pub fn take_residual_between(&mut self, sums: &ResidualSums<T>, settings: &Settings<T>) {
        let limit = self.state.measured_up_to(settings.tolerance);
        self.take_residual(sums);
        let is_beyond = sums.closing_speed > limit && self.state.still_closes(settings.tolerance);
        self.state.residual_is_current = !is_beyond;
    }

    /// Whether it has ended.
    pub fn is_over(&self, settings: &Settings<T>) -> bool {
        self.state.sweeps >= settings.sweeps || self.state.is_solved(self.state.sweeps, settings)
    }

    /// Whether the residual is to be measured at the end.
    pub fn lacks_residual(&self) -> bool {
        !self.state.residual_is_current
    }

    /// The report, unless the passivity guard has something to do.
    pub fn close(
        &mut self,
        settings: &Settings<T>,
        before: Energy<T>,
        after: Energy<T>,
        (work, boundary): (&Work<T>, &Boundary<T>),
    ) -> Option<Report<T>> {
        self.state.conclude(settings.tolerance);
        if work.gains() || !work.is_passive(false, boundary, before, after, T::ONE) {
            return None;
        }
        let work = work.with_boundary(boundary, T::ONE);
        let outcome = PhaseOutcome { energy: after, work, scale: T::ONE, rebuilt: false };
        let bounced = Bounced::unchanged(before, 0, Status::Converged, T::ZERO);
        Some(report_of(&self.state, before, &bounced, &outcome, NormalsEnd::Done))
    }
}
