//! Answers of a batch: velocities, impulses and reports, in a [`Layout`].
use std::ops::Range;

use nalgebra::Vector3;
use stiction::{ContactOutcome, ContactState, InputError, Method, Real, Report, Status};

use crate::control::{BatchError, filled};
use crate::layout::{COUNTS, Layout};

/// The status word of a problem that was rejected.
pub const REJECTED: u32 = 5;
/// The status word of a problem that was not begun.
pub const NOT_BEGUN: u32 = 6;

/// The place of the sweeps in [`COUNTS`].
const SWEEPS: usize = 2;

const STATUSES: [Status; 5] =
    [Status::Converged, Status::Guarded, Status::BounceDropped, Status::SweepLimit, Status::Deadline];
const METHODS: [Method; 6] = [
    Method::ActiveSet,
    Method::ScalarPgs,
    Method::BlockPgs,
    Method::Accelerated,
    Method::Newton,
    Method::InteriorPoint,
];
const STATES: [ContactState; 3] = [ContactState::Open, ContactState::Stick, ContactState::Slide];

/// The word of a status; [`REJECTED`] if there is none.
pub fn status_word(status: Option<Status>) -> u32 {
    let place = STATUSES.iter().position(|known| Some(*known) == status);
    place.map_or(REJECTED, |place| place as u32)
}

/// The word of a method.
pub fn method_word(method: Method) -> u32 {
    METHODS.iter().position(|known| *known == method).unwrap_or(usize::MAX) as u32
}

/// Flags of a report in the answer.
pub mod flag {
    /// The passivity guard scaled an impulse down.
    pub const PASSIVITY_GUARD: u32 = 1;
    /// The bounce was discarded.
    pub const BOUNCE_DROPPED: u32 = 2;
    /// Direct methods were needed and their memory was too small.
    pub const MEMORY_TOO_SMALL: u32 = 4;
}

/// The answers of all problems. Numbers of a rejected problem are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers<T> {
    layout: Layout,
    count: usize,
    scalars: Vec<T>,
    words: Vec<u32>,
    errors: Vec<(usize, InputError<T>)>,
}

impl<T: Real> Answers<T> {
    /// None yet.
    pub(crate) fn new(layout: Layout, count: usize) -> Result<Self, BatchError> {
        let problems = layout.length(1, count);
        let scalars = filled(T::ZERO, layout.answer_scalars(), problems)?;
        let mut words = filled(0, layout.answer_words(), problems)?;
        for problem in 0..count {
            words[layout.at(layout.answer_words(), problem, 0)] = NOT_BEGUN;
        }
        Ok(Answers { layout, count, scalars, words, errors: Vec::new() })
    }

    /// Its arrays in parts of so many problems.
    pub(crate) fn parts(&mut self, problems: usize) -> Parts<'_, T> {
        let Answers { layout, scalars, words, .. } = self;
        let scalars = (scalars.as_mut_slice(), layout.length(layout.answer_scalars(), problems));
        Parts {
            layout: *layout,
            scalars,
            words: (words.as_mut_slice(), layout.length(layout.answer_words(), problems)),
        }
    }

    /// Adds the errors of a part; parts are in order.
    pub(crate) fn add_errors(&mut self, errors: Vec<(usize, InputError<T>)>) {
        self.errors.extend(errors);
    }

    /// How numbers are arranged.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All scalars and words.
    pub fn arrays(&self) -> (&[T], &[u32]) {
        (&self.scalars, &self.words)
    }

    /// The arrays themselves: scalars and words.
    pub fn into_arrays(self) -> (Vec<T>, Vec<u32>) {
        (self.scalars, self.words)
    }

    /// How many problems have an answer.
    pub fn solved(&self) -> usize {
        (0..self.count).filter(|problem| self.status(*problem).is_some()).count()
    }

    /// Problems that were rejected, and why, in their order.
    pub fn errors(&self) -> &[(usize, InputError<T>)] {
        &self.errors
    }

    /// Why a problem was rejected.
    pub fn error(&self, problem: usize) -> Option<&InputError<T>> {
        let at = self.errors.binary_search_by_key(&problem, |(index, _)| *index).ok()?;
        self.errors.get(at).map(|(_, error)| error)
    }

    /// Why the solve of a problem ended; none if it was rejected or not begun.
    pub fn status(&self, problem: usize) -> Option<Status> {
        STATUSES.get(self.count_of(problem, "status")? as usize).copied()
    }

    /// How a problem was solved.
    pub fn method(&self, problem: usize) -> Option<Method> {
        self.status(problem)?;
        METHODS.get(self.count_of(problem, "method")? as usize).copied()
    }

    /// A count of a problem's report, one of [`COUNTS`].
    pub fn count_of(&self, problem: usize, name: &str) -> Option<u32> {
        let at = COUNTS.iter().position(|count| *count == name)?;
        (problem < self.count).then(|| self.words[self.layout.at(self.layout.answer_words(), problem, at)])
    }

    /// A figure of a problem's report, one of [`FIGURES`](crate::layout::FIGURES).
    pub fn figure(&self, problem: usize, name: &str) -> Option<T> {
        let at = self.layout.figure(name)?;
        self.status(problem).map(|_| self.scalar(problem, at))
    }

    /// A body's linear velocity, m/s.
    pub fn linear_velocity(&self, problem: usize, body: usize) -> Option<Vector3<T>> {
        self.vector(problem, self.layout.linear(), body)
    }

    /// A body's angular velocity, rad/s.
    pub fn angular_velocity(&self, problem: usize, body: usize) -> Option<Vector3<T>> {
        self.vector(problem, self.layout.angular(), body)
    }

    /// A contact's moment on B, N m s; none without friction beyond sliding.
    pub fn moment(&self, problem: usize, contact: usize) -> Option<Vector3<T>> {
        self.vector(problem, self.layout.moment(), contact)
    }

    /// A contact's part in the answer.
    pub fn contact(&self, problem: usize, contact: usize) -> Option<ContactOutcome<T>> {
        let tangent_impulse = self.vector(problem, self.layout.tangent(), contact)?;
        let word = self.layout.at(self.layout.answer_words(), problem, COUNTS.len() + contact);
        Some(ContactOutcome {
            bounce_impulse: self.scalar(problem, self.layout.bounce().start + contact),
            normal_impulse: self.scalar(problem, self.layout.normal().start + contact),
            tangent_impulse,
            state: *STATES.get(self.words[word] as usize)?,
        })
    }

    fn scalar(&self, problem: usize, k: usize) -> T {
        self.scalars[self.layout.at(self.layout.answer_scalars(), problem, k)]
    }

    fn vector(&self, problem: usize, range: Range<usize>, index: usize) -> Option<Vector3<T>> {
        self.status(problem)?;
        (index < range.len() / 3).then(|| {
            let first = range.start + 3 * index;
            Vector3::new(0, 1, 2).map(|k| self.scalar(problem, first + k))
        })
    }
}

