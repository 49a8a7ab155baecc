//! Worlds with joints: pendulums against closed forms, chains, limits, motors, springs, friction, loops, energy.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use stiction::{
    ErrorKind, InputField, Joint, JointAxis, JointKind, Jointed, Motor, RigidBody, Spring, Status, StepReport,
    StepSettings, World,
};

use crate::step_joints_contacts::{Mechanism, Stepper};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

type Small = Mechanism<f64>;
type SmallPipeline = Stepper<f64>;

fn pipeline(substeps: u32) -> SmallPipeline {
    Stepper::with_factor_memory(StepSettings { substeps, ..StepSettings::default() })
}

/// A step without contacts.
fn step(pipeline: &mut SmallPipeline, world: &mut Small) -> StepReport<f64> {
    pipeline.step(world, stiction::manifolds(&[]), 1.0 / 60.0).expect("a valid step")
}

fn run(pipeline: &mut SmallPipeline, world: &mut Small, steps: u32) {
    for _ in 0..steps {
        step(pipeline, world);
    }
}

fn energy(world: &Small) -> f64 {
    world.kinetic_energy() + world.potential_energy(&GRAVITY)
}

/// Largest distance by which anchors that should coincide are apart, m.
fn apart(world: &Small) -> f64 {
    let at = |body: usize, own: &Vector3<f64>| world.positions()[body] + world.orientations()[body] * own;
    let points =
        world.joints().filter(|joint| matches!(joint.kind, JointKind::Ball | JointKind::Hinge(_) | JointKind::Fixed));
    points.map(|joint| (at(joint.a, &joint.anchor_a) - at(joint.b, &joint.anchor_b)).norm()).fold(0.0, f64::max)
}

/// Inertia of a square rod along z.
fn rod_inertia(mass: f64, length: f64, side: f64) -> Matrix3<f64> {
    let across = mass * (length * length + side * side) / 12.0;
    Matrix3::from_diagonal(&Vector3::new(across, across, mass * side * side / 6.0))
}

/// `n` rods of 1 kg and a length in m, one below the other, turned by an angle about y, with joints between them.
fn chain(n: usize, length: f64, angle: f64, kind: JointKind<f64>) -> Small {
    let mut world = Small::empty();
    let mut above = world.push(RigidBody::fixed()).unwrap();
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -angle);
    for k in 0..n {
        let position = orientation * Vector3::new(0.0, 0.0, -length * (k as f64 + 0.5));
        let body = RigidBody { position, orientation, ..RigidBody::from_mass(1.0, rod_inertia(1.0, length, 0.02)) };
        let body = world.push(body).unwrap();
        let at = orientation * Vector3::new(0.0, 0.0, -length * k as f64);
        world.push_joint(world.joint_between(above, body, kind, [at, at], Vector3::y())).unwrap();
        above = body;
    }
    world
}

/// A block of 2 kg that a joint along z or about z connects to the ground.
fn block_on(kind: JointKind<f64>) -> Small {
    let mut world = Small::empty();
    let ground = world.push(RigidBody::fixed()).unwrap();
    let block = world.push(RigidBody::from_mass(2.0, Matrix3::identity() * 0.5)).unwrap();
    world.push_joint(world.joint_between(ground, block, kind, [Vector3::zeros(); 2], Vector3::z())).unwrap();
    world
}

/// The period of a physical pendulum by the arithmetic-geometric mean.
fn period(frequency: f64, amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (amplitude / 2.0).cos());
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    2.0 * std::f64::consts::PI / (frequency * a)
}

/// Mean period of a rod over some swings, and the energies that it had, relative to those at the start.
fn swings(amplitude: f64, substeps: u32, steps: u32) -> (f64, [f64; 2], f64) {
    let mut world = chain(1, 1.0, amplitude, JointKind::Hinge(JointAxis::FREE));
    let mut pipeline = pipeline(substeps);
    let start = energy(&world);
    let (mut crossings, mut last, mut range, mut most_apart) = (Vec::new(), -amplitude, [0.0_f64; 2], 0.0_f64);
    for number in 0..steps {
        let report = step(&mut pipeline, &mut world);
        assert!(report.ledger.closure() < 1e-12, "{}", report.ledger.closure());
        let now = pipeline.joint(0).unwrap().position - amplitude;
        if last < 0.0 && now >= 0.0 {
            crossings.push((f64::from(number) - last / (now - last)) / 60.0);
        }
        last = now;
        let gained = energy(&world) - start;
        range = [range[0].min(gained), range[1].max(gained)];
        most_apart = most_apart.max(apart(&world));
    }
    let mean = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    (mean, range, most_apart)
}

