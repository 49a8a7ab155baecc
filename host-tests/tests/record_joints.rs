//! Records of steps with joints, and taking them again.

use nalgebra::Vector3;
use stiction::record::{DumpError, DumpStream, JointRecord, LoadError, RecordedBlock, StepBlock, blocks};
use stiction::{
    FlightRecorder, Hooks, Joint, JointAxis, JointKind, Jointed, Material, Motor, Observer, Pipeline, Real, RigidBody,
    SixRows, Spring, Status, StepSettings, Surface, World,
};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

use crate::record::seal;
use crate::step_joints_contacts::{MOST, Mechanism, Stepper, random_mechanism, stepper, touching};

/// Where a step without surfaces has the number of its joints.
const JOINTS_AT: usize = 16 + 16;

/// Adds motors and springs to joints that have an axis, and a spring between two bodies.
fn driven<T: Real>(mut world: Mechanism<T>, rng: &mut Rng) -> Mechanism<T> {
    for index in 0..world.joints().count() {
        let joint = *world.joint(index).unwrap();
        let with = |axis: JointAxis<T>, rng: &mut Rng| {
            let max = T::lit(rng.range(0.1, 5.0));
            let motor = match rng.below(3) {
                0 => None,
                1 => Some(Motor::Speed { speed: T::lit(rng.range(-3.0, 3.0)), max }),
                _ => {
                    let (position, stiffness) = (T::lit(rng.range(-1.0, 1.0)), T::lit(rng.range(1.0, 50.0)));
                    Some(Motor::Position { position, stiffness, damping: T::lit(0.5), max })
                }
            };
            let spring = Spring { rest: T::lit(0.1), stiffness: T::lit(20.0), damping: T::lit(0.2) };
            JointAxis { motor, spring: rng.chance(0.5).then_some(spring), ..axis }
        };
        let kind = match joint.kind {
            JointKind::Hinge(axis) => JointKind::Hinge(with(axis, rng)),
            JointKind::Slider(axis) => JointKind::Slider(with(axis, rng)),
            kind => kind,
        };
        world.set_joint(index, Joint { kind, ..joint }).unwrap();
    }
    let spring = Spring { rest: T::lit(0.2), stiffness: T::lit(30.0), damping: T::lit(0.1) };
    world.push_joint(Joint { collide: true, ..Joint::spring(1, 2, spring) }).unwrap();
    world
}

/// Steps of a random mechanism as a dump.
fn recorded<T: Real>(rng: &mut Rng, steps: usize) -> Vec<u8> {
    let mut world = driven(random_mechanism::<T>(rng), rng);
    dump_of(&mut world, &mut stepper::<T>(rng), steps)
}

/// Steps as a dump.
fn dump_of<T: Real>(world: &mut Mechanism<T>, pipeline: &mut Stepper<T>, steps: usize) -> Vec<u8> {
    let mut dump = Vec::new();
    for number in 0..steps {
        let mut write = |piece: &[u8]| dump.extend_from_slice(piece);
        let mut stream = DumpStream::<Jointed<1>>::with_rows(&mut write, 0);
        // Steps of other lengths: impulses that are kept are of another length than those of the step.
        let dt = T::lit(if number % 3 == 2 { 1.0 / 50.0 } else { 1.0 / 60.0 });
        pipeline.step_with(world, touching, dt, Hooks::with_observer(&mut stream)).unwrap();
        let Some(Ok(RecordedBlock::Outcome(outcome))) = blocks(&dump).last() else { panic!("no outcome") };
        assert_eq!(outcome.digest, world.digest());
    }
    dump
}

fn steps_of(dump: &[u8]) -> Vec<StepBlock<'_>> {
    let step = |block| if let RecordedBlock::Step(step) = block { Some(step) } else { None };
    blocks(dump).filter_map(|block| step(block.unwrap())).collect()
}

fn are_taken_again<T: Real>() {
    let mut rng = Rng::new(11);
    let mut joints = 0;
    for _ in 0..effort::cases(30, 1000) {
        let dump = recorded::<T>(&mut rng, 12);
        joints += steps_of(&dump).iter().map(|step| usize::from(step.joints)).sum::<usize>();
        assert_eq!(taken_again::<T>(&dump), 12);
    }
    assert!(joints > 1000, "{joints}");
}

/// Takes the steps of a dump again, and compares their digests; returns how many there are.
fn taken_again<T: Real>(dump: &[u8]) -> usize {
    let mut world = Mechanism::<T>::empty();
    let mut pipeline = Stepper::<T>::with_factor_memory(StepSettings::default());
    let mut digests = Vec::new();
    for block in blocks(dump) {
        match block.unwrap() {
            RecordedBlock::Step(step) => {
                digests.push(step.step(None, &mut world, &mut pipeline, None, None).unwrap());
            }
            RecordedBlock::Outcome(outcome) => assert_eq!(digests.last(), Some(&outcome.digest), "{}", digests.len()),
            RecordedBlock::Input(_) => panic!("no solve was recorded"),
        }
    }
    digests.len()
}

