//! Joints and contacts together: random mechanisms that fall on each other and on the ground.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::{
    CacheError, ContactCollector, InputError, Joint, JointAxis, JointKind, Jointed, KeptContacts, Manifold,
    ManifoldPoint, Material, Motor, Pipeline, PointId, Real, RigidBody, Settings, Spring, Status, StepReport,
    StepSettings, World,
};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

/// Capacities of all worlds with joints here: one instance is compiled for a precision.
pub(crate) const MOST: usize = 24;
const BODIES: usize = 12;
const RADIUS: f64 = 0.1;

pub(crate) type Mechanism<T> = World<T, MOST, Jointed<MOST>>;
pub(crate) type Stepper<T> = Pipeline<T, MOST, MOST, 64, Jointed<MOST>>;

/// Balls on a ground at z = 0, and on each other.
pub(crate) fn touching<T: Real>(
    world: &Mechanism<T>,
    collector: &mut ContactCollector<'_, T, MOST, MOST, Jointed<MOST>>,
) -> Result<(), InputError<T>> {
    let radius = T::lit(RADIUS);
    for body in 1..world.len() {
        let center = world.positions()[body];
        let mut manifold = Manifold::new(0, body, Vector3::z());
        let on_b = center - Vector3::z() * radius;
        let on_a = Vector3::new(center.x, center.y, T::ZERO);
        manifold.points.push(ManifoldPoint { on_a, on_b, depth: radius - center.z, id: PointId::Feature(0) });
        collector.push(&manifold)?;
        for other in 1..body {
            let apart = center - world.positions()[other];
            let length = apart.norm();
            if length > T::ZERO && length < T::lit(0.3) {
                let normal = apart / length;
                let mut manifold = Manifold::new(other, body, normal);
                let (on_a, on_b) = (world.positions()[other] + normal * radius, center - normal * radius);
                let depth = radius + radius - length;
                manifold.points.push(ManifoldPoint { on_a, on_b, depth, id: PointId::Feature(0) });
                collector.push(&manifold)?;
            }
        }
    }
    Ok(())
}

fn vector<T: Real>(rng: &mut Rng, size: f64) -> Vector3<T> {
    Vector3::from_fn(|_, _| T::lit(rng.range(-size, size)))
}

fn axis_of<T: Real>(rng: &mut Rng) -> JointAxis<T> {
    let mut axis = JointAxis::FREE;
    if rng.chance(0.3) {
        axis.limits = Some([T::lit(rng.range(-1.0, 0.0)), T::lit(rng.range(0.0, 1.0))]);
    }
    if rng.chance(0.3) {
        axis.friction = T::lit(rng.log_range(1e-3, 1.0));
    }
    axis
}

fn kind_of<T: Real>(rng: &mut Rng, length: f64) -> JointKind<T> {
    match rng.below(6) {
        0 => JointKind::Ball,
        1 => JointKind::Hinge(axis_of(rng)),
        2 => JointKind::Slider(axis_of(rng)),
        3 => JointKind::Fixed,
        4 => JointKind::Distance { length: T::lit(length) },
        _ => JointKind::Rope { length: T::lit(1.2 * length) },
    }
}

/// Balls that random joints connect, without motors and springs.
pub(crate) fn random_mechanism<T: Real>(rng: &mut Rng) -> Mechanism<T> {
    let mut world = Mechanism::empty();
    let material =
        Material { mu: T::lit(rng.range(0.0, 1.0)), restitution: T::lit(if rng.chance(0.3) { 0.5 } else { 0.0 }) };
    world.push(RigidBody { material, ..RigidBody::fixed() }).unwrap();
    for _ in 1..3 + rng.below(BODIES - 3) {
        let mass = rng.log_range(0.1, 10.0);
        let shape = Vector3::from_fn(|_, _| rng.range(0.7, 1.0) * 0.4 * mass * RADIUS * RADIUS);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| rng.range(-1.0, 1.0)));
        let orientation: UnitQuaternion<T> = UnitQuaternion::new_normalize(turn.into_inner().coords.map(T::lit).into());
        let position = vector::<T>(rng, 0.4) + Vector3::z() * T::lit(0.6);
        let body = RigidBody {
            position,
            orientation,
            material,
            linear_velocity: vector(rng, 1.0),
            angular_velocity: vector(rng, 3.0),
            ..RigidBody::from_mass(T::lit(mass), Matrix3::from_diagonal(&shape.map(T::lit)))
        };
        world.push(body).unwrap();
    }
    for b in 1..world.len() {
        // Mostly one island: the ground connects nothing.
        if b > 1 && rng.chance(0.9) || rng.chance(0.4) {
            let a = if b > 1 && rng.chance(0.9) { 1 + rng.below(b - 1) } else { 0 };
            let (at_a, at_b) = (world.positions()[a], world.positions()[b]);
            let (on_a, on_b) = if a == 0 { (at_b, at_b) } else { (at_a, at_b) };
            let length = (on_b - on_a).norm().to_f64() + 0.01;
            let kind = kind_of::<T>(rng, length);
            let middle = (on_a + on_b) * T::HALF;
            let points = if matches!(kind, JointKind::Distance { .. } | JointKind::Rope { .. }) {
                [on_a, on_b]
            } else {
                [middle, middle]
            };
            let axis = vector::<T>(rng, 1.0).normalize();
            world
                .push_joint(Joint { collide: rng.chance(0.2), ..world.joint_between(a, b, kind, points, axis) })
                .unwrap();
        }
    }
    world
}

