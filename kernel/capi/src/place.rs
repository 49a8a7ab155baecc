//! Objects in memory that the caller owns: a head that says what it is, then the object.
//!
//! An object's size depends on its capacity, which C gives at run time and the kernel's types fix at compile time. So a few
//! capacities are compiled (see `rungs`), each described by a [`Kind`], and the head points to the kind that lives there: code
//! above this file works on `dyn` objects and does not know capacities.
//!
//! # All zeros
//!
//! The largest kinds are megabytes, and a value of that size cannot be built on the stack and moved. An object therefore
//! begins as zeros: every kernel type in it is made of numbers, bytes, arrays of those, `bool`, `Option` and enumerations whose
//! zero bytes are a value, and the value is *nothing solved yet* (`tests/zeros.rs`; Miri, which knows which bytes are values,
//! runs it clean by `cargo +nightly miri test -p stiction-c --target armv7-unknown-linux-gnueabihf`; on x86-64 it stops at a root in
//! assembly).

use core::mem::{align_of, size_of};
use core::ops::{Deref, DerefMut};

use crate::error::{Error, Fault};

/// What memory for an object must be aligned to, in bytes.
pub const ALIGNMENT: usize = 32;

/// Bodies and contacts that fit into an object.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Bodies, those that cannot move included; 0 for objects without bodies.
    pub bodies: usize,
    /// Contacts.
    pub contacts: usize,
}

/// One compiled capacity of a kind of object, seen as `O`.
pub struct Kind<O: ?Sized + 'static> {
    capacity: Capacity,
    bytes: usize,
    /// Tells kinds of objects and precisions apart.
    magic: u32,
    object: unsafe fn(*mut Head<O>) -> *mut O,
}

/// What every object begins with.
#[repr(C, align(32))]
pub struct Head<O: ?Sized + 'static> {
    magic: u32,
    busy: u32,
    kind: &'static Kind<O>,
}

/// Head and object as they lie in memory.
#[repr(C)]
struct Placed<O: ?Sized + 'static, B> {
    head: Head<O>,
    object: B,
}

/// How a sized object is seen without its capacity.
///
/// # Safety
/// All-zero bytes are a value of the type.
pub unsafe trait Zeroed<O: ?Sized>: Sized {
    /// The same object, its capacity forgotten. Only a change of type: the object is not touched.
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

    /// What fits.
    pub const fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Whether so much fits.
    pub const fn holds(&self, wanted: Capacity) -> bool {
        wanted.bodies <= self.capacity.bodies && wanted.contacts <= self.capacity.contacts
    }

    /// Makes an object in the caller's memory and gives its address.
    ///
    /// # Safety
    /// `memory` is null or points to `bytes` bytes that are writable and used by nobody else.
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
        // SAFETY: large enough and aligned by the checks above, writable by the caller's promise; zeros are a value of the
        // object (`Zeroed`), and the head is written after them.
        unsafe {
            memory.write_bytes(0, self.bytes);
            memory.cast::<Head<O>>().write(Head { magic: self.magic, busy: 0, kind: self });
        }
        Ok(memory.cast())
    }
}

/// The object behind a head.
///
/// # Safety
/// The head was placed for the kind of `B`.
unsafe fn object_of<O: ?Sized + 'static, B: Zeroed<O>>(head: *mut Head<O>) -> *mut O {
    // SAFETY: only an address within the same memory is computed.
    B::erased(unsafe { &raw mut (*head.cast::<Placed<O, B>>()).object })
}

/// The object in use by a call; no other call gets it until this is dropped.
pub struct Open<'a, O: ?Sized + 'static> {
    head: *mut Head<O>,
    object: &'a mut O,
}

impl<'a, O: ?Sized + 'static> Open<'a, O> {
    /// Opens what a handle points to.
    ///
    /// # Safety
    /// `handle` is null, or points to memory as large as a head; if it was initialised there, the object is whole and no other
    /// thread uses it.
    pub unsafe fn new<H>(handle: *const H, magic: u32, field: &'static str) -> Result<Self, Fault> {
        let reject = |error| Err(Fault::new(error, field));
        let head = handle.cast_mut().cast::<Head<O>>();
        if head.is_null() {
            return reject(Error::NullPointer);
        }
        if head as usize & (ALIGNMENT - 1) != 0 {
            return reject(Error::Misaligned);
        }
        // SAFETY: readable by the caller's promise. The magic number is looked at before the reference in the head is.
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

    /// What fits into the object.
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
        // SAFETY: the head is valid as long as the object is, and lies beside it.
        unsafe { (&raw mut (*self.head).busy).write(0) }
    }
}
