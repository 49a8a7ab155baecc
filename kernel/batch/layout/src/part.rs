//! Answers of some problems that follow each other, number by number.
//!
//! Threads of a processor each have a part of their own. Threads of a graphics processor all write into one part, each the
//! numbers of its problem, so no thread has a slice of it: a part writes through [`Slots`].
use nalgebra::Vector3;
use stiction::{ContactOutcome, Real, Report};

use crate::layout::{COUNTS, FIGURES, Layout};
use crate::words::{flag, method_word, state_word, status_word};

/// The place of the sweeps in [`COUNTS`].
const SWEEPS: usize = 2;

/// Numbers that are written one at a time.
pub trait Slots<V> {
    /// Writes a number at a place.
    fn put(&mut self, at: usize, value: V);
}

impl<V> Slots<V> for &mut [V] {
    #[inline(always)]
    fn put(&mut self, at: usize, value: V) {
        self[at] = value;
    }
}

/// Answers of some problems that follow each other. All numbers are 0 before.
#[derive(Debug)]
pub struct Part<S, W> {
    /// Where each number is.
    pub layout: Layout,
    /// Its scalars.
    pub scalars: S,
    /// Its words.
    pub words: W,
}

impl<S> Part<S, &mut [u32]> {
    /// The sweeps of a problem's report; 0 before it has one.
    pub fn sweeps(&self, problem: usize) -> u32 {
        self.words[self.layout.at(self.layout.answer_words(), problem, SWEEPS)]
    }
}

impl<S, W: Slots<u32>> Part<S, W> {
    /// Sets the status of a problem.
    pub fn set_status_word(&mut self, problem: usize, status: u32) {
        self.put_word(problem, 0, status);
    }

    /// Sets counts and figures of a problem.
    pub fn set_report<T: Real>(&mut self, problem: usize, report: &Report<T>)
    where
        S: Slots<T>,
    {
        for (k, count) in counts_of(report).into_iter().enumerate() {
            self.put_word(problem, k, count);
        }
        for (k, figure) in figures_of(report).into_iter().enumerate() {
            self.put(problem, self.layout.figures_at() + k, figure);
        }
    }

    /// Sets a contact's part in the answer.
    pub fn set_contact<T: Real>(&mut self, problem: usize, contact: usize, outcome: &ContactOutcome<T>)
    where
        S: Slots<T>,
    {
        self.put(problem, self.layout.normal().start + contact, outcome.normal_impulse);
        self.put(problem, self.layout.bounce().start + contact, outcome.bounce_impulse);
        self.put_vector(problem, self.layout.tangent().start + 3 * contact, &outcome.tangent_impulse);
        self.put_word(problem, COUNTS.len() + contact, state_word(outcome.state));
    }

    /// Sets a contact's moment; the layout has surfaces.
    pub fn set_moment<T: Real>(&mut self, problem: usize, contact: usize, moment: &Vector3<T>)
    where
        S: Slots<T>,
    {
        self.put_vector(problem, self.layout.moment().start + 3 * contact, moment);
    }

    /// Sets a body's velocities.
    pub fn set_velocity<T: Real>(&mut self, problem: usize, body: usize, linear: &Vector3<T>, angular: &Vector3<T>)
    where
        S: Slots<T>,
    {
        self.put_vector(problem, self.layout.linear().start + 3 * body, linear);
        self.put_vector(problem, self.layout.angular().start + 3 * body, angular);
    }

    fn put_vector<T: Real>(&mut self, problem: usize, first: usize, vector: &Vector3<T>)
    where
        S: Slots<T>,
    {
        for (k, value) in vector.iter().enumerate() {
            self.put(problem, first + k, *value);
        }
    }

    #[inline(always)]
    fn put<T>(&mut self, problem: usize, k: usize, value: T)
    where
        S: Slots<T>,
    {
        self.scalars.put(self.layout.at(self.layout.answer_scalars(), problem, k), value);
    }

    #[inline(always)]
    fn put_word(&mut self, problem: usize, k: usize, word: u32) {
        self.words.put(self.layout.at(self.layout.answer_words(), problem, k), word);
    }
}

fn counts_of<T: Real>(report: &Report<T>) -> [u32; COUNTS.len()] {
    let given = |is_given: bool, flag: u32| if is_given { flag } else { 0 };
    let flags = given(report.passivity_guard, flag::PASSIVITY_GUARD)
        | given(report.bounce_dropped, flag::BOUNCE_DROPPED)
        | given(report.direct.memory_too_small, flag::MEMORY_TOO_SMALL);
    let (status, method) = (status_word(Some(report.status)), method_word(report.method));
    [status, method, report.sweeps, report.bounce_sweeps, report.safe_blocks, flags]
}

fn figures_of<T: Real>(report: &Report<T>) -> [T; FIGURES.len()] {
    let residual = &report.residual;
    [
        residual.natural,
        residual.scale,
        residual.closing_speed,
        residual.cone,
        report.energy_before,
        report.energy_after,
        report.bounce_work,
        report.contact_work,
        report.friction_work,
        report.bias_work,
        report.bounce_missing,
    ]
}
