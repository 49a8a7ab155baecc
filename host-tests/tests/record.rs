//! The records of a step, and replaying a flight recorder's bytes.

use nalgebra::{Matrix3, Vector3};
use stiction::DirectMemory;
use stiction::Hooks;
use stiction::Observer;
use stiction::record::DumpStream;
use stiction::record::digest;
use stiction::record::{BodyRecord, ContactRecord, KeptManifold, KeptPoint, StepInput};
use stiction::record::{DumpError, LoadError, OutcomeBlock, RecordedBlock, RecordedSettings, blocks};
use stiction::{
    Bodies, Body, Contact, ContactRows, Contacts, DirectSize, FlightRecorder, IslandMode, Pipeline, Real, Report,
    RigidBody, Settings, Solver, Status, StepSettings, World,
};
use stiction_scenes::boxes::*;
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

/// Collects every record, and the order of the calls.
#[derive(Default)]
struct CollectingObserver {
    order: String,
    contacts: Vec<ContactRecord<f64>>,
    bodies: Vec<BodyRecord<f64>>,
    inputs: Vec<RigidBody<f64>>,
}

impl Observer<f64> for CollectingObserver {
    fn step(&mut self, input: &StepInput<'_, f64>) {
        assert_eq!(input.direct, DirectSize::NONE);
        self.order += &format!("i{},{},{} ", input.bodies, input.manifolds, input.points);
    }
    fn step_body(&mut self, body: &RigidBody<f64>) {
        self.order.push('b');
        self.inputs.push(*body);
    }
    fn step_manifold(&mut self, manifold: &KeptManifold<f64>, points: &[KeptPoint<f64>]) {
        assert_eq!(usize::from(manifold.count), points.len());
        self.order.push('m');
    }
    fn solving(&mut self) {
        self.order.push('s');
    }
    fn report(&mut self, island: usize, report: &Report<f64>) {
        assert!(report.energy_after < report.energy_before);
        self.order += &format!("R{island}");
    }
    fn contact(&mut self, contact: &ContactRecord<f64>) {
        self.order.push('C');
        self.contacts.push(*contact);
    }
    fn solved(&mut self, stopped_at: Option<u32>) {
        assert_eq!(stopped_at, None);
        self.order.push('S');
    }
    fn body(&mut self, body: &BodyRecord<f64>) {
        self.order.push('B');
        self.bodies.push(*body);
    }
}

fn sliding<T: Real>() -> Boxes<T, 8, 64> {
    let mut boxes = stack::<T, 8, 64>(1);
    let cube = RigidBody { linear_velocity: vector(3.0, 1.0, 0.0), ..boxes.world.get(1).unwrap() };
    boxes.world.set(1, cube).unwrap();
    boxes
}

#[test]
fn a_step_records_input_reports_outcome_and_bodies_in_order() {
    let mut boxes = sliding::<f64>();
    let mut observer = CollectingObserver::default();
    boxes.step_with(Hooks::with_observer(&mut observer)).unwrap();
    assert_eq!(observer.order, "i2,1,4 bbmsR0CCCCBBS");
}

#[test]
fn contact_records_are_complete_and_their_impulses_sum_to_the_motion() {
    let mut boxes = sliding::<f64>();
    boxes.step().unwrap();
    let mut observer = CollectingObserver::default();
    boxes.step_with(Hooks::with_observer(&mut observer)).unwrap();
    let mut impulse = Vector3::zeros();
    for (i, record) in observer.contacts.iter().enumerate() {
        assert_eq!(*record, boxes.pipeline.contact(i).unwrap());
        assert_eq!((record.contact, record.island, record.a, record.b), (i, 0, 0, 1));
        assert_eq!((record.normal, record.mu, record.restitution), (Vector3::z(), 0.5, 0.0));
        assert!(record.depth.abs() < 1e-6 && (record.r_b.abs() - vector(0.5, 0.5, 0.5)).norm() < 1e-3);
        assert!(record.pre_impact_normal_velocity.unwrap().abs() < 0.1);
        assert_eq!(record.normal.cross(&record.t1), record.t2);
        let friction = record.t1 * record.t1_impulse + record.t2 * record.t2_impulse;
        assert!(friction.norm() <= record.mu * record.normal_impulse * (1.0 + 1e-12) && record.bounce_impulse == 0.0);
        impulse += record.normal * record.normal_impulse + friction;
    }
    let fall = boxes.pipeline.settings.gravity / 60.0;
    assert!((observer.inputs[1].linear_velocity + fall + impulse - observer.bodies[1].linear).norm() <= 1e-14);
    assert_eq!(observer.bodies[1].position, boxes.world.positions()[1]);
    let mut smooth = sliding::<f64>();
    let ground = RigidBody { material: material(0.0, 0.0), ..smooth.world.get(0).unwrap() };
    smooth.world.set(0, ground).unwrap();
    let mut observer = CollectingObserver::default();
    smooth.step_with(Hooks::with_observer(&mut observer)).unwrap();
    assert!(observer.contacts.iter().all(|record| record.t1 == Vector3::zeros() && record.t2 == Vector3::zeros()));
}

