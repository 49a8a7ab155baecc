//! Tests of what the crate does not export: the bracket alone, and repeated visits.
use nalgebra::{Matrix6, SMatrix, Vector6};
use stiction_testkit::rng::Rng;

use crate::local::moment_block::{MomentBlock, MomentFree};
use crate::local::moment_bracket::Held;
use crate::local::moment_law::MomentLaw;
use crate::local::moment_newton::Answer;
use crate::local::moments::{exact_with_moments, exact_with_moments_again};

/// A random contact of size 1.
fn sample(rng: &mut Rng, spread: f64) -> (Matrix6<f64>, MomentLaw<f64>, [f64; 6]) {
    let mut k: Matrix6<f64> = Matrix6::zeros();
    for i in 0..6 {
        let v: Vector6<f64> = SMatrix::from_fn(|_, _| rng.range(-1.0, 1.0));
        let weight = if i == 0 { 1.0 } else { rng.log_range(1.0 / spread, 1.0) };
        k += v * v.transpose() * weight;
    }
    let law = MomentLaw {
        mu: rng.log_range(0.03, 2.0),
        torsion: rng.log_range(1e-3, 1.0),
        rolling: rng.log_range(1e-3, 1.0),
        preload: if rng.chance(0.6) { 0.0 } else { rng.log_range(1e-2, 1.0) },
        is_joined: rng.chance(0.25),
    };
    (k, law, core::array::from_fn(|row| if row == 0 { -rng.unit() } else { rng.range(-1.0, 1.0) }))
}

/// The velocity of a block's own regularised matrix, from an impulse.
fn natural_map(block: &MomentBlock<f64>, law: &MomentLaw<f64>, free: &[f64; 6], x: &[f64; 6]) -> f64 {
    let away = MomentFree::of(block, free, &x.map(|part| -part));
    let normal = away.lift * block.normal;
    let mut u = [normal; 6];
    for row in 0..5 {
        u[row + 1] = away.b[row] + block.row[row] * normal;
    }
    let map = law.natural_map(x, &u, 1.0);
    map.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()))
}

#[test]
fn the_bracket_alone_solves_contacts_with_moments() {
    let mut rng = Rng::new(21);
    let (mut worst, mut brackets) = (0.0_f64, 0);
    for case in 0..stiction_testkit::effort::cases(3_000, 100_000) {
        let (k, law, free) = sample(&mut rng, 1e3);
        let block = MomentBlock::new(&k, &law).0;
        let split = MomentFree::new(&block, &free);
        if law.preload == 0.0 && split.lift >= 0.0 {
            continue;
        }
        let held = Held::new(&block, &law, &split);
        let Answer { normal, friction: [t1, t2, s, r1, r2], .. } = match held.bracket([0.0; 3]) {
            Ok(mut bracket) => {
                held.narrow(&mut bracket, crate::local::moment_bracket::NARROW_STEPS);
                brackets += 1;
                assert!(bracket.is_narrow, "case {case} is still wide");
                bracket.answer
            }
            Err(open) => open,
        };
        let map = natural_map(&block, &law, &free, &[normal, t1, t2, s, r1, r2]);
        assert!(map < 1e-8, "case {case}: {map:e} {k} {law:?} {free:?}");
        worst = worst.max(map);
    }
    assert!(brackets > 1_000 && worst < 1e-8, "{brackets} brackets, worst {worst:e}");
}

#[test]
fn a_contact_with_moments_that_is_visited_again_keeps_its_answer() {
    let mut rng = Rng::new(22);
    for _ in 0..1_000 {
        let (k, law, free) = sample(&mut rng, 1e2);
        let block = MomentBlock::new(&k, &law).0;
        let solution = exact_with_moments(&block, &law, &free);
        let x = solution.impulse;
        // The velocity with the impulse, and back to the velocity without it.
        let away = MomentFree::of(&block, &free, &x.map(|part| -part));
        let normal = away.lift * block.normal;
        let u: [f64; 6] =
            core::array::from_fn(|row| if row == 0 { normal } else { away.b[row - 1] + block.row[row - 1] * normal });
        let mut sigma = solution.sigma;
        let again = exact_with_moments_again(&block, &law, &MomentFree::of(&block, &u, &x), &mut sigma);
        let size = x.iter().fold(1.0, |size: f64, part| size.max(part.abs()));
        assert!((0..6).all(|row| (again[row] - x[row]).abs() <= 1e-9 * size), "{again:?} {x:?}");
        assert!((0..3).all(|g| (sigma[g] > 0.0) == (solution.sigma[g] > 0.0)), "{sigma:?} {:?}", solution.sigma);
    }
}