/// The arrays of answers, to be divided among threads: each with the length of a part.
pub(crate) struct Parts<'a, T> {
    pub layout: Layout,
    pub scalars: (&'a mut [T], usize),
    pub words: (&'a mut [u32], usize),
}

/// Answers of some problems that follow each other.
pub(crate) struct Part<'a, T> {
    pub layout: Layout,
    pub scalars: &'a mut [T],
    pub words: &'a mut [u32],
}

impl<T: Real> Part<'_, T> {
    /// The sweeps of a problem's report; 0 before it has one.
    pub fn sweeps(&self, problem: usize) -> u32 {
        self.words[self.layout.at(self.layout.answer_words(), problem, SWEEPS)]
    }

    pub fn set_status_word(&mut self, problem: usize, status: u32) {
        self.put_word(problem, 0, status);
    }

    pub fn set_report(&mut self, problem: usize, report: &Report<T>) {
        let given = |is_given: bool, flag: u32| if is_given { flag } else { 0 };
        let flags = given(report.passivity_guard, flag::PASSIVITY_GUARD)
            | given(report.bounce_dropped, flag::BOUNCE_DROPPED)
            | given(report.direct.memory_too_small, flag::MEMORY_TOO_SMALL);
        let (status, method) = (status_word(Some(report.status)), method_word(report.method));
        let counts: [u32; COUNTS.len()] =
            [status, method, report.sweeps, report.bounce_sweeps, report.safe_blocks, flags];
        for (k, count) in counts.into_iter().enumerate() {
            self.put_word(problem, k, count);
        }
        let residual = &report.residual;
        let figures: [T; crate::layout::FIGURES.len()] = [
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
        ];
        for (k, figure) in figures.into_iter().enumerate() {
            self.put(problem, self.layout.figures_at() + k, figure);
        }
    }

    pub fn set_contact(&mut self, problem: usize, contact: usize, outcome: &ContactOutcome<T>) {
        self.put(problem, self.layout.normal().start + contact, outcome.normal_impulse);
        self.put(problem, self.layout.bounce().start + contact, outcome.bounce_impulse);
        self.put_vector(problem, self.layout.tangent().start + 3 * contact, &outcome.tangent_impulse);
        let state = STATES.iter().position(|state| *state == outcome.state).unwrap_or(0);
        self.put_word(problem, COUNTS.len() + contact, state as u32);
    }

    pub fn set_moment(&mut self, problem: usize, contact: usize, moment: &Vector3<T>) {
        self.put_vector(problem, self.layout.moment().start + 3 * contact, moment);
    }

    pub fn set_velocity(&mut self, problem: usize, body: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
        self.put_vector(problem, self.layout.linear().start + 3 * body, linear);
        self.put_vector(problem, self.layout.angular().start + 3 * body, angular);
    }

    fn put_vector(&mut self, problem: usize, first: usize, vector: &Vector3<T>) {
        for (k, value) in vector.iter().enumerate() {
            self.put(problem, first + k, *value);
        }
    }

    fn put(&mut self, problem: usize, k: usize, value: T) {
        self.scalars[self.layout.at(self.layout.answer_scalars(), problem, k)] = value;
    }

    fn put_word(&mut self, problem: usize, k: usize, word: u32) {
        self.words[self.layout.at(self.layout.answer_words(), problem, k)] = word;
    }
}