#[test]
fn recorded_steps_with_joints_are_taken_again_to_the_bit_in_single_precision() {
    are_taken_again::<f32>();
}

#[test]
fn recorded_steps_with_joints_are_taken_again_to_the_bit_in_double_precision() {
    are_taken_again::<f64>();
}

/// Its memory for a factor was of the contacts alone once, and the joints were missing in it.
#[test]
fn an_island_at_rest_that_joints_reach_gets_a_factor_with_them() {
    let mut world = Mechanism::<f64>::empty();
    let material = Material { mu: 0.5, restitution: 0.0 };
    world.push(RigidBody { material, ..RigidBody::fixed() }).unwrap();
    for position in [[0.0, 0.0, 0.1], [0.01, 0.0, 0.35], [0.31, 0.0, 0.45], [0.61, 0.0, 0.55]] {
        let body = RigidBody::from_mass(1.0, nalgebra::Matrix3::identity() * 0.004);
        world.push(RigidBody { position: position.into(), material, ..body }).unwrap();
    }
    for a in 2..4 {
        let middle = (world.positions()[a] + world.positions()[a + 1]) * 0.5;
        let fixed = world.joint_between(a, a + 1, JointKind::Fixed, [middle; 2], Vector3::x());
        world.push_joint(fixed).unwrap();
    }
    let mut pipeline = Stepper::with_factor_memory(StepSettings::for_length(0.2));
    let (mut dump, mut before, mut reached) = (Vec::new(), None, 0);
    for _ in 0..60 {
        dump.extend(dump_of(&mut world, &mut pipeline, 1));
        let report = pipeline.report().unwrap();
        // The ball at rest has a factor, and then one island has all of them.
        if before == Some(2) && report.islands == 1 {
            reached += 1;
            assert!(report.contacts >= 2 && report.status == Status::Converged, "{report:?}");
        }
        before = Some(report.islands);
    }
    assert!(reached > 0);
    assert_eq!(taken_again::<f64>(&dump), 60);
}

#[test]
fn they_need_as_many_joints_and_change_nothing_otherwise() {
    let mut rng = Rng::new(12);
    let dump = recorded::<f32>(&mut rng, 1);
    let step = steps_of(&dump)[0];
    assert!(step.joints > 1);
    let mut world = World::<f32, 8>::new();
    let kept = world.push(RigidBody::fixed()).unwrap();
    let mut pipeline = Pipeline::<f32, 8, 64>::new(StepSettings::default());
    let error = step.step(None, &mut world, &mut pipeline, None, None).unwrap_err();
    assert_eq!(error, LoadError::TooFewJoints(step.joints));
    assert_eq!(error.to_string(), format!("has {} joints, and there can be fewer here", step.joints));
    assert!(world.get(kept).is_some());
    // One more than there can be.
    let mut forged = dump.clone();
    forged[JOINTS_AT] = MOST as u8 + 1;
    seal(&mut forged);
    let (mut world, mut pipeline) = (Mechanism::<f32>::empty(), Stepper::with_factor_memory(StepSettings::default()));
    let error = steps_of(&forged)[0].step(None, &mut world, &mut pipeline, None, None);
    assert_eq!(error, Err(LoadError::TooFewJoints(MOST as u16 + 1)));
}

/// A world of a hinge on rough ground.
fn rough_hinge() -> (World<f64, 3, Jointed<1, SixRows>>, Pipeline<f64, 3, 8, 24, Jointed<1, SixRows>>) {
    let mut world = World::empty();
    world.push(RigidBody::fixed()).unwrap();
    for x in [0.0, 0.3] {
        let position = Vector3::new(x, 0.0, 0.1);
        let body = RigidBody::from_mass(1.0, nalgebra::Matrix3::identity() * 0.01);
        world.push(RigidBody { position, linear_velocity: Vector3::new(0.3, 0.2, 0.0), ..body }).unwrap();
    }
    let at = Vector3::new(0.15, 0.0, 0.1);
    let hinge = world.joint_between(1, 2, JointKind::Hinge(JointAxis::FREE), [at, at], Vector3::y());
    world.push_joint(hinge).unwrap();
    (world, Pipeline::with_factor_memory(StepSettings::default()))
}

