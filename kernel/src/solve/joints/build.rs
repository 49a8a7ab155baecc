//! The row of a joint for a substep of `h` seconds.
//!
//! Bodies turn within a substep, and their joint with them. The rows `J` are those of the middle of the substep, as the
//! velocities `v` that it begins with predict it. Even without forces the joint's velocity `J v` is not zero there: the
//! points of a body that swings about a hinge change direction. Such a body keeps its energy if the mean of its
//! velocities before and after obeys the joint, since impulses along `Jᵀ` then do no work:
//!
//! ```text
//! J ½(v + v') = 0   ⟹   J v' = −J v
//! ```
//!
//! Bodies that move by the mean of both velocities stay on the joint to third order in `h`, and the whole is of second
//! order. The part of `J v` that comes from turning is `c = J v − J⁰ v` with the rows `J⁰` of the substep's start; the
//! rest, `e = J⁰ v`, is an error of the joint. Where it is more than a small part of `c`, it is not sent back, so that
//! joints do not ring: the target is `−c`. Then impulses do the work `½x·e` along the way. Of an error along which the last
//! impulse would add energy, that part is sent back all the same.
//!
//! # Drag
//!
//! Light links under the tension `x/h` of a heavy end vibrate: a link with lever arms `r` and inertia `I` at about
//! `ω² = x r/(h I)`. No scheme with explicit lever arms is stable beyond `ω h = 2`, however exactly joints are solved. There
//! (`h x r > 2 I`) a drag acts against rotation in the joint, of the gain that implicit steps would have, `½ h x r − I`. It
//! only takes energy out. It does not act up to half of the speed that the joint had, so that a slow swing loses little, and
//! with shorter substeps it is zero.
//!
//! A rod, a rope or a spring of length `L` turns, too: across its line anchors move as on springs of stiffness `x/(h L)`,
//! beside `x/(h r)` of lever arms. With the inverse mass `k` of an anchor and its part `r²/I` the measure is
//! `s = h x (k/L + r/I)`. From `s = ½` on a drag of the gain `4 (s − ½)/k` acts against velocities across the line.
use nalgebra::{Matrix3, Vector3};

use crate::local::axis_law::{AxisLaw, Drag, Drive, Pull};
use crate::math::lanes::Lanes3;
use crate::math::quaternion::to_own_axes;
use crate::math::real::{Real, positive_part};
use crate::math::vector::{VectorOps, times};
use crate::problem::joint::{Joint, JointKind};
use crate::problem::joint_axis::{JointAxis, Motor};
use crate::problem::kept_joint::KeptJoint;
use crate::solve::joints::geometry::Geometry;
use crate::solve::joints::pose::Place;
use crate::space::joint_row::{Held, JointRow};
use crate::space::joint_side::{JointSide, dot};
use crate::space::velocity::Velocity;

/// Part of the velocity by turning up to which an error counts as small.
const SMALL: f64 = 0.1;

/// Inertias of a joint up to which its links need no drag.
const STEADY: f64 = 1.0;
/// Part of its speed before that the drag leaves a joint alone.
const CALM: f64 = 0.5;
/// Across a line: from which measure on there is a drag, and how fast it grows. By trial: links and the line turn together.
const LOOSE: f64 = 0.5;
const FIRM: f64 = 4.0;
/// `r²/I` of a link from the mean of its anchor's inverse mass over all directions, two of which turn it.
const LEVER: f64 = 1.5;

/// A body of a joint.
pub(crate) struct End<'a, T: Real> {
    pub place: Place<T>,
    pub inverse_mass: T,
    pub inverse_inertia: Matrix3<T>,
    pub velocity: &'a Velocity<T>,
    /// Change of velocity by forces in the substep.
    pub forced: &'a Velocity<T>,
}

impl<T: Real> End<'_, T> {
    /// Whether no impulse moves the body.
    fn is_unmoved(&self) -> bool {
        self.inverse_mass == T::ZERO && self.inverse_inertia.iter().all(|number| *number == T::ZERO)
    }
}

