//! The kernel against answers found by other methods.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stiction::local::{Block, Cone, exact};
use stiction::{Settings, Status};
use stiction_testkit::merit::violation;
use stiction_testkit::oracle::{OneContact, normals_by_enumeration};
use stiction_testkit::rng::Rng;
use stiction_testkit::strategies::{Shape, island};

fn runner() -> TestRunner {
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn the_exact_step_agrees_with_a_scan_over_sliding_directions() {
    let mut rng = Rng::new(7);
    let (mut worst, mut several, mut slides) = (0.0_f64, 0, 0);
    for _ in 0..20_000 {
        let q = rng.rotation();
        let eigenvalues = Vector3::new(1.0, rng.log_range(0.01, 1.0), rng.log_range(0.01, 1.0));
        let k = q * Matrix3::from_diagonal(&eigenvalues) * q.transpose();
        let k = (k + k.transpose()) * 0.5;
        let free = rng.direction();
        let mu = rng.range(0.0, 1.5);
        let preload = if rng.chance(0.5) { 0.0 } else { rng.range(0.0, 1.0) };
        let (block, unit) = Block::new(&k);
        let solution = exact(&block, &Cone { mu, preload: preload * unit }, &free);
        let x = solution.impulse / unit;
        let candidates = OneContact { k, free, mu, preload }.solutions();
        let distance = candidates.iter().map(|c| (c - x).norm()).fold(f64::INFINITY, f64::min) / (1.0 + x.norm());
        assert!(
            distance < 1e-6,
            "{distance:e}: {x} is none of {candidates:?} for {k} {free} mu {mu} preload {preload}"
        );
        worst = worst.max(distance);
        slides += u32::from(solution.steps > 0);
        let spread = candidates.iter().map(|c| (c - x).norm()).fold(0.0, f64::max);
        several += u32::from(spread > 1e-3);
    }
    println!("20,000 contacts, {slides} sliding, worst distance {worst:.1e}, {several} with more than one solution");
    assert!(slides > 1000);
}

#[test]
fn bounce_velocities_match_active_set_enumeration() {
    let mut runner = runner();
    let shape = Shape { mu: 0.0, contacts: 6, mass_ratio: 10.0, gap: 0.0, ..Shape::default() };
    let (mut compared, mut infeasible, mut squeezed) = (0, 0, 0);
    for _ in 0..3_000 {
        let island = island(shape).new_tree(&mut runner).unwrap().current();
        let settings =
            Settings::<f64> { sweeps: 0, normal_sweeps: 20_000, restitution_threshold: 0.5, ..Settings::default() };
        let solved = island.solve(&settings).unwrap();
        let problem = island.delassus(&[]);
        let n = island.contacts.len();
        let before = DVector::from_fn(n, |i, _| problem.q[3 * i]);
        let target = DVector::from_fn(n, |i, _| {
            let u = before[i];
            if u < -0.5 { -island.contacts[i].restitution * u } else { 0.0 }
        });
        if target.amax() == 0.0 || solved.report.passivity_guard {
            continue;
        }
        let w = DMatrix::from_fn(n, n, |i, j| problem.w[(3 * i, 3 * j)]);
        let Some((u, exact)) = normals_by_enumeration(&w, &(&before - &target)) else {
            infeasible += 1;
            assert!(solved.report.bounce_dropped, "there is no solution, yet the bounce was not dropped");
            continue;
        };
        if exact.amax() * w.amax() > 100.0 * before.amax() {
            // Squeezed with almost no solution: the kernel may drop such a bounce.
            squeezed += 1;
            continue;
        }
        let p = DVector::from_fn(n, |i, _| solved.contacts[i].bounce_impulse);
        let ours = &w * &p + &before - &target;
        assert!((ours - &u).amax() < 1e-8 * (1.0 + before.amax()), "{:?} {p:?}", solved.report);
        compared += 1;
    }
    println!("{compared} bounces compared, {infeasible} dropped for lack of a solution, {squeezed} squeezed");
    assert!(compared > 500);
}

#[test]
fn island_velocities_match_a_global_newton_method() {
    let mut runner = runner();
    let shape =
        Shape { bounce: false, mu: 0.5, bodies: 3, contacts: 6, mass_ratio: 10.0, gap: 0.0, ..Shape::default() };
    let (mut compared, mut differ, mut unsolved) = (0, 0, 0);
    for _ in 0..3_000 {
        let island = island(shape).new_tree(&mut runner).unwrap().current();
        let settings = Settings::<f64> { sweeps: 20_000, tolerance: 1e-12, ..Settings::default() };
        let solved = island.solve(&settings).unwrap();
        let problem = island.delassus(&[]);
        let (Status::Converged, Some(u)) = (solved.report.status, problem.velocities()) else {
            unsolved += 1;
            continue;
        };
        compared += 1;
        let n = island.contacts.len();
        let mut x = DVector::zeros(3 * n);
        for (i, (outcome, contact)) in solved.contacts.iter().zip(&island.contacts).enumerate() {
            let frame = *stiction::ContactConstraint::new(contact).unwrap().frame();
            let mut local = frame.components(&outcome.tangent_impulse);
            local.x = outcome.normal_impulse;
            x.fixed_rows_mut::<3>(3 * i).copy_from(&local);
        }
        let ours = &problem.w * x + &problem.q;
        if (ours - &u).amax() > 1e-7 * (1.0 + problem.q.amax()) {
            differ += 1;
        }
    }
    println!("{compared} islands compared, {differ} with another solution, {unsolved} not solved by both");
    assert!(compared > 2000);
    // Coulomb's law can have several solutions; with moderate friction they are rare.
    assert!(differ * 100 <= compared, "{differ} of {compared} differ");
}

/// Coulomb's law can have two solutions for one contact: here it opens and slides in its preload's disc, or stays
/// closed and slides.
#[test]
fn one_contact_can_have_two_exact_solutions() {
    let k = Matrix3::new(
        0.078_709_222_898_220_19,
        0.146_743_639_192_625_8,
        -0.204_346_987_038_21,
        0.146_743_639_192_625_8,
        0.323_498_549_696_973_67,
        -0.436_506_686_857_270_95,
        -0.204_346_987_038_21,
        -0.436_506_686_857_270_95,
        0.617_814_736_265_535,
    );
    let free = Vector3::new(0.100_268_635_271_886_97, 0.994_922_361_116_104_8, -0.008_700_352_399_078_13);
    let (mu, preload) = (1.5, 1.0);
    let (block, unit) = Block::new(&k);
    let pressed = exact(&block, &Cone { mu, preload: preload * unit }, &free).impulse / unit;
    let open = Vector3::new(0.0, -1.406_794_946_142_069_2, -0.520_507_425_027_859_4);
    assert!((pressed - open).norm() > 0.3);
    for answer in [pressed, open] {
        let error = violation(&k, &free, &answer, mu, preload);
        assert!(error <= 1e-9, "{answer}: off by {error:e}");
    }
}
