//! Bodies with contacts, problem by problem, on all threads.
//!
//! Threads take parts of a few hundred problems. A part is loaded, solved side by side in lanes where contacts have
//! sliding friction only, and its answers are stored; nothing depends on which thread took it.
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;
use stiction::{
    Bodies, ContactOutcome, Contacts, InputError, MomentRows, Real, Report, Settings, SixRows, Solver, ThreeRows,
};
use stiction_lanes::Worlds;
use stiction_lanes::scalar::LaneScalar;

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
    let batch = Batch { problems, settings, dt, control };
    solve_in_parts::<T, NB, NC, ThreeRows, Worlds<T, NB, NC>>(&batch, Layout::rows(NB, NC))
}

/// The same with friction beyond sliding: contacts that resist twisting or rolling take two of `NC` places. Not in lanes.
pub fn solve_all_on_surfaces<T: LaneScalar + Send + Sync, const NB: usize, const NC: usize>(
    problems: &impl Problems<T, NB, NC, SixRows>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<Answers<T>, BatchError> {
    let batch = Batch { problems, settings, dt, control };
    let layout = Layout::rows(NB, NC).with_surfaces();
    solve_in_parts::<T, NB, NC, SixRows, Solver<T, NB, NC, SixRows>>(&batch, layout)
}

/// What all threads share.
struct Batch<'a, P, T: Real> {
    problems: &'a P,
    settings: &'a Settings<T>,
    dt: T,
    control: &'a Control<'a>,
}

/// Solves loaded problems.
trait Engine<T: Real, const NB: usize, const NC: usize, R: stiction::ContactRows>: Send {
    fn make() -> Box<Self>;

    /// Solves problems, which end with their new velocities; `each` receives the place of a problem, its report and its
    /// contacts.
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
            store(part, place, contacts, solved, &mut errors, |contact| answer.contact(contact));
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
            store(part, *place, contacts.len(), solved, &mut errors, |contact| self.contact(contact));
            store_moments(part, *place, contacts, solved.is_ok(), self);
        }
        errors
    }
}

/// Stores a report and contacts, or the error.
fn store<T: Real>(
    part: &mut Part<'_, T>,
    place: usize,
    contacts: usize,
    solved: Result<Report<T>, InputError<T>>,
    errors: &mut Vec<(usize, InputError<T>)>,
    outcome: impl Fn(usize) -> Option<ContactOutcome<T>>,
) {
    match solved {
        Ok(report) => {
            part.set_report(place, &report);
            for contact in 0..contacts {
                if let Some(outcome) = outcome(contact) {
                    part.set_contact(place, contact, &outcome);
                }
            }
        }
        Err(error) => {
            part.set_status_word(place, REJECTED);
            errors.push((place, error));
        }
    }
}

fn store_moments<T: Real, const NB: usize, const NC: usize, R: MomentRows>(
    part: &mut Part<'_, T>,
    place: usize,
    contacts: &Contacts<T, NC, R>,
    is_solved: bool,
    solver: &Solver<T, NB, NC, R>,
) {
    for contact in (0..contacts.len()).filter(|_| is_solved) {
        if let Some(moment) = solver.moment(contact) {
            part.set_moment(place, contact, &moment);
        }
    }
}

/// An engine with problems that are loaded for it.
struct Worker<T: Real, const NB: usize, const NC: usize, R: stiction::ContactRows, E> {
    engine: Box<E>,
    problems: Vec<(usize, Problem<T, NB, NC, R>)>,
}

fn solve_in_parts<T, const NB: usize, const NC: usize, R, E>(
    batch: &Batch<'_, impl Problems<T, NB, NC, R>, T>,
    layout: Layout,
) -> Result<Answers<T>, BatchError>
where
    T: LaneScalar + Send + Sync,
    R: stiction::ContactRows,
    E: Engine<T, NB, NC, R>,
    Problem<T, NB, NC, R>: Send,
{
    let (settings, dt) = (batch.settings, batch.dt);
    Solver::<T, 1, 1>::validate(&Bodies::new(), &Contacts::new(), settings, dt)
        .map_err(|error| BatchError::Settings(error.to_string()))?;
    let count = batch.problems.count();
    let mut answers = Answers::new(layout, count);
    let done = AtomicUsize::new(0);
    let idle: Mutex<Vec<Worker<T, NB, NC, R, E>>> = Mutex::new(Vec::new());
    let Parts { layout, scalars: (scalars, scalars_each), words: (words, words_each) } = answers.parts(PART);
    let errors: Vec<Vec<(usize, InputError<T>)>> = batch.control.run(|| {
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

/// A worker that is idle, or a new one.
fn take<T, const NB: usize, const NC: usize, R, E>(
    idle: &Mutex<Vec<Worker<T, NB, NC, R, E>>>,
) -> Worker<T, NB, NC, R, E>
where
    T: Real,
    R: stiction::ContactRows,
    E: Engine<T, NB, NC, R>,
{
    let found = idle.lock().map_or(None, |mut idle| idle.pop());
    found.unwrap_or_else(|| Worker { engine: E::make(), problems: Vec::new() })
}

fn give_back<W>(idle: &Mutex<Vec<W>>, worker: W) {
    if let Ok(mut idle) = idle.lock() {
        idle.push(worker);
    }
}

impl<T, const NB: usize, const NC: usize, R, E> Worker<T, NB, NC, R, E>
where
    T: Real,
    R: stiction::ContactRows,
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
            match batch.problems.load(index, problem) {
                Ok(()) => loaded += 1,
                Err(error) => {
                    part.set_status_word(index - first, REJECTED);
                    errors.push((index, error));
                }
            }
        }
        let problems = &mut self.problems[..loaded];
        let rejected = self.engine.solve(problems, batch.settings, batch.dt, part);
        let is_rejected = |place: usize| rejected.iter().any(|(rejected, _)| *rejected == place);
        for (place, problem) in problems.iter().filter(|(place, _)| !is_rejected(*place)) {
            let velocities = problem.bodies.linear_velocities().iter().zip(problem.bodies.angular_velocities());
            for (body, (linear, angular)) in velocities.enumerate() {
                part.set_velocity(*place, body, linear, angular);
            }
        }
        errors.extend(rejected.into_iter().map(|(place, error)| (first + place, error)));
        errors.sort_by_key(|(index, _)| *index);
        errors
    }
}
