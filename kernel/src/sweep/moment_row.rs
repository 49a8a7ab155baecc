//! Contacts with moments: a contact's row of three numbers, and the next row with its moments.
//!
//! Both rows are ordinary rows wherever impulses and velocities are only added up: in energies, in the passivity guard,
//! for islands and in direct methods. Where a contact is solved, or compared with its law, the first row speaks for
//! both.
use nalgebra::Vector3;

use crate::local::moment_block::{MomentBlock, MomentFree};
use crate::local::moment_law::{MomentLaw, Six};
use crate::local::moments::exact_with_moments_again;
use crate::math::real::{Real, larger};
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::rows::Rows;

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A contact of three rows.
    Alone,
    /// A contact whose moments are the next row.
    First,
    /// The moments of the row before.
    Second,
}

/// A contact with moments, in its first row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MomentRow<T> {
    pub role: Role,
    pub block: MomentBlock<T>,
    /// Without preload, which is that of the cone.
    pub law: MomentLaw<T>,
    /// Where each group's `σ` was found last.
    pub sigma: [T; 3],
}

impl<T: Real> Element for MomentRow<T> {
    const PLAIN: Self =
        MomentRow { role: Role::Alone, block: MomentBlock::EMPTY, law: MomentLaw::EMPTY, sigma: [T::ZERO; 3] };
}

/// Two rows as one vector.
#[inline(always)]
pub(crate) fn six<T: Real>(first: &Vector3<T>, second: &Vector3<T>) -> Six<T> {
    [first.x, first.y, first.z, second.x, second.y, second.z]
}

/// The two rows of a vector.
#[inline(always)]
pub(crate) fn rows_of<T: Real>([n, t1, t2, s, r1, r2]: Six<T>) -> (Vector3<T>, Vector3<T>) {
    (Vector3::new(n, t1, t2), Vector3::new(s, r1, r2))
}

impl<T: Real, const NC: usize, R: ContactRows> Rows<T, NC, R> {
    /// What a row is.
    #[inline(always)]
    pub fn role(&self, index: usize) -> Role {
        self.moments.at(index).map_or(Role::Alone, |row| row.role)
    }

    /// A contact's law with its preload, if the row is the first of a contact with moments.
    #[inline(always)]
    pub fn law(&self, index: usize) -> Option<MomentLaw<T>> {
        let row = self.moments.at(index).filter(|row| row.role == Role::First)?;
        Some(MomentLaw { preload: self.cone.get(index)?.preload, ..row.law })
    }

    /// Makes a row the first of a contact with moments, and the next its second.
    pub fn join(&mut self, index: usize, block: MomentBlock<T>, law: MomentLaw<T>) {
        if let Some(slot) = self.moments.at_mut(index) {
            *slot = MomentRow { role: Role::First, block, law, sigma: [T::ZERO; 3] };
        }
        if let Some(slot) = self.moments.at_mut(index + 1) {
            slot.role = Role::Second;
        }
    }

    /// A contact's impulse in both rows.
    #[inline(always)]
    pub fn impulse_in_six(&self, index: usize) -> Six<T> {
        match (self.impulse.get(index), self.impulse.get(index + 1)) {
            (Some(first), Some(second)) => six(first, second),
            _ => [T::ZERO; 6],
        }
    }

    /// A contact's velocity in both rows, less its target.
    #[inline(always)]
    pub fn velocity_in_six(&self, space: &impl ContactSpace<T>, index: usize) -> Six<T> {
        six(&self.relative_velocity(space, index), &self.relative_velocity(space, index + 1))
    }

    /// Whether the impulse in both rows is one that the contact can have.
    pub fn is_admissible_in_six(&self, index: usize) -> bool {
        let (x, Some(law)) = (self.impulse_in_six(index), self.law(index)) else { return false };
        let [normal, ..] = x;
        let radius = law.radii(normal).into_iter().fold(T::ZERO, larger);
        let beyond = law.excess(&x) - T::lit(64.0) * T::EPSILON * radius;
        normal >= T::ZERO && beyond <= T::ZERO && x.iter().all(|part| part.is_finite())
    }

    /// Solves a contact with moments; returns the square of its impulse change. The rule is always the exact one.
    #[inline(never)]
    pub fn visit_with_moments(&mut self, space: &mut impl ContactSpace<T>, index: usize, relaxation: T) -> T {
        let (u, before) = (self.velocity_in_six(space, index), self.impulse_in_six(index));
        let (Some(law), Some(row)) = (self.law(index), self.moments.at_mut(index)) else { return T::ZERO };
        let free = MomentFree::of(&row.block, &u, &before);
        let mut after = exact_with_moments_again(&row.block, &law, &free, &mut row.sigma);
        if relaxation != T::ONE {
            let mut relaxed = before;
            relaxed.iter_mut().zip(after).for_each(|(x, after)| *x += (after - *x) * relaxation);
            after = law.clamp(&relaxed);
        }
        self.replace_six(space, index, &after)
    }

    /// Replaces a contact's impulse in both rows; returns the square of the change. A change that is no number is not
    /// made.
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