pub(crate) fn stepper<T: Real>(rng: &mut Rng) -> Stepper<T> {
    let sweeps = [1, 2, 4, 30][rng.below(4)];
    // With tolerance 0 so many sweeps are made, converged or not.
    let tolerance = if rng.chance(0.3) { T::ZERO } else { T::DEFAULT_TOLERANCE };
    let base = StepSettings::<T>::for_length(T::lit(0.2));
    let solver = Settings { sweeps, tolerance, ..base.solver };
    Stepper::with_factor_memory(StepSettings { substeps: [1, 2, 8][rng.below(3)], solver, ..base })
}

/// The parts of a step's ledger that must not add energy: contacts and joints without motors and springs.
fn gained<T: Real>(report: &StepReport<T>) -> f64 {
    let ledger = &report.ledger;
    (ledger.bounce + ledger.friction + ledger.normal).to_f64()
}

/// Steps random mechanisms; checks that impulses add no kinetic energy and that the ledger closes.
fn passivity<T: Real>(seed: u64, cases: u32) {
    let mut rng = Rng::new(seed);
    let (mut steps, mut checked, mut guarded) = (0_u32, 0_u32, 0_u32);
    for case in 0..cases {
        let mut world = random_mechanism::<T>(&mut rng);
        let mut pipeline = stepper::<T>(&mut rng);
        let has_limits = world.joints().any(|joint| {
            let limits = joint.kind.axis().is_some_and(|axis| axis.limits.is_some());
            limits || matches!(joint.kind, JointKind::Rope { .. })
        });
        for number in 0..12 {
            let report = pipeline.step(&mut world, touching, T::lit(1.0 / 60.0)).expect("a valid step");
            let size = (report.ledger.kinetic_before + report.ledger.kinetic_after).to_f64()
                + report.ledger.integration.to_f64().abs();
            let gained = gained(&report);
            let closure = report.ledger.closure().to_f64();
            assert!(closure <= 4096.0 * T::EPSILON.to_f64(), "case {case}, step {number}: closure {closure:e}");
            // Joints alone do no work along the mean of the velocities before and after; contacts and limits, and joints
            // with them, do none from where forces have acted. Within a step both can alternate, and so can islands.
            let integration = report.ledger.integration.to_f64();
            let is_smooth = report.contacts == 0 && !has_limits && report.status == Status::Converged;
            let least = gained + if is_smooth { integration } else { integration.min(0.0) };
            if report.islands == 1 && (is_smooth || pipeline.settings.substeps == 1) {
                checked += 1;
                let unsolved = if is_smooth { 1e-6 } else { 0.0 };
                // Closing joints rounds positions, and with them potential energy.
                let rounding = 128.0 * T::EPSILON.to_f64() * report.ledger.potential_before.to_f64().abs();
                assert!(
                    least <= (1024.0 * T::EPSILON.to_f64() + unsolved) * size + rounding,
                    "case {case}, step {number}: {gained:e} J of {size:e} J, integration {integration:e}"
                );
            }
            assert!(world.positions().iter().all(|p| p.iter().all(|x| x.is_finite())), "case {case}");
            steps += 1;
            guarded += u32::from(report.passivity_guard);
        }
    }
    println!("{steps} steps, {checked} of one island each are compared with the bound, guard in {guarded}");
    assert!(checked > steps / 6, "{checked} of {steps}");
}

#[test]
fn random_mechanisms_gain_no_energy_in_double_precision() {
    passivity::<f64>(1, effort::cases(300, 50_000));
}

#[test]
fn random_mechanisms_gain_no_energy_in_single_precision() {
    passivity::<f32>(2, effort::cases(300, 50_000));
}

