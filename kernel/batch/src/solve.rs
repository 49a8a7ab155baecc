//! Bodies with contacts, problem by problem, on all threads.
//!
//! Threads take parts of a few hundred problems. A part is loaded, solved side by side in lanes where contacts have
//! sliding friction only, and its answers are stored; nothing depends on which thread took it.
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;
use stiction::{Bodies, ContactRows, Contacts, InputError, Real, Settings, SixRows, Solver, ThreeRows};
use stiction_lanes::Worlds;
use stiction_lanes::scalar::LaneScalar;

use crate::again::{Again, MakeMemory, memory};
use crate::answers::{Answers, Part, Parts, REJECTED};
use crate::control::{BatchError, Control};
use crate::layout::{BLOCK, Layout};
use crate::problems::{Problem, Problems};

/// Problems of a part: whole blocks, and few enough for a processor's cache.
const PART: usize = 8 * BLOCK;

/// Solves all problems for a step of `dt` seconds, each with the bits of [`Solver::solve`], whose capacities are `NB` and
/// `NC`. Answers are problem after problem.
pub fn solve_all<T: LaneScalar + Send + Sync, const NB: usize, const NC: usize>(
    problems: &impl Problems<T, NB, NC, ThreeRows>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<Answers<T>, BatchError> {
    let batch = Batch { problems, settings, dt, control, memory: None };
    solve_in_parts::<T, NB, NC, ThreeRows, Worlds<T, NB, NC>>(&batch)
}

/// The same with memory for direct methods on `NC` contacts and with `BLOCKS` blocks: each problem has the bits of
/// [`Solver::solve_with`] and such memory. Fixed numbers of sweeps, with a tolerance of 0, take no more time.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Body, Contact, Settings, Status};
/// # use stiction_batch::{Control, Layout, Packed};
/// use stiction_batch::{solve_all, solve_all_with_direct};
/// // A tonne lands on a kilogram: sweeps converge slowly, a direct method does not.
/// let down = Vector3::new(0.0, 0.0, -1.0);
/// let light = Body { linear_velocity: down, ..Body::from_inverse(1.0, Matrix3::zeros()) };
/// let heavy = Body { inverse_mass: 1e-3, ..light };
/// let on = |a, b| Contact { a, b, mu: 0.5, ..Contact::default() };
/// let mut problems = Packed::<f64>::new(Layout::rows(3, 2), 1);
/// problems.set(0, &[Body::fixed(), light, heavy], &[on(0, 1), on(1, 2)])?;
/// let (settings, control) = (Settings::default(), Control::default());
/// let swept = solve_all::<f64, 3, 2>(&problems, &settings, 0.01, &control)?;
/// let solved = solve_all_with_direct::<f64, 3, 2, 3>(&problems, &settings, 0.01, &control)?;
/// assert_eq!((swept.status(0), solved.status(0)), (Some(Status::SweepLimit), Some(Status::Converged)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_all_with_direct<T, const NB: usize, const NC: usize, const BLOCKS: usize>(
    problems: &impl Problems<T, NB, NC, ThreeRows>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<Answers<T>, BatchError>
where
    T: LaneScalar + Send + Sync,
{
    let batch = Batch { problems, settings, dt, control, memory: Some(memory::<T, NC, BLOCKS>) };
    solve_in_parts::<T, NB, NC, ThreeRows, Worlds<T, NB, NC>>(&batch)
}

/// The same with friction beyond sliding: contacts that resist twisting or rolling take two of `NC` places. Not in lanes.
pub fn solve_all_on_surfaces<T: LaneScalar + Send + Sync, const NB: usize, const NC: usize>(
    problems: &impl Problems<T, NB, NC, SixRows>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<Answers<T>, BatchError> {
    let batch = Batch { problems, settings, dt, control, memory: None };
    solve_in_parts::<T, NB, NC, SixRows, Solver<T, NB, NC, SixRows>>(&batch)
}

/// The same with memory for direct methods on `NC` places and with `BLOCKS` blocks.
pub fn solve_all_on_surfaces_with_direct<T, const NB: usize, const NC: usize, const BLOCKS: usize>(
    problems: &impl Problems<T, NB, NC, SixRows>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<Answers<T>, BatchError>
where
    T: LaneScalar + Send + Sync,
{
    let batch = Batch { problems, settings, dt, control, memory: Some(memory::<T, NC, BLOCKS>) };
    solve_in_parts::<T, NB, NC, SixRows, Solver<T, NB, NC, SixRows>>(&batch)
}

/// What all threads share.
struct Batch<'a, P, T: Real> {
    problems: &'a P,
    settings: &'a Settings<T>,
    dt: T,
    control: &'a Control<'a>,
    /// Makes memory for direct methods.
    memory: Option<MakeMemory<T>>,
}

/// Solves loaded problems.
trait Engine<T: Real, const NB: usize, const NC: usize, R: ContactRows>: Send {
    fn make() -> Box<Self>;

    /// Solves problems, which end with their new velocities; stores their reports and contacts in the part. Returns the
    /// places of those that are rejected, and why.
    fn solve(
        &mut self,
        problems: &mut [(usize, Problem<T, NB, NC, R>)],
        settings: &Settings<T>,
        dt: T,
        part: &mut Part<'_, T>,
    ) -> Vec<(usize, InputError<T>)>;
}

impl<T: LaneScalar + Send + Sync, const NB: usize, const NC: usize> Engine<T, NB, NC, ThreeRows> for Worlds<T, NB, NC> {
    fn make() -> Box<Self> {
        Box::new(Worlds::new())
    }

    fn solve(
        &mut self,
        problems: &mut [(usize, Problem<T, NB, NC>)],
        settings: &Settings<T>,
        dt: T,
        part: &mut Part<'_, T>,
    ) -> Vec<(usize, InputError<T>)> {
        let places: Vec<(usize, usize)> =
            problems.iter().map(|(place, problem)| (*place, problem.contacts.len())).collect();
        let queue = problems.iter_mut().map(|(_, Problem { bodies, contacts })| (bodies, &*contacts));
        let mut errors = Vec::new();
        self.solve_all(queue, settings, dt, |index, solved, answer| {
            let (place, contacts) = places[index];
            part.set_solved(place, contacts, &solved, |contact| answer.contact(contact));
            errors.extend(solved.err().map(|error| (place, error)));
        });
        errors
    }
}

impl<T: Real + Send, const NB: usize, const NC: usize> Engine<T, NB, NC, SixRows> for Solver<T, NB, NC, SixRows> {
    fn make() -> Box<Self> {
        Box::new(Solver::empty())
    }

    fn solve(
        &mut self,
        problems: &mut [(usize, Problem<T, NB, NC, SixRows>)],
        settings: &Settings<T>,
        dt: T,
        part: &mut Part<'_, T>,
    ) -> Vec<(usize, InputError<T>)> {
        let mut errors = Vec::new();
        for (place, Problem { bodies, contacts }) in problems {
            let solved = Solver::solve(self, bodies, contacts, settings, dt);
            part.set_solved(*place, contacts.len(), &solved, |contact| self.contact(contact));
            part.set_moments(*place, contacts, solved.is_ok(), self);
            errors.extend(solved.err().map(|error| (*place, error)));
        }
        errors
    }
}

/// An engine with problems that are loaded for it.
struct Worker<T: Real, const NB: usize, const NC: usize, R: ContactRows, E> {
    engine: Box<E>,
    again: Option<Again<T, NB, NC, R>>,
    problems: Vec<(usize, Problem<T, NB, NC, R>)>,
}

fn solve_in_parts<T, const NB: usize, const NC: usize, R, E>(
    batch: &Batch<'_, impl Problems<T, NB, NC, R>, T>,
) -> Result<Answers<T>, BatchError>
where
    T: LaneScalar + Send + Sync,
    R: ContactRows,
    E: Engine<T, NB, NC, R>,
    Problem<T, NB, NC, R>: Send,
    Solver<T, NB, NC, R>: Send,
{
    let (settings, dt) = (batch.settings, batch.dt);
    Solver::<T, 1, 1>::validate(&Bodies::new(), &Contacts::new(), settings, dt)
        .map_err(|error| BatchError::Settings(error.to_string()))?;
    let count = batch.problems.count();
    let mut answers = Answers::not_begun(layout_of(batch.problems), count)?;
    let done = AtomicUsize::new(0);
    let idle: Mutex<Vec<Worker<T, NB, NC, R, E>>> = Mutex::new(Vec::new());
    let Parts { layout, scalars: (scalars, scalars_each), words: (words, words_each) } = answers.parts(PART);
    let errors: Vec<Vec<(usize, InputError<T>)>> = batch.control.run(count.div_ceil(PART), || {
        let parts = scalars.par_chunks_mut(scalars_each).zip(words.par_chunks_mut(words_each));
        let solve = |(number, (scalars, words)): (usize, (&mut [T], &mut [u32]))| {
            if batch.control.is_cancelled() {
                return Vec::new();
            }
            let first = number * PART;
            let problems = first..count.min(first + PART);
            let mut worker = take(&idle);
            let errors = worker.solve(batch, problems.clone(), &mut Part { layout, scalars, words });
            give_back(&idle, worker);
            batch.control.add_done(&done, problems.len());
            errors
        };
        parts.enumerate().map(solve).collect()
    })?;
    errors.into_iter().for_each(|errors| answers.add_errors(errors));
    Ok(answers)
}

/// The layout of the answers.
fn layout_of<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    problems: &impl Problems<T, NB, NC, R>,
) -> Layout {
    let (bodies, contacts) = problems.sizes();
    let layout = Layout::rows(bodies.min(NB), contacts.min(NC));
    if R::HAS_MOMENTS { layout.with_surfaces() } else { layout }
}

/// A worker that is idle, or a new one.
fn take<T, const NB: usize, const NC: usize, R, E>(
    idle: &Mutex<Vec<Worker<T, NB, NC, R, E>>>,
) -> Worker<T, NB, NC, R, E>
where
    T: Real,
    R: ContactRows,
    E: Engine<T, NB, NC, R>,
{
    let found = idle.lock().map_or(None, |mut idle| idle.pop());
    found.unwrap_or_else(|| Worker { engine: E::make(), again: None, problems: Vec::new() })
}

fn give_back<W>(idle: &Mutex<Vec<W>>, worker: W) {
    if let Ok(mut idle) = idle.lock() {
        idle.push(worker);
    }
}

impl<T, const NB: usize, const NC: usize, R, E> Worker<T, NB, NC, R, E>
where
    T: Real,
    R: ContactRows,
    E: Engine<T, NB, NC, R>,
{
    /// Solves problems that follow each other; returns those that were rejected, in their order.
    fn solve(
        &mut self,
        batch: &Batch<'_, impl Problems<T, NB, NC, R>, T>,
        range: std::ops::Range<usize>,
        part: &mut Part<'_, T>,
    ) -> Vec<(usize, InputError<T>)> {
        let (first, mut errors, mut loaded) = (range.start, Vec::new(), 0);
        for index in range {
            if self.problems.len() == loaded {
                self.problems.push((0, Problem::empty()));
            }
            let (place, problem) = &mut self.problems[loaded];
            *place = index - first;
            problem.clear();
            match batch.problems.load(index, problem).and_then(|()| problem.check_size(&part.layout)) {
                Ok(()) => loaded += 1,
                Err(error) => {
                    part.set_status_word(index - first, REJECTED);
                    errors.push((index, error));
                }
            }
        }
        let problems = &mut self.problems[..loaded];
        let again = batch.memory.zip(batch.settings.sweeps_before_direct(R::HAS_MOMENTS));
        let sweeps = again.map_or(batch.settings.sweeps, |(_, sweeps)| sweeps);
        let rejected = self.engine.solve(problems, &Settings { sweeps, ..*batch.settings }, batch.dt, part);
        if let Some(again) = again {
            self.solve_again(batch, (first, loaded), again, part);
        }
        let is_rejected = |place: usize| rejected.iter().any(|(rejected, _)| *rejected == place);
        for (place, problem) in self.problems[..loaded].iter().filter(|(place, _)| !is_rejected(*place)) {
            part.set_velocities(*place, &problem.bodies);
        }
        errors.extend(rejected.into_iter().map(|(place, error)| (first + place, error)));
        errors.sort_by_key(|(index, _)| *index);
        errors
    }

    /// Solves those problems again that took `sweeps` sweeps: direct methods may change them.
    fn solve_again(
        &mut self,
        batch: &Batch<'_, impl Problems<T, NB, NC, R>, T>,
        (first, loaded): (usize, usize),
        (make, sweeps): (MakeMemory<T>, u32),
        part: &mut Part<'_, T>,
    ) {
        for (place, problem) in &mut self.problems[..loaded] {
            if part.sweeps(*place) < sweeps {
                continue;
            }
            problem.clear();
            // What could be loaded and solved once can be loaded and solved again.
            if batch.problems.load(first + *place, problem).is_ok() {
                let again = self.again.get_or_insert_with(|| Again::new(make));
                let _ = again.solve((*place, problem), batch.settings, batch.dt, part);
            }
        }
    }
}
