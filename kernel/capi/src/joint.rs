//! Joints as C structs. A joint is read field by field: only what its kind has, and flags as bytes.

use nalgebra::{Quaternion, Unit, Vector3};
use stiction::nalgebra;
use stiction::{Joint as KernelJoint, JointAxis, JointKind as Kind, KeptJoint, Motor, Real, Spring};

use crate::error::{Error, Fault};
use crate::view::check_pointer;

/// What a joint holds.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// The anchors coincide; three rotations are free.
    Ball = 0,
    /// The anchors coincide, and B rotates about the axis only.
    Hinge = 1,
    /// B moves along the axis only and does not rotate.
    Slider = 2,
    /// B does not move against A.
    Fixed = 3,
    /// The anchors keep a distance, `length`.
    Distance = 4,
    /// The anchors are no further apart than `length`.
    Rope = 5,
    /// A spring with a damper between the anchors.
    Spring = 6,
}

/// The motor of a hinge or a slider.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MotorKind {
    /// There is none.
    None = 0,
    /// Keeps `motor_speed` with at most `motor_max`.
    Speed = 1,
    /// Pulls to `motor_position` like a spring with a damper, with at most `motor_max`.
    Position = 2,
}

/// A joint between two bodies. All zeros, as by `= {0}`, and two bodies: a ball joint at the centres of mass. What its
/// kind does not have is not read. Along the axis of a hinge numbers are in rad and N m, along that of a slider in m and N.
/// `stiction_f32_joint_between` computes anchors, axis and orientation from world coordinates.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint<T> {
    /// Index of body A.
    pub a: u32,
    /// Index of body B.
    pub b: u32,
    /// What it holds: one of StictionJointKind.
    pub kind: u32,
    /// The motor of a hinge or a slider: one of StictionMotorKind.
    pub motor: u32,
    /// Whether the two bodies may touch: whether their manifolds are taken.
    pub collide: bool,
    /// Whether a hinge or a slider has `limits`.
    pub has_limits: bool,
    /// Whether a hinge or a slider has a spring with a damper; a joint of kind spring always has it.
    pub has_spring: bool,
    /// Where it acts on A, in A's axes from A's centre of mass, m.
    pub anchor_a: [T; 3],
    /// Where it acts on B, in B's axes from B's centre of mass, m.
    pub anchor_b: [T; 3],
    /// Unit vector in A's axes: the axis of a hinge or a slider.
    pub axis: [T; 3],
    /// The orientation of B as seen from A at position 0, of a hinge, a slider or a fixed joint: unit quaternion x, y, z, w.
    pub rest: [T; 4],
    /// Smallest and largest position.
    pub limits: [T; 2],
    /// Speed that a motor keeps.
    pub motor_speed: T,
    /// Position to which a motor pulls.
    pub motor_position: T,
    /// Its force or torque for each unit of position.
    pub motor_stiffness: T,
    /// Its force or torque for each unit of speed.
    pub motor_damping: T,
    /// Largest force or torque of a motor.
    pub motor_max: T,
    /// Largest force or torque of dry friction of a hinge or a slider.
    pub friction: T,
    /// Position without force, rad or m; for a joint of kind spring the distance of the anchors, m.
    pub spring_rest: T,
    /// Force or torque of the spring for each unit of position.
    pub spring_stiffness: T,
    /// Force or torque of its damper for each unit of speed.
    pub spring_damping: T,
    /// Length of a distance or a rope, m.
    pub length: T,
}

/// A joint after a step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointState<T> {
    /// Impulse of a substep on B, in A's axes, N s.
    pub linear: [T; 3],
    /// Angular impulse of a substep on B about the anchor, in A's axes, N m s.
    pub angular: [T; 3],
    /// Position along the free axis, rad or m. Whole revolutions count.
    pub position: T,
    /// Whether a limit or a rope held where the step ended.
    pub is_at_limit: bool,
}

