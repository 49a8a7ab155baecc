//! Bodies and contacts against the same problem as a Delassus matrix: impulses after as many sweeps agree, as "two ways in"
//! of `tests/laws.rs` says, to its tabled tolerance; and any matrix at all is refused or solved with finite, admissible
//! impulses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::{DMatrix, Matrix3, Vector3};
use stiction::delassus::{Delassus, DelassusSolver};
use stiction::local::Block;
use stiction::{ContactConstraint, Method, Real, Settings, Solver, SweepOrder};
use stiction_fuzz::laws::length;
use stiction_fuzz::scene::{self, Scene, Shape, TAME};
use stiction_fuzz::{Bytes, Mood, NB, NC};
use stiction_host::island::Island;
use stiction_host::tolerance;

/// As that law draws its islands, but for masses that are further apart there.
const SHAPE: Shape = Shape { mass_ratio: 100.0, mu: 1.0, ..TAME };

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    match bytes.below(4) {
        0 => two_ways_in::<f64>(&mut bytes),
        1 => two_ways_in::<f32>(&mut bytes),
        2 => any_matrix::<f64>(&mut bytes),
        _ => any_matrix::<f32>(&mut bytes),
    }
});

fn two_ways_in<T: Real>(bytes: &mut Bytes<'_>) {
    let sweeps = 1 + bytes.below(7) as u32;
    let Scene { mut bodies, contacts } = scene::scene::<T>(bytes, Mood::Usual, &SHAPE);
    if contacts.is_empty() {
        return;
    }
    let island = Island {
        bodies: (0..bodies.len()).filter_map(|i| bodies.get(i)).map(|b| in_double(&b)).collect(),
        contacts: (0..contacts.len()).filter_map(|i| contacts.get(i)).map(|c| contact_in_double(&c)).collect(),
    };
    let settings = Settings { order: SweepOrder::Forward, sweeps, tolerance: T::ZERO, ..Settings::default() };
    let mut solver = Solver::<T, NB, NC>::new();
    let report = solver.solve(&mut bodies, &contacts, &settings).expect("an admissible problem");
    // Iterates are compared, so both must sweep; frictionless islands are solved at once where bodies are known.
    if report.passivity_guard || report.method != Method::BlockPgs {
        return;
    }
    let whole = island.delassus(&[]);
    let n = contacts.len();
    let w: Vec<T> = whole.w.transpose().iter().map(|x| T::lit(*x)).collect();
    let q: Vec<Vector3<T>> = (0..n).map(|i| whole.q.fixed_rows::<3>(3 * i).map(T::lit)).collect();
    let mu: Vec<T> = whole.mu.iter().map(|x| T::lit(*x)).collect();
    let mut from_matrix = DelassusSolver::<T, NC>::new();
    let problem = Delassus::dense(&w, &q, &mu).expect("an admissible matrix");
    if from_matrix.solve(&problem, &settings).expect("admissible settings").passivity_guard {
        return;
    }
    let impulse = |i: usize| from_matrix.impulse(i).expect("an impulse").map(T::to_f64);
    let scale: f64 = (0..n).map(|i| impulse(i).norm()).sum::<f64>() + 1.0;
    for (i, contact) in island.contacts.iter().enumerate() {
        let outcome = solver.contact(i).expect("an outcome");
        let mut y = ContactConstraint::new(contact).frame().components(&outcome.tangent.map(T::to_f64));
        y.x = outcome.normal.to_f64();
        let off = (impulse(i) - y).norm() / scale;
        let allowed = tolerance::of::<T>("two ways in");
        // The table is for problems drawn at random; a fuzzer looks for those that amplify rounding most.
        let told = || format!("contact {i} is off by {off:e}: {island:?}");
        assert!(off <= allowed || off <= 8.0 * amplified(&island, sweeps, left_by_steps::<T>(&whole.w)), "{}", told());
    }
}

/// What exact steps may leave, relative to velocities: 16 ε cond(K) (`tests/exact_step.rs`).
fn left_by_steps<T: Real>(w: &DMatrix<f64>) -> f64 {
    let block = |i: usize| Block::new(&w.fixed_view::<3, 3>(3 * i, 3 * i).into_owned()).0;
    let worst = (0..w.nrows() / 3).map(|i| block(i).coupling().condition).fold(1.0, f64::max);
    16.0 * T::EPSILON.to_f64() * worst
}

