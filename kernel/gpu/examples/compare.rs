//! Every word of a graphics processor's answers against the processors', and how long both take:
//!
//! ```text
//! cargo run --release --package stiction-gpu --example compare [PROBLEMS [DATE]]
//! ```
//!
//! Solves problems of all families, precisions and capacities with 10 fixed sweeps and with default settings: PROBLEMS
//! (1,048,576) of each small family in `f32`, fewer of the others; then problems of which some are rejected. Ends with success if
//! no word differs. The program needs NVIDIA's driver and nothing else, so it can be built on one machine and run on another.
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stiction::{Body, Contact, Settings, Surface};
use stiction_batch::{
    Answers, Control, DelassusAnswers, DelassusBatch, Layout, Packed, solve_all, solve_all_on_surfaces, solve_delassus,
};
use stiction_gpu::{Gpu, GpuError, PinnedProblems, Scalar};
use stiction_testkit::island::Island;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

const DT: f64 = 1.0 / 60.0;
const PROBLEMS: usize = 1 << 20;
/// The fastest of so many runs of the graphics processor counts; processors have one.
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
        Ok(Sum { problems, differences: 0 }) => {
            println!("{problems} problems: no word differs");
            ExitCode::SUCCESS
        }
        Ok(Sum { problems, differences }) => {
            println!("{problems} problems: {differences} words differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What was compared.
#[derive(Default)]
struct Sum {
    problems: usize,
    differences: usize,
}

impl Sum {
    /// Adds a family and prints its line.
    fn add(&mut self, name: &str, problems: usize, times: [Duration; 4], sweeps: f64, differences: usize) {
        let rates = times.map(|time| problems as f64 / time.as_secs_f64().max(1e-9) * 1e-6);
        let [kernel, pinned, copied, processor] = rates;
        println!("{name} ({sweeps:.1} sweeps): {kernel:.3} {pinned:.3} {copied:.3} {processor:.3}; {differences}");
        self.problems += problems;
        self.differences += differences;
    }
}

/// Compares everything.
fn compare(problems: usize, date: &str) -> Result<Sum, GpuError> {
    let (gpu, mut sum) = (Gpu::open()?, Sum::default());
    let (name, version) = (gpu.name(), gpu.driver_version());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{name}, driver for CUDA {}.{}, date {date}", version / 1000, version % 1000 / 10);
    println!(
        "{problems} problems of each small family in f32, {threads} threads of the processor, best of {RUNS} on the graphics processor"
    );
    println!(
        "millions of problems a second: kernel alone, with copies of pinned memory, of other memory, by the processor; words that differ"
    );
    for kind in SMALL_PROBLEMS {
        let small = |index: usize| kind.island(index as u64);
        compare_bodies::<f32, BODIES, CONTACTS>(&gpu, &format!("{kind:?}, f32"), problems, small, &mut sum)?;
        compare_bodies::<f64, BODIES, CONTACTS>(&gpu, &format!("{kind:?}, f64"), problems / 2, small, &mut sum)?;
        let several = |index: usize| joined(kind, index, &[4, 3]);
        compare_bodies::<f32, 8, 16>(&gpu, &format!("{kind:?} of 8 bodies, f32"), problems / 8, several, &mut sum)?;
        let many = |index: usize| joined(kind, index, &[4, 4, 4]);
        compare_bodies::<f32, 16, 64>(&gpu, &format!("{kind:?} of 13 bodies, f32"), problems / 16, many, &mut sum)?;
        compare_bodies::<f64, 16, 64>(&gpu, &format!("{kind:?} of 13 bodies, f64"), problems / 16, many, &mut sum)?;
        compare_surfaces::<f32>(&gpu, kind, problems / 8, &mut sum)?;
        compare_surfaces::<f64>(&gpu, kind, problems / 16, &mut sum)?;
    }
    for kind in [SmallProblem::Feet, SmallProblem::Linked] {
        let small = |index: usize| kind.island(index as u64);
        compare_matrices::<f32, CONTACTS>(&gpu, &format!("{kind:?}, matrices, f32"), problems / 2, small, &mut sum)?;
        compare_matrices::<f64, CONTACTS>(&gpu, &format!("{kind:?}, matrices, f64"), problems / 8, small, &mut sum)?;
        let many = |index: usize| joined(kind, index, &[4, 4, 4]);
        let name = format!("{kind:?} of 24 contacts, matrices, f32");
        compare_matrices::<f32, 24>(&gpu, &name, problems / 64, many, &mut sum)?;
    }
    compare_rejected(&gpu, &mut sum)?;
    Ok(sum)
}

fn settings<T: Scalar>() -> [(&'static str, Settings<T>); 2] {
    let fixed = Settings { sweeps: 10, tolerance: T::ZERO, ..Settings::default() };
    [("10 sweeps", fixed), ("default", Settings::default())]
}

/// Several problems of a kind on the same ground, cut down to so many bodies each.
fn joined(kind: SmallProblem, index: usize, bodies: &[usize]) -> Island {
    let mut all = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
    for (part, count) in bodies.iter().enumerate() {
        let island = kind.island((bodies.len() * index + part) as u64);
        let before = all.bodies.len() - 1;
        let place = |body: usize| if body == 0 { 0 } else { before + body };
        all.bodies.extend(&island.bodies[1..=*count]);
        let contacts = island.contacts.iter().filter(|contact| contact.a <= *count && contact.b <= *count);
        all.contacts.extend(contacts.map(|contact| Contact { a: place(contact.a), b: place(contact.b), ..*contact }));
    }
    all
}

/// The last answer and how long a run took, the shortest of some.
fn fastest<A>(mut run: impl FnMut() -> Result<A, GpuError>) -> Result<(A, Duration), GpuError> {
    let (mut found, mut shortest) = (None, Duration::MAX);
    for _ in 0..RUNS {
        // Answers of the run before are freed before the clock starts.
        drop(found.take());
        let began = Instant::now();
        found = Some(run()?);
        shortest = shortest.min(began.elapsed());
    }
    Ok((found.expect("there are runs"), shortest))
}

/// Problems in pinned memory.
fn pinned_problems<T: Scalar>(gpu: &Gpu, packed: &Packed<T>) -> Result<PinnedProblems<T>, GpuError> {
    let (scalars, words) = packed.arrays();
    let arrays = (gpu.pinned_copy(scalars)?, gpu.pinned_copy(words)?);
    Ok(Packed::from_arrays(packed.layout(), packed.len(), arrays)?)
}

/// What processors answer, and how long they take.
fn on_processors<A>(solve: impl FnOnce() -> A) -> (A, Duration) {
    let began = Instant::now();
    let answers = solve();
    (answers, began.elapsed())
}

/// A family with both rules of stopping.
fn compare_packed<T: Scalar>(
    gpu: &Gpu,
    name: &str,
    packed: &Packed<T>,
    solve: impl Fn(&Settings<T>, T) -> Answers<T>,
    sum: &mut Sum,
) -> Result<(), GpuError> {
    for (stop, settings) in settings::<T>() {
        let dt = T::lit(DT);
        let (expected, processor) = on_processors(|| solve(&settings, dt));
        let mut kernel = Duration::MAX;
        for _ in 0..RUNS {
            kernel = kernel.min(gpu.kernel_time(packed, &settings, dt)?);
        }
        let (found, copied) = fastest(|| gpu.solve_all(packed, &settings, dt))?;
        let mut differences = different_words(&found, &expected);
        drop(found);
        let problems = pinned_problems(gpu, packed)?;
        let mut answers = gpu.pinned_answers(packed.layout(), packed.len())?;
        let ((), pinned) = fastest(|| gpu.solve_pinned(&problems, &mut answers, &settings, dt))?;
        differences += different_words(&answers, &expected);
        let sweeps = (0..expected.len()).filter_map(|problem| expected.count_of(problem, "sweeps"));
        let sweeps = sweeps.map(f64::from).sum::<f64>() / expected.len().max(1) as f64;
        sum.add(&format!("{name}, {stop}"), packed.len(), [kernel, pinned, copied, processor], sweeps, differences);
    }
    Ok(())
}

fn compare_bodies<T: Scalar, const NB: usize, const NC: usize>(
    gpu: &Gpu,
    name: &str,
    count: usize,
    island: impl Fn(usize) -> Island,
    sum: &mut Sum,
) -> Result<(), GpuError> {
    let mut packed = Packed::<T>::new(Layout::blocks(NB, NC), count);
    for index in 0..count {
        let (bodies, contacts) = island(index).rounded();
        packed.set(index, &bodies, &contacts).expect("the layout is that of the family");
    }
    let solve = |settings: &Settings<T>, dt: T| {
        solve_all::<T, NB, NC>(&packed, settings, dt, &Control::default()).expect("valid settings")
    };
    compare_packed(gpu, name, &packed, solve, sum)
}

fn compare_surfaces<T: Scalar>(gpu: &Gpu, kind: SmallProblem, count: usize, sum: &mut Sum) -> Result<(), GpuError> {
    let mut packed = Packed::<T>::new(Layout::blocks(BODIES, 2 * CONTACTS).with_surfaces(), count);
    for index in 0..count {
        let (bodies, contacts) = kind.island(index as u64).rounded();
        let surface = |k: usize| match (index + k) % 3 {
            0 => Surface::default(),
            1 => Surface { torsion: T::lit(0.02), ..Surface::default() },
            _ => Surface { torsion: T::lit(0.01), rolling: T::lit(0.005), ..Surface::default() },
        };
        let surfaces: Vec<Surface<T>> = (0..contacts.len()).map(surface).collect();
        packed.set_on_surfaces(index, &bodies, &contacts, &surfaces).expect("the layout is that of the family");
    }
    let solve = |settings: &Settings<T>, dt: T| {
        let solved = solve_all_on_surfaces::<T, BODIES, { 2 * CONTACTS }>(&packed, settings, dt, &Control::default());
        solved.expect("valid settings")
    };
    compare_packed(gpu, &format!("{kind:?} on surfaces, {}", T::NAME), &packed, solve, sum)
}

fn compare_matrices<T: Scalar, const NC: usize>(
    gpu: &Gpu,
    name: &str,
    count: usize,
    island: impl Fn(usize) -> Island,
    sum: &mut Sum,
) -> Result<(), GpuError> {
    let (mut w, mut q, mut mu) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..count {
        let problem = island(index).delassus(&[]);
        let convert = |value: &f64| T::lit(*value);
        w.extend(problem.w.transpose().iter().map(convert));
        q.extend(problem.q.iter().map(convert));
        mu.extend(problem.mu.iter().map(convert));
    }
    let batch = DelassusBatch::new(NC, &w, &q, &mu)?;
    for (stop, settings) in settings::<T>() {
        let solve = || solve_delassus::<T, NC, 0>(&batch, &settings, &Control::default());
        let (expected, processor) = on_processors(solve);
        let expected = expected?;
        let mut kernel = Duration::MAX;
        for _ in 0..RUNS {
            kernel = kernel.min(gpu.delassus_time(&batch, &settings)?);
        }
        let (found, copied) = fastest(|| gpu.solve_delassus(&batch, &settings))?;
        let mut differences = different_matrices(&found, &expected);
        drop(found);
        let arrays = [gpu.pinned_copy(&w)?, gpu.pinned_copy(&q)?, gpu.pinned_copy(&mu)?];
        let (found, pinned) = fastest(|| gpu.solve_delassus_pinned(NC, arrays.each_ref(), None, &settings))?;
        differences += different_matrices(&found, &expected);
        let sweeps = (0..count).filter_map(|problem| expected.count_of(problem, "sweeps"));
        let sweeps = sweeps.map(f64::from).sum::<f64>() / count.max(1) as f64;
        sum.add(&format!("{name}, {stop}"), count, [kernel, pinned, copied, processor], sweeps, differences);
    }
    Ok(())
}

/// Problems of which some are rejected: the same words and the same reasons.
fn compare_rejected(gpu: &Gpu, sum: &mut Sum) -> Result<(), GpuError> {
    let count = 10_007;
    let mut packed = Packed::<f32>::new(Layout::blocks(BODIES, CONTACTS), count);
    for index in 0..count {
        let (mut bodies, mut contacts) = SmallProblem::Mixed.island(index as u64).rounded();
        match index % 388 {
            0 => bodies[2].inverse_mass = -1.0,
            97 => contacts[3].mu = f32::NAN,
            194 => contacts[7].b = 12,
            291 => contacts[0].b = contacts[0].a,
            _ => {}
        }
        packed.set(index, &bodies, &contacts)?;
    }
    let (settings, dt) = (Settings::default(), DT as f32);
    let expected = solve_all::<f32, BODIES, CONTACTS>(&packed, &settings, dt, &Control::default())?;
    let found = gpu.solve_all(&packed, &settings, dt)?;
    let (problems, mut pinned) = (pinned_problems(gpu, &packed)?, gpu.pinned_answers(packed.layout(), count)?);
    gpu.solve_pinned(&problems, &mut pinned, &settings, dt)?;
    // Numbers that are NaN differ from themselves, their texts do not.
    let [expected_reasons, reasons @ ..] =
        [expected.errors(), found.errors(), pinned.errors()].map(|errors| format!("{errors:?}"));
    let reasons = reasons.iter().filter(|reasons| **reasons != expected_reasons).count();
    let differences = different_words(&found, &expected) + different_words(&pinned, &expected);
    println!("{count} problems, {} of them rejected: {differences}, reasons {reasons}", expected.errors().len());
    sum.problems += count;
    sum.differences += differences + reasons;
    Ok(())
}

/// How many words of all answers in Delassus form differ, bit by bit.
fn different_matrices<T: Scalar>(found: &DelassusAnswers<T>, expected: &DelassusAnswers<T>) -> usize {
    let scalars = |answers: &DelassusAnswers<T>| {
        let all = [&answers.impulses, &answers.velocities, &answers.figures].map(Clone::clone);
        all.into_iter().flatten().map(|scalar| scalar.to_f64().to_bits()).collect::<Vec<_>>()
    };
    let (here, there) = (scalars(found), scalars(expected));
    let in_scalars = here.iter().zip(&there).filter(|(a, b)| a != b).count() + here.len().abs_diff(there.len());
    in_scalars + found.counts.iter().zip(&expected.counts).filter(|(a, b)| a != b).count()
}

/// How many words of all answers differ, bit by bit; the arrangements may.
fn different_words<T, S, W>(found: &Answers<T, S, W>, expected: &Answers<T>) -> usize
where
    T: Scalar,
    S: AsRef<[T]>,
    W: AsRef<[u32]>,
{
    let ((scalars, words), (wanted_scalars, wanted_words)) = (found.arrays(), expected.arrays());
    let (here, there) = (found.layout(), expected.layout());
    let mut differences = 0;
    for problem in 0..expected.len() {
        let (each, wanted) = (here.answer_scalars(), there.answer_scalars());
        let at = |k: usize| (here.at(each, problem, k), there.at(wanted, problem, k));
        let bits = |scalar: T| scalar.to_f64().to_bits();
        differences += (0..each).map(at).filter(|(a, b)| bits(scalars[*a]) != bits(wanted_scalars[*b])).count();
        let (each, wanted) = (here.answer_words(), there.answer_words());
        let at = |k: usize| (here.at(each, problem, k), there.at(wanted, problem, k));
        differences += (0..each).map(at).filter(|(a, b)| words[*a] != wanted_words[*b]).count();
    }
    differences
}
