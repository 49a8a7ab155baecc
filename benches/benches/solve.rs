//! Time of one solve, cold, for a few of the problems with known answers. Wall time informs; it gates nothing.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use stiction::{Real, Settings, Solver};
use stiction_host::island::Island;
use stiction_host::problems::{sliding_cube, stack};

fn bench<T: Real>(criterion: &mut Criterion, name: &str, island: &Island) {
    let (bodies, contacts) = island.columns::<T, 20, 80>();
    let settings = Settings::<T> { sweeps: 10, tolerance: T::ZERO, ..Settings::default() };
    let mut solver = Box::new(Solver::<T, 20, 80>::new());
    criterion.bench_function(name, |bencher| {
        bencher.iter_batched_ref(
            || bodies.clone(),
            |bodies| solver.solve(bodies, &contacts, &settings),
            BatchSize::SmallInput,
        );
    });
}

fn solves(criterion: &mut Criterion) {
    let problems = [("sliding cube", sliding_cube(6.0, 0.785, 0.5)), ("stack of 16", stack(16, 1.0, 0.5))];
    for (name, island) in &problems {
        bench::<f32>(criterion, &format!("{name}, 10 sweeps, f32"), island);
        bench::<f64>(criterion, &format!("{name}, 10 sweeps, f64"), island);
    }
}

criterion_group!(benches, solves);
criterion_main!(benches);
