//! The work of a phase's impulses, along the ray that `passivity` scales them on.
use nalgebra::Vector3;

use crate::math::ldlt3::Energy;
use crate::math::real::{Real, positive_part, smaller};
use crate::math::vector::VectorOps;

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

    /// Adds a contact's moments, in N s with the lengths of their rows: all of their work is friction's.
    pub(crate) fn add_moments(&mut self, x: &Vector3<T>, u0: &Vector3<T>, u1: &Vector3<T>) {
        let (start, end) = (x.dot(u0), x.dot(u1));
        self.at_start += start;
        self.at_end += end;
        self.tangential_at_start += start;
        self.tangential_at_end += end;
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
