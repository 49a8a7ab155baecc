//! Linear and angular velocity, as sweeps compute with them.
use nalgebra::Vector3;

use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::math::vector::is_zero;

/// Linear and angular velocity of one body.
///
/// ```
/// use stiction::sweep::lane_memory::Velocity;
/// let velocity = Velocity::from_fours([[1.0, 2.0, 3.0, 0.0], [4.0_f32, 5.0, 6.0, 0.0]]);
/// assert_eq!(velocity.fours()[1][..3], [4.0, 5.0, 6.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocity<T: Real> {
    pub(crate) linear: T::Lanes3,
    pub(crate) angular: T::Lanes3,
}

impl<T: Real> Velocity<T> {
    /// At rest.
    pub const ZERO: Self = Velocity { linear: T::Lanes3::ZERO, angular: T::Lanes3::ZERO };

    #[inline(always)]
    pub(crate) fn new(linear: &Vector3<T>, angular: &Vector3<T>) -> Self {
        Velocity { linear: T::Lanes3::of(linear), angular: T::Lanes3::of(angular) }
    }

    /// Linear and angular velocity, four numbers each; the last ones are not used.
    #[inline(always)]
    pub fn fours(&self) -> [[T; 4]; 2] {
        [self.linear.to_four(), self.angular.to_four()]
    }

    /// From such numbers.
    #[inline(always)]
    pub fn from_fours([linear, angular]: [[T; 4]; 2]) -> Self {
        Velocity { linear: T::Lanes3::of_four(linear), angular: T::Lanes3::of_four(angular) }
    }

    /// Sum.
    #[inline(always)]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Velocity { linear: self.linear.plus(other.linear), angular: self.angular.plus(other.angular) }
    }

    /// Difference.
    #[inline(always)]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        Velocity { linear: self.linear.minus(other.linear), angular: self.angular.minus(other.angular) }
    }

    /// Product with a number.
    #[inline(always)]
    pub(crate) fn scaled(&self, by: T) -> Self {
        Velocity { linear: self.linear.scaled(by), angular: self.angular.scaled(by) }
    }

    /// m/s.
    #[inline(always)]
    pub(crate) fn linear(&self) -> Vector3<T> {
        self.linear.vector()
    }

    /// rad/s.
    #[inline(always)]
    pub(crate) fn angular(&self) -> Vector3<T> {
        self.angular.vector()
    }

    /// Whether both velocities are zero.
    #[inline(never)]
    pub(crate) fn is_zero(&self) -> bool {
        is_zero(&self.linear()) && is_zero(&self.angular())
    }
}
