//! What a solve says about itself.

use nalgebra::Vector3;

use crate::real::{Real, larger, positive_part};

/// Why a solve ended. All three leave a usable, passive answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Status {
    /// The residual went below the tolerance.
    Converged,
    /// The cap on sweeps came first, in the bounce or in the contact phase, or the passivity guard moved the answer away
    /// from solved, or the bounce had to be dropped.
    SweepLimit,
    /// The caller's deadline came first.
    Deadline,
}

impl Status {
    /// The worse of two ends.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        match (self, other) {
            (Status::Deadline, _) | (_, Status::Deadline) => Status::Deadline,
            (Status::SweepLimit, _) | (_, Status::SweepLimit) => Status::SweepLimit,
            (Status::Converged, Status::Converged) => Status::Converged,
        }
    }
}

/// How the contact phase was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Method {
    /// Exact active set, for a few contacts without friction.
    ActiveSet,
    /// Projected Gauss–Seidel on the normals, for more contacts without friction.
    ScalarPgs,
    /// Block projected Gauss–Seidel.
    BlockPgs,
    /// The same, accelerated from some sweep on.
    Accelerated,
    /// Newton's method on the natural map, after sweeps.
    Newton,
    /// An interior-point method, with sweeps and Newton's method before and after it.
    InteriorPoint,
}

/// What direct methods did in a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DirectReport {
    /// Newton steps, each with a factorisation.
    pub newton_steps: u32,
    /// Interior-point steps, each with a factorisation.
    pub interior_steps: u32,
    /// Whether they were wanted and the room lent for them was too small.
    pub cramped: bool,
}

impl DirectReport {
    pub(crate) fn append(&mut self, next: &Self) {
        self.newton_steps = self.newton_steps.saturating_add(next.newton_steps);
        self.interior_steps = self.interior_steps.saturating_add(next.interior_steps);
        self.cramped |= next.cramped;
    }
}

/// Distance from solved (see the `residual` module's formula in the crate documentation).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Residual<T> {
    /// Natural map over all contacts, relative to `scale`.
    pub natural: T,
    /// The speed that `natural` is relative to, m/s.
    pub scale: T,
    /// Worst approach speed left, m/s.
    pub approach: T,
    /// Worst excess of a friction impulse over its cone, N s.
    pub cone: T,
    /// The contact with the largest share of `natural`; none without contacts.
    pub worst_contact: Option<usize>,
    /// Approach speed below which nothing can be told from rounding, plus, times a tolerance, the speeds at hand.
    pub(crate) approach_floor: T,
    pub(crate) speed: T,
}

impl<T: Real> Residual<T> {
    /// The residual of a problem without contacts.
    pub(crate) const SOLVED: Self = Residual {
        natural: T::ZERO,
        scale: T::ZERO,
        approach: T::ZERO,
        cone: T::ZERO,
        worst_contact: None,
        approach_floor: T::ZERO,
        speed: T::ZERO,
    };

    /// How far from solved, in one number: below a tolerance where [`Residual::is_below`] it, but for ties.
    pub(crate) fn worst(&self) -> T {
        let beyond = positive_part(self.approach - self.approach_floor);
        if beyond > T::ZERO && self.speed > T::ZERO { larger(self.natural, beyond / self.speed) } else { self.natural }
    }

    /// Whether this counts as solved: the natural map below the tolerance, and no contact approaching beyond it.
    ///
    /// The second is not implied by the first: with a very large friction coefficient the cone is nearly everything, and
    /// impulses that cancel each other make any speed look small.
    #[cfg_attr(target_os = "none", inline(never))]
    pub fn is_below(&self, tolerance: T) -> bool {
        self.natural < tolerance && self.approach <= self.most_approach(tolerance)
    }

    /// The approach speed up to which a problem counts as solved, m/s.
    pub(crate) fn most_approach(&self, tolerance: T) -> T {
        tolerance * self.speed + self.approach_floor
    }
}

/// Summary of one solve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Report<T> {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps of the contact phase.
    pub sweeps: u32,
    /// What direct methods did in the contact phase.
    pub direct: DirectReport,
    /// Sweeps of the bounce, over normals alone.
    pub bounce_sweeps: u32,
    /// Separation speed that restitution asks for and the bounce did not reach, at its worst, m/s.
    pub bounce_missing: T,
    /// Whether the bounce got nowhere, as where separation speeds contradict each other, so that nothing bounced.
    pub bounce_dropped: bool,
    /// Distance from solved of the answer that was handed back.
    pub residual: Residual<T>,
    /// Kinetic energy before, J.
    pub energy_before: T,
    /// Kinetic energy after, J.
    pub energy_after: T,
    /// Energy change by the bounce, `½ p·(u⁰ + u¹)`, J.
    pub bounce_work: T,
    /// Energy change by the contact phase, J, including what immovable bodies that have a velocity put in.
    pub contact_work: T,
    /// The part of `contact_work` that friction did, J.
    pub friction_work: T,
    /// The part of `contact_work` that a bias put in to repair penetration, J; 0 unless the settings chose bias.
    pub bias_work: T,
    /// Whether an impulse had to be scaled back so as not to add energy.
    pub passivity_guard: bool,
}

/// What a contact does at the end of a solve, read off its impulse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ContactState {
    /// Carries no impulse.
    Open,
    /// Friction is inside its cone.
    Stick,
    /// Friction is on the rim of its cone; every frictionless contact that carries an impulse counts here.
    Slide,
}

/// A contact's part in the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactOutcome<T> {
    /// Normal impulse of the bounce, N s.
    pub bounce: T,
    /// Normal impulse of the contact phase, N s. The total is the sum of the two.
    pub normal: T,
    /// Friction impulse on B as a world vector, N s.
    pub tangent: Vector3<T>,
    /// What the contact does.
    pub state: ContactState,
}

/// Force and torque about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench<T> {
    /// Force, N.
    pub force: Vector3<T>,
    /// Torque about the centre of mass, N m.
    pub torque: Vector3<T>,
}

impl<T: Real> Wrench<T> {
    /// Neither force nor torque.
    pub const NONE: Self = {
        let zero = Vector3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 1]));
        Wrench { force: zero, torque: zero }
    };
}
