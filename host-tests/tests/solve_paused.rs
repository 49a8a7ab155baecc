//! A solve that pauses between sweeps has the bits of one that does not, wherever it pauses.
use stiction::solve::paused::PausedSolve;
use stiction::{Bodies, Contacts, MethodChoice, PositionCorrection, Real, Report, Settings, Solver, Status};
use stiction_testkit::effort::cases;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

type Problem<T> = (Bodies<T, BODIES>, Contacts<T, CONTACTS>);
/// Velocities and impulses, bit by bit.
type Answer<T> = (Report<T>, Vec<u64>);

const DT: f64 = 1.0 / 60.0;

fn problem<T: Real>(kind: SmallProblem, number: u64) -> Problem<T> {
    let (bodies, contacts) = kind.island(number).rounded();
    let (mut all, mut touching) = (Bodies::new(), Contacts::new());
    bodies.into_iter().for_each(|body| assert!(all.push(body).is_ok()));
    contacts.into_iter().for_each(|contact| assert!(touching.push(contact).is_ok()));
    (all, touching)
}

fn answer<T: Real>(report: Report<T>, bodies: &Bodies<T, BODIES>, solver: &Solver<T, BODIES, CONTACTS>) -> Answer<T> {
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
    let outcomes = (0..CONTACTS).filter_map(|contact| solver.contact(contact));
    let impulses = outcomes.flat_map(|it| {
        let [x, y, z] = it.tangent_impulse.into();
        [it.bounce_impulse, it.normal_impulse, x, y, z]
    });
    let bits = velocities.flat_map(|v| v.iter().copied()).chain(impulses).map(|number| number.to_f64().to_bits());
    (report, bits.collect())
}

/// Solves with pauses after so many sweeps each; between them the solve moves to another place.
fn with_pauses<T: Real>((bodies, contacts): &Problem<T>, settings: &Settings<T>, each: u32) -> (Answer<T>, u32) {
    let mut bodies = bodies.clone();
    let mut solver = Solver::<T, BODIES, CONTACTS>::new();
    let mut paused = PausedSolve::begin(&mut solver, &mut bodies, contacts, settings, T::lit(DT)).unwrap();
    let (mut sweeps, mut pauses) = (each, 0);
    while !paused.resume(&mut solver, settings, sweeps) {
        solver = *Box::new(solver);
        (sweeps, pauses) = (sweeps + each, pauses + 1);
    }
    let report = paused.end(&mut solver, &mut bodies, contacts, settings);
    (answer(report, &bodies, &solver), pauses)
}

fn compare<T: Real>() {
    let fixed = Settings { sweeps: 7, tolerance: T::ZERO, ..Settings::default() };
    let split = Settings { position_correction: PositionCorrection::SplitImpulse, ..Settings::default() };
    let accelerated = Settings { method: MethodChoice::Accelerated, ..Settings::default() };
    let (mut pauses, mut exact, mut converged) = (0, 0, 0);
    for number in 0..cases(150, 20_000) {
        for kind in SMALL_PROBLEMS {
            let given = problem::<T>(kind, number as u64);
            for settings in [Settings::default(), fixed, split, accelerated] {
                let (mut bodies, mut solver) = (given.0.clone(), Solver::<T, BODIES, CONTACTS>::new());
                let report = solver.solve(&mut bodies, &given.1, &settings, T::lit(DT)).unwrap();
                let whole = answer(report, &bodies, &solver);
                let each = 1 + number as u32 % 9;
                let (found, paused) = with_pauses(&given, &settings, each);
                assert_eq!(found, whole, "{kind:?} {number}, pauses after {each} sweeps");
                pauses += paused;
                exact += u32::from(report.sweeps == 0);
                converged += u32::from(report.status == Status::Converged);
            }
        }
    }
    println!("{pauses} pauses, {exact} problems without a sweep, {converged} converged");
    assert!(pauses > 1000 && exact > 10 && converged > 100);
}

#[test]
fn a_solve_that_pauses_has_the_bits_of_one_that_does_not() {
    compare::<f32>();
    compare::<f64>();
}

#[test]
fn a_rejected_problem_does_not_begin() {
    let (mut bodies, contacts) = problem::<f64>(SmallProblem::Feet, 0);
    let (before, settings) = (bodies.clone(), Settings { tolerance: -1.0, ..Settings::default() });
    let mut solver = Solver::new();
    assert!(PausedSolve::begin(&mut solver, &mut bodies, &contacts, &settings, DT).is_err());
    assert_eq!(bodies, before);
}