/// How far impulses move, relative to all of them, when every velocity, lever arm and inertia moves by as much, each its own way:
/// the furthest of some ways to round.
fn amplified(island: &Island, sweeps: u32, rounding: f64) -> f64 {
    let settings = Settings { order: SweepOrder::Forward, sweeps, tolerance: 0.0, ..Settings::default() };
    let solved = |island: &Island| island.solve::<f64>(&settings).expect("an admissible problem").contacts;
    let plain = solved(island);
    let scale: f64 = plain.iter().map(|c| c.normal.hypot(c.tangent.norm())).sum::<f64>() + 1.0;
    let mut most = 0.0_f64;
    for way in 0..8 {
        let jolted = solved(&rounded(island, way, rounding));
        let apart = plain.iter().zip(&jolted).map(|(a, b)| (a.normal - b.normal).hypot((a.tangent - b.tangent).norm()));
        most = apart.fold(most, f64::max);
    }
    most / scale
}

/// One way to round. Each number its own: twins among contacts share out by rounding what one of them would carry.
fn rounded(island: &Island, way: usize, rounding: f64) -> Island {
    let jolt = |i: usize| {
        let sign = (i + 1) * (2 * way + 1);
        let by = |bit: usize| if sign & (1 << bit) == 0 { rounding } else { -rounding };
        Vector3::new(1.0 + by(0), 1.0 + by(1), 1.0 + by(2))
    };
    let mut moved = island.clone();
    for (i, body) in moved.bodies.iter_mut().enumerate() {
        body.linear.component_mul_assign(&jolt(i));
        body.angular.component_mul_assign(&jolt(i + 1));
        // From both sides: it stays symmetric, and an inertia.
        let turn = Matrix3::from_diagonal(&jolt(i + 2));
        body.inverse_inertia = turn * body.inverse_inertia * turn;
    }
    for (i, contact) in moved.contacts.iter_mut().enumerate() {
        contact.r_a.component_mul_assign(&jolt(i + 3));
        contact.r_b.component_mul_assign(&jolt(i + 4));
    }
    moved
}

fn in_double<T: Real>(body: &stiction::Body<T>) -> stiction::Body<f64> {
    stiction::Body {
        inverse_mass: body.inverse_mass.to_f64(),
        inverse_inertia: body.inverse_inertia.map(T::to_f64),
        linear: body.linear.map(T::to_f64),
        angular: body.angular.map(T::to_f64),
    }
}

fn contact_in_double<T: Real>(contact: &stiction::Contact<T>) -> stiction::Contact<f64> {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    let (normal, r_a, r_b) = (wide(&contact.normal), wide(&contact.r_a), wide(&contact.r_b));
    stiction::Contact::new(contact.a, contact.b, normal, r_a, r_b, contact.mu.to_f64())
}

fn any_matrix<T: Real>(bytes: &mut Bytes<'_>) {
    let mood = bytes.mood();
    let n = 1 + bytes.below(3);
    let settings = scene::settings::<T>(bytes, mood);
    let limit = T::INVERSE_MASS_LIMIT;
    let q: Vec<Vector3<T>> = (0..n).map(|_| bytes.vector(mood, 5.0, T::LINEAR_SPEED_LIMIT)).collect();
    let mu: Vec<T> = (0..n).map(|_| bytes.magnitude(mood, 2.0, T::FRICTION_LIMIT)).collect();
    let mut w: Vec<T> = (0..9 * n * n).map(|_| bytes.number(mood, 0.1, limit)).collect();
    for i in 0..3 * n {
        let at = i * 3 * n + i;
        w[at] = w[at].abs() + if mood == Mood::Usual { T::ONE } else { T::ZERO };
    }
    let Ok(problem) = Delassus::dense(&w, &q, &mu) else { return };
    let mut solver = DelassusSolver::<T, NC>::new();
    let Ok(report) = solver.solve(&problem, &settings) else { return };
    // The impulse that is handed out is the sum of what sweeps added to it, so it is in its cone up to the rounding of the
    // largest one on the way there, which the velocities at hand are a measure of.
    let speed = q.iter().map(|q| q.map(T::to_f64)).map(|q| length(&q)).fold(0.0, f64::max);
    for (i, mu) in mu.iter().enumerate() {
        let x = solver.impulse(i).expect("an impulse").map(T::to_f64);
        assert!(x.iter().all(|part| part.is_finite()), "an impulse that is no number: {x} {report:?}");
        let size = (0..3).map(|k| w[(3 * i + k) * 3 * n + 3 * i + k].to_f64()).sum::<f64>() / 3.0;
        let rounding = 256.0 * T::EPSILON.to_f64() * (speed / size) * (1.0 + mu.to_f64());
        let (tangent, radius) = (x.y.hypot(x.z), mu.to_f64() * x.x);
        if mood == Mood::Usual {
            assert!(x.x >= -rounding && tangent <= radius + rounding, "outside its cone: {x} {mu} {report:?}");
        }
    }
    assert!(report.residual.natural.finite() && report.work.finite(), "{report:?}");
}
