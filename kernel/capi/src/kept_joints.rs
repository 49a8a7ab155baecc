//! Access to the joints of a pipeline.

use stiction::Real;
use stiction::nalgebra::Vector3;

use crate::error::{Ending, Error, Fault};
use crate::joint::{Joint, JointState, JointWork, has_axis, read_joint};
use crate::jointed::Joints;
use crate::pipeline::{Pipeline, PipelineObject, open};
use crate::view::{check_pointer, read};

/// The joints of a pipeline; an error where there can be none.
fn joints_of<'a, T: Real>(pipeline: &'a mut (dyn PipelineObject<T> + 'static)) -> Result<Joints<'a, T>, Fault> {
    pipeline.jointed().ok_or(Fault::new(Error::WithoutJoints, "joint"))
}

/// Adds a joint and returns its index.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn add<T: Real>(pipeline: *mut Pipeline<T>, joint: *const Joint<T>) -> Result<usize, Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        let joints = joints_of(&mut *pipeline)?;
        Ok(joints.world.push(read_joint(joint)?)?)
    }
}

/// Replaces a joint.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn set<T: Real>(pipeline: *mut Pipeline<T>, index: usize, joint: *const Joint<T>) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        let joints = joints_of(&mut *pipeline)?;
        Ok(joints.world.set(index, read_joint(joint)?)?)
    }
}

/// Reads a joint.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn get<T: Real>(pipeline: *const Pipeline<T>, index: usize, joint: *mut Joint<T>) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        check_pointer(joint, "joint")?;
        let found = joints_of(&mut *pipeline)?.world.get(index);
        joint.write(Joint::from_kernel(&found.ok_or(no_such_joint())?));
    }
    Ok(())
}

/// Number of joints; 0 where there can be none.
///
/// # Safety
/// The pointer is null or points to a pipeline.
pub unsafe fn count<T: Real>(pipeline: *const Pipeline<T>) -> usize {
    // SAFETY: the caller's promise.
    let Ok(mut pipeline) = (unsafe { open(pipeline) }) else { return 0 };
    joints_of(&mut *pipeline).map_or(0, |joints| joints.world.count())
}

/// Removes all joints.
///
/// # Safety
/// The pointer is null or points to a pipeline.
pub unsafe fn clear<T: Real>(pipeline: *mut Pipeline<T>) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    let mut pipeline = unsafe { open(pipeline) }?;
    joints_of(&mut *pipeline)?.world.clear();
    Ok(())
}

/// Computes anchors, axis and rest orientation of a joint from world coordinates.
///
/// # Safety
/// Pointers are null or point to valid objects of their types; vectors have three numbers.
pub unsafe fn between<T: Real>(
    pipeline: *const Pipeline<T>,
    on_a: *const T,
    on_b: *const T,
    axis: *const T,
    joint: *mut Joint<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise; fields are read and written one by one.
    unsafe {
        let mut pipeline = open(pipeline)?;
        check_pointer(joint, "joint")?;
        let bodies = pipeline.bodies();
        let pair = [(&raw const (*joint).a).read(), (&raw const (*joint).b).read()].map(|body| body as usize);
        for (body, field) in pair.into_iter().zip(["joint.a", "joint.b"]) {
            if body >= bodies {
                return Err(Fault::new(Error::NoSuchBody, field).into());
            }
        }
        let vector = |from: *const T, field| read::<[T; 3]>(from.cast(), field).map(Vector3::from);
        let on_a = vector(on_a, "on_a")?;
        let on_b = if on_b.is_null() { on_a } else { vector(on_b, "on_b")? };
        let is_needed = has_axis((&raw const (*joint).kind).read());
        let axis = if axis.is_null() && !is_needed { Vector3::x() } else { vector(axis, "axis")? };
        let made = joints_of(&mut *pipeline)?.world.between(pair, [on_a, on_b], axis);
        (&raw mut (*joint).anchor_a).write(made.anchor_a.into());
        (&raw mut (*joint).anchor_b).write(made.anchor_b.into());
        (&raw mut (*joint).axis).write(made.axis.into());
        (&raw mut (*joint).rest).write(made.rest.quaternion().coords.into());
    }
    Ok(())
}

/// Reads what the last step says about a joint.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn state<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    state: *mut JointState<T>,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        check_pointer(state, "state")?;
        let found = joints_of(&mut *pipeline)?.step.state(index);
        state.write(JointState::from_kernel(&found.ok_or(no_such_joint())?));
    }
    Ok(())
}

/// Reads the work of joints in the last step.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn work<T: Real>(pipeline: *const Pipeline<T>, work: *mut JointWork<T>) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        check_pointer(work, "work")?;
        work.write(JointWork::from_kernel(&joints_of(&mut *pipeline)?.step.work()));
    }
    Ok(())
}

fn no_such_joint() -> Fault {
    Fault::new(Error::NoSuchJoint, "index")
}
