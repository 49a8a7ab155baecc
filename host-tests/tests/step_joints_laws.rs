//! Laws of mechanics that hold for joints: units of mass, rotations and mirrors of the whole world.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use stiction::{Joint, JointAxis, JointKind, Motor, RigidBody, Spring, StepSettings};

use crate::step_joints_contacts;

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

type Mechanism = step_joints_contacts::Mechanism<f64>;
type Stepper = step_joints_contacts::Stepper<f64>;

/// Every kind of joint in one mechanism, with masses and forces times a factor.
fn mechanism(factor: f64) -> Mechanism {
    let mut world = Mechanism::empty();
    let base = world.push(RigidBody::fixed()).unwrap();
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.04)) * factor;
    let mut bodies = vec![base];
    for k in 1..8 {
        let position = Vector3::new(0.3 * f64::from(k), 0.05 * f64::from(k % 3), -0.1 * f64::from(k % 2));
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.2, 0.3) * f64::from(k));
        let angular_velocity = Vector3::new(0.5, -0.3, 0.2) * f64::from(k % 4);
        let body = RigidBody {
            position,
            orientation: turn,
            angular_velocity,
            ..RigidBody::from_mass(f64::from(k) * factor, inertia * f64::from(k))
        };
        bodies.push(world.push(body).unwrap());
    }
    let motor = Some(Motor::Speed { speed: 2.0, max: 3.0 * factor });
    let spring = Spring { rest: 0.1, stiffness: 40.0 * factor, damping: 1.0 * factor };
    let kinds = [
        JointKind::Hinge(JointAxis { motor, friction: 0.1 * factor, ..JointAxis::FREE }),
        JointKind::Ball,
        JointKind::Slider(JointAxis { spring: Some(spring), ..JointAxis::FREE }),
        JointKind::Fixed,
        JointKind::Distance { length: 0.3 },
        JointKind::Rope { length: 0.35 },
        JointKind::Spring(spring),
    ];
    for (k, kind) in kinds.into_iter().enumerate() {
        let (a, b) = (bodies[k], bodies[k + 1]);
        let (on_a, on_b) = (world.positions()[a], world.positions()[b]);
        let middle = (on_a + on_b) * 0.5;
        let is_line = matches!(kind, JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_));
        let points = if is_line { [on_a, on_b] } else { [middle; 2] };
        world.push_joint(world.joint_between(a, b, kind, points, Vector3::new(0.6, 0.0, 0.8))).unwrap();
    }
    world
}

fn run(world: &mut Mechanism, gravity: Vector3<f64>, steps: u32) {
    let mut pipeline = Box::new(Stepper::with_factor_memory(StepSettings { gravity, ..StepSettings::default() }));
    for _ in 0..steps {
        let report = pipeline.step(world, stiction::manifolds(&[]), 1.0 / 60.0).unwrap();
        assert!(report.ledger.closure() < 1e-12, "{}", report.ledger.closure());
    }
}

/// Largest difference of positions and velocities.
fn difference(one: &Mechanism, other: &Mechanism, map: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> f64 {
    let mut worst = 0.0_f64;
    for body in 0..one.len() {
        let (one, other) = (one.get(body).unwrap(), other.get(body).unwrap());
        worst = worst.max((map(&one.position) - other.position).norm());
        worst = worst.max((map(&one.linear_velocity) - other.linear_velocity).norm());
    }
    worst
}

#[test]
fn twice_the_masses_and_forces_give_the_same_bits() {
    let (mut one, mut two) = (mechanism(1.0), mechanism(2.0));
    run(&mut one, GRAVITY, 60);
    run(&mut two, GRAVITY, 60);
    for body in 0..one.len() {
        let (a, b) = (one.get(body).unwrap(), two.get(body).unwrap());
        assert_eq!((a.position, a.linear_velocity), (b.position, b.linear_velocity), "body {body}");
        assert_eq!((a.orientation, a.angular_velocity), (b.orientation, b.angular_velocity), "body {body}");
    }
}

#[test]
fn a_rotated_world_moves_as_the_world_rotated() {
    let rotation = Rotation3::from_scaled_axis(Vector3::new(0.4, -1.1, 0.7));
    let turn = UnitQuaternion::from_rotation_matrix(&rotation);
    let mut one = mechanism(1.0);
    let mut other = one.clone();
    for body in 0..other.len() {
        let before = other.get(body).unwrap();
        let turned = RigidBody {
            position: rotation * before.position,
            orientation: turn * before.orientation,
            linear_velocity: rotation * before.linear_velocity,
            angular_velocity: rotation * before.angular_velocity,
            ..before
        };
        other.set(body, turned).unwrap();
    }
    // Not for longer: solves end at a tolerance, and this mechanism is chaotic.
    run(&mut one, GRAVITY, 10);
    run(&mut other, rotation * GRAVITY, 10);
    let worst = difference(&one, &other, |v| rotation * v);
    println!("rotated: {worst:.1e}");
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn a_mirrored_world_moves_as_the_world_mirrored() {
    let mirror = |v: &Vector3<f64>| Vector3::new(v.x, -v.y, v.z);
    // Axial vectors keep their part in the mirror's normal and turn the rest around.
    let axial = |v: &Vector3<f64>| Vector3::new(-v.x, v.y, -v.z);
    let turned = |q: &UnitQuaternion<f64>| UnitQuaternion::from_scaled_axis(axial(&q.scaled_axis()));
    let mut one = mechanism(1.0);
    let mut other = one.clone();
    for body in 0..other.len() {
        let before = other.get(body).unwrap();
        let mirrored = RigidBody {
            position: mirror(&before.position),
            orientation: turned(&before.orientation),
            linear_velocity: mirror(&before.linear_velocity),
            angular_velocity: axial(&before.angular_velocity),
            ..before
        };
        other.set(body, mirrored).unwrap();
    }
    let joints: Vec<Joint<f64>> = other.joints().copied().collect();
    for (index, joint) in joints.into_iter().enumerate() {
        // A rotation about an axis is axial, a way along it is not.
        let axis = if matches!(joint.kind, JointKind::Hinge(_)) { axial(&joint.axis) } else { mirror(&joint.axis) };
        let (anchor_a, anchor_b) = (mirror(&joint.anchor_a), mirror(&joint.anchor_b));
        other.set_joint(index, Joint { anchor_a, anchor_b, axis, rest: turned(&joint.rest), ..joint }).unwrap();
    }
    run(&mut one, GRAVITY, 10);
    run(&mut other, GRAVITY, 10);
    let worst = difference(&one, &other, mirror);
    println!("mirrored: {worst:.1e}");
    assert!(worst < 1e-6, "{worst}");
}
