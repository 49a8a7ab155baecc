//! Joints in records: after the contacts of a step's input.
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::math::real::Real;
use crate::problem::joint::{Joint, JointKind};
use crate::problem::joint_axis::{JointAxis, Motor, Spring};
use crate::problem::kept_joint::KeptJoint;
use crate::record::bytes::Cursor;
use crate::record::head::DumpError;

const COLLIDES: u8 = 1;
const HAS_LIMITS: u8 = 2;
const HAS_MOTOR: u8 = 4;
const MOTOR_OF_POSITION: u8 = 8;
const HAS_SPRING: u8 = 16;
const IS_AT_LIMIT: u8 = 32;

/// Scalars of a joint: where it acts, what acts along its axis, what is kept of it.
const WHERE: usize = 13;
const ALONG: usize = 10;
const KEPT: usize = 7;

/// Bytes of so many joints in a block, and of their number.
pub(crate) fn joints_length<T: Real>(joints: usize) -> usize {
    if joints == 0 { 0 } else { 4 + joints * joint_length::<T>() }
}

/// Bytes of a joint.
pub(crate) fn joint_length<T: Real>() -> usize {
    8 + (WHERE + ALONG + KEPT) * T::BYTES
}

/// The words of a joint: its bodies; its kind, and which parts it has.
pub(crate) fn joint_words<T: Real>(joint: &Joint<T>, kept: &KeptJoint<T>) -> [u32; 2] {
    let kind = match joint.kind {
        JointKind::Ball => 0,
        JointKind::Hinge(_) => 1,
        JointKind::Slider(_) => 2,
        JointKind::Fixed => 3,
        JointKind::Distance { .. } => 4,
        JointKind::Rope { .. } => 5,
        JointKind::Spring(_) => 6,
    };
    let axis = joint.kind.axis();
    let motor = axis.and_then(|axis| axis.motor);
    let parts = [
        (joint.collide, COLLIDES),
        (axis.is_some_and(|axis| axis.limits.is_some()), HAS_LIMITS),
        (motor.is_some(), HAS_MOTOR),
        (matches!(motor, Some(Motor::Position { .. })), MOTOR_OF_POSITION),
        (axis.is_some_and(|axis| axis.spring.is_some()), HAS_SPRING),
        (kept.is_at_limit, IS_AT_LIMIT),
    ];
    let flags = parts.iter().fold(0, |flags, (has, flag)| if *has { flags | flag } else { flags });
    let bodies = u32::from(joint.a as u16) | (u32::from(joint.b as u16) << 16);
    [bodies, u32::from_le_bytes([kind, flags, 0, 0])]
}

/// The scalars of where a joint acts: anchors, axis, orientation at position 0.
pub(crate) fn where_scalars<T: Real>(joint: &Joint<T>) -> [T; WHERE] {
    let (a, b, n, q) = (&joint.anchor_a, &joint.anchor_b, &joint.axis, &joint.rest.quaternion().coords);
    [a.x, a.y, a.z, b.x, b.y, b.z, n.x, n.y, n.z, q.x, q.y, q.z, q.w]
}

/// The scalars of what acts along its axis.
pub(crate) fn along_scalars<T: Real>(joint: &Joint<T>) -> [T; ALONG] {
    let zero = T::ZERO;
    let length = |length: T| JointAxis { limits: Some([length, zero]), ..JointAxis::FREE };
    let axis = match joint.kind {
        JointKind::Hinge(axis) | JointKind::Slider(axis) => axis,
        JointKind::Spring(spring) => JointAxis { spring: Some(spring), ..JointAxis::FREE },
        JointKind::Distance { length: of_rod } => length(of_rod),
        JointKind::Rope { length: of_rope } => length(of_rope),
        JointKind::Ball | JointKind::Fixed => JointAxis::FREE,
    };
    let [low, high] = axis.limits.unwrap_or([zero; 2]);
    let [target, stiffness, damping, max] = match axis.motor {
        Some(Motor::Speed { speed, max }) => [speed, zero, zero, max],
        Some(Motor::Position { position, stiffness, damping, max }) => [position, stiffness, damping, max],
        None => [zero; 4],
    };
    let spring = axis.spring.unwrap_or(Spring { rest: zero, stiffness: zero, damping: zero });
    let Spring { rest, stiffness: k, damping: c } = spring;
    [low, high, target, stiffness, damping, max, axis.friction, rest, k, c]
}

