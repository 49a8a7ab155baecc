//! The visit of a contact with moments: both of its rows in one exact step.
use crate::local::moment_block::MomentFree;
use crate::local::moment_law::Six;
use crate::local::moments::exact_with_moments_again;
use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::moment_row::{rows_of, six};
use crate::sweep::rows::Rows;

impl<T: Real, const NC: usize, R: ContactRows> Rows<T, NC, R> {
    /// A contact's velocity in both rows, less its target.
    #[inline(always)]
    pub fn velocity_in_six(&self, space: &impl ContactSpace<T>, index: usize) -> Six<T> {
        six(&self.relative_velocity(space, index), &self.relative_velocity(space, index + 1))
    }

    /// Solves a contact with moments; returns the square of its impulse change. The rule is always the exact one.
    #[inline(never)]
    pub fn visit_with_moments(&mut self, space: &mut impl ContactSpace<T>, index: usize, relaxation: T) -> T {
        let (u, before) = (self.velocity_in_six(space, index), self.impulse_in_six(index));
        let (Some(law), Some(row)) = (self.law(index), self.moments.at_mut(index)) else { return T::ZERO };
        // A contact that stuck at its last visit mostly sticks again.
        if relaxation == T::ONE
            && row.sigma == [T::ZERO; 3]
            && let Some(after) = row.block.resting(&u, &before)
            && law.is_inside(&after)
        {
            return self.replace_six(space, index, &after);
        }
        let free = MomentFree::of(&row.block, &u, &before);
        let mut after = exact_with_moments_again(&row.block, &law, &free, &mut row.sigma);
        if relaxation != T::ONE {
            let mut relaxed = before;
            relaxed.iter_mut().zip(after).for_each(|(x, after)| *x += (after - *x) * relaxation);
            after = law.clamp(&relaxed);
        }
        self.replace_six(space, index, &after)
    }

    /// Replaces a contact's impulse in both rows; returns the square of the change. A change that is NaN or overflows is
    /// not made.
    #[inline(always)]
    pub fn replace_six(&mut self, space: &mut impl ContactSpace<T>, index: usize, after: &Six<T>) -> T {
        let mut delta = *after;
        delta.iter_mut().zip(self.impulse_in_six(index)).for_each(|(x, before)| *x -= before);
        let square = delta.iter().fold(T::ZERO, |sum, x| sum + *x * *x);
        if !(square > T::ZERO && square <= T::MAX) || index + 1 >= NC {
            return T::ZERO;
        }
        (self.impulse[index], self.impulse[index + 1]) = rows_of(*after);
        let (first, second) = rows_of(delta);
        space.push(index, &first);
        space.push(index + 1, &second);
        square
    }
}
