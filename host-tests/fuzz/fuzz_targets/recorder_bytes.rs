//! A flight recorder's bytes. Genuine dumps are solved again to the same digest. Any others, and damaged ones with or
//! without a correct checksum, end in an error or in a solve that obeys every law of admissible input: finite numbers,
//! impulses in their cones, no energy gained. With friction beyond sliding: finite numbers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::Hooks;
use stiction::IslandMode;
use stiction::record::{InputBlock, RecordedBlock, RecordedSettings, StepBlock, blocks};
use stiction::{Bodies, Contacts, FlightRecorder, Real, Settings, SixRows, Solver, StepSettings, World};
use stiction_fuzz::dumps::{damage, seal};
use stiction_fuzz::laws::Solve;
use stiction_fuzz::scene::{self, Rough, Scene, WILD};
use stiction_fuzz::steps::{self, Small};
use stiction_fuzz::{Bytes, Mood, NB, NC};

/// Bytes for two steps at full capacity in single precision.
const RING: usize = 8000;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    match bytes.below(4) {
        0 => read(bytes.0),
        1 => genuine::<f32>(&mut bytes),
        3 if bytes.coin() => genuine_rough::<f32>(&mut bytes),
        3 => genuine_rough::<f64>(&mut bytes),
        _ => genuine::<f64>(&mut bytes),
    }
});

/// Records up to three solves and solves them again; then damages the dump.
fn genuine<T: Real>(bytes: &mut Bytes<'_>) {
    let mut recorder = FlightRecorder::<RING>::new();
    for _ in 0..1 + bytes.below(3) {
        if bytes.coin() {
            record::<T>(bytes, &mut recorder);
        } else {
            record_step::<T>(bytes, &mut recorder);
        }
    }
    let (first, second) = recorder.pieces();
    let mut dump = [first, second].concat();
    let (mut inputs, mut steps): (Option<InputBlock<'_>>, Option<StepBlock<'_>>) = (None, None);
    for block in blocks(&dump) {
        match block.expect("a valid block") {
            RecordedBlock::Input(input) => inputs = Some(input),
            RecordedBlock::Step(step) => steps = Some(step),
            RecordedBlock::Outcome(outcome) => {
                if let Some(step) = steps.filter(|step| step.number == outcome.number) {
                    let (mut world, mut pipeline) = (World::<T, NB>::new(), Small::<T>::new(StepSettings::default()));
                    let again = step.step(outcome.stopped_at, &mut world, &mut pipeline, None, None);
                    assert_eq!(again, Ok(outcome.digest), "stepped again to something else");
                }
                // Blocks leave the ring one by one: an outcome may be present without its input.
                let Some(input) = inputs.filter(|input| input.number == outcome.number) else { continue };
                let (mut bodies, mut contacts) = (Bodies::<T, NB>::new(), Contacts::<T, NC>::new());
                let again = input.solve(outcome.stopped_at, &mut bodies, &mut contacts, &mut Solver::new(), None, None);
                assert_eq!(again, Ok(outcome.digest), "solved again to something else");
            }
        }
    }
    damage(bytes, &mut dump);
    if bytes.coin() {
        seal_all(&mut dump);
    }
    read(&dump);
}

/// The same for solves with friction beyond sliding.
fn genuine_rough<T: Real>(bytes: &mut Bytes<'_>) {
    let mut recorder = FlightRecorder::<RING, SixRows>::empty();
    for _ in 0..1 + bytes.below(3) {
        let mood = bytes.mood();
        let (settings, dt) = scene::settings::<T>(bytes, mood);
        let scene = scene::scene::<T>(bytes, mood, &WILD);
        let contacts = scene::rough(bytes, mood, &WILD, &scene);
        let mut bodies = scene.bodies;
        let hooks = Hooks::with_observer(&mut recorder);
        let _ = RoughSolver::empty().solve_with(&mut bodies, &contacts, &settings, dt, hooks);
    }
    let (first, second) = recorder.pieces();
    let mut dump = [first, second].concat();
    let mut inputs: Option<InputBlock<'_>> = None;
    for block in blocks(&dump) {
        match block.expect("a valid block") {
            RecordedBlock::Input(input) => inputs = Some(input),
            RecordedBlock::Step(_) => unreachable!("no step was taken"),
            RecordedBlock::Outcome(outcome) => {
                let Some(input) = inputs.filter(|input| input.number == outcome.number) else { continue };
                let (mut bodies, mut contacts) = (Bodies::<T, NB>::new(), Rough::<T>::empty());
                let solver = &mut RoughSolver::empty();
                let again = input.solve(outcome.stopped_at, &mut bodies, &mut contacts, solver, None, None);
                assert_eq!(again, Ok(outcome.digest), "solved again to something else");
            }
        }
    }
    damage(bytes, &mut dump);
    if bytes.coin() {
        seal_all(&mut dump);
    }
    read(&dump);
}

type RoughSolver<T> = Solver<T, NB, { 2 * NC }, SixRows>;

