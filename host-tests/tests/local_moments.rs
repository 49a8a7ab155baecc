//! One contact with torsion and rolling: random contacts against the law, evaluated in double precision.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3, Vector6};
use stiction::Real;
use stiction::local::{
    Block, Cone, MomentBlock, MomentLaw, MomentSolution, exact, exact_with_moments, exact_with_moments_near,
};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

/// The rows of a contact: which of n, t1, t2, s, r1, r2 it has.
const FOUR: [usize; 4] = [0, 1, 2, 3];
const FIVE: [usize; 5] = [0, 1, 2, 4, 5];
const SIX: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// A contact in double precision, its numbers exact in the precision that is tested.
#[derive(Debug, Clone, Copy)]
struct Sample {
    k: Matrix6<f64>,
    law: MomentLaw<f64>,
    free: [f64; 6],
    condition: f64,
}

/// The groups of a law: rows and coefficient.
fn groups(law: &MomentLaw<f64>) -> Vec<(&'static [usize], f64)> {
    let torsion = law.torsion > 0.0;
    let slides: &[usize] = if law.is_joined && torsion { &[1, 2, 3] } else { &[1, 2] };
    let mut all = vec![(slides, law.mu)];
    if !law.is_joined {
        all.push((&[3], law.torsion));
    }
    all.push((&[4, 5], law.rolling));
    all.retain(|(_, coefficient)| *coefficient > 0.0);
    all
}

/// The largest violation of a condition of the law, in velocity units. `law.preload` is in the unit of `x`.
fn violation(k: &Matrix6<f64>, law: &MomentLaw<f64>, free: &[f64; 6], x: &[f64; 6]) -> f64 {
    let size = (k[(0, 0)] + k[(1, 1)] + k[(2, 2)]) / 3.0;
    let u = k * Vector6::from(*x) + Vector6::from(*free);
    let mut worst = (x[0] - (x[0] - u[0] / size).max(0.0)).abs() * size;
    let mut held = vec![0];
    for (rows, coefficient) in groups(law) {
        held.extend(rows);
        let radius = coefficient * (x[0] + law.preload);
        let part = |from: &dyn Fn(usize) -> f64| DVector::from_iterator(rows.len(), rows.iter().map(|i| from(*i)));
        let (x, u) = (part(&|i| x[i]), part(&|i| u[i]));
        let length = x.norm();
        worst = worst.max((length - radius) * size);
        let wanted = &x - &u / size;
        let nearest = if wanted.norm() > radius { wanted.normalize() * radius } else { wanted };
        worst = worst.max((&x - nearest).norm() * size);
        if length > 0.0 {
            let direction = x / length;
            let along = u.dot(&direction);
            worst = worst.max((u - &direction * along).norm()).max(along);
        }
    }
    let carries_what_it_lacks = (0..6).any(|row| !held.contains(&row) && x[row] != 0.0);
    if carries_what_it_lacks || !worst.is_finite() { f64::INFINITY } else { worst }
}

/// A random orthogonal matrix: a product of reflections.
fn orthogonal(rng: &mut Rng, n: usize) -> DMatrix<f64> {
    let mut q = DMatrix::identity(n, n);
    for _ in 0..3 {
        let v = DVector::from_fn(n, |_, _| rng.range(-1.0, 1.0));
        let square = v.norm_squared().max(1e-9);
        let image = &q * &v * (2.0 / square);
        q -= image * v.transpose();
    }
    q
}

/// A block with random eigenvalues, and its condition.
fn random_block(rng: &mut Rng, rows: &[usize], most_condition: f64) -> (Matrix6<f64>, f64) {
    let n = rows.len();
    let spread = rng.log_range(1.0, most_condition);
    let eigenvalues = DVector::from_fn(n, |i, _| match i {
        0 => 1.0,
        1 => 1.0 / spread,
        _ => rng.log_range(1.0 / spread, 1.0),
    });
    let q = orthogonal(rng, n);
    let small = &q * DMatrix::from_diagonal(&eigenvalues) * q.transpose() * rng.log_range(1e-3, 1e3);
    (spread_out(&small, rows), spread)
}