#[test]
fn joints_and_surfaces_are_recorded_together() {
    let (mut world, mut pipeline) = rough_hinge();
    let mut recorder = FlightRecorder::<{ 1 << 16 }, Jointed<1, SixRows>>::empty();
    let mut digests = Vec::new();
    for _ in 0..8 {
        let on_ground = |world: &World<f64, 3, Jointed<1, SixRows>>, body: usize| {
            let x = world.positions()[body];
            let (on_a, on_b) = (Vector3::new(x.x, x.y, 0.0), x - Vector3::z() * 0.1);
            let mut manifold = stiction::Manifold::new(0, body, Vector3::z());
            let id = stiction::PointId::Feature(0);
            manifold.points.push(stiction::ManifoldPoint { on_a, on_b, depth: 0.1 - x.z, id });
            manifold.material = Some(stiction::Material { mu: 0.5, restitution: 0.0 });
            manifold
        };
        let surface = Surface { torsion: 0.02, rolling: 0.01, ..Surface::default() };
        let hooks = Hooks::with_observer(&mut recorder);
        pipeline
            .step_with(
                &mut world,
                |world, collector| (1..3).try_for_each(|body| collector.push_on(&on_ground(world, body), &surface)),
                0.01,
                hooks,
            )
            .unwrap();
        digests.push(world.digest());
    }
    let dump = recorder.pieces().0;
    let steps = steps_of(dump);
    assert!(steps.iter().all(|step| (step.joints, step.surfaces) == (1, 2)), "{steps:?}");
    let (mut again, mut here) = rough_hinge();
    for (step, digest) in steps.iter().zip(&digests) {
        assert_eq!(step.step(None, &mut again, &mut here, None, None), Ok(*digest));
    }
}

#[test]
fn recorders_without_joints_drop_such_steps_and_count_them() {
    let mut rng = Rng::new(13);
    let mut world = random_mechanism::<f64>(&mut rng);
    world.push_joint(Joint::spring(1, 2, Spring { rest: 0.1, stiffness: 1.0, damping: 0.0 })).unwrap();
    let mut pipeline = stepper::<f64>(&mut rng);
    let mut recorder = FlightRecorder::<65536>::new();
    for _ in 0..3 {
        pipeline.step_with(&mut world, touching, 0.01, Hooks::with_observer(&mut recorder)).unwrap();
    }
    assert_eq!((recorder.pieces().0.len(), recorder.dropped()), (0, 3));
}

/// Counts what it is told of joints.
#[derive(Default)]
struct Told(Vec<usize>, usize, usize);

impl Observer<f64> for Told {
    fn joint(&mut self, record: &JointRecord<'_, f64>) {
        match record {
            JointRecord::Count(count) => self.0.push(*count),
            JointRecord::Input { index, .. } => {
                assert_eq!(self.1 % self.0[0], *index);
                self.1 += 1;
            }
            JointRecord::Outcome { .. } => self.2 += 1,
        }
    }
}

#[test]
fn observers_are_told_of_every_joint_before_and_after() {
    let mut rng = Rng::new(14);
    let mut world = driven(random_mechanism::<f64>(&mut rng), &mut rng);
    let joints = world.joints().count();
    let mut pipeline = stepper::<f64>(&mut rng);
    let mut told = Told::default();
    for _ in 0..2 {
        pipeline.step_with(&mut world, touching, 0.01, Hooks::with_observer(&mut told)).unwrap();
    }
    assert_eq!((told.0, told.1, told.2), (vec![joints; 2], 2 * joints, 2 * joints));
}

#[test]
fn changed_steps_with_joints_are_rejected_or_taken_and_never_panic() {
    let mut rng = Rng::new(15);
    let dump = recorded::<f32>(&mut rng, 3);
    let end = dump.windows(4).skip(4).position(|bytes| bytes == b"STFR").unwrap() + 4;
    let block = &dump[..end];
    let joints = usize::from(steps_of(&dump)[0].joints);
    let mut world = Mechanism::<f32>::empty();
    let mut pipeline = Stepper::<f32>::with_factor_memory(StepSettings::default());
    let (mut taken, mut rejected, mut malformed) = (0, 0, 0);
    let first = end - 4 - joints * 128;
    for case in 0..effort::cases(1000, 40_000) {
        let mut bytes = block.to_vec();
        // Mostly in the joints, which are last.
        let at = if case % 4 == 0 { 16 + rng.below(end - 20) } else { first + rng.below(joints * 128) };
        bytes[at] ^= 1 << rng.below(8);
        seal(&mut bytes);
        let Some(Ok(RecordedBlock::Step(step))) = blocks(&bytes).next() else { continue };
        match step.step(Some(8), &mut world, &mut pipeline, None, None) {
            Ok(_) => taken += 1,
            Err(LoadError::Dump(DumpError::BadValue)) => malformed += 1,
            Err(_) => rejected += 1,
        }
        assert!(world.positions().iter().all(|x| x.iter().all(|part| part.is_finite())));
    }
    println!("{taken} changed steps were taken, {rejected} rejected, {malformed} malformed");
    assert!(taken > 0 && rejected > 0 && malformed > 0, "{taken} {rejected} {malformed}");
}
