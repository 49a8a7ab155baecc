//! A Delassus matrix that the caller brings, borrowed and checked: in block compressed rows, or dense.
use core::marker::PhantomData;

use nalgebra::{Matrix3, Vector3};

use crate::math::ldlt3::Ldlt3;
use crate::math::real::Real;
use crate::problem::contact_rows::{ContactRows, Element, SixRows, ThreeRows};
use crate::problem::error::{ErrorKind, InputError, validate_range, validate_vector};
use crate::problem::surface::Surface;

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
pub struct Delassus<'a, T, R: ContactRows = ThreeRows> {
    w: Storage<'a, T>,
    pub(crate) q: &'a [Vector3<T>],
    pub(crate) mu: &'a [T],
    /// Friction beyond sliding, for each block row; none at all where contacts have three rows.
    surfaces: &'a [Surface<T>],
    rows: PhantomData<R>,
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
        Self::of(Storage::BlockRows { blocks, row_starts, columns }, q, mu, &[]).validated()
    }

    /// A problem of `q.len()` contacts whose `3n × 3n` matrix is given row by row.
    pub fn dense(w: &'a [T], q: &'a [Vector3<T>], mu: &'a [T]) -> Result<Self, InputError<T>> {
        let contacts = q.len();
        validate_length("w", w.len(), contacts.saturating_mul(contacts).saturating_mul(9))?;
        Self::of(Storage::Dense { entries: w, contacts }, q, mu, &[]).validated()
    }
}

impl<'a, T: Real> Delassus<'a, T, SixRows> {
    /// A problem whose contacts may have moments, in block compressed rows like [`Delassus::new`].
    ///
    /// A contact with moments has two block rows, one after the other: velocities along `n, t1, t2` in m/s, then angular
    /// velocities about them in rad/s. Its surface is that of the first; the second has the plain one, and its friction
    /// coefficient is not used. Friction must not depend on the direction.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use stiction::{Delassus, DelassusSolver, Settings, SixRows, Surface};
    /// // A top of 1 kg with I = 1 kg m² that spins at 2 rad/s while 1 N s presses it to the ground.
    /// let (blocks, q) = ([Matrix3::identity(); 2], [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(2.0, 0.0, 0.0)]);
    /// let surfaces = [Surface { torsion: 0.1, ..Surface::default() }, Surface::default()];
    /// let problem = Delassus::with_moments(&blocks, &[0, 1, 2], &[0, 1], &q, &[0.5, 0.0], &surfaces)?;
    /// let mut solver = DelassusSolver::<f64, 2, SixRows>::empty();
    /// solver.solve(&problem, &Settings::default())?;
    /// assert!((solver.impulse(1).unwrap().x + 0.1).abs() < 1e-12); // N m s about the normal
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub fn with_moments(
        blocks: &'a [Matrix3<T>],
        row_starts: &'a [u32],
        columns: &'a [u32],
        q: &'a [Vector3<T>],
        mu: &'a [T],
        surfaces: &'a [Surface<T>],
    ) -> Result<Self, InputError<T>> {
        validate_surfaces(surfaces, q.len())?;
        let three_rows = Delassus::new(blocks, row_starts, columns, q, mu)?;
        Ok(Self::of(three_rows.w, q, mu, surfaces))
    }

    /// The same whose matrix is given row by row, like [`Delassus::dense`].
    ///
    /// ```
    /// use nalgebra::{Matrix6, Vector3};
    /// use stiction::{Delassus, DelassusSolver, Settings, SixRows, Surface};
    /// let (w, q) = (Matrix6::identity(), [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(2.0, 0.0, 0.0)]);
    /// let surfaces = [Surface { torsion: 0.1, ..Surface::default() }, Surface::default()];
    /// let problem = Delassus::dense_with_moments(w.as_slice(), &q, &[0.5, 0.0], &surfaces)?;
    /// let mut solver = DelassusSolver::<f64, 2, SixRows>::empty();
    /// solver.solve(&problem, &Settings::default())?;
    /// assert!((solver.impulse(1).unwrap().x + 0.1).abs() < 1e-12);
    /// // The other way round the last row has no row of moments.
    /// let [top, plain] = surfaces;
    /// assert!(Delassus::dense_with_moments(w.as_slice(), &q, &[0.5, 0.0], &[plain, top]).is_err());
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub fn dense_with_moments(
        w: &'a [T],
        q: &'a [Vector3<T>],
        mu: &'a [T],
        surfaces: &'a [Surface<T>],
    ) -> Result<Self, InputError<T>> {
        validate_surfaces(surfaces, q.len())?;
        let three_rows = Delassus::dense(w, q, mu)?;
        Ok(Self::of(three_rows.w, q, mu, surfaces))
    }
}

/// Rejects surfaces that do not fit to the block rows.
fn validate_surfaces<T: Real>(surfaces: &[Surface<T>], rows: usize) -> Result<(), InputError<T>> {
    validate_length("surfaces", surfaces.len(), rows)?;
    let mut is_second = false;
    for (i, surface) in surfaces.iter().enumerate() {
        for (field, value) in [("surfaces.torsion", surface.torsion), ("surfaces.rolling", surface.rolling)] {
            validate_range(value, T::ZERO, T::LENGTH_LIMIT, |reason| InputError::delassus(field, i, reason))?;
        }
        if surface.tread.is_some() || (is_second && *surface != Surface::PLAIN) {
            return Err(InputError::delassus("surfaces", i, ErrorKind::BadStructure));
        }
        is_second = !is_second && surface.has_moments();
    }
    let last = surfaces.len().saturating_sub(1);
    if is_second { Err(InputError::delassus("surfaces", last, ErrorKind::BadStructure)) } else { Ok(()) }
}

impl<'a, T: Real, R: ContactRows> Delassus<'a, T, R> {
    fn of(w: Storage<'a, T>, q: &'a [Vector3<T>], mu: &'a [T], surfaces: &'a [Surface<T>]) -> Self {
        Delassus { w, q, mu, surfaces, rows: PhantomData }
    }

    /// The surface of a contact with moments, by its first block row.
    #[inline(always)]
    pub(crate) fn moments(&self, i: usize) -> Option<&'a Surface<T>> {
        if R::HAS_MOMENTS { self.surfaces.get(i).filter(|surface| surface.has_moments()) } else { None }
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
