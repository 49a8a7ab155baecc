//! Bodies with contacts, one problem a thread.
//!
//! Problem and solver are local variables of the thread. A graphics processor keeps those of 32 neighbouring threads word
//! beside word, which is the layout that an array of solvers in its main memory would lack.
//!
//! Neighbouring threads run in lockstep: all wait for the one that needs most sweeps. So a batch is solved in passes of a few
//! sweeps each. A thread whose problem is not solved at the end of its pass leaves it as plain data at the next free place
//! ([`Waiting`]), and the next pass has a thread for every problem that waits. Which place a problem gets depends on the order
//! of threads, its answer does not.
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering};

use stiction::solve::paused::PausedSolve;
use stiction::{InputError, Real, Settings, Solver};
use stiction_batch_layout::given::ReadRows;
use stiction_batch_layout::words::REJECTED;
use stiction_batch_layout::{Given, Layout, Part, Problem, Slots};

use super::arguments::{SettingsArguments, Written, slice};
use super::places::{self, Word, words};

/// What a launch passes to every thread. Arrays are in blocks of problems side by side ([`Layout::blocks`]), with surfaces for
/// rows that have moments.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<T> {
    /// How many problems there are.
    pub count: u32,
    /// Bodies of each problem, at most.
    pub bodies: u32,
    /// Contacts of each problem, at most.
    pub contacts: u32,
    /// The time step, s.
    pub dt: T,
    /// The settings.
    pub settings: SettingsArguments<T>,
    /// Scalars of the problems.
    pub scalars: *const T,
    /// Words of the problems.
    pub words: *const u32,
    /// Scalars of the answers; all are 0 before.
    pub answer_scalars: *mut T,
    /// Words of the answers; all are 0 before, or the status says that a problem was not begun.
    pub answer_words: *mut u32,
    /// The pass.
    pub pass: Pass,
}

/// One of the passes of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Its number. [`ASKS`] asks how many words a problem that waits has: one thread writes it to the first counter.
    pub number: u32,
    /// Sweeps of a problem when the pass ends, in total.
    pub sweeps: u32,
    /// Problems that wait after each pass, one counter a pass; 0 before the pass.
    pub counters: *mut u32,
    /// Problems that wait since the pass before; the first pass reads none.
    pub from: *const Word,
    /// Where problems wait for the next pass. Null for the last pass, whose sweeps are all that the settings allow.
    pub to: *mut Word,
}

/// The number of a pass that solves nothing.
pub const ASKS: u32 = u32::MAX;

impl<T: Real> Arguments<T> {
    fn layout<R: ReadRows>(&self) -> Layout {
        let layout = Layout::blocks(self.bodies as usize, self.contacts as usize);
        if R::HAS_MOMENTS { layout.with_surfaces() } else { layout }
    }
}

/// What the thread with a number does in a pass: sweeps the problem with that number, or the one that waits at that place, if
/// there is one.
///
/// # Safety
///
/// Arrays have the lengths that are documented; those of problems and answers have the lengths that the layout asks for
/// ([`Layout::length`]), and problems wait where there is a place for all of them, in whole blocks of 32. Nobody else uses answers
/// and places, no other thread has that number, and passes follow each other.
pub unsafe fn run<T: Real, const NB: usize, const NC: usize, R: ReadRows>(thread: usize, arguments: &Arguments<T>) {
    let (layout, count) = (arguments.layout::<R>(), arguments.count as usize);
    let pass = &arguments.pass;
    if pass.number == ASKS {
        if thread == 0 {
            // SAFETY: the caller's promise; one thread writes.
            unsafe { pass.counters.write(words::<Waiting<T, NB, NC, R>>() as u32) }
        }
        return;
    }
    let present = match pass.number.checked_sub(1) {
        None => count,
        // SAFETY: the caller's promise; the pass before has ended.
        Some(before) => unsafe { *pass.counters.add(before as usize) as usize },
    };
    if thread >= present {
        return;
    }
    let length = |each: usize| layout.length(each, count);
    // SAFETY: the caller's promise.
    let (settings, given, mut part) = unsafe {
        let given = Given {
            layout,
            scalars: slice(arguments.scalars, length(layout.input_scalars())),
            words: slice(arguments.words, length(layout.input_words())),
        };
        let scalars = Written::new(arguments.answer_scalars, length(layout.answer_scalars()));
        let words = Written::new(arguments.answer_words, length(layout.answer_words()));
        (arguments.settings.read(), given, Part { layout, scalars, words })
    };
    let Some(settings) = settings else { return part.set_status_word(thread, REJECTED) };
    let mut here = MaybeUninit::<Waiting<T, NB, NC, R>>::uninit();
    let waiting = if pass.number > 0 {
        // SAFETY: the pass before left a problem at every place below its counter.
        unsafe {
            places::load(&mut here, pass.from, thread);
            here.assume_init_mut()
        }
    } else {
        here.write(Waiting::none())
    };
    if pass.number == 0 && waiting.begin(thread, &given, &settings, arguments.dt).is_err() {
        return part.set_status_word(thread, REJECTED);
    }
    if waiting.paused.resume(&mut waiting.solver, &settings, pass.sweeps) || pass.to.is_null() {
        waiting.finish(&settings, &mut part);
    } else {
        // SAFETY: the counter is 0 before the pass, only its threads count it up, and there are places for all of them.
        unsafe {
            let place = AtomicU32::from_ptr(pass.counters.add(pass.number as usize)).fetch_add(1, Ordering::Relaxed);
            places::store(waiting, pass.to, place as usize);
        }
    }
}

/// A problem that has begun: plain data.
struct Waiting<T: Real, const NB: usize, const NC: usize, R: ReadRows> {
    index: usize,
    problem: Problem<T, NB, NC, R>,
    solver: Solver<T, NB, NC, R>,
    paused: PausedSolve<T>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ReadRows> Waiting<T, NB, NC, R> {
    /// No problem. It becomes one where it is: another would be as large.
    fn none() -> Self {
        Waiting { index: 0, problem: Problem::empty(), solver: Solver::empty(), paused: PausedSolve::NONE }
    }

    /// Reads a problem with up to `NB` bodies and `NC` contacts and does what comes before its sweeps.
    fn begin(
        &mut self,
        index: usize,
        given: &Given<'_, T>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<(), InputError<T>> {
        let Waiting { problem, solver, .. } = self;
        self.index = index;
        given.load(index, problem)?;
        problem.check_size(&given.layout)?;
        self.paused = PausedSolve::begin(solver, &mut problem.bodies, &problem.contacts, settings, dt)?;
        Ok(())
    }

    /// Does what comes after the sweeps, and stores the answer.
    fn finish(&mut self, settings: &Settings<T>, part: &mut Part<impl Slots<T>, impl Slots<u32>>) {
        let Waiting { index, problem, solver, paused } = self;
        let report = paused.end(solver, &mut problem.bodies, &problem.contacts, settings);
        part.set_solved(*index, problem.contacts.len(), &Ok(report), |contact| solver.contact(contact));
        part.set_moments(*index, &problem.contacts, true, solver);
        part.set_velocities(*index, &problem.bodies);
    }
}