#[test]
fn a_pendulum_has_its_period_and_the_error_falls_with_the_square_of_the_step() {
    let inertia = rod_inertia(1.0, 1.0, 0.02)[(0, 0)] + 0.25;
    for degrees in [10.0_f64, 90.0, 170.0] {
        let expected = period((9.81 * 0.5 / inertia).sqrt(), degrees.to_radians());
        let errors = [4, 8, 16].map(|substeps| {
            let (mean, [least, most], most_apart) = swings(degrees.to_radians(), substeps, 1200);
            println!(
                "{degrees} degrees, {substeps} substeps: period off by {:.2e} of itself, energy {least:.1e} to \
                 {most:.1e} J, apart {most_apart:.1e} m",
                mean / expected - 1.0
            );
            assert!(most_apart < 1e-5);
            (mean / expected - 1.0).abs()
        });
        assert!(errors[1] < 0.4 * errors[0] && errors[2] < 0.4 * errors[1], "{degrees}: {errors:?}");
        assert!(errors[1] < 1e-3, "{errors:?}");
    }
}

#[test]
fn a_pendulum_keeps_its_energy() {
    let (_, [least, most], most_apart) = swings(1.5, 8, 10_000);
    println!("10,000 steps: {least:.2e} to {most:.2e} J of 4.6 J, apart {most_apart:.1e} m");
    assert!(least > -1e-2 && most < 1e-2, "{least} {most}");
    assert!(most_apart < 1e-6);
}

#[test]
fn chains_stay_together() {
    for kind in [JointKind::Ball, JointKind::Hinge(JointAxis::FREE)] {
        let mut world = chain(10, 0.1, 1.5, kind);
        let mut pipeline = pipeline(8);
        let start = energy(&world);
        for number in 0..600 {
            let report = step(&mut pipeline, &mut world);
            assert!(apart(&world) < 1e-8, "{}: {} m in step {number}", kind.name(), apart(&world));
            assert!(energy(&world) < start + 1e-3, "{}: {} J", kind.name(), energy(&world) - start);
            assert!(report.ledger.closure() < 1e-12);
        }
    }
}

#[test]
fn a_heavy_load_hangs_on_a_chain_without_stretching_it() {
    for angle in [0.0, 0.02, 1.5] {
        let mut world = chain(20, 0.1, angle, JointKind::Hinge(JointAxis::FREE));
        let last = world.len() - 1;
        let heavy = world.get(last).unwrap();
        let loaded = RigidBody { inverse_mass: 1e-3, inverse_inertia_body: heavy.inverse_inertia_body * 1e-3, ..heavy };
        world.set(last, loaded).unwrap();
        let mut pipeline = pipeline(8);
        let (mut most, start) = (0.0_f64, energy(&world));
        for _ in 0..300 {
            step(&mut pipeline, &mut world);
            most = most.max(apart(&world));
            assert!(energy(&world) < start + 1e-2, "{} J", energy(&world) - start);
        }
        println!("1000:1 from {angle} rad: apart {most:.2e} m");
        assert!(most < 1e-9, "{angle}: {most}");
    }
}

#[test]
fn motors_reach_their_speed_with_their_largest_torque() {
    let motor = Motor::Speed { speed: 3.0, max: 0.5 };
    let mut world = block_on(JointKind::Hinge(JointAxis { motor: Some(motor), ..JointAxis::FREE }));
    let mut pipeline = pipeline(8);
    let mut work = 0.0;
    for number in 1..=240 {
        let report = step(&mut pipeline, &mut world);
        assert!(report.ledger.closure() < 1e-12 && !report.passivity_guard);
        // 0.5 N m on 0.5 kg m²: 1 rad/s².
        let expected = (f64::from(number) / 60.0).min(3.0);
        assert!((world.bodies().angular_velocities()[1].z - expected).abs() < 1e-9, "{number}");
        work += pipeline.joint_work().motor;
    }
    assert!((work - 0.5 * 0.5 * 9.0).abs() < 1e-9, "{work}");
    assert!((pipeline.joint(0).unwrap().position - (4.5 + 3.0)).abs() < 1e-2);
}

