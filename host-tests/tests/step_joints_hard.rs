//! Joints where solvers fail: light links under heavy loads, joints that begin beyond their limits or far from closed,
//! joints that are replaced, swings that stop for a moment.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::{Joint, JointAxis, JointKind, Motor, RigidBody, Spring, Status, StepReport, StepSettings, manifolds};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

use crate::step_joints_contacts::{self, Mechanism, random_mechanism};

type Links = Mechanism<f64>;
type Stepper = step_joints_contacts::Stepper<f64>;

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

fn stepper() -> Box<Stepper> {
    Box::new(Stepper::with_factor_memory(StepSettings::default()))
}

fn step(pipeline: &mut Stepper, world: &mut Links) -> StepReport<f64> {
    pipeline.step(world, manifolds(&[]), 1.0 / 60.0).unwrap()
}

fn energy(world: &Links) -> f64 {
    world.kinetic_energy() + world.potential_energy(&GRAVITY)
}

/// How far rods and ropes are from their length, other joints from closed.
fn apart(world: &Links) -> f64 {
    let at = |body: usize, anchor: &Vector3<f64>| world.positions()[body] + world.orientations()[body] * anchor;
    let error = |joint: &Joint<f64>| {
        let length = (at(joint.a, &joint.anchor_a) - at(joint.b, &joint.anchor_b)).norm();
        match joint.kind {
            JointKind::Distance { length: wanted } => (length - wanted).abs(),
            JointKind::Rope { length: most } => (length - most).max(0.0),
            JointKind::Spring(_) => 0.0,
            _ => length,
        }
    };
    world.joints().map(error).fold(0.0, f64::max)
}

/// Eight links of 1 kg and 0.1 m with 0.1 m of rod, rope or spring between them, the last one heavier, 0.02 rad off.
fn chain(kind: JointKind<f64>, last: f64) -> Links {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.02);
    let down = |way: f64| turn * Vector3::new(0.0, 0.0, -way);
    let mut world = Links::empty();
    let mut above = world.push(RigidBody::fixed()).unwrap();
    for i in 0..8 {
        let (mass, top) = (if i == 7 { last } else { 1.0 }, 0.1 + 0.2 * f64::from(i));
        let inertia = Matrix3::identity() * (mass * 0.01 / 12.0);
        let link = RigidBody { position: down(top + 0.05), orientation: turn, ..RigidBody::from_mass(mass, inertia) };
        let link = world.push(link).unwrap();
        let joint = world.joint_between(above, link, kind, [down(top - 0.1), down(top)], Vector3::y());
        world.push_joint(joint).unwrap();
        above = link;
    }
    world
}

#[test]
fn rods_and_ropes_between_light_links_hold_a_load_of_300() {
    for (kind, bound) in [(JointKind::Distance { length: 0.1 }, 1e-13), (JointKind::Rope { length: 0.1 }, 1e-5)] {
        let (mut world, mut pipeline) = (chain(kind, 300.0), stepper());
        let start = energy(&world);
        let (mut worst, mut most, mut solved) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..300 {
            solved += u32::from(step(&mut pipeline, &mut world).status == Status::Converged);
            worst = worst.max(apart(&world));
            most = most.max(energy(&world) - start);
        }
        println!("{}: {worst:.1e} m apart, gains {most:.1e} J of {:.0}, {solved} of 300 solved", kind.name(), -start);
        assert!(worst < bound && most < 1e-3 && solved == 300);
    }
}

#[test]
fn a_chain_that_comes_apart_is_not_called_solved() {
    for kind in [JointKind::Distance { length: 0.1 }, JointKind::Rope { length: 0.1 }] {
        let (mut world, mut pipeline) = (chain(kind, 1000.0), stepper());
        for _ in 0..300 {
            let (before, report) = (apart(&world), step(&mut pipeline, &mut world));
            assert!(before < 0.1 || report.status != Status::Converged, "{} m apart: {:?}", before, report.status);
        }
        println!("{}: {:.2} m apart with 1000:1", kind.name(), apart(&world));
        // Four times as many substeps hold it.
        let (mut world, mut pipeline) = (chain(kind, 1000.0), stepper());
        pipeline.settings.substeps = 32;
        (0..300).for_each(|_| {
            step(&mut pipeline, &mut world);
        });
        println!("{}: {:.1e} m with 32 substeps", kind.name(), apart(&world));
        assert!(apart(&world) < 1e-5);
    }
}

