//! Access to the state of a pipeline: bodies, contacts of the last step, the cache.

use stiction::{CacheError, Jointed, KeptContacts, Real, SixRows, ThreeRows};

use crate::body_surface::{Surface, read_surface};
use crate::error::{Ending, Error, Fault};
use crate::output::reached_sum;
use crate::pipeline::{Pipeline, open};
use crate::report::FrictionWork;
use crate::view::{ColumnMut, ViewMut, check_optional, check_pointer, read, write_optional};
use crate::world::{RigidBody, wrench};

/// Arrays for the states of all bodies. All may be null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct States<T> {
    /// Number of bodies that the arrays can hold; further bodies are left out.
    pub count: usize,
    /// Centre of mass, 3 numbers, m.
    pub position: ViewMut<T>,
    /// Unit quaternion x, y, z, w.
    pub orientation: ViewMut<T>,
    /// Velocity, 3 numbers, m/s.
    pub linear_velocity: ViewMut<T>,
    /// Angular velocity, 3 numbers, rad/s.
    pub angular_velocity: ViewMut<T>,
}

/// A contact of the last step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRecord<T> {
    /// Index of body A.
    pub a: u32,
    /// Index of body B.
    pub b: u32,
    /// Unit normal from A to B.
    pub normal: [T; 3],
    /// From A's centre of mass to the contact point, m.
    pub r_a: [T; 3],
    /// From B's centre of mass to the contact point, m.
    pub r_b: [T; 3],
    /// Penetration depth, m.
    pub depth: T,
    /// Friction coefficient of the pair.
    pub mu: T,
    /// Normal impulse over the step without bounces, N s.
    pub normal_impulse: T,
    /// Normal impulse of bounces, N s.
    pub bounce_impulse: T,
    /// Friction impulse on B over the step, N s.
    pub tangent_impulse: [T; 3],
    /// Its state: one of StictionContactState.
    pub state: u32,
}

/// Writes the states of all bodies.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn states<T: Real>(pipeline: *const Pipeline<T>, states: *const States<T>) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        let states = read(states, "states")?;
        let count = if states.count < pipeline.bodies() { states.count } else { pipeline.bodies() };
        let position: Option<ColumnMut<'_, T, 3>> = states.position.optional(count, "states.position")?;
        let orientation: Option<ColumnMut<'_, T, 4>> = states.orientation.optional(count, "states.orientation")?;
        let linear_velocity: Option<ColumnMut<'_, T, 3>> =
            states.linear_velocity.optional(count, "states.linear_velocity")?;
        let angular_velocity: Option<ColumnMut<'_, T, 3>> =
            states.angular_velocity.optional(count, "states.angular_velocity")?;
        for index in 0..count {
            let Some(body) = pipeline.body(index) else { break };
            position.inspect(|column| column.set(index, body.position.into()));
            orientation.inspect(|column| column.set(index, body.orientation.quaternion().coords.into()));
            linear_velocity.inspect(|column| column.set(index, body.linear_velocity.into()));
            angular_velocity.inspect(|column| column.set(index, body.angular_velocity.into()));
        }
    }
    Ok(())
}

/// A contact of the last step.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn contact<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    record: *mut ContactRecord<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        check_pointer(record, "contact")?;
        let found = pipeline.contact(index).ok_or(Fault::new(Error::NoSuchContact, "index"))?;
        record.write(record_of(&found));
    }
    Ok(())
}

fn record_of<T: Real>(contact: &stiction::record::ContactRecord<T>) -> ContactRecord<T> {
    ContactRecord {
        a: contact.a as u32,
        b: contact.b as u32,
        normal: contact.normal.into(),
        r_a: contact.r_a.into(),
        r_b: contact.r_b.into(),
        depth: contact.depth,
        mu: contact.mu,
        normal_impulse: contact.normal_impulse,
        bounce_impulse: contact.bounce_impulse,
        tangent_impulse: (contact.t1 * contact.t1_impulse + contact.t2 * contact.t2_impulse).into(),
        state: contact.state as u32,
    }
}

