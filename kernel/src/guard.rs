//! No solve ever adds kinetic energy.
//!
//! A phase that starts at velocities `v⁰` and applies impulses `λ` ends at `v¹ = v⁰ + M⁻¹Jᵀλ` and changes the energy by
//!
//! ```text
//! ΔE = ½ λ·(u⁰ + u¹),     u = J v (less the target, where stabilisation asks for one)
//! ```
//!
//! At an exact solution this is not positive. Stopped early, or started from a bad warm start, it can be. Along the ray
//! `sλ` the energy is the parabola `s λ·u⁰ + ½ s² λ·(u¹ − u⁰)`, zero at `s = 0` and at `s₀ = −2 λ·u⁰ / λ·(u¹ − u⁰)`, so
//! scaling by `s₀ ∈ [0, 1]` ends the gain, and `s₀/2` takes the most energy out. Every cone contains 0 and is convex:
//! the scaled impulse is still admissible.
//!
//! That is exact arithmetic. In floating point, large impulses that cancel leave rounding in the velocities, so the
//! energy of the result is computed as well; where it exceeds what rounding of that sum explains, velocities are rebuilt
//! from the impulses and, if need be, the scale is lowered, finally to 0, which gives back `v⁰` to the bit.
//!
//! A conveyor, a moving wall, a spin about an axis that cannot turn: velocities that no impulse changes do work on those
//! that can move. That work is not the contacts' gain, and is allowed for; it is computed only where such a velocity is.

use nalgebra::Vector3;

use crate::body::{Bodies, energy_of};
use crate::inertia::{Energy, InertiaFactor};
use crate::links::{
    BodySpace, Link, Velocity, contact_velocity, copy_velocity, go_back, load_velocities, velocity_between,
};
use crate::real::{Real, positive_part, smaller};
use crate::rows::{ContactSpace, Rows};
use crate::small::{Entries, is_nothing};

/// Attempts where rounding leaves more energy than it should: the velocities rebuilt, then steps along the same ray
/// shorter by 64 ε, and 64 times that each time, until nothing is left. Noise at the limit then has effects of the size
/// of noise.
const ATTEMPTS: u32 = 12;

/// A phase: where it started, and what each contact did in it.
pub(crate) struct Phase<'a, T: Real, const NB: usize, const NC: usize> {
    /// Impulses and units of the window.
    pub rows: &'a Rows<T, NC>,
    /// Whether the rows' targets are the phase's own. The bounce answers for its energy without: they are what it is
    /// checked against.
    pub targeted: bool,
    /// Whether targets may put energy in. Others only ask for gaps that stay open.
    pub biased: bool,
    /// The bodies that it can have moved.
    pub bodies: &'a [u16],
    pub links: &'a [Link<T>; NC],
    pub start: &'a [Velocity<T>; NB],
    /// Whether some velocity is one that no impulse can change.
    pub driven: bool,
}

/// How a phase ended.
#[derive(Clone, Copy)]
pub(crate) struct Closing<T> {
    /// What its impulses must be multiplied by.
    pub scale: T,
    /// Whether velocities are other than the phase left them, if only by its rounding.
    pub rebuilt: bool,
    pub work: PhaseWork<T>,
    /// Kinetic energy of the velocities that they lead to.
    pub energy: Energy<T>,
}

/// Energy change by a phase, J, and two parts of it.
#[derive(Clone, Copy)]
pub(crate) struct PhaseWork<T> {
    pub total: T,
    /// By the tangential impulses.
    pub friction: T,
    /// What targets that separate put in: `λ_n · target`.
    pub bias: T,
}

impl<T: Real> PhaseWork<T> {
    pub const NONE: Self = PhaseWork { total: T::ZERO, friction: T::ZERO, bias: T::ZERO };
}

/// `λ·u⁰`, `λ·u¹` with their tangential parts, the target's own work, and the magnitudes that bound their rounding.
pub(crate) struct Work<T> {
    at_start: T,
    at_end: T,
    tangential_at_start: T,
    tangential_at_end: T,
    target: T,
    bias: T,
    magnitude: T,
}

/// Work of velocities that no impulse can change.
struct Boundary<T> {
    total: Energy<T>,
    friction: T,
}

