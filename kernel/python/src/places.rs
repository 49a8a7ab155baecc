//! Numbers, vectors and matrices in arrays of any strides; without strides where there are none.
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
    /// Places of a problem.
    each: usize,
}

/// Those of an array that may be absent.
pub fn places<'a, T: Element, D: Dimension>(array: &'a Option<PyReadonlyArray<'_, T, D>>) -> Option<Places<'a, T, D>> {
    let all = view(array)?;
    Some(Places { flat: all.to_slice(), each: all.shape()[1], all })
}

impl<T: Copy, D: Dimension> Places<'_, T, D> {
    /// The `N` entries of a place, if they are one after the other.
    #[inline]
    fn entries<const N: usize>(&self, i: usize, j: usize) -> Option<&[T; N]> {
        self.flat?[(i * self.each + j) * N..].first_chunk()
    }
}

impl<T: Copy> Places<'_, T, Ix2> {
    /// The number of a place.
    #[inline]
    pub fn number(&self, i: usize, j: usize) -> T {
        self.entries::<1>(i, j).map_or_else(|| self.all[[i, j]], |[number]| *number)
    }
}

impl<T: Real> Places<'_, T, Ix3> {
    /// The vector of a place.
    #[inline]
    pub fn vector(&self, i: usize, j: usize) -> Vector3<T> {
        let one_by_one = || Vector3::new(0, 1, 2).map(|k| self.all[[i, j, k]]);
        self.entries::<3>(i, j).map_or_else(one_by_one, |entries| Vector3::from(*entries))
    }
}

impl<T: Real> Places<'_, T, Ix4> {
    /// The matrix of a place.
    #[inline]
    pub fn matrix(&self, i: usize, j: usize) -> Matrix3<T> {
        let one_by_one = || Matrix3::from_fn(|row, column| self.all[[i, j, row, column]]);
        self.entries::<9>(i, j).map_or_else(one_by_one, |entries| Matrix3::from_row_slice(entries))
    }
}
