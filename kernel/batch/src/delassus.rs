//! Delassus problems: `W` and `q` from the caller's own dynamics.
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;
use stiction::{DirectMemory, InputError, Method, MethodChoice, Real, Settings, Status};
pub use stiction_batch_layout::delassus::{COUNTS, FIGURES};
use stiction_batch_layout::delassus::{DelassusWork, OneDelassus, store_report};
use stiction_batch_layout::words::{NOT_BEGUN, REJECTED, method_of, status_of};

use crate::control::{BatchError, Control, filled};

/// Problems of a part.
const PART: usize = 64;

/// Problems of equal size, one after the other, borrowed.
///
/// ```
/// use stiction::Settings;
/// use stiction_batch::{Control, DelassusBatch, solve_delassus};
/// // Two problems of one contact: W is the identity; one lands straight, one slides.
/// let w: Vec<f64> = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].repeat(2);
/// let (q, mu) = ([-1.0, 0.2, 0.0, -1.0, 2.0, 0.0], [0.5, 0.5]);
/// let batch = DelassusBatch::new(1, &w, &q, &mu)?;
/// let answers = solve_delassus::<f64, 1, 1>(&batch, &Settings::default(), &Control::default())?;
/// let expected = [1.0, -0.2, 0.0, 1.0, -0.5, 0.0];
/// assert!(answers.impulses.iter().zip(expected).all(|(x, wanted)| (x - wanted).abs() < 1e-12));
/// # Ok::<(), stiction_batch::BatchError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DelassusBatch<'a, T> {
    contacts: usize,
    count: usize,
    w: &'a [T],
    q: &'a [T],
    mu: &'a [T],
    warm: &'a [T],
}

impl<'a, T: Real> DelassusBatch<'a, T> {
    /// Problems of `contacts` contacts each: `w` has their matrices row by row, `q` their free velocities along normal and
    /// two tangents, m/s, `mu` their friction coefficients.
    pub fn new(contacts: usize, w: &'a [T], q: &'a [T], mu: &'a [T]) -> Result<Self, BatchError> {
        if contacts == 0 {
            return Err(BatchError::Length { array: "mu", length: 0, expected: 1 });
        }
        let count = mu.len() / contacts;
        for (array, length, each) in
            [("mu", mu.len(), contacts), ("q", q.len(), 3 * contacts), ("w", w.len(), 9 * contacts * contacts)]
        {
            let expected = count * each;
            if length != expected {
                return Err(BatchError::Length { array, length, expected });
            }
        }
        Ok(DelassusBatch { contacts, count, w, q, mu, warm: &[] })
    }

    /// The same from given impulses, as many as in `q`.
    pub fn from_impulses(self, warm: &'a [T]) -> Result<Self, BatchError> {
        let (length, expected) = (warm.len(), self.q.len());
        if length != expected {
            return Err(BatchError::Length { array: "warm", length, expected });
        }
        Ok(DelassusBatch { warm, ..self })
    }

    /// How many problems there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Contacts of each problem.
    pub fn contacts(&self) -> usize {
        self.contacts
    }

    /// The numbers of some problems that follow each other; none beyond the last.
    pub fn some(&self, problems: std::ops::Range<usize>) -> OneDelassus<'a, T> {
        let part = |numbers: &'a [T], each: usize| {
            let range = each * problems.start..each * problems.end.min(self.count);
            numbers.get(range).unwrap_or_default()
        };
        let c = self.contacts;
        OneDelassus {
            w: part(self.w, 9 * c * c),
            q: part(self.q, 3 * c),
            mu: part(self.mu, c),
            warm: part(self.warm, 3 * c),
        }
    }
}

/// The answers of all problems, one after the other. Numbers of a rejected problem are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DelassusAnswers<T> {
    /// Impulses along normal and two tangents, N s.
    pub impulses: Vec<T>,
    /// Velocities `W x + q`, m/s.
    pub velocities: Vec<T>,
    /// Figures of the reports: [`FIGURES`] of each.
    pub figures: Vec<T>,
    /// Counts of the reports: [`COUNTS`] of each.
    pub counts: Vec<u32>,
    /// Problems that were rejected, and why, in their order.
    pub errors: Vec<(usize, InputError<T>)>,
}