/// The rows of a small matrix at their places; zero elsewhere.
fn spread_out(small: &DMatrix<f64>, rows: &[usize]) -> Matrix6<f64> {
    let mut k = Matrix6::zeros();
    for (i, row) in rows.iter().enumerate() {
        for (j, column) in rows.iter().enumerate() {
            k[(*row, *column)] = (small[(i, j)] + small[(j, i)]) * 0.5;
        }
    }
    k
}

/// The block of one or two ellipsoids that touch, its moment rows scaled to velocities, and its condition.
fn rigid_block(rng: &mut Rng, rows: &[usize]) -> (Matrix6<f64>, f64, [f64; 2]) {
    let frame = rng.rotation();
    let mut jacobian_product = Matrix6::<f64>::zeros();
    let bodies = if rng.chance(0.5) { 1 } else { 2 };
    for _ in 0..bodies {
        let axes = Vector3::from_fn(|_, _| rng.range(0.2, 1.0));
        let mass = rng.log_range(0.1, 10.0);
        let inertia = Vector3::new(
            axes.y * axes.y + axes.z * axes.z,
            axes.x * axes.x + axes.z * axes.z,
            axes.x * axes.x + axes.y * axes.y,
        ) * (mass / 5.0);
        let q = rng.rotation();
        let inverse = q * Matrix3::from_diagonal(&inertia.map(|i| 1.0 / i)) * q.transpose();
        let arm = q * rng.direction().component_mul(&axes);
        let linear: Vec<Vector3<f64>> = (0..3).map(|i| frame.column(i).into_owned()).collect();
        for i in 0..6 {
            for j in 0..6 {
                let turn = |row: usize| if row < 3 { arm.cross(&linear[row]) } else { linear[row - 3] };
                let straight = if i == j && i < 3 { 1.0 / mass } else { 0.0 };
                jacobian_product[(i, j)] += straight + turn(i).dot(&(inverse * turn(j)));
            }
        }
    }
    let k = jacobian_product;
    let sliding = (k[(1, 1)] + k[(2, 2)]) / 2.0;
    let lengths = [(sliding / k[(3, 3)]).sqrt(), (2.0 * sliding / (k[(4, 4)] + k[(5, 5)])).sqrt()];
    let scale = Vector6::new(1.0, 1.0, 1.0, lengths[0], lengths[1], lengths[1]);
    let scaled = Matrix6::from_fn(|i, j| k[(i, j)] * scale[i] * scale[j]);
    let small = DMatrix::from_fn(rows.len(), rows.len(), |i, j| scaled[(rows[i], rows[j])]);
    let eigenvalues = small.clone().symmetric_eigenvalues();
    (spread_out(&small, rows), eigenvalues.max() / eigenvalues.min(), lengths)
}

/// A random contact, rounded to a precision.
fn sample<T: Real>(rng: &mut Rng, rows: &[usize], most_condition: f64) -> Sample {
    let (k, condition, lengths) = if rng.chance(0.4) {
        rigid_block(rng, rows)
    } else {
        let (k, condition) = random_block(rng, rows, most_condition);
        (k, condition, [1.0; 2])
    };
    let k = k.map(|x| T::lit(x).to_f64());
    let size = (k[(0, 0)] + k[(1, 1)] + k[(2, 2)]) / 3.0;
    let speed = rng.log_range(1e-6, 1e3);
    let direction = DVector::from_fn(rows.len(), |_, _| rng.range(-1.0, 1.0)).normalize();
    let mut free = [0.0; 6];
    rows.iter().enumerate().for_each(|(i, row)| free[*row] = T::lit(direction[i] * speed).to_f64());
    let has = |row: usize| rows.contains(&row);
    let is_joined = has(3) && rng.chance(0.25);
    let preload = if rng.chance(0.6) { 0.0 } else { rng.log_range(1e-3, 1.0) * speed / size };
    let law = MomentLaw {
        mu: rng.log_range(0.03, 2.0),
        torsion: if has(3) { rng.log_range(1e-6, 1.0) / lengths[0] } else { 0.0 },
        rolling: if has(4) { rng.log_range(1e-6, 1.0) / lengths[1] } else { 0.0 },
        preload,
        is_joined,
    };
    Sample { k, law: rounded::<T>(&law), free, condition }
}

