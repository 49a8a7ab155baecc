//! Properties that every solve has, each over ten thousand random problems per precision.

use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use stiction::local::Block;
use stiction::{
    Bodies, Body, Contact, ContactConstraint, Contacts, LocalRule, Method, Real, Settings, Solver, SweepOrder,
};
use stiction_testkit::capacity::Solved;
use stiction_testkit::effort;
use stiction_testkit::island::Island;
use stiction_testkit::oracle::Whole;
use stiction_testkit::strategies::*;
use stiction_testkit::tolerance;

fn cases() -> u32 {
    effort::cases(500, 10_000)
}

/// Makes a test of a generic property in each precision.
macro_rules! in_both_precisions {
    ($($law:ident => $name:ident),* $(,)?) => {
        mod double { $(#[test] fn $name() { super::$law::<f64>() })* }
        mod single { $(#[test] fn $name() { super::$law::<f32>() })* }
    };
}

in_both_precisions! {
    cone_membership => impulses_are_in_their_cones_after_every_sweep,
    momentum => an_isolated_pair_keeps_its_momentum,
    swap => swapping_bodies_a_and_b_gives_the_same_velocities,
    rotated_world => rotating_the_world_rotates_the_answer,
    rotated_tangents => rotating_the_tangents_changes_nothing,
    doubled_masses => doubling_all_masses_doubles_impulses_and_keeps_velocity_bits,
    immovable => immovable_bodies_never_move,
    solved_stays_solved => solving_a_solved_state_changes_nothing,
    rejected_input => a_rejected_input_leaves_everything_unchanged,
    exact_is_best => no_rule_beats_the_exact_one_on_one_contact,
    delassus_form => the_delassus_form_and_the_body_form_agree,
}

fn solve<T: Real>(island: &Island, settings: &Settings<T>) -> Solved<T> {
    island.solve(settings).expect("strategies draw valid problems")
}

/// Few sweeps: properties must hold for every iterate, not only for solutions.
fn few_sweeps<T: Real>(sweeps: u32) -> Settings<T> {
    Settings { sweeps, tolerance: T::ZERO, ..Settings::default() }
}

/// Largest difference of two answers' velocities, in double precision; velocities of `b` are rotated by `rotation`
/// first.
fn velocity_difference<T: Real>(a: &Solved<T>, b: &Solved<T>, rotation: &Matrix3<f64>) -> (f64, f64) {
    let (mut difference, mut scale) = (0.0_f64, 0.0_f64);
    for ((v, w), (v2, w2)) in a.velocities.iter().zip(&b.velocities) {
        for (x, y) in [(v, v2), (w, w2)] {
            let (x, y): (Vector3<f64>, Vector3<f64>) = (x.map(T::to_f64), y.map(T::to_f64));
            difference = difference.max((x - rotation * y).norm());
            scale = scale.max(x.norm());
        }
    }
    (difference, scale.max(1.0))
}

/// Whether two solves of the same problem took the same decisions. Where a bounce is barely possible, rounding decides
/// whether it is dropped or the guard acts. The runner gives up beyond 1,024 such cases in a property.
fn decided_alike<T: Real>(a: &Solved<T>, b: &Solved<T>) -> bool {
    let decisions = |solved: &Solved<T>| (solved.report.bounce_dropped, solved.report.passivity_guard);
    decisions(a) == decisions(b)
}

/// The largest speed that any contact's impulse alone would give: rounding is relative to it where impulses cancel.
fn impulse_speed<T: Real>(island: &Island, solved: &Solved<T>) -> f64 {
    let speed = |(contact, outcome): (&Contact<f64>, &stiction::ContactOutcome<T>)| {
        let inverse_mass = island.bodies[contact.a].inverse_mass + island.bodies[contact.b].inverse_mass;
        (outcome.bounce_impulse.to_f64() + outcome.normal_impulse.to_f64()) * inverse_mass
    };
    island.contacts.iter().zip(&solved.contacts).map(speed).fold(0.0, f64::max)
}

fn all_rules() -> impl Strategy<Value = LocalRule> {
    prop_oneof![
        Just(LocalRule::Exact),
        Just(LocalRule::HoldAndResolve),
        Just(LocalRule::Projection),
        Just(LocalRule::Box)
    ]
}

fn cone_membership<T: Real>() {
    let tolerance = tolerance::of::<T>("cone membership");
    let relaxation = prop_oneof![2 => Just(1.0), 1 => 0.5..1.5_f64];
    let shape = Shape { warm: 3.0, ..Shape::default() };
    check(cases(), (island(shape), 0..6u32, all_rules(), relaxation), |(island, sweeps, local, relaxation)| {
        let settings = Settings { local, relaxation: T::lit(relaxation), ..few_sweeps::<T>(sweeps) };
        let solved = solve(&island, &settings);
        for (outcome, contact) in solved.contacts.iter().zip(island.rounded::<T>().1) {
            let (normal, bounce) = (outcome.normal_impulse.to_f64(), outcome.bounce_impulse.to_f64());
            let tangent = outcome.tangent_impulse.map(T::to_f64).norm();
            prop_assert!(normal >= 0.0 && bounce >= 0.0);
            let radius = contact.mu.to_f64() * (normal + bounce);
            prop_assert!(tangent <= radius * (1.0 + tolerance), "{tangent} > {radius}");
        }
        Ok(())
    });
}

/// Two free bodies whose contact points are the same world points seen from each.
fn isolated_pair() -> impl Strategy<Value = (Island, Vector3<f64>)> {
    let shape = Shape { bodies: 2, contacts: 6, ground: false, warm: 1.0, ..Shape::default() };
    (island(shape), vector(2.0)).prop_map(|(mut island, offset)| {
        island.bodies.truncate(2);
        for contact in &mut island.contacts {
            // A's centre is the origin, B's is at `offset`.
            (contact.a, contact.b) = (0, 1);
            contact.r_b = contact.r_a - offset;
        }
        (island, offset)
    })
}

fn momentum<T: Real>() {
    let tolerance = tolerance::of::<T>("momentum");
    check(cases(), (isolated_pair(), 0..8u32), |((island, offset), sweeps)| {
        let (bodies, _) = island.rounded::<T>();
        let solved = solve(&island, &few_sweeps::<T>(sweeps));
        let total = |velocities: &[(Vector3<T>, Vector3<T>)]| {
            let (mut linear, mut angular, mut scale) = (Vector3::zeros(), Vector3::zeros(), 0.0);
            for ((body, (v, w)), x) in bodies.iter().zip(velocities).zip([Vector3::zeros(), offset]) {
                let p = v.map(T::to_f64) / body.inverse_mass.to_f64();
                let inertia = body.inverse_inertia_world.map(T::to_f64).try_inverse().expect("a body that can rotate");
                let spin: Vector3<f64> = inertia * w.map(T::to_f64);
                linear += p;
                angular += x.cross(&p) + spin;
                scale += p.norm() + spin.norm();
            }
            (linear, angular, scale)
        };
        let before = total(&bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)).collect::<Vec<_>>());
        let after = total(&solved.velocities);
        let impulses: f64 = solved.contacts.iter().map(|c| (c.normal_impulse + c.bounce_impulse).to_f64()).sum();
        let scale = before.2 + after.2 + impulses;
        prop_assert!(
            (before.0 - after.0).norm() <= tolerance * scale,
            "linear {}",
            (before.0 - after.0).norm() / scale
        );
        prop_assert!(
            (before.1 - after.1).norm() <= tolerance * scale,
            "angular {}",
            (before.1 - after.1).norm() / scale
        );
        Ok(())
    });
}

fn swap<T: Real>() {
    let (tolerance, guarded) = (tolerance::of::<T>("swap"), tolerance::of::<T>("guarded"));
    let shape = Shape { warm: 1.0, ..Shape::default() };
    check(cases(), (island(shape), 0..8u32), |(island, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let (a, b) = (solve(&island, &settings), solve(&island.swapped(), &settings));
        prop_assume!(decided_alike(&a, &b));
        let (difference, scale) = velocity_difference(&a, &b, &Matrix3::identity());
        let scale = scale.max(impulse_speed(&island, &a));
        let tolerance = if a.report.passivity_guard { guarded } else { tolerance };
        prop_assert!(difference <= tolerance * scale, "{difference:e} of {scale}");
        Ok(())
    });
}

fn rotated_world<T: Real>() {
    let (tolerance, guarded) = (tolerance::of::<T>("rotated world"), tolerance::of::<T>("guarded"));
    let shape = Shape { warm: 1.0, ..Shape::default() };
    check(cases(), (island(shape), rotation(), 0..8u32), |(island, rotation, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let (a, b) = (solve(&island, &settings), solve(&island.rotated(&rotation), &settings));
        prop_assume!(decided_alike(&a, &b));
        let (difference, scale) = velocity_difference(&a, &b, &rotation.transpose());
        let scale = scale.max(impulse_speed(&island, &a));
        let tolerance = if a.report.passivity_guard { guarded } else { tolerance };
        prop_assert!(difference <= tolerance * scale, "{difference:e} of {scale}");
        Ok(())
    });
}

/// Impulses of a dense problem after forward sweeps.
fn solve_dense<T: Real>(Whole { w, q, mu }: &Whole, settings: &Settings<T>) -> Vec<Vector3<f64>> {
    let n = mu.len();
    let blocks = (0..n).flat_map(|i| (0..n).map(move |j| w.fixed_view::<3, 3>(3 * i, 3 * j).into_owned())).collect();
    let problem = stiction_testkit::fc3d::Fc3d {
        mu: mu.clone(),
        q: (0..n).map(|i| q.fixed_rows::<3>(3 * i).into_owned()).collect(),
        blocks,
        row_starts: (0..=n).map(|i| (i * n) as u32).collect(),
        columns: (0..n * n).map(|k| (k % n) as u32).collect(),
    };
    let solved = stiction_testkit::capacity::solve_delassus(&problem, settings).expect("a valid problem");
    solved.impulses.iter().map(|x| x.map(T::to_f64)).collect()
}

fn rotated_tangents<T: Real>() {
    let tolerance = tolerance::of::<T>("rotated tangents");
    let shape = Shape { bounce: false, ..Shape::default() };
    let angles = prop::collection::vec(0.0..std::f64::consts::TAU, 8);
    check(cases(), (island(shape), angles, 1..8u32), |(island, angles, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let plain = solve_dense(&island.delassus(&[]), &settings);
        let rotated = solve_dense(&island.delassus(&angles), &settings);
        let scale: f64 = plain.iter().map(Vector3::norm).sum::<f64>() + 1.0;
        for ((x, y), angle) in plain.iter().zip(&rotated).zip(&angles) {
            let back = Rotation3::from_axis_angle(&Vector3::x_axis(), -angle) * y;
            prop_assert!((x - back).norm() <= tolerance * scale, "{:e}", (x - back).norm() / scale);
        }
        Ok(())
    });
}

fn doubled_masses<T: Real>() {
    let shape = Shape { warm: 1.0, mass_ratio: 1e4, ..Shape::default() };
    check(cases(), (island(shape), 0..10u32, all_rules()), |(island, sweeps, local)| {
        let settings = Settings { local, ..few_sweeps::<T>(sweeps) };
        let (light, heavy) = (solve(&island, &settings), solve(&island.heavier(2.0), &settings));
        prop_assert_eq!(&light.velocities, &heavy.velocities);
        let two = T::lit(2.0);
        for (x, y) in light.contacts.iter().zip(&heavy.contacts) {
            prop_assert_eq!(
                (x.normal_impulse * two, x.bounce_impulse * two, x.tangent_impulse * two),
                (y.normal_impulse, y.bounce_impulse, y.tangent_impulse)
            );
        }
        Ok(())
    });
}

fn immovable<T: Real>() {
    let shape = Shape { warm: 5.0, ..Shape::default() };
    check(cases(), (island(shape), vector(3.0), vector(3.0), 0..6u32), |(mut island, linear, angular, sweeps)| {
        // A conveyor: immovable, yet its surface has a velocity.
        island.bodies[0].linear_velocity = linear;
        island.bodies[0].angular_velocity = angular;
        let solved = solve(&island, &few_sweeps::<T>(sweeps));
        prop_assert_eq!(solved.velocities[0], (linear.map(T::lit), angular.map(T::lit)));
        Ok(())
    });
}

fn larger<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

fn solved_stays_solved<T: Real>() {
    let tolerance = tolerance::of::<T>("solved stays solved");
    let shape = Shape { bounce: false, bodies: 2, contacts: 4, mass_ratio: 10.0, mu: 0.5, ..Shape::default() };
    check(cases(), island(shape), |island| {
        let goal = T::lit(16.0) * T::EPSILON;
        let settings = Settings::<T> { sweeps: 2000, tolerance: larger(goal, T::lit(1e-12)), ..Settings::default() };
        let first = solve(&island, &settings);
        prop_assume!(first.report.status == stiction::Status::Converged);
        let mut again = island.clone();
        for (body, (v, w)) in again.bodies.iter_mut().zip(&first.velocities) {
            (body.linear_velocity, body.angular_velocity) = (v.map(T::to_f64), w.map(T::to_f64));
        }
        let second = solve(&again, &settings);
        let (difference, scale) = velocity_difference(&first, &second, &Matrix3::identity());
        prop_assert!(difference <= tolerance * scale, "cold: {difference:e}");

        let mut warm = island;
        for (contact, outcome) in warm.contacts.iter_mut().zip(&first.contacts) {
            contact.warm.normal_impulse = outcome.normal_impulse.to_f64();
            contact.warm.tangent_impulse = outcome.tangent_impulse.map(T::to_f64);
        }
        let third = solve(&warm, &settings);
        let (difference, scale) = velocity_difference(&first, &third, &Matrix3::identity());
        prop_assert!(difference <= tolerance * scale, "warm: {difference:e}");
        prop_assert!(third.report.sweeps <= first.report.sweeps);
        Ok(())
    });
}

/// One way in which an input can be wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Nan(usize),
    Infinite(usize),
    NonUnitNormal(f64),
    NegativeFriction,
    Restitution(f64),
    GapTooLarge,
    SameBody,
    MissingBody,
    BothImmovable,
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (0..12usize).prop_map(Fault::Nan),
        (0..12usize).prop_map(Fault::Infinite),
        prop_oneof![0.0..0.9989, 1.0011..1e3].prop_map(Fault::NonUnitNormal),
        Just(Fault::NegativeFriction),
        prop_oneof![-1.0..-1e-6, 1.0 + 1e-6..9.0].prop_map(Fault::Restitution),
        Just(Fault::GapTooLarge),
        Just(Fault::SameBody),
        Just(Fault::MissingBody),
        Just(Fault::BothImmovable),
    ]
}