#[test]
fn whole_revolutions_count() {
    let motor = Motor::Speed { speed: 20.0, max: 1e6 };
    let mut world = block_on(JointKind::Hinge(JointAxis { motor: Some(motor), ..JointAxis::FREE }));
    let mut pipeline = pipeline(4);
    run(&mut pipeline, &mut world, 300);
    // The first substep brings it to its speed.
    assert!((pipeline.joint(0).unwrap().position - 100.0).abs() < 0.1, "{:?}", pipeline.joint(0));
}

#[test]
fn a_servo_holds_a_weight_where_its_stiffness_says() {
    let motor = Motor::Position { position: 0.25, stiffness: 2000.0, damping: 100.0, max: 1e4 };
    let mut world = block_on(JointKind::Slider(JointAxis { motor: Some(motor), ..JointAxis::FREE }));
    let mut pipeline = pipeline(8);
    run(&mut pipeline, &mut world, 600);
    let expected = 0.25 - 2.0 * 9.81 / 2000.0;
    assert!((world.positions()[1].z - expected).abs() < 1e-9, "{}", world.positions()[1].z);
    assert!(world.positions()[1].xy().norm() < 1e-12);
}

#[test]
fn limits_stop_a_slider_and_hold_it() {
    let mut world = block_on(JointKind::Slider(JointAxis { limits: Some([-0.5, 0.5]), ..JointAxis::FREE }));
    let mut pipeline = pipeline(8);
    let mut lowest = 0.0_f64;
    for _ in 0..240 {
        step(&mut pipeline, &mut world);
        lowest = lowest.min(world.positions()[1].z);
    }
    assert!(lowest > -0.5 - 1e-6, "{lowest}");
    assert!((world.positions()[1].z + 0.5).abs() < 1e-6 && world.kinetic_energy() < 1e-12);
    assert!(pipeline.joint(0).unwrap().is_at_limit);
}

#[test]
fn dry_friction_holds_and_brakes() {
    // 2 kg weigh 19.62 N: 20 N hold it, 10 N brake its fall.
    for (friction, acceleration) in [(20.0, 0.0), (10.0, -9.81 + 5.0)] {
        let mut world = block_on(JointKind::Slider(JointAxis { friction, ..JointAxis::FREE }));
        let mut pipeline = pipeline(8);
        let mut heat = 0.0;
        for _ in 0..60 {
            step(&mut pipeline, &mut world);
            heat += pipeline.joint_work().friction;
        }
        assert!((world.bodies().linear_velocities()[1].z - acceleration).abs() < 1e-9, "{friction}");
        let way = world.positions()[1].z;
        assert!((heat - friction * way).abs() < 1e-6 * friction, "{heat} {way}");
    }
}

#[test]
fn a_spring_swings_at_its_frequency_and_its_energy_is_booked() {
    let spring = Spring { rest: 0.0, stiffness: 50.0, damping: 0.0 };
    let mut world = block_on(JointKind::Slider(JointAxis { spring: Some(spring), ..JointAxis::FREE }));
    let mut pipeline = pipeline(100);
    let sag = -2.0 * 9.81 / 50.0;
    let mut lowest = 0.0_f64;
    for _ in 0..76 {
        let before = world.kinetic_energy() + world.potential_energy(&GRAVITY);
        let report = step(&mut pipeline, &mut world);
        let work = pipeline.joint_work();
        let change = world.kinetic_energy() + world.potential_energy(&GRAVITY) - before;
        // What the spring stored and what damping by the step length took.
        assert!(work.spring + (work.stored_after - work.stored_before) < 1e-9, "{work:?}");
        assert!(report.ledger.closure() < 1e-12 && change.is_finite());
        lowest = lowest.min(world.positions()[1].z);
    }
    // It falls to twice its sag.
    assert!((lowest - 2.0 * sag).abs() < 0.01 * sag.abs(), "{lowest} {sag}");
}

