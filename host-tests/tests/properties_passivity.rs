//! No solve adds kinetic energy: random islands, stopped early, started badly, with mass ratios up to a million.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stiction::{BounceMode, LocalRule, Real, Settings, Status};
use stiction_testkit::effort;
use stiction_testkit::island::kinetic_energy;
use stiction_testkit::strategies::{Shape, island};
use stiction_testkit::tolerance;

fn islands() -> u32 {
    effort::cases(2_000, 100_000)
}

fn study<T: Real>(name: &str) {
    let shape = Shape { mass_ratio: 1e6, mu: 2.0, warm: 10.0, ..Shape::default() };
    let cases = (island(shape), 1..=10u32, 0..4u32, proptest::bool::ANY, 0.5..1.5_f64);
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut worst, mut guarded, mut converged) = (f64::NEG_INFINITY, 0, 0);
    for _ in 0..islands() {
        let (island, sweeps, rule, sequential, relaxation) = cases.new_tree(&mut runner).unwrap().current();
        let local = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box][rule as usize];
        let bounce = if sequential { BounceMode::Sequential } else { BounceMode::Together };
        // A quarter of the cases are plain exact sweeps, the rest use all other choices.
        let relaxation = if rule == 0 { T::ONE } else { T::lit(relaxation) };
        let settings = Settings { sweeps, local, bounce, relaxation, ..Settings::<T>::default() };
        let (bodies, _) = island.rounded::<T>();
        let solved = island.solve(&settings).expect("an admissible problem");
        let before = kinetic_energy(
            &bodies,
            &bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)).collect::<Vec<_>>(),
        );
        let after = kinetic_energy(&bodies, &solved.velocities);
        assert!(after.is_finite());
        worst = worst.max((after - before) / before);
        guarded += u32::from(solved.report.passivity_guard);
        converged += u32::from(solved.report.status == Status::Converged);
    }
    println!(
        "{name}: {} islands, largest relative gain {worst:.2e}, guard acted in {guarded}, converged {converged}",
        islands()
    );
    assert!(worst <= tolerance::of::<T>("passivity"));
    assert!(guarded > 0, "the guard never acted, so the study does not test it");
}

#[test]
fn no_island_gains_energy_in_double_precision() {
    study::<f64>("f64");
}

#[test]
fn no_island_gains_energy_in_single_precision() {
    study::<f32>("f32");
}
