//! Cases in which a wrong solver could seem right: each was once wrong here, or would be after a small change.

use nalgebra::{Matrix3, Vector3};
use stiction::Hooks;
use stiction::{
    Bodies, Body, Contact, ContactState, Contacts, LocalRule, Method, MethodChoice, PositionCorrection, Settings,
    Solver, Status, SweepOrder, WarmStart,
};
use stiction::{Delassus, DelassusSolver};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::*;
use stiction_testkit::reports::Reports;

fn tight() -> Settings<f64> {
    Settings { tolerance: 1e-12, sweeps: 2000, ..Settings::default() }
}

/// A stack that falls as one and hits the ground with restitution everywhere.
fn falling_stack(boxes: usize, top_mass: f64, restitution: f64) -> Island {
    let mut island = stack(boxes, top_mass, 0.3);
    island.bodies.iter_mut().skip(1).for_each(|body| body.linear_velocity = Vector3::new(0.0, 0.0, -2.0));
    island.contacts.iter_mut().for_each(|contact| contact.restitution = restitution);
    island
}

#[test]
fn a_falling_stack_bounces_even_if_sweeps_converge_slowly() {
    for (boxes, top_mass, exact) in [(4, 1.0, true), (4, 100.0, true), (8, 1.0, false)] {
        let solved = falling_stack(boxes, top_mass, 0.5).solve(&tight()).unwrap();
        assert!(!solved.report.bounce_dropped);
        for (v, w) in solved.velocities.iter().skip(1) {
            let tolerance = if exact { 1e-9 } else { 1e-3 };
            assert!((v.z - 1.0).abs() <= tolerance && w.norm() <= tolerance, "{boxes} boxes: {v:?}");
        }
        assert!(solved.report.bounce_missing <= if exact { 1e-9 } else { 1e-3 });
    }
}

#[test]
fn an_unfinished_bounce_is_not_reported_as_converged() {
    let capped = Settings { normal_sweeps: 3, ..tight() };
    let solved = falling_stack(8, 1.0, 0.5).solve(&capped).unwrap();
    assert!(solved.report.status == Status::SweepLimit && solved.report.bounce_missing > 1e-3);
    let none = Settings { normal_sweeps: 0, ..tight() };
    assert_eq!(falling_stack(8, 1.0, 0.5).solve(&none).unwrap().report.status, Status::BounceDropped);
}

#[test]
fn a_deadline_inside_the_bounce_is_reported() {
    let island = falling_stack(8, 1.0, 0.5);
    let (mut bodies, contacts) = island.columns::<f64, 33, 128>();
    let mut calls = 0;
    let mut should_stop = || {
        calls += 1;
        calls > 2
    };
    let report = Solver::<f64, 33, 128>::new()
        .solve_with(&mut bodies, &contacts, &tight(), 1.0 / 60.0, Hooks::with_should_stop(&mut should_stop))
        .unwrap();
    assert_eq!((report.status, report.bounce_sweeps), (Status::Deadline, 2));
    assert!(report.energy_after <= report.energy_before);
}

/// A deadline that interrupts the bounce alone: the contact phase converges, yet the solve as a whole was cut short.
#[test]
fn an_interrupted_bounce_is_reported_even_if_the_contact_phase_converges() {
    let (mut bodies, contacts) = falling_stack(8, 1.0, 0.5).columns::<f64, 33, 128>();
    let settings = Settings { tolerance: 1e-3, ..tight() };
    let mut calls = 0;
    let mut should_stop = || {
        calls += 1;
        calls == 3
    };
    let report = Solver::<f64, 33, 128>::new()
        .solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::with_should_stop(&mut should_stop))
        .unwrap();
    assert!(calls > 3 && report.sweeps > 0, "the contact phase ran: {report:?}");
    assert_eq!((report.status, report.bounce_sweeps), (Status::Deadline, 2));
    assert!(report.residual.natural <= settings.tolerance && report.bounce_missing > settings.tolerance, "{report:?}");
}

