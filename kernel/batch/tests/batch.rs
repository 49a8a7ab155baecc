//! Batches answer what single solves answer, to the bit, on any number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nalgebra::Vector3;
use stiction::{
    Delassus, DelassusSolver, DirectMemory, Hooks, InputError, MethodChoice, Report, Settings, SixRows, Solver, Status,
    Surface, ThreeRows,
};
use stiction_batch::answers::{method_word, status_word};
use stiction_batch::layout::{COUNTS, FIGURES};
use stiction_batch::{
    Answers, BatchError, Control, DelassusBatch, Layout, Packed, Problem, Problems, run_all, solve_all,
    solve_all_on_surfaces, solve_all_on_surfaces_with_direct, solve_all_with_direct, solve_delassus,
};
use stiction_lanes::scalar::LaneScalar;
use stiction_scenes::digest::{PINNED_ROBOT, of_robot};
use stiction_scenes::robot::Robot;
use stiction_testkit::effort::cases;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

const DT: f64 = 1.0 / 60.0;

/// Small problems of one kind, from a number on.
struct Small(SmallProblem, usize, u64);

impl<T: LaneScalar + Sync> Problems<T, BODIES, CONTACTS, ThreeRows> for Small {
    fn count(&self) -> usize {
        self.1
    }

    fn load(&self, index: usize, problem: &mut Problem<T, BODIES, CONTACTS>) -> Result<(), InputError<T>> {
        (problem.bodies, problem.contacts) = self.0.island(self.2 + index as u64).columns();
        Ok(())
    }
}

/// Compares every number of an answer with a solver's.
fn check_one<T: LaneScalar>(
    answers: &Answers<T>,
    index: usize,
    problem: &mut Problem<T, BODIES, CONTACTS>,
    settings: &Settings<T>,
) {
    check_with(answers, index, problem, settings, Hooks::default());
}

/// The same with hooks; returns the solver's report.
fn check_with<T: LaneScalar>(
    answers: &Answers<T>,
    index: usize,
    problem: &mut Problem<T, BODIES, CONTACTS>,
    settings: &Settings<T>,
    hooks: Hooks<'_, T>,
) -> Report<T> {
    let mut solver = Solver::<T, BODIES, CONTACTS>::new();
    let report = solver.solve_with(&mut problem.bodies, &problem.contacts, settings, T::lit(DT), hooks).unwrap();
    assert_eq!((answers.status(index), answers.method(index)), (Some(report.status), Some(report.method)));
    let residual = report.residual;
    let figures = [
        residual.natural,
        residual.scale,
        residual.closing_speed,
        residual.cone,
        report.energy_before,
        report.energy_after,
        report.bounce_work,
        report.contact_work,
        report.friction_work,
        report.bias_work,
        report.bounce_missing,
    ];
    for (name, figure) in FIGURES.into_iter().zip(figures) {
        assert_eq!(answers.figure(index, name).map(bits), Some(bits(figure)), "{index}: {name}");
    }
    let flags = u32::from(report.passivity_guard) | u32::from(report.bounce_dropped) << 1;
    let counts = [report.sweeps, report.bounce_sweeps, report.safe_blocks, flags];
    for (name, count) in COUNTS.into_iter().skip(2).zip(counts) {
        assert_eq!(answers.count_of(index, name), Some(count), "{index}: {name}");
    }
    for contact in 0..CONTACTS {
        let [found, wanted] = [answers.contact(index, contact), solver.contact(contact)].map(|outcome| {
            outcome.map(|it| {
                let tangent = it.tangent_impulse.map(bits);
                (bits(it.bounce_impulse), bits(it.normal_impulse), tangent, it.state)
            })
        });
        assert_eq!(found, wanted, "{index}: contact {contact}");
    }
    for body in 0..BODIES {
        let velocities = (answers.linear_velocity(index, body), answers.angular_velocity(index, body));
        let wanted = (problem.bodies.linear_velocities()[body], problem.bodies.angular_velocities()[body]);
        let found = (velocities.0.map(|it| it.map(bits)), velocities.1.map(|it| it.map(bits)));
        assert_eq!(found, (Some(wanted.0.map(bits)), Some(wanted.1.map(bits))), "{index}: body {body}");
    }
    report
}

