//! Records of solves whose contacts have friction beyond sliding, and solving them again.

use nalgebra::{Matrix3, Vector3};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stiction::record::{
    DumpError, DumpStream, InputBlock, LoadError, OutcomeBlock, RecordedBlock, RecordedSettings, SurfaceRecord, blocks,
    digest, digest_of_answer,
};
use stiction::{
    Bodies, Body, Contact, ContactRows, Contacts, DirectMemory, FlightRecorder, Hooks, IslandMode, MethodChoice,
    Observer, Real, Settings, SixRows, Solver, Surface, SweepOrder, ThreeRows, Tread, WarmStart,
};
use stiction_testkit::effort;
use stiction_testkit::island::DT;
use stiction_testkit::rng::Rng;
use stiction_testkit::strategies::Shape;

use crate::properties_moments::{Rounded, rough};
use crate::record::{block_ends, check_damage, dump_of, seal, small_dump, solve_dump};

const NB: usize = 8;
/// Every contact may take two places.
const NC: usize = 32;

type Recorder = FlightRecorder<{ 1 << 16 }, SixRows>;

/// A problem with its solver.
struct Problem<T: Real, R: ContactRows> {
    bodies: Bodies<T, NB>,
    contacts: Contacts<T, NC, R>,
    solver: Box<Solver<T, NB, NC, R>>,
}

impl<T: Real, R: ContactRows> Problem<T, R> {
    fn empty() -> Self {
        Problem { bodies: Bodies::new(), contacts: Contacts::empty(), solver: Box::new(Solver::empty()) }
    }

    fn with_bodies(bodies: &[Body<T>]) -> Self {
        let mut problem = Self::empty();
        bodies.iter().for_each(|body| assert!(problem.bodies.push(*body).is_ok()));
        problem
    }

    /// Every number of the answer, as words.
    fn answer(&self) -> Vec<[u32; 2]> {
        let mut numbers = Vec::new();
        for (linear, angular) in self.bodies.linear_velocities().iter().zip(self.bodies.angular_velocities()) {
            numbers.extend(linear.iter().chain(angular));
        }
        for index in 0..self.contacts.len() {
            let contact = self.solver.contact(index).unwrap();
            numbers.extend([contact.normal_impulse, contact.bounce_impulse]);
            numbers.extend(&contact.tangent_impulse);
            numbers.extend(&self.solver.moment(index).unwrap());
            let reached = self.solver.reached(index).unwrap();
            numbers.extend(reached.map(|is| if is { T::ONE } else { T::ZERO }));
        }
        numbers.iter().map(|number| number.to_words()).collect()
    }

    fn solve_again(&mut self, input: &InputBlock<'_>, stopped_at: Option<u32>) -> Result<u64, LoadError<T>> {
        let mut memory = Box::new(DirectMemory::<T, NC, 600>::new());
        let direct = Some(memory.view());
        input.solve(stopped_at, &mut self.bodies, &mut self.contacts, &mut self.solver, direct, None)
    }
}

impl<T: Real> Problem<T, SixRows> {
    fn new((bodies, contacts): &Rounded<T>) -> Self {
        let mut problem = Self::with_bodies(bodies);
        contacts.iter().for_each(|(contact, surface)| {
            problem.contacts.push_on(*contact, *surface).unwrap();
        });
        problem
    }
}

/// How a problem is solved.
#[derive(Debug, Clone, Copy)]
struct Way<T> {
    settings: Settings<T>,
    islands: IslandMode,
    has_direct: bool,
    stop_after: Option<u32>,
}

impl<T: Real> Way<T> {
    fn any(rng: &mut Rng) -> Self {
        let methods = [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct];
        let orders = [SweepOrder::Alternating, SweepOrder::Forward, SweepOrder::Colours];
        let settings = Settings {
            method: methods[rng.below(4)],
            order: orders[rng.below(3)],
            sweeps: 1 + rng.below(60) as u32,
            ..Settings::default()
        };
        Way {
            settings,
            islands: if rng.below(2) == 0 { IslandMode::Together } else { IslandMode::Separate },
            has_direct: rng.below(2) == 0,
            stop_after: (rng.below(3) == 0).then(|| rng.below(20) as u32),
        }
    }

