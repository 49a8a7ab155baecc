//! The memory that a batch takes: as much a problem in a batch of a million as in one of a thousand.

use std::alloc::System;

use cap::Cap;
use stiction::Settings;
use stiction_batch::{Control, Layout, Packed, solve_all};
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::effort::cases;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Problems, and the most bytes that were allocated at a time since there were `before`, over the problems.
fn solved<T: LaneScalar + Send + Sync>(count: usize) -> (f64, f64) {
    let before = MEMORY.allocated();
    let mut problems = Packed::<T>::new(Layout::rows(BODIES, CONTACTS), count);
    for index in 0..count {
        // A few problems many times: their contents do not matter here.
        let (bodies, contacts) = SmallProblem::Feet.island((index % 64) as u64).rounded::<T>();
        problems.set(index, &bodies, &contacts).unwrap();
    }
    let held = MEMORY.allocated();
    let settings = Settings { sweeps: 10, tolerance: T::ZERO, ..Settings::default() };
    let peak_before = MEMORY.max_allocated();
    let answers = solve_all::<T, BODIES, CONTACTS>(&problems, &settings, T::lit(1.0 / 60.0), &Control::on(2)).unwrap();
    assert_eq!(answers.solved(), count);
    // Batches come in growing sizes, so that each sets a new peak.
    assert!(MEMORY.max_allocated() > peak_before);
    let each = |bytes: usize| bytes as f64 / count as f64;
    (each(held - before), each(MEMORY.max_allocated() - held))
}

fn compare(name: &str, counts: [usize; 2], [(problem_of_few, few), (problem_of_many, many)]: [(f64, f64); 2]) {
    let [low, high] = counts;
    println!(
        "{name}: {problem_of_few:.0} and {problem_of_many:.0} bytes to hold a problem, {few:.0} and {many:.0} more at the peak of a batch of {low} and of {high}"
    );
    assert!(many <= 1.1 * few, "{many} bytes a problem, {few} in a small batch");
}

// One test: the counter counts for the whole process, and its peak only grows. So do the batches.
#[test]
fn memory_grows_with_problems_and_no_faster() {
    let counts = [1024, cases(65_536, 1_048_576) as usize];
    let [single, double] = {
        let few = (solved::<f32>(counts[0]), solved::<f64>(counts[0]));
        let many = (solved::<f32>(counts[1]), solved::<f64>(counts[1]));
        [[few.0, many.0], [few.1, many.1]]
    };
    compare("f32", counts, single);
    compare("f64", counts, double);
}