#[test]
fn rods_keep_their_length_and_ropes_only_limit_it() {
    for is_rope in [false, true] {
        let mut world = Small::empty();
        let ceiling = world.push(RigidBody::fixed()).unwrap();
        let position = Vector3::new(0.6, 0.0, if is_rope { 0.0 } else { -0.8 });
        let ball = world.push(RigidBody { position, ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.01) }).unwrap();
        let joint = if is_rope { Joint::rope(ceiling, ball, 1.0) } else { Joint::distance(ceiling, ball, 1.0) };
        world.push_joint(joint).unwrap();
        let mut pipeline = pipeline(8);
        for number in 0..600 {
            step(&mut pipeline, &mut world);
            let length = world.positions()[1].norm();
            let is_right = if is_rope { length < 1.0 + 2e-3 } else { (length - 1.0).abs() < 1e-5 };
            assert!(is_right, "rope {is_rope}: {length} m in step {number}");
        }
    }
}

/// Four bars with hinges all round: three rods and the ground, with more rows than the plane needs.
#[test]
fn a_closed_loop_with_redundant_rows_swings() {
    let hinge = JointKind::Hinge(JointAxis::FREE);
    let mut world = Small::empty();
    let ground = world.push(RigidBody::fixed()).unwrap();
    let bar = |from: Vector3<f64>, to: Vector3<f64>| {
        let orientation = UnitQuaternion::rotation_between(&Vector3::z(), &(to - from)).unwrap();
        let inertia = rod_inertia(1.0, (to - from).norm(), 0.02);
        RigidBody { position: (from + to) * 0.5, orientation, ..RigidBody::from_mass(1.0, inertia) }
    };
    let corners = [[0.0, 0.0], [0.3, -0.4], [1.3, -0.4], [1.0, 0.0]].map(|[x, z]| Vector3::new(x, 0.0, z));
    let bars = [0, 1, 2].map(|k| world.push(bar(corners[k], corners[k + 1])).unwrap());
    for (a, b, at) in [(ground, bars[0], 0), (bars[0], bars[1], 1), (bars[1], bars[2], 2), (bars[2], ground, 3)] {
        world.push_joint(world.joint_between(a, b, hinge, [corners[at]; 2], Vector3::y())).unwrap();
    }
    let mut pipeline = pipeline(8);
    let start = energy(&world);
    for number in 0..600 {
        let report = step(&mut pipeline, &mut world);
        assert!(apart(&world) < 1e-4, "{} m in step {number}", apart(&world));
        assert!(energy(&world) < start + 1e-3 && energy(&world) > start - 0.5, "{} J", energy(&world) - start);
        assert!(report.ledger.closure() < 1e-12);
    }
    assert!(world.kinetic_energy() > 0.0 && world.positions()[bars[1]].y.abs() < 1e-9);
}

#[test]
fn joints_keep_momentum_in_flight() {
    let mut world = Small::empty();
    let mut before = None;
    for k in 0..5 {
        let position = Vector3::new(0.3 * k as f64, 0.0, 0.0);
        let angular_velocity = Vector3::new(0.3, 2.0 - k as f64, 0.5);
        let inertia = Matrix3::from_diagonal(&Vector3::new(0.01, 0.02, 0.025));
        let body = RigidBody { position, angular_velocity, ..RigidBody::from_mass(1.0 + k as f64, inertia) };
        let body = world.push(body).unwrap();
        if let Some(before) = before {
            let at = position - Vector3::x() * 0.15;
            world.push_joint(world.joint_between(before, body, JointKind::Ball, [at, at], Vector3::x())).unwrap();
        }
        before = Some(body);
    }
    let momentum = |world: &Small| {
        let mut sum = [Vector3::zeros(), Vector3::zeros()];
        for index in 0..world.len() {
            let body = world.get(index).unwrap();
            let p = body.linear_velocity / body.inverse_mass;
            let turn = body.orientation.to_rotation_matrix();
            let inertia = turn * body.inverse_inertia_body.try_inverse().unwrap() * turn.transpose();
            sum[0] += p;
            sum[1] += body.position.cross(&p) + inertia * body.angular_velocity;
        }
        sum
    };
    let settings = StepSettings { gravity: Vector3::zeros(), ..StepSettings::default() };
    let mut pipeline = SmallPipeline::with_factor_memory(settings);
    let start = momentum(&world);
    for _ in 0..60 {
        step(&mut pipeline, &mut world);
    }
    let end = momentum(&world);
    println!(
        "linear {:.1e}, angular {:.1e} of {:.2}",
        (end[0] - start[0]).norm(),
        (end[1] - start[1]).norm(),
        start[1].norm()
    );
    assert!((end[0] - start[0]).norm() < 1e-9);
    assert!((end[1] - start[1]).norm() < 1e-3 * start[1].norm());
}

