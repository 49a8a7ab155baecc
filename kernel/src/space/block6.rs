//! A 6×6 matrix that maps a velocity to a momentum or back, by columns of two triples.
//!
//! Products go column by column, so that each triple is one vector register where there are registers of four lanes.
use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::space::velocity::Velocity;

/// Numbers of a matrix, and one more (see `lanes`).
const NUMBERS: usize = 37;
/// Rows and columns.
const SIDE: usize = 6;
/// A pivot of so many roundings of the entry that it is left over from means that its row follows from others.
const DEPENDENT: f64 = 256.0;

/// A 6×6 matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Block6<T>([T; NUMBERS]);

impl<T: Real> Block6<T> {
    pub const ZERO: Self = Block6([T::ZERO; NUMBERS]);

    #[inline(always)]
    fn column(&self, k: usize) -> Velocity<T> {
        Velocity { linear: T::Lanes3::load(&self.0, SIDE * k), angular: T::Lanes3::load(&self.0, SIDE * k + 3) }
    }

    #[inline(always)]
    fn set_column(&mut self, k: usize, column: &Velocity<T>) {
        if let Some(to) = self.0.get_mut(SIDE * k..).and_then(<[T]>::first_chunk_mut::<SIDE>) {
            *to = numbers(column);
        }
    }

    /// Adds to column `k`.
    #[inline(always)]
    pub fn add_column(&mut self, k: usize, column: &Velocity<T>) {
        self.set_column(k, &self.column(k).plus(column));
    }

    /// Replaces a column.
    #[inline(always)]
    pub fn put_column(&mut self, k: usize, column: &Velocity<T>) {
        self.set_column(k, column);
    }

    /// Adds a number to the entries `(k, k)` from `first` to below `end`.
    pub fn add_diagonal(&mut self, first: usize, end: usize, number: T) {
        for entry in self.0.iter_mut().step_by(SIDE + 1).take(end).skip(first) {
            *entry += number;
        }
    }

    /// `A x`.
    #[inline(always)]
    pub fn times(&self, x: &Velocity<T>) -> Velocity<T> {
        self.times_numbers(&numbers(x))
    }

    #[inline(always)]
    fn times_numbers(&self, x: &[T; SIDE]) -> Velocity<T> {
        let mut sum = self.column(0).scaled(x[0]);
        for (k, number) in x.iter().enumerate().skip(1) {
            sum = sum.plus(&self.column(k).scaled(*number));
        }
        sum
    }

    /// `Aᵀ x`.
    #[inline(always)]
    pub fn transposed_times(&self, x: &Velocity<T>) -> Velocity<T> {
        let along = |k: usize| {
            let column = self.column(k);
            let [x, y, z] = column.linear.times(x.linear).plus(column.angular.times(x.angular)).xyz();
            x + y + z
        };
        Velocity {
            linear: T::Lanes3::new(along(0), along(1), along(2)),
            angular: T::Lanes3::new(along(3), along(4), along(5)),
        }
    }

    /// `A B`.
    #[inline(never)]
    pub fn product(&self, other: &Self) -> Self {
        let mut product = Self::ZERO;
        for k in 0..SIDE {
            product.set_column(k, &self.times(&other.column(k)));
        }
        product
    }

    /// Subtracts `A Bᵀ`.
    #[inline(never)]
    pub fn subtract_product(&mut self, a: &Self, b: &Self) {
        for k in 0..SIDE {
            let row = core::array::from_fn(|j| b.0.get(SIDE * j + k).copied().unwrap_or(T::ZERO));
            self.set_column(k, &self.column(k).minus(&a.times_numbers(&row)));
        }
    }

    /// Replaces a positive definite matrix by its inverse; false if a pivot is not positive. Gauss and Jordan without
    /// pivoting, which such a matrix does not need.
    #[inline(never)]
    pub fn invert(&mut self) -> bool {
        for k in 0..SIDE {
            let mut column = numbers(&self.column(k));
            let pivot = column[k];
            let inverse = T::ONE / pivot;
            if !(pivot > T::ZERO && inverse > T::ZERO && inverse.is_finite()) {
                return false;
            }
            column[k] = T::ZERO;
            self.exchange(k, inverse, &of_numbers(&column));
        }
        true
    }
}

impl<T: Real> Block6<T> {
    /// Replaces a positive semidefinite matrix by the inverse of a part of it: rows that follow from those before, and
    /// rows of zeros, are left out and become zero, as their columns do.
    #[inline(never)]
    pub fn invert_independent(&mut self) {
        let entries: [T; SIDE] = core::array::from_fn(|k| self.at(k, k));
        for (k, entry) in entries.into_iter().enumerate() {
            let mut column = numbers(&self.column(k));
            let pivot = column[k];
            let inverse = T::ONE / pivot;
            let is_independent = pivot > T::lit(DEPENDENT) * T::EPSILON * entry && inverse > T::ZERO;
            if !(is_independent && inverse.is_finite()) {
                self.clear_row_and_column(k);
                continue;
            }
            column[k] = T::ZERO;
            self.exchange(k, inverse, &of_numbers(&column));
        }
    }

