//! Delassus problems: `W` and `q` from the caller's own dynamics.
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use nalgebra::Vector3;
use rayon::prelude::*;
use stiction::{
    Delassus, DelassusReport, DelassusSolver, DirectMemory, Hooks, InputError, MethodChoice, Real, Settings, Status,
};

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
}

/// The answers of all problems, one after the other. Numbers of a rejected problem are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DelassusAnswers<T> {
    /// Impulses along normal and two tangents, N s.
    pub impulses: Vec<T>,
    /// Velocities `W x + q`, m/s.
    pub velocities: Vec<T>,
    /// Reports; none for a problem that was rejected or not begun.
    pub reports: Vec<Option<DelassusReport<T>>>,
    /// Problems that were rejected, and why, in their order.
    pub errors: Vec<(usize, InputError<T>)>,
}

impl<T: Real> DelassusAnswers<T> {
    /// Why the solve of a problem ended; none if it was rejected or not begun.
    pub fn status(&self, problem: usize) -> Option<Status> {
        self.reports.get(problem)?.as_ref().map(|report| report.status)
    }
}

/// Solves all problems, each with the bits of [`DelassusSolver::solve_with`] and memory for direct methods of `NC`
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
    let mut answers = DelassusAnswers {
        impulses: filled(T::ZERO, 1, batch.q.len())?,
        velocities: filled(T::ZERO, 1, batch.q.len())?,
        reports: filled(None, 1, count)?,
        errors: Vec::new(),
    };
    let (done, idle) = (AtomicUsize::new(0), Mutex::new(Vec::<Box<Worker<T, NC, BLOCKS>>>::new()));
    let DelassusAnswers { impulses, velocities, reports, .. } = &mut answers;
    let errors: Vec<Vec<(usize, InputError<T>)>> = control.run(count.div_ceil(PART), || {
        let each = 3 * contacts * PART;
        let parts = (impulses.par_chunks_mut(each), velocities.par_chunks_mut(each), reports.par_chunks_mut(PART));
        let solve = |(part, (impulses, velocities, reports)): (usize, (&mut [T], &mut [T], &mut [_]))| {
            if control.is_cancelled() {
                return Vec::new();
            }
            let found = idle.lock().map_or(None, |mut idle| idle.pop());
            let mut worker = found.unwrap_or_else(Worker::new);
            let vectors = impulses.chunks_mut(3 * contacts).zip(velocities.chunks_mut(3 * contacts));
            let mut errors = Vec::new();
            for (place, ((impulses, velocities), report)) in vectors.zip(reports.iter_mut()).enumerate() {
                let problem = PART * part + place;
                match worker.solve(batch, problem, settings, impulses, velocities) {
                    Ok(solved) => *report = Some(solved),
                    Err(error) => errors.push((problem, error)),
                }
            }
            if let Ok(mut idle) = idle.lock() {
                idle.push(worker);
            }
            control.add_done(&done, reports.len());
            errors
        };
        parts.into_par_iter().enumerate().map(solve).collect()
    })?;
    answers.errors = errors.into_iter().flatten().collect();
    Ok(answers)
}

struct Worker<T: Real, const NC: usize, const BLOCKS: usize> {
    solver: DelassusSolver<T, NC>,
    memory: DirectMemory<T, NC, BLOCKS>,
    q: Vec<Vector3<T>>,
    start: Vec<Vector3<T>>,
}

impl<T: Real, const NC: usize, const BLOCKS: usize> Worker<T, NC, BLOCKS> {
    fn new() -> Box<Self> {
        Box::new(Worker {
            solver: DelassusSolver::new(),
            memory: DirectMemory::new(),
            q: Vec::new(),
            start: Vec::new(),
        })
    }

    fn solve(
        &mut self,
        batch: &DelassusBatch<'_, T>,
        problem: usize,
        settings: &Settings<T>,
        impulses: &mut [T],
        velocities: &mut [T],
    ) -> Result<DelassusReport<T>, InputError<T>> {
        let c = batch.contacts;
        let w = &batch.w[9 * c * c * problem..][..9 * c * c];
        vectors(&mut self.q, &batch.q[3 * c * problem..][..3 * c]);
        self.start.clear();
        if !batch.warm.is_empty() {
            vectors(&mut self.start, &batch.warm[3 * c * problem..][..3 * c]);
        }
        let given = Delassus::dense(w, &self.q, &batch.mu[c * problem..][..c])?;
        let direct = (BLOCKS > 0 && settings.method != MethodChoice::Sweeps).then(|| self.memory.view());
        let hooks = Hooks { direct, ..Hooks::default() };
        let report = self.solver.solve_with(&given, settings, &self.start, hooks)?;
        for (contact, slot) in impulses.chunks_mut(3).enumerate() {
            slot.copy_from_slice(self.solver.impulse(contact).unwrap_or_default().as_slice());
        }
        for ((row, slot), q) in w.chunks(3 * c).zip(velocities).zip(&batch.q[3 * c * problem..]) {
            *slot = row.iter().zip(&*impulses).fold(*q, |sum, (w, x)| sum + *w * *x);
        }
        Ok(report)
    }
}

fn vectors<T: Real>(to: &mut Vec<Vector3<T>>, from: &[T]) {
    to.clear();
    to.extend(from.chunks_exact(3).map(Vector3::from_column_slice));
}
