//! The work of joints in a substep.
//!
//! Bodies move by the mean of the velocities before and after a substep, `½(v + v')`, and so does the work of what acts
//! along a joint: `p·½(w + w')` for an impulse `p`. Forces act first, `base = v + h a`. Measured from `base`, as contacts
//! are (see `guard`), all impulses `x` of a joint change the kinetic energy by `½x·(w_base + w')`, that is by their work
//! along the way and `½x·J h a`, which belongs to the forces.
//!
//! With impulses scaled by `s` the work of a part is `s p·½(w + w_base) + ½s² p·(w' − w_base)`.
//!
//! Where contacts hold bodies these move by `v'` alone, and the work is `p·w'`. Joints end with velocity zero there, so that
//! the kinetic energy changes by no more than that: `x·w' − ½|x|²` with `x·w' = p·w'`. With impulses scaled by `s` it is
//! `s p·w_base + s² p·(w' − w_base)`.
//!
//! Where sweeps end before they have solved an island, an impulse along an axis belongs to another velocity than the one
//! that the joint ends with, and its work can be more than what it comes from. So no more is allowed than a spring has
//! stored, `½ k C²`, a servo likewise or `max·|C|`, and what a motor gives at its speed, `h·max·|speed|`.
use crate::math::real::{Real, positive_part, smaller};
use crate::problem::joint::JointKind;
use crate::problem::joint_axis::{Motor, Spring};
use crate::problem::joint_work::JointWork;
use crate::space::joint_row::JointRow;
use crate::space::joint_side::dot;
use crate::space::velocity::Velocity;

/// Energy that a joint may give, along impulses scaled by `s`: `s · along + ½s² · square`.
#[derive(Clone, Copy)]
pub(crate) struct Allowed<T> {
    pub along: T,
    pub square: T,
}

impl<T: Real> Allowed<T> {
    pub const NONE: Self = Allowed { along: T::ZERO, square: T::ZERO };

    pub fn plus(&self, other: &Self) -> Self {
        Allowed { along: self.along + other.along, square: self.square + other.square }
    }

    /// This, or less if it is more than `most` for some scale up to 1.
    fn limited(&self, most: T) -> Self {
        let turns = self.along > T::ZERO && self.along + self.square < T::ZERO;
        let peak =
            if turns { -T::HALF * self.along * self.along / self.square } else { self.along + T::HALF * self.square };
        if peak <= most {
            return *self;
        }
        let part = most / (positive_part(self.along) + T::HALF * positive_part(self.square));
        // Where sums overflow, nothing is allowed.
        if part.is_finite() { Allowed { along: part * self.along, square: part * self.square } } else { Self::NONE }
    }
}

/// The most energy that motor and spring of a joint at this position can give in `h` seconds.
pub(crate) fn most_work<T: Real>(kind: &JointKind<T>, position: T, h: T) -> T {
    let stored = |stiffness: T, away: T| T::HALF * stiffness * away * away;
    let by_motor = match kind.axis().and_then(|axis| axis.motor) {
        Some(Motor::Speed { speed, max }) => h * max * speed.abs(),
        Some(Motor::Position { position: wanted, stiffness, max, .. }) => {
            let away = position - wanted;
            smaller(stored(stiffness, away), max * away.abs())
        }
        None => T::ZERO,
    };
    by_motor + kind.spring().map_or(T::ZERO, |spring: &Spring<T>| stored(spring.stiffness, position - spring.rest))
}

impl<T: Real> JointRow<T> {
    /// What the joint may add, with its velocity `end` after the substep, if motor and spring can give `most`.
    pub fn allowed(&self, end: &Velocity<T>, most: T) -> Allowed<T> {
        let base = self.arrival.plus(&self.forced);
        let speed = |w: &Velocity<T>| dot(&self.axis, w);
        let given = self.parts.motor + self.parts.spring;
        let change = given * (speed(end) - speed(&base));
        if self.is_damped {
            return Allowed { along: given * speed(&base), square: change + change }.limited(most);
        }
        let along = given * T::HALF * (speed(&self.arrival) + speed(&base));
        let of_forces = Allowed { along: T::HALF * dot(&self.impulse, &self.forced), square: T::ZERO };
        Allowed { along, square: change }.limited(most).plus(&of_forces)
    }

    /// Takes these velocities for those that impulses are measured from: a bounce has changed them.
    pub fn start_from(&mut self, velocity: &[Velocity<T>]) {
        self.arrival = self.velocity(velocity).minus(&self.forced);
    }

    /// Scales the impulse.
    pub fn scale(&mut self, scale: T) {
        let zero_or = |part: T| if scale > T::ZERO { part * scale } else { T::ZERO };
        self.impulse = if scale > T::ZERO { self.impulse.scaled(scale) } else { Velocity::ZERO };
        let parts = &mut self.parts;
        for part in [&mut parts.spring, &mut parts.motor, &mut parts.friction, &mut parts.limit, &mut parts.drag] {
            *part = zero_or(*part);
        }
    }

    /// Books the work along the free axis, with the joint's velocity `end` after the substep.
    pub fn book(&self, end: &Velocity<T>, work: &mut JointWork<T>) {
        let mean =
            if self.is_damped { dot(&self.axis, end) } else { T::HALF * dot(&self.axis, &self.arrival.plus(end)) };
        work.motor += self.parts.motor * mean;
        work.spring += self.parts.spring * mean;
        work.friction += self.parts.friction * mean;
    }
}