/// Also zeros of different signs differ.
fn bits<T: LaneScalar>(number: T) -> u64 {
    number.to_f64().to_bits()
}

#[test]
fn a_batch_with_direct_methods_has_the_bits_of_single_solves_with_them() {
    const BLOCKS: usize = CONTACTS * (CONTACTS + 1) / 2;
    let mut memory = DirectMemory::<f64, CONTACTS, BLOCKS>::new();
    let mut direct = 0;
    for method in [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct] {
        for sweeps in [10, 50] {
            let settings = Settings { method, sweeps, ..Settings::default() };
            for kind in SMALL_PROBLEMS {
                let problems = Small(kind, cases(300, 20_000), 11);
                let answers =
                    solve_all_with_direct::<f64, BODIES, CONTACTS, BLOCKS>(&problems, &settings, DT, &Control::on(2))
                        .unwrap();
                let mut problem = Problem::empty();
                for index in 0..answers.len() {
                    problems.load(index, &mut problem).unwrap();
                    let hooks = Hooks::with_direct(memory.view());
                    let report = check_with(&answers, index, &mut problem, &settings, hooks);
                    direct += u32::from(report.direct.newton_steps > 0);
                }
            }
        }
    }
    assert!(direct > 100, "{direct}");
}

/// Problems whose answers have places for fewer bodies and contacts than the capacity.
struct Narrow(Small, usize, usize);

impl Problems<f64, BODIES, CONTACTS, ThreeRows> for Narrow {
    fn count(&self) -> usize {
        self.0.1
    }

    fn sizes(&self) -> (usize, usize) {
        (self.1, self.2)
    }

    fn load(&self, index: usize, problem: &mut Problem<f64, BODIES, CONTACTS>) -> Result<(), InputError<f64>> {
        self.0.load(index, problem)
    }
}

#[test]
fn answers_have_the_sizes_that_problems_name() {
    let (settings, control) = (Settings::default(), Control::on(2));
    let narrow = |bodies, contacts| {
        let problems = Narrow(Small(SmallProblem::Linked, 300, 0), bodies, contacts);
        solve_all::<f64, BODIES, CONTACTS>(&problems, &settings, DT, &control).unwrap()
    };
    let enough = narrow(BODIES, CONTACTS);
    assert_eq!((enough.layout(), enough.solved()), (Layout::rows(BODIES, CONTACTS), 300));
    let too_few = narrow(BODIES - 1, CONTACTS);
    assert_eq!((too_few.layout(), too_few.solved()), (Layout::rows(BODIES - 1, CONTACTS), 0));
    let reason = |answers: &Answers<f64>| answers.error(299).unwrap().to_string();
    assert_eq!(reason(&too_few), format!("bodies[{0}]: full, the capacity is {0}", BODIES - 1));
    assert_eq!(reason(&narrow(BODIES, 7)), "contacts[7]: full, the capacity is 7");
    // More than the capacity is not given.
    assert_eq!(narrow(100, 100), enough);
}

#[test]
fn answers_without_memory_are_an_error() {
    let problems = Narrow(Small(SmallProblem::Linked, usize::MAX / 1024, 0), BODIES, CONTACTS);
    let error = solve_all::<f64, BODIES, CONTACTS>(&problems, &Settings::default(), DT, &Control::on(1)).unwrap_err();
    assert!(matches!(error, BatchError::Memory { .. }), "{error}");
}

fn bits_of<T: LaneScalar + Send + Sync>(count: usize) {
    let fixed = Settings { sweeps: 10, tolerance: T::ZERO, ..Settings::default() };
    for kind in SMALL_PROBLEMS {
        for settings in [fixed, Settings::default()] {
            let problems = Small(kind, count, 7);
            let solve = |threads| {
                solve_all::<T, BODIES, CONTACTS>(&problems, &settings, T::lit(DT), &Control::on(threads)).unwrap()
            };
            let answers = solve(1);
            assert_eq!(answers.solved(), count);
            for threads in [2, 7] {
                assert_eq!(solve(threads), answers, "{threads} threads");
            }
            let mut problem = Problem::empty();
            for index in 0..count {
                problems.load(index, &mut problem).unwrap();
                check_one(&answers, index, &mut problem, &settings);
            }
        }
    }
}