#[test]
fn a_record_has_the_bounce_and_the_contact_phase_apart_as_an_outcome_has() {
    let mut boxes = stack::<f64, 8, 64>(1);
    for (index, velocity) in [(0, vector(0.0, 0.0, 0.0)), (1, vector(1.0, 0.0, -2.0))] {
        let body = boxes.world.get(index).unwrap();
        let body = RigidBody { material: material(0.5, 0.5), linear_velocity: velocity, ..body };
        boxes.world.set(index, body).unwrap();
    }
    let mut observer = CollectingObserver::default();
    boxes.step_with(Hooks::with_observer(&mut observer)).unwrap();
    let (mut bounce, mut pressed) = (0.0, 0.0);
    for record in &observer.contacts {
        bounce += record.bounce_impulse;
        pressed += record.normal_impulse;
    }
    let mass = 1.0 / boxes.world.get(1).unwrap().inverse_mass;
    assert!((bounce - 3.0 * mass).abs() <= 1e-9 * mass && pressed < bounce, "{bounce} {pressed}");
}

pub(crate) fn dump_of<const BYTES: usize, R: ContactRows>(recorder: &FlightRecorder<BYTES, R>) -> Vec<u8> {
    let (first, second) = recorder.pieces();
    let joined = [first, second].concat();
    let mut buffer = vec![0; BYTES];
    assert_eq!(recorder.copy_to(&mut buffer).unwrap(), joined);
    joined
}

/// Takes every step of a dump again; returns how many had an outcome, after comparing each with it.
fn replay<T: Real>(dump: &[u8]) -> usize {
    let read: Vec<RecordedBlock<'_>> = blocks(dump).map(|block| block.expect("a valid block")).collect();
    let outcomes: Vec<OutcomeBlock> = read
        .iter()
        .filter_map(|block| if let RecordedBlock::Outcome(outcome) = block { Some(*outcome) } else { None })
        .collect();
    let mut compared = 0;
    let (mut world, mut pipeline) = (World::<T, 8>::new(), Pipeline::<T, 8, 64>::new(StepSettings::default()));
    for block in &read {
        let RecordedBlock::Step(step) = block else { continue };
        let Some(outcome) = outcomes.iter().find(|outcome| outcome.number == step.number) else { continue };
        let again = step.step(outcome.stopped_at, &mut world, &mut pipeline, None, None).expect("a valid input");
        assert_eq!(again, outcome.digest, "step {}", step.number);
        compared += 1;
    }
    compared
}

fn recorded<T: Real, const BYTES: usize>(frames: usize) -> FlightRecorder<BYTES> {
    let mut boxes = stack::<T, 8, 64>(4);
    let kicked = RigidBody {
        linear_velocity: vector(1.0, 0.5, 0.0),
        angular_velocity: vector(0.0, 0.3, 2.0),
        ..boxes.world.get(4).unwrap()
    };
    boxes.world.set(4, kicked).unwrap();
    let mut recorder = FlightRecorder::new();
    for _ in 0..frames {
        boxes.step_with(Hooks::with_observer(&mut recorder)).unwrap();
    }
    recorder
}

