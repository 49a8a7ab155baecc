//! A Delassus matrix that the caller brings, borrowed and checked: in block compressed rows, or dense.
use nalgebra::{Matrix3, Vector3};

use crate::math::ldlt3::Ldlt3;
use crate::math::real::Real;
use crate::problem::error::{ErrorKind, InputError, validate_range, validate_vector};

/// A borrowed problem: `W`, `q` and `μ`, checked.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::Settings;
/// use stiction::{Delassus, DelassusSolver};
/// let w = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; // one contact, row by row
/// let (q, mu) = ([Vector3::new(-1.0, 0.0, 0.0)], [0.5]);
/// let mut solver = DelassusSolver::<f64, 1>::new();
/// solver.solve(&Delassus::dense(&w, &q, &mu)?, &Settings::default())?;
/// assert!((solver.impulse(0).unwrap().x - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Delassus<'a, T> {
    w: Storage<'a, T>,
    pub(crate) q: &'a [Vector3<T>],
    pub(crate) mu: &'a [T],
}

#[derive(Debug, Clone, Copy)]
enum Storage<'a, T> {
    BlockRows { blocks: &'a [Matrix3<T>], row_starts: &'a [u32], columns: &'a [u32] },
    Dense { entries: &'a [T], contacts: usize },
}

impl<'a, T: Real> Delassus<'a, T> {
    /// A problem of `q.len()` contacts whose matrix is in block compressed rows.
    ///
    /// Block `k` with `row_starts[i] ≤ k < row_starts[i + 1]` stands in block row `i` and block column `columns[k]`;
    /// columns ascend in a row and the diagonal block is stored. `q` is the free velocity along `n, t1, t2`, in m/s,
    /// and `mu` the friction coefficient of each contact.
    pub fn new(
        blocks: &'a [Matrix3<T>],
        row_starts: &'a [u32],
        columns: &'a [u32],
        q: &'a [Vector3<T>],
        mu: &'a [T],
    ) -> Result<Self, InputError<T>> {
        validate_length("row_starts", row_starts.len(), q.len().saturating_add(1))?;
        validate_length("columns", columns.len(), blocks.len())?;
        let ends = (row_starts.first().copied(), row_starts.last().map(|end| *end as usize));
        if ends != (Some(0), Some(blocks.len())) {
            return Err(InputError::delassus("row_starts", 0, ErrorKind::BadStructure));
        }
        Delassus { w: Storage::BlockRows { blocks, row_starts, columns }, q, mu }.validated()
    }

    /// A problem of `q.len()` contacts whose `3n × 3n` matrix is given row by row.
    pub fn dense(w: &'a [T], q: &'a [Vector3<T>], mu: &'a [T]) -> Result<Self, InputError<T>> {
        let contacts = q.len();
        validate_length("w", w.len(), contacts.saturating_mul(contacts).saturating_mul(9))?;
        Delassus { w: Storage::Dense { entries: w, contacts }, q, mu }.validated()
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    fn validated(self) -> Result<Self, InputError<T>> {
        validate_length("mu", self.mu.len(), self.q.len())?;
        for i in 0..self.len() {
            self.validate_row(i)?;
        }
        Ok(self)
    }

    fn validate_row(&self, i: usize) -> Result<(), InputError<T>> {
        let (Some(q), Some(mu)) = (self.q.get(i), self.mu.get(i)) else { return Ok(()) };
        validate_vector(q, T::LINEAR_SPEED_LIMIT, |reason| InputError::delassus("q", i, reason))?;
        validate_range(*mu, T::ZERO, T::FRICTION_LIMIT, |reason| InputError::delassus("mu", i, reason))?;
        let structure = |array| InputError::delassus(array, i, ErrorKind::BadStructure);
        let blocks = self.row(i).ok_or(structure("row_starts"))?;
        let mut previous = None;
        for (column, block) in blocks {
            if previous.is_some_and(|p| column <= p) || column >= self.len() {
                return Err(structure("columns"));
            }
            previous = Some(column);
            let max = T::INVERSE_MASS_LIMIT;
            for &entry in block.iter() {
                validate_range(entry, -max, max, |reason| InputError::delassus("blocks", i, reason))?;
            }
        }
        self.validate_diagonal(i)
    }

    fn validate_diagonal(&self, i: usize) -> Result<(), InputError<T>> {
        let reject = |reason| Err(InputError::delassus("blocks", i, reason));
        let Some(k) = self.diagonal(i) else { return reject(ErrorKind::NoDiagonalBlock) };
        let trace = k.trace();
        let min = T::ONE / T::INVERSE_MASS_LIMIT;
        if !(trace >= min) {
            return reject(ErrorKind::TooSmall { value: trace, min });
        }
        let symmetric = (k + k.transpose()) * T::HALF;
        // Published blocks are positive semidefinite only up to the digits they were printed with.
        let shifted = symmetric + Matrix3::identity() * (T::lit(1e-5) * trace);
        if !Ldlt3::is_positive_semidefinite(&shifted) {
            return reject(ErrorKind::NotPositiveSemidefinite);
        }
        Ok(())
    }

    /// Columns and blocks of a block row; none where the row pointers are out of order.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> Option<impl Iterator<Item = (usize, Matrix3<T>)> + 'a> {
        let w = self.w;
        let (start, end) = match w {
            Storage::BlockRows { blocks, row_starts, .. } => {
                let start = *row_starts.get(i)? as usize;
                let end = *row_starts.get(i.checked_add(1)?)? as usize;
                if start > end || end > blocks.len() {
                    return None;
                }
                (start, end)
            }
            Storage::Dense { contacts, .. } => (0, contacts),
        };
        Some((start..end).filter_map(move |k| w.block(i, k)))
    }

    /// The same for a matrix stored by block rows, without a copy. Sweeps read this most.
    #[inline(always)]
    pub(crate) fn stored_row(&self, i: usize) -> Option<(&'a [Matrix3<T>], &'a [u32])> {
        let Storage::BlockRows { blocks, row_starts, columns } = self.w else { return None };
        let (start, end) = (*row_starts.get(i)? as usize, *row_starts.get(i.checked_add(1)?)? as usize);
        Some((blocks.get(start..end)?, columns.get(start..end)?))
    }

    /// The block in a row and a column, if it is stored.
    pub(crate) fn block(&self, i: usize, j: usize) -> Option<Matrix3<T>> {
        self.row(i)?.find(|(column, _)| *column == j).map(|(_, block)| block)
    }

    /// The diagonal block of a row.
    pub(crate) fn diagonal(&self, i: usize) -> Option<Matrix3<T>> {
        self.block(i, i)
    }
}

impl<T: Real> Storage<'_, T> {
    /// The `k`-th stored block of row `i`'s storage, and its column.
    #[inline]
    fn block(&self, i: usize, k: usize) -> Option<(usize, Matrix3<T>)> {
        match self {
            Storage::BlockRows { blocks, columns, .. } => Some((*columns.get(k)? as usize, *blocks.get(k)?)),
            Storage::Dense { entries, contacts } => {
                let part = |row: usize| entries.get((3 * i + row) * 3 * contacts + 3 * k..)?.first_chunk::<3>();
                let ([a, b, c], [d, e, f], [g, h, l]) = (part(0)?, part(1)?, part(2)?);
                Some((k, Matrix3::new(*a, *b, *c, *d, *e, *f, *g, *h, *l)))
            }
        }
    }
}

fn validate_length<T: Real>(array: &'static str, length: usize, expected: usize) -> Result<(), InputError<T>> {
    if length == expected {
        Ok(())
    } else {
        Err(InputError::delassus(array, 0, ErrorKind::WrongLength { length, expected }))
    }
}