#[test]
fn a_batch_has_the_bits_of_single_solves_on_1_2_and_7_threads() {
    // Six times as many in all, in each precision.
    let count = cases(2_000, 170_000);
    bits_of::<f32>(count);
    bits_of::<f64>(count);
    println!("{} problems a precision", 6 * count);
}

#[test]
fn every_robot_of_a_batch_has_the_digest_of_one() {
    let alone = of_robot(&mut Robot::<f32>::new().unwrap()).unwrap().0;
    let mut robots: Vec<Robot<f32>> = (0..20).map(|_| Robot::new().unwrap()).collect();
    let digests = run_all(&mut robots, &Control::on(2), |_, robot| of_robot(robot).unwrap().0).unwrap();
    assert_eq!((alone, digests), (PINNED_ROBOT, vec![Some(PINNED_ROBOT); 20]));
}

#[test]
fn answers_do_not_depend_on_the_layout_or_on_who_loads_problems() {
    let count = 300;
    let packed = [Layout::rows(BODIES, CONTACTS), Layout::blocks(BODIES, CONTACTS)].map(|layout| {
        let mut packed = Packed::<f32>::new(layout, count);
        for index in 0..count {
            let (bodies, contacts) = SmallProblem::Mixed.island(index as u64).rounded();
            packed.set(index, &bodies, &contacts).unwrap();
        }
        packed
    });
    let (settings, control) = (Settings::default(), Control::default());
    let [rows, blocks] = packed
        .each_ref()
        .map(|packed| solve_all::<f32, BODIES, CONTACTS>(packed, &settings, DT as f32, &control).unwrap());
    assert_eq!(rows, blocks);
    let problems = Small(SmallProblem::Mixed, count, 0);
    assert_eq!(solve_all::<f32, BODIES, CONTACTS>(&problems, &settings, DT as f32, &control).unwrap(), rows);
}

#[test]
fn a_rejected_problem_is_an_error_in_its_own_slot() {
    let mut packed = Packed::<f64>::new(Layout::rows(BODIES, CONTACTS), 1000);
    let wrong = [3, 256, 500, 999];
    for index in 0..1000 {
        let (mut bodies, mut contacts) = SmallProblem::Linked.island(index as u64).rounded();
        match wrong.iter().position(|wrong| *wrong == index) {
            Some(0) => bodies[2].inverse_mass = -1.0,
            Some(1) => contacts[3].mu = f64::NAN,
            Some(2) => contacts[7].b = 12,
            Some(_) => contacts[0].b = 0,
            None => {}
        }
        packed.set(index, &bodies, &contacts).unwrap();
    }
    let settings = Settings::default();
    let answers = solve_all::<f64, BODIES, CONTACTS>(&packed, &settings, DT, &Control::on(3)).unwrap();
    let words: Vec<String> = answers.errors().iter().map(|(index, error)| format!("{index}: {error}")).collect();
    assert_eq!(
        words,
        [
            "3: bodies[2].inverse_mass: -1 is below 0",
            "256: contacts[3].mu: must be a finite number",
            "500: contacts[7].b: body 12 does not exist, there are 5",
            "999: contacts[0].b: is the same body as a",
        ]
    );
    assert_eq!(answers.solved(), 996);
    let expected =
        solve_all::<f64, BODIES, CONTACTS>(&Small(SmallProblem::Linked, 1000, 0), &settings, DT, &Control::on(1))
            .unwrap();
    for index in 0..1000 {
        if wrong.contains(&index) {
            assert_eq!((answers.status(index), answers.contact(index, 0)), (None, None));
            assert!(answers.error(index).is_some() && answers.linear_velocity(index, 1).is_none());
        } else {
            assert_eq!(answers.contact(index, 5), expected.contact(index, 5));
            assert_eq!(answers.figure(index, "energy_after"), expected.figure(index, "energy_after"));
        }
    }
}