/// Saves the cache; returns the number of bytes.
///
/// # Safety
/// `bytes` is null or points to `capacity` writable bytes.
pub unsafe fn save_cache<T: Real>(
    pipeline: *const Pipeline<T>,
    bytes: *mut u8,
    capacity: usize,
) -> Result<usize, Ending<T>> {
    // SAFETY: the caller's promise; the slice lives within this call.
    unsafe {
        let pipeline = open(pipeline)?;
        check_pointer(bytes, "bytes")?;
        let needed = pipeline.cache_bytes();
        if capacity < needed {
            return Err(Fault::new(Error::MemoryTooSmall, "bytes").into());
        }
        // Zeroed first, because a slice must consist of initialised bytes.
        bytes.write_bytes(0, needed);
        let saved = pipeline.save_cache(core::slice::from_raw_parts_mut(bytes, needed));
        saved.ok_or(Fault::new(Error::MemoryTooSmall, "bytes").into())
    }
}

/// Restores a saved cache.
///
/// # Safety
/// `bytes` is null or points to `count` readable bytes.
pub unsafe fn restore_cache<T: Real>(
    pipeline: *mut Pipeline<T>,
    bytes: *const u8,
    count: usize,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise; the slice lives within this call.
    unsafe {
        let mut pipeline = open(pipeline)?;
        check_pointer(bytes, "bytes")?;
        if count > isize::MAX as usize {
            return Err(Fault::new(Error::TooLarge, "count").into());
        }
        let bytes = core::slice::from_raw_parts(bytes, count);
        pipeline.restore_cache(bytes).map_err(|error| Fault::new(reason_of::<T>(error), "bytes"))?;
    }
    Ok(())
}

/// Why saved bytes are rejected. Those of a pipeline with moments or joints are what a pipeline without them does not
/// read.
fn reason_of<T: Real>(error: CacheError) -> Error {
    let CacheError::UnknownVersion(version) = error else { return Error::BadBytes };
    if version == KeptContacts::<T, 1, SixRows>::SAVED_VERSION {
        Error::WithoutMoments
    } else if version == KeptContacts::<T, 1, Jointed<1, SixRows>>::SAVED_VERSION
        || version == KeptContacts::<T, 1, Jointed<1, ThreeRows>>::SAVED_VERSION
    {
        Error::WithoutJoints
    } else {
        Error::BadBytes
    }
}

/// Adds a body and returns its index.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn add_body<T: Real>(pipeline: *mut Pipeline<T>, body: *const RigidBody<T>) -> Result<usize, Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe { Ok(open(pipeline)?.push(read(body, "body")?.to_kernel())?) }
}

/// Reads a body.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn body<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    body: *mut RigidBody<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        check_pointer(body, "body")?;
        let found = pipeline.body(index).ok_or(Fault::new(Error::NoSuchBody, "index"))?;
        body.write(RigidBody::from_kernel(&found));
    }
    Ok(())
}

/// Replaces a body.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn set_body<T: Real>(
    pipeline: *mut Pipeline<T>,
    index: usize,
    body: *const RigidBody<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe { Ok(open(pipeline)?.set_body(index, read(body, "body")?.to_kernel())?) }
}

/// Replaces a body's load.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn set_load<T: Real>(
    pipeline: *mut Pipeline<T>,
    index: usize,
    force: *const T,
    torque: *const T,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        let load = wrench(read(force.cast(), "force")?, read(torque.cast(), "torque")?);
        Ok(pipeline.set_load(index, load)?)
    }
}

/// Sets a body's surface.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn set_surface<T: Real>(
    pipeline: *mut Pipeline<T>,
    index: usize,
    surface: *const Surface<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe { open(pipeline)?.set_surface(index, read_surface(surface)?) }
}

/// Reads a body's surface.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn surface<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    surface: *mut Surface<T>,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        check_pointer(surface, "surface")?;
        surface.write(Surface::from_kernel(&pipeline.surface(index)?));
    }
    Ok(())
}

/// Reads the moment of a contact of the last step, and the bounds that it has reached.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn moment<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    moment: *mut T,
    reached: *mut u32,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        check_optional(moment, "moment")?;
        check_optional(reached, "reached")?;
        let (vector, bounds) = pipeline.moment(index)?;
        write_optional::<[T; 3]>(moment.cast(), vector.into());
        write_optional(reached, reached_sum(bounds));
    }
    Ok(())
}

/// Reads the work of friction in the last step.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn friction_work<T: Real>(pipeline: *const Pipeline<T>, work: *mut FrictionWork<T>) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = open(pipeline)?;
        check_pointer(work, "work")?;
        work.write(FrictionWork::from_kernel(&pipeline.friction_work()?));
    }
    Ok(())
}
