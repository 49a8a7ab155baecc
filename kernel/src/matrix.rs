//! A Delassus matrix that the caller brings: checked block rows, borrowed, and a dense convenience.

use nalgebra::{Matrix3, Vector3};

use crate::inertia::InertiaFactor;
use crate::real::Real;
use crate::refusal::{Reason, Refusal, check_range, check_vector};

/// A borrowed problem in block compressed rows, checked.
#[derive(Debug, Clone, Copy)]
pub struct Delassus<'a, T> {
    blocks: &'a [Matrix3<T>],
    row_starts: &'a [u32],
    columns: &'a [u32],
    pub(crate) q: &'a [Vector3<T>],
    pub(crate) mu: &'a [T],
}

impl<'a, T: Real> Delassus<'a, T> {
    /// Checks a problem of `q.len()` contacts.
    ///
    /// Block `k` with `row_starts[i] ≤ k < row_starts[i + 1]` stands in block row `i` and block column `columns[k]`;
    /// columns ascend in a row and the diagonal block is stored. `q` is the free velocity along `n, t1, t2`, in m/s, and
    /// `mu` the friction coefficient of each contact.
    pub fn new(
        blocks: &'a [Matrix3<T>],
        row_starts: &'a [u32],
        columns: &'a [u32],
        q: &'a [Vector3<T>],
        mu: &'a [T],
    ) -> Result<Self, Refusal<T>> {
        let problem = Delassus { blocks, row_starts, columns, q, mu };
        problem.check_lengths()?;
        for i in 0..q.len() {
            problem.check_row(i)?;
        }
        Ok(problem)
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    fn check_lengths(&self) -> Result<(), Refusal<T>> {
        let n = self.q.len();
        let lengths = [
            ("mu", self.mu.len(), n),
            ("row_starts", self.row_starts.len(), n.saturating_add(1)),
            ("columns", self.columns.len(), self.blocks.len()),
        ];
        for (array, length, expected) in lengths {
            if length != expected {
                return Err(Refusal::delassus(array, 0, Reason::WrongLength { length, expected }));
            }
        }
        let bounds = (self.row_starts.first().copied(), self.row_starts.last().copied());
        if bounds.0 != Some(0) || bounds.1.map(|end| end as usize) != Some(self.blocks.len()) {
            return Err(Refusal::delassus("row_starts", 0, Reason::BadStructure));
        }
        Ok(())
    }

    fn check_row(&self, i: usize) -> Result<(), Refusal<T>> {
        let limit = T::LINEAR_SPEED_LIMIT;
        let (Some(q), Some(mu)) = (self.q.get(i), self.mu.get(i)) else { return Ok(()) };
        check_vector(q, limit, |reason| Refusal::delassus("q", i, reason))?;
        check_range(*mu, T::ZERO, T::FRICTION_LIMIT, |reason| Refusal::delassus("mu", i, reason))?;
        let Some((columns, blocks)) = self.row(i) else {
            return Err(Refusal::delassus("row_starts", i, Reason::BadStructure));
        };
        let mut previous = None;
        for (&column, block) in columns.iter().zip(blocks) {
            if previous.is_some_and(|p| column <= p) || column as usize >= self.len() {
                return Err(Refusal::delassus("columns", i, Reason::BadStructure));
            }
            previous = Some(column);
            let most = T::INVERSE_MASS_LIMIT;
            for &entry in block.iter() {
                check_range(entry, -most, most, |reason| Refusal::delassus("blocks", i, reason))?;
            }
        }
        self.check_diagonal(i)
    }

    fn check_diagonal(&self, i: usize) -> Result<(), Refusal<T>> {
        let refuse = |reason| Err(Refusal::delassus("blocks", i, reason));
        let Some(k) = self.diagonal(i) else { return refuse(Reason::NoDiagonalBlock) };
        let trace = k.trace();
        let least = T::ONE / T::INVERSE_MASS_LIMIT;
        if !(trace >= least) {
            return refuse(Reason::TooSmall { value: trace, least });
        }
        let symmetric = (k + k.transpose()) * T::HALF;
        // Published blocks are positive semidefinite only up to the digits they were printed with.
        let shifted = symmetric + Matrix3::identity() * (T::lit(1e-5) * trace);
        if !InertiaFactor::new(&shifted).is_positive_semidefinite() {
            return refuse(Reason::NotPositiveSemidefinite);
        }
        Ok(())
    }

    /// Columns and blocks of a block row.
    pub(crate) fn row(&self, i: usize) -> Option<(&'a [u32], &'a [Matrix3<T>])> {
        let start = *self.row_starts.get(i)? as usize;
        let end = *self.row_starts.get(i.checked_add(1)?)? as usize;
        Some((self.columns.get(start..end)?, self.blocks.get(start..end)?))
    }

    /// The diagonal block of a row.
    pub(crate) fn diagonal(&self, i: usize) -> Option<&'a Matrix3<T>> {
        let (columns, blocks) = self.row(i)?;
        columns.iter().zip(blocks).find(|(column, _)| **column as usize == i).map(|(_, block)| block)
    }
}

/// A dense `W` turned into block rows, for small problems.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::delassus::{DenseBlocks, DelassusSolver};
/// use stiction::Settings;
/// let w = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; // one contact, row by row
/// let (q, mu) = ([Vector3::new(-1.0, 0.0, 0.0)], [0.5]);
/// let dense = DenseBlocks::<f64, 1, 1, 2>::new(&w)?;
/// let mut solver = DelassusSolver::<f64, 1>::new();
/// solver.solve(&dense.problem(&q, &mu)?, &Settings::default())?;
/// assert!((solver.impulse(0).unwrap().x - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DenseBlocks<T, const N: usize, const N_SQUARED: usize, const N_PLUS_ONE: usize> {
    blocks: [Matrix3<T>; N_SQUARED],
    columns: [u32; N_SQUARED],
    row_starts: [u32; N_PLUS_ONE],
}

impl<T: Real, const N: usize, const N_SQUARED: usize, const N_PLUS_ONE: usize>
    DenseBlocks<T, N, N_SQUARED, N_PLUS_ONE>
{
    const SIZES_MATCH: () = assert!(N_SQUARED == N * N && N_PLUS_ONE == N + 1, "N_SQUARED = N², N_PLUS_ONE = N + 1");

    /// Cuts a dense `3N × 3N` matrix, row by row, into blocks.
    pub fn new(w: &[T]) -> Result<Self, Refusal<T>> {
        let () = Self::SIZES_MATCH;
        let expected = 9 * N_SQUARED;
        if w.len() != expected {
            return Err(Refusal::delassus("w", 0, Reason::WrongLength { length: w.len(), expected }));
        }
        let entry = |row: usize, column: usize| w.get(row * 3 * N + column).copied().unwrap_or(T::ZERO);
        let block = |k: usize| {
            let (i, j) = (k / N, k % N);
            Matrix3::from_fn(|row, column| entry(3 * i + row, 3 * j + column))
        };
        Ok(DenseBlocks {
            blocks: core::array::from_fn(block),
            columns: core::array::from_fn(|k| (k % N) as u32),
            row_starts: core::array::from_fn(|i| (i * N) as u32),
        })
    }

    /// The problem with this matrix, free velocities `q` and friction coefficients `mu`.
    pub fn problem<'a>(&'a self, q: &'a [Vector3<T>], mu: &'a [T]) -> Result<Delassus<'a, T>, Refusal<T>> {
        Delassus::new(&self.blocks, &self.row_starts, &self.columns, q, mu)
    }
}