/// Work of joints in a step by what it comes from, J. The report has motors and springs in `load_work`, dry friction in
/// `friction_work`, and the rest in `normal_work`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointWork<T> {
    /// Of motors.
    pub motor: T,
    /// Of springs and dampers.
    pub spring: T,
    /// Of dry friction; negative where it takes energy out.
    pub friction: T,
    /// Energy stored in springs where the step began.
    pub stored_before: T,
    /// Energy stored in springs where it ended.
    pub stored_after: T,
}

impl<T: Real> JointState<T> {
    /// As the C struct.
    pub fn from_kernel(kept: &KeptJoint<T>) -> Self {
        let KeptJoint { linear, angular, position, is_at_limit } = *kept;
        JointState { linear: linear.into(), angular: angular.into(), position, is_at_limit }
    }
}

impl<T: Real> JointWork<T> {
    /// As the C struct.
    pub fn from_kernel(work: &stiction::JointWork<T>) -> Self {
        let stiction::JointWork { motor, spring, friction, stored_before, stored_after } = *work;
        JointWork { motor, spring, friction, stored_before, stored_after }
    }
}

impl<T: Real> Joint<T> {
    /// All zeros.
    pub const ZERO: Self = {
        let (zero, vector) = (T::ZERO, [T::ZERO; 3]);
        Joint {
            a: 0,
            b: 0,
            kind: 0,
            motor: 0,
            collide: false,
            has_limits: false,
            has_spring: false,
            anchor_a: vector,
            anchor_b: vector,
            axis: vector,
            rest: [zero; 4],
            limits: [zero; 2],
            motor_speed: zero,
            motor_position: zero,
            motor_stiffness: zero,
            motor_damping: zero,
            motor_max: zero,
            friction: zero,
            spring_rest: zero,
            spring_stiffness: zero,
            spring_damping: zero,
            length: zero,
        }
    };

    /// As the C struct. What its kind does not have is 0.
    pub fn from_kernel(joint: &KernelJoint<T>) -> Self {
        let mut out = Joint {
            a: joint.a as u32,
            b: joint.b as u32,
            kind: kind_of(&joint.kind) as u32,
            collide: joint.collide,
            anchor_a: joint.anchor_a.into(),
            anchor_b: joint.anchor_b.into(),
            axis: joint.axis.into(),
            rest: joint.rest.quaternion().coords.into(),
            ..Self::ZERO
        };
        match &joint.kind {
            Kind::Ball | Kind::Fixed => {}
            Kind::Hinge(axis) | Kind::Slider(axis) => out.set_axis(axis),
            Kind::Distance { length } | Kind::Rope { length } => out.length = *length,
            Kind::Spring(spring) => out.set_spring(spring),
        }
        out
    }

    fn set_axis(&mut self, axis: &JointAxis<T>) {
        self.has_limits = axis.limits.is_some();
        self.limits = axis.limits.unwrap_or(self.limits);
        self.friction = axis.friction;
        match axis.motor {
            None => {}
            Some(Motor::Speed { speed, max }) => {
                self.motor = MotorKind::Speed as u32;
                (self.motor_speed, self.motor_max) = (speed, max);
            }
            Some(Motor::Position { position, stiffness, damping, max }) => {
                self.motor = MotorKind::Position as u32;
                (self.motor_position, self.motor_stiffness) = (position, stiffness);
                (self.motor_damping, self.motor_max) = (damping, max);
            }
        }
        if let Some(spring) = &axis.spring {
            self.has_spring = true;
            self.set_spring(spring);
        }
    }

    fn set_spring(&mut self, spring: &Spring<T>) {
        (self.spring_rest, self.spring_stiffness, self.spring_damping) =
            (spring.rest, spring.stiffness, spring.damping);
    }
}

fn kind_of<T>(kind: &Kind<T>) -> JointKind {
    match kind {
        Kind::Ball => JointKind::Ball,
        Kind::Hinge(_) => JointKind::Hinge,
        Kind::Slider(_) => JointKind::Slider,
        Kind::Fixed => JointKind::Fixed,
        Kind::Distance { .. } => JointKind::Distance,
        Kind::Rope { .. } => JointKind::Rope,
        Kind::Spring(_) => JointKind::Spring,
    }
}