#[test]
fn every_recorded_step_replays_to_the_same_bits() {
    assert_eq!(replay::<f32>(&dump_of(&recorded::<f32, { 1 << 18 }>(60))), 60);
    assert_eq!(replay::<f64>(&dump_of(&recorded::<f64, { 1 << 18 }>(60))), 60);
}

#[test]
fn a_full_ring_keeps_the_latest_steps_complete() {
    let dump = dump_of(&recorded::<f32, 9000>(60));
    let numbers: Vec<u32> = blocks(&dump)
        .filter_map(|block| if let RecordedBlock::Step(step) = block.unwrap() { Some(step.number) } else { None })
        .collect();
    let (first, last) = (numbers[0], *numbers.last().unwrap());
    println!("9000 bytes hold the last {} of 60 steps", numbers.len());
    assert!(numbers.len() >= 3 && last == 60 && numbers == (first..=last).collect::<Vec<u32>>());
    assert_eq!(replay::<f32>(&dump), numbers.len());
}

#[test]
fn a_step_too_large_for_the_ring_is_counted_as_dropped() {
    let mut recorder = recorded::<f32, 1500>(3);
    assert_eq!((recorder.dropped(), dump_of(&recorder).len()), (3, 0));
    let mut small = sliding::<f32>();
    small.step_with(Hooks::with_observer(&mut recorder)).unwrap();
    assert_eq!((recorder.dropped(), replay::<f32>(&dump_of(&recorder))), (3, 1));
    recorder.clear();
    assert_eq!(dump_of(&recorder).len(), 0);
}

#[test]
fn a_recorder_cleared_during_a_solve_keeps_nothing_of_it() {
    let settings = Settings::<f32>::default();
    let record_input = |recorder: &mut FlightRecorder<9000>, whole: bool| {
        let observer: &mut dyn Observer<f32> = recorder;
        observer.input(&settings, 1.0 / 60.0, &IslandMode::Separate.into(), 1, 0);
        observer.input_body(&Body::fixed());
        if whole {
            observer.solving();
        }
    };
    for whole in [true, false] {
        let mut recorder = FlightRecorder::<9000>::new();
        record_input(&mut recorder, whole);
        recorder.clear();
        Observer::<f32>::solving(&mut recorder);
        Observer::<f32>::solved(&mut recorder, None);
        assert_eq!(dump_of(&recorder).len(), 0);
        record_input(&mut recorder, true);
        Observer::<f32>::solved(&mut recorder, None);
        let kinds: Vec<bool> =
            blocks(&dump_of(&recorder)).map(|block| matches!(block.unwrap(), RecordedBlock::Input(_))).collect();
        assert_eq!(kinds, [true, false]);
    }
}

#[test]
fn an_input_is_kept_only_if_its_outcome_fits_too() {
    fn kept<const BYTES: usize>() -> (usize, u32) {
        let mut recorder = FlightRecorder::<BYTES>::new();
        let mut boxes = sliding::<f32>();
        for _ in 0..3 {
            boxes.step_with(Hooks::with_observer(&mut recorder)).unwrap();
        }
        let dump = dump_of(&recorder);
        (replay::<f32>(&dump), recorder.dropped())
    }
    // An input of two bodies and four contacts takes 652 bytes, an outcome 32.
    assert_eq!((kept::<652>(), kept::<683>(), kept::<684>(), kept::<1368>()), ((0, 3), (0, 3), (1, 0), (2, 0)));
}

#[test]
fn a_solve_that_never_returned_is_recorded_without_an_outcome() {
    let mut recorder = FlightRecorder::<4096>::new();
    let (mut bodies, contacts) = (Bodies::<f64, 8>::new(), Contacts::<f64, 64>::new());
    bodies.push(Body::fixed()).unwrap();
    let (settings, conditions) = (Settings::<f64>::default(), IslandMode::Together.into());
    recorder.input(&settings, 1.0 / 60.0, &conditions, bodies.len(), contacts.len());
    recorder.input_body(&Body::<f64>::fixed());
    Observer::<f64>::solving(&mut recorder);
    let dump = dump_of(&recorder);
    assert!(
        matches!(blocks(&dump).next(), Some(Ok(RecordedBlock::Input(input))) if input.bodies == 1 && input.contacts == 0)
    );
    assert_eq!(blocks(&dump).count(), 1);
}

