//! Speed of the smallest code with different numbers of threads a block and of registers a thread:
//!
//! ```text
//! cargo run --release --package stiction-gpu --example tune [PROBLEMS]
//! ```
use stiction::Settings;
use stiction_batch::{Layout, Packed};
use stiction_gpu::{Choices, Gpu, GpuError};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS};

/// Threads of a block.
const BLOCKS: [u32; 4] = [64, 128, 256, 512];
/// Registers of a thread, at most; 0 leaves that to the driver.
const REGISTERS: [u32; 4] = [0, 128, 96, 64];
const RUNS: usize = 3;

fn main() -> Result<(), GpuError> {
    let count = std::env::args().nth(1).map_or(Ok(1 << 20), |word| word.parse()).expect("a number of problems");
    let fixed = Settings { sweeps: 10, tolerance: 0.0, ..Settings::default() };
    println!("millions of problems a second, kernel alone; columns: threads a block {BLOCKS:?}");
    let batches = SMALL_PROBLEMS.map(|kind| {
        let mut packed = Packed::<f32>::new(Layout::blocks(BODIES, CONTACTS), count);
        for index in 0..count {
            let (bodies, contacts) = kind.island(index as u64).rounded();
            packed.set(index, &bodies, &contacts).expect("the layout is that of the family");
        }
        (kind, packed)
    });
    for registers in REGISTERS {
        let mut gpu = Gpu::open_with(Choices { registers, ..Choices::default() })?;
        for (kind, packed) in &batches {
            for (stop, settings) in [("10 sweeps", fixed), ("default", Settings::default())] {
                print!("{registers:3} registers, {kind:?}, {stop}:");
                for block in BLOCKS {
                    gpu.set_block(block)?;
                    let mut shortest = f64::INFINITY;
                    for _ in 0..RUNS {
                        shortest = shortest.min(gpu.kernel_time(packed, &settings, 1.0 / 60.0)?.as_secs_f64());
                    }
                    print!(" {:.2}", 1e-6 * count as f64 / shortest);
                }
                println!();
            }
        }
    }
    Ok(())
}