fn rounded<T: Real>(law: &MomentLaw<f64>) -> MomentLaw<f64> {
    let round = |x: f64| T::lit(x).to_f64();
    MomentLaw {
        mu: round(law.mu),
        torsion: round(law.torsion),
        rolling: round(law.rolling),
        preload: round(law.preload),
        is_joined: law.is_joined,
    }
}

/// A law in a precision, its preload times the scale of impulses.
fn law_in<T: Real>(law: &MomentLaw<f64>, impulse_scale: T) -> MomentLaw<T> {
    MomentLaw {
        mu: T::lit(law.mu),
        torsion: T::lit(law.torsion),
        rolling: T::lit(law.rolling),
        preload: T::lit(law.preload) * impulse_scale,
        is_joined: law.is_joined,
    }
}

/// Solves a contact; `warm` starts from the `σ` of a slightly different velocity. Returns the impulse unscaled.
fn solve<T: Real>(sample: &Sample, warm: Option<&mut Rng>) -> (MomentSolution<T>, [f64; 6]) {
    let k: Matrix6<T> = sample.k.map(|x| T::lit(x));
    let impulse_scale = MomentBlock::new(&k, &law_in(&sample.law, T::ONE)).1;
    let law = law_in(&sample.law, impulse_scale);
    let block = MomentBlock::new(&k, &law).0;
    let free = sample.free.map(|x| T::lit(x));
    let solution = match warm {
        None => exact_with_moments(&block, &law, &free),
        Some(rng) => {
            let off = [1e-6, 1e-3, 0.1][rng.below(3)];
            let nearby = free.map(|x| x * T::lit(1.0 + rng.range(-off, off)));
            let sigma = exact_with_moments(&block, &law, &nearby).sigma;
            exact_with_moments_near(&block, &law, &free, &sigma)
        }
    };
    (solution, solution.impulse.map(|x| (x / impulse_scale).to_f64()))
}

