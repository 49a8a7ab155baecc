//! Answers of a batch: velocities, impulses and reports, in a [`Layout`].
use std::ops::Range;

use nalgebra::Vector3;
use stiction::{ContactOutcome, InputError, Method, Real, Status};
pub use stiction_batch_layout::words::{NOT_BEGUN, REJECTED, flag, method_word, status_word};
use stiction_batch_layout::words::{method_of, state_of, status_of};

use crate::control::{BatchError, check_length, filled};
use crate::layout::{COUNTS, Layout};

/// The answers of all problems, in vectors or in other memory for scalars and words. Numbers of a rejected problem are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers<T, S = Vec<T>, W = Vec<u32>> {
    layout: Layout,
    count: usize,
    scalars: S,
    words: W,
    errors: Vec<(usize, InputError<T>)>,
}

impl<T: Real> Answers<T> {
    /// Of so many problems, none of them begun; an error where there is no memory for them.
    pub fn not_begun(layout: Layout, count: usize) -> Result<Self, BatchError> {
        let problems = layout.length(1, count);
        let scalars = filled(T::ZERO, layout.answer_scalars(), problems)?;
        let words = filled(0, layout.answer_words(), problems)?;
        let mut answers = Answers { layout, count, scalars, words, errors: Vec::new() };
        answers.mark_not_begun();
        Ok(answers)
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
}

impl<T: Real, S: AsMut<[T]>, W: AsMut<[u32]>> Answers<T, S, W> {
    /// No problem is begun; all numbers are 0.
    pub fn clear(&mut self) {
        self.errors.clear();
        self.scalars.as_mut().fill(T::ZERO);
        self.words.as_mut().fill(0);
        self.mark_not_begun();
    }

    /// The same where all numbers are 0 already.
    fn mark_not_begun(&mut self) {
        for problem in 0..self.count {
            self.words.as_mut()[self.layout.at(self.layout.answer_words(), problem, 0)] = NOT_BEGUN;
        }
    }

    /// Replaces all answers by others that are computed elsewhere, in the same memory: `write` is passed scalars and words, writes
    /// all of them and returns the errors of problems that are rejected, in their order. If it fails, no problem is begun.
    ///
    /// ```
    /// use stiction::Status;
    /// use stiction_batch::{Answers, BatchError, Layout};
    /// let layout = Layout::rows(1, 0);
    /// let mut answers = Answers::from_arrays(layout, 1, (vec![0.0; 17], vec![9; 6]), Vec::new())?;
    /// answers.rewrite(|_, words| {
    ///     words.fill(0);
    ///     Ok::<_, BatchError>(Vec::new())
    /// })?;
    /// assert_eq!(answers.status(0), Some(Status::Converged));
    /// # Ok::<(), BatchError>(())
    /// ```
    pub fn rewrite<E>(
        &mut self,
        write: impl FnOnce(&mut [T], &mut [u32]) -> Result<Vec<(usize, InputError<T>)>, E>,
    ) -> Result<(), E> {
        self.errors.clear();
        let written = write(self.scalars.as_mut(), self.words.as_mut());
        if written.is_err() {
            self.clear();
        }
        self.errors = written?;
        Ok(())
    }
}

impl<T: Real, S: AsRef<[T]>, W: AsRef<[u32]>> Answers<T, S, W> {
    /// Answers that were computed elsewhere in a layout: scalars and words of so many problems, and the errors of those that
    /// were rejected, in their order.
    ///
    /// ```
    /// use stiction_batch::{Answers, BatchError, Layout};
    /// let layout = Layout::rows(1, 0);
    /// let (scalars, words) = (vec![0.0; 2 * layout.answer_scalars()], vec![0; 2 * layout.answer_words()]);
    /// let short = Answers::from_arrays(layout, 2, (vec![0.0], words.clone()), Vec::new());
    /// assert!(matches!(short, Err(BatchError::Length { array: "scalars", length: 1, .. })));
    /// assert_eq!(Answers::from_arrays(layout, 2, (scalars, words), Vec::new())?.solved(), 2);
    /// # Ok::<(), BatchError>(())
    /// ```
    pub fn from_arrays(
        layout: Layout,
        count: usize,
        (scalars, words): (S, W),
        errors: Vec<(usize, InputError<T>)>,
    ) -> Result<Self, BatchError> {
        check_length("scalars", scalars.as_ref().len(), layout.length(layout.answer_scalars(), count))?;
        check_length("words", words.as_ref().len(), layout.length(layout.answer_words(), count))?;
        Ok(Answers { layout, count, scalars, words, errors })
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
        (self.scalars.as_ref(), self.words.as_ref())
    }

    /// The arrays themselves: scalars and words.
    pub fn into_arrays(self) -> (S, W) {
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
        (problem < self.count).then(|| self.word(problem, at))
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
        let word = self.word(problem, COUNTS.len() + contact);
        Some(ContactOutcome {
            bounce_impulse: self.scalar(problem, self.layout.bounce().start + contact),
            normal_impulse: self.scalar(problem, self.layout.normal().start + contact),
            tangent_impulse,
            state: state_of(word)?,
        })
    }

    fn scalar(&self, problem: usize, k: usize) -> T {
        self.scalars.as_ref()[self.layout.at(self.layout.answer_scalars(), problem, k)]
    }

    fn word(&self, problem: usize, k: usize) -> u32 {
        self.words.as_ref()[self.layout.at(self.layout.answer_words(), problem, k)]
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

/// Answers of some problems that follow each other, of one thread.
pub(crate) type Part<'a, T> = stiction_batch_layout::Part<&'a mut [T], &'a mut [u32]>;