#[test]
fn replay_stops_at_the_same_substep_as_a_step_cut_by_its_deadline() {
    let mut boxes = stack::<f64, 8, 64>(4);
    let mut recorder = FlightRecorder::<65536>::new();
    let (halves, pairs) = (boxes.halves.clone(), boxes.pairs.clone());
    for cut in 1..6 {
        let mut asked = 0;
        let mut should_stop = || {
            asked += 1;
            asked > cut
        };
        let report = boxes.pipeline.step_with(
            &mut boxes.world,
            |world, collector| {
                let mut found = pairs.iter().filter_map(|pair| manifold(world, &halves, pair, 0.01));
                found.try_for_each(|manifold| collector.push(&manifold))
            },
            1.0 / 60.0,
            Hooks { should_stop: Some(&mut should_stop), direct: None, observer: Some(&mut recorder), lanes: None },
        );
        assert_eq!(report.unwrap().status, Status::Deadline);
    }
    let dump = dump_of(&recorder);
    assert_eq!(replay::<f64>(&dump), 5);
    assert!(
        blocks(&dump)
            .any(|block| matches!(block, Ok(RecordedBlock::Outcome(outcome)) if outcome.stopped_at == Some(3)))
    );
}

#[test]
fn a_recording_that_differs_from_its_announced_counts_leaves_no_block() {
    let mut recorder = FlightRecorder::<4096>::new();
    let observer: &mut dyn Observer<f32> = &mut recorder;
    observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 1, 0);
    observer.solving();
    observer.solved(None);
    observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 1, 0);
    (0..3).for_each(|_| observer.input_body(&Body::fixed()));
    observer.solving();
    observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 2, 0);
    observer.input_body(&Body::fixed());
    observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 0, 0);
    observer.solving();
    let dump = dump_of(&recorder);
    assert!(blocks(&dump).all(|block| block.is_ok()) && blocks(&dump).count() == 1);
}

pub(crate) fn solve_dump() -> Vec<u8> {
    let (mut bodies, mut contacts) = (Bodies::<f32, 8>::new(), Contacts::<f32, 64>::new());
    bodies.push(Body::fixed()).unwrap();
    let linear_velocity = Vector3::new(3.0, 1.0, -0.2);
    bodies.push(Body { linear_velocity, ..Body::from_inverse(1.0, Matrix3::identity() * 6.0) }).unwrap();
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
        let (on_a, on_b) = (Vector3::new(x, y, 0.0), Vector3::new(x, y, -0.5));
        contacts.push(Contact::new(0, 1, Vector3::z(), on_a, on_b, 0.5)).unwrap();
    }
    let mut recorder = FlightRecorder::<4096>::new();
    let hooks = Hooks::with_observer(&mut recorder);
    Solver::new().solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, hooks).unwrap();
    dump_of(&recorder)
}

pub(crate) fn small_dump() -> Vec<u8> {
    let mut boxes = sliding::<f32>();
    let mut recorder = FlightRecorder::<4096>::new();
    boxes.step_with(Hooks::with_observer(&mut recorder)).unwrap();
    dump_of(&recorder)
}

/// Where a dump may end: at its start, and at the ends of its blocks.
pub(crate) fn block_ends(dump: &[u8]) -> Vec<usize> {
    let mut ends = vec![0];
    while *ends.last().unwrap() < dump.len() {
        let start = *ends.last().unwrap();
        let length = u32::from_le_bytes(dump[start + 8..start + 12].try_into().unwrap());
        ends.push(start + length as usize);
    }
    assert!(ends.ends_with(&[dump.len()]), "not whole blocks: {ends:?}");
    ends
}

/// Asserts that a dump cut anywhere but between blocks ends in an error after the whole ones, and that no bit can flip
/// unnoticed.
pub(crate) fn check_damage(dump: &[u8]) {
    let ends = block_ends(dump);
    for length in 0..=dump.len() {
        let error = blocks(&dump[..length]).find_map(Result::err);
        let cut = !ends.contains(&length);
        assert_eq!(error, cut.then_some(DumpError::Truncated), "{length}");
        let whole = ends.iter().filter(|end| **end > 0 && **end <= length).count();
        assert_eq!(blocks(&dump[..length]).filter(|block| block.is_ok()).count(), whole, "{length}");
    }
    let first = blocks(dump).count();
    for byte in 0..dump.len() {
        for bit in 0..8 {
            let mut flipped = dump.to_vec();
            flipped[byte] ^= 1 << bit;
            assert!(blocks(&flipped).take(first).any(|block| block.is_err()), "byte {byte}, bit {bit} passed");
        }
    }
}

