//! Objects in memory that the caller owns: a head that identifies the object, then the object.
//!
//! An object's size depends on its capacity. C chooses the capacity at run time, but the kernel's types fix it at
//! compile time. So a few capacities are compiled (see `rungs`), each described by a [`Kind`]. The head points to the
//! kind of the object, so that the modules that use this one work on `dyn` objects and do not know capacities.
//!
//! # All zeros
//!
//! The largest kinds take megabytes, and a value of that size cannot be built on the stack and moved. So an object is
//! initialised with zero bytes. Every kernel type in it consists of numbers, bytes, arrays of those, `bool`, `Option`
//! and enumerations for which zero bytes are a valid value, and that value means *no solve yet*. `tests/zeros.rs`
//! checks this, `tests/moments.rs` for solvers with moments, `tests/step_moments.rs` for pipelines with moments, and
//! `tests/step_joints.rs` for pipelines with joints. Miri, which detects invalid values, passes the first; on x86-64 it
//! stops at a square root in assembly:
//!
//! ```text
//! cargo +nightly miri test -p stiction-c --test zeros --target armv7-unknown-linux-gnueabihf
//! ```

use core::mem::{align_of, size_of};
use core::ops::{Deref, DerefMut};

use crate::error::{Error, Fault};

/// Required alignment of memory for an object, in bytes.
pub const ALIGNMENT: usize = 32;

/// Numbers of bodies and contacts that fit into an object.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Bodies, including those that cannot move; 0 for objects without bodies.
    pub bodies: usize,
    /// Contacts.
    pub contacts: usize,
}

/// One compiled capacity of an object type, accessed as `O`.
pub struct Kind<O: ?Sized + 'static> {
    capacity: Capacity,
    bytes: usize,
    /// Distinguishes object types and precisions.
    magic: u32,
    object: unsafe fn(*mut Head<O>) -> *mut O,
}

/// Head of every object.
#[repr(C, align(32))]
pub struct Head<O: ?Sized + 'static> {
    magic: u32,
    busy: u32,
    kind: &'static Kind<O>,
}

/// Memory layout of head and object.
#[repr(C)]
struct Placed<O: ?Sized + 'static, B> {
    head: Head<O>,
    object: B,
}

/// Access to a sized object without its capacity.
///
/// # Safety
/// All-zero bytes are a valid value of the type.
pub unsafe trait Zeroed<O: ?Sized>: Sized {
    /// The same object without its capacity. Only the type of the pointer changes; the object is not accessed.
    fn erased(object: *mut Self) -> *mut O;
}

impl<O: ?Sized + 'static> Kind<O> {
    /// The kind whose object is `B`.
    pub const fn of<B: Zeroed<O>>(magic: u32, capacity: Capacity) -> Self {
        const { assert!(align_of::<Placed<O, B>>() == ALIGNMENT, "an object needs a larger alignment") };
        Kind { capacity, bytes: size_of::<Placed<O, B>>(), magic, object: object_of::<O, B> }
    }

    /// Bytes of memory that an object takes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The capacity.
    pub const fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Whether `wanted` fits.
    pub const fn holds(&self, wanted: Capacity) -> bool {
        wanted.bodies <= self.capacity.bodies && wanted.contacts <= self.capacity.contacts
    }

    /// Creates an object in the caller's memory and returns its address.
    ///
    /// # Safety
    /// `memory` is null or points to `bytes` bytes that are writable and not used by anything else.
    pub unsafe fn place<H>(&'static self, memory: *mut u8, bytes: usize) -> Result<*mut H, Fault> {
        let reject = |error| Err(Fault::new(error, "memory"));
        if memory.is_null() {
            return reject(Error::NullPointer);
        }
        if memory as usize & (ALIGNMENT - 1) != 0 {
            return reject(Error::Misaligned);
        }
        if bytes < self.bytes {
            return reject(Error::MemoryTooSmall);
        }
        // SAFETY: large enough and aligned by the checks above, writable by the caller's promise; zeros are a valid
        // value of the object (`Zeroed`), and the head is written after them.
        unsafe {
            memory.write_bytes(0, self.bytes);
            memory.cast::<Head<O>>().write(Head { magic: self.magic, busy: 0, kind: self });
        }
        Ok(memory.cast())
    }
}

/// The object that belongs to a head.
///
/// # Safety
/// The head was placed for the kind of `B`.
unsafe fn object_of<O: ?Sized + 'static, B: Zeroed<O>>(head: *mut Head<O>) -> *mut O {
    // SAFETY: only an address within the same memory is computed.
    B::erased(unsafe { &raw mut (*head.cast::<Placed<O, B>>()).object })
}

/// The object in use by a call; no other call can open it until this is dropped.
pub struct Open<'a, O: ?Sized + 'static> {
    head: *mut Head<O>,
    object: &'a mut O,
}

impl<'a, O: ?Sized + 'static> Open<'a, O> {
    /// Opens the object that a handle points to.
    ///
    /// # Safety
    /// `handle` is null, or points to memory as large as a head; if an object was initialised there, it is intact and
    /// no other thread uses it.
    pub unsafe fn new<H>(handle: *const H, magic: u32, field: &'static str) -> Result<Self, Fault> {
        let reject = |error| Err(Fault::new(error, field));
        let head = handle.cast_mut().cast::<Head<O>>();
        if head.is_null() {
            return reject(Error::NullPointer);
        }
        if head as usize & (ALIGNMENT - 1) != 0 {
            return reject(Error::Misaligned);
        }
        // SAFETY: readable by the caller's promise. The magic number is checked before the reference in the head is
        // used.
        unsafe {
            if (&raw const (*head).magic).read() != magic {
                return reject(Error::NotInitialised);
            }
            if (&raw const (*head).busy).read() != 0 {
                return reject(Error::Busy);
            }
            (&raw mut (*head).busy).write(1);
            let object = ((*head).kind.object)(head);
            Ok(Open { head, object: &mut *object })
        }
    }

    /// The capacity of the object.
    pub fn capacity(&self) -> Capacity {
        // SAFETY: the head is valid as long as the object is.
        unsafe { (*self.head).kind.capacity }
    }
}

impl<O: ?Sized + 'static> Deref for Open<'_, O> {
    type Target = O;
    fn deref(&self) -> &O {
        self.object
    }
}

impl<O: ?Sized + 'static> DerefMut for Open<'_, O> {
    fn deref_mut(&mut self) -> &mut O {
        self.object
    }
}

impl<O: ?Sized + 'static> Drop for Open<'_, O> {
    fn drop(&mut self) {
        // SAFETY: the head is valid as long as the object is, and is separate from it.
        unsafe { (&raw mut (*self.head).busy).write(0) }
    }
}
