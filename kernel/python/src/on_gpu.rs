//! numpy's arrays on a graphics processor, by copies; on processors where there is none.
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

use stiction::InputError;
use stiction_batch::answers::REJECTED;
use stiction_batch::layout::{COUNTS, FIGURES};
use stiction_batch::{Answers, BatchError, Layout, Packed};
use stiction_gpu::{Gpu, GpuError};

use crate::input::One;
use crate::task::{Scalar, Task};

/// Problems of a part: what a thread packs and sends at once.
const PART: usize = 1 << 14;
/// Threads that pack, at most.
const THREADS: usize = 16;

/// The graphics processor of this process, opened when it is first asked for.
pub fn gpu() -> &'static Result<Gpu, GpuError> {
    static GPU: OnceLock<Result<Gpu, GpuError>> = OnceLock::new();
    GPU.get_or_init(Gpu::open)
}

/// What work with the graphics processor ends with. Afterwards the thread has the context of CUDA that it had before.
pub fn solved<A>(work: impl FnOnce(&Gpu) -> Result<A, GpuError>) -> Result<A, GpuError> {
    match gpu() {
        Ok(gpu) => gpu.apart(|| work(gpu))?,
        Err(error) => Err(error.clone()),
    }
}

/// What a graphics processor solved, if it was asked; otherwise what processors solve, and the reason.
pub fn or_here<A>(
    there: Option<Result<A, GpuError>>,
    reason: &mut Option<String>,
    here: impl FnOnce() -> Result<A, BatchError>,
) -> Result<A, BatchError> {
    match there {
        Some(Ok(answers)) => Ok(answers),
        Some(Err(GpuError::Batch(error))) => Err(error),
        Some(Err(error)) => {
            *reason = Some(error.to_string());
            here()
        }
        None => here(),
    }
}

/// A part of a batch: its first problem, and where its answers go.
struct Part<'a, T> {
    first: usize,
    scalars: &'a mut [T],
    words: &'a mut [u32],
}

/// What threads share.
struct Shared<'a, T: Scalar> {
    left: Mutex<Vec<Part<'a, T>>>,
    errors: Mutex<Vec<(usize, InputError<T>)>>,
    done: Mutex<usize>,
}

/// Solves a batch in parts: threads pack them, send them and store their answers problem after problem.
pub fn solve<T: Scalar>(gpu: &Gpu, task: &Task<'_, '_, T>) -> Result<Answers<T>, GpuError> {
    let (problems, bodies, contacts) = task.input.sizes;
    let with = |layout: Layout| if task.input.has_surfaces { layout.with_surfaces() } else { layout };
    let rows = with(Layout::rows(bodies, contacts));
    let (mut scalars, mut words) = Answers::not_begun(rows, problems)?.into_arrays();
    let parts = scalars.chunks_mut(PART * rows.answer_scalars()).zip(words.chunks_mut(PART * rows.answer_words()));
    let parts = parts.enumerate().map(|(k, (scalars, words))| Part { first: PART * k, scalars, words });
    let shared = Shared { left: Mutex::new(parts.collect()), errors: Mutex::default(), done: Mutex::default() };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let threads = task.control.threads.map_or_else(cores, usize::from).min(problems.div_ceil(PART)).max(1);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| solve_some(gpu, task, &rows, &shared))).collect();
        let first = solve_some(gpu, task, &rows, &shared);
        others
            .into_iter()
            .fold(first, |all, other| all.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
    })?;
    let mut errors = shared.errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    errors.sort_by_key(|(problem, _)| *problem);
    Ok(Answers::from_arrays(rows, problems, (scalars, words), errors)?)
}

fn locked<V>(mutex: &Mutex<V>) -> std::sync::MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Solves parts until none is left, or the caller cancels, or one fails.
fn solve_some<T: Scalar>(
    gpu: &Gpu,
    task: &Task<'_, '_, T>,
    rows: &Layout,
    shared: &Shared<'_, T>,
) -> Result<(), GpuError> {
    loop {
        let is_cancelled = task.control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        let next = locked(&shared.left).pop();
        let Some(part) = next.filter(|_| !is_cancelled) else { return Ok(()) };
        let count = part.words.len() / rows.answer_words();
        let solved = solve_part(gpu, task, rows, part);
        let Ok(errors) = solved else {
            // The other threads stop.
            locked(&shared.left).clear();
            return solved.map(|_| ());
        };
        locked(&shared.errors).extend(errors);
        let mut done = locked(&shared.done);
        *done += count;
        if let Some(progress) = task.control.progress {
            progress(*done);
        }
    }
}

type Errors<T> = Vec<(usize, InputError<T>)>;

/// Solves a part; returns its problems that were rejected, and why.
fn solve_part<T: Scalar>(
    gpu: &Gpu,
    task: &Task<'_, '_, T>,
    rows: &Layout,
    part: Part<'_, T>,
) -> Result<Errors<T>, GpuError> {
    let count = part.words.len() / rows.answer_words();
    // A contact that resists twisting or rolling takes two places.
    let places = if task.input.has_moments() { 2 * rows.contacts } else { rows.contacts };
    let blocks = Layout::blocks(rows.bodies, places);
    let blocks = if rows.has_surfaces { blocks.with_surfaces() } else { blocks };
    let (mut packed, mut errors) = (Packed::new(blocks, count), Vec::new());
    for problem in 0..count {
        match task.input.problem(part.first + problem) {
            Ok(One { bodies, contacts, surfaces }) => packed.set_on_surfaces(problem, &bodies, &contacts, &surfaces)?,
            // It stays empty.
            Err(error) => errors.push((problem, error)),
        }
    }
    let answers = gpu.solve_all(&packed, task.settings, task.dt)?;
    store(&answers, rows, part.scalars, part.words);
    for (problem, _) in &errors {
        part.scalars[problem * rows.answer_scalars()..][..rows.answer_scalars()].fill(T::ZERO);
        let words = &mut part.words[problem * rows.answer_words()..][..rows.answer_words()];
        words.fill(0);
        words[0] = REJECTED;
    }
    errors.extend(answers.errors().iter().cloned());
    Ok(errors.into_iter().map(|(problem, error)| (part.first + problem, error)).collect())
}

/// Stores answers in blocks problem after problem; there may be more contacts in blocks.
fn store<T: Scalar>(answers: &Answers<T>, rows: &Layout, scalars: &mut [T], words: &mut [u32]) {
    let (blocks, (from_scalars, from_words)) = (answers.layout(), answers.arrays());
    let fields = |layout: &Layout| {
        let figures = layout.figures_at()..layout.figures_at() + FIGURES.len();
        let [linear, angular, normal] = [layout.linear(), layout.angular(), layout.normal()];
        [linear, angular, normal, layout.tangent(), layout.bounce(), layout.moment(), figures]
    };
    let ranges: Vec<_> = fields(rows).into_iter().zip(fields(&blocks)).collect();
    let (each, of_block) = (rows.answer_scalars(), blocks.answer_scalars());
    for problem in 0..answers.len() {
        for (to, from) in &ranges {
            for (k, place) in to.clone().enumerate() {
                scalars[each * problem + place] = from_scalars[blocks.at(of_block, problem, from.start + k)];
            }
        }
        for k in 0..COUNTS.len() + rows.contacts {
            words[rows.answer_words() * problem + k] = from_words[blocks.at(blocks.answer_words(), problem, k)];
        }
    }
}
