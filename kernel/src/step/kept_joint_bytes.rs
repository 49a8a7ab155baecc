//! Joints in the bytes of kept contacts.
//!
//! Where there can be joints ([`Jointed`](crate::Jointed)), versions are larger by 2, and after the manifolds follow as
//! many joints as there can be:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | number of joints |
//! | 4 + 7 scalars a joint | 1 if a limit held; impulse, angular impulse, position |
//!
//! A version without joints can be restored, too: they begin without impulses, and angles in `−π..=π`.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::problem::kept_joint::KeptJoint;
use crate::record::bytes::Cursor;
use crate::step::cache_bytes::CacheError;
use crate::step::kept_rules::is_valid_joint;

/// Bytes of so many joints.
pub(crate) const fn saved_joint_bytes<T: Real>(joints: Option<usize>) -> usize {
    match joints {
        Some(count) => 4 + count * (4 + 7 * T::BYTES),
        None => 0,
    }
}

/// How many joints are saved; none where there can be none.
pub(crate) const fn joints_of<R: ContactRows>() -> Option<usize> {
    if R::JOINTS > 0 { Some(R::JOINTS) } else { None }
}

/// Reads and validates joints, and hands each on.
pub(crate) fn for_each_joint<T: Real>(
    cursor: &mut Cursor<'_>,
    joints: Option<usize>,
    take: &mut dyn FnMut(usize, KeptJoint<T>),
) -> Result<(), CacheError> {
    let Some(count) = joints else { return Ok(()) };
    if cursor.number()? as usize != count {
        return Err(CacheError::WrongLength);
    }
    for index in 0..count {
        let flags = cursor.number()?;
        let [x, y, z, rx, ry, rz, position] = cursor.scalars()?;
        let (linear, angular) = (Vector3::new(x, y, z), Vector3::new(rx, ry, rz));
        let joint = KeptJoint { linear, angular, position, is_at_limit: flags == 1 };
        if flags > 1 || !is_valid_joint(&joint) {
            return Err(CacheError::BadPoint(index));
        }
        take(index, joint);
    }
    Ok(())
}
