//! Contacts with moments: a contact's row of three numbers, and the next row with its moments.
//!
//! Both rows are ordinary rows wherever impulses and velocities are only added up: in energies, in the passivity guard,
//! for islands and in direct methods. Where a contact is solved, or compared with its law, the first row speaks for
//! both.
use nalgebra::Vector3;

use crate::local::moment_block::MomentBlock;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::Real;
use crate::problem::contact_rows::Element;

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
    /// Whether the contact has friction beyond sliding: then its tangents may have any length.
    pub is_on_surface: bool,
    pub block: MomentBlock<T>,
    /// Without preload, which is that of the cone.
    pub law: MomentLaw<T>,
    /// Where each group's `σ` was found last.
    pub sigma: [T; 3],
}

impl<T: Real> Element for MomentRow<T> {
    const PLAIN: Self = MomentRow {
        role: Role::Alone,
        is_on_surface: false,
        block: MomentBlock::EMPTY,
        law: MomentLaw::EMPTY,
        sigma: [T::ZERO; 3],
    };
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
