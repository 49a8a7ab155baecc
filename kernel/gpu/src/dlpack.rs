//! Arrays as libraries pass them on to each other in one process: the structs of DLPack's header `dlpack.h`, versions 0 and 1.
//!
//! An array is passed as a pointer to a struct with a function that whoever has it calls once, when it is done.
use std::ffi::c_void;
use std::sync::Arc;

use crate::columns::Kind;
use crate::device_memory::DeviceMemory;

/// `kDLCUDA`.
pub const CUDA: i32 = 2;
/// `kDLInt` and `kDLFloat`.
const CODES: (u8, u8) = (0, 2);
/// The version that is written, and the newest that is read: what follows the first number does not change the structs.
const VERSION: Version = Version { major: 1, minor: 0 };

/// `DLPackVersion`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Version {
    major: u32,
    minor: u32,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub struct Unversioned {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub struct Versioned {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A pointer to either struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Managed {
    /// That of version 0.
    Unversioned(*mut Unversioned),
    /// That of version 1.
    Versioned(*mut Versioned),
}

impl Managed {
    /// The pointer of a struct of either version.
    pub fn of(pointer: *mut c_void, is_versioned: bool) -> Self {
        if is_versioned { Managed::Versioned(pointer.cast()) } else { Managed::Unversioned(pointer.cast()) }
    }

    /// The pointer.
    pub fn pointer(self) -> *mut c_void {
        match self {
            Managed::Unversioned(pointer) => pointer.cast(),
            Managed::Versioned(pointer) => pointer.cast(),
        }
    }

    /// Ends it.
    ///
    /// # Safety
    ///
    /// It is a valid struct, and nobody uses it any more.
    pub unsafe fn release(self) {
        // SAFETY: the caller's promise; the function is told its own struct.
        unsafe {
            match self {
                Managed::Unversioned(pointer) => {
                    if let Some(deleter) = (*pointer).deleter {
                        deleter(pointer);
                    }
                }
                Managed::Versioned(pointer) => {
                    if let Some(deleter) = (*pointer).deleter {
                        deleter(pointer);
                    }
                }
            }
        }
    }
}

/// An array of answers on its way to another library: what its struct points to.
struct Passed<M> {
    managed: M,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: Arc<DeviceMemory>,
}

/// A struct for an array of answers, row by row. It shares the memory until it is released.
pub fn pass_on(memory: &Arc<DeviceMemory>, offset: usize, shape: &[usize], kind: Kind, is_versioned: bool) -> Managed {
    let tensor = tensor(memory, offset, shape.len(), kind);
    let (context, _memory) = (std::ptr::null_mut(), Arc::clone(memory));
    let (lengths, strides) = (shape.iter().map(|length| *length as i64).collect(), strides(shape));
    if is_versioned {
        let deleter: unsafe extern "C" fn(*mut Versioned) = released::<Versioned>;
        let managed = Versioned { version: VERSION, context, deleter: Some(deleter), flags: 0, tensor };
        let passed = Box::leak(Box::new(Passed { managed, shape: lengths, strides, _memory }));
        passed.managed.tensor.shape = passed.shape.as_mut_ptr();
        passed.managed.tensor.strides = passed.strides.as_mut_ptr();
        passed.managed.context = (&raw mut *passed).cast();
        Managed::Versioned(&raw mut passed.managed)
    } else {
        let deleter: unsafe extern "C" fn(*mut Unversioned) = released::<Unversioned>;
        let managed = Unversioned { tensor, context, deleter: Some(deleter) };
        let passed = Box::leak(Box::new(Passed { managed, shape: lengths, strides, _memory }));
        passed.managed.tensor.shape = passed.shape.as_mut_ptr();
        passed.managed.tensor.strides = passed.strides.as_mut_ptr();
        passed.managed.context = (&raw mut *passed).cast();
        Managed::Unversioned(&raw mut passed.managed)
    }
}

/// Strides in entries, row by row.
fn strides(shape: &[usize]) -> Vec<i64> {
    (1..=shape.len()).map(|axis| shape[axis..].iter().product::<usize>() as i64).collect()
}

fn tensor(memory: &Arc<DeviceMemory>, offset: usize, axes: usize, kind: Kind) -> Tensor {
    let address = memory.address() as usize + offset;
    Tensor {
        data: std::ptr::with_exposed_provenance_mut(address),
        device_type: CUDA,
        device_id: 0,
        ndim: axes as i32,
        code: if kind == Kind::Integer { CODES.0 } else { CODES.1 },
        bits: 8 * kind.bytes() as u8,
        lanes: 1,
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    }
}

/// A struct that [`pass_on`] made.
trait Context: Sized {
    fn context(&self) -> *mut c_void;
}

impl Context for Unversioned {
    fn context(&self) -> *mut c_void {
        self.context
    }
}

impl Context for Versioned {
    fn context(&self) -> *mut c_void {
        self.context
    }
}

/// Called by whoever was passed an array, once.
unsafe extern "C" fn released<M: Context>(managed: *mut M) {
    // SAFETY: the struct is one that `pass_on` made, whose context is the box that it is in; it is released once.
    unsafe { drop(Box::from_raw((*managed).context().cast::<Passed<M>>())) }
}

/// An array that another library passes on. It is released when dropped.
#[derive(Debug)]
pub struct Received {
    managed: Managed,
    /// The address of its first entry.
    pub address: u64,
    /// Its device: `DLDeviceType` and a number.
    pub device: (i32, i32),
    /// Its type: `DLDataTypeCode`, bits of an entry.
    pub kind: (u8, u8),
    /// Its shape.
    pub shape: Vec<i64>,
    /// Entries from one to the next along each axis.
    pub strides: Vec<i64>,
}

// SAFETY: the struct is this one's alone, and its function may be called by any thread.
unsafe impl Send for Received {}
// SAFETY: nothing that can be shared follows the pointer.
unsafe impl Sync for Received {}

impl Received {
    /// Takes over a struct.
    ///
    /// # Safety
    ///
    /// It is a valid struct of its kind, which nobody else uses or releases.
    pub unsafe fn take(managed: Managed) -> Result<Self, String> {
        let mut received =
            Received { managed, address: 0, device: (0, 0), kind: (0, 0), shape: Vec::new(), strides: Vec::new() };
        // SAFETY: the caller's promise; a struct of another version than 1 has nothing behind its first three parts.
        let tensor = unsafe {
            match managed {
                Managed::Versioned(pointer) if (*pointer).version.major != VERSION.major => {
                    return Err(format!("DLPack of version {}, must be 1 or before", (*pointer).version.major));
                }
                Managed::Versioned(pointer) => &(*pointer).tensor,
                Managed::Unversioned(pointer) => &(*pointer).tensor,
            }
        };
        if tensor.lanes != 1 {
            return Err(format!("entries of {} numbers, must be single ones", tensor.lanes));
        }
        let axes = usize::try_from(tensor.ndim).unwrap_or(0);
        // SAFETY: as many numbers as axes; null if there are none, and for strides of an array row by row.
        let numbers = |first: *mut i64| unsafe {
            if first.is_null() || axes == 0 { None } else { Some(std::slice::from_raw_parts(first, axes).to_vec()) }
        };
        received.shape = numbers(tensor.shape).unwrap_or_default();
        let lengths: Vec<usize> = received.shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
        received.strides = numbers(tensor.strides).unwrap_or_else(|| strides(&lengths));
        received.address = tensor.data.expose_provenance() as u64 + tensor.byte_offset;
        received.device = (tensor.device_type, tensor.device_id);
        received.kind = (tensor.code, tensor.bits);
        Ok(received)
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        // SAFETY: `take` was promised a valid struct of its own.
        unsafe { self.managed.release() }
    }
}

const _: () = assert!(size_of::<Tensor>() == 48 && size_of::<Unversioned>() == 64 && size_of::<Versioned>() == 80);
