//! Which method is chosen, and agreement of the methods: active set, sweeps over normals, block sweeps; all at once and
//! by islands.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use stiction::Hooks;
use stiction::{Body, Contact, Method, MethodChoice, Real, Settings, Solver, Status};
use stiction_testkit::effort;
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::stack;
use stiction_testkit::known_answers::*;
use stiction_testkit::reports::Reports;
use stiction_testkit::rng::Rng;
use stiction_testkit::strategies::{Shape, check, island};

fn cases() -> u32 {
    effort::cases(500, 10_000)
}

fn method(island: &Island) -> Method {
    island.solve(&sweeps_only::<f64>()).unwrap().report.method
}

/// Sweeps only, no direct methods.
fn sweeps_only<T: Real>() -> Settings<T> {
    Settings { method: MethodChoice::Sweeps, ..Settings::default() }
}

#[test]
fn the_method_is_chosen_by_friction_and_size() {
    assert_eq!(method(&cube_on_ground(1.0, Vector3::new(0.0, 0.0, -1.0), 0.0, 0.0)), Method::ActiveSet);
    assert_eq!(method(&stack(5, 1.0, 0.0)), Method::ActiveSet);
    assert_eq!(method(&stack(6, 1.0, 0.0)), Method::ScalarPgs);
    assert_eq!(method(&cube_on_ground(1.0, Vector3::new(0.0, 0.0, -1.0), 0.1, 0.0)), Method::BlockPgs);
    assert_eq!(method(&stack(16, 1.0, 0.5)), Method::BlockPgs);
    // With memory for direct methods, what sweeps leave unsolved is solved directly.
    let with_direct = |island: Island| island.solve(&Settings::<f64>::default()).unwrap().report;
    for mu in [0.0, 0.5] {
        let report = with_direct(stack(16, 1.0, mu));
        assert!(matches!(report.method, Method::Newton | Method::InteriorPoint) && report.status == Status::Converged);
    }
}

#[test]
fn the_active_set_is_exact_where_answers_are_known() {
    // A cube at rest: redundant contacts, one solution for the velocity.
    let solved =
        cube_on_ground(1.0, Vector3::new(0.3, 0.0, -1.0), 0.0, 0.0).solve(&Settings::<f64>::default()).unwrap();
    assert!((solved.velocities[1].0 - Vector3::new(0.3, 0.0, 0.0)).norm() <= 1e-14);
    assert!((solved.contacts.iter().map(|c| c.normal_impulse).sum::<f64>() - 1.0).abs() <= 1e-14);
    assert_eq!((solved.report.status, solved.report.sweeps), (Status::Converged, 0));
    // Inelastic head-on: both go on with the common velocity.
    let solved = head_on([1.0, 3.0], [2.0, -1.0], 0.0, 0.0).solve(&Settings::<f64>::default()).unwrap();
    assert!(solved.velocities.iter().all(|(v, _)| (v.x + 0.25).abs() <= 1e-15));
    // A stack of five with a heavy top: exact where sweeps would converge slowly.
    let solved = stack(5, 1000.0, 0.0).solve(&Settings::<f64>::default()).unwrap();
    assert!(solved.velocities.iter().all(|(v, w)| v.norm() + w.norm() <= 1e-12), "{:?}", solved.report);
}

/// The same island with friction too small to matter and many sweeps: the answer of converged Gauss–Seidel.
fn swept<T: Real>(island: &Island) -> Option<stiction_testkit::capacity::Solved<T>> {
    let mut copy = island.clone();
    // Duplicated contacts change no velocity and push the island over the active set's size.
    let original = copy.contacts.clone();
    for _ in 0..20 {
        copy.contacts.extend(original.iter().copied());
    }
    copy.contacts.truncate(original.len() * (21 / original.len() + 1));
    let settings = Settings { sweeps: 20_000, tolerance: T::lit(1e-14), ..sweeps_only() };
    let solved = copy.solve(&settings).unwrap();
    assert_eq!(solved.report.method, Method::ScalarPgs);
    (solved.report.status == Status::Converged).then_some(solved)
}

#[test]
fn the_active_set_and_converged_sweeps_agree_on_random_frictionless_islands() {
    let shape = Shape { mu: 0.0, bounce: false, mass_ratio: 10.0, contacts: 10, bodies: 3, ..Shape::default() };
    let mut compared = 0;
    let worst = std::cell::Cell::new(0.0_f64);
    let counter = std::cell::Cell::new(0);
    check(cases(), (island(shape), 0..4usize), |(mut island, copies)| {
        // Redundant rows: some contacts twice, with gaps of their own.
        for i in 0..copies.min(island.contacts.len()) {
            let twin = island.contacts[i];
            island.contacts.push(Contact { depth: twin.depth - 0.004 * i as f64, ..twin });
        }
        let exact = island.solve(&Settings::<f64>::default()).unwrap();
        prop_assert_eq!(exact.report.method, Method::ActiveSet);
        prop_assert!(exact.report.residual.natural < 1e-11, "{:?}", exact.report);
        let Some(sweeps) = swept::<f64>(&island) else { return Ok(()) };
        counter.set(counter.get() + 1);

        for ((v, w), (v2, w2)) in exact.velocities.iter().zip(&sweeps.velocities) {
            let difference = (v - v2).norm().max((w - w2).norm());
            worst.set(worst.get().max(difference));
            prop_assert!(difference <= 1e-9, "{difference:e}");
        }
        Ok(())
    });
    compared += counter.get();
    println!("{compared} of {} compared, worst difference {:.1e}", cases(), worst.get());
    assert!(compared * 10 >= cases() * 9);
}

