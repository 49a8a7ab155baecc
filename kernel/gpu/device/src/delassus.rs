//! Problems in Delassus form, one a thread.
//!
//! A thread reads its matrix from the batch once: the solver has a copy of its own, in local memory.
use stiction::{Real, Settings};
use stiction_batch_layout::Slots;
use stiction_batch_layout::delassus::{COUNTS, DelassusWork, FIGURES, OneDelassus, store_report};
use stiction_batch_layout::words::REJECTED;

use super::arguments::{SettingsArguments, Written, slice};

/// What a launch passes to every thread: arrays with the parts of all problems, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<T> {
    /// How many problems there are.
    pub count: u32,
    /// Contacts of each problem.
    pub contacts: u32,
    /// The settings.
    pub settings: SettingsArguments<T>,
    /// The matrices.
    pub w: *const T,
    /// Free velocities.
    pub q: *const T,
    /// Friction coefficients.
    pub mu: *const T,
    /// Impulses to start from; null is 0.
    pub warm: *const T,
    /// Impulses of the answers.
    pub impulses: *mut T,
    /// Velocities of the answers.
    pub velocities: *mut T,
    /// Figures of the reports.
    pub figures: *mut T,
    /// Counts of the reports; all are 0 before.
    pub counts: *mut u32,
}

/// Where the answer of a problem goes.
struct Answer<T> {
    impulses: Written<T>,
    velocities: Written<T>,
    figures: Written<T>,
    counts: Written<u32>,
}

/// What the thread with a number does: solves the problem with that number, if there is one.
///
/// # Safety
///
/// Arrays have the lengths that are documented in `stiction_batch_layout::delassus`. Nobody else uses the answers, and no other
/// thread has that number.
pub unsafe fn run<T: Real, const NC: usize>(thread: usize, arguments: &Arguments<T>) {
    let (c, count) = (arguments.contacts as usize, arguments.count as usize);
    if thread >= count {
        return;
    }
    // SAFETY: the caller's promise.
    let (settings, one, mut answer) = unsafe {
        let part = |first: *const T, each: usize| slice(first.add(each * thread), each);
        let one = OneDelassus {
            w: part(arguments.w, 9 * c * c),
            q: part(arguments.q, 3 * c),
            mu: part(arguments.mu, c),
            warm: if arguments.warm.is_null() { &[] } else { part(arguments.warm, 3 * c) },
        };
        let vector = |first: *mut T, each: usize| Written::new(first, each * count).part(each * thread, each);
        let answer = Answer {
            impulses: vector(arguments.impulses, 3 * c),
            velocities: vector(arguments.velocities, 3 * c),
            figures: vector(arguments.figures, FIGURES.len()),
            counts: Written::new(arguments.counts, COUNTS.len() * count).part(COUNTS.len() * thread, COUNTS.len()),
        };
        (arguments.settings.read(), one, answer)
    };
    match settings {
        Some(settings) => solve::<T, NC>(&one, &settings, &mut answer),
        None => answer.counts.put(0, REJECTED),
    }
}

/// Solves a problem of up to `NC` contacts; a rejected one gets that status and no other number.
fn solve<T: Real, const NC: usize>(one: &OneDelassus<'_, T>, settings: &Settings<T>, answer: &mut Answer<T>) {
    let mut work = DelassusWork::<T, NC>::default();
    match work.solve(one, settings, None) {
        Ok(report) => {
            let Answer { impulses, velocities, figures, counts } = answer;
            work.store(one, impulses, velocities);
            store_report(&report, figures, counts, 0);
        }
        Err(_) => answer.counts.put(0, REJECTED),
    }
}