#[test]
fn a_load_on_springs_with_a_light_hook_between_gains_nothing() {
    for (stiffness, damping) in [(5e4, 0.0), (5e4, 3e3), (1e6, 0.0)] {
        for hook in [20.0, 5.0, 1.0] {
            let mut world = Links::empty();
            let ceiling = world.push(RigidBody::fixed()).unwrap();
            let inertia = Matrix3::identity() * (hook * 0.01 / 12.0);
            let at = |z: f64| Vector3::new(0.0, 0.0, z);
            let angular_velocity = Vector3::new(0.0, 0.1, 0.0);
            let body = RigidBody { position: at(-0.6), angular_velocity, ..RigidBody::from_mass(hook, inertia) };
            let hook_index = world.push(body).unwrap();
            let load = RigidBody { position: at(-1.5), ..RigidBody::from_mass(1000.0, Matrix3::identity() * 20.0) };
            let load = world.push(load).unwrap();
            let spring = Spring { rest: 0.5, stiffness, damping };
            world.push_joint(Joint { anchor_b: at(0.05), ..Joint::spring(ceiling, hook_index, spring) }).unwrap();
            let lower = Joint { anchor_a: at(-0.05), anchor_b: at(0.3), ..Joint::spring(hook_index, load, spring) };
            world.push_joint(lower).unwrap();
            let mut pipeline = stepper();
            let (mut start, mut most, mut solved) = (None, f64::NEG_INFINITY, 0);
            let before = energy(&world);
            for _ in 0..600 {
                solved += u32::from(step(&mut pipeline, &mut world).status == Status::Converged);
                let work = pipeline.joint_work();
                let start = *start.get_or_insert(before + work.stored_before);
                most = most.max(energy(&world) + work.stored_after - start);
            }
            println!(
                "{stiffness:e} N/m, {damping} N s/m, hook of {hook} kg: gains {most:.1e} J, {solved} of 600 solved"
            );
            assert!(most < 1e-3 && solved == 600);
        }
    }
}

/// A body of 1 kg on an immovable one.
fn on_wall(kind: JointKind<f64>, position: Vector3<f64>) -> Links {
    let mut world = Links::empty();
    let wall = world.push(RigidBody::fixed()).unwrap();
    let body = world.push(RigidBody { position, ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.1) }).unwrap();
    let joint = world.joint_between(wall, body, kind, [Vector3::zeros(), position], Vector3::y());
    world.push_joint(joint).unwrap();
    world
}

#[test]
fn joints_that_begin_beyond_their_limits_come_back() {
    let limited = JointAxis { limits: Some([0.5, 0.8]), ..JointAxis::FREE };
    let zero = Vector3::zeros();
    for kind in [JointKind::Hinge(limited), JointKind::Slider(limited)] {
        let (mut world, mut pipeline) = (on_wall(kind, zero), stepper());
        (0..60).for_each(|_| {
            step(&mut pipeline, &mut world);
        });
        let position = pipeline.joint(0).unwrap().position;
        println!("{}: {position:.6} between 0.5 and 0.8", kind.name());
        assert!((0.5 - 1e-6..0.8 + 1e-6).contains(&position), "{position}");
        assert!(world.kinetic_energy() < 1.0, "correction is not kinetic: {}", world.kinetic_energy());
    }
    let (mut world, mut pipeline) = (on_wall(JointKind::Rope { length: 0.5 }, Vector3::new(0.0, 0.0, -1.0)), stepper());
    (0..60).for_each(|_| {
        step(&mut pipeline, &mut world);
    });
    assert!(apart(&world) < 1e-5, "{}", apart(&world));
}

#[test]
fn a_replaced_joint_begins_at_its_own_position() {
    let (mut world, mut pipeline) = (on_wall(JointKind::Slider(JointAxis::FREE), Vector3::zeros()), stepper());
    world
        .set_joint(
            0,
            world.joint_between(0, 1, JointKind::Slider(JointAxis::FREE), [Vector3::zeros(); 2], Vector3::z()),
        )
        .unwrap();
    (0..120).for_each(|_| {
        step(&mut pipeline, &mut world);
    });
    assert!(pipeline.joint(0).unwrap().position < -19.0);
    let at = world.positions()[1];
    world.set_joint(0, world.joint_between(0, 1, JointKind::Hinge(JointAxis::FREE), [at; 2], Vector3::y())).unwrap();
    step(&mut pipeline, &mut world);
    assert!(pipeline.joint(0).unwrap().position.abs() < 1e-9, "{:?}", pipeline.joint(0));
}

#[test]
fn a_wheel_that_is_fitted_again_has_no_revolutions() {
    let (mut world, mut pipeline) = (on_wall(JointKind::Hinge(JointAxis::FREE), Vector3::zeros()), stepper());
    let spinning = RigidBody { angular_velocity: Vector3::new(0.0, 20.0, 0.0), ..world.get(1).unwrap() };
    world.set(1, spinning).unwrap();
    (0..60).for_each(|_| {
        step(&mut pipeline, &mut world);
    });
    assert!((pipeline.joint(0).unwrap().position - 20.0).abs() < 0.1);
    world.clear_joints();
    let limits = JointKind::Hinge(JointAxis { limits: Some([-0.5, 0.5]), ..JointAxis::FREE });
    world.push_joint(world.joint_between(0, 1, limits, [Vector3::zeros(); 2], Vector3::y())).unwrap();
    (0..60).for_each(|_| {
        step(&mut pipeline, &mut world);
    });
    assert!((pipeline.joint(0).unwrap().position - 0.5).abs() < 1e-3, "{:?}", pipeline.joint(0));
}