/// Whether joints of this kind have an axis, by its number in C.
pub fn has_axis(kind: u32) -> bool {
    kind == JointKind::Hinge as u32 || kind == JointKind::Slider as u32
}

/// Reads a field of a struct in C through a pointer to the struct.
macro_rules! field {
    ($joint:expr, $name:ident) => {
        (&raw const (*$joint).$name).read()
    };
}

/// Reads a flag: every byte except 0 means true.
macro_rules! flag {
    ($joint:expr, $name:ident) => {
        (&raw const (*$joint).$name).cast::<u8>().read() != 0
    };
}

/// Reads a joint. What its kind does not have is not read, because C may leave it unset.
///
/// # Safety
/// The pointer is null, or the bytes of a joint are readable there.
pub unsafe fn read_joint<T: Real>(joint: *const Joint<T>) -> Result<KernelJoint<T>, Fault> {
    check_pointer(joint, "joint")?;
    // SAFETY: neither null nor misaligned, readable by the caller's promise; fields are read one by one, flags as bytes.
    unsafe {
        let (a, b) = (field!(joint, a) as usize, field!(joint, b) as usize);
        let mut read = KernelJoint {
            anchor_a: field!(joint, anchor_a).into(),
            anchor_b: field!(joint, anchor_b).into(),
            collide: flag!(joint, collide),
            ..KernelJoint::ball(a, b)
        };
        let (has_axis, has_rest);
        (read.kind, has_axis, has_rest) = match field!(joint, kind) {
            0 => (Kind::Ball, false, false),
            1 => (Kind::Hinge(read_axis(joint)?), true, true),
            2 => (Kind::Slider(read_axis(joint)?), true, true),
            3 => (Kind::Fixed, false, true),
            4 => (Kind::Distance { length: field!(joint, length) }, false, false),
            5 => (Kind::Rope { length: field!(joint, length) }, false, false),
            6 => (Kind::Spring(read_spring(joint)), false, false),
            _ => return Err(Fault::new(Error::BadChoice, "joint.kind")),
        };
        if has_axis {
            read.axis = Vector3::from(field!(joint, axis));
        }
        if has_rest {
            read.rest = Unit::new_unchecked(Quaternion::from_vector(field!(joint, rest).into()));
        }
        Ok(read)
    }
}

/// Reads what acts along an axis.
///
/// # Safety
/// The bytes of a joint are readable there.
unsafe fn read_axis<T: Real>(joint: *const Joint<T>) -> Result<JointAxis<T>, Fault> {
    // SAFETY: the same promise; as in `read_joint`.
    unsafe {
        let max = || field!(joint, motor_max);
        let motor = match field!(joint, motor) {
            0 => None,
            1 => Some(Motor::Speed { speed: field!(joint, motor_speed), max: max() }),
            2 => Some(Motor::Position {
                position: field!(joint, motor_position),
                stiffness: field!(joint, motor_stiffness),
                damping: field!(joint, motor_damping),
                max: max(),
            }),
            _ => return Err(Fault::new(Error::BadChoice, "joint.motor")),
        };
        Ok(JointAxis {
            limits: if flag!(joint, has_limits) { Some(field!(joint, limits)) } else { None },
            motor,
            friction: field!(joint, friction),
            spring: if flag!(joint, has_spring) { Some(read_spring(joint)) } else { None },
        })
    }
}

/// Reads a spring.
///
/// # Safety
/// The bytes of a joint are readable there.
unsafe fn read_spring<T: Real>(joint: *const Joint<T>) -> Spring<T> {
    // SAFETY: the same promise; as in `read_joint`.
    unsafe {
        Spring {
            rest: field!(joint, spring_rest),
            stiffness: field!(joint, spring_stiffness),
            damping: field!(joint, spring_damping),
        }
    }
}
