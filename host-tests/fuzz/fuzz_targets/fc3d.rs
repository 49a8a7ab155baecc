//! `.fc3d` files: rejected with a one-line error, or parsed with no byte lost. A parsed problem is then rejected by the
//! kernel's validation, or solved with finite numbers and a computable published residual. Where a set of bodies could
//! have that matrix, impulses are in their cones and no energy is gained.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::{DMatrix, Matrix3, Vector3};
use stiction::DelassusSolver;
use stiction::{Real, Settings};
use stiction_fuzz::NC;
use stiction_fuzz::laws::least_length;
use stiction_testkit::fc3d::Fc3d;

const SWEEPS: f64 = 30.0;

fuzz_target!(|data: &[u8]| {
    match Fc3d::parse(data) {
        Err(line) => assert!(!line.contains('\n'), "not one line: {line:?}"),
        Ok(problem) => {
            assert_eq!(written(&problem), data, "read as something else");
            solve::<f64>(&problem);
            solve::<f32>(&problem);
        }
    }
});

fn solve<T: Real>(problem: &Fc3d) {
    let columns = problem.columns::<T>();
    let Ok(admitted) = problem.problem(&columns) else { return };
    let mut solver = DelassusSolver::<T, NC>::new();
    let settings = Settings { sweeps: SWEEPS as u32, ..Settings::default() };
    let Ok(report) = solver.solve(&admitted, &settings) else { return };
    let impulses: Vec<_> = (0..problem.len()).map(|i| solver.impulse(i).expect("an impulse").map(T::to_f64)).collect();
    assert!(impulses.iter().all(|x| x.iter().all(|part| part.is_finite())), "an impulse that is not finite");
    problem.published_residuals(&impulses);
    if is_mechanical(problem) {
        is_passive::<T>(problem, &impulses, report.work.to_f64());
        is_in_its_cones::<T>(problem, &impulses);
    }
}

/// Whether a set of bodies could have this matrix: symmetric, no negative eigenvalue, no contact that hardly moves
/// along one of its axes. With other matrices, impulses may grow far beyond their final values during the sweeps, and
/// the rounding of each step grows with them. And along impulses whose `x·W x` is negative, the energy has no minimum
/// that scaling could find.
fn is_mechanical(problem: &Fc3d) -> bool {
    let n = problem.len();
    let mut w = DMatrix::<f64>::zeros(3 * n, 3 * n);
    for i in 0..n {
        for k in problem.row_starts[i] as usize..problem.row_starts[i + 1] as usize {
            w.fixed_view_mut::<3, 3>(3 * i, 3 * problem.columns[k] as usize).copy_from(&problem.blocks[k]);
        }
    }
    let largest = w.amax();
    if !(1e-6..1e6).contains(&largest) || (&w - w.transpose()).amax() > 1e-6 * largest {
        return false;
    }
    let mobile = |i: usize| {
        let own: Matrix3<f64> = w.fixed_view::<3, 3>(3 * i, 3 * i).into_owned();
        own.symmetric_eigenvalues().min() > 1e-2 * largest
    };
    (0..n).all(mobile) && w.clone().symmetric_eigenvalues().min() > -1e-6 * largest
}

/// The problem's numbers rounded to a precision.
fn rounded<T: Real>(v: &Vector3<f64>) -> Vector3<f64> {
    v.map(|x| T::lit(x).to_f64())
}

/// `W x` of a contact.
fn pushed<T: Real>(problem: &Fc3d, impulses: &[Vector3<f64>], i: usize) -> Vector3<f64> {
    let row = problem.row_starts[i] as usize..problem.row_starts[i + 1] as usize;
    row.map(|k| problem.blocks[k].map(|x| T::lit(x).to_f64()) * impulses[problem.columns[k] as usize]).sum()
}

/// The energy that impulses add, `x·q + ½ x·W x`, is at most the rounding of its sums; both as reported and in double
/// precision.
fn is_passive<T: Real>(problem: &Fc3d, impulses: &[Vector3<f64>], reported: f64) {
    let (mut work, mut magnitude) = (0.0, f64::MIN_POSITIVE);
    for (i, x) in impulses.iter().enumerate() {
        let (q, pushed) = (rounded::<T>(&problem.q[i]), pushed::<T>(problem, impulses, i));
        work += x.dot(&q) + 0.5 * x.dot(&pushed);
        magnitude += x.abs().dot(&(q.abs() + pushed.abs()));
    }
    // With overflow there is nothing to compare.
    if magnitude.is_finite() {
        let allowed = 64.0 * T::EPSILON.to_f64() * magnitude;
        assert!(
            work <= allowed && reported <= allowed,
            "{work:e} J, reported {reported:e} J, {allowed:e} J is rounding"
        );
    }
}

fn diagonal(problem: &Fc3d) -> impl Iterator<Item = &Matrix3<f64>> {
    let row = |i: usize| problem.row_starts[i] as usize..problem.row_starts[i + 1] as usize;
    let own = move |i: usize| row(i).find(|k| problem.columns[*k] as usize == i);
    (0..problem.len()).filter_map(own).map(|k| &problem.blocks[k])
}

/// An impulse is a sum of steps, in its cone up to their rounding (`docs/reliability.md`).
fn is_in_its_cones<T: Real>(problem: &Fc3d, impulses: &[Vector3<f64>]) {
    let size = |k: &Matrix3<f64>| k.trace() / 3.0;
    let steps = problem.q.iter().zip(diagonal(problem)).map(|(q, k)| q.norm() / size(k));
    let largest = impulses.iter().map(Vector3::norm).chain(steps).fold(0.0, f64::max);
    for (x, mu) in impulses.iter().zip(&problem.mu) {
        let allowed = SWEEPS * 64.0 * T::EPSILON.to_f64() * (1.0 + mu) * largest + least_length::<T>();
        assert!(x.x >= -allowed, "a contact pulls by {:e}", -x.x);
        let (tangent, radius) = (x.y.hypot(x.z), mu * x.x.max(0.0));
        assert!(tangent <= radius + allowed, "{tangent:e} is beyond {radius:e} by more than {allowed:e}");
    }
}

/// The file of a problem.
fn written(problem: &Fc3d) -> Vec<u8> {
    let mut bytes = b"FC3DBSR1".to_vec();
    let numbers = |values: &mut dyn Iterator<Item = f64>| values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    let counts = |values: &[u32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    bytes.extend(counts(&[problem.len() as u32, problem.blocks.len() as u32]));
    bytes.extend(numbers(&mut problem.mu.iter().copied()));
    bytes.extend(numbers(&mut problem.q.iter().flat_map(|q| [q.x, q.y, q.z])));
    bytes.extend(numbers(&mut problem.blocks.iter().flat_map(|k| k.transpose().iter().copied().collect::<Vec<_>>())));
    bytes.extend(counts(&problem.row_starts));
    bytes.extend(counts(&problem.columns));
    bytes
}