#[test]
fn truncated_and_bit_flipped_dumps_give_errors() {
    let dump = small_dump();
    assert_eq!(block_ends(&dump).len(), 3, "an input and its outcome");
    check_damage(&dump);
}

/// Recomputes the checksum of a dump's first block.
pub(crate) fn seal(dump: &mut [u8]) {
    let length = u32::from_le_bytes(dump[8..12].try_into().unwrap()) as usize;
    if (20..=dump.len()).contains(&length) {
        let words = dump[..length - 4].chunks(4).map(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        });
        let hash = words.fold(0x811c_9dc5_u32, |h, word| (h ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
        dump[length - 4..length].copy_from_slice(&hash.to_le_bytes());
    }
}

#[test]
fn forged_dumps_of_solves_are_rejected_or_solved_and_never_panic() {
    let dump = solve_dump();
    let mut rng = Rng::new(7);
    let (mut solved, mut rejected) = (0, 0);
    for _ in 0..effort::cases(2_000, 50_000) {
        let mut forged = dump.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(forged.len());
            forged[at] = rng.below(256) as u8;
        }
        seal(&mut forged);
        for block in blocks(&forged) {
            let Ok(RecordedBlock::Input(input)) = block else { continue };
            let (mut bodies, mut contacts) = (Bodies::<f32, 8>::new(), Contacts::<f32, 64>::new());
            let loaded = input.load(&mut bodies, &mut contacts).and_then(|RecordedSettings { settings, dt }| {
                // A forged limit on sweeps would be obeyed, however long that takes.
                let settings =
                    Settings { sweeps: settings.sweeps.min(50), min_sweeps: 0, normal_sweeps: 50, ..settings };
                Ok(Solver::<f32, 8, 64>::new().solve(&mut bodies, &contacts, &settings, dt)?)
            });
            match loaded {
                Ok(_) => {
                    assert!(
                        bodies
                            .linear_velocities()
                            .iter()
                            .chain(bodies.angular_velocities())
                            .all(|v| v.iter().all(|x| x.is_finite()))
                    );
                    solved += 1;
                }
                Err(_) => rejected += 1,
            }
        }
    }
    println!("{solved} forged inputs solved, {rejected} rejected");
    assert!(solved > 100 && rejected > 100);
}

#[test]
fn a_dump_of_another_scalar_capacity_or_version_is_rejected() {
    let dump = solve_dump();
    let Some(Ok(RecordedBlock::Input(input))) = blocks(&dump).next() else { panic!("an input") };
    let (mut bodies, mut contacts) = (Bodies::<f64, 2>::new(), Contacts::<f64, 4>::new());
    assert_eq!(input.load(&mut bodies, &mut contacts), Err(LoadError::OtherScalar(4)));
    let (mut bodies, mut contacts) = (Bodies::<f32, 2>::new(), Contacts::<f32, 3>::new());
    bodies.push(Body::fixed()).unwrap();
    let error = input.load(&mut bodies, &mut contacts).unwrap_err();
    assert_eq!(error.to_string(), "contacts[3]: full, the capacity is 3");
    assert!(bodies.is_empty() && contacts.is_empty());
    let mut newer = dump.clone();
    newer[4] = 1;
    assert_eq!(blocks(&newer).next().unwrap().unwrap_err().to_string(), "version 1, this build reads 6 to 9");
}