    /// An entry.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> T {
        self.0.get(SIDE * column + row).copied().unwrap_or(T::ZERO)
    }

    /// Sets the last three rows and columns to zero.
    pub fn clear_angular(&mut self) {
        for k in 3..SIDE {
            self.clear_row_and_column(k);
        }
    }

    fn clear_row_and_column(&mut self, k: usize) {
        self.set_column(k, &Velocity::ZERO);
        for entry in self.0.iter_mut().skip(k).step_by(SIDE).take(SIDE) {
            *entry = T::ZERO;
        }
    }

    /// One step of Gauss and Jordan: exchanges unknown and right side of row `k`, whose column without its pivot is
    /// `column`.
    #[inline(always)]
    fn exchange(&mut self, k: usize, inverse: T, column: &Velocity<T>) {
        for j in 0..SIDE {
            let at = SIDE * j + k;
            let Some(entry) = self.0.get_mut(at) else { continue };
            let scaled = if j == k { inverse } else { *entry * inverse };
            *entry = T::ZERO;
            let rest = if j == k { Velocity::ZERO } else { self.column(j) };
            self.set_column(j, &rest.minus(&column.scaled(scaled)));
            if let Some(entry) = self.0.get_mut(at) {
                *entry = scaled;
            }
        }
    }
}

#[inline(always)]
fn numbers<T: Real>(velocity: &Velocity<T>) -> [T; SIDE] {
    let ([a, b, c], [d, e, f]) = (velocity.linear.xyz(), velocity.angular.xyz());
    [a, b, c, d, e, f]
}

#[inline(always)]
fn of_numbers<T: Real>([a, b, c, d, e, f]: &[T; SIDE]) -> Velocity<T> {
    Velocity { linear: T::Lanes3::new(*a, *b, *c), angular: T::Lanes3::new(*d, *e, *f) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seed: f64) -> Block6<f64> {
        let mut block = Block6::ZERO;
        for (k, entry) in block.0.iter_mut().enumerate().take(36) {
            *entry = ((k as f64 + seed) * 1.7).sin();
        }
        block
    }

    fn entry(block: &Block6<f64>, row: usize, column: usize) -> f64 {
        block.0[SIDE * column + row]
    }

    #[test]
    fn an_inverse_times_its_matrix_is_one() {
        let one = sample(0.3);
        let mut definite = Block6::ZERO;
        definite.add_diagonal(0, SIDE, 0.1);
        // Minus minus A Aᵀ.
        let mut minus = one;
        minus.0.iter_mut().for_each(|number| *number = -*number);
        definite.subtract_product(&minus, &one);
        let mut inverse = definite;
        assert!(inverse.invert());
        let product = inverse.product(&definite);
        for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
            let expected = f64::from(u8::from(row == column));
            assert!((entry(&product, row, column) - expected).abs() < 1e-11, "{row} {column}");
        }
        let mut indefinite = definite;
        indefinite.add_diagonal(5, 6, -100.0);
        assert!(!indefinite.invert());
    }

    #[test]
    fn dependent_rows_are_left_out() {
        // Rank 4: the last two rows repeat the first two.
        let mut singular = Block6::ZERO;
        let of = |k: usize| [1.0, 2.0, 3.0, 4.0][k % 4];
        for k in 0..6 {
            let mut column = [0.0; 6];
            column[k] = of(k);
            if k % 4 < 2 {
                column[(k + 4) % 8] = of(k);
            }
            singular.put_column(k, &of_numbers(&column));
        }
        let mut inverse = singular;
        inverse.invert_independent();
        for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
            let expected = if row == column && row < 4 { 1.0 / of(row) } else { 0.0 };
            assert!((entry(&inverse, row, column) - expected).abs() < 1e-15, "{row} {column}");
        }
        let one = sample(0.3);
        let mut minus = one;
        minus.0.iter_mut().for_each(|number| *number = -*number);
        let mut definite = Block6::ZERO;
        definite.add_diagonal(0, SIDE, 0.1);
        definite.subtract_product(&minus, &one);
        let (mut whole, mut part) = (definite, definite);
        assert!(whole.invert());
        part.invert_independent();
        assert_eq!(whole.0, part.0);
    }

    #[test]
    fn transposed_products_agree_with_columns() {
        let (a, b) = (sample(0.0), sample(4.0));
        let mut minus = Block6::ZERO;
        minus.subtract_product(&a, &b);
        for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
            let expected: f64 = (0..6).map(|k| entry(&a, row, k) * entry(&b, column, k)).sum();
            assert!((entry(&minus, row, column) + expected).abs() < 1e-12);
            let unit = of_numbers(&core::array::from_fn(|k| f64::from(u8::from(k == row))));
            let transposed = numbers(&a.transposed_times(&unit));
            assert_eq!(transposed[column], entry(&a, row, column));
        }
    }
}