#[test]
fn a_saved_mechanism_goes_on_to_the_bit() {
    let mut rng = Rng::new(3);
    for _ in 0..20 {
        let mut world = random_mechanism::<f64>(&mut rng);
        let mut pipeline = stepper::<f64>(&mut rng);
        for _ in 0..5 {
            pipeline.step(&mut world, touching, 1.0 / 60.0).unwrap();
        }
        let mut bytes = vec![0; pipeline.cache().saved_bytes()];
        assert_eq!(pipeline.cache().save(&mut bytes), Some(bytes.len()));
        let mut again = Stepper::<f64>::with_factor_memory(pipeline.settings);
        again.restore_cache(&bytes).unwrap();
        assert_eq!(again.cache(), pipeline.cache());
        let mut copy = world.clone();
        for _ in 0..5 {
            pipeline.step(&mut world, touching, 1.0 / 60.0).unwrap();
            again.step(&mut copy, touching, 1.0 / 60.0).unwrap();
            assert_eq!(world.digest(), copy.digest());
        }
        let mut kept = KeptContacts::<f64, MOST, Jointed<MOST>>::empty();
        for at in 0..bytes.len() {
            assert!(kept.restore(&bytes[..at]).is_err(), "{at} bytes are accepted");
            bytes[at] ^= 1 << (at % 8);
            assert!(kept.restore(&bytes).is_err(), "byte {at} changed");
            bytes[at] ^= 1 << (at % 8);
        }
        assert!(kept.is_empty());
        let mut without = KeptContacts::<f64, MOST>::new();
        assert_eq!(without.restore(&bytes), Err(CacheError::UnknownVersion(5)));
    }
}

/// A ball on a hinged arm that a motor presses on the ground: its force is the motor's torque over the arm.
#[test]
fn a_motor_presses_a_ball_on_the_ground() {
    let mut world = Mechanism::<f64>::empty();
    let ground = world.push(RigidBody::fixed()).unwrap();
    let position = Vector3::new(0.5, 0.0, RADIUS);
    let inertia = Matrix3::identity() * 0.004;
    let ball = world.push(RigidBody { position, ..RigidBody::from_mass(1.0, inertia) }).unwrap();
    let motor = Motor::Speed { speed: 1.0, max: 3.0 };
    let hinge = JointKind::Hinge(JointAxis { motor: Some(motor), ..JointAxis::FREE });
    let at = Vector3::new(0.0, 0.0, RADIUS);
    let joint = world.joint_between(ground, ball, hinge, [at, at], Vector3::y());
    // The ball may touch the ground that it is hinged to.
    world.push_joint(Joint { collide: true, ..joint }).unwrap();
    let mut pipeline = Stepper::<f64>::with_factor_memory(StepSettings::default());
    let mut report = None;
    for _ in 0..120 {
        report = Some(pipeline.step(&mut world, touching, 1.0 / 60.0).unwrap());
    }
    let force = pipeline.contact(0).unwrap().normal_impulse * 60.0;
    assert!((force - (9.81 + 3.0 / 0.5)).abs() < 1e-6, "{force} N");
    assert_eq!(report.unwrap().status, Status::Converged);
    assert!((world.positions()[ball] - position).norm() < 1e-4);
    // Without the joint its motor does nothing, though the ball still touches the ground.
    world.clear_joints();
    for _ in 0..10 {
        pipeline.step(&mut world, touching, 1.0 / 60.0).unwrap();
    }
    let force = pipeline.contact(0).unwrap().normal_impulse * 60.0;
    assert!((force - 9.81).abs() < 1e-6, "{force} N without joints");
}

/// A weight on a spring stands on another one: joints, contacts and springs at rest.
#[test]
fn a_spring_carries_a_ball_on_the_ground() {
    let mut world = Mechanism::<f64>::empty();
    let ground = world.push(RigidBody::fixed()).unwrap();
    let low = RigidBody {
        position: Vector3::new(0.0, 0.0, RADIUS),
        ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.004)
    };
    let high = RigidBody { position: Vector3::new(0.0, 0.0, 0.8), ..low };
    let (low, high) = (world.push(low).unwrap(), world.push(high).unwrap());
    let spring = Spring { rest: 0.0, stiffness: 500.0, damping: 20.0 };
    let slider = JointKind::Slider(JointAxis { spring: Some(spring), ..JointAxis::FREE });
    let at = world.positions()[high];
    world.push_joint(world.joint_between(low, high, slider, [at, at], Vector3::z())).unwrap();
    let upright = JointKind::Slider(JointAxis::FREE);
    world
        .push_joint(Joint {
            collide: true,
            ..world.joint_between(ground, low, upright, [Vector3::zeros(); 2], Vector3::z())
        })
        .unwrap();
    let mut pipeline = Stepper::<f64>::with_factor_memory(StepSettings::default());
    for _ in 0..600 {
        pipeline.step(&mut world, touching, 1.0 / 60.0).unwrap();
    }
    assert!((world.positions()[high].z - (0.8 - 9.81 / 500.0)).abs() < 1e-4, "{}", world.positions()[high].z);
    let force = pipeline.contact(0).unwrap().normal_impulse * 60.0;
    assert!((force - 2.0 * 9.81).abs() < 1e-3, "{force} N");
}