#[test]
fn joints_are_rejected_by_name() {
    let mut world = World::<f64, 3, Jointed<1>>::empty();
    let ground = world.push(RigidBody::fixed()).unwrap();
    let wall = world.push(RigidBody::fixed()).unwrap();
    let body = world.push(RigidBody::from_mass(1.0, Matrix3::identity())).unwrap();
    let hinge = Joint::hinge(ground, body, JointAxis::FREE);
    let with = |axis: JointAxis<f64>| Joint::hinge(ground, body, axis);
    let motor = |motor| with(JointAxis { motor: Some(motor), ..JointAxis::FREE });
    let spring = Spring { rest: 0.0, stiffness: -1.0, damping: 0.0 };
    let cases: [(Joint<f64>, &str, ErrorKind<f64>); 15] = [
        (Joint { b: 7, ..hinge }, "b", ErrorKind::NoSuchBody { index: 7, bodies: 3 }),
        (Joint { b: ground, ..hinge }, "b", ErrorKind::SameBody),
        (Joint { b: wall, ..hinge }, "", ErrorKind::NothingMoves),
        (Joint { axis: Vector3::z() * 2.0, ..hinge }, "axis", ErrorKind::NotUnit { length: 2.0 }),
        (Joint { axis: Vector3::zeros(), ..hinge }, "axis", ErrorKind::NotUnit { length: 0.0 }),
        (Joint { anchor_a: Vector3::z() * f64::NAN, ..hinge }, "anchor_a", ErrorKind::NotFinite),
        (
            Joint { rest: UnitQuaternion::new_unchecked(Quaternion::new(1.0, f64::NAN, 0.0, 0.0)), ..hinge },
            "rest",
            ErrorKind::NotFinite,
        ),
        (
            with(JointAxis { limits: Some([1.0, -1.0]), ..JointAxis::FREE }),
            "limits",
            ErrorKind::LimitsCrossed { low: 1.0, high: -1.0 },
        ),
        (
            with(JointAxis { friction: -1.0, ..JointAxis::FREE }),
            "friction",
            ErrorKind::TooSmall { value: -1.0, min: 0.0 },
        ),
        (
            with(JointAxis { spring: Some(spring), ..JointAxis::FREE }),
            "spring.stiffness",
            ErrorKind::TooSmall { value: -1.0, min: 0.0 },
        ),
        (motor(Motor::Speed { speed: f64::INFINITY, max: 1.0 }), "motor.speed", ErrorKind::NotFinite),
        (motor(Motor::Speed { speed: 1.0, max: -2.0 }), "motor.max", ErrorKind::TooSmall { value: -2.0, min: 0.0 }),
        (
            Joint::spring(ground, body, Spring { rest: -1.0, stiffness: 1.0, damping: 0.0 }),
            "spring.rest",
            ErrorKind::TooSmall { value: -1.0, min: 0.0 },
        ),
        (Joint::rope(ground, body, f64::NAN), "length", ErrorKind::NotFinite),
        (Joint::distance(ground, body, 0.0), "length", ErrorKind::TooSmall { value: 0.0, min: f64::EPSILON }),
    ];
    for (joint, field, kind) in cases {
        let error = world.push_joint(joint).unwrap_err();
        assert_eq!((error.field, error.kind), (InputField::Joint(0, field), kind));
        assert_eq!(world.joints().count(), 0);
    }
    world.push_joint(hinge).unwrap();
    let full = world.push_joint(hinge).unwrap_err();
    assert_eq!(full.to_string(), "joints[1]: full, the capacity is 1");
    assert!(world.set_joint(1, hinge).is_err());
    let mut plain = World::<f64, 3>::new();
    assert!(plain.push_joint(hinge).is_err());
}

