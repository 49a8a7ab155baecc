//! Time of single solves and of the work around them. Wall time is for information and is not a pass criterion.
//! `compare` adds peers.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stiction::{Bodies, ContactConstraint, Contacts, LocalRule, Real, Settings, Solver};
use stiction::{ContactCache, PointId};
use stiction_benches::published::{PUBLISHED, Posed, folder};
use stiction_benches::subjects::{Ours, RULES, cold, one_contact, sweeps};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::stack;

/// Ten sweeps of every rule; an element is one contact in one sweep.
fn ten_sweeps<T: Real>(criterion: &mut Criterion, precision: &str) {
    for (name, island) in &cold() {
        let mut group = criterion.benchmark_group(format!("ten sweeps, {name}, {precision}"));
        group.throughput(Throughput::Elements(10 * island.contacts.len() as u64));
        for (rule, rule_name) in RULES {
            let (mut ours, settings) = (Ours::<T>::new(island), sweeps(10, rule));
            group
                .bench_function(BenchmarkId::from_parameter(rule_name), |bencher| bencher.iter(|| ours.run(&settings)));
        }
    }
}

fn to_residual<T: Real>(criterion: &mut Criterion, precision: &str) {
    for tolerance in [1e-4, 1e-6] {
        let mut group = criterion.benchmark_group(format!("to a residual of {tolerance:e}, {precision}"));
        for (name, island) in cold().iter().filter(|(_, island)| island.contacts.len() <= 64) {
            let settings = Settings { tolerance: T::lit(tolerance), sweeps: 5000, ..Settings::default() };
            let mut ours = Ours::<T>::new(island);
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| bencher.iter(|| ours.run(&settings)));
        }
    }
}

fn solves(criterion: &mut Criterion) {
    ten_sweeps::<f32>(criterion, "f32");
    ten_sweeps::<f64>(criterion, "f64");
    to_residual::<f32>(criterion, "f32");
    to_residual::<f64>(criterion, "f64");
}

/// Published problems, where there are any.
fn published<T: Real>(criterion: &mut Criterion, precision: &str, tolerances: &[f64]) {
    if folder().is_none() {
        println!("published problems left out: none beside the project, and STICTION_FCLIB names no folder");
        return;
    }
    for tolerance in tolerances {
        let mut group = criterion.benchmark_group(format!("published problems to {tolerance:e}, {precision}"));
        for (name, _) in PUBLISHED {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                let mut posed = Posed::<T>::read(name).expect("a published problem");
                posed.race(*tolerance, |solve| bencher.iter(solve)).expect("a valid problem");
            });
        }
    }
}

fn all_published(criterion: &mut Criterion) {
    published::<f64>(criterion, "f64", &[1e-4, 1e-6]);
    published::<f32>(criterion, "f32", &[1e-4]);
}

/// One contact with a warm start from its own solution, and the work of a frame around its solve.
fn around(criterion: &mut Criterion) {
    let island = one_contact();
    let mut first = Ours::<f32>::new(&island);
    first.solve(&Settings::default());
    let mut warm = Ours::<f32>::new(&first.warmed(&island));
    criterion.bench_function("single contact, warm, f32", |bencher| bencher.iter(|| warm.run(&Settings::default())));
    let (bodies, contacts) = island.rounded::<f32>();
    criterion.bench_function("constraint and its block, f32", |bencher| {
        let of = |i: usize| (bodies[i].inverse_mass, &bodies[i].inverse_inertia_world);
        bencher.iter(|| {
            ContactConstraint::new(&contacts[0])
                .expect("a valid contact")
                .effective_mass(of(contacts[0].a), of(contacts[0].b))
        });
    });
    cache(criterion, &stack(16, 1.0, 0.5));
}

fn cache(criterion: &mut Criterion, island: &Island) {
    let (mut bodies, mut contacts): (Bodies<f32, 17>, Contacts<f32, 64>) = island.columns();
    let mut solver = Box::new(Solver::<f32, 17, 64>::new());
    let report = solver.solve(&mut bodies, &contacts, &sweeps(10, LocalRule::Exact), 1.0 / 60.0);
    assert!(report.is_ok(), "the stack is valid");
    let ids: Vec<PointId> = (0..64).map(PointId::Feature).collect();
    let mut cache = ContactCache::<f32, 64>::new();
    criterion.bench_function("cache of 64 points, remembered and found, f32", |bencher| {
        bencher.iter(|| (cache.remember(&contacts, &ids, &solver), cache.warm_start(&mut contacts, &ids)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(1));
    targets = solves, around, all_published
}
criterion_main!(benches);
