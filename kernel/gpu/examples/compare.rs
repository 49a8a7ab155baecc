//! Every word of a graphics processor's answers against the processors', and how long both take:
//!
//! ```text
//! cargo run --release --package stiction-gpu --example compare [PROBLEMS [DATE]]
//! ```
//!
//! Solves so many problems (1,048,576) of each family of `stiction_testkit::small_problems`, with 10 fixed sweeps and with default
//! settings, with blocks of 64 to 512 threads and with fewer registers than the driver would take; then problems of which some are
//! rejected. Ends with success if no word differs. The program needs NVIDIA's driver and nothing else, so it can be built
//! on one machine and run on another.
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stiction::Settings;
use stiction_batch::{Answers, Control, Layout, Packed, solve_all};
use stiction_gpu::{Choices, Gpu, GpuError};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

const DT: f32 = 1.0 / 60.0;
const PROBLEMS: usize = 1 << 20;
/// Threads of a block.
const BLOCKS: [u32; 4] = [64, 128, 256, 512];
/// Registers of a thread, at most; 0 leaves that to the driver.
const REGISTERS: [u32; 3] = [128, 64, 0];
/// The fastest of so many runs counts.
const RUNS: usize = 3;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let problems = match words.next().map(|word| word.parse()) {
        None => PROBLEMS,
        Some(Ok(problems)) => problems,
        Some(Err(error)) => {
            eprintln!("number of problems: {error}");
            return ExitCode::FAILURE;
        }
    };
    match compare(problems, words.next().as_deref().unwrap_or("not given")) {
        Ok(0) => {
            println!("no word differs");
            ExitCode::SUCCESS
        }
        Ok(differences) => {
            println!("{differences} words differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares everything; returns how many words differ.
fn compare(problems: usize, date: &str) -> Result<usize, GpuError> {
    let mut gpus = open()?;
    let (name, version) = (gpus[0].1.name(), gpus[0].1.driver_version());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{name}, driver for CUDA {}.{}, date {date}", version / 1000, version % 1000 / 10);
    println!("{problems} problems each, {threads} threads of the processor, best of {RUNS}");
    println!("problems per second, in millions: kernel alone, with copies, by the processor; words that differ");
    let mut differences = 0;
    for kind in SMALL_PROBLEMS {
        let packed = packed(kind, problems);
        for (name, settings) in settings() {
            differences += compare_family(&mut gpus, &format!("{kind:?}, {name}"), &packed, &settings)?;
        }
    }
    Ok(differences + compare_rejected(&gpus[0].1)?)
}

/// The graphics processor with each limit of registers.
fn open() -> Result<Vec<(u32, Gpu)>, GpuError> {
    let mut gpus = Vec::new();
    for registers in REGISTERS {
        let began = Instant::now();
        gpus.push((registers, Gpu::open_with(Choices { registers, ..Choices::default() })?));
        println!("opened in {:.1} s, {}", began.elapsed().as_secs_f64(), limit(registers));
    }
    Ok(gpus)
}

fn limit(registers: u32) -> String {
    if registers == 0 {
        "registers as the driver chooses".to_string()
    } else {
        format!("at most {registers} registers")
    }
}

fn settings() -> [(&'static str, Settings<f32>); 2] {
    let fixed = Settings { sweeps: 10, tolerance: 0.0, ..Settings::default() };
    [("10 sweeps", fixed), ("default settings", Settings::default())]
}

fn packed(kind: SmallProblem, count: usize) -> Packed<f32> {
    let mut packed = Packed::new(Layout::blocks(BODIES, CONTACTS), count);
    for index in 0..count {
        let (bodies, contacts) = kind.island(index as u64).rounded();
        packed.set(index, &bodies, &contacts).expect("the layout is that of the family");
    }
    packed
}

/// One family with one choice of settings.
fn compare_family(
    gpus: &mut [(u32, Gpu)],
    name: &str,
    packed: &Packed<f32>,
    settings: &Settings<f32>,
) -> Result<usize, GpuError> {
    let began = Instant::now();
    let expected = solve_all::<f32, BODIES, CONTACTS>(packed, settings, DT, &Control::default())?;
    let processor = began.elapsed();
    println!("{name} ({:.1} sweeps)", mean_sweeps(&expected));
    let mut all = 0;
    for (registers, gpu) in gpus {
        for block in BLOCKS {
            gpu.set_block(block)?;
            if gpu.choices().block != block {
                println!("  {block:3} threads, {}: no room for so many registers", limit(*registers));
                continue;
            }
            let (found, kernel, copied) = fastest(gpu, packed, settings)?;
            let differences = different_words(&found, &expected);
            let [kernel, copied, processor] = [kernel, copied, processor].map(|time| rate(packed.len(), time));
            let limit = limit(*registers);
            println!("  {block:3} threads, {limit}: {kernel:6.2} {copied:6.2} {processor:5.2}; {differences}");
            all += differences;
        }
    }
    Ok(all)
}

/// The answers, and the shortest times without and with copies.
fn fastest(
    gpu: &Gpu,
    packed: &Packed<f32>,
    settings: &Settings<f32>,
) -> Result<(Answers<f32>, Duration, Duration), GpuError> {
    let (mut found, mut kernel, mut copied) = (None, Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        // Given back before the next run allocates.
        drop(found.take());
        kernel = kernel.min(gpu.kernel_time(packed, settings, DT)?);
        let began = Instant::now();
        let answers = gpu.solve_all(packed, settings, DT)?;
        copied = copied.min(began.elapsed());
        found = Some(answers);
    }
    Ok((found.expect("there are runs"), kernel, copied))
}

/// Problems of which some are rejected: the same words and the same reasons.
fn compare_rejected(gpu: &Gpu) -> Result<usize, GpuError> {
    let count = 10_007;
    let mut packed: Packed<f32> = packed(SmallProblem::Mixed, count);
    for index in (0..count).step_by(97) {
        let (mut bodies, mut contacts) = SmallProblem::Linked.island(index as u64).rounded();
        match index % 4 {
            0 => bodies[2].inverse_mass = -1.0,
            1 => contacts[3].mu = f32::NAN,
            2 => contacts[7].b = 12,
            _ => contacts[0].b = contacts[0].a,
        }
        packed.set(index, &bodies, &contacts)?;
    }
    let settings = Settings::default();
    let expected = solve_all::<f32, BODIES, CONTACTS>(&packed, &settings, DT, &Control::default())?;
    let found = gpu.solve_all(&packed, &settings, DT)?;
    // Numbers that are NaN differ from themselves, their texts do not.
    let reasons = usize::from(format!("{:?}", found.errors()) != format!("{:?}", expected.errors()));
    let differences = different_words(&found, &expected);
    println!("{count} problems, {} of them rejected: {differences}, reasons {reasons}", expected.errors().len());
    Ok(differences + reasons)
}

/// How many words of all answers differ, bit by bit; the arrangements may.
fn different_words(found: &Answers<f32>, expected: &Answers<f32>) -> usize {
    let [(scalars, words), (wanted_scalars, wanted_words)] = [found, expected].map(Answers::arrays);
    let (here, there) = (found.layout(), expected.layout());
    let mut differences = 0;
    for problem in 0..expected.len() {
        let each = here.answer_scalars();
        let at = |k: usize| (here.at(each, problem, k), there.at(each, problem, k));
        let differs = |(a, b): &(usize, usize)| scalars[*a].to_bits() != wanted_scalars[*b].to_bits();
        differences += (0..each).map(at).filter(differs).count();
        let each = here.answer_words();
        let at = |k: usize| (here.at(each, problem, k), there.at(each, problem, k));
        differences += (0..each).map(at).filter(|(a, b)| words[*a] != wanted_words[*b]).count();
    }
    differences
}

fn mean_sweeps(answers: &Answers<f32>) -> f64 {
    let sweeps = (0..answers.len()).filter_map(|problem| answers.count_of(problem, "sweeps"));
    sweeps.map(f64::from).sum::<f64>() / answers.len().max(1) as f64
}

/// Millions a second.
fn rate(problems: usize, time: Duration) -> f64 {
    problems as f64 / time.as_secs_f64().max(1e-9) * 1e-6
}