    fn solve<R: ContactRows>(&self, problem: &mut Problem<T, R>, observer: &mut dyn Observer<T>) {
        let mut memory = Box::new(DirectMemory::<T, NC, 500>::new());
        let mut asked = 0;
        let mut should_stop = || {
            asked += 1;
            self.stop_after.is_some_and(|after| asked > after)
        };
        let hooks = Hooks {
            should_stop: Some(&mut should_stop),
            direct: self.has_direct.then(|| memory.view()),
            observer: Some(observer),
            lanes: None,
        };
        let Problem { bodies, contacts, solver } = problem;
        let solved = match self.islands {
            IslandMode::Together => solver.solve_with(bodies, contacts, &self.settings, T::lit(DT), hooks),
            IslandMode::Separate => solver.solve_islands(bodies, contacts, &self.settings, T::lit(DT), hooks),
        };
        solved.expect("a valid problem");
    }
}

/// Random problems: contacts of 3, 4, 5 and 6 rows, with treads and shared bounds, every second one cold.
fn random_problems<T: Real>(count: usize) -> impl Iterator<Item = Rounded<T>> {
    let shape = |warm| Shape { bodies: 7, contacts: 16, mass_ratio: 100.0, mu: 1.5, warm, ..Shape::default() };
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (cold, warm) = (rough(shape(0.0)), rough(shape(10.0)));
    (0..count).map(move |case| {
        let tree = if case % 2 == 0 { cold.new_tree(&mut runner) } else { warm.new_tree(&mut runner) };
        tree.unwrap().current().rounded::<T>()
    })
}

/// The input and the outcome of a dump that has one of each.
fn only_solve(dump: &[u8]) -> (InputBlock<'_>, OutcomeBlock) {
    let read: Vec<RecordedBlock<'_>> = blocks(dump).map(Result::unwrap).collect();
    let [RecordedBlock::Input(input), RecordedBlock::Outcome(outcome)] = read[..] else { panic!("{read:?}") };
    assert_eq!(input.number, outcome.number);
    (input, outcome)
}

fn replays_to_the_bit<T: Real>() {
    let mut rng = Rng::new(41);
    let (mut with_surfaces, mut with_moments, mut stopped) = (0, 0, 0);
    let count = effort::cases(400, 10_000);
    for case in random_problems::<T>(count) {
        let way = Way::<T>::any(&mut rng);
        let mut problem = Problem::new(&case);
        let (loaded, mut recorder) = (problem.contacts.clone(), Recorder::empty());
        way.solve(&mut problem, &mut recorder);
        assert_eq!(recorder.dropped(), 0);
        let dump = dump_of(&recorder);
        let (input, outcome) = only_solve(&dump);
        let rough = case.1.iter().filter(|(_, surface)| *surface != Surface::default()).count();
        assert_eq!((usize::from(input.surfaces), dump[4]), (rough, if rough > 0 { 7 } else { 6 }));
        assert_eq!(outcome.digest, digest_of_answer(&problem.bodies, &problem.contacts, &problem.solver));
        let mut again = Problem::<T, SixRows>::empty();
        assert_eq!(again.solve_again(&input, outcome.stopped_at), Ok(outcome.digest));
        assert_eq!(again.contacts, loaded);
        assert_eq!(again.answer(), problem.answer());
        with_surfaces += usize::from(rough > 0);
        with_moments += usize::from(outcome.digest != digest(&problem.bodies));
        stopped += usize::from(outcome.stopped_at.is_some());
    }
    println!("{count} problems: {with_surfaces} with surfaces, {with_moments} with moments, {stopped} stopped");
    assert!(with_surfaces > count / 2 && with_moments == with_surfaces && stopped > count / 10);
}

#[test]
fn recorded_solves_with_moments_replay_to_the_bit_in_double_precision() {
    replays_to_the_bit::<f64>();
}

#[test]
fn recorded_solves_with_moments_replay_to_the_bit_in_single_precision() {
    replays_to_the_bit::<f32>();
}

