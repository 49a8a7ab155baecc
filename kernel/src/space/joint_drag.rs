//! The drag of joints whose light links would vibrate under the tension of a heavy load (see `joints::build`): against
//! rotation in a ball joint, against velocities across the line of a rod, a rope or a spring. That of a hinge is part of
//! its law.
//!
//! It does not act up to the speed `c` and is `−b (s − c)` beyond it, against the velocity `s d` that there is without it.
//! With the compliance `k = d·K d` that is the speed `(s + k b c)/(1 + k b)`.
use crate::local::axis_law::Drag;
use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::space::joint_row::{Held, JointRow};
use crate::space::joint_side::dot;
use crate::space::velocity::Velocity;

impl<T: Real> JointRow<T> {
    /// Sets the drag; along the free axis of a hinge it belongs to the law. Without one the joint has no impulse where it
    /// would act.
    pub fn set_drag(&mut self, drag: Drag<T>) {
        if self.held == Held::Pose {
            self.law.drag = drag;
            return;
        }
        self.drag = drag;
        if !(drag.gain > T::ZERO) {
            self.impulse = self.impulse.minus(&self.dragged_part(&self.impulse));
        }
    }

    /// The drag acts against the direction that the velocity has without it.
    pub(super) fn visit_drag(&mut self, velocity: &mut [Velocity<T>]) {
        let Drag { calm, gain } = self.drag;
        let before = self.dragged_part(&self.impulse);
        let response = |x: &Velocity<T>| self.dragged_part(&self.response(x));
        let free = self.dragged_part(&self.velocity(velocity)).minus(&response(&before));
        let speed = dot(&free, &free).sqrt_or_zero();
        let after = if speed > calm {
            let along = free.scaled(T::ONE / speed);
            let compliance = dot(&along, &response(&along));
            let slower = (speed + compliance * gain * calm) / (T::ONE + compliance * gain);
            along.scaled(-gain * (slower - calm))
        } else {
            Velocity::ZERO
        };
        let change = after.minus(&before);
        if dot(&change, &change) <= T::MAX {
            self.impulse = self.impulse.plus(&change);
            self.push(velocity, &change);
        }
    }

    /// The part that the drag acts on: rotation in a ball joint, what is across the line between two anchors.
    pub fn dragged_part(&self, w: &Velocity<T>) -> Velocity<T> {
        let zero = T::Lanes3::ZERO;
        match self.held {
            Held::Point => Velocity { linear: zero, angular: w.angular },
            Held::Line => {
                let across = w.minus(&self.axis.scaled(dot(&self.axis, w)));
                Velocity { linear: across.linear, angular: zero }
            }
            Held::Pose => Velocity::ZERO,
        }
    }
}