fn corrupt<T: Real>(contact: &mut Contact<T>, fault: Fault) {
    let set_field = |contact: &mut Contact<T>, field: usize, value: T| match field {
        0..=2 => contact.normal[field] = value,
        3..=5 => contact.r_a[field - 3] = value,
        6..=8 => contact.r_b[field - 6] = value,
        9 => contact.mu = value,
        10 => contact.warm.normal_impulse = value,
        _ => contact.depth = value,
    };
    match fault {
        Fault::Nan(field) => set_field(contact, field, T::lit(f64::NAN)),
        Fault::Infinite(field) => set_field(contact, field, T::lit(f64::INFINITY)),
        Fault::NonUnitNormal(length) => contact.normal *= T::lit(length),
        Fault::NegativeFriction => contact.mu = T::lit(-0.1),
        Fault::Restitution(e) => contact.restitution = T::lit(e),
        Fault::GapTooLarge => contact.depth = -T::LENGTH_LIMIT * T::lit(2.0),
        Fault::SameBody => contact.b = contact.a,
        Fault::MissingBody => contact.b = 40,
        Fault::BothImmovable => (contact.a, contact.b) = (0, 7),
    }
}

fn rejected_input<T: Real>() {
    check(cases(), (island(Shape { contacts: 4, ..Shape::default() }), fault()), |(island, fault)| {
        let (mut bodies, mut contacts) = (Bodies::<T, 8>::new(), Contacts::<T, 64>::new());
        let (inputs, inputs_c) = island.rounded::<T>();
        for body in &inputs {
            bodies.push(*body).expect("a valid body");
        }
        while bodies.len() < 7 {
            bodies.push(Body::from_inverse(T::ONE, Matrix3::identity())).expect("a valid body");
        }
        bodies.push(Body::fixed()).expect("a valid body");
        for contact in &inputs_c {
            contacts.push(*contact).expect("a valid contact");
        }
        let before = (bodies.clone(), contacts.clone());
        let mut bad = inputs_c[0];
        corrupt(&mut bad, fault);
        let pushed = contacts.push(bad);
        if matches!(fault, Fault::MissingBody | Fault::BothImmovable) {
            prop_assert!(pushed.is_ok(), "only the solve knows the bodies");
            let mut solver = Solver::<T, 8, 64>::new();
            let good = solver.solve(&mut bodies.clone(), &before.1, &Settings::default(), T::lit(1.0 / 60.0));
            prop_assert!(good.is_ok());
            let outcome = solver.contact(0);
            let rejected = solver.solve(&mut bodies, &contacts, &Settings::default(), T::lit(1.0 / 60.0));
            prop_assert!(rejected.is_err());
            prop_assert_eq!(solver.contact(0), outcome);
        } else {
            prop_assert!(pushed.is_err(), "{:?} was accepted", fault);
            prop_assert_eq!(&contacts, &before.1);
        }
        prop_assert_eq!(&bodies, &before.0);
        Ok(())
    });
}

