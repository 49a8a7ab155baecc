//! Bodies and contacts against the same problem as a Delassus matrix. After the same number of sweeps, impulses agree
//! to the tabled tolerance of "delassus form" in `tests/properties.rs`, or both are sweeps of exact steps. Any other
//! matrix is rejected, or solved with finite, admissible impulses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::Vector3;
use stiction::{Bodies, Contact, ContactConstraint, Contacts, Method, Real, Settings, Solver, SweepOrder};
use stiction::{Delassus, DelassusSolver};
use stiction_fuzz::laws::length;
use stiction_fuzz::scene::{self, Scene, Shape, TAME};
use stiction_fuzz::{Bytes, Mood, NB, NC};
use stiction_testkit::island::Island;
use stiction_testkit::merit::{condition, violation};
use stiction_testkit::oracle::Whole;
use stiction_testkit::tolerance;

/// As that law draws its islands, but with a smaller mass ratio.
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
    let Scene { bodies, contacts } = scene::scene::<T>(bytes, Mood::Usual, &SHAPE);
    if contacts.is_empty() {
        return;
    }
    let island = Island {
        bodies: (0..bodies.len()).filter_map(|i| bodies.get(i)).map(|b| in_double(&b)).collect(),
        contacts: (0..contacts.len()).filter_map(|i| contacts.get(i)).map(|c| contact_in_double(&c)).collect(),
    };
    let whole = island.delassus(&[]);
    let from_bodies = |sweeps| impulses_from_bodies(&bodies, &contacts, &island, sweeps);
    let from_matrix = |sweeps| impulses_from_matrix::<T>(&whole, sweeps);
    let (Some(one), Some(other)) = (from_bodies(sweeps), from_matrix(sweeps)) else { return };
    let scale: f64 = other.iter().map(|x| x.norm()).sum::<f64>() + 1.0;
    let difference = one.iter().zip(&other).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / scale;
    if difference <= tolerance::of::<T>("delassus form") {
        return;
    }
    // The table is for random problems. A fuzzer finds those that amplify rounding most, and contacts with two answers
    // between which rounding decides: then each must be a sweep of exact steps by itself.
    let cold = || vec![Vector3::zeros(); contacts.len()];
    let earlier =
        if sweeps > 1 { (from_bodies(sweeps - 1), from_matrix(sweeps - 1)) } else { (Some(cold()), Some(cold())) };
    if let (Some(before_one), Some(before_other)) = earlier {
        check_sweep::<T>(&whole, &before_one, &one);
        check_sweep::<T>(&whole, &before_other, &other);
    }
}

/// Settings for an exact number of sweeps.
fn settings<T: Real>(sweeps: u32) -> Settings<T> {
    Settings { order: SweepOrder::Forward, sweeps, tolerance: T::ZERO, ..Settings::default() }
}

/// Impulses along each contact's axes; `None` where the guard acted or another method than sweeps was used.
fn impulses_from_bodies<T: Real>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC>,
    island: &Island,
    sweeps: u32,
) -> Option<Vec<Vector3<f64>>> {
    let mut solver = Solver::<T, NB, NC>::new();
    let report = solver
        .solve(&mut bodies.clone(), contacts, &settings(sweeps), T::lit(1.0 / 60.0))
        .expect("an admissible problem");
    // Frictionless islands are solved directly where bodies are known.
    if report.passivity_guard || report.method != Method::BlockPgs {
        return None;
    }
    let impulse = |(i, contact): (usize, &Contact<f64>)| {
        let outcome = solver.contact(i).expect("an outcome");
        let mut x = ContactConstraint::new(contact)
            .expect("a valid contact")
            .frame()
            .components(&outcome.tangent_impulse.map(T::to_f64));
        x.x = outcome.normal_impulse.to_f64();
        x
    };
    Some(island.contacts.iter().enumerate().map(impulse).collect())
}

/// The same.
fn impulses_from_matrix<T: Real>(whole: &Whole, sweeps: u32) -> Option<Vec<Vector3<f64>>> {
    let n = whole.mu.len();
    let w: Vec<T> = whole.w.transpose().iter().map(|x| T::lit(*x)).collect();
    let q: Vec<Vector3<T>> = (0..n).map(|i| whole.q.fixed_rows::<3>(3 * i).map(T::lit)).collect();
    let mu: Vec<T> = whole.mu.iter().map(|x| T::lit(*x)).collect();
    let mut solver = DelassusSolver::<T, NC>::new();
    let problem = Delassus::dense(&w, &q, &mu).expect("an admissible matrix");
    if solver.solve(&problem, &settings(sweeps)).expect("admissible settings").passivity_guard {
        return None;
    }
    Some((0..n).map(|i| solver.impulse(i).expect("an impulse").map(T::to_f64)).collect())
}

/// Whether every contact obeys Coulomb's law given the new impulses of the contacts before it and the old impulses of
/// those after it. The tolerance is that of an exact step (`tests/local.rs`) plus the rounding of the contact's
/// velocity, which is a sum.
fn check_sweep<T: Real>(whole: &Whole, before: &[Vector3<f64>], after: &[Vector3<f64>]) {
    for (i, x) in after.iter().enumerate() {
        let block = |j: usize| whole.w.fixed_view::<3, 3>(3 * i, 3 * j).into_owned();
        let mut free: Vector3<f64> = whole.q.fixed_rows::<3>(3 * i).into_owned();
        let mut size = free.norm();
        for (j, (old, new)) in before.iter().zip(after).enumerate().filter(|(j, _)| *j != i) {
            let part = block(j) * if j < i { new } else { old };
            free += part;
            size += part.norm() + (block(j) * old).norm();
        }
        let k = block(i);
        let error = violation(&k, &free, x, whole.mu[i], 0.0);
        let allowed = 64.0 * T::EPSILON.to_f64() * condition(&k) * (size + (k * x).norm());
        assert!(error <= allowed, "contact {i} is off by {:.1} of what is allowed: {whole:?}", error / allowed);
    }
}

fn in_double<T: Real>(body: &stiction::Body<T>) -> stiction::Body<f64> {
    stiction::Body {
        inverse_mass: body.inverse_mass.to_f64(),
        inverse_inertia_world: body.inverse_inertia_world.map(T::to_f64),
        linear_velocity: body.linear_velocity.map(T::to_f64),
        angular_velocity: body.angular_velocity.map(T::to_f64),
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
    let (settings, _) = scene::settings::<T>(bytes, mood);
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
    // The returned impulse is a sum over sweeps, so it is in its cone up to the rounding of its largest intermediate
    // value, which is estimated from the velocities.
    let speed = q.iter().map(|q| q.map(T::to_f64)).map(|q| length(&q)).fold(0.0, f64::max);
    for (i, mu) in mu.iter().enumerate() {
        let x = solver.impulse(i).expect("an impulse").map(T::to_f64);
        assert!(x.iter().all(|part| part.is_finite()), "an impulse that is not finite: {x} {report:?}");
        let size = (0..3).map(|k| w[(3 * i + k) * 3 * n + 3 * i + k].to_f64()).sum::<f64>() / 3.0;
        let rounding = 256.0 * T::EPSILON.to_f64() * (speed / size) * (1.0 + mu.to_f64());
        let (tangent, radius) = (x.y.hypot(x.z), mu.to_f64() * x.x);
        if mood == Mood::Usual {
            assert!(x.x >= -rounding && tangent <= radius + rounding, "outside its cone: {x} {mu} {report:?}");
        }
    }
    assert!(report.residual.natural.is_finite() && report.work.is_finite(), "{report:?}");
}
