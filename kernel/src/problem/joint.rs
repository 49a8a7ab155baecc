//! Joints: how two bodies are connected, in body axes, and when that is rejected.
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

use crate::math::quaternion;
use crate::math::real::Real;
use crate::math::vector::zero3;
use crate::problem::contact_rows::Element;
use crate::problem::error::{ErrorKind, NORMALISED_TOLERANCE, flaw_of_number, flaw_of_vector};
use crate::problem::joint_axis::{JointAxis, Spring};

/// A connection of two bodies. Connected bodies do not collide unless `collide` is set.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Joint, JointAxis, Jointed, RigidBody, World};
/// // A pendulum of 1 m: a ball of 2 kg that hangs from the world by a hinge about y.
/// let mut world = World::<f64, 2, Jointed<1>>::empty();
/// let ceiling = world.push(RigidBody::fixed())?;
/// let position = Vector3::new(0.0, 0.0, -1.0);
/// let ball = world.push(RigidBody { position, ..RigidBody::from_mass(2.0, Matrix3::identity() * 0.01) })?;
/// let hinge = Joint {
///     anchor_b: Vector3::z(), // in the ball's axes
///     axis: Vector3::y(),
///     ..Joint::hinge(ceiling, ball, JointAxis::FREE)
/// };
/// world.push_joint(hinge)?;
/// assert_eq!(world.joints().count(), 1);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint<T: Real> {
    /// Index of body A.
    pub a: usize,
    /// Index of body B.
    pub b: usize,
    /// Where it acts on A, in A's axes from A's centre of mass, m.
    pub anchor_a: Vector3<T>,
    /// Where it acts on B, in B's axes from B's centre of mass, m.
    pub anchor_b: Vector3<T>,
    /// Unit vector in A's axes: the axis of a hinge or a slider. Others do not use it.
    pub axis: Vector3<T>,
    /// The orientation of B as seen from A at position 0. Balls, distances, ropes and springs do not use it.
    pub rest: UnitQuaternion<T>,
    /// What it holds.
    pub kind: JointKind<T>,
    /// Whether the two bodies may touch: whether the collector takes their manifolds.
    pub collide: bool,
}

/// What a joint holds, and what acts along the motion that is left.
///
/// ```
/// use stiction::{JointAxis, JointKind};
/// let hinge = JointKind::Hinge(JointAxis { friction: 0.2_f32, ..JointAxis::FREE });
/// assert_eq!(hinge.name(), "hinge");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind<T> {
    /// The anchors coincide; three rotations are free.
    Ball,
    /// The anchors coincide, and B rotates about the axis only.
    Hinge(JointAxis<T>),
    /// B moves along the axis only and does not rotate.
    Slider(JointAxis<T>),
    /// B does not move against A.
    Fixed,
    /// The anchors keep a distance.
    Distance {
        /// m.
        length: T,
    },
    /// The anchors are no further apart than a length.
    Rope {
        /// m.
        length: T,
    },
    /// A spring with a damper between the anchors.
    Spring(Spring<T>),
}

impl<T> JointKind<T> {
    /// Its name in scenes and messages.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Ball => "ball",
            JointKind::Hinge(_) => "hinge",
            JointKind::Slider(_) => "slider",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
            JointKind::Rope { .. } => "rope",
            JointKind::Spring(_) => "spring",
        }
    }

    /// The axis that is left free, if it has one.
    pub fn axis(&self) -> Option<&JointAxis<T>> {
        match self {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => Some(axis),
            _ => None,
        }
    }

    /// Its spring, if it has one: along its axis, or between its anchors.
    pub(crate) fn spring(&self) -> Option<&Spring<T>> {
        match self {
            JointKind::Spring(spring) => Some(spring),
            kind => kind.axis()?.spring.as_ref(),
        }
    }
}

impl<T: Real> Element for Joint<T> {
    /// All bits are zero, so that programs need no image of it for each joint; it is not a valid joint.
    const PLAIN: Self = Joint {
        a: 0,
        b: 0,
        anchor_a: zero3(),
        anchor_b: zero3(),
        axis: zero3(),
        rest: Unit::new_unchecked(Quaternion::from_vector(nalgebra::Vector4::from_array_storage(
            nalgebra::ArrayStorage([[T::ZERO; 4]]),
        ))),
        kind: JointKind::Ball,
        collide: false,
    };
}

