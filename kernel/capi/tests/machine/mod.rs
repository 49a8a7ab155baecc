//! A machine with one joint of every kind, and motors that change while it runs.

use nalgebra::{Matrix3, Vector3};
use stiction::nalgebra;
use stiction::{Joint, JointAxis, JointKind, Jointed, Material, Motor, Real, RigidBody, SixRows, Spring, World};

pub const BODIES: usize = 16;
pub type Rows = Jointed<BODIES, SixRows>;

/// A joint of every kind, and its two points and axis in world coordinates.
pub type Connected<T> = (Joint<T>, [[T; 3]; 2], [T; 3]);

fn arm<T: Real>(motor: Option<Motor<T>>) -> JointKind<T> {
    let limits = Some([T::lit(-0.9), T::lit(1.1)]);
    JointKind::Hinge(JointAxis { limits, motor, friction: T::lit(0.3), spring: None })
}

fn carriage<T: Real>(position: f64) -> JointKind<T> {
    let n = T::lit;
    let motor = Motor::Position { position: n(position), stiffness: n(90.0), damping: n(6.0), max: n(40.0) };
    JointKind::Slider(JointAxis { motor: Some(motor), spring: Some(strut()), ..JointAxis::FREE })
}

fn strut<T: Real>() -> Spring<T> {
    Spring { rest: T::lit(0.1), stiffness: T::lit(60.0), damping: T::lit(2.0) }
}

fn speed<T: Real>(speed: f64) -> Option<Motor<T>> {
    Some(Motor::Speed { speed: T::lit(speed), max: T::lit(30.0) })
}

/// Bodies and their joints: a ground, seven that are connected, and a ball that rolls on the ground.
pub fn machine<T: Real>() -> (Vec<RigidBody<T>>, Vec<Connected<T>>) {
    let n = T::lit;
    let kinds = [
        arm(speed(2.5)),
        carriage(0.3),
        JointKind::Ball,
        JointKind::Fixed,
        JointKind::Distance { length: n(0.75) },
        JointKind::Rope { length: n(0.6) },
        JointKind::Spring(strut()),
    ];
    let ground = RigidBody { material: Material { mu: n(0.5), restitution: n(0.0) }, ..RigidBody::fixed() };
    let (mut bodies, mut joints) = (vec![ground], Vec::new());
    let mut world = World::<T, BODIES, Rows>::empty();
    world.push(ground).unwrap();
    for (i, kind) in kinds.into_iter().enumerate() {
        let position = Vector3::new(n(0.5 * (i as f64 + 1.0)), n(0.1), n(3.0 - 0.2 * i as f64));
        let inertia = Matrix3::from_diagonal(&Vector3::new(n(0.02), n(0.03), n(0.025)));
        let body = RigidBody { position, ..RigidBody::from_mass(n(1.5), inertia) };
        let b = world.push(body).unwrap();
        bodies.push(body);
        let parent = if i < 2 { 0 } else { b - 1 };
        let (center, axis) = (world.positions()[parent], if i < 2 { Vector3::y() } else { Vector3::x() });
        let at = match kind {
            JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_) => [center, position],
            _ => [(center + position) * n(0.5); 2],
        };
        let joint = Joint { collide: i % 2 == 1, ..world.joint_between(parent, b, kind, at, axis) };
        joints.push((joint, at.map(Into::into), axis.into()));
    }
    let ball = RigidBody {
        position: Vector3::new(n(9.0), n(0.0), n(0.1)),
        linear_velocity: Vector3::new(n(1.0), n(0.0), n(0.0)),
        material: ground.material,
        ..RigidBody::from_mass(n(1.0), Matrix3::identity() * n(0.004))
    };
    bodies.push(ball);
    (bodies, joints)
}

/// The joints that are replaced before a step.
pub fn changes<T: Real>(step: usize, joints: &[Connected<T>]) -> Option<(usize, Joint<T>)> {
    let with = |index: usize, kind| Some((index, Joint { kind, ..joints[index].0 }));
    match step {
        30 => with(0, arm(speed(-3.0))),
        50 => with(1, carriage(-0.4)),
        70 => with(0, arm(None)),
        _ => None,
    }
}
