//! Bodies with contacts, one problem a thread.
//!
//! Problem and solver are local variables of the thread. A graphics processor keeps those of 32 neighbouring threads word
//! beside word, which is the layout that an array of solvers in its main memory would lack.
use stiction::{Real, Settings, Solver};
use stiction_batch_layout::given::ReadRows;
use stiction_batch_layout::words::REJECTED;
use stiction_batch_layout::{Given, Layout, Part, Problem, Slots};

use super::arguments::{SettingsArguments, Written, slice};

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
}

impl<T: Real> Arguments<T> {
    fn layout<R: ReadRows>(&self) -> Layout {
        let layout = Layout::blocks(self.bodies as usize, self.contacts as usize);
        if R::HAS_MOMENTS { layout.with_surfaces() } else { layout }
    }
}

/// What the thread with a number does: solves the problem with that number, if there is one.
///
/// # Safety
///
/// Arrays have the lengths that are documented; those of problems and answers have the lengths that the layout asks for
/// ([`Layout::length`]). Nobody else uses the answers, and no other thread has that number.
pub unsafe fn run<T: Real, const NB: usize, const NC: usize, R: ReadRows>(thread: usize, arguments: &Arguments<T>) {
    let (layout, count) = (arguments.layout::<R>(), arguments.count as usize);
    if thread >= count {
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
    match settings {
        Some(settings) => solve::<T, NB, NC, R>(thread, &given, (&settings, arguments.dt), &mut part),
        None => part.set_status_word(thread, REJECTED),
    }
}

/// Solves a problem with up to `NB` bodies and `NC` contacts; a rejected one gets that status and no other number.
fn solve<T: Real, const NB: usize, const NC: usize, R: ReadRows>(
    index: usize,
    given: &Given<'_, T>,
    (settings, dt): (&Settings<T>, T),
    part: &mut Part<impl Slots<T>, impl Slots<u32>>,
) {
    let mut problem = Problem::<T, NB, NC, R>::empty();
    let mut solver = Solver::<T, NB, NC, R>::empty();
    let loaded = given.load(index, &mut problem).and_then(|()| problem.check_size(&part.layout));
    let solved = loaded.and_then(|()| solver.solve(&mut problem.bodies, &problem.contacts, settings, dt));
    part.set_solved(index, problem.contacts.len(), &solved, |contact| solver.contact(contact));
    if solved.is_ok() {
        part.set_moments(index, &problem.contacts, true, &solver);
        part.set_velocities(index, &problem.bodies);
    }
}