fn record<T: Real>(bytes: &mut Bytes<'_>, recorder: &mut FlightRecorder<RING>) {
    let mood = bytes.mood();
    let (settings, dt) = scene::settings::<T>(bytes, mood);
    let Scene { mut bodies, contacts } = scene::scene::<T>(bytes, mood, &WILD);
    let allowed_calls = bytes.byte();
    let mut calls = 0;
    let mut should_stop = || {
        calls += 1;
        calls > u32::from(allowed_calls)
    };
    let islands = bytes.pick(&[IslandMode::Together, IslandMode::Separate]);
    let mut solver = Solver::<T, NB, NC>::new();
    let hooks = Hooks { should_stop: Some(&mut should_stop), direct: None, observer: Some(recorder), lanes: None };
    let _ = match islands {
        IslandMode::Together => solver.solve_with(&mut bodies, &contacts, &settings, dt, hooks),
        IslandMode::Separate => solver.solve_islands(&mut bodies, &contacts, &settings, dt, hooks),
    };
}

fn record_step<T: Real>(bytes: &mut Bytes<'_>, recorder: &mut FlightRecorder<RING>) {
    let mood = bytes.mood();
    let mut pipeline = Small::<T>::new(steps::settings::<T>(bytes, mood));
    let mut world = steps::world::<T>(bytes, mood);
    for _ in 0..1 + bytes.below(3) {
        let manifolds = steps::manifolds(bytes, mood, &world);
        let hooks = Hooks::with_observer(recorder);
        steps::step_with(&mut pipeline, &mut world, &manifolds, T::lit(1.0 / 60.0), hooks);
    }
}

/// Writes a correct checksum into every block whose length field is correct.
fn seal_all(dump: &mut [u8]) {
    let mut rest = dump;
    while rest.len() >= 12 {
        let length = u32::from_le_bytes([rest[8], rest[9], rest[10], rest[11]]) as usize;
        if !(20..=rest.len()).contains(&length) {
            break;
        }
        seal(rest, length);
        rest = &mut rest[length..];
    }
}

fn read(dump: &[u8]) {
    for block in blocks(dump) {
        match block {
            Ok(RecordedBlock::Input(input)) => {
                solve_capped::<f32>(&input);
                solve_capped::<f64>(&input);
                solve_rough_capped::<f32>(&input);
                solve_rough_capped::<f64>(&input);
            }
            Ok(RecordedBlock::Step(step)) => {
                step_capped::<f32>(&step);
                step_capped::<f64>(&step);
            }
            Ok(RecordedBlock::Outcome(_)) | Err(_) => (),
        }
    }
}

/// A step of unknown origin, with a cap on its work.
fn step_capped<T: Real>(step: &StepBlock<'_>) {
    let (mut world, mut pipeline) = (World::<T, NB>::new(), Small::<T>::new(StepSettings::default()));
    if step.step(Some(200), &mut world, &mut pipeline, None, None).is_ok() {
        let velocities = world.bodies().linear_velocities().iter().chain(world.bodies().angular_velocities());
        let numbers = world.positions().iter().chain(velocities).flat_map(|v| v.iter());
        assert!(numbers.into_iter().all(|x| x.is_finite()), "a body that is not finite");
    }
}

/// With contacts that can have friction beyond sliding.
fn solve_rough_capped<T: Real>(input: &InputBlock<'_>) {
    let (mut bodies, mut contacts) = (Bodies::<T, NB>::new(), Rough::<T>::empty());
    let Ok(RecordedSettings { settings, dt }) = input.load(&mut bodies, &mut contacts) else {
        assert!(bodies.is_empty() && contacts.is_empty(), "a rejected input left data");
        return;
    };
    let (before, mut solver) = (bodies.clone(), RoughSolver::<T>::empty());
    if solver.solve(&mut bodies, &contacts, &capped(settings), dt).is_err() {
        assert_eq!(bodies, before, "a rejected solve changed the bodies");
        return;
    }
    let moments = (0..contacts.len()).map(|index| solver.moment(index).expect("solved"));
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities()).copied();
    assert!(velocities.chain(moments).all(|v| v.iter().all(|x| x.is_finite())), "a number that is not finite");
}

/// Settings that do not take long.
fn capped<T: Real>(settings: Settings<T>) -> Settings<T> {
    let sweeps = settings.sweeps.min(50);
    Settings { sweeps, min_sweeps: 0, normal_sweeps: 50, factorisations: 8, ..settings }
}

/// As the documentation of `replay` requires for bytes of unknown origin: loaded, and solved with the caller's own
/// caps.
fn solve_capped<T: Real>(input: &InputBlock<'_>) {
    let (mut bodies, mut contacts) = (Bodies::<T, NB>::new(), Contacts::<T, NC>::new());
    let Ok(RecordedSettings { settings, dt }) = input.load(&mut bodies, &mut contacts) else {
        assert!(bodies.is_empty() && contacts.is_empty(), "a rejected input left data");
        return;
    };
    let settings = capped(settings);
    let (before, mut solver) = (bodies.clone(), Solver::<T, NB, NC>::new());
    match solver.solve(&mut bodies, &contacts, &settings, dt) {
        Ok(report) => Solve {
            mood: Mood::Limits,
            before: &before,
            after: &bodies,
            contacts: &contacts,
            settings: &settings,
            dt,
            solver: &solver,
            report: &report,
        }
        .check(),
        Err(_) => assert_eq!(bodies, before, "a rejected solve changed the bodies"),
    }
}
