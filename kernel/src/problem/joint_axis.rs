//! What acts along the free axis of a hinge or a slider: limits, a motor, dry friction, a spring.
use crate::math::real::Real;
use crate::problem::error::{ErrorKind, flaw_of_number};

/// Along the axis of a hinge (rad, N m) or of a slider (m, N). Position 0 is where the joint was made, and positive
/// positions are B's motion about or along the axis as seen from A.
///
/// ```
/// use stiction::{JointAxis, Motor};
/// // A knee: it bends one way only, and a motor of 40 N m turns it at 2 rad/s.
/// let knee = JointAxis {
///     limits: Some([0.0, 2.4]),
///     motor: Some(Motor::Speed { speed: 2.0, max: 40.0 }),
///     ..JointAxis::FREE
/// };
/// assert_eq!(knee.friction, 0.0_f64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointAxis<T> {
    /// Smallest and largest position.
    pub limits: Option<[T; 2]>,
    /// A motor between the two bodies.
    pub motor: Option<Motor<T>>,
    /// Largest force or torque of dry friction.
    pub friction: T,
    /// A spring with a damper.
    pub spring: Option<Spring<T>>,
}

/// A motor on the axis of a joint.
///
/// ```
/// use stiction::Motor;
/// // A servo: it holds 0.5 rad with at most 3 N m.
/// let servo = Motor::Position { position: 0.5, stiffness: 200.0, damping: 5.0, max: 3.0 };
/// assert_eq!(servo.strength(), 3.0_f32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motor<T> {
    /// Keeps a speed.
    Speed {
        /// rad/s or m/s.
        speed: T,
        /// Largest torque, N m, or force, N.
        max: T,
    },
    /// Pulls to a position like a spring with a damper.
    Position {
        /// rad or m.
        position: T,
        /// N m/rad or N/m.
        stiffness: T,
        /// N m s/rad or N s/m.
        damping: T,
        /// Largest torque, N m, or force, N.
        max: T,
    },
}

/// A linear spring with a damper.
///
/// ```
/// use stiction::Spring;
/// let strut = Spring { rest: 0.4_f32, stiffness: 2.0e4, damping: 1.5e3 };
/// assert!(strut.damping > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring<T> {
    /// Position, rad or m, or length, m, without force.
    pub rest: T,
    /// N m/rad or N/m.
    pub stiffness: T,
    /// N m s/rad or N s/m.
    pub damping: T,
}

impl<T: Real> JointAxis<T> {
    /// Nothing acts along the axis.
    pub const FREE: Self = JointAxis { limits: None, motor: None, friction: T::ZERO, spring: None };

    /// The first rejected field, and why.
    pub(crate) fn flaw(&self) -> Option<(&'static str, ErrorKind<T>)> {
        self.flaw_of_limits()
            .or_else(|| self.motor.as_ref().and_then(Motor::flaw))
            .or_else(|| named("friction", flaw_of_number(self.friction, T::ZERO, T::IMPULSE_LIMIT)))
            .or_else(|| self.spring.as_ref().and_then(Spring::flaw))
    }

    fn flaw_of_limits(&self) -> Option<(&'static str, ErrorKind<T>)> {
        let [low, high] = self.limits?;
        let range = |value: T| flaw_of_number(value, -T::POSITION_LIMIT, T::POSITION_LIMIT);
        let crossed = || (low > high).then_some(ErrorKind::LimitsCrossed { low, high });
        named("limits", range(low).or_else(|| range(high)).or_else(crossed))
    }
}

impl<T: Real> Default for JointAxis<T> {
    fn default() -> Self {
        Self::FREE
    }
}

impl<T: Real> Motor<T> {
    /// The largest torque or force.
    pub fn strength(&self) -> T {
        match self {
            Motor::Speed { max, .. } | Motor::Position { max, .. } => *max,
        }
    }

    fn flaw(&self) -> Option<(&'static str, ErrorKind<T>)> {
        let own = match self {
            Motor::Speed { speed, .. } => {
                named("motor.speed", flaw_of_number(*speed, -T::ANGULAR_SPEED_LIMIT, T::ANGULAR_SPEED_LIMIT))
            }
            Motor::Position { position, stiffness, damping, .. } => {
                named("motor.position", flaw_of_number(*position, -T::POSITION_LIMIT, T::POSITION_LIMIT))
                    .or_else(|| named("motor.stiffness", flaw_of_number(*stiffness, T::ZERO, T::IMPULSE_LIMIT)))
                    .or_else(|| named("motor.damping", flaw_of_number(*damping, T::ZERO, T::IMPULSE_LIMIT)))
            }
        };
        own.or_else(|| named("motor.max", flaw_of_number(self.strength(), T::ZERO, T::IMPULSE_LIMIT)))
    }
}

impl<T: Real> Spring<T> {
    pub(crate) fn flaw(&self) -> Option<(&'static str, ErrorKind<T>)> {
        named("spring.rest", flaw_of_number(self.rest, -T::POSITION_LIMIT, T::POSITION_LIMIT))
            .or_else(|| named("spring.stiffness", flaw_of_number(self.stiffness, T::ZERO, T::IMPULSE_LIMIT)))
            .or_else(|| named("spring.damping", flaw_of_number(self.damping, T::ZERO, T::IMPULSE_LIMIT)))
    }
}

/// A flaw with the name of its field.
fn named<T>(field: &'static str, flaw: Option<ErrorKind<T>>) -> Option<(&'static str, ErrorKind<T>)> {
    flaw.map(|kind| (field, kind))
}
