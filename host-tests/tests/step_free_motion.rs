//! Free bodies: rotation, flight, bounces.

use nalgebra::{Matrix3, Vector3};
use stiction::PointId;
use stiction::{ContactCollector, Pipeline, Real, RigidBody, Settings, StepReport, StepSettings, World, Wrench};
use stiction::{Manifold, ManifoldPoint, Material};

const DT: f64 = 1.0 / 60.0;

#[test]
fn a_free_slab_keeps_its_energy_and_angular_momentum() {
    // About its middle axis the spin is unstable: it flips over and over.
    let own = Matrix3::from_diagonal(&Vector3::new(3.0, 1.5, 1.0));
    let mut world = World::<f64, 8>::new();
    let slab = RigidBody { angular_velocity: Vector3::new(1e-3, 4.0, 1e-3), ..RigidBody::from_inverse(1.0, own) };
    world.push(slab).unwrap();
    let gravity = Vector3::zeros();
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings { gravity, ..StepSettings::default() });
    let momentum = |world: &World<f64, 8>| {
        let body = world.bodies().get(0).unwrap();
        body.inverse_inertia_world.try_inverse().unwrap() * body.angular_velocity
    };
    let (energy, start) = (world.kinetic_energy(), momentum(&world));
    let (mut flips, mut side) = (0, 1.0);
    let (mut worst_energy, mut worst_momentum) = (0.0_f64, 0.0_f64);
    for _ in 0..10_000 {
        pipeline.step(&mut world, stiction::manifolds(&[]), DT).unwrap();
        worst_energy = worst_energy.max((world.kinetic_energy() / energy - 1.0).abs());
        worst_momentum = worst_momentum.max((momentum(&world) - start).norm() / start.norm());
        let along = (world.orientations()[0] * Vector3::y()).y;
        if along * side < -0.9 {
            (flips, side) = (flips + 1, -side);
        }
        assert!((world.orientations()[0].quaternion().norm() - 1.0).abs() <= 1e-15);
    }
    println!("{flips} flips, energy within {worst_energy:.1e}, angular momentum within {worst_momentum:.1e}");
    assert!(flips > 10 && worst_energy <= 1e-11 && worst_momentum <= 1e-11);
}

#[test]
fn a_spin_too_fast_for_the_step_gains_no_energy() {
    let own = Matrix3::from_diagonal(&Vector3::new(3.0, 1.5, 1.0));
    for speed in [100.0, 1e4, 1e8] {
        let mut world = World::<f64, 8>::new();
        let angular = Vector3::new(0.3, 0.5, 0.8) * speed;
        world.push(RigidBody { angular_velocity: angular, ..RigidBody::from_inverse(1.0, own) }).unwrap();
        let energy = world.kinetic_energy();
        let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
        for _ in 0..1000 {
            pipeline.step(&mut world, stiction::manifolds(&[]), DT).unwrap();
        }
        let rotational = world.kinetic_energy() - 0.5 * (9.81 * 1000.0 * DT).powi(2);
        assert!((rotational / energy - 1.0).abs() <= 1e-10, "{speed} rad/s: {}", rotational / energy);
    }
}

#[test]
fn the_rotation_angle_is_angular_speed_times_dt() {
    for (speed, allowed) in [(1.0, 1e-12), (30.0, 2e-6), (120.0, 2e-3)] {
        let mut world = World::<f64, 8>::new();
        world
            .push(RigidBody {
                angular_velocity: Vector3::z() * speed,
                ..RigidBody::from_inverse(1.0, Matrix3::identity())
            })
            .unwrap();
        let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
        pipeline.step(&mut world, stiction::manifolds(&[]), DT).unwrap();
        let angle = world.orientations()[0].angle();
        assert!((angle / (speed * DT) - 1.0).abs() <= allowed, "{speed} rad/s: {angle}");
    }
}

/// A ball of radius 1 above ground.
fn bouncing_ball<T: Real>(e: f64, height: f64) -> (World<T, 8>, Pipeline<T, 8, 64>) {
    let surface = Material { mu: T::lit(0.5), restitution: T::lit(e) };
    let mut world = World::new();
    world.push(RigidBody { material: surface, ..RigidBody::fixed() }).unwrap();
    let position = Vector3::new(T::ZERO, T::ZERO, T::lit(1.0 + height));
    let ball = RigidBody::from_inverse(T::ONE, Matrix3::identity() * T::lit(2.5));
    world.push(RigidBody { material: surface, position, ..ball }).unwrap();
    let settings = Settings { slop: T::lit(10.0), ..StepSettings::default().solver };
    (world, Pipeline::new(StepSettings { solver: settings, ..StepSettings::default() }))
}