/// A skate, a plain contact, a soft foot with a warm moment, and a disc that rolls.
fn robot() -> Problem<f32, SixRows> {
    let moving = Body {
        linear_velocity: Vector3::new(1.0, 0.5, -0.5),
        angular_velocity: Vector3::new(0.2, -0.1, 3.0),
        ..Body::from_inverse(0.5, Matrix3::identity() * 4.0)
    };
    let mut problem = Problem::with_bodies(&[Body::fixed(), moving]);
    let tread = Some(Tread { direction: Vector3::new(2.0, 0.0, 0.0), mu_across: 0.75 });
    let plain = Surface::default();
    let surfaces = [
        Surface { tread, ..plain },
        plain,
        Surface { torsion: 0.25, warm_moment: Vector3::new(0.0, 0.0, 0.125), ..plain },
        Surface { torsion: 0.5, rolling: 0.0625, is_joined: true, ..plain },
    ];
    for (x, surface) in [-0.5_f32, -0.25, 0.25, 0.5].into_iter().zip(surfaces) {
        let at = Vector3::new(x, 0.0, 0.0);
        problem.contacts.push_on(Contact::new(0, 1, Vector3::z(), at, at, 0.5), surface).unwrap();
    }
    problem
}

fn solved_by<R: ContactRows>(problem: &mut Problem<f32, R>, observer: &mut dyn Observer<f32>) {
    let settings = Settings { sweeps: 50, ..Settings::default() };
    Way { settings, islands: IslandMode::Together, has_direct: false, stop_after: None }.solve(problem, observer);
}

fn robot_dump() -> Vec<u8> {
    let mut recorder = Recorder::empty();
    solved_by(&mut robot(), &mut recorder);
    dump_of(&recorder)
}