fn length(v: &[f64; 6]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Random contacts, cold or warm.
fn study<T: Real>(name: &str, rows: &[usize], cases: u32, most_condition: f64, is_warm: bool) {
    let mut rng = Rng::new(rows.len() as u64 + 16 * T::BYTES as u64 + u64::from(is_warm) * 1000);
    let (mut worst, mut worst_case) = (0.0_f64, String::new());
    let (mut steps, mut solved_by_steps, mut most_steps, mut by_bracket) = (0_u64, 0_u32, 0, 0);
    for case in 0..cases {
        let sample = sample::<T>(&mut rng, rows, most_condition);
        let (solution, x) = solve::<T>(&sample, is_warm.then_some(&mut rng));
        assert!(x.iter().all(|part| part.is_finite()), "case {case} is not finite: {sample:?}");
        assert!(x[0] >= 0.0, "case {case} pulls: {sample:?}");
        let error = violation(&sample.k, &sample.law, &sample.free, &x)
            / (T::EPSILON.to_f64() * sample.condition * length(&sample.free));
        if error > worst {
            worst = error;
            worst_case = format!(
                "case {case}, cond {:.1e}, steps {}, bracket {}, {:?}",
                sample.condition, solution.steps, solution.by_bracket, sample.law
            );
        }
        steps += u64::from(solution.steps);
        solved_by_steps += u32::from(solution.steps > 0);
        most_steps = most_steps.max(solution.steps);
        by_bracket += u32::from(solution.by_bracket);
    }
    println!(
        "| {} rows | {name} | {cases} | {:.2} | {most_steps} | {by_bracket} | {worst:.2} | {worst_case}",
        rows.len(),
        steps as f64 / f64::from(solved_by_steps.max(1)),
    );
    assert!(worst <= 32.0, "{worst:.2} eps cond: {worst_case}");
    assert!(u64::from(by_bracket) * 50 <= u64::from(cases), "{by_bracket} of {cases} by brackets");
}

/// Cold and warm.
fn studies<T: Real>(name: &str, rows: &[usize], most_condition: f64) {
    study::<T>(&format!("{name} cold"), rows, effort::cases(5_000, 1_000_000), most_condition, false);
    study::<T>(&format!("{name} warm"), rows, effort::cases(2_000, 500_000), most_condition, true);
}

#[test]
fn contacts_with_torsion_in_double_precision_satisfy_the_law() {
    studies::<f64>("f64", &FOUR, 1e6);
}

#[test]
fn contacts_with_torsion_in_single_precision_satisfy_the_law() {
    studies::<f32>("f32", &FOUR, 1e4);
}

#[test]
fn contacts_with_rolling_in_double_precision_satisfy_the_law() {
    studies::<f64>("f64", &FIVE, 1e6);
}

#[test]
fn contacts_with_rolling_in_single_precision_satisfy_the_law() {
    studies::<f32>("f32", &FIVE, 1e4);
}

#[test]
fn contacts_with_torsion_and_rolling_in_double_precision_satisfy_the_law() {
    studies::<f64>("f64", &SIX, 1e6);
}

#[test]
fn contacts_with_torsion_and_rolling_in_single_precision_satisfy_the_law() {
    studies::<f32>("f32", &SIX, 1e4);
}

/// Normal and rolling alternately never end here: the moment unloads the contact, and the unloaded contact drops it.
#[test]
fn the_contact_on_which_splitting_cycles_is_solved_exactly() {
    let mut k = Matrix6::identity();
    (k[(0, 4)], k[(4, 0)]) = (0.9, 0.9);
    let law = MomentLaw { mu: 0.0, torsion: 0.0, rolling: 2.0, preload: 0.0, is_joined: false };
    let (block, impulse_scale) = MomentBlock::new(&k, &law);
    let solution = exact_with_moments(&block, &law, &[-1.0, 0.0, 0.0, 0.0, -2.0, 0.0]);
    let x = solution.impulse.map(|part| part / impulse_scale);
    let expected = [1.0 / 2.8_f64, 0.0, 0.0, 0.0, 2.0 / 2.8, 0.0];
    assert!((0..6).all(|i| (x[i] - expected[i]).abs() < 1e-14), "{x:?}");
    assert!(!solution.by_bracket);
}

#[test]
fn an_exact_step_takes_at_least_the_energy_that_its_impulse_costs() {
    let mut rng = Rng::new(11);
    for _ in 0..effort::cases(3_000, 100_000) {
        let sample = Sample {
            law: MomentLaw { preload: 0.0, ..sample::<f64>(&mut rng, &SIX, 1e3).law },
            ..sample::<f64>(&mut rng, &SIX, 1e3)
        };
        let x = Vector6::from(solve::<f64>(&sample, None).1);
        let free = Vector6::from(sample.free);
        let cost = 0.5 * x.dot(&(sample.k * x));
        let energy = cost + free.dot(&x);
        let rounding = 1e-12 * sample.condition * free.norm() * x.norm();
        assert!(energy <= -cost + rounding, "{energy:e} above {:e}: {sample:?}", -cost);
    }
}

/// A disc that slides and spins, torsion and sliding as one ellipsoid with the radius of gyration: all of its motion
/// slows down alike.
#[test]
fn a_limit_surface_slows_sliding_and_spinning_alike() {
    let law = MomentLaw { mu: 0.3, torsion: 0.3, rolling: 0.0, preload: 0.0, is_joined: true };
    let (block, impulse_scale) = MomentBlock::new(&Matrix6::identity(), &law);
    let (falls, slides, across, spins) = (-0.1, 0.8, -0.3, 0.5_f64);
    let solution = exact_with_moments(&block, &law, &[falls, slides, across, spins, 0.0, 0.0]);
    let x = solution.impulse.map(|part| part / impulse_scale);
    let speed = (slides * slides + across * across + spins * spins).sqrt();
    let expected = [0.1, slides, across, spins].map(|u| -0.03 * u / speed);
    assert!((x[0] - 0.1).abs() < 1e-14 && (1..4).all(|i| (x[i] - expected[i]).abs() < 1e-15), "{x:?}");
    assert_eq!(x[4..], [0.0; 2]);
    // Apart, each has the whole coefficient.
    let apart = MomentLaw { is_joined: false, ..law };
    let x = exact_with_moments(
        &MomentBlock::new(&Matrix6::identity(), &apart).0,
        &apart,
        &[falls, slides, across, spins, 0.0, 0.0],
    )
    .impulse;
    assert!((x[3] + 0.03).abs() < 1e-15 && (x[1].hypot(x[2]) - 0.03).abs() < 1e-15, "{x:?}");
}

#[test]
fn without_moments_the_answer_is_that_of_the_contact_with_three_rows() {
    let mut rng = Rng::new(12);
    let (mut worst, mut differ) = (0.0_f64, 0);
    let cases = effort::cases(5_000, 200_000);
    for _ in 0..cases {
        let whole = sample::<f64>(&mut rng, &SIX, 1e3);
        let law = MomentLaw { torsion: 0.0, rolling: 0.0, ..whole.law };
        let small: Matrix3<f64> = whole.k.fixed_view::<3, 3>(0, 0).into_owned();
        let (block, impulse_scale) = Block::new(&small);
        let (moment_block, moment_scale) = MomentBlock::new(&whole.k, &law);
        assert_eq!(impulse_scale, moment_scale);
        let law = law_in(&law, impulse_scale);
        let free = Vector3::new(whole.free[0], whole.free[1], whole.free[2]);
        let ours = exact_with_moments(&moment_block, &law, &whole.free).impulse;
        let theirs = exact(&block, &Cone { mu: law.mu, preload: law.preload }, &free).impulse;
        assert_eq!(ours[3..], [0.0; 3]);
        let off = (Vector3::new(ours[0], ours[1], ours[2]) - theirs).norm() / free.norm();
        if off > 1e-9 * whole.condition { differ += 1 } else { worst = worst.max(off / whole.condition) }
    }
    println!("{cases} contacts without moments: off by {worst:.1e} cond, {differ} with another solution");
    // The law can have several solutions, which are rare.
    assert!(worst < 1e-13 && differ * 200 <= cases);
}

#[test]
fn extreme_magnitudes_give_finite_admissible_impulses() {
    let mut rng = Rng::new(13);
    for case in 0..effort::cases(20_000, 500_000) {
        let mut sample = sample::<f32>(&mut rng, [&FOUR[..], &FIVE, &SIX][case % 3], 1e4);
        let (low, high) = [(1e-24, 1e-12), (1e15, 1e24), (1e-18, 1e18)][rng.below(3)];
        for u in &mut sample.free {
            *u = f64::from((rng.log_range(low, high) * u.signum()) as f32);
        }
        sample.law.preload = if rng.chance(0.5) { 0.0 } else { f64::from(rng.log_range(low, high) as f32) };
        let warm = rng.chance(0.5);
        let (solution, _) = solve::<f32>(&sample, warm.then_some(&mut rng));
        admissible(&sample, &solution, case);
    }
}

/// Whether the scaled impulse is finite and inside its cone.
fn admissible(sample: &Sample, solution: &MomentSolution<f32>, case: usize) {
    let k: Matrix6<f32> = sample.k.map(|x| x as f32);
    let scale = MomentBlock::new(&k, &law_in(&sample.law, 1.0)).1;
    let law = law_in::<f32>(&sample.law, scale);
    let x = solution.impulse;
    assert!(x.iter().chain(&solution.sigma).all(|part| part.is_finite()), "case {case}: {x:?} {sample:?}");
    let x = x.map(f64::from);
    assert!(x[0] >= 0.0, "case {case}: {x:?}");
    for (rows, coefficient) in groups(&MomentLaw { preload: 0.0, ..sample.law }) {
        let radius = coefficient * (x[0] + f64::from(law.preload));
        let length = rows.iter().map(|i| x[*i] * x[*i]).sum::<f64>().sqrt();
        assert!(length <= radius * (1.0 + 2e-6) + 1e-37, "case {case}: {length:e} beyond {radius:e}: {x:?} {sample:?}");
    }
}

#[test]
fn odd_numbers_never_give_nan() {
    let odd = [0.0, -1.0, 1e-300, -5e-324, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let mut coupled = Matrix6::identity();
    (coupled[(0, 1)], coupled[(1, 0)], coupled[(2, 4)], coupled[(4, 2)]) = (0.6, 0.6, -0.7, -0.7);
    (coupled[(0, 3)], coupled[(3, 0)]) = (0.3, 0.3);
    let singular = Matrix6::from_element(1.0);
    let mut indefinite = Matrix6::from_element(-3.0);
    indefinite.fill_diagonal(1.0);
    for k in [Matrix6::identity(), coupled, singular, indefinite, Matrix6::identity() * 1e-300, coupled * 1e300] {
        for (rolling, preload, is_joined) in [(0.1, 0.0, false), (0.1, 1.0, false), (1e6, 1e-3, true)] {
            let law = MomentLaw { mu: 0.5, torsion: 0.2, rolling, preload, is_joined };
            let (block, _) = MomentBlock::new(&k, &law);
            for bits in 0..8_usize.pow(4) {
                let at = |digit: u32| odd[bits / 8_usize.pow(digit) % 8];
                let free = [at(0), at(1), at(3), at(2), at(3), at(1)];
                let found = exact_with_moments(&block, &law, &free);
                let near = exact_with_moments_near(&block, &law, &free, &[at(3), at(2), at(1)]);
                for MomentSolution { impulse, sigma, .. } in [found, near] {
                    let all = impulse.iter().chain(&sigma);
                    assert!(all.clone().all(|x| !x.is_nan()), "{free:?} {law:?} {k}: {impulse:?} {sigma:?}");
                    if free.iter().all(|x| x.is_finite()) {
                        assert!(
                            all.clone().all(|x| x.is_finite()) && impulse[0] >= 0.0,
                            "{free:?} {law:?} {k}: {impulse:?} {sigma:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn rows_that_nothing_can_turn_carry_no_moment() {
    let mut k = Matrix6::identity();
    for row in 3..6 {
        k[(row, row)] = 0.0;
    }
    let law = MomentLaw { mu: 0.5, torsion: 0.1, rolling: 0.1, preload: 0.0, is_joined: false };
    let (block, _) = MomentBlock::new(&k, &law);
    let x = exact_with_moments(&block, &law, &[-1.0, 0.1, 0.0, 5.0, 5.0, 5.0]).impulse;
    assert!((x[0] - 1.0_f64).abs() < 1e-14 && (x[1] + 0.1).abs() < 1e-14, "{x:?}");
    assert_eq!(x[3..], [0.0; 3]);
    assert!(!block.is_replaced());
    assert!(MomentBlock::<f64>::new(&Matrix6::from_element(1.0), &law).0.is_replaced());
}

/// The natural map vanishes at answers and the projection is the nearest point of the cone.
#[test]
fn the_natural_map_vanishes_at_answers_and_nowhere_near_others() {
    let mut rng = Rng::new(14);
    for _ in 0..effort::cases(2_000, 100_000) {
        let sample = sample::<f64>(&mut rng, &SIX, 1e2);
        let law = sample.law;
        let x = solve::<f64>(&sample, None).1;
        let size = (sample.k[(0, 0)] + sample.k[(1, 1)] + sample.k[(2, 2)]) / 3.0;
        let velocity = |x: &[f64; 6]| (sample.k * Vector6::from(*x) + Vector6::from(sample.free)).into();
        let map = law.natural_map(&x, &velocity(&x), 1.0 / size);
        assert!(length(&map) * size <= 1e-12 * length(&sample.free), "{map:?} {sample:?}");
        // The nearest point: from it, no point of the cone lies towards the point that was projected.
        let any: [f64; 6] = core::array::from_fn(|_| rng.range(-1.0, 1.0) / size);
        let nearest = law.project(&any);
        let other = law.clamp(&core::array::from_fn(|_| rng.range(-1.0, 1.0) / size));
        let turned: f64 = (0..6).map(|i| (any[i] - nearest[i]) * (other[i] - nearest[i])).sum();
        assert!(turned <= 1e-12 / (size * size), "{turned:e}: {any:?} {nearest:?} {law:?}");
        assert!(law.excess(&nearest) <= 1e-14 * length(&nearest) && nearest[0] >= 0.0, "{nearest:?} {law:?}");
        let moved: [f64; 6] = core::array::from_fn(|i| x[i] * 0.9);
        if x[0] > 0.0 && law.preload == 0.0 {
            assert!(length(&law.natural_map(&moved, &velocity(&moved), 1.0 / size)) > 0.0);
        }
    }
}
