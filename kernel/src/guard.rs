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

use nalgebra::Vector3;

use crate::body::{Bodies, energy_of};
use crate::inertia::Energy;
use crate::links::{BodySpace, Link, Velocity, contact_velocity};
use crate::real::{Real, positive_part};
use crate::rows::{ContactSpace, Rows};

/// What is tried where rounding leaves more energy than it should: the velocities rebuilt, then shorter and shorter
/// steps along the same ray, slightly at first so that noise at the limit has slight effects, then none at all.
fn fractions<T: Real>() -> [T; 6] {
    [T::ONE, T::lit(0.999), T::lit(0.97), T::HALF, T::lit(0.1), T::ZERO]
}

/// A phase's impulses in velocity units, seen from outside its storage.
pub(crate) struct Phase<'a, T, I, const NB: usize, const NC: usize>
where
    I: Fn(usize) -> Vector3<T>,
{
    pub contacts: usize,
    pub links: &'a [Link<T>; NC],
    pub unit: &'a [T; NC],
    pub target: &'a [T; NC],
    pub start: &'a [Velocity<T>; NB],
    pub impulse: I,
}

/// The contact phase, as its rows stand.
pub(crate) fn contact_phase<'a, T: Real, const NB: usize, const NC: usize>(
    rows: &'a Rows<T, NC>,
    links: &'a [Link<T>; NC],
    start: &'a [Velocity<T>; NB],
) -> Phase<'a, T, impl Fn(usize) -> Vector3<T> + 'a, NB, NC> {
    let impulse = |i: usize| rows.impulse.get(i).copied().unwrap_or_else(Vector3::zeros);
    Phase { contacts: rows.len(), links, unit: &rows.unit, target: &rows.target, start, impulse }
}

/// How a phase ended.
#[derive(Clone, Copy)]
pub(crate) struct Closing<T> {
    /// What its impulses must be multiplied by.
    pub scale: T,
    /// Energy change, J.
    pub work: T,
}

/// `λ·u⁰`, `λ·u¹` and the sum of magnitudes that bounds their rounding.
struct Work<T> {
    at_start: T,
    at_end: T,
    magnitude: T,
    target: T,
}

impl<T: Real> Work<T> {
    fn change(&self) -> T {
        T::HALF * (self.at_start + self.at_end)
    }

    /// Energy change of the impulses scaled by `s`, the target's part included.
    fn along(&self, s: T) -> T {
        s * (self.at_start + self.target) + T::HALF * s * s * (self.at_end - self.at_start)
    }

    fn gains(&self) -> bool {
        !(self.change() <= T::lit(8.0) * T::EPSILON * self.magnitude)
    }

    /// `s₀` clamped to 0..=1; 0 where it is not a number.
    fn scale_without_gain(&self) -> T {
        let s = -(self.at_start + self.at_start) / (self.at_end - self.at_start);
        if s > T::ONE { T::ONE } else { positive_part(s) }
    }
}

impl<T: Real, I, const NB: usize, const NC: usize> Phase<'_, T, I, NB, NC>
where
    I: Fn(usize) -> Vector3<T>,
{
    fn count(&self) -> usize {
        if self.contacts < NC { self.contacts } else { NC }
    }

    fn work(&self, end: &[Velocity<T>; NB]) -> Work<T> {
        let mut work = Work { at_start: T::ZERO, at_end: T::ZERO, magnitude: T::ZERO, target: T::ZERO };
        for i in 0..self.count() {
            let x = (self.impulse)(i) / self.unit[i];
            let shift = Vector3::new(self.target[i], T::ZERO, T::ZERO);
            let u0 = contact_velocity(self.links, self.start, i) - shift;
            let u1 = contact_velocity(self.links, end, i) - shift;
            work.at_start += x.dot(&u0);
            work.at_end += x.dot(&u1);
            work.magnitude += x.abs().dot(&(u0.abs() + u1.abs()));
            work.target += x.x * self.target[i];
        }
        work
    }

    /// `end = start + scale · M⁻¹Jᵀλ`.
    pub fn replay(&self, end: &mut [Velocity<T>; NB], scale: T) {
        *end = *self.start;
        if !(scale > T::ZERO) {
            return;
        }
        let mut space = BodySpace { links: self.links, velocity: end };
        for i in 0..self.count() {
            space.push(i, &((self.impulse)(i) * scale));
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
    pub fn close(&self, bodies: &Bodies<T, NB>, before: Energy<T>, end: &mut [Velocity<T>; NB]) -> Closing<T> {
        let work = self.work(end);
        let mut scale = T::ONE;
        if work.gains() {
            scale = work.scale_without_gain();
            self.replay(end, scale);
        }
        let passive = |end: &[Velocity<T>; NB], s: T| {
            let after = kinetic_energy(bodies, end);
            after.value <= before.value + s * work.target + before.uncertainty + after.uncertainty
        };
        if passive(end, scale) {
            return Closing { scale, work: work.along(scale) };
        }
        for fraction in fractions::<T>() {
            let shorter = scale * fraction;
            self.replay(end, shorter);
            if passive(end, shorter) {
                return Closing { scale: shorter, work: work.along(shorter) };
            }
        }
        Closing { scale: T::ZERO, work: T::ZERO }
    }
}

/// Kinetic energy of all bodies at the given velocities.
pub(crate) fn kinetic_energy<T: Real, const NB: usize>(
    bodies: &Bodies<T, NB>,
    velocity: &[Velocity<T>; NB],
) -> Energy<T> {
    let mut total = Energy { value: T::ZERO, uncertainty: T::ZERO };
    for (i, v) in velocity.iter().enumerate().take(bodies.len()) {
        let Some((inverse_mass, inverse_inertia)) = bodies.mass_properties(i) else { break };
        let energy = energy_of(inverse_mass, inverse_inertia, &v.linear, &v.angular);
        total.value += energy.value;
        total.uncertainty += energy.uncertainty;
    }
    total
}