/// The bytes of an input and its outcome, written out by hand after the format's description.
#[test]
fn dump_bytes_of_surfaces_match_the_documented_format() {
    let (mut problem, mut recorder) = (robot(), Recorder::empty());
    let mut plain = Problem::<f32, ThreeRows>::with_bodies(&[0, 1].map(|i| problem.bodies.get(i).unwrap()));
    (0..4).for_each(|index| assert!(plain.contacts.push(problem.contacts.get(index).unwrap()).is_ok()));
    let mut of_plain = FlightRecorder::<4096>::new();
    solved_by(&mut plain, &mut of_plain);
    solved_by(&mut problem, &mut recorder);
    let of_plain = dump_of(&of_plain);
    let ends = block_ends(&of_plain);

    // As without surfaces, but for the version, the length, their number, and themselves.
    let mut expected = of_plain[..20].to_vec();
    expected[4] = 7;
    let length = (ends[1] + 4 + 3 * (4 + 9 * 4)) as u32;
    expected[8..12].copy_from_slice(&length.to_le_bytes());
    expected.extend(3u32.to_le_bytes());
    expected.extend(&of_plain[20..ends[1] - 4]);
    let mut surface = |contact: u16, parts: u16, scalars: [f32; 9]| {
        expected.extend(contact.to_le_bytes());
        expected.extend(parts.to_le_bytes());
        scalars.iter().for_each(|x| expected.extend(x.to_le_bytes()));
    };
    surface(0, 1, [0.0, 0.0, 2.0, 0.0, 0.0, 0.75, 0.0, 0.0, 0.0]);
    surface(2, 0, [0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.125]);
    surface(3, 2, [0.5, 0.0625, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    expected.extend([0; 4]);
    seal(&mut expected);
    let mut outcome = b"STFR\x07\x02\x04\x00".to_vec();
    [32u32, 1, 0].iter().for_each(|word| outcome.extend(word.to_le_bytes()));
    let mut words: Vec<u32> = Vec::new();
    for index in 0..2 {
        let body = problem.bodies.get(index).unwrap();
        words.extend(body.linear_velocity.iter().chain(&body.angular_velocity).map(|x| x.to_bits()));
    }
    for index in [0, 2, 3] {
        words.extend(problem.solver.moment(index).unwrap().iter().map(|x| x.to_bits()));
        let [slides, spins, rolls] = problem.solver.reached(index).unwrap().map(u32::from);
        words.push(slides + 2 * spins + 4 * rolls);
    }
    let hash = |h: u64, word: &u32| (h ^ u64::from(*word)).wrapping_mul(0x100_0000_01b3);
    outcome.extend(words.iter().fold(0xcbf2_9ce4_8422_2325_u64, hash).to_le_bytes());
    outcome.extend([0; 4]);
    seal(&mut outcome);
    expected.extend(outcome);
    assert_eq!(dump_of(&recorder), expected);
}

#[test]
fn truncated_and_bit_flipped_dumps_with_surfaces_give_errors() {
    check_damage(&robot_dump());
}

/// Every single byte of an input, changed and with a right checksum: an error that leaves nothing, or another problem.
#[test]
fn a_changed_byte_with_a_right_checksum_gives_an_error_or_another_valid_problem() {
    let dump = robot_dump();
    let input_end = block_ends(&dump)[1];
    let (genuine, _) = only_solve(&dump);
    let mut expected = Problem::<f32, SixRows>::empty();
    let settings = genuine.load(&mut expected.bodies, &mut expected.contacts).unwrap();
    let (mut rejected, mut different) = (0, 0);
    for at in 0..input_end - 4 {
        for change in [1_u8, 0x10, 0x80, 0xff] {
            let mut forged = dump[..input_end].to_vec();
            forged[at] ^= change;
            seal(&mut forged);
            let Some(Ok(RecordedBlock::Input(input))) = blocks(&forged).next() else {
                rejected += 1;
                continue;
            };
            let mut problem = robot();
            match input.load(&mut problem.bodies, &mut problem.contacts) {
                Ok(loaded) => {
                    let same = problem.bodies == expected.bodies && problem.contacts == expected.contacts;
                    different += usize::from(!same || loaded != settings || input.number != genuine.number);
                }
                Err(_) => {
                    assert!(problem.bodies.is_empty() && problem.contacts.is_empty(), "byte {at}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{rejected} rejected, {different} other problems of {}", 4 * (input_end - 4));
    assert!(rejected > 300 && different > 1_500);
}

#[test]
fn forged_dumps_with_surfaces_are_rejected_or_solved_and_never_panic() {
    let dump = robot_dump();
    let mut rng = Rng::new(17);
    let (mut solved, mut rejected) = (0, 0);
    for _ in 0..effort::cases(3_000, 100_000) {
        let mut forged = dump.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(forged.len());
            forged[at] = rng.below(256) as u8;
        }
        seal(&mut forged);
        for block in blocks(&forged) {
            let Ok(RecordedBlock::Input(input)) = block else { continue };
            let mut problem = Problem::<f32, SixRows>::empty();
            let Problem { bodies, contacts, solver } = &mut problem;
            let loaded = input.load(bodies, contacts).and_then(|RecordedSettings { settings, dt }| {
                // A forged limit on sweeps would be obeyed, however long that takes.
                let sweeps = settings.sweeps.min(50);
                let settings = Settings { sweeps, min_sweeps: 0, normal_sweeps: 50, factorisations: 8, ..settings };
                Ok(solver.solve(bodies, contacts, &settings, dt)?)
            });
            if loaded.is_ok() {
                let moments = (0..contacts.len()).filter_map(|index| solver.moment(index));
                let vectors = bodies.linear_velocities().iter().chain(bodies.angular_velocities()).copied();
                assert!(vectors.chain(moments).all(|v| v.iter().all(|x| x.is_finite())));
                solved += 1;
            } else {
                rejected += 1;
            }
        }
    }
    println!("{solved} forged inputs solved, {rejected} rejected");
    assert!(solved > 200 && rejected > 200);
}

#[test]
fn surfaces_out_of_order_twice_missing_or_of_no_contact_are_rejected() {
    let dump = robot_dump();
    let end = block_ends(&dump)[1];
    let first = end - 4 - 3 * 40;
    let forged = |changes: &[(usize, u8)]| {
        let mut forged = dump[..end].to_vec();
        changes.iter().for_each(|(at, value)| forged[*at] = *value);
        seal(&mut forged);
        let mut problem = robot();
        let read = blocks(&forged).next().unwrap();
        let Ok(RecordedBlock::Input(input)) = read else { return Err(LoadError::Dump(read.unwrap_err())) };
        let loaded = input.load(&mut problem.bodies, &mut problem.contacts).map(|_| ());
        assert_eq!(loaded.is_err(), problem.bodies.is_empty() && problem.contacts.is_empty());
        loaded
    };
    let bad = Err(LoadError::Dump(DumpError::BadValue));
    assert_eq!(forged(&[]), Ok(()));
    // The surfaces are those of contacts 0, 2 and 3.
    assert_eq!(forged(&[(first, 1)]), Ok(()));
    assert_eq!(forged(&[(first, 2)]), bad, "twice");
    assert_eq!(forged(&[(first, 3), (first + 40, 2)]), bad, "out of order");
    assert_eq!(forged(&[(first + 80, 4)]), bad, "of no contact");
    assert_eq!(forged(&[(first + 81, 1)]), bad, "of no contact");
    assert_eq!(forged(&[(first + 2, 5)]), bad, "a part that does not exist");
    assert_eq!(forged(&[(first + 3, 1)]), bad, "a part that does not exist");
    // Their number.
    assert_eq!(forged(&[(20, 0)]), bad, "none, and version 7");
    assert_eq!(forged(&[(20, 2)]), bad, "more than announced");
    assert_eq!(forged(&[(20, 4)]), Err(LoadError::Dump(DumpError::Truncated)), "fewer than announced");
    assert_eq!(forged(&[(22, 1)]), bad, "more than there can be");
    // The version decides whether there are any.
    assert!(forged(&[(4, 6)]).is_err(), "read without surfaces");
    assert_eq!(forged(&[(4, 8)]), bad, "read with joints");
    assert_eq!(forged(&[(4, 10)]), Err(LoadError::Dump(DumpError::UnknownVersion(10))));
    // A torsion that is not a number.
    let rejected = forged(&[(first + 46, 0xc0), (first + 47, 0x7f)]).unwrap_err().to_string();
    assert!(rejected.starts_with("contacts[2].torsion"), "{rejected}");
}

#[test]
fn contacts_of_three_rows_reject_a_record_with_surfaces_and_stay_as_they_were() {
    let dump = robot_dump();
    let (input, outcome) = only_solve(&dump);
    let plain = solve_dump();
    let (other, before) = only_solve(&plain);
    let mut problem = Problem::<f32, ThreeRows>::empty();
    assert_eq!(problem.solve_again(&other, None), Ok(before.digest));
    let (bodies, contacts, answer) = (problem.bodies.clone(), problem.contacts.clone(), problem.answer());
    assert!(contacts.len() == 4);
    let error = problem.solve_again(&input, outcome.stopped_at).unwrap_err();
    assert_eq!(error, LoadError::NeedsSixRows);
    assert_eq!(error.to_string(), "has friction beyond sliding, and contacts here have three rows");
    assert_eq!(input.load(&mut problem.bodies, &mut problem.contacts), Err(LoadError::NeedsSixRows));
    assert_eq!((&problem.bodies, &problem.contacts, problem.answer()), (&bodies, &contacts, answer));
}

#[test]
fn a_version_7_step_is_rejected_until_steps_have_surfaces() {
    let mut step = small_dump();
    step[4] = 7;
    seal(&mut step);
    assert_eq!(blocks(&step).next().unwrap().unwrap_err(), DumpError::BadValue);
}

/// Plain solves of a stream keep their bytes, whoever records and solves them, and all of it replays.
#[test]
fn a_stream_mixes_plain_solves_and_solves_with_surfaces() {
    let cases: Vec<Rounded<f64>> = random_problems(effort::cases(60, 1_000)).collect();
    let mut rng = Rng::new(5);
    let (mut mixed, mut all, mut solves) = (Recorder::empty(), Vec::new(), 0);
    let mut counts = [0; 2];
    for (at, (bodies, contacts)) in cases.iter().enumerate() {
        let is_plain = at % 3 != 0;
        let surfaced: Vec<_> =
            contacts.iter().map(|(c, s)| (*c, if is_plain { Surface::default() } else { *s })).collect();
        let way = Way::<f64>::any(&mut rng);
        mixed.clear();
        way.solve(&mut Problem::new(&(bodies.clone(), surfaced.clone())), &mut mixed);
        let dump = dump_of(&mixed);
        // A stream has the same bytes as a ring.
        let mut streamed = Vec::new();
        let mut write = |piece: &[u8]| streamed.extend_from_slice(piece);
        let mut stream = DumpStream::<SixRows>::with_rows(&mut write, solves);
        way.solve(&mut Problem::new(&(bodies.clone(), surfaced)), &mut stream);
        solves = stream.solves();
        assert_eq!(streamed, dump);
        if is_plain {
            // So has a recorder of three rows, of a solver of three rows.
            let mut problem = Problem::<f64, ThreeRows>::with_bodies(bodies);
            contacts.iter().for_each(|(contact, _)| assert!(problem.contacts.push(*contact).is_ok()));
            let mut plain = Vec::new();
            let mut write = |piece: &[u8]| plain.extend_from_slice(piece);
            way.solve(&mut problem, &mut DumpStream::new(&mut write, solves - 1));
            assert_eq!(plain, dump);
        }
        all.extend(dump);
        counts[usize::from(is_plain)] += 1;
    }
    let mut input = None;
    let (mut six, mut three) = (Problem::<f64, SixRows>::empty(), Problem::<f64, ThreeRows>::empty());
    let mut replayed = [0; 2];
    for block in blocks(&all) {
        match (block.unwrap(), input) {
            (RecordedBlock::Input(next), _) => input = Some(next),
            (RecordedBlock::Outcome(outcome), Some(input)) => {
                assert_eq!(six.solve_again(&input, outcome.stopped_at), Ok(outcome.digest));
                let by_three = three.solve_again(&input, outcome.stopped_at);
                let is_plain = input.surfaces == 0;
                assert_eq!(by_three, if is_plain { Ok(outcome.digest) } else { Err(LoadError::NeedsSixRows) });
                replayed[usize::from(is_plain)] += 1;
            }
            (block, _) => panic!("{block:?}"),
        }
    }
    println!("{} with surfaces, {} without", replayed[0], replayed[1]);
    assert!(replayed[0] > counts[0] / 2 && replayed[0] + replayed[1] == cases.len());
}

#[test]
fn an_input_with_surfaces_is_kept_only_if_it_fits_with_its_outcome_and_the_latest_are_kept() {
    fn kept<const BYTES: usize>() -> (Vec<u32>, u32) {
        let mut recorder = FlightRecorder::<BYTES, SixRows>::empty();
        let (mut problem, mut again) = (robot(), Problem::<f32, SixRows>::empty());
        for _ in 0..3 {
            solved_by(&mut problem, &mut recorder);
        }
        let dump = dump_of(&recorder);
        let (mut input, mut numbers) = (None, Vec::new());
        for block in blocks(&dump) {
            match block.unwrap() {
                RecordedBlock::Input(next) => input = Some(next),
                RecordedBlock::Outcome(outcome) => {
                    let Some(input) = input.filter(|input: &InputBlock<'_>| input.number == outcome.number) else {
                        continue;
                    };
                    assert_eq!(again.solve_again(&input, outcome.stopped_at), Ok(outcome.digest));
                    numbers.push(outcome.number);
                }
                RecordedBlock::Step(_) => panic!("a step"),
            }
        }
        (numbers, recorder.dropped())
    }
    // An input takes 88 bytes, 52 a body, 76 a contact, 4 for the number of surfaces and 40 each; an outcome 32.
    const INPUT: usize = 88 + 2 * 52 + 4 * 76 + 4 + 3 * 40;
    assert_eq!(block_ends(&robot_dump()), [0, INPUT, INPUT + 32]);
    assert_eq!(kept::<INPUT>(), (vec![], 3));
    assert_eq!(kept::<{ INPUT + 31 }>(), (vec![], 3));
    assert_eq!(kept::<{ INPUT + 32 }>(), (vec![3], 0));
    assert_eq!(kept::<{ 2 * (INPUT + 32) }>(), (vec![2, 3], 0));
    assert_eq!(kept::<{ 5 * (INPUT + 32) / 2 }>(), (vec![2, 3], 0));
}

/// Calls that do not describe a solve leave no block, and do not change the next one.
#[test]
fn surfaces_that_differ_from_their_announced_number_leave_no_block() {
    let whole = robot_dump();
    for (announced, passed) in [(None, 1), (Some(2), 1), (Some(1), 2), (Some(1), 0)] {
        let mut recorder = Recorder::empty();
        let observer: &mut dyn Observer<f32> = &mut recorder;
        if let Some(count) = announced {
            observer.surface(&SurfaceRecord::Count(count));
        }
        observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 0, 2);
        (0..2).for_each(|_| observer.input_contact(&Contact::default()));
        let surface = Surface { rolling: 0.5, ..Surface::default() };
        (0..passed).for_each(|contact| observer.surface(&SurfaceRecord::Input { contact, surface: &surface }));
        observer.solving();
        observer.solved(None);
        assert!(dump_of(&recorder).is_empty(), "{announced:?}, {passed}");
        solved_by(&mut robot(), &mut recorder);
        let mut numbered = dump_of(&recorder);
        let second = numbered.split_off(whole.len() - 32);
        numbered[12] = 1;
        seal(&mut numbered);
        assert_eq!((&numbered[..], &second[20..28]), (&whole[..whole.len() - 32], &whole[whole.len() - 12..][..8]));
    }
}

/// The digest of an outcome has every moment and every bound that is reached.
#[test]
fn the_digest_changes_with_a_moment_and_with_a_bound_that_is_reached() {
    let of = |moment: Vector3<f64>, reached: [bool; 3]| {
        let mut recorder = Recorder::empty();
        let observer: &mut dyn Observer<f64> = &mut recorder;
        observer.surface(&SurfaceRecord::Count(1));
        observer.input(&Settings::default(), 1.0 / 60.0, &IslandMode::Together.into(), 0, 1);
        observer.input_contact(&Contact { warm: WarmStart::cold(), ..Contact::default() });
        let surface = Surface { torsion: 0.5, ..Surface::default() };
        observer.surface(&SurfaceRecord::Input { contact: 0, surface: &surface });
        observer.solving();
        observer.surface(&SurfaceRecord::Outcome { contact: 0, moment, reached });
        observer.solved(None);
        only_solve(&dump_of(&recorder)).1.digest
    };
    let mut digests = Vec::new();
    for moment in [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z(), Vector3::z().map(|z: f64| z.next_up())] {
        for bits in 0..8 {
            digests.push(of(moment, [1, 2, 4].map(|bit| bits & bit != 0)));
        }
    }
    let count = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

#[test]
fn an_order_by_colours_is_the_same_with_three_rows_as_with_six() {
    const MANY: usize = 80;
    fn pile<R: ContactRows>() -> (Bodies<f64, MANY>, Contacts<f64, MANY, R>) {
        let (mut bodies, mut contacts) = (Bodies::new(), Contacts::empty());
        bodies.push(Body::fixed()).unwrap();
        for at in 1..MANY - 8 {
            let linear_velocity = Vector3::new(0.3, 0.1 * at as f64, -1.0);
            bodies.push(Body { linear_velocity, ..Body::from_mass(1.0, Matrix3::identity()) }).unwrap();
            let arm = Vector3::new(0.1, 0.2, 0.5);
            contacts.push(Contact::new(at - 1, at, Vector3::z(), arm, -arm, 0.5)).unwrap();
        }
        (bodies, contacts)
    }
    fn recorded<R: ContactRows>(order: SweepOrder) -> Vec<u8> {
        let (mut bodies, contacts) = pile::<R>();
        let settings = Settings { order, sweeps: 9, ..Settings::default() };
        let mut recorder = FlightRecorder::<{ 1 << 16 }>::new();
        let hooks = Hooks::with_observer(&mut recorder);
        let mut solver = Box::new(Solver::<f64, MANY, MANY, R>::empty());
        solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, hooks).unwrap();
        dump_of(&recorder)
    }
    fn again<R: ContactRows>(dump: &[u8]) -> Result<bool, LoadError<f64>> {
        let (input, outcome) = only_solve(dump);
        let (mut bodies, mut contacts) = (Bodies::<f64, MANY>::new(), Contacts::<f64, MANY, R>::empty());
        let mut solver = Box::new(Solver::<f64, MANY, MANY, R>::empty());
        input.solve(None, &mut bodies, &mut contacts, &mut solver, None, None).map(|digest| digest == outcome.digest)
    }
    let of_three = recorded::<ThreeRows>(SweepOrder::Colours);
    assert_eq!((again::<ThreeRows>(&of_three), again::<SixRows>(&of_three)), (Ok(true), Ok(true)));
    assert_eq!(of_three, recorded::<SixRows>(SweepOrder::Colours));
    assert_ne!(of_three, recorded::<SixRows>(SweepOrder::Forward));
}