/// Steps with forged numbers are rejected, or taken with finite results.
#[test]
fn forged_dumps_of_steps_are_rejected_or_stepped_and_never_panic() {
    let dump = small_dump();
    let mut rng = Rng::new(8);
    let (mut stepped, mut rejected) = (0, 0);
    let (mut world, mut pipeline) = (World::<f32, 8>::new(), Pipeline::<f32, 8, 64>::new(StepSettings::default()));
    for _ in 0..effort::cases(2_000, 50_000) {
        let mut forged = dump.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(forged.len());
            // Forged limits on sweeps and substeps would be obeyed, however long that takes.
            if !(40..56).contains(&at) && !(88..92).contains(&at) {
                forged[at] = rng.below(256) as u8;
            }
        }
        seal(&mut forged);
        for block in blocks(&forged) {
            let Ok(RecordedBlock::Step(step)) = block else { continue };
            if let Err(error) = step.step(None, &mut world, &mut pipeline, None, None) {
                let changed_nothing = matches!(error, LoadError::TooLittleMemory(_));
                assert!(changed_nothing || world.is_empty() && pipeline.cache().is_empty());
                rejected += 1;
                continue;
            }
            let velocities = world.bodies().linear_velocities().iter().chain(world.bodies().angular_velocities());
            assert!(velocities.chain(world.positions()).all(|v| v.iter().all(|x| x.is_finite())));
            stepped += 1;
        }
    }
    println!("{stepped} forged steps taken, {rejected} rejected");
    assert!(stepped > 100 && rejected > 100);
}