impl<T: Real> JointRow<T> {
    /// Builds the row of a joint, with the impulse that is kept of it.
    pub fn build(&mut self, joint: &Joint<T>, kept: &KeptJoint<T>, ends: &[End<'_, T>; 2], h: T) {
        let now = self.stand(joint, kept, ends);
        let [a, b] = ends;
        let (velocities, half) = ([a.velocity, b.velocity], T::HALF * h);
        let middle = |end: &End<'_, T>| end.place.after(&end.velocity.linear(), &end.velocity.angular(), half);
        let halfway = Geometry::new(joint, &middle(a), &middle(b));
        let at_start = self.velocity_between(velocities);
        for (side, arm) in self.sides.iter_mut().zip(&arms(&halfway, [&middle(a), &middle(b)], ends)) {
            side.arm = T::Lanes3::of(arm);
        }
        self.set_block(halfway.held, halfway.axis);
        self.arrival = self.velocity_between(velocities);
        self.forced = self.velocity_between([a.forced, b.forced]);
        self.position = unwrapped(joint, now.position, kept.position);
        self.way_back = way_back(joint, self.position);
        (self.was_at_limit, self.is_damped) = (kept.is_at_limit, false);
        self.set_law(joint, h);
        if matches!(joint.kind, JointKind::Distance { .. }) {
            self.is_free = false;
        }
        let before = held_part(joint, &now, &at_start);
        let turning = held_part(joint, &halfway, &self.arrival).minus(&before);
        self.error = now.error();
        self.set_drag(self.needed_drag(joint, h));
        self.target = turning.plus(&self.sent_back(&before, &turning)).scaled(-T::ONE);
    }

    /// The row where its bodies are, as far as its impulse acts on them: lever arms, and the impulse that is kept.
    pub fn stand(&mut self, joint: &Joint<T>, kept: &KeptJoint<T>, ends: &[End<'_, T>; 2]) -> Geometry<T> {
        let [a, b] = ends;
        let now = Geometry::new(joint, &a.place, &b.place);
        let [arm_a, arm_b] = &arms(&now, [&a.place, &b.place], ends);
        let side = |body: usize, end: &End<'_, T>, arm: &Vector3<T>| {
            JointSide::new(body, (end.inverse_mass, &end.inverse_inertia), arm)
        };
        self.sides = [side(joint.a, a, arm_a), side(joint.b, b, arm_b)];
        let axes = &a.place.axes;
        self.impulse = Velocity::new(&times(axes, &kept.linear), &times(axes, &kept.angular));
        now
    }

    /// The part of an error `e` that is sent back, beside the part `c` of the velocity that comes from turning.
    fn sent_back(&self, e: &Velocity<T>, c: &Velocity<T>) -> Velocity<T> {
        let (error, turning) = (self.square_of(e), T::lit(SMALL * SMALL) * self.square_of(c));
        if !(error > T::ZERO) {
            return Velocity::ZERO;
        }
        let part = turning / (turning + error);
        e.scaled(part).plus(&self.gaining_part(e).scaled(T::ONE - part))
    }

    /// The part of an error along which the last impulse does work: zero, or along the velocity that the impulse makes.
    fn gaining_part(&self, e: &Velocity<T>) -> Velocity<T> {
        let x = &self.impulse;
        let made = Velocity { linear: x.linear.scaled(self.size), angular: x.angular.scaled(self.turning) };
        let (work, square) = (dot(x, e), dot(x, &made));
        if work > T::ZERO && square > T::ZERO { made.scaled(work / square) } else { Velocity::ZERO }
    }

    /// What acts along the free axis.
    fn set_law(&mut self, joint: &Joint<T>, h: T) {
        let inverse_h = T::ONE / h;
        self.law = match &joint.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => law_of(axis, self.position, h),
            JointKind::Rope { length } => {
                AxisLaw { speeds: [T::MAX, positive_part(*length - self.position) * inverse_h], ..AxisLaw::FREE }
            }
            JointKind::Spring(spring) => {
                let pull = Pull::new(spring.stiffness, spring.damping, self.position - spring.rest, h);
                AxisLaw { spring: pull, ..AxisLaw::FREE }
            }
            JointKind::Ball | JointKind::Fixed | JointKind::Distance { .. } => AxisLaw::FREE,
        };
    }

    /// The drag of joints whose links can turn.
    fn needed_drag(&self, joint: &Joint<T>, h: T) -> Drag<T> {
        let x = self.impulse.linear.vector();
        let pull = h * x.dot(&x).sqrt_or_zero();
        match joint.kind {
            JointKind::Slider(_) | JointKind::Fixed => Drag::NONE,
            JointKind::Ball | JointKind::Hinge(_) => {
                let gain = positive_part(T::HALF * pull * self.arm() - T::lit(STEADY) / self.turning);
                Drag { calm: calm_speed(&self.arrival.angular), gain }
            }
            JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_) => {
                let rotating = self.size - self.inverse_masses();
                let turn = |size: T, length: T| if length > T::ZERO { size / length } else { T::ZERO };
                let ratio = pull * (turn(self.size, self.position.abs()) + turn(T::lit(LEVER) * rotating, self.arm()));
                let gain = T::lit(FIRM) * positive_part(ratio - T::lit(LOOSE)) / self.size;
                Drag { calm: calm_speed(&self.dragged_part(&self.arrival).linear), gain }
            }
        }
    }

    /// What is kept of the joint: its impulse in A's axes.
    pub fn kept(&self, a: &Place<T>) -> KeptJoint<T> {
        KeptJoint {
            linear: to_own_axes(&a.axes, &self.impulse.linear.vector()),
            angular: to_own_axes(&a.axes, &self.impulse.angular.vector()),
            position: self.position,
            is_at_limit: self.parts.limit != T::ZERO,
        }
    }
}