/// Two frictionless balls on the ground that do not touch: each is an island that the active set would solve.
#[test]
fn no_island_is_solved_exactly_once_the_deadline_has_passed() {
    let ball =
        |x: f64| Body { linear_velocity: Vector3::new(x, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::identity()) };
    let contact = |body| Contact::new(0, body, Vector3::z(), Vector3::zeros(), -Vector3::z(), 0.0);
    let island = Island { bodies: vec![Body::fixed(), ball(0.0), ball(1.0)], contacts: vec![contact(1), contact(2)] };
    let rough = Contact { mu: 0.5, ..island.contacts[0] };
    for first in [island.contacts[0], rough] {
        let (mut bodies, _) = island.columns::<f64, 8, 64>();
        let mut contacts = stiction::Contacts::<f64, 64>::new();
        contacts.push(first).unwrap();
        contacts.push(island.contacts[1]).unwrap();
        let mut reports = Reports::default();
        let hooks = Hooks { should_stop: Some(&mut || true), direct: None, observer: Some(&mut reports), lanes: None };
        Solver::<f64, 8, 64>::new().solve_islands(&mut bodies, &contacts, &tight(), 1.0 / 60.0, hooks).unwrap();
        assert_eq!((reports.0[1].status, reports.0[1].method), (Status::Deadline, Method::ScalarPgs), "{reports:?}");
    }
}

/// Eight frictionless rows that the active set solves one by one: a deadline that passes in between ends it without
/// energy gain, and is reported.
#[test]
fn a_deadline_ends_the_active_set() {
    for restitution in [0.0, 0.5] {
        let mut island = stack(2, 1.0, 0.0);
        for body in island.bodies.iter_mut().skip(1) {
            body.linear_velocity.z -= 3.0;
        }
        for contact in &mut island.contacts {
            contact.restitution = restitution;
        }
        let mut methods = Vec::new();
        for expires_at in 1..40 {
            let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
            let mut calls = 0;
            let mut deadline_passed = || {
                calls += 1;
                calls >= expires_at
            };
            let report = Solver::<f64, 8, 64>::new()
                .solve_with(&mut bodies, &contacts, &tight(), 1.0 / 60.0, Hooks::with_should_stop(&mut deadline_passed))
                .unwrap();
            assert!(report.energy_after <= report.energy_before, "{report:?}");
            assert_eq!(report.status == Status::Deadline, calls >= expires_at, "{expires_at}: {report:?}");
            methods.push((report.status, report.method));
        }
        // Early deadlines interrupt it, late ones do not.
        assert_eq!(methods[0].0, Status::Deadline, "{methods:?}");
        assert_eq!(methods[38], (Status::Converged, Method::ActiveSet), "{methods:?}");
    }
}

fn moving(linear: Vector3<f64>) -> Body<f64> {
    Body { linear_velocity: linear, ..Body::fixed() }
}

#[test]
fn a_moving_wall_drives_a_ball_at_one_plus_e_times_its_speed() {
    for (e, expected) in [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)] {
        let ball = Body::from_inverse(1.0, sphere_inverse_inertia(1.0, 1.0));
        let contact =
            Contact { restitution: e, ..Contact::new(0, 1, Vector3::x(), Vector3::zeros(), -Vector3::x(), 0.4) };
        let island = Island { bodies: vec![moving(Vector3::x()), ball], contacts: vec![contact] };
        let solved = island.solve(&tight()).unwrap();
        assert!((solved.velocities[1].0.x - expected).abs() <= 1e-12, "{:?}", solved.report);
        assert!(!solved.report.passivity_guard && solved.report.status == Status::Converged);
        let gained = solved.report.energy_after - solved.report.energy_before;
        assert!((solved.report.bounce_work + solved.report.contact_work - gained).abs() <= 1e-12);
    }
}

#[test]
fn a_belt_carries_a_box_along() {
    let mut island = cube_on_ground(1.0, Vector3::new(0.5, 0.0, -GRAVITY * DT), 0.3, 0.0);
    island.bodies[0] = moving(Vector3::new(1.0, 0.0, 0.0));
    let solved = island.solve(&tight()).unwrap();
    let v = solved.velocities[1].0;
    // Friction accelerates it by μ g dt, and it does not fall through.
    assert!(v.z.abs() <= 1e-9 && (v.x - (0.5 + 0.3 * GRAVITY * DT)).abs() <= 1e-9, "{v:?}");
    assert!(!solved.report.passivity_guard);
}