#[test]
fn contacts_with_moments_have_the_bits_of_single_solves() {
    const PLACES: usize = 2 * CONTACTS;
    let mut packed = Packed::<f64>::new(Layout::blocks(BODIES, CONTACTS).with_surfaces(), 500);
    let surface = |contact: usize| match contact % 4 {
        0 => Surface { torsion: 0.02, ..Surface::default() },
        1 => Surface { torsion: 0.01, rolling: 0.003, is_joined: true, ..Surface::default() },
        2 => Surface { tread: Some(stiction::Tread { direction: Vector3::x(), mu_across: 0.9 }), ..Surface::default() },
        _ => Surface::default(),
    };
    let surfaces: Vec<Surface<f64>> = (0..CONTACTS).map(surface).collect();
    for index in 0..500 {
        let (bodies, contacts) = SmallProblem::Linked.island(index as u64).rounded();
        packed.set_on_surfaces(index, &bodies, &contacts, &surfaces).unwrap();
    }
    let settings = Settings::default();
    let answers = solve_all_on_surfaces::<f64, BODIES, PLACES>(&packed, &settings, DT, &Control::on(2)).unwrap();
    let mut solver = Solver::<f64, BODIES, PLACES, SixRows>::empty();
    let mut turned = 0;
    for index in 0..500 {
        let mut problem = Problem::<f64, BODIES, PLACES, SixRows>::empty();
        Problems::<f64, BODIES, PLACES, SixRows>::load(&packed, index, &mut problem).unwrap();
        let report = solver.solve(&mut problem.bodies, &problem.contacts, &settings, DT).unwrap();
        assert_eq!(answers.figure(index, "energy_after"), Some(report.energy_after));
        for contact in 0..CONTACTS {
            assert_eq!(answers.contact(index, contact), solver.contact(contact));
            assert_eq!(answers.moment(index, contact), solver.moment(contact));
            turned += usize::from(solver.moment(contact).is_some_and(|moment| moment.norm() > 0.0));
        }
    }
    assert!(turned > 1000, "{turned}");

    let answers =
        solve_all_on_surfaces_with_direct::<f64, BODIES, PLACES, 136>(&packed, &settings, DT, &Control::on(2)).unwrap();
    let (mut memory, mut direct) = (DirectMemory::<f64, PLACES, 136>::new(), 0);
    for index in 0..500 {
        let mut problem = Problem::<f64, BODIES, PLACES, SixRows>::empty();
        Problems::<f64, BODIES, PLACES, SixRows>::load(&packed, index, &mut problem).unwrap();
        let hooks = Hooks::with_direct(memory.view());
        let report = solver.solve_with(&mut problem.bodies, &problem.contacts, &settings, DT, hooks).unwrap();
        assert_eq!((answers.status(index), answers.method(index)), (Some(report.status), Some(report.method)));
        for contact in 0..CONTACTS {
            assert_eq!(answers.contact(index, contact), solver.contact(contact));
            assert_eq!(answers.moment(index, contact), solver.moment(contact));
        }
        direct += u32::from(report.direct.newton_steps > 0);
    }
    assert!(direct > 10, "{direct}");
}

