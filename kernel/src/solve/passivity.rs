//! No solve ever adds kinetic energy.
//!
//! A phase that starts at velocities `v⁰` and applies impulses `λ` ends at `v¹ = v⁰ + M⁻¹Jᵀλ` and changes the energy by
//!
//! ```text
//! ΔE = ½ λ·(u⁰ + u¹),     u = J v (less the target, where position correction asks for one)
//! ```
//!
//! At an exact solution this is not positive. Stopped early, or started from a bad warm start, it can be. Along the ray
//! `sλ` the energy is the parabola `s λ·u⁰ + ½ s² λ·(u¹ − u⁰)`, zero at `s = 0` and at `s₀ = −2 λ·u⁰ / λ·(u¹ − u⁰)`, so
//! scaling by `s₀ ∈ [0, 1]` ends the gain, and `s₀/2` takes the most energy out. Every cone contains 0 and is convex:
//! the scaled impulse is still admissible.
//!
#![doc = include_str!("../../figures/passivity.svg")]
//!
//! That is exact arithmetic. In floating point, large impulses that cancel leave rounding in the velocities, so the
//! energy of the result is computed as well; where it exceeds the bound by more than the rounding of that sum,
//! velocities are rebuilt from the impulses and, if necessary, the scale is lowered, finally to 0, which restores `v⁰`
//! to the bit.
//!
//! A conveyor, a moving wall, a spin about a locked axis: velocities that no impulse changes do work on movable bodies.
//! That work is not counted as a gain by the contacts; it is computed only if there is such a velocity.
use nalgebra::Vector3;

use crate::math::ldlt3::Energy;
use crate::math::real::{Real, positive_part, smaller};
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::settings::PositionCorrection;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::{BodySpace, contact_velocity, restore_start_velocities};
use crate::space::jacobian::{ContactJacobian, velocity_between};
use crate::space::velocity::{Velocity, kinetic_energy, load_velocities, unchangeable};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::rows::Rows;

/// Attempts if rounding leaves too much energy: first the velocities are rebuilt, then the impulses are shortened by 64
/// ε, and by 64 times more each time, down to zero. So rounding at the limit changes the answer only by the size of
/// rounding.
const ATTEMPTS: u32 = 12;

/// A phase: where it started, and the impulse of each contact in it.
struct PhaseRecord<'a, T: Real, const NB: usize, const NC: usize> {
    /// Impulses of the window and their scales.
    rows: &'a Rows<T, NC>,
    targets: Targets,
    /// Whether targets may add energy (bias).
    biased: bool,
    /// The bodies that it can have moved.
    bodies: &'a [u16],
    jacobians: &'a [ContactJacobian<T>; NC],
    start: &'a [Velocity<T>; NB],
    /// Whether some velocity is one that no impulse can change.
    driven: bool,
}

/// Whether the rows' targets are part of a phase's energy balance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Targets {
    /// The contact phase: they are its own.
    Counted,
    /// The bounce: checked against the targets, energy balance without them.
    Ignored,
}

/// Energy and work of a phase.
#[derive(Clone, Copy)]
pub(crate) struct PhaseOutcome<T> {
    /// Kinetic energy after it.
    pub energy: Energy<T>,
    pub work: PhaseWork<T>,
    /// Factor by which the guard scaled the impulses down; 1 if it did not.
    pub scale: T,
    /// Whether the guard changed the velocities.
    pub rebuilt: bool,
}

impl<T: Real> PhaseOutcome<T> {
    /// Whether its impulses were scaled down.
    pub fn guarded(&self) -> bool {
        self.scale < T::ONE
    }
}