impl<T: Real> Joint<T> {
    fn of(a: usize, b: usize, kind: JointKind<T>) -> Self {
        Joint { a, b, axis: Vector3::x(), rest: UnitQuaternion::identity(), kind, ..Self::PLAIN }
    }

    /// A ball joint at the centres of both bodies, until the anchors are set.
    pub fn ball(a: usize, b: usize) -> Self {
        Self::of(a, b, JointKind::Ball)
    }

    /// A hinge about A's x axis at the centres of both bodies, until anchors and axis are set.
    pub fn hinge(a: usize, b: usize, axis: JointAxis<T>) -> Self {
        Self::of(a, b, JointKind::Hinge(axis))
    }

    /// A slider along A's x axis at the centres of both bodies, until anchors and axis are set.
    pub fn slider(a: usize, b: usize, axis: JointAxis<T>) -> Self {
        Self::of(a, b, JointKind::Slider(axis))
    }

    /// A fixed joint at the centres of both bodies, until the anchors are set.
    pub fn fixed(a: usize, b: usize) -> Self {
        Self::of(a, b, JointKind::Fixed)
    }

    /// A rod of a length in m between the centres of both bodies, until the anchors are set.
    pub fn distance(a: usize, b: usize, length: T) -> Self {
        Self::of(a, b, JointKind::Distance { length })
    }

    /// A rope of a length in m between the centres of both bodies, until the anchors are set.
    pub fn rope(a: usize, b: usize, length: T) -> Self {
        Self::of(a, b, JointKind::Rope { length })
    }

    /// A spring between the centres of both bodies, until the anchors are set.
    pub fn spring(a: usize, b: usize, spring: Spring<T>) -> Self {
        Self::of(a, b, JointKind::Spring(spring))
    }

    /// The first rejected field apart from the bodies, and why.
    pub(crate) fn flaw(&self) -> Option<(&'static str, ErrorKind<T>)> {
        let vector = |v: &Vector3<T>, max: T| flaw_of_vector(v, max);
        let of_length = |field, length: T| flaw_of_number(length, T::ZERO, T::LENGTH_LIMIT).map(|kind| (field, kind));
        let length = |given: T| of_length("length", given);
        None.or_else(|| vector(&self.anchor_a, T::LENGTH_LIMIT).map(|kind| ("anchor_a", kind)))
            .or_else(|| vector(&self.anchor_b, T::LENGTH_LIMIT).map(|kind| ("anchor_b", kind)))
            .or_else(|| self.flaw_of_axis().map(|kind| ("axis", kind)))
            .or_else(|| self.flaw_of_rest().map(|kind| ("rest", kind)))
            .or_else(|| match &self.kind {
                JointKind::Hinge(axis) | JointKind::Slider(axis) => axis.flaw(),
                JointKind::Distance { length: given } => {
                    let too_short = ErrorKind::TooSmall { value: *given, min: T::EPSILON };
                    length(*given).or_else(|| (!(*given >= T::EPSILON)).then_some(("length", too_short)))
                }
                JointKind::Rope { length: given } => length(*given),
                JointKind::Spring(spring) => spring.flaw().or_else(|| of_length("spring.rest", spring.rest)),
                JointKind::Ball | JointKind::Fixed => None,
            })
    }

    fn flaw_of_axis(&self) -> Option<ErrorKind<T>> {
        let flaw = flaw_of_vector(&self.axis, T::LENGTH_LIMIT);
        let length = self.axis.dot(&self.axis).sqrt_or_zero();
        flaw.or_else(|| is_far_from_one(length).then_some(ErrorKind::NotUnit { length }))
    }

    fn flaw_of_rest(&self) -> Option<ErrorKind<T>> {
        let rest = self.rest.quaternion();
        if !rest.coords.dot(&rest.coords).is_finite() {
            return Some(ErrorKind::NotFinite);
        }
        let length = quaternion::length(rest);
        is_far_from_one(length).then_some(ErrorKind::NotUnit { length })
    }

    /// The same with unit axis and rest orientation.
    pub(crate) fn normalised(&self) -> Self {
        let length = self.axis.dot(&self.axis).sqrt_or_zero();
        let rest = quaternion::normalised(*self.rest.quaternion()).unwrap_or(self.rest);
        Joint { axis: self.axis.map(|part| part / length), rest, ..*self }
    }
}

fn is_far_from_one<T: Real>(length: T) -> bool {
    !((length - T::ONE).abs() <= T::lit(NORMALISED_TOLERANCE))
}