impl<T: Real> DelassusAnswers<T> {
    /// Answers of as many problems as a batch has, none of them begun.
    pub fn of(batch: &DelassusBatch<'_, T>) -> Result<Self, BatchError> {
        let count = batch.count;
        let mut counts = filled(0, COUNTS.len(), count)?;
        counts.iter_mut().step_by(COUNTS.len()).for_each(|status| *status = NOT_BEGUN);
        Ok(DelassusAnswers {
            impulses: filled(T::ZERO, 1, batch.q.len())?,
            velocities: filled(T::ZERO, 1, batch.q.len())?,
            figures: filled(T::ZERO, FIGURES.len(), count)?,
            counts,
            errors: Vec::new(),
        })
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.counts.len() / COUNTS.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Why the solve of a problem ended; none if it was rejected or not begun.
    pub fn status(&self, problem: usize) -> Option<Status> {
        status_of(self.count_of(problem, "status")?)
    }

    /// How a problem was solved.
    pub fn method(&self, problem: usize) -> Option<Method> {
        self.status(problem)?;
        method_of(self.count_of(problem, "method")?)
    }

    /// A count of a problem's report, one of [`COUNTS`].
    pub fn count_of(&self, problem: usize, name: &str) -> Option<u32> {
        let at = COUNTS.iter().position(|count| *count == name)?;
        self.counts.get(COUNTS.len() * problem + at).copied()
    }

    /// A figure of a problem's report, one of [`FIGURES`].
    pub fn figure(&self, problem: usize, name: &str) -> Option<T> {
        let at = FIGURES.iter().position(|figure| *figure == name)?;
        self.status(problem)?;
        self.figures.get(FIGURES.len() * problem + at).copied()
    }
}

/// Solves all problems, each with the bits of
/// [`DelassusSolver::solve_with`](stiction::DelassusSolver::solve_with) and memory for direct methods of `NC`
/// contacts and `BLOCKS` blocks; none if the settings ask for sweeps.
pub fn solve_delassus<T: Real + Send + Sync, const NC: usize, const BLOCKS: usize>(
    batch: &DelassusBatch<'_, T>,
    settings: &Settings<T>,
    control: &Control<'_>,
) -> Result<DelassusAnswers<T>, BatchError> {
    settings.validate().map_err(|error| BatchError::Settings(error.to_string()))?;
    let DelassusBatch { contacts, count, .. } = *batch;
    if contacts > NC {
        return Err(BatchError::Capacity { what: "contacts", count: contacts, capacity: NC });
    }
    let mut answers = DelassusAnswers::of(batch)?;
    let (done, idle) = (AtomicUsize::new(0), Mutex::new(Vec::<Box<Worker<T, NC, BLOCKS>>>::new()));
    let errors: Vec<Vec<(usize, InputError<T>)>> = control.run(count.div_ceil(PART), || {
        let solve = |(part, mut answers): (usize, Part<'_, T>)| {
            if control.is_cancelled() {
                return Vec::new();
            }
            let found = idle.lock().map_or(None, |mut idle| idle.pop());
            let mut worker = found.unwrap_or_else(Worker::new);
            let problems = PART * part..count.min(PART * (part + 1));
            let errors = worker.solve(batch, problems.clone(), settings, &mut answers);
            if let Ok(mut idle) = idle.lock() {
                idle.push(worker);
            }
            control.add_done(&done, problems.len());
            errors
        };
        answers.parts(contacts).enumerate().map(solve).collect()
    })?;
    answers.errors = errors.into_iter().flatten().collect();
    Ok(answers)
}

/// Answers of the problems of a part: impulses, velocities, figures, counts.
type Part<'a, T> = (((&'a mut [T], &'a mut [T]), &'a mut [T]), &'a mut [u32]);

impl<T: Real + Send + Sync> DelassusAnswers<T> {
    fn parts(&mut self, contacts: usize) -> impl IndexedParallelIterator<Item = Part<'_, T>> {
        let DelassusAnswers { impulses, velocities, figures, counts, .. } = self;
        let vectors = impulses.par_chunks_mut(3 * contacts * PART).zip(velocities.par_chunks_mut(3 * contacts * PART));
        vectors.zip(figures.par_chunks_mut(FIGURES.len() * PART)).zip(counts.par_chunks_mut(COUNTS.len() * PART))
    }
}

struct Worker<T: Real, const NC: usize, const BLOCKS: usize> {
    work: DelassusWork<T, NC>,
    memory: DirectMemory<T, NC, BLOCKS>,
}

impl<T: Real, const NC: usize, const BLOCKS: usize> Worker<T, NC, BLOCKS> {
    fn new() -> Box<Self> {
        Box::new(Worker { work: DelassusWork::default(), memory: DirectMemory::new() })
    }

    /// Solves problems that follow each other; returns those that were rejected, in their order.
    fn solve(
        &mut self,
        batch: &DelassusBatch<'_, T>,
        problems: std::ops::Range<usize>,
        settings: &Settings<T>,
        (((impulses, velocities), figures), counts): &mut Part<'_, T>,
    ) -> Vec<(usize, InputError<T>)> {
        let (each, mut errors) = (3 * batch.contacts, Vec::new());
        let vectors = impulses.chunks_mut(each).zip(velocities.chunks_mut(each));
        for (place, (problem, (mut impulses, mut velocities))) in problems.zip(vectors).enumerate() {
            let one = batch.some(problem..problem + 1);
            let direct = (BLOCKS > 0 && settings.method != MethodChoice::Sweeps).then(|| self.memory.view());
            match self.work.solve(&one, settings, direct) {
                Ok(report) => {
                    self.work.store(&one, &mut impulses, &mut velocities);
                    store_report(&report, figures, counts, place);
                }
                Err(error) => {
                    counts[COUNTS.len() * place] = REJECTED;
                    errors.push((problem, error));
                }
            }
        }
        errors
    }
}