/// Makes a phase passive: velocities, and the rows' impulses with them, end where it adds no energy.
pub(crate) fn enforce_passivity<T: Real, const NB: usize, const NC: usize>(
    work: &mut SolverWorkspace<T, NB, NC>,
    task: &Task<'_, '_, T, NB, NC>,
    before: Energy<T>,
    targets: Targets,
) -> PhaseOutcome<T> {
    let SolverWorkspace { islands, rows, jacobians, start, velocity, driven, .. } = work;
    let bodies = islands.bodies();
    let biased = task.settings.position_correction == PositionCorrection::Bias;
    let phase = PhaseRecord { rows, targets, biased, bodies, jacobians, start, driven: *driven };
    let outcome = phase.close(task.bodies, before, velocity);
    rows.scale_impulses(outcome.scale);
    outcome
}

/// Scales down a warm start that would add energy.
pub(crate) fn limit_warm_start<T: Real, const NB: usize, const NC: usize>(work: &mut SolverWorkspace<T, NB, NC>) {
    let SolverWorkspace { islands, rows, jacobians, start, velocity, driven, .. } = work;
    let bodies = islands.bodies();
    let phase =
        PhaseRecord { rows, targets: Targets::Counted, biased: true, bodies, jacobians, start, driven: *driven };
    let scale = phase.limit_warm_start(velocity);
    rows.scale_impulses(scale);
}

/// Energy change by a phase, J, and two parts of it.
#[derive(Clone, Copy)]
pub(crate) struct PhaseWork<T> {
    pub total: T,
    /// By the tangential impulses.
    pub friction: T,
    /// Work of separating targets: `λ_n · target`.
    pub bias: T,
}

impl<T: Real> PhaseWork<T> {
    pub const NONE: Self = PhaseWork { total: T::ZERO, friction: T::ZERO, bias: T::ZERO };
}

/// `λ·u⁰`, `λ·u¹` with their tangential parts, the target's own work, and the magnitudes that bound their rounding.
///
/// ```
/// use stiction::solve::world_phase::Work;
/// let stopped = Work { at_start: -1.0_f32, ..Work::none() };
/// assert!(!stopped.gains()); // takes energy out
/// ```
pub struct Work<T> {
    /// `λ·u⁰`.
    pub at_start: T,
    /// `λ·u¹`.
    pub at_end: T,
    /// The tangential part of `at_start`.
    pub tangential_at_start: T,
    /// The tangential part of `at_end`.
    pub tangential_at_end: T,
    /// Work of the targets.
    pub target: T,
    /// Work of separating targets.
    pub bias: T,
    /// The sum of all magnitudes.
    pub magnitude: T,
}

/// Work of velocities that no impulse can change.
///
/// ```
/// use stiction::solve::world_phase::Boundary;
/// assert_eq!(Boundary::<f32>::NONE.friction, 0.0);
/// ```
pub struct Boundary<T> {
    /// J.
    pub total: Energy<T>,
    /// The part of friction, J.
    pub friction: T,
}

impl<T: Real> Boundary<T> {
    /// Without such velocities.
    pub const NONE: Self = Boundary { total: Energy { value: T::ZERO, uncertainty: T::ZERO }, friction: T::ZERO };
}

impl<T: Real> Work<T> {
    /// Of no contact.
    pub fn none() -> Self {
        Work {
            at_start: T::ZERO,
            at_end: T::ZERO,
            tangential_at_start: T::ZERO,
            tangential_at_end: T::ZERO,
            target: T::ZERO,
            bias: T::ZERO,
            magnitude: T::ZERO,
        }
    }

    /// Adds a contact's impulse `x` in N s, its velocities at both ends less its target, and its target.
    pub(crate) fn add(&mut self, x: &Vector3<T>, u0: &Vector3<T>, u1: &Vector3<T>, target: T) {
        self.at_start += x.dot(u0);
        self.at_end += x.dot(u1);
        self.tangential_at_start += x.y * u0.y + x.z * u0.z;
        self.tangential_at_end += x.y * u1.y + x.z * u1.z;
        self.target += x.x * target;
        self.bias += x.x * positive_part(target);
        self.magnitude += x.absolute().dot(&u0.absolute().plus(&u1.absolute()));
    }

