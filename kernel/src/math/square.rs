//! Products and inverses of small square blocks.
use nalgebra::Matrix3;

use crate::math::real::Real;

/// A square block.
pub(crate) type Square<T, const B: usize> = [[T; B]; B];

pub(crate) fn product<T: Real, const B: usize>(left: &Square<T, B>, right: &Square<T, B>) -> Square<T, B> {
    let mut out = [[T::ZERO; B]; B];
    for (out, left) in out.iter_mut().zip(left) {
        for (l, right) in left.iter().zip(right) {
            for (out, r) in out.iter_mut().zip(right) {
                *out += *l * *r;
            }
        }
    }
    out
}

/// The inverse by Gauss–Jordan with row pivots; `None` if a pivot vanishes.
pub(crate) fn inverted<T: Real, const B: usize>(block: &Square<T, B>) -> Option<Square<T, B>> {
    let mut left = *block;
    let mut right = [[T::ZERO; B]; B];
    for (i, row) in right.iter_mut().enumerate() {
        if let Some(entry) = row.get_mut(i) {
            *entry = T::ONE;
        }
    }
    for k in 0..B {
        let size = |row: usize| left.get(row).and_then(|row| row.get(k)).map_or(T::ZERO, |entry| entry.abs());
        let best = (k..B).fold(k, |best, row| if size(row) > size(best) { row } else { best });
        if !(size(best) > T::ZERO && size(best).is_finite()) {
            return None;
        }
        for half in [&mut left, &mut right] {
            if let Ok([a, b]) = half.get_disjoint_mut([k, best]) {
                core::mem::swap(a, b);
            }
        }
        let (pivot_left, pivot_right) = (*left.get(k)?, *right.get(k)?);
        let inverse = T::ONE / *pivot_left.get(k)?;
        for (row, (left, right)) in left.iter_mut().zip(right.iter_mut()).enumerate() {
            let by = if row == k { T::ONE - inverse } else { *left.get(k)? * inverse };
            left.iter_mut().zip(&pivot_left).for_each(|(entry, pivot)| *entry -= by * *pivot);
            right.iter_mut().zip(&pivot_right).for_each(|(entry, pivot)| *entry -= by * *pivot);
        }
    }
    right.iter().flatten().all(|entry| entry.is_finite()).then_some(right)
}

/// A matrix as a block.
pub(crate) fn square<T: Real>(m: &Matrix3<T>) -> Square<T, 3> {
    [[m.m11, m.m12, m.m13], [m.m21, m.m22, m.m23], [m.m31, m.m32, m.m33]]
}

/// The inverse of a matrix, if there is one.
pub(crate) fn inverse<T: Real>(m: &Matrix3<T>) -> Option<Matrix3<T>> {
    let [[a, b, c], [d, e, f], [g, h, i]] = inverted(&square(m))?;
    Some(Matrix3::new(a, b, c, d, e, f, g, h, i))
}

/// The inverse of a matrix; all entries are NaN if there is none.
pub(crate) fn inverse_or_nan<T: Real>(m: &Matrix3<T>) -> Matrix3<T> {
    // In a unit near its entries: `inverted` loses the digits of an inverse much smaller than 1.
    let unit = m.trace().power_of_two_below();
    let unit = if unit > T::ZERO && unit.is_finite() { unit } else { T::ONE };
    inverse(&(m / unit)).map_or(Matrix3::from_element(T::lit(f64::NAN)), |inverse| inverse / unit)
}
