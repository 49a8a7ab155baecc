//! Joints while a scene runs: how far they came apart, and where they are.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction::{Joint, JointAxis, JointKind, JointWork, KeptJoint, Real, Spring};

use super::simulation::Precision;

/// A body's centre of mass, and the rotation from body axes to world axes.
pub type Pose = (Vector3<f64>, UnitQuaternion<f64>);

/// A pose in double precision.
pub fn pose<T: Real>(position: &Vector3<T>, orientation: &UnitQuaternion<T>) -> Pose {
    let turn = Quaternion::from_vector(orientation.quaternion().coords.map(T::to_f64));
    (position.map(T::to_f64), UnitQuaternion::from_quaternion(turn))
}

/// What a joint connects, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Indices of A and B.
    pub bodies: [usize; 2],
    /// What it holds, without what acts along its axis.
    pub kind: JointKind<f64>,
    /// On A and on B, from the centre of mass in body axes.
    anchors: [Vector3<f64>; 2],
    /// In A's axes.
    axis: Vector3<f64>,
}

impl Link {
    /// That of a joint.
    pub fn new<T: Real>(joint: &Joint<T>) -> Self {
        let kind = match joint.kind {
            JointKind::Ball => JointKind::Ball,
            JointKind::Hinge(_) => JointKind::Hinge(JointAxis::FREE),
            JointKind::Slider(_) => JointKind::Slider(JointAxis::FREE),
            JointKind::Fixed => JointKind::Fixed,
            JointKind::Distance { length } => JointKind::Distance { length: length.to_f64() },
            JointKind::Rope { length } => JointKind::Rope { length: length.to_f64() },
            JointKind::Spring(_) => JointKind::Spring(Spring { rest: 0.0, stiffness: 0.0, damping: 0.0 }),
        };
        let anchors = [&joint.anchor_a, &joint.anchor_b].map(|anchor| anchor.map(T::to_f64));
        Link { bodies: [joint.a, joint.b], kind, anchors, axis: joint.axis.map(T::to_f64) }
    }
}

/// What the next step takes over from a joint, in double precision.
pub(super) fn widened_joint<T: Real>(kept: &KeptJoint<T>) -> KeptJoint<f64> {
    KeptJoint {
        linear: kept.linear.map(T::to_f64),
        angular: kept.angular.map(T::to_f64),
        position: kept.position.to_f64(),
        is_at_limit: kept.is_at_limit,
    }
}

/// A joint at the end of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointState {
    /// How far it is apart, m.
    pub error: f64,
    /// Angle of a hinge (rad), way of a slider, distance of the anchors of kinds that have two (m); 0 for others.
    pub position: f64,
    /// The anchors in world coordinates, m.
    pub anchors: [Vector3<f64>; 2],
}

impl JointState {
    /// A joint between bodies at poses; `kept` is its position with whole revolutions.
    pub fn new(link: &Link, poses: [&Pose; 2], kept: f64) -> Self {
        let at = |side: usize| poses[side].0 + poses[side].1 * link.anchors[side];
        let anchors = [at(0), at(1)];
        let between = anchors[1] - anchors[0];
        let length = between.norm();
        let (error, position) = match link.kind {
            JointKind::Ball | JointKind::Fixed => (length, 0.0),
            JointKind::Hinge(_) => (length, kept),
            JointKind::Slider(_) => ((poses[0].1 * link.axis).normalize().cross(&between).norm(), kept),
            JointKind::Distance { length: wanted } => ((length - wanted).abs(), length),
            JointKind::Rope { length: most } => ((length - most).max(0.0), length),
            JointKind::Spring(_) => (0.0, length),
        };
        JointState { error, position, anchors }
    }
}

/// Joints as a step takes them over: their impulses follow the length of substeps, s, now and before, in the arithmetic
/// of a precision.
pub(super) fn taken_over(
    joints: &[KeptJoint<f64>],
    (now, before): (f64, f64),
    precision: Precision,
) -> Vec<KeptJoint<f64>> {
    let scale = |x: f64| match precision {
        Precision::Single => f64::from(x as f32 * (now as f32 / before as f32)),
        Precision::Double => x * (now / before),
    };
    let of = |joint: &KeptJoint<f64>| KeptJoint {
        linear: joint.linear.map(scale),
        angular: joint.angular.map(scale),
        ..*joint
    };
    joints.iter().map(of).collect()
}

/// Adds the work of the part of a step that followed.
pub(super) fn append_work<T: Real>(sum: &mut Option<JointWork<f64>>, next: &JointWork<T>) {
    let next = JointWork {
        motor: next.motor.to_f64(),
        spring: next.spring.to_f64(),
        friction: next.friction.to_f64(),
        stored_before: next.stored_before.to_f64(),
        stored_after: next.stored_after.to_f64(),
    };
    let before = sum.unwrap_or(JointWork { stored_before: next.stored_before, ..JointWork::default() });
    *sum = Some(JointWork {
        motor: before.motor + next.motor,
        spring: before.spring + next.spring,
        friction: before.friction + next.friction,
        stored_before: before.stored_before,
        stored_after: next.stored_after,
    });
}