#[test]
fn a_body_with_infinite_inertia_and_spin_drives_its_contact() {
    // A wheel on a motor: it spins about an axis with infinite inertia and rolls itself forward.
    let wheel = Body {
        linear_velocity: Vector3::new(0.0, 0.0, -0.1),
        angular_velocity: Vector3::new(0.0, 10.0, 0.0),
        ..Body::from_inverse(1.0, Matrix3::zeros())
    };
    let contact = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::new(0.0, 0.0, -0.2), 0.5);
    let island = Island { bodies: vec![Body::fixed(), wheel], contacts: vec![contact] };
    let solved = island.solve(&tight()).unwrap();
    assert!((solved.velocities[1].0 - Vector3::new(0.05, 0.0, 0.0)).norm() <= 1e-12, "{:?}", solved.velocities);
}

#[test]
fn very_large_friction_is_not_reported_solved_without_sweeps() {
    for mu in [1e3, 1e6, 1e9, 1e12] {
        let solved = thrown_sphere(1.0, 1.0, mu, 0.0).solve(&tight()).unwrap();
        assert!(solved.report.sweeps > 0 && solved.velocities[1].0.z.abs() <= 1e-9, "{mu} {:?}", solved.report);
    }
    let settings = Settings::<f32>::default();
    let solved = thrown_sphere(1.0, 1.0, 1e6, 0.0).solve(&settings).unwrap();
    assert!(solved.report.sweeps > 0 && solved.velocities[1].0.z.abs() <= 1e-5, "{:?}", solved.report);
}

#[test]
fn cancelling_impulses_do_not_hide_an_approach_velocity() {
    for warm in [1.0, 1e5, 1e9, 1e12, 1e14] {
        let body = Body {
            linear_velocity: Vector3::new(-1.0, 0.0, 0.0),
            ..Body::from_inverse(1.0, cube_inverse_inertia(1.0))
        };
        let wall = |normal: Vector3<f64>| Contact {
            warm: WarmStart { normal_impulse: warm, tangent_impulse: Vector3::zeros() },
            ..Contact::new(0, 1, normal, Vector3::zeros(), normal * -0.5, 0.5)
        };
        let island =
            Island { bodies: vec![Body::fixed(), body], contacts: vec![wall(Vector3::x()), wall(-Vector3::x())] };
        let solved = island.solve(&Settings::<f64>::default()).unwrap();
        let converged = solved.report.status == Status::Converged;
        assert!(!converged || solved.report.residual.closing_speed <= 0.1, "{warm:e}: {:?}", solved.report);
    }
}

#[test]
fn the_worst_contact_is_the_one_that_approaches() {
    let mut island = stack(3, 1.0, 0.5);
    island.bodies[3].linear_velocity.z = -5.0;
    let solved = island.solve(&Settings::<f64> { sweeps: 0, ..Settings::default() }).unwrap();
    let worst = solved.report.residual.worst_contact.unwrap();
    assert!((8..12).contains(&worst), "{worst}");
    assert!((solved.report.residual.closing_speed - (5.0 - GRAVITY * DT)).abs() <= 1e-12);
}

#[test]
fn reported_work_is_the_energy_change() {
    for island in [cube_on_ground(1.0, Vector3::new(3.0, 1.0, -2.0), 0.4, 0.5), sliding_cube(6.0, 0.7, 0.5)] {
        let report = island.solve(&tight()).unwrap().report;
        let change = report.energy_after - report.energy_before;
        assert!(
            change < -1e-3 && (report.bounce_work + report.contact_work - change).abs() <= 1e-12 * report.energy_before
        );
    }
    let bouncing = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -2.0), 0.0, 0.5).solve(&tight()).unwrap().report;
    assert!((bouncing.bounce_work + 0.75 * 2.0).abs() <= 1e-12 && bouncing.contact_work.abs() <= 1e-12);
}

#[test]
fn work_of_a_belt_is_reported_whether_it_drives_or_brakes() {
    for belt in [3.0, -1.0, 0.5] {
        let mut island = sliding_cube(1.0, 0.0, 0.3);
        island.bodies[0].linear_velocity.x = belt;
        let report = island.solve(&tight()).unwrap().report;
        let change = report.energy_after - report.energy_before;
        assert!((report.contact_work - change).abs() <= 1e-12 * report.energy_before, "belt {belt}: {report:?}");
        // Friction pushes with μ m g dt towards the belt's speed, all the way: the cube does not catch up in one step.
        let push = (belt - 1.0_f64).signum() * 0.3 * GRAVITY * DT;
        let by_friction = push + 0.5 * push * push;
        assert!((report.friction_work - by_friction).abs() <= 1e-9, "belt {belt}: {report:?}");
    }
}

