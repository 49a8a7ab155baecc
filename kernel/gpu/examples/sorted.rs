//! What sorting problems by their sweeps would give.
use stiction::Settings;
use stiction_batch::{Control, DelassusBatch, Layout, Packed, solve_all};
use stiction_gpu::{Choices, Gpu, GpuError};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

fn packed(kind: SmallProblem, order: &[usize]) -> Packed<f32> {
    let mut packed = Packed::<f32>::new(Layout::blocks(BODIES, CONTACTS), order.len());
    for (place, index) in order.iter().enumerate() {
        let (bodies, contacts) = kind.island(*index as u64).rounded();
        packed.set(place, &bodies, &contacts).expect("the layout is that of the family");
    }
    packed
}

fn main() -> Result<(), GpuError> {
    let count = std::env::args().nth(1).map_or(Ok(1 << 19), |word| word.parse()).expect("a number of problems");
    let only = std::env::args().nth(2).unwrap_or_default();
    let settings = Settings::default();
    for kind in SMALL_PROBLEMS {
        if !only.is_empty() && only != format!("{kind:?}") {
            continue;
        }
        let mut order: Vec<usize> = (0..count).collect();
        let plain = packed(kind, &order);
        let answers = solve_all::<f32, BODIES, CONTACTS>(&plain, &settings, 1.0 / 60.0, &Control::default())?;
        let mut histogram = [0usize; 52];
        (0..count).for_each(|i| histogram[answers.count_of(i, "sweeps").unwrap() as usize] += 1);
        println!("{kind:?} sweeps {:?}", histogram.map(|n| (n as f64 / count as f64 * 1000.0).round()));
        order.sort_by_key(|i| answers.count_of(*i, "sweeps"));
        let sorted = packed(kind, &order);
        for (registers, block) in [(128, 512), (96, 128), (64, 512), (64, 1024)] {
            let mut gpu = Gpu::open_with(Choices { registers, ..Choices::default() })?;
            gpu.set_block(block)?;
            let time = |batch: &Packed<f32>| {
                let runs = (0..3).map(|_| gpu.kernel_time(batch, &settings, 1.0 / 60.0).unwrap().as_secs_f64());
                1e-6 * count as f64 / runs.fold(f64::INFINITY, f64::min)
            };
            println!("{kind:?} {registers} {block}: plain {:.2} sorted {:.2}", time(&plain), time(&sorted));
        }
    }
    if only == "matrices" {
        let (mut w, mut q, mut mu) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..count {
            let problem = SmallProblem::Feet.island(index as u64).delassus(&[]);
            w.extend(problem.w.transpose().iter().map(|v| *v as f32));
            q.extend(problem.q.iter().map(|v| *v as f32));
            mu.extend(problem.mu.iter().map(|v| *v as f32));
        }
        let batch = DelassusBatch::new(CONTACTS, &w, &q, &mu)?;
        let fixed = Settings { sweeps: 10, tolerance: 0.0, ..Settings::default() };
        for (registers, block) in [(128, 512), (96, 128), (64, 512), (64, 1024), (0, 64)] {
            let mut gpu = Gpu::open_with(Choices { registers, ..Choices::default() })?;
            gpu.set_block(block)?;
            let time = gpu.delassus_time(&batch, &fixed)?.min(gpu.delassus_time(&batch, &fixed)?);
            println!("matrices {registers} {block}: {:.2}", 1e-6 * count as f64 / time.as_secs_f64());
        }
    }
    Ok(())
}
