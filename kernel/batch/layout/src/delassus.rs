//! Delassus problems: one is solved from slices of its batch, and its answer is stored as numbers.
//!
//! With `c` contacts a problem, its part of every array follows that of the problem before it:
//!
//! | | each |
//! |---|---|
//! | `W`, row by row | 9c² |
//! | `q`, impulses to start from, impulses, velocities: normal and two tangents of each contact | 3c |
//! | μ | c |
//! | scalars of the report | [`FIGURES`] |
//! | words of the report | [`COUNTS`] |
use nalgebra::{Matrix3, Vector3};
use stiction::{Delassus, DelassusReport, DelassusSolver, DirectView, Hooks, InputError, Real, Settings};

use crate::part::Slots;
use crate::words::{flag, method_word, status_word};

/// Scalars of a report in the answer, in their order.
pub const FIGURES: [&str; 7] =
    ["residual", "residual_scale", "closing_speed", "cone", "natural_rel_q", "unit_rel_q", "work"];

/// Words of a report in the answer, in their order.
pub const COUNTS: [&str; 7] = ["status", "method", "sweeps", "newton_steps", "interior_steps", "safe_blocks", "flags"];

/// The numbers of a problem.
#[derive(Debug, Clone, Copy)]
pub struct OneDelassus<'a, T> {
    /// `W`, row by row.
    pub w: &'a [T],
    /// Free velocities.
    pub q: &'a [T],
    /// Friction coefficients.
    pub mu: &'a [T],
    /// Impulses to start from; none is 0.
    pub warm: &'a [T],
}

impl<T: Real> OneDelassus<'_, T> {
    fn vector(numbers: &[T], contact: usize) -> Vector3<T> {
        let number = |k: usize| numbers.get(3 * contact + k).copied().unwrap_or(T::ZERO);
        Vector3::new(number(0), number(1), number(2))
    }
}

/// A solver for problems of up to `NC` contacts. It copies `W` into blocks, which is the form that sweeps read without
/// computing places; on a graphics processor the copy is also where words of neighbouring threads are side by side.
pub struct DelassusWork<T: Real, const NC: usize> {
    solver: DelassusSolver<T, NC>,
    q: [Vector3<T>; NC],
    start: [Vector3<T>; NC],
    blocks: [[Matrix3<T>; NC]; NC],
    columns: [[u32; NC]; NC],
    /// Of `NC + 1` rows.
    row_starts: [[u32; NC]; 2],
}

impl<T: Real, const NC: usize> Default for DelassusWork<T, NC> {
    fn default() -> Self {
        let zero = [Vector3::zeros(); NC];
        DelassusWork {
            solver: DelassusSolver::new(),
            q: zero,
            start: zero,
            blocks: [[Matrix3::zeros(); NC]; NC],
            columns: [[0; NC]; NC],
            row_starts: [[0; NC]; 2],
        }
    }
}

impl<T: Real, const NC: usize> DelassusWork<T, NC> {
    /// Solves a problem.
    pub fn solve(
        &mut self,
        one: &OneDelassus<'_, T>,
        settings: &Settings<T>,
        direct: Option<DirectView<'_, T>>,
    ) -> Result<DelassusReport<T>, InputError<T>> {
        for (contact, (q, start)) in self.q.iter_mut().zip(&mut self.start).enumerate() {
            (*q, *start) = (OneDelassus::vector(one.q, contact), OneDelassus::vector(one.warm, contact));
        }
        let contacts = one.mu.len();
        self.copy_matrix(one.w, contacts);
        let DelassusWork { solver, q, start, blocks, columns, row_starts } = self;
        let q = q.get(..contacts).unwrap_or(q);
        let given = if one.warm.is_empty() { 0 } else { contacts };
        let start = start.get(..given).unwrap_or(start);
        let blocks = blocks.as_flattened().get(..contacts * contacts).unwrap_or_default();
        let columns = columns.as_flattened().get(..contacts * contacts).unwrap_or_default();
        let row_starts = row_starts.as_flattened().get(..contacts + 1).unwrap_or_default();
        let problem = Delassus::new(blocks, row_starts, columns, q, one.mu)?;
        solver.solve_with(&problem, settings, start, Hooks { direct, ..Hooks::default() })
    }

    /// Copies `W` into blocks, row by row.
    fn copy_matrix(&mut self, w: &[T], contacts: usize) {
        let row_starts = self.row_starts.as_flattened_mut().iter_mut();
        row_starts.enumerate().for_each(|(row, start)| *start = (row * contacts) as u32);
        let (blocks, columns) = (self.blocks.as_flattened_mut(), self.columns.as_flattened_mut());
        let rows_of_blocks = w.chunks_exact((9 * contacts).max(1)).enumerate();
        for (row, rows) in rows_of_blocks {
            let places = blocks.iter_mut().zip(columns.iter_mut()).skip(row * contacts).take(contacts);
            for (column, (block, place)) in places.enumerate() {
                let entry = |i: usize, j: usize| rows.get(3 * (contacts * i + column) + j).copied().unwrap_or(T::ZERO);
                *block = Matrix3::from_fn(entry);
                *place = column as u32;
            }
        }
    }

    /// Stores the impulses of the last problem and its velocities `W x + q`.
    pub fn store(&self, one: &OneDelassus<'_, T>, impulses: &mut impl Slots<T>, velocities: &mut impl Slots<T>) {
        let of_contact = |contact: usize| self.solver.impulse(contact).unwrap_or_default();
        let contacts = one.mu.len();
        for contact in 0..contacts {
            let impulse = of_contact(contact);
            impulse.iter().enumerate().for_each(|(k, value)| impulses.put(3 * contact + k, *value));
        }
        for (row, (entries, q)) in one.w.chunks(3 * contacts.max(1)).zip(one.q).enumerate() {
            let mut sum = *q;
            for (contact, block) in entries.chunks(3).enumerate() {
                sum = block.iter().zip(of_contact(contact).iter()).fold(sum, |sum, (w, x)| sum + *w * *x);
            }
            velocities.put(row, sum);
        }
    }
}

/// Stores a report: [`FIGURES`] and [`COUNTS`].
pub fn store_report<T: Real>(
    report: &DelassusReport<T>,
    figures: &mut impl Slots<T>,
    counts: &mut impl Slots<u32>,
    problem: usize,
) {
    let residual = &report.residual;
    let scalars = [
        residual.natural,
        residual.scale,
        residual.closing_speed,
        residual.cone,
        report.natural_rel_q,
        report.unit_rel_q,
        report.work,
    ];
    scalars.into_iter().enumerate().for_each(|(k, value)| figures.put(FIGURES.len() * problem + k, value));
    let given = |is_given: bool, flag: u32| if is_given { flag } else { 0 };
    let flags = given(report.passivity_guard, flag::PASSIVITY_GUARD)
        | given(report.direct.memory_too_small, flag::MEMORY_TOO_SMALL);
    let words = [
        status_word(Some(report.status)),
        method_word(report.method),
        report.sweeps,
        report.direct.newton_steps,
        report.direct.interior_steps,
        report.safe_blocks,
        flags,
    ];
    words.into_iter().enumerate().for_each(|(k, word)| counts.put(COUNTS.len() * problem + k, word));
}
