//! Joints while a scene runs: how far they came apart, and where they are.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::{ContactRows, Joint, JointKind, JointWork, KeptJoint, Real, World};

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
    /// A joint of a world; `kept` has its revolutions.
    pub(super) fn new<T: Real, const NB: usize, R: ContactRows>(
        world: &World<T, NB, R>,
        joint: &Joint<T>,
        kept: Option<&KeptJoint<T>>,
    ) -> Self {
        let wide = |v: &Vector3<T>| v.map(T::to_f64);
        let turn = |body: usize| {
            let q = world.orientations()[body].quaternion().coords.map(T::to_f64);
            UnitQuaternion::from_quaternion(nalgebra::Quaternion::from_vector(q))
        };
        let at = |body: usize, own: &Vector3<T>| wide(&world.positions()[body]) + turn(body) * wide(own);
        let anchors = [at(joint.a, &joint.anchor_a), at(joint.b, &joint.anchor_b)];
        let between = anchors[1] - anchors[0];
        let length = between.norm();
        let kept = kept.map_or(0.0, |kept| kept.position.to_f64());
        let (error, position) = match joint.kind {
            JointKind::Ball | JointKind::Fixed => (length, 0.0),
            JointKind::Hinge(_) => (length, kept),
            JointKind::Slider(_) => ((turn(joint.a) * wide(&joint.axis)).normalize().cross(&between).norm(), kept),
            JointKind::Distance { length: wanted } => ((length - wanted.to_f64()).abs(), length),
            JointKind::Rope { length: most } => ((length - most.to_f64()).max(0.0), length),
            JointKind::Spring(_) => (0.0, length),
        };
        JointState { error, position, anchors }
    }
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