    /// Whether the energy after a phase is within the energy before it, the work that it was given, and rounding.
    #[inline(always)]
    pub(crate) fn is_passive(
        &self,
        biased: bool,
        boundary: &Boundary<T>,
        before: Energy<T>,
        energy: Energy<T>,
        scale: T,
    ) -> bool {
        let given = if biased { self.target } else { smaller(self.target, T::ZERO) };
        let allowed = scale * (given + boundary.total.value) + boundary.total.uncertainty;
        // As a difference: if both sides are infinite it is NaN, and the test fails.
        let spare = before.value + allowed + before.uncertainty + energy.uncertainty - energy.value;
        spare >= T::ZERO
    }

    /// Energy change of the impulses scaled by `scale`, with that of the boundary.
    #[inline(always)]
    pub(crate) fn with_boundary(&self, boundary: &Boundary<T>, scale: T) -> PhaseWork<T> {
        let mut work = self.along(scale);
        work.total += scale * boundary.total.value;
        work.friction += scale * boundary.friction;
        work
    }

    /// Energy change of the impulses scaled by `s`, the target's part included.
    pub(crate) fn along(&self, s: T) -> PhaseWork<T> {
        if !(s > T::ZERO) {
            return PhaseWork::NONE;
        }
        let parabola = |start: T, end: T| s * start + T::HALF * s * s * (end - start);
        PhaseWork {
            total: parabola(self.at_start, self.at_end) + s * self.target,
            friction: parabola(self.tangential_at_start, self.tangential_at_end),
            bias: s * self.bias,
        }
    }

    /// Whether the unscaled impulses add more energy than the target and rounding allow.
    pub fn gains(&self) -> bool {
        let change = T::HALF * (self.at_start + self.at_end);
        !(change <= T::lit(8.0) * T::EPSILON * self.magnitude) || !self.magnitude.is_finite()
    }

    /// Where the energy on the ray is least, `s₀/2`.
    #[inline(always)]
    pub fn least_energy_scale(&self) -> T {
        self.scale_without_gain() * T::HALF
    }

    /// `s₀` clamped to 0..=1; 0 if it is NaN, and if every step along the ray gains energy at first, which only a
    /// matrix without bodies can cause.
    pub(crate) fn scale_without_gain(&self) -> T {
        let s = -(self.at_start + self.at_start) / (self.at_end - self.at_start);
        if !(self.at_start < T::ZERO) {
            T::ZERO
        } else if s > T::ONE {
            T::ONE
        } else {
            positive_part(s)
        }
    }
}