fn exact_is_best<T: Real>() {
    let tolerance = tolerance::of::<T>("exact is best");
    let shape = Shape { bodies: 1, contacts: 1, warm: 1.0, mu: 3.0, ..Shape::default() };
    check(cases(), island(shape), |island| {
        let residual = |local| {
            let settings = Settings { local, ..few_sweeps::<T>(1) };
            solve(&island, &settings).report.residual
        };
        let exact = residual(LocalRule::Exact);
        let (bodies, contacts) = island.rounded::<T>();
        let c = &contacts[0];
        let mass = |i: usize| (bodies[i].inverse_mass, &bodies[i].inverse_inertia_world);
        let k = ContactConstraint::new(c).unwrap().effective_mass(mass(c.a), mass(c.b));
        let condition = Block::new(&k).0.coupling().condition.to_f64();
        for rule in [LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box] {
            let other = residual(rule).natural.to_f64();
            prop_assert!(exact.natural.to_f64() <= other + tolerance * condition, "{rule:?} {other:e} {exact:?}");
        }
        Ok(())
    });
}

fn delassus_form<T: Real>() {
    let tolerance = tolerance::of::<T>("delassus form");
    let shape = Shape { bounce: false, gap: 0.0, ..Shape::default() };
    check(cases(), (island(shape), 1..8u32), |(island, sweeps)| {
        let settings = Settings { order: SweepOrder::Forward, ..few_sweeps::<T>(sweeps) };
        let from_matrix = solve_dense(&island.delassus(&[]), &settings);
        let solved = solve(&island, &settings);
        // Iterates are compared, so both must sweep; frictionless islands are solved directly in the body form.
        prop_assume!(!solved.report.passivity_guard && solved.report.method == Method::BlockPgs);
        let scale: f64 = from_matrix.iter().map(Vector3::norm).sum::<f64>() + 1.0;
        for ((x, outcome), contact) in from_matrix.iter().zip(&solved.contacts).zip(&island.contacts) {
            let frame = *ContactConstraint::new(contact).unwrap().frame();
            let mut y = frame.components(&outcome.tangent_impulse.map(T::to_f64));
            y.x = outcome.normal_impulse.to_f64();
            prop_assert!((x - y).norm() <= tolerance * scale, "{:e}", (x - y).norm() / scale);
        }
        Ok(())
    });
}
