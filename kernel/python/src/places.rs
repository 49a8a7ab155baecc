//! Numbers, vectors and matrices in arrays of any strides. Arrays in C order are read as slices.
use nalgebra::{Matrix3, Vector3};
use numpy::ndarray::{ArrayView, Dimension, Ix2, Ix3, Ix4};
use numpy::{Element, PyReadonlyArray};
use stiction::Real;

use crate::arrays::view;

/// An array whose first two indices are a problem and a place in it.
pub struct Places<'a, T, D: Dimension> {
    all: ArrayView<'a, T, D>,
    /// All entries, if they stand one after the other in C order.
    flat: Option<&'a [T]>,
    /// Entries of a problem.
    each: usize,
}

/// The places of one problem.
pub struct Row<'a, T, D: Dimension> {
    all: &'a ArrayView<'a, T, D>,
    problem: usize,
    /// Its entries, if they stand one after the other.
    flat: Option<&'a [T]>,
}

/// Those of an array that may be absent.
pub fn places<'a, T: Element, D: Dimension>(array: &'a Option<PyReadonlyArray<'_, T, D>>) -> Option<Places<'a, T, D>> {
    let all = view(array)?;
    let each = all.shape()[1..].iter().product();
    Some(Places { flat: all.to_slice(), each, all })
}

impl<T, D: Dimension> Places<'_, T, D> {
    /// Those of a problem.
    #[inline]
    pub fn of(&self, problem: usize) -> Row<'_, T, D> {
        let flat = self.flat.map(|flat| &flat[self.each * problem..][..self.each]);
        Row { all: &self.all, problem, flat }
    }
}

impl<T: Copy, D: Dimension> Row<'_, T, D> {
    /// The `N` entries of a place, if they are one after the other.
    #[inline(always)]
    fn entries<const N: usize>(&self, place: usize) -> Option<&[T; N]> {
        self.flat?.get(N * place..)?.first_chunk()
    }
}

impl<T: Copy> Row<'_, T, Ix2> {
    /// The number of a place.
    #[inline(always)]
    pub fn number(&self, place: usize) -> T {
        self.entries::<1>(place).map_or_else(|| self.all[[self.problem, place]], |[number]| *number)
    }
}

impl<T: Real> Row<'_, T, Ix3> {
    /// The vector of a place.
    #[inline(always)]
    pub fn vector(&self, place: usize) -> Vector3<T> {
        let one_by_one = || Vector3::new(0, 1, 2).map(|k| self.all[[self.problem, place, k]]);
        self.entries::<3>(place).map_or_else(one_by_one, |entries| Vector3::from(*entries))
    }
}

impl<T: Real> Row<'_, T, Ix4> {
    /// The matrix of a place.
    #[inline(always)]
    pub fn matrix(&self, place: usize) -> Matrix3<T> {
        let one_by_one = || Matrix3::from_fn(|row, column| self.all[[self.problem, place, row, column]]);
        self.entries::<9>(place).map_or_else(one_by_one, |entries| Matrix3::from_row_slice(entries))
    }
}
