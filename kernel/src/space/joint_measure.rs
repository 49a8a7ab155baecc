//! How far a joint is from solved, and the speeds to compare that with.
//!
//! All but [`JointRow::parting`] are squares of speeds. With `K` the response of the rows and `W` its inverse in them,
//! `w·W w` is twice the energy that it costs to take out the velocity `w`; times `size`, the mean of the linear rows of
//! `K`, which is one over a mass, it is a speed like those of contacts. An angular impulse makes such a speed by the mean
//! of the angular rows, `turning`: `size · turning · |x|²`.
use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::space::joint_row::{Held, JointRow};
use crate::space::joint_side::{JointSide, dot};
use crate::space::velocity::Velocity;

impl<T: Real> JointRow<T> {
    /// Error of the held rows at the present velocities: `w·W w`, twice the energy that it costs to remove, times `size`:
    /// the square of a speed.
    pub fn square_of_error(&self, velocity: &[Velocity<T>]) -> T {
        let mut w = self.velocity(velocity).minus(&self.target);
        if let Some((speed, _)) = self.on_law(&w) {
            // Without what the axis lets through.
            w = w.minus(&self.axis.scaled(speed));
        }
        self.square_of(&w)
    }

    /// Square of the speed that the impulse makes: linear and angular, of bodies as heavy as its own in the mean.
    pub fn square_of_impulse(&self) -> T {
        let made = |x: T::Lanes3, response: T| {
            let [x, y, z] = x.times(x).xyz();
            response * (x + y + z)
        };
        self.size * (made(self.impulse.linear, self.size) + made(self.impulse.angular, self.turning))
    }

    /// Square of the speed of its bodies at the anchor, where they move together, too.
    pub fn square_of_motion(&self, velocity: &[Velocity<T>]) -> T {
        let square = |side: &JointSide<T>| {
            let v = velocity.get(usize::from(side.body)).map_or(Velocity::ZERO, |v| side.at_anchor(v));
            let (linear, angular) = (v.linear.vector(), v.angular.vector());
            // A rate of turning is a speed at the distance where masses turn as easily as they move.
            let turning = if self.turning > T::ZERO { self.size / self.turning } else { T::ZERO };
            linear.dot(&linear) + turning * angular.dot(&angular)
        };
        let [a, b] = &self.sides;
        square(a) + square(b)
    }

    /// `size w·W w`. Along a line it is the square of one number: what is across it must not leave its rounding.
    pub fn square_of(&self, w: &Velocity<T>) -> T {
        if self.held == Held::Line {
            let along = dot(&self.axis, w);
            return self.size * self.mass * along * along;
        }
        self.size * dot(w, &self.inverse.times(w))
    }

    /// How far its anchors are from where they should be, over the length of its lever arms and of the line between them.
    pub fn parting(&self) -> T {
        let [a, b] = self.sides.each_ref().map(|side| side.arm.vector());
        let line = if self.held == Held::Line { self.position } else { T::ZERO };
        let error = self.error.linear.vector();
        let beyond = if self.held == Held::Line { self.way_back } else { T::ZERO };
        let (apart, length) = (error.dot(&error) + beyond * beyond, a.dot(&a) + b.dot(&b) + line * line);
        if length > T::ZERO { (apart / length).sqrt_or_zero() } else { T::ZERO }
    }
}