/// The scalars of what is kept of it.
pub(crate) fn kept_scalars<T: Real>(kept: &KeptJoint<T>) -> [T; KEPT] {
    let KeptJoint { linear: x, angular: r, position, .. } = kept;
    [x.x, x.y, x.z, r.x, r.y, r.z, *position]
}

/// Reads a joint and what is kept of it. Its fields have not been validated.
pub(crate) fn read_joint<T: Real>(rest: &mut Cursor<'_>) -> Result<(Joint<T>, KeptJoint<T>), DumpError> {
    let (a, b) = (usize::from(rest.short()?), usize::from(rest.short()?));
    let word = rest.take::<4>()?;
    let [kind, flags, _, _] = word;
    let has = |flag: u8| flags & flag != 0;
    let [ax, ay, az, bx, by, bz, nx, ny, nz, qx, qy, qz, qw] = rest.scalars::<T, WHERE>()?;
    let [low, high, target, stiffness, damping, max, friction, at, k, c] = rest.scalars::<T, ALONG>()?;
    let [x, y, z, rx, ry, rz, position] = rest.scalars::<T, KEPT>()?;
    let spring = Spring { rest: at, stiffness: k, damping: c };
    let motor = if has(MOTOR_OF_POSITION) {
        Motor::Position { position: target, stiffness, damping, max }
    } else {
        Motor::Speed { speed: target, max }
    };
    let axis = JointAxis {
        limits: has(HAS_LIMITS).then_some([low, high]),
        motor: has(HAS_MOTOR).then_some(motor),
        friction,
        spring: has(HAS_SPRING).then_some(spring),
    };
    let kind = match kind {
        0 => JointKind::Ball,
        1 => JointKind::Hinge(axis),
        2 => JointKind::Slider(axis),
        3 => JointKind::Fixed,
        4 => JointKind::Distance { length: low },
        5 => JointKind::Rope { length: low },
        6 => JointKind::Spring(spring),
        _ => return Err(DumpError::BadValue),
    };
    let joint = Joint {
        a,
        b,
        anchor_a: Vector3::new(ax, ay, az),
        anchor_b: Vector3::new(bx, by, bz),
        axis: Vector3::new(nx, ny, nz),
        rest: UnitQuaternion::new_unchecked(Quaternion::new(qw, qx, qy, qz)),
        kind,
        collide: has(COLLIDES),
    };
    let (linear, angular) = (Vector3::new(x, y, z), Vector3::new(rx, ry, rz));
    let kept = KeptJoint { linear, angular, position, is_at_limit: has(IS_AT_LIMIT) };
    // Parts that its kind does not have are rejected, too.
    let [_, written] = joint_words(&joint, &kept);
    if written == u32::from_le_bytes(word) { Ok((joint, kept)) } else { Err(DumpError::BadValue) }
}

/// The joints of a block, which are its last part; what is before them is left in `rest`.
pub(crate) fn split_joints<'a, T: Real>(rest: &mut Cursor<'a>, count: u16) -> Result<Cursor<'a>, DumpError> {
    let length = usize::from(count) * joint_length::<T>();
    let before = rest.0.len().checked_sub(length).ok_or(DumpError::Truncated)?;
    let (contacts, joints) = rest.0.split_at_checked(before).ok_or(DumpError::Truncated)?;
    rest.0 = contacts;
    Ok(Cursor(joints))
}