/// At rest the frame is one substep: one factor instead of eight. A push brings the substeps back.
#[test]
fn a_chain_at_rest_takes_one_substep_a_frame() {
    let mut world = chain(10, 0.1, 0.0, JointKind::Hinge(JointAxis::FREE));
    let mut pipeline = pipeline(8);
    run(&mut pipeline, &mut world, 10);
    let (before, mut factors) = (world.positions()[10], 0);
    for _ in 0..6000 {
        let report = step(&mut pipeline, &mut world);
        factors += report.factor.factors;
        assert!(report.ledger.closure() < 1e-12 && report.status == Status::Converged);
    }
    let moved = (world.positions()[10] - before).norm();
    println!("{factors} factors in 6000 steps, the end moved by {moved:.1e} m");
    assert!(factors < 6600 && moved < 1e-9 && apart(&world) < 1e-9, "{factors}, {moved}, {}", apart(&world));
    let pushed = world.get(10).unwrap();
    world.set(10, RigidBody { linear_velocity: Vector3::x(), ..pushed }).unwrap();
    assert!(step(&mut pipeline, &mut world).factor.factors >= 8);
}

/// A pendulum on a carriage that moves and turns by itself: the joint follows it within the step.
#[test]
fn joints_follow_bodies_that_no_impulse_moves() {
    let mut world = Small::empty();
    let carriage = RigidBody {
        linear_velocity: Vector3::new(2.0, 0.0, 0.5),
        angular_velocity: Vector3::z() * 3.0,
        ..RigidBody::fixed()
    };
    let carriage = world.push(carriage).unwrap();
    let position = Vector3::new(0.3, 0.0, -0.5);
    let linear_velocity = Vector3::new(2.0, 0.9, 0.5);
    let inertia = rod_inertia(1.0, 1.0, 0.05);
    let rod = RigidBody { position, linear_velocity, ..RigidBody::from_mass(1.0, inertia) };
    let rod = world.push(rod).unwrap();
    let at = Vector3::new(0.3, 0.0, 0.0);
    world.push_joint(world.joint_between(carriage, rod, JointKind::Ball, [at, at], Vector3::x())).unwrap();
    let mut pipeline = pipeline(8);
    for number in 0..300 {
        let report = step(&mut pipeline, &mut world);
        assert!(apart(&world) < 1e-4, "{} m in step {number}", apart(&world));
        assert!(report.ledger.closure() < 1e-12);
    }
    assert!((world.positions()[carriage] - Vector3::new(10.0, 0.0, 2.5)).norm() < 1e-9);
    assert!((world.positions()[rod] - world.positions()[carriage]).norm() < 1.0);
}

/// In single precision the factor of a long chain with a heavy load has to be softer, and its corrections make up for it.
#[test]
fn a_heavy_load_hangs_on_a_chain_in_single_precision() {
    let mut world = Mechanism::<f32>::empty();
    let mut above = world.push(RigidBody::fixed()).unwrap();
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.02);
    for k in 0..20_u8 {
        let (mass, length) = (if k == 19 { 1000.0 } else { 1.0 }, 0.1);
        let inertia = rod_inertia(f64::from(mass), length, 0.02).map(|entry| entry as f32);
        let position = orientation * Vector3::new(0.0, 0.0, -0.1 * (f32::from(k) + 0.5));
        let body = world.push(RigidBody { position, orientation, ..RigidBody::from_mass(mass, inertia) }).unwrap();
        let at = orientation * Vector3::new(0.0, 0.0, -0.1 * f32::from(k));
        let kind = JointKind::Hinge(JointAxis::FREE);
        world.push_joint(world.joint_between(above, body, kind, [at, at], Vector3::y())).unwrap();
        above = body;
    }
    let mut pipeline = Stepper::<f32>::with_factor_memory(StepSettings::default());
    let mut most = 0.0_f32;
    for _ in 0..240 {
        pipeline.step(&mut world, stiction::manifolds(&[]), 1.0 / 60.0).unwrap();
        let at = |body: usize, own: &Vector3<f32>| world.positions()[body] + world.orientations()[body] * own;
        for joint in world.joints() {
            most = most.max((at(joint.a, &joint.anchor_a) - at(joint.b, &joint.anchor_b)).norm());
        }
    }
    println!("1000:1 in f32: apart {most:.1e} m");
    assert!(most < 1e-4, "{most}");
}
