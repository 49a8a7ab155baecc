//! A million random one-contact problems per precision, against Coulomb's law evaluated in double precision.

use nalgebra::{Matrix3, Vector3};
use stiction::Real;
use stiction::local::{Block, Cone, LocalSolution, exact, exact_near};
use stiction_testkit::merit::{condition, violation};
use stiction_testkit::rng::Rng;

struct Study {
    worst: f64,
    worst_case: String,
    mean_steps: f64,
    most_steps: u32,
    slides: u32,
    sticks: u32,
    opens: u32,
}

/// Solves a contact, with additional random numbers.
type Solve<T> = fn(&Block<T>, &Cone<T>, &Vector3<T>, &mut Rng) -> LocalSolution<T>;

/// Without a starting guess.
fn without_guess<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>, _: &mut Rng) -> LocalSolution<T> {
    exact(block, cone, free)
}

/// From a good, bad or absurd guess: it must not matter.
fn from_guess<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>, rng: &mut Rng) -> LocalSolution<T> {
    let sigma = exact(block, cone, free).sigma.to_f64();
    let off = [1e-7, 1e-4, 1e-2, 1.0, 1e6][(rng.range(0.0, 5.0) as usize).min(4)];
    let guess = if rng.chance(0.1) { rng.log_range(1e-12, 1e12) } else { sigma * (1.0 + rng.range(-off, off)) };
    exact_near(block, cone, free, T::lit(guess))
}

/// The largest `violation / (ε cond(K) speed)` over random blocks.
fn study<T: Real>(cases: u32, most_condition: f64, seed: u64, solve: Solve<T>) -> Study {
    let mut rng = Rng::new(seed);
    let mut study =
        Study { worst: 0.0, worst_case: String::new(), mean_steps: 0.0, most_steps: 0, slides: 0, sticks: 0, opens: 0 };
    let epsilon: f64 = T::EPSILON.to_f64();
    for _ in 0..cases {
        let spread = rng.log_range(1.0, most_condition);
        let eigenvalues = Vector3::new(1.0, rng.log_range(1.0 / spread, 1.0), 1.0 / spread);
        let q = rng.rotation();
        let size = rng.log_range(1e-3, 1e3);
        let k64 = q * Matrix3::from_diagonal(&eigenvalues) * q.transpose() * size;
        let k64 = (k64 + k64.transpose()) * 0.5;
        let k: Matrix3<T> = k64.map(|x| T::lit(x));
        let k64: Matrix3<f64> = k.map(T::to_f64);
        let mu = if rng.chance(0.05) { 0.0 } else { rng.range(0.0, 3.0) };
        let speed = rng.log_range(1e-6, 1e3);
        let free: Vector3<T> = (rng.direction() * speed).map(|x| T::lit(x));
        let free64: Vector3<f64> = free.map(T::to_f64);
        let (block, unit) = Block::new(&k);
        let preload = if rng.chance(0.5) { T::ZERO } else { T::lit(rng.log_range(1e-3, 1.0) * speed) };
        let cone = Cone { mu: T::lit(mu), preload };
        let solution = solve(&block, &cone, &free, &mut rng);
        let unit64: f64 = unit.to_f64();
        let x: Vector3<f64> = solution.impulse.map(T::to_f64) / unit64;
        assert!(x.iter().all(|v| v.is_finite()), "not finite: {k64} {free64} {mu}");
        let mu64: f64 = T::lit(mu).to_f64();
        let preload64: f64 = preload.to_f64();
        let cond = condition(&k64);
        let error = violation(&k64, &free64, &x, mu64, preload64 / unit64) / (epsilon * cond * free64.norm());
        if error > study.worst {
            study.worst = error;
            study.worst_case = format!(
                "cond {cond:.3e} mu {mu:.3} speed {speed:.3e} preload {preload64:.3e} steps {}",
                solution.steps
            );
        }
        study.mean_steps += f64::from(solution.steps);
        study.most_steps = study.most_steps.max(solution.steps);
        if solution.steps > 0 {
            study.slides += 1;
        } else if x.norm() > 0.0 {
            study.sticks += 1;
        } else {
            study.opens += 1;
        }
    }
    study.mean_steps /= f64::from(study.slides.max(1));
    study
}

fn check(name: &str, study: &Study) {
    println!(
        "{name}: worst violation {:.2} eps cond, mean {:.2} and at most {} Newton steps a sliding contact; {} slide, {} stick, {} open; worst: {}",
        study.worst, study.mean_steps, study.most_steps, study.slides, study.sticks, study.opens, study.worst_case
    );
    assert!(study.worst <= 16.0);
    assert!(study.mean_steps <= 6.0);
    assert!(study.slides > 0 && study.sticks > 0 && study.opens > 0);
}

#[test]
fn a_million_random_contacts_in_double_precision_satisfy_coulombs_law() {
    check("f64", &study::<f64>(1_000_000, 1e6, 1, without_guess));
    check("f64 from a guess", &study::<f64>(500_000, 1e6, 3, from_guess));
}

#[test]
fn a_million_random_contacts_in_single_precision_satisfy_coulombs_law() {
    check("f32", &study::<f32>(1_000_000, 1e4, 2, without_guess));
    check("f32 from a guess", &study::<f32>(500_000, 1e4, 4, from_guess));
}

#[test]
fn the_exact_step_never_returns_nan_even_for_nan_input() {
    let odd = [0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 5e-324, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let blocks = [Matrix3::identity(), Matrix3::new(2.0, 0.9, 0.3, 0.9, 1.0, -0.2, 0.3, -0.2, 0.5)];
    for k in blocks {
        let (block, _) = Block::new(&k);
        for x in odd {
            for y in odd {
                for z in odd {
                    for (mu, preload) in [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1e6, 1e-3)] {
                        let free = Vector3::new(x, y, z);
                        let impulse = exact(&block, &Cone { mu, preload }, &free).impulse;
                        assert!(!impulse.iter().any(|v| v.is_nan()), "{free:?} mu {mu} preload {preload}: {impulse:?}");
                        for guess in odd {
                            let impulse = exact_near(&block, &Cone { mu, preload }, &free, guess).impulse;
                            assert!(!impulse.iter().any(|v| v.is_nan()), "{free:?} guess {guess}: {impulse:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_contact_is_within_its_cone_even_where_squares_overflow() {
    let mut rng = Rng::new(0x5e_a5);
    for _ in 0..20_000 {
        let free = Vector3::from_fn(|_, _| rng.log_range(1e15, 1e24) * if rng.chance(0.5) { 1.0 } else { -1.0 });
        let free = Vector3::new(-free.x.abs(), free.y, free.z).map(|x| x as f32);
        let k = Matrix3::new(1.0, 0.3, -0.2, 0.3, 2.0, 0.1, -0.2, 0.1, 0.7_f32);
        let cone = Cone { mu: rng.log_range(1e-3, 1e3) as f32, preload: 0.0 };
        let block = Block::new(&k).0;
        let guess = rng.log_range(1e-6, 1e6) as f32;
        for x in [exact(&block, &cone, &free), exact_near(&block, &cone, &free, guess)].map(|found| found.impulse) {
            let (tangent, radius) = (f64::from(x.y).hypot(f64::from(x.z)), f64::from(cone.mu) * f64::from(x.x));
            assert!(x.iter().all(|part| part.is_finite()) && tangent <= radius * (1.0 + 5e-7), "{x} {cone:?} {free}");
        }
    }
}