#[test]
fn a_hinge_that_begins_far_from_closed_closes() {
    for off in [0.5, 1.5, 3.0, std::f64::consts::PI] {
        let mut world = on_wall(JointKind::Hinge(JointAxis::FREE), Vector3::zeros());
        let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), off);
        let joint = Joint { rest: turned * world.joint(0).unwrap().rest, ..*world.joint(0).unwrap() };
        world.set_joint(0, joint).unwrap();
        let mut pipeline = stepper();
        (0..120).for_each(|_| {
            step(&mut pipeline, &mut world);
        });
        // The axis of the body, where it would be at rest.
        let axis = world.orientations()[1] * (turned.inverse() * Vector3::y());
        println!("{off} rad off: {:.1e} rad at the end", (axis - Vector3::y()).norm());
        assert!((axis - Vector3::y()).norm() < 1e-6, "{off}: {axis:?}");
    }
}

#[test]
fn a_swing_of_a_fifth_of_a_degree_is_not_at_rest_where_it_turns() {
    let mut world = Links::empty();
    world.push(RigidBody::fixed()).unwrap();
    let angle = 0.2_f64.to_radians();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let position = turn * Vector3::new(0.0, 0.0, -1.0);
    let bob = RigidBody { position, orientation: turn, ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.01) };
    let bob = world.push(bob).unwrap();
    world.push_joint(world.joint_between(0, bob, JointKind::Ball, [Vector3::zeros(); 2], Vector3::y())).unwrap();
    let (mut pipeline, start) = (stepper(), energy(&world));
    let swing = 9.81 * (1.0 - angle.cos());
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        step(&mut pipeline, &mut world);
        worst = worst.max((energy(&world) - start).abs());
    }
    println!("energy changes by {:.1e} of the swing's", worst / swing);
    assert!(worst < 1e-3 * swing, "{worst:e} of {swing:e} J");
}

/// Springs and motors on the hinges and sliders of a random tree, and springs in place of some of its rods.
fn drive(rng: &mut Rng, world: &mut Links) {
    for index in 0..world.joints().count() {
        let joint = *world.joint(index).unwrap();
        let spring =
            Spring { rest: rng.range(-0.2, 0.2), stiffness: rng.log_range(1.0, 1e4), damping: rng.range(0.0, 1.0) };
        let max = rng.range(0.1, 5.0);
        let motor = if rng.chance(0.5) {
            Motor::Speed { speed: rng.range(-2.0, 2.0), max }
        } else {
            let (stiffness, damping) = (rng.log_range(1.0, 1e3), rng.range(0.0, 5.0));
            Motor::Position { position: rng.range(-0.5, 0.5), stiffness, damping, max }
        };
        let driven = |axis: JointAxis<f64>| JointAxis { spring: Some(spring), motor: Some(motor), ..axis };
        let kind = match joint.kind {
            JointKind::Hinge(axis) => JointKind::Hinge(driven(axis)),
            JointKind::Slider(axis) => JointKind::Slider(driven(axis)),
            JointKind::Distance { length } => JointKind::Spring(Spring { rest: length, ..spring }),
            other => other,
        };
        world.set_joint(index, Joint { kind, ..joint }).unwrap();
    }
}

#[test]
fn random_mechanisms_have_no_energy_but_that_of_motors_and_springs() {
    let (mut rng, cases) = (Rng::new(11), effort::cases(300, 20_000));
    let (mut worst, mut given) = (0.0_f64, 0.0_f64);
    for case in 0..cases {
        let mut world = random_mechanism::<f64>(&mut rng);
        drive(&mut rng, &mut world);
        let mut pipeline = stepper();
        let (mut start, mut allowed, before) = (None, 0.0, energy(&world));
        for number in 0..60 {
            let report = step(&mut pipeline, &mut world);
            let work = pipeline.joint_work();
            let start = *start.get_or_insert(before + work.stored_before);
            allowed += work.motor + report.ledger.position_correction.max(0.0);
            given += work.motor.abs();
            let scale = report.ledger.kinetic_before + report.ledger.kinetic_after + work.stored_before + 1.0;
            let gain = energy(&world) + work.stored_after - start - allowed;
            worst = worst.max(gain / scale);
            assert!(gain < 0.01 * scale, "case {case}, step {number}: {gain:e} J of {scale:e} J");
        }
    }
    println!("{cases} mechanisms: at most {worst:.1e} of the energy gained, motors moved {given:.0} J");
}
