//! Bodies with contacts, one problem a thread.
//!
//! Problem and solver are local variables of the thread. A graphics processor keeps those of 32 neighbouring threads word
//! beside word, which is the layout that an array of solvers in its main memory would lack.
use stiction::{Real, Settings, Solver};
use stiction_batch_layout::words::REJECTED;
use stiction_batch_layout::{Given, Part, Problem, Slots};

use crate::arguments::Arguments;

/// What the thread with a number does: solves the problem with that number, if there is one.
///
/// # Safety
///
/// What [`Arguments::settings`], [`Arguments::given`] and [`Arguments::part`] ask for, and no other thread with that number.
pub unsafe fn run<T: Real, const NB: usize, const NC: usize>(thread: usize, arguments: &Arguments<T>) {
    if thread >= arguments.count as usize {
        return;
    }
    // SAFETY: the caller's promise.
    let (settings, given, mut part) = unsafe { (arguments.settings(), arguments.given(), arguments.part()) };
    match settings {
        Some(settings) => solve::<T, NB, NC>(thread, &given, (&settings, arguments.dt), &mut part),
        None => part.set_status_word(thread, REJECTED),
    }
}

/// Solves a problem with up to `NB` bodies and `NC` contacts; a rejected one gets that status and no other number.
pub fn solve<T: Real, const NB: usize, const NC: usize>(
    index: usize,
    given: &Given<'_, T>,
    (settings, dt): (&Settings<T>, T),
    part: &mut Part<impl Slots<T>, impl Slots<u32>>,
) {
    let mut problem = Problem::<T, NB, NC>::empty();
    let mut solver = Solver::<T, NB, NC>::new();
    let loaded = given.load(index, &mut problem).and_then(|()| problem.check_size(&part.layout));
    let solved = loaded.and_then(|()| solver.solve(&mut problem.bodies, &problem.contacts, settings, dt));
    part.set_solved(index, problem.contacts.len(), &solved, |contact| solver.contact(contact));
    if solved.is_ok() {
        part.set_velocities(index, &problem.bodies);
    }
}