impl<T: Real, const NB: usize, const NC: usize> PhaseRecord<'_, T, NB, NC> {
    /// A contact's impulse in N s.
    fn impulse(&self, i: usize) -> Vector3<T> {
        if i < NC { self.rows.impulse[i].divided(self.rows.impulse_scale[i]) } else { Vector3::zeros() }
    }

    #[inline(never)]
    fn work(&self, end: &[Velocity<T>; NB]) -> Work<T> {
        let mut work = Work::none();
        for i in self.rows.window() {
            let target = if self.targets == Targets::Counted { self.rows.target[i] } else { T::ZERO };
            let less = |u: Vector3<T>| Vector3::new(u.x - target, u.y, u.z);
            let kept = self.targets == Targets::Counted && self.rows.starts_kept;
            let u0 = if kept { self.rows.before[i] } else { less(contact_velocity(self.jacobians, self.start, i)) };
            let u1 = less(contact_velocity(self.jacobians, end, i));
            work.add(&self.impulse(i), &u0, &u1, target);
        }
        work
    }

    /// `end = start + scale · M⁻¹Jᵀλ`.
    #[inline(never)]
    fn apply_scaled(&self, end: &mut [Velocity<T>; NB], scale: T) {
        restore_start_velocities(self.jacobians, self.rows.window(), self.start, end);
        if !(scale > T::ZERO) {
            return;
        }
        let mut space = BodySpace::new(self.jacobians, end);
        for i in self.rows.window() {
            space.push(i, &self.rows.impulse[i].scaled(scale));
        }
    }

    /// Scales down a warm start that would add energy: to the point on its ray where the energy is least.
    fn limit_warm_start(&self, end: &mut [Velocity<T>; NB]) -> T {
        let work = self.work(end);
        if !work.gains() {
            return T::ONE;
        }
        let scale = work.least_energy_scale();
        self.apply_scaled(end, scale);
        scale
    }

    /// Makes the phase passive: returns the scale of its impulses and sets `end` to the resulting velocities.
    #[cfg_attr(target_os = "none", inline(always))]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn close(&self, bodies: &Bodies<T, NB>, before: Energy<T>, end: &mut [Velocity<T>; NB]) -> PhaseOutcome<T> {
        // One after the other: they are not on the stack together.
        let boundary = self.boundary_work(bodies);
        self.close_within(bodies, before, &boundary, end)
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn close_within(
        &self,
        bodies: &Bodies<T, NB>,
        before: Energy<T>,
        boundary: &Boundary<T>,
        end: &mut [Velocity<T>; NB],
    ) -> PhaseOutcome<T> {
        let work = self.work(end);
        let mut full = T::ONE;
        if work.gains() {
            full = work.scale_without_gain();
            self.apply_scaled(end, full);
        }
        let (mut scale, mut cut) = (full, T::ZERO);
        for attempt in 0..=ATTEMPTS {
            let energy = kinetic_energy(bodies, self.bodies, end);
            if work.is_passive(self.biased, boundary, before, energy, scale) {
                let work = work.with_boundary(boundary, scale);
                let rebuilt = attempt > 0 || full < T::ONE;
                return PhaseOutcome { energy, work, scale, rebuilt };
            }
            // First the velocities are rebuilt from the full impulses, then from shorter and shorter ones.
            scale = full * positive_part(T::ONE - cut);
            self.apply_scaled(end, scale);
            cut = if cut > T::ZERO { cut * T::lit(64.0) } else { T::lit(64.0) * T::EPSILON };
        }
        let energy = self.fall_back(bodies, before, end);
        PhaseOutcome { energy, work: PhaseWork::NONE, scale: T::ZERO, rebuilt: true }
    }

    /// Restores the velocities at the start of the phase, or, if the saved start is corrupted, the caller's velocities.
    #[cfg_attr(not(target_os = "none"), cold, inline(never))]
    fn fall_back(&self, bodies: &Bodies<T, NB>, before: Energy<T>, end: &mut [Velocity<T>; NB]) -> Energy<T> {
        restore_start_velocities(self.jacobians, self.rows.window(), self.start, end);
        let energy = kinetic_energy(bodies, self.bodies, end);
        if energy.value - before.value <= before.uncertainty + energy.uncertainty && energy.uncertainty.is_finite() {
            return before;
        }
        load_velocities(bodies, end);
        kinetic_energy(bodies, self.bodies, end)
    }

    /// Work of the velocities that no impulse can change: `−λ·J v` over immovable bodies and locked axes.
    #[inline(never)]
    fn boundary_work(&self, bodies: &Bodies<T, NB>) -> Boundary<T> {
        let mut work = Energy { value: T::ZERO, uncertainty: T::ZERO };
        let mut friction = T::ZERO;
        let rows = if self.driven { self.rows.window() } else { 0..0 };
        for i in rows {
            let x = self.impulse(i);
            let Some(jacobian) = self.jacobians.get(i) else { break };
            let (a, b) = jacobian.bodies();
            let u = velocity_between(jacobian, &unchangeable(bodies, a), &unchangeable(bodies, b));
            work.value -= x.dot(&u);
            work.uncertainty += T::lit(8.0) * T::EPSILON * x.absolute().dot(&u.absolute());
            friction -= x.y * u.y + x.z * u.z;
        }
        Boundary { total: work, friction }
    }
}