#[test]
fn bias_work_is_reported_separately() {
    let mut island = cube_on_ground(1.0, Vector3::zeros(), 0.5, 0.0);
    island.contacts.iter_mut().for_each(|contact| contact.depth = 0.02);
    let settings = Settings { position_correction: PositionCorrection::Bias, ..tight() };
    let report = island.solve(&settings).unwrap().report;
    let speed = 0.2 * 0.01 * 60.0;
    assert!((report.bias_work - speed * speed).abs() <= 1e-12, "{report:?}");
    assert!((report.contact_work - 0.5 * speed * speed).abs() <= 1e-12 && report.friction_work.abs() <= 1e-15);
}

#[test]
fn position_correction_respects_max_correction_speed() {
    let mut island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -0.1), 0.5, 0.0);
    island.contacts.iter_mut().for_each(|contact| contact.depth = 5.0);
    let settings = Settings { position_correction: PositionCorrection::Bias, max_correction_speed: 0.7, ..tight() };
    assert!((island.solve(&settings).unwrap().velocities[1].0.z - 0.7).abs() <= 1e-9);
    let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    let split =
        Settings { position_correction: PositionCorrection::SplitImpulse, max_correction_speed: 0.7, ..tight() };
    solver.solve(&mut bodies, &contacts, &split, 1.0 / 60.0).unwrap();
    assert!((solver.position_correction(1).unwrap().linear.z - 0.7).abs() <= 1e-9);
}

#[test]
fn friction_inside_its_cone_sticks_and_on_its_boundary_slides() {
    for (angle, state) in [(0.95_f64, ContactState::Stick), (1.05, ContactState::Slide)] {
        // A point mass on a slope: the required friction is tan θ of the normal impulse.
        let slope = (0.5 * angle).atan();
        let normal = Vector3::new(slope.sin(), 0.0, slope.cos());
        let body = Body { linear_velocity: Vector3::new(0.0, 0.0, -0.1), ..Body::from_inverse(1.0, Matrix3::zeros()) };
        let contact = Contact::new(0, 1, normal, Vector3::zeros(), Vector3::zeros(), 0.5);
        let island = Island { bodies: vec![Body::fixed(), body], contacts: vec![contact] };
        assert_eq!(island.solve(&tight()).unwrap().contacts[0].state, state);
    }
}

#[test]
fn box_friction_is_limited_to_the_square_inside_the_cone() {
    let body = Body { linear_velocity: Vector3::new(9.0, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) };
    let contact = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5);
    let island = Island { bodies: vec![Body::fixed(), body], contacts: vec![contact] };
    let solved = island.solve(&Settings { local: LocalRule::Box, ..tight() }).unwrap();
    // The first tangent on a vertical normal is x.
    let expected = 9.0 - 0.5 / std::f64::consts::SQRT_2;
    assert!((solved.velocities[1].0.x - expected).abs() <= 1e-12, "{:?}", solved.velocities[1]);
}

#[test]
fn relaxation_scales_each_local_step() {
    for relaxation in [0.25, 0.5, 1.0] {
        let settings = Settings { relaxation, sweeps: 1, tolerance: 0.0, ..tight() };
        let solved = thrown_sphere(0.0, 0.4, 0.5, 0.0).solve(&settings).unwrap();
        assert!((solved.contacts[0].normal_impulse - 0.4 * relaxation).abs() <= 1e-14);
    }
}

#[test]
fn alternating_sweeps_go_back_and_forth() {
    let two = |order| {
        let settings = Settings { order, sweeps: 2, tolerance: 0.0, ..tight() };
        stack(4, 1.0, 0.5).solve(&settings).unwrap().contacts
    };
    let (forward, alternating) = (two(SweepOrder::Forward), two(SweepOrder::Alternating));
    assert_ne!(forward, alternating);
    // By symmetry of the second sweep, the last contact visited is left exactly solved: the first one, going back.
    let settings = Settings { order: SweepOrder::Alternating, sweeps: 2, tolerance: 0.0, ..tight() };
    let solved = stack(4, 1.0, 0.5).solve(&settings).unwrap();
    let corner = solved.velocities[1].0 + solved.velocities[1].1.cross(&lower_corners()[0]);
    assert!(corner.z.abs() <= 1e-12, "{corner:?}");
}

