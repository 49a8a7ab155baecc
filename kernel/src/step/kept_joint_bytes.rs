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
use crate::problem::error::is_within;
use crate::problem::kept_joint::KeptJoint;
use crate::record::bytes::Cursor;
use crate::step::cache_bytes::CacheError;

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

pub(crate) fn joint_scalars<T: Real>(joint: &KeptJoint<T>) -> [T; 7] {
    let KeptJoint { linear, angular, position, .. } = joint;
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, *position]
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
        let is_right = is_within(&linear, T::IMPULSE_LIMIT) && is_within(&angular, T::IMPULSE_LIMIT);
        if flags > 1 || !is_right || !(position.abs() <= T::POSITION_LIMIT) {
            return Err(CacheError::BadPoint(index));
        }
        take(index, KeptJoint { linear, angular, position, is_at_limit: flags == 1 });
    }
    Ok(())
}
