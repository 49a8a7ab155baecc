//! A joint's rows held by dampers, for a factor of all joints of an island (see `kept_factor`).
//!
//! Rows that are held have stiff dampers, the axis where its law holds a velocity, too; on a sloping part of its law the
//! axis has that slope as its damper.
use crate::local::axis_law::Segment;
use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::space::block6::Block6;
use crate::space::joint_row::{Held, JointRow};
use crate::space::joint_side::{dot, unit};
use crate::space::velocity::Velocity;

impl<T: Real> JointRow<T> {
    /// Chooses the dampers: so stiff that they leave a part `softness` of a velocity. Returns whether they changed.
    pub fn set_stiffness(&mut self, softness: T) -> bool {
        let before = (self.stiffness, self.axis_stiffness);
        let over = |size: T| if size > T::ZERO { T::ONE / (softness * size) } else { T::ZERO };
        let drag = self.dragged_part(&self.impulse);
        let acting = if drag == Velocity::ZERO { T::ZERO } else { self.drag.gain };
        let (linear, angular) = (over(self.size), over(self.turning));
        self.stiffness = match self.held {
            Held::Pose => [linear, angular],
            Held::Point => [linear, acting],
            Held::Line => [acting, T::ZERO],
        };
        let own = if self.axis.linear == T::Lanes3::ZERO { angular } else { linear };
        self.axis_stiffness = match self.segment {
            _ if !self.is_free => own,
            Segment::Held(_) => own,
            Segment::Pulled(pull) => pull.gain,
        };
        before != (self.stiffness, self.axis_stiffness)
    }

    /// `D u`: what the dampers do against a velocity of the rows.
    pub fn damped(&self, u: &Velocity<T>) -> Velocity<T> {
        let [linear, angular] = self.stiffness;
        let along = dot(&self.axis, u);
        let rest = u.minus(&self.axis.scaled(along));
        let across = Velocity { linear: rest.linear.scaled(linear), angular: rest.angular.scaled(angular) };
        across.plus(&self.axis.scaled(self.axis_stiffness * along))
    }

    /// The change of the impulse by the dampers where bodies change their velocities such that the rows change theirs by
    /// `du`, and the velocity less targets before.
    pub fn damping(&self, velocity: &[Velocity<T>], du: &Velocity<T>) -> (Velocity<T>, Velocity<T>) {
        self.damping_at(&self.velocity(velocity), du)
    }

    /// The same where the rows have the velocity `w`.
    pub fn damping_at(&self, w: &Velocity<T>, du: &Velocity<T>) -> (Velocity<T>, Velocity<T>) {
        let mut w = w.minus(&self.target);
        let mut change = T::ZERO;
        if self.is_free {
            let speed = dot(&self.axis, &w);
            let wanted = match self.segment {
                Segment::Held(wanted) => wanted,
                Segment::Pulled(pull) => {
                    // What the impulse along the axis lacks. Where it follows the velocity, that is a velocity, too.
                    let lacking = pull.at(speed) - dot(&self.axis, &self.impulse);
                    if pull.gain > T::ZERO {
                        speed + lacking / pull.gain
                    } else {
                        change = lacking;
                        speed
                    }
                }
            };
            w = w.minus(&self.axis.scaled(wanted));
        }
        if self.drag.gain > T::ZERO {
            // What the drag has to be is left to its visit; here it follows `du`.
            w = w.minus(&self.dragged_part(&w));
        }
        let step = self.damped(&w.plus(du)).scaled(-T::ONE);
        (step.plus(&self.axis.scaled(change)), w)
    }

    /// Energy that springs, servos and drags take up along a step, twice.
    pub fn curvature(&self, step: &Velocity<T>) -> T {
        let over = |square: T, gain: T| if gain > T::ZERO { square / gain } else { T::ZERO };
        let along = dot(&self.axis, step);
        let dragged = self.dragged_part(step);
        let on_law = match self.segment {
            Segment::Pulled(pull) if self.is_free => over(along * along, pull.gain),
            Segment::Pulled(_) | Segment::Held(_) => T::ZERO,
        };
        on_law + over(dot(&dragged, &dragged), self.drag.gain)
    }

    /// The block that the dampers add to the matrix of the bodies at two sides: the momentum of the first against a
    /// velocity of the second.
    pub fn add_dampers(&self, block: &mut Block6<T>, row: usize, column: usize) {
        let (Some(at_row), Some(at_column)) = (self.sides.get(row), self.sides.get(column)) else { return };
        let sign = if row == column { T::ONE } else { -T::ONE };
        for k in 0..6 {
            let y = self.damped(&at_column.at_anchor(&unit(k))).scaled(sign);
            block.add_column(k, &at_row.momentum(&y));
        }
    }

    /// Adds an impulse to the momenta of the bodies that move.
    pub fn push_momentum(&self, momentum: &mut [Velocity<T>], x: &Velocity<T>) {
        let [a, b] = &self.sides;
        if a.moves()
            && let Some(body) = momentum.get_mut(usize::from(a.body))
        {
            *body = body.minus(&a.momentum(x));
        }
        if b.moves()
            && let Some(body) = momentum.get_mut(usize::from(b.body))
        {
            *body = body.plus(&b.momentum(x));
        }
    }
}