/// The same with the bodies swapped: the ball is body A, the normal points down.
fn step_ball_first<T: Real>(world: &mut World<T, 8>, pipeline: &mut Pipeline<T, 8, 64>) -> StepReport<T> {
    let on_ground = |world: &World<T, 8>, collector: &mut ContactCollector<'_, T, 8, 64>| {
        let center = world.positions()[1];
        let on_a = center - Vector3::z();
        let mut manifold = Manifold::new(1, 0, -Vector3::z());
        let on_b = Vector3::new(center.x, center.y, T::ZERO);
        manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_a.z, id: PointId::Feature(0) });
        collector.push(&manifold)
    };
    pipeline.step(world, on_ground, T::lit(DT)).unwrap()
}

fn step_ball<T: Real>(world: &mut World<T, 8>, pipeline: &mut Pipeline<T, 8, 64>) -> StepReport<T> {
    let on_ground = |world: &World<T, 8>, collector: &mut ContactCollector<'_, T, 8, 64>| {
        let center = world.positions()[1];
        let on_b = center - Vector3::z();
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        let id = PointId::Feature(0);
        manifold.points.push(ManifoldPoint {
            on_a: Vector3::new(center.x, center.y, T::ZERO),
            on_b,
            depth: -on_b.z,
            id,
        });
        collector.push(&manifold)
    };
    pipeline.step(world, on_ground, T::lit(DT)).unwrap()
}

#[test]
fn elastic_bounces_conserve_energy_and_inelastic_ones_never_gain() {
    let gravity = Vector3::z() * -9.81;
    for height in (0..20).map(|i| 0.5 + 0.1 * f64::from(i)) {
        let (mut world, mut pipeline) = bouncing_ball::<f64>(1.0, height);
        let energy = |world: &World<f64, 8>| world.kinetic_energy() + world.potential_energy(&gravity);
        let start = energy(&world);
        let mut bounces = 0;
        for _ in 0..6000 {
            let ledger = step_ball(&mut world, &mut pipeline).ledger;
            bounces += u32::from(pipeline.contact(0).is_some_and(|contact| contact.bounce_impulse > 0.0));
            assert!(ledger.bounce.abs() <= 1e-12 * start && ledger.integration.abs() <= 1e-12 * start, "{ledger:?}");
            assert!((energy(&world) / start - 1.0).abs() <= 1e-12, "{height}: {}", energy(&world) / start);
        }
        assert!(bounces > 50, "{bounces} bounces in 100 s");
        let (mut world, mut pipeline) = bouncing_ball::<f64>(0.6, height);
        let mut last = energy(&world);
        for _ in 0..600 {
            let ledger = step_ball(&mut world, &mut pipeline).ledger;
            assert!(energy(&world) <= last + 1e-13);
            // A bounce loses 1 − e² of the kinetic energy where the ball touches the ground, a metre below its centre.
            let flew_off = world.bodies().linear_velocities()[1].z > 0.0 && ledger.bounce < -1e-9;
            assert!(!flew_off || (ledger.bounce + 0.64 * (last - 9.81)).abs() <= 1e-12 * start, "{ledger:?}");
            last = energy(&world);
        }
    }
}

#[test]
fn a_bounce_is_independent_of_body_order_in_the_manifold() {
    for e in [1.0, 0.6] {
        let (mut world, mut pipeline) = bouncing_ball::<f64>(e, 0.7);
        let (mut other, mut other_pipeline) = bouncing_ball::<f64>(e, 0.7);
        let mut bounces = 0;
        for _ in 0..300 {
            let one = step_ball(&mut world, &mut pipeline).ledger;
            let two = step_ball_first(&mut other, &mut other_pipeline).ledger;
            bounces += u32::from(pipeline.contact(0).is_some_and(|contact| contact.bounce_impulse > 0.0));
            let difference = (one.bounce - two.bounce).abs() + (one.integration - two.integration).abs();
            assert!(difference <= 1e-12, "{one:?} {two:?}");
            assert!((world.positions()[1] - other.positions()[1]).norm() <= 1e-12);
        }
        assert!(bounces > 3, "{bounces} bounces");
    }
}

#[test]
fn a_separating_force_does_not_increase_the_bounce() {
    let (mut world, mut pipeline) = bouncing_ball::<f64>(0.5, 0.0);
    pipeline.settings.gravity = Vector3::zeros();
    let mut ball = world.get(1).unwrap();
    ball.linear_velocity = Vector3::z() * -2.0;
    world.set(1, ball).unwrap();
    world.set_load(1, Wrench { force: Vector3::z() * 30.0, torque: Vector3::zeros() }).unwrap();
    step_ball(&mut world, &mut pipeline);
    // It bounces as it came, at 2 m/s, and then the force adds 0.5 m/s.
    let speed = world.bodies().linear_velocities()[1].z;
    assert!((speed - (0.5 * 2.0 + 0.5)).abs() <= 1e-12, "{speed}");
}
