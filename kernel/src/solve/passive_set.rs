//! The passive set of the active-set method: its members, and the factor of their couplings (derivation: `active_set`).
use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::space::bodies::normal_coupling;
use crate::space::jacobian::ContactJacobian;

/// Entries of a packed triangle.
pub(crate) const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// Refinements of the answer with its actual velocities. They restore the digits that a triangular solve loses on an
/// ill-conditioned set.
pub(crate) const REFINEMENTS: usize = 2;

/// The passive set of up to `R` rows in order of entry, with `L D Lᵀ = W_PP` packed by rows into `P` numbers, `D` on
/// the diagonal.
pub(crate) struct Passive<T, const R: usize, const P: usize> {
    pub members: [u8; R],
    /// The same as a set of bits.
    pub set: u32,
    pub len: usize,
    pub factor: [T; P],
    /// Where equations are solved, by member position.
    pub trial: [T; R],
}

/// The entries of `W` for rows from `first` on.
pub(crate) struct Couplings<'a, T: Real, K: ContactRows> {
    pub jacobians: &'a [ContactJacobian<T, K>],
    pub impulse_scale: &'a [T],
    pub first: usize,
}

impl<T: Real, K: ContactRows> Couplings<'_, T, K> {
    /// Normal velocity of row `i` for a normal impulse of row `j`, per N s.
    #[inline(never)]
    pub fn between(&self, i: usize, j: usize) -> T {
        normal_coupling(self.jacobians, self.first + i, self.first + j) * at(self.impulse_scale, self.first + j)
    }
}

/// Entry `(i, j)`, `j ≤ i`, of a packed lower triangle.
#[inline(always)]
pub(crate) fn packed(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

#[inline(always)]
pub(crate) fn at<T: Real>(values: &[T], index: usize) -> T {
    values.get(index).copied().unwrap_or(T::ZERO)
}

#[inline(always)]
pub(crate) fn set<T: Real>(values: &mut [T], index: usize, value: T) {
    if let Some(slot) = values.get_mut(index) {
        *slot = value;
    }
}

impl<T: Real, const R: usize, const P: usize> Passive<T, R, P> {
    pub fn member(&self, position: usize) -> usize {
        self.members.get(position).map_or(0, |member| usize::from(*member))
    }

    pub fn contains(&self, row: usize) -> bool {
        self.set & (1 << row) != 0
    }

    /// Adds a row to the factor; false, without a change, if it depends on the members.
    #[inline(never)]
    pub fn enter<K: ContactRows>(&mut self, row: usize, w: &Couplings<'_, T, K>) -> bool {
        let n = self.len;
        if n >= R {
            return false;
        }
        let own = w.between(row, row);
        let mut pivot = own;
        for j in 0..n {
            // Row n of L D: subtract the part of earlier columns, then divide by the pivot.
            let mut value = w.between(row, self.member(j));
            for k in 0..j {
                value -= at(&self.factor, packed(n, k)) * at(&self.factor, packed(j, k));
            }
            set(&mut self.factor, packed(n, j), value);
        }
        for j in 0..n {
            let scaled = at(&self.factor, packed(n, j));
            let l = scaled / at(&self.factor, packed(j, j));
            pivot -= l * scaled;
            set(&mut self.factor, packed(n, j), l);
        }
        if !(pivot > T::lit(256.0) * T::EPSILON * own) {
            return false;
        }
        set(&mut self.factor, packed(n, n), pivot);
        if let Some(member) = self.members.get_mut(n) {
            *member = row as u8;
        }
        self.set |= 1 << row;
        self.len = n + 1;
        true
    }

    /// The right-hand side `b_P` of equations, row by row.
    #[inline(always)]
    pub fn ask(&mut self, b: impl Fn(usize) -> T) {
        for k in 0..self.len {
            let value = b(self.member(k));
            set(&mut self.trial, k, value);
        }
    }

    /// `W_PP⁻¹ b_P` in the place of `b_P`.
    #[inline(never)]
    pub fn solve(&mut self) {
        let s = &mut self.trial;
        for i in 0..self.len {
            let mut value = at(s, i);
            for j in 0..i {
                value -= at(&self.factor, packed(i, j)) * at(s, j);
            }
            set(s, i, value);
        }
        for i in 0..self.len {
            let value = at(s, i) / at(&self.factor, packed(i, i));
            set(s, i, value);
        }
        for i in (0..self.len).rev() {
            let mut value = at(s, i);
            for j in i + 1..self.len {
                value -= at(&self.factor, packed(j, i)) * at(s, j);
            }
            set(s, i, value);
        }
    }

    /// Keeps the members for which `keep` holds and factors them again.
    pub fn retain<K: ContactRows>(&mut self, keep: impl Fn(usize) -> bool, w: &Couplings<'_, T, K>) {
        let len = self.len;
        (self.len, self.set) = (0, 0);
        for k in 0..len {
            // In place: those that stay move forward, never past the one that is read.
            let Some(member) = self.members.get(k).map(|member| usize::from(*member)) else { break };
            if keep(member) {
                self.enter(member, w);
            }
        }
    }
}