#[test]
fn the_delassus_form_starts_warm_and_stays_passive() {
    let problem = sliding_cube(6.0, 0.4, 0.5).delassus(&[]);
    let n = problem.mu.len();
    let q: Vec<Vector3<f64>> = (0..n).map(|i| problem.q.fixed_rows::<3>(3 * i).into_owned()).collect();
    let w: Vec<f64> = problem.w.transpose().iter().copied().collect();
    let problem = Delassus::dense(&w, &q, &problem.mu).unwrap();
    let mut solver = DelassusSolver::<f64, 4>::new();
    let cold = solver.solve(&problem, &tight()).unwrap();
    let solution: Vec<_> = (0..n).map(|i| solver.impulse(i).unwrap()).collect();
    let warm = solver.solve_with(&problem, &tight(), &solution, Hooks::default()).unwrap();
    assert!(cold.sweeps > 5 && warm.sweeps == 0 && warm.status == Status::Converged);
    assert!(cold.work < 0.0 && (cold.work - warm.work).abs() <= 1e-9);
    // A far too large warm start, and no sweep to correct it.
    let absurd = vec![Vector3::new(50.0, 0.0, 0.0); n];
    let none = Settings { sweeps: 0, ..tight() };
    let report = solver.solve_with(&problem, &none, &absurd, Hooks::default()).unwrap();
    assert!(report.passivity_guard && report.work <= 1e-9 && report.status != Status::Converged);
    assert!(solver.coupling(0).unwrap().condition > 1.0 && solver.coupling(n).is_none());
    let nan = [Vector3::new(f64::NAN, 0.0, 0.0)];
    let rejection = solver.solve_with(&problem, &tight(), &nan, Hooks::default()).unwrap_err();
    assert_eq!(rejection.to_string(), "start[0]: must be a finite number");
}

#[test]
fn an_active_set_answer_is_reported_with_zero_sweeps() {
    let swept = Settings { method: MethodChoice::Sweeps, ..tight() };
    let report = falling_stack(4, 100.0, 0.0).solve(&swept).unwrap().report;
    assert_eq!(report.method, Method::BlockPgs);
    let mut smooth = falling_stack(4, 100.0, 0.0);
    smooth.contacts.iter_mut().for_each(|contact| contact.mu = 0.0);
    let report = smooth.solve(&tight()).unwrap().report;
    assert_eq!((report.method, report.sweeps, report.status), (Method::ActiveSet, 0, Status::Converged));
}

/// A block that is singular or indefinite is replaced by a safe one, and the report counts it, by contact.
#[test]
fn safe_blocks_are_counted() {
    let solve = |last: f64| {
        let blocks = [2.0, 0.0, 0.0, 0.0, 1.0, last, 0.0, last, 1.0];
        let (q, mu) = ([-Vector3::x()], [0.5]);
        let problem = Delassus::dense(&blocks, &q, &mu).unwrap();
        let mut solver = DelassusSolver::<f64, 1>::new();
        let report = solver.solve(&problem, &Settings::default()).unwrap();
        (report.safe_blocks, solver.coupling(0).unwrap().is_replaced)
    };
    assert_eq!(solve(1.0), (1, true)); // singular
    assert_eq!(solve(0.5), (0, false));
    // An inertia with an eigenvalue of -1e-15 is accepted as rounding. A very long lever makes it count.
    let inertia = Matrix3::from_diagonal(&Vector3::new(-1e-15, 1.0, 1.0));
    let ground = Body::fixed();
    let mut bodies = Bodies::<f64, 8>::new();
    bodies.push(ground).unwrap();
    bodies.push(Body { linear_velocity: -Vector3::z(), ..Body::from_inverse(1.0, inertia) }).unwrap();
    bodies.push(Body { linear_velocity: -Vector3::z(), ..Body::from_inverse(1.0, Matrix3::identity()) }).unwrap();
    let mut contacts = Contacts::<f64, 64>::new();
    let arm = Vector3::new(0.0, 1e9, 0.0);
    contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), arm, 0.5)).unwrap();
    contacts.push(Contact::new(0, 2, Vector3::z(), Vector3::zeros(), Vector3::new(0.0, 0.5, 0.0), 0.5)).unwrap();
    let mut solver = Solver::<f64, 8, 64>::new();
    let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 0.01).unwrap();
    let replaced = [0, 1].map(|contact| solver.coupling(contact).unwrap().is_replaced);
    assert_eq!((report.safe_blocks, replaced), (1, [true, false]));
}