#[test]
fn delassus_problems_have_the_bits_of_single_solves() {
    let count = cases(500, 20_000);
    let (mut w, mut q, mut mu) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..count {
        let problem = SmallProblem::Linked.island(number as u64).delassus(&[]);
        w.extend(problem.w.transpose().iter().copied());
        q.extend(problem.q.iter().copied());
        mu.extend(problem.mu.iter().copied());
    }
    let batch = DelassusBatch::new(CONTACTS, &w, &q, &mu).unwrap();
    let settings = Settings { method: MethodChoice::Sweeps, ..Settings::default() };
    let solve = |threads| solve_delassus::<f64, CONTACTS, 0>(&batch, &settings, &Control::on(threads)).unwrap();
    let answers = solve(1);
    assert_eq!((solve(2), solve(7)), (answers.clone(), answers.clone()));
    let mut solver = DelassusSolver::<f64, CONTACTS>::new();
    let mut converged = 0;
    for number in 0..count {
        let w = &w[number * 9 * CONTACTS * CONTACTS..][..9 * CONTACTS * CONTACTS];
        let q: Vec<Vector3<f64>> =
            q[number * 3 * CONTACTS..][..3 * CONTACTS].chunks(3).map(Vector3::from_column_slice).collect();
        let problem = Delassus::dense(w, &q, &mu[number * CONTACTS..][..CONTACTS]).unwrap();
        let report = solver.solve_with(&problem, &settings, &[], Hooks::default()).unwrap();
        let words = ["status", "method", "sweeps", "safe_blocks"].map(|name| answers.count_of(number, name));
        let wanted = [status_word(Some(report.status)), method_word(report.method), report.sweeps, report.safe_blocks];
        assert_eq!(words, wanted.map(Some));
        let residual = &report.residual;
        for (name, wanted) in [
            ("residual", residual.natural),
            ("residual_scale", residual.scale),
            ("closing_speed", residual.closing_speed),
            ("cone", residual.cone),
            ("natural_rel_q", report.natural_rel_q),
            ("unit_rel_q", report.unit_rel_q),
            ("work", report.work),
        ] {
            assert_eq!(answers.figure(number, name).map(f64::to_bits), Some(wanted.to_bits()), "{name}");
        }
        for contact in 0..CONTACTS {
            let x = Vector3::from_column_slice(&answers.impulses[3 * (number * CONTACTS + contact)..][..3]);
            assert_eq!(Some(x), solver.impulse(contact));
        }
        converged += u32::from(report.status == Status::Converged);
    }
    println!("{converged} of {count} converged");
}

#[test]
fn progress_is_told_and_a_cancelled_batch_ends() {
    let problems = Small(SmallProblem::Feet, 20_000, 0);
    let (cancel, most) = (AtomicBool::new(false), AtomicUsize::new(0));
    let progress = |done: usize| {
        most.fetch_max(done, Ordering::Relaxed);
        if done >= 2_000 {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let settings = Settings::default();
    let control = Control { progress: Some(&progress), cancel: Some(&cancel), ..Control::on(2) };
    let answers = solve_all::<f32, BODIES, CONTACTS>(&problems, &settings, DT as f32, &control).unwrap();
    assert!((2_000..3_000).contains(&answers.solved()), "{}", answers.solved());
    let begun: Vec<usize> = (0..20_000).filter(|index| answers.status(*index).is_some()).collect();
    assert!(answers.errors().is_empty() && begun.len() == most.load(Ordering::Relaxed));
}

#[test]
fn what_does_not_fit_is_rejected_before_anything_is_solved() {
    let problems = Small(SmallProblem::Feet, 3, 0);
    let settings = Settings { tolerance: -1.0, ..Settings::<f64>::default() };
    let error = solve_all::<f64, BODIES, CONTACTS>(&problems, &settings, DT, &Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "settings.tolerance: -1 is below 0");
    let settings = Settings::<f64>::default();
    let error = solve_all::<f64, BODIES, CONTACTS>(&problems, &settings, f64::NAN, &Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "dt: must be a finite number");
    let mut packed = Packed::<f64>::new(Layout::rows(2, 1), 4);
    let (bodies, contacts) = SmallProblem::Feet.island(0).rounded::<f64>();
    let before = packed.clone();
    for (index, bodies, contacts, what) in [
        (4, &bodies[..2], &contacts[..1], "problem"),
        (0, &bodies[..3], &contacts[..1], "bodies"),
        (0, &bodies[..2], &contacts[..2], "contacts"),
    ] {
        let error = packed.set(index, bodies, contacts).unwrap_err();
        assert!(matches!(error, BatchError::Capacity { what: found, .. } if found == what), "{error}");
    }
    assert_eq!(packed, before);
    let error = DelassusBatch::new(2, &[0.0; 36], &[0.0; 5], &[0.5; 2]).unwrap_err();
    assert_eq!(error.to_string(), "q: length 5, must be 6");
}