/// Lever arms. A body that no impulse moves, a belt or a turning disc, is met at the other body's anchor: where joints that
/// contradict each other keep anchors apart, its rotation would drive the other body away otherwise, the faster the further.
fn arms<T: Real>(geometry: &Geometry<T>, places: [&Place<T>; 2], ends: &[End<'_, T>; 2]) -> [Vector3<T>; 2] {
    let ([arm_a, arm_b], way) = (geometry.arms, places[1].position.minus(&places[0].position));
    match ends.each_ref().map(End::is_unmoved) {
        _ if geometry.held == Held::Line => [arm_a, arm_b],
        [true, _] => [arm_b.plus(&way), arm_b],
        [false, true] => [arm_a, arm_a.minus(&way)],
        [false, false] => [arm_a, arm_b],
    }
}

/// Up to which speed the drag leaves a joint alone.
fn calm_speed<T: Real>(velocity: &T::Lanes3) -> T {
    let v = velocity.vector();
    T::lit(CALM) * v.dot(&v).sqrt_or_zero()
}

/// The part of a joint's velocity that it holds. Ropes and springs hold nothing: what acts in them is their law's.
fn held_part<T: Real>(joint: &Joint<T>, geometry: &Geometry<T>, w: &Velocity<T>) -> Velocity<T> {
    let Some((axis, is_angular)) = &geometry.axis else { return *w };
    let along = |v: &Vector3<T>| axis * axis.dot(v);
    match (&joint.kind, is_angular) {
        (JointKind::Rope { .. } | JointKind::Spring(_), _) => Velocity::ZERO,
        (JointKind::Distance { .. }, _) => Velocity::new(&along(&w.linear()), &Vector3::zeros()),
        (_, true) => Velocity::new(&w.linear(), &(w.angular() - along(&w.angular()))),
        (_, false) => Velocity::new(&(w.linear() - along(&w.linear())), &w.angular()),
    }
}

/// The position along the axis; angles are those next to the last one, so that revolutions count.
fn unwrapped<T: Real>(joint: &Joint<T>, position: T, last: T) -> T {
    if !matches!(joint.kind, JointKind::Hinge(_)) {
        return position;
    }
    let turn = T::lit(2.0 * core::f64::consts::PI);
    let turns = (last - position) / turn;
    let whole = T::integer((turns + T::HALF).floor_to_i32().clamp(-32_000, 32_000) as i16);
    position + turn * whole
}

/// The position of a joint whose bodies are at these poses, next to the last one.
pub(crate) fn position_at<T: Real>(joint: &Joint<T>, last: T, a: &Place<T>, b: &Place<T>) -> T {
    unwrapped(joint, Geometry::new(joint, a, b).position, last)
}

/// The way along the axis back to limits or to the length of a rope; 0 within them.
fn way_back<T: Real>(joint: &Joint<T>, position: T) -> T {
    let (low, high) = match &joint.kind {
        JointKind::Rope { length } => (-T::MAX, *length),
        kind => match kind.axis().and_then(|axis| axis.limits) {
            Some([low, high]) => (low, high),
            None => return T::ZERO,
        },
    };
    if position < low {
        low - position
    } else if position > high {
        high - position
    } else {
        T::ZERO
    }
}

fn law_of<T: Real>(axis: &JointAxis<T>, position: T, h: T) -> AxisLaw<T> {
    let inverse_h = T::ONE / h;
    let (motor, strength) = match axis.motor {
        Some(Motor::Speed { speed, max }) => (Drive::Speed(speed), max * h),
        Some(Motor::Position { position: wanted, stiffness, damping, max }) => {
            (Drive::Position(Pull::new(stiffness, damping, position - wanted, h)), max * h)
        }
        None => (Drive::Speed(T::ZERO), T::ZERO),
    };
    let spring =
        axis.spring.map_or(Pull::NONE, |spring| Pull::new(spring.stiffness, spring.damping, position - spring.rest, h));
    // What is beyond a limit stays there as far as velocities are concerned: position correction brings it back (`way_back`).
    let speeds = axis.limits.map_or([T::MAX, T::MAX], |[low, high]| {
        [positive_part(position - low) * inverse_h, positive_part(high - position) * inverse_h]
    });
    AxisLaw { speeds, friction: axis.friction * h, spring, motor, strength, drag: Drag::NONE }
}