impl<T: Real> Work<T> {
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
    pub fn add(&mut self, x: &Vector3<T>, u0: &Vector3<T>, u1: &Vector3<T>, target: T) {
        self.at_start += x.dot(u0);
        self.at_end += x.dot(u1);
        self.tangential_at_start += x.y * u0.y + x.z * u0.z;
        self.tangential_at_end += x.y * u1.y + x.z * u1.z;
        self.target += x.x * target;
        self.bias += x.x * positive_part(target);
        self.magnitude += x.magnitudes().dot(&u0.magnitudes().plus(&u1.magnitudes()));
    }

    /// Energy change of the impulses scaled by `s`, the target's part included.
    pub fn along(&self, s: T) -> PhaseWork<T> {
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

    /// Whether the unscaled impulses add more energy than the target allows and rounding explains.
    pub fn gains(&self) -> bool {
        let change = T::HALF * (self.at_start + self.at_end);
        !(change <= T::lit(8.0) * T::EPSILON * self.magnitude) || !self.magnitude.finite()
    }

    /// `s₀` clamped to 0..=1; 0 where it is not a number, and where every step along the ray gains at first, as it can with a
    /// matrix that no bodies have.
    pub fn scale_without_gain(&self) -> T {
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

impl<T: Real, const NB: usize, const NC: usize> Phase<'_, T, NB, NC> {
    /// A contact's impulse in N s.
    fn impulse(&self, i: usize) -> Vector3<T> {
        if i < NC { self.rows.impulse[i].over(self.rows.unit[i]) } else { Vector3::zeros() }
    }

    #[inline(never)]
    fn work(&self, end: &[Velocity<T>; NB]) -> Work<T> {
        let mut work = Work::none();
        for i in self.rows.window() {
            let target = if self.targeted { self.rows.target[i] } else { T::ZERO };
            let less = |u: Vector3<T>| Vector3::new(u.x - target, u.y, u.z);
            let kept = self.targeted && self.rows.starts_kept;
            let u0 = if kept { self.rows.before[i] } else { less(contact_velocity(self.links, self.start, i)) };
            let u1 = less(contact_velocity(self.links, end, i));
            work.add(&self.impulse(i), &u0, &u1, target);
        }
        work
    }

    /// `end = start + scale · M⁻¹Jᵀλ`.
    #[inline(never)]
    fn replay(&self, end: &mut [Velocity<T>; NB], scale: T) {
        go_back(self.links, self.rows.window(), self.start, end);
        if !(scale > T::ZERO) {
            return;
        }
        let mut space = BodySpace::new(self.links, end);
        for i in self.rows.window() {
            space.push(i, &self.rows.impulse[i].by(scale));
        }
    }

    /// Softens a warm start that would add energy: to the point on its ray where the energy is least.
    pub fn soften(&self, end: &mut [Velocity<T>; NB]) -> T {
        let work = self.work(end);
        if !work.gains() {
            return T::ONE;
        }
        let scale = work.scale_without_gain() * T::HALF;
        self.replay(end, scale);
        scale
    }

    /// Makes the phase passive: gives the scale of its impulses and leaves `end` at the velocities they lead to.
    #[cfg_attr(target_os = "none", inline(always))]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    pub fn close(&self, bodies: &Bodies<T, NB>, before: Energy<T>, end: &mut [Velocity<T>; NB]) -> Closing<T> {
        // One after the other: they are not on the stack together.
        let boundary = self.boundary_work(bodies);
        self.close_within(bodies, before, &boundary, end)
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn close_within(
        &self,
        bodies: &Bodies<T, NB>,
        before: Energy<T>,
        boundary: &Boundary<T>,
        end: &mut [Velocity<T>; NB],
    ) -> Closing<T> {
        let work = self.work(end);
        let mut full = T::ONE;
        if work.gains() {
            full = work.scale_without_gain();
            self.replay(end, full);
        }
        let mut scale = full;
        let growth = T::lit(64.0);
        let mut cut = T::ZERO;
        for attempt in 0..=ATTEMPTS {
            // The first look is at the velocities as the phase left them.
            if attempt > 0 {
                scale = full * positive_part(T::ONE - cut);
                self.replay(end, scale);
                cut = if cut > T::ZERO { cut * growth } else { growth * T::EPSILON };
            }
            let energy = kinetic_energy(bodies, self.bodies, end);
            let given = if self.biased { work.target } else { smaller(work.target, T::ZERO) };
            let allowed = scale * (given + boundary.total.value) + boundary.total.uncertainty;
            // As a difference: where both sides are infinite it is no number, and that is refused, too.
            let spare = before.value + allowed + before.uncertainty + energy.uncertainty - energy.value;
            if spare >= T::ZERO {
                let mut work = work.along(scale);
                work.total += scale * boundary.total.value;
                work.friction += scale * boundary.friction;
                return Closing { scale, work, energy, rebuilt: attempt > 0 || full < T::ONE };
            }
        }
        let energy = self.give_up(bodies, before, end);
        Closing { scale: T::ZERO, work: PhaseWork::NONE, energy, rebuilt: true }
    }

    /// Goes back to where the phase began; or, where memory did not keep that, to the caller's own velocities.
    #[cfg_attr(not(target_os = "none"), cold, inline(never))]
    fn give_up(&self, bodies: &Bodies<T, NB>, before: Energy<T>, end: &mut [Velocity<T>; NB]) -> Energy<T> {
        go_back(self.links, self.rows.window(), self.start, end);
        let energy = kinetic_energy(bodies, self.bodies, end);
        if energy.value - before.value <= before.uncertainty + energy.uncertainty && energy.uncertainty.finite() {
            return before;
        }
        load_velocities(bodies, end);
        kinetic_energy(bodies, self.bodies, end)
    }

    /// Work that the phase lets velocities do which no impulse can change: `−λ·J v` over immovable bodies and locked axes.
    #[inline(never)]
    fn boundary_work(&self, bodies: &Bodies<T, NB>) -> Boundary<T> {
        let mut work = Energy { value: T::ZERO, uncertainty: T::ZERO };
        let mut friction = T::ZERO;
        let rows = if self.driven { self.rows.window() } else { 0..0 };
        for i in rows {
            let x = self.impulse(i);
            let Some(link) = self.links.get(i) else { break };
            let (a, b) = link.bodies();
            let u = velocity_between(link, &unchangeable(bodies, a), &unchangeable(bodies, b));
            work.value -= x.dot(&u);
            work.uncertainty += T::lit(8.0) * T::EPSILON * x.magnitudes().dot(&u.magnitudes());
            friction -= x.y * u.y + x.z * u.z;
        }
        Boundary { total: work, friction }
    }
}

/// The part of a body's velocity that no impulse can change, as the body brought it along. Not as a bounce left it: what is
/// new there is rounding, and would be seen only where some other island is driven.
#[inline(never)]
fn unchangeable<T: Real, const NB: usize>(bodies: &Bodies<T, NB>, index: usize) -> Velocity<T> {
    let Some((inverse_mass, inverse_inertia)) = bodies.mass_properties(index) else { return Velocity::ZERO };
    let Some((linear, angular)) = bodies.linear().get(index).zip(bodies.angular().get(index)) else {
        return Velocity::ZERO;
    };
    let linear = if inverse_mass > T::ZERO { Vector3::zeros() } else { *linear };
    Velocity::new(&linear, &InertiaFactor::new(inverse_inertia).unchangeable(angular))
}

/// Whether some body has a velocity that no impulse can change.
pub(crate) fn is_driven<T: Real, const NB: usize>(bodies: &Bodies<T, NB>) -> bool {
    let mut driven = false;
    for (index, (linear, angular)) in bodies.linear().iter().zip(bodies.angular()).enumerate() {
        // Mostly bodies do not turn, and can move or do not: no factor is needed to know that impulses can change all of it.
        let free = is_nothing(angular) && (bodies.is_movable(index) || is_nothing(linear));
        driven |= !free && !unchangeable(bodies, index).is_zero();
    }
    driven
}

/// Kinetic energy of some bodies at the given velocities.
#[inline(never)]
pub(crate) fn kinetic_energy<T: Real, const NB: usize>(
    bodies: &Bodies<T, NB>,
    members: &[u16],
    velocity: &[Velocity<T>; NB],
) -> Energy<T> {
    let mut total = Energy { value: T::ZERO, uncertainty: T::ZERO };
    for index in members.iter().map(|index| usize::from(*index)) {
        let (Some((inverse_mass, inverse_inertia)), Some(v)) = (bodies.mass_properties(index), velocity.get(index))
        else {
            break;
        };
        let energy = energy_of(inverse_mass, inverse_inertia, &v.linear(), &v.angular());
        total.value += energy.value;
        total.uncertainty += energy.uncertainty;
    }
    total
}

/// Copies the velocities of some bodies.
#[inline(never)]
pub(crate) fn copy_velocities<T: Real, const NB: usize>(
    members: &[u16],
    from: &[Velocity<T>; NB],
    to: &mut [Velocity<T>; NB],
) {
    for index in members.iter().map(|index| usize::from(*index)) {
        copy_velocity(Some(from), to, index);
    }
}
