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
use crate::math::real::{Real, positive_part};
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::PositionCorrection;
use crate::solve::phase_work::{Boundary, PhaseWork, Work};
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::{BodySpace, contact_velocity, restore_start_velocities};
use crate::space::jacobian::{ContactJacobian, velocity_between};
use crate::space::velocity::{Velocity, kinetic_energy, load_velocities, unchangeable};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::moment_row::Role;
use crate::sweep::rows::Rows;

/// Attempts if rounding leaves too much energy: first the velocities are rebuilt, then the impulses are shortened by 64
/// ε, and by 64 times more each time, down to zero. So rounding at the limit changes the answer only by the size of
/// rounding.
const ATTEMPTS: u32 = 12;

/// A phase: where it started, and the impulse of each contact in it.
struct PhaseRecord<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows> {
    /// Impulses of the window and their scales.
    rows: &'a Rows<T, NC, R>,
    targets: Targets,
    /// Whether targets may add energy (bias).
    biased: bool,
    /// The bodies that it can have moved.
    bodies: &'a [u16],
    jacobians: &'a [ContactJacobian<T, R>; NC],
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
pub(crate) fn enforce_passivity<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
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
pub(crate) fn limit_warm_start<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
) {
    let SolverWorkspace { islands, rows, jacobians, start, velocity, driven, .. } = work;
    let bodies = islands.bodies();
    let phase =
        PhaseRecord { rows, targets: Targets::Counted, biased: true, bodies, jacobians, start, driven: *driven };
    let scale = phase.limit_warm_start(velocity);
    rows.scale_impulses(scale);
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> PhaseRecord<'_, T, NB, NC, R> {
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
            if R::HAS_MOMENTS && self.rows.role(i) == Role::Second {
                work.add_moments(&self.impulse(i), &u0, &u1);
                continue;
            }
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
            if R::HAS_MOMENTS && self.rows.role(i) == Role::Second {
                friction -= x.x * u.x;
            }
        }
        Boundary { total: work, friction }
    }
}
