//! Jointed bodies that begin or cease to move, and joints and motors that contradict each other.

use nalgebra::{Matrix3, Vector3};
use stiction::{
    Joint, JointAxis, JointKind, MethodChoice, Motor, RigidBody, Settings, StepReport, StepSettings, manifolds,
};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

use crate::step_joints_contacts::{self, Mechanism};

type World = Mechanism<f64>;
type Stepper = step_joints_contacts::Stepper<f64>;

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

fn stepper() -> Box<Stepper> {
    Box::new(Stepper::with_factor_memory(StepSettings::default()))
}

fn step(pipeline: &mut Stepper, world: &mut World) -> StepReport<f64> {
    pipeline.step(world, manifolds(&[]), 1.0 / 60.0).unwrap()
}

fn body(x: f64) -> RigidBody<f64> {
    RigidBody { position: Vector3::new(x, 0.0, 0.0), ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.01) }
}

fn immovable(x: f64) -> RigidBody<f64> {
    RigidBody { position: Vector3::new(x, 0.0, 0.0), ..RigidBody::fixed() }
}

/// Links in a row along x, with a ball joint between each and the next.
fn row(links: [RigidBody<f64>; 5]) -> World {
    let mut world = World::empty();
    for link in links {
        let link = world.push(link).unwrap();
        if link > 0 {
            let between = world.positions()[link] - Vector3::x() * 0.1;
            let joint = world.joint_between(link - 1, link, JointKind::Ball, [between; 2], Vector3::y());
            world.push_joint(joint).unwrap();
        }
    }
    world
}

/// How far anchors of ball joints are apart.
fn apart(world: &World) -> f64 {
    let at = |body: usize, anchor: &Vector3<f64>| world.positions()[body] + world.orientations()[body] * anchor;
    world.joints().map(|joint| (at(joint.a, &joint.anchor_a) - at(joint.b, &joint.anchor_b)).norm()).fold(0.0, f64::max)
}

#[test]
fn a_link_that_begins_or_ceases_to_move_changes_the_islands() {
    let links = |middle: RigidBody<f64>| [immovable(0.0), body(0.2), middle, body(0.6), body(0.8)];
    // The link in the middle is held, let go, and held again where it is then.
    let (mut world, mut pipeline) = (row(links(immovable(0.4))), stepper());
    for _ in 0..30 {
        assert_eq!(step(&mut pipeline, &mut world).islands, 2);
    }
    let let_go = RigidBody { position: world.positions()[2], ..body(0.4) };
    world.set(2, let_go).unwrap();
    let mut fresh = (world.clone(), stepper());
    let start = world.kinetic_energy() + world.potential_energy(&GRAVITY);
    let mut off = 0.0_f64;
    for number in 0..120 {
        assert_eq!(step(&mut pipeline, &mut world).islands, 1);
        step(&mut fresh.1, &mut fresh.0);
        // Both begin with other impulses, and links that swing magnify each difference: half a second is compared.
        if number < 30 {
            off = (0..5).map(|i| (world.positions()[i] - fresh.0.positions()[i]).norm()).fold(off, f64::max);
        }
        let gain = world.kinetic_energy() + world.potential_energy(&GRAVITY) - start;
        assert!(gain < 1e-3 && apart(&world) < 1e-3, "gains {gain:e} J, {:e} m apart", apart(&world));
    }
    println!("in half a second {off:.1e} m from a pipeline that begins with the link let go");
    assert!(off < 1e-6, "{off:e}");
    let held = RigidBody { position: world.positions()[2], orientation: world.orientations()[2], ..immovable(0.4) };
    world.set(2, held).unwrap();
    for _ in 0..60 {
        assert_eq!(step(&mut pipeline, &mut world).islands, 2);
        assert!(apart(&world) < 1e-3, "{:e} m apart", apart(&world));
    }
    assert_eq!(world.positions()[2], held.position);
}

/// A turning disc that nothing moves, and a body with three joints to it that contradict each other.
fn on_disc(rng: &mut Rng) -> World {
    let mut world = World::empty();
    let mut vector = |size: f64| Vector3::from_fn(|_, _| rng.range(-size, size));
    let disc = world.push(RigidBody { angular_velocity: vector(20.0), ..RigidBody::fixed() }).unwrap();
    let body = world.push(RigidBody { position: vector(1.0), ..body(0.0) }).unwrap();
    let places = [(); 3].map(|()| (vector(1.0), vector(1.0), vector(1.0).normalize()));
    for (anchor_a, anchor_b, axis) in places {
        let kind = match rng.below(4) {
            0 => JointKind::Ball,
            1 => JointKind::Fixed,
            2 => JointKind::Slider(JointAxis::FREE),
            _ => JointKind::Hinge(JointAxis::FREE),
        };
        let joint = world.joint_between(disc, body, kind, [Vector3::zeros(); 2], axis);
        world.push_joint(Joint { anchor_a, anchor_b, ..joint }).unwrap();
    }
    world
}

#[test]
fn joints_that_contradict_each_other_on_a_turning_disc_drive_nothing_away() {
    let (mut rng, cases, mut farthest) = (Rng::new(5), effort::cases(300, 5_000), 0.0_f64);
    for _ in 0..cases {
        let (mut world, mut pipeline) = (on_disc(&mut rng), stepper());
        pipeline.settings.solver.sweeps = [1, 4, 50][rng.below(3)];
        for _ in 0..300 {
            step(&mut pipeline, &mut world);
            farthest = farthest.max(world.positions()[1].norm());
        }
    }
    println!("{cases} bodies: at most {farthest:.2} m away");
    assert!(farthest < 10.0, "{farthest:e}");
}

#[test]
fn motors_that_contradict_each_other_give_no_more_than_they_can() {
    // Four hinges in a row and four across, each with a motor that wants another speed.
    let mut rng = Rng::new(5);
    for (method, max) in [(MethodChoice::Sweeps, 1e2), (MethodChoice::Sweeps, 1e10), (MethodChoice::Auto, 1e10)] {
        for sweeps in [1, 4] {
            let mut world = row([immovable(0.0), body(0.2), body(0.4), body(0.6), body(0.8)]);
            let mut most = 0.0;
            for index in 0..8 {
                let speed = rng.range(-2.0, 2.0);
                most += max * f64::abs(speed) / 60.0;
                let kind = JointKind::Hinge(JointAxis { motor: Some(Motor::Speed { speed, max }), ..JointAxis::FREE });
                let (a, b) = if index < 4 { (index, index + 1) } else { (rng.below(3), 3 + rng.below(2)) };
                let between = world.positions()[b] - Vector3::x() * 0.1;
                let joint = world.joint_between(a, b, kind, [between; 2], Vector3::y());
                if index < 4 {
                    world.set_joint(index, joint).unwrap();
                } else {
                    world.push_joint(joint).unwrap();
                }
            }
            let solver = Settings { sweeps, method, ..StepSettings::default().solver };
            let mut pipeline =
                Box::new(Stepper::with_factor_memory(StepSettings { solver, ..StepSettings::default() }));
            let (mut work, mut fastest) = (0.0_f64, 0.0_f64);
            for _ in 0..300 {
                let report = step(&mut pipeline, &mut world);
                work = work.max(pipeline.joint_work().motor / most);
                fastest = fastest.max(report.ledger.kinetic_after);
            }
            println!("{sweeps} sweeps, {method:?}, {max:e} N m: {work:.1e} of what they can give, {fastest:.1e} J");
            assert!(work <= 1.0 && fastest < 100.0, "{work:e} of what motors can give, {fastest:e} J");
        }
    }
}
