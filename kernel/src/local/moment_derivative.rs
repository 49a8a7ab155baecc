//! Derivatives of a contact's natural map with moments, for direct methods.
//!
//! With `t_g = ‖z_g‖`, `e_g = z_g/t_g` and `A` the groups that are shortened, the projection of `z` has the normal part
//!
//! ```text
//! N = (z_n + Σ_A c_g (t_g − c_g p)) / (1 + Σ_A c_g²)
//! ```
//!
//! so that `dN = (dz_n + Σ_A c_g e_g·dz_g)/(1 + Σ_A c_g²)`, or 0 where `N` is cut off at 0. A group in `A` becomes
//! `c_g (N + p) e_g`; the others stay.
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::Real;
use crate::math::square::Square;

/// The group of each friction row: sliding, spinning, rolling. If sliding and spinning are one group, it is the second.
const GROUP_OF: [usize; 5] = [0, 0, 1, 2, 2];
const JOINED_GROUP_OF: [usize; 5] = [1, 1, 1, 2, 2];

/// A 6×6 block.
pub(crate) type Six2<T> = Square<T, 6>;

impl<T: Real> MomentLaw<T> {
    fn groups(&self) -> &'static [usize; 5] {
        if self.is_one_group() { &JOINED_GROUP_OF } else { &GROUP_OF }
    }

    /// Unit vectors along each group's part of friction rows; zero where it vanishes.
    fn directions(&self, [_, y @ ..]: &Six<T>) -> [T; 5] {
        let lengths = self.lengths(y);
        let mut directions = [T::ZERO; 5];
        for ((to, part), group) in directions.iter_mut().zip(y).zip(self.groups()) {
            let length = lengths.get(*group).copied().unwrap_or(T::ZERO);
            *to = if length > T::ZERO { *part / length } else { T::ZERO };
        }
        directions
    }

    /// `u + Σ c_g ‖u_g‖ n`.
    pub(crate) fn shifted(&self, u: &Six<T>) -> Six<T> {
        let [n, y @ ..] = u;
        let mut shifted = *u;
        let sum = self.coefficients().iter().zip(self.lengths(y)).fold(*n, |sum, (c, length)| sum + *c * length);
        shifted[0] = sum;
        shifted
    }

    /// Derivative of [`MomentLaw::shifted`].
    pub(crate) fn shift_derivative(&self, u: &Six<T>) -> Six2<T> {
        let mut derivative = identity();
        let coefficients = self.coefficients();
        let [first, ..] = &mut derivative;
        let [_, entries @ ..] = first;
        for ((entry, direction), group) in entries.iter_mut().zip(self.directions(u)).zip(self.groups()) {
            *entry = coefficients.get(*group).map_or(T::ZERO, |c| *c * direction);
        }
        derivative
    }

    /// Derivative of [`MomentLaw::project`]; one of several at the borders between its cases.
    pub(crate) fn project_derivative(&self, z: &Six<T>) -> Six2<T> {
        let [_, y @ ..] = z;
        let [normal, ..] = self.project(z);
        let (radii, lengths, directions) = (self.radii(normal), self.lengths(y), self.directions(z));
        let coefficients = self.coefficients();
        let is_short: [bool; 3] = core::array::from_fn(|group| match (radii.get(group), lengths.get(group)) {
            (Some(radius), Some(length)) => *length > *radius,
            _ => false,
        });
        // dN by the rows of z.
        let mut of_normal = [T::ZERO; 6];
        if normal > T::ZERO {
            let mut slope = T::ONE;
            for (c, is_short) in coefficients.iter().zip(is_short) {
                slope += if is_short { *c * *c } else { T::ZERO };
            }
            of_normal[0] = T::ONE / slope;
            let [_, entries @ ..] = &mut of_normal;
            for ((entry, direction), group) in entries.iter_mut().zip(directions).zip(self.groups()) {
                let is_short = is_short.get(*group).is_some_and(|is_short| *is_short);
                let c = coefficients.get(*group).copied().unwrap_or(T::ZERO);
                *entry = if is_short { c * direction / slope } else { T::ZERO };
            }
        }
        let mut derivative = [[T::ZERO; 6]; 6];
        let [first, rows @ ..] = &mut derivative;
        *first = of_normal;
        for (i, (row, group)) in rows.iter_mut().zip(self.groups()).enumerate() {
            let at = |values: &[T; 3]| values.get(*group).copied().unwrap_or(T::ZERO);
            let of = |row: usize| directions.get(row).copied().unwrap_or(T::ZERO);
            if !is_short.get(*group).is_some_and(|is_short| *is_short) {
                if let Some(entry) = row.get_mut(i + 1) {
                    *entry = T::ONE;
                }
                continue;
            }
            let (c, share) = (at(&coefficients), at(&radii) / at(&lengths));
            row.iter_mut().zip(of_normal).for_each(|(entry, slope)| *entry = c * of(i) * slope);
            let [_, entries @ ..] = row;
            for (j, (entry, other)) in entries.iter_mut().zip(self.groups()).enumerate() {
                if other == group {
                    let same = if i == j { T::ONE } else { T::ZERO };
                    *entry += share * (same - of(i) * of(j));
                }
            }
        }
        derivative
    }
}

/// The unit matrix.
pub(crate) fn identity<T: Real>() -> Six2<T> {
    core::array::from_fn(|i| core::array::from_fn(|j| if i == j { T::ONE } else { T::ZERO }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both derivatives beside differences, at points that are not on a border between cases.
    #[test]
    fn derivatives_are_those_of_differences() {
        let laws = [
            (0.5, 0.2, 0.3, 0.0, false),
            (0.5, 0.2, 0.3, 0.4, false),
            (0.7, 1.0, 0.2, 0.1, true),
            (0.4, 0.0, 0.6, 0.0, false),
        ];
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1_u32 << 23) - 1.0
        };
        let (mut compared, step) = (0, 1e-6);
        for _ in 0..400 {
            let z: [f64; 6] = core::array::from_fn(|_| next());
            for (mu, torsion, rolling, preload, is_joined) in laws {
                let law = MomentLaw { mu, torsion, rolling, preload, is_joined };
                for shift in [false, true] {
                    let f = |z: &[f64; 6]| if shift { law.shifted(z) } else { law.project(z) };
                    let exact = if shift { law.shift_derivative(&z) } else { law.project_derivative(&z) };
                    for j in 0..6 {
                        let (mut above, mut below) = (z, z);
                        above[j] += step;
                        below[j] -= step;
                        let (above, here, below) = (f(&above), f(&z), f(&below));
                        for i in 0..6 {
                            let bend = (above[i] - 2.0 * here[i] + below[i]).abs() / step;
                            if bend < 1e-3 {
                                let difference = (above[i] - below[i]) / (2.0 * step);
                                assert!((difference - exact[i][j]).abs() < 1e-6, "{law:?} {z:?} {i} {j}");
                                compared += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }
}