#[test]
fn frictionless_boxes_that_land_unevenly_are_solved_exactly() {
    // Four corners whose gaps contradict each other: the active set has to be found.
    let mut rng = Rng::new(3);
    for case in 0..cases() {
        let mut island = stack(2, 1.0, 0.0);
        island.bodies[1].linear_velocity = Vector3::new(0.1, 0.0, -1.0) * rng.unit();
        island.bodies[2].angular_velocity = Vector3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0);
        island.contacts.iter_mut().for_each(|contact| contact.depth = rng.range(-0.01, 0.01));
        let report = island.solve(&Settings::<f64>::default()).unwrap().report;
        assert_eq!((report.method, report.status), (Method::ActiveSet, Status::Converged), "case {case}: {report:?}");
    }
}

#[test]
fn contacts_orthogonal_to_the_motion_do_not_prevent_convergence() {
    // Rows orthogonal to the motion. (A row of zeros cannot be: one of its bodies can move.)
    let body = Body { linear_velocity: Vector3::new(0.0, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) };
    let contact = |normal| Contact::new(0, 1, normal, Vector3::zeros(), Vector3::zeros(), 0.0);
    let island = Island {
        bodies: vec![Body::fixed(), body],
        contacts: vec![contact(Vector3::x()), contact(Vector3::z()), contact(Vector3::z()), contact(-Vector3::x())],
    };
    let solved = island.solve(&Settings::<f64>::default()).unwrap();
    assert!(solved.velocities[1].0.norm() <= 1e-15);
    assert_eq!(solved.report.status, Status::Converged);
}

/// Several islands side by side, their contacts interleaved.
fn archipelago(parts: &[Island]) -> Island {
    let mut whole = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
    let mut lists = Vec::new();
    for part in parts {
        let offset = whole.bodies.len() - 1;
        whole.bodies.extend(part.bodies.iter().skip(1).copied());
        let shift = |body: usize| if body == 0 { 0 } else { body + offset };
        lists.push(part.contacts.iter().map(|c| Contact { a: shift(c.a), b: shift(c.b), ..*c }).collect::<Vec<_>>());
    }
    for i in 0..lists.iter().map(Vec::len).max().unwrap_or(0) {
        whole.contacts.extend(lists.iter().filter_map(|list| list.get(i)).copied());
    }
    whole
}

#[test]
fn islands_are_found_and_solved_independently() {
    let parts = [sliding_cube(6.0, 0.3, 0.5), stack(3, 1.0, 0.4), thrown_sphere(2.0, 3.0, 0.2, 0.5)];
    let whole = archipelago(&parts);
    let (mut bodies, contacts) = whole.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    let settings = sweeps_only();
    let mut reports = Reports::default();
    let all = solver
        .solve_islands(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::with_observer(&mut reports))
        .unwrap();
    assert_eq!((solver.islands(), reports.0.len()), (3, 3));
    assert_eq!(all.sweeps, reports.0.iter().map(|report| report.sweeps).max().unwrap());
    assert_eq!(all.status, reports.0.iter().map(|report| report.status).max().unwrap());
    assert_eq!(all.energy_after, reports.0.iter().map(|report| report.energy_after).sum());
    for (part, report) in parts.iter().zip(&reports.0) {
        let alone = part.solve(&settings).unwrap().report;
        // Bit for bit: an island is independent of its neighbours.
        assert_eq!((alone.sweeps, alone.residual.natural), (report.sweeps, report.residual.natural));
        assert_eq!((alone.energy_before, alone.energy_after), (report.energy_before, report.energy_after));
    }
    assert_eq!((solver.island_of(0), solver.island_of(1), solver.island_of(2)), (Some(0), Some(1), Some(2)));
    assert_eq!(solver.island_of(contacts.len()), None);
    // The cube's outcome is found under the cube's own contact numbers.
    let alone = parts[0].solve(&settings).unwrap();
    assert_eq!(solver.contact(0).unwrap(), alone.contacts[0]);
    assert_eq!(solver.contact(3).unwrap(), alone.contacts[1]);
}

#[test]
fn solving_whole_or_by_islands_agrees_and_is_deterministic() {
    let part =
        || island(Shape { bounce: false, bodies: 3, contacts: 5, mass_ratio: 10.0, mu: 0.5, ..Shape::default() });
    check(cases() / 5, (part(), part(), part()), |(a, b, c)| {
        let whole = archipelago(&[a, b, c]);
        let settings = Settings::<f64> { tolerance: 1e-12, sweeps: 20_000, ..Settings::default() };
        let (mut bodies, contacts) = whole.columns::<f64, 33, 128>();
        let (mut again, mut together) = (bodies.clone(), bodies.clone());
        let mut solver = Solver::<f64, 33, 128>::new();
        let separate = solver.solve_islands(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::default()).unwrap();
        let converged = separate.status == Status::Converged;
        let dropped = separate.bounce_dropped || separate.passivity_guard;
        solver.solve_islands(&mut again, &contacts, &settings, 1.0 / 60.0, Hooks::default()).unwrap();
        prop_assert_eq!(&bodies, &again);
        let report = solver.solve(&mut together, &contacts, &settings, 1.0 / 60.0).unwrap();
        prop_assume!(converged && !dropped && report.status == Status::Converged && !report.passivity_guard);
        for (v, w) in bodies.linear_velocities().iter().zip(together.linear_velocities()) {
            prop_assert!((v - w).norm() <= 1e-8, "{:e}", (v - w).norm());
        }
        Ok(())
    });
}