/// The bytes of one step's input, written out by hand after the format's description.
#[test]
fn dump_bytes_of_a_step_match_the_documented_format() {
    let mut boxes = stack::<f32, 2, 4>(1);
    boxes.pipeline.settings.solver.sweeps = 7;
    let cube = boxes.world.get(1).unwrap();
    let (before, mut recorder) = (boxes.world.clone(), FlightRecorder::<4096>::new());
    boxes.step_with(Hooks::with_observer(&mut recorder)).unwrap();
    let mut expected: Vec<u8> = Vec::new();
    let scalars = |to: &mut Vec<u8>, values: &[f32]| values.iter().for_each(|x| to.extend(x.to_le_bytes()));
    expected.extend(b"STFR\x06\x03\x04\x00");
    expected.extend(652u32.to_le_bytes());
    expected.extend(1u32.to_le_bytes());
    expected.extend([2, 0, 1, 0, 4, 0, 1, 0]);
    expected.extend([0; 8]);
    expected.extend([0; 8]);
    expected.extend([1, 0, 0, 0, 1, 0, 0, 0]);
    [7u32, 0, 1000, 1000].iter().for_each(|count| expected.extend(count.to_le_bytes()));
    scalars(&mut expected, &[1.0, 0.7, 1e-5, 0.5, 1.0 / 60.0, 1.0 / 17.0, 1e-5, 3.0]);
    [8u32, 4].iter().for_each(|count| expected.extend(count.to_le_bytes()));
    scalars(&mut expected, &[0.0, 0.0, -9.81, 0.01, 0.005]);
    for index in 0..2 {
        let body = before.get(index).unwrap();
        let (i, p) = (body.inverse_inertia_body.m11, body.position);
        scalars(&mut expected, &[body.inverse_mass, i, 0.0, 0.0, i, 0.0, i, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        scalars(
            &mut expected,
            &[p.x, p.y, p.z, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, body.material.mu, 0.0],
        );
    }
    expected.extend([0, 0, 1, 0, 4, 0, 0, 0]);
    for body in [RigidBody::fixed(), cube] {
        let i = body.inverse_inertia_body.m11;
        let words = [i, 0.0, 0.0, 0.0, i, 0.0, 0.0, 0.0, i, body.inverse_mass].map(f32::to_bits);
        let digest = words
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| (hash ^ u64::from(*word)).wrapping_mul(0x100_0000_01b3));
        expected.extend(digest.to_le_bytes());
    }
    scalars(&mut expected, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
    scalars(&mut expected, &[0.75_f32.sqrt(), 0.5, 0.0]);
    for feature in 0..4_u32 {
        let [x, y] = [1, 2].map(|bit| if feature & bit == 0 { -0.5 } else { 0.5 });
        [1, feature].iter().for_each(|word| expected.extend(word.to_le_bytes()));
        scalars(&mut expected, &[x, y, 0.0, x, y, -0.5, -0.0, -0.0, 0.0, 0.0, 0.0]);
    }
    expected.extend([0; 4]);
    seal(&mut expected);
    let dump = dump_of(&recorder);
    let differs = expected.iter().zip(&dump).position(|(one, other)| one != other);
    assert_eq!((differs, expected.len()), (None, 652));
}

/// The bytes of one input and its outcome, written out by hand after the format's description.
#[test]
fn dump_bytes_match_the_documented_format() {
    let (mut bodies, mut contacts) = (Bodies::<f32, 8>::new(), Contacts::<f32, 64>::new());
    bodies.push(Body::fixed()).unwrap();
    bodies
        .push(Body {
            linear_velocity: Vector3::new(1.0, 2.0, 3.0),
            ..Body::from_inverse(0.5, Matrix3::identity() * 4.0)
        })
        .unwrap();
    let position_correction = stiction::PositionCorrection::SplitImpulse;
    let settings = Settings { sweeps: 7, min_sweeps: 2, position_correction, ..Settings::default() };
    let mut contact = Contact::new(0, 1, Vector3::z(), Vector3::x(), Vector3::y(), 0.25);
    contact.pre_impact_normal_velocity = Some(-1.5);
    contacts.push(contact).unwrap();
    let mut recorder = FlightRecorder::<4096>::new();
    let (mut solver, mut memory) = (Solver::new(), Box::new(DirectMemory::<f32, 512, 90>::new()));
    let hooks = Hooks { should_stop: None, direct: Some(memory.view()), observer: Some(&mut recorder), lanes: None };
    solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, hooks).unwrap();
    let mut expected: Vec<u8> = Vec::new();
    let scalars = |to: &mut Vec<u8>, values: &[f32]| values.iter().for_each(|x| to.extend(x.to_le_bytes()));
    expected.extend(b"STFR\x06\x01\x04\x00");
    expected.extend(268u32.to_le_bytes());
    expected.extend(1u32.to_le_bytes());
    expected.extend([2, 0, 1, 0]);
    [512u32, 90].iter().for_each(|count| expected.extend(count.to_le_bytes()));
    expected.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    [7u32, 2, 1000, 1000].iter().for_each(|count| expected.extend(count.to_le_bytes()));
    scalars(&mut expected, &[1.0, 0.7, 1e-5, 0.5, 1.0 / 60.0, 0.2, 0.01, 3.0]);
    scalars(&mut expected, &[0.0; 13]);
    scalars(&mut expected, &[0.5, 4.0, 0.0, 0.0, 4.0, 0.0, 4.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    expected.extend([0, 0, 1, 0, 1, 0, 0, 0]);
    scalars(&mut expected, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0, 0.0]);
    expected.extend([0; 4]);
    assert_eq!(expected.len(), 268);
    seal(&mut expected);
    let mut outcome = b"STFR\x06\x02\x04\x00".to_vec();
    outcome.extend(32u32.to_le_bytes());
    outcome.extend(1u32.to_le_bytes());
    outcome.extend(0u32.to_le_bytes());
    outcome.extend(digest(&bodies).to_le_bytes());
    outcome.extend([0; 4]);
    seal(&mut outcome);
    expected.extend(outcome);
    assert_eq!(dump_of(&recorder), expected);
}

#[test]
fn a_dump_stream_writes_the_same_bytes_as_a_recorder() {
    let mut recorder = FlightRecorder::<65_536>::new();
    let (mut bytes, mut pieces, mut solves) = (Vec::new(), 0, 0);
    let (mut boxes, mut others) = (sliding::<f64>(), sliding::<f64>());
    for _ in 0..20 {
        others.step_with(Hooks::with_observer(&mut recorder)).unwrap();
        // A new stream for each step, which continues where the last one ended.
        let mut write = |piece: &[u8]| {
            assert!(piece.len() <= stiction::record::PIECE);
            pieces += 1;
            bytes.extend_from_slice(piece);
        };
        let mut stream = DumpStream::new(&mut write, solves);
        boxes.step_with(Hooks::with_observer(&mut stream)).unwrap();
        solves = stream.solves();
    }
    assert_eq!(bytes, dump_of(&recorder));
    assert!(solves == 20 && pieces >= 40, "{solves} solves, {pieces} pieces");
}
