//! `.fc3d` files: refused in one line, or taken apart into all of their bytes; and then refused by the kernel's door or solved
//! with finite numbers, whose residual on the file's own terms can be told.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::delassus::DelassusSolver;
use stiction::{Real, Settings};
use stiction_fuzz::NC;
use stiction_host::fc3d::Fc3d;

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
    let settings = Settings { sweeps: 30, ..Settings::default() };
    if solver.solve(&admitted, &settings).is_err() {
        return;
    }
    let impulses: Vec<_> = (0..problem.len()).map(|i| solver.impulse(i).expect("an impulse").map(T::to_f64)).collect();
    assert!(impulses.iter().all(|x| x.iter().all(|part| part.is_finite())), "an impulse that is no number");
    problem.published_residuals(&impulses);
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
