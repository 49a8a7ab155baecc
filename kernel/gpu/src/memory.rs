//! Memory of a graphics processor, and of the host where a graphics processor reads and writes it by itself; given back when
//! dropped.
//!
//! Copies from other memory of the host go through the driver's own small piece of such memory, by one thread: with ten sweeps a
//! problem, a graphics processor that waits for them is slower than 16 threads of its host.
use std::ptr::null_mut;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::Arc;

use crate::context::Context;
use crate::driver::{Address, Code, code};
use crate::error::GpuError;
use crate::stream::Stream;

/// Bytes in the memory of a graphics processor.
pub struct Buffer {
    context: Arc<Context>,
    address: Address,
    bytes: usize,
}

impl Buffer {
    /// So many bytes, not set to anything. The context is the current one.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let (mut address, bytes) = (0, bytes.max(1));
        // SAFETY: writes an address; `Drop` frees it.
        let code = unsafe { (context.driver.functions.cuMemAlloc_v2)(&mut address, bytes) };
        allocated(context, "cuMemAlloc_v2", code, GpuError::Memory { bytes })?;
        Ok(Buffer { context: Arc::clone(context), address, bytes })
    }

    /// A copy of bytes. They are there when [`Context::wait`] returns. The context is the current one.
    pub fn of(context: &Arc<Context>, bytes: &[u8]) -> Result<Self, GpuError> {
        let buffer = Buffer::new(context, bytes.len())?;
        // SAFETY: reads a slice and writes no more than the buffer has; returns when the slice has been read.
        let code =
            unsafe { (context.driver.functions.cuMemcpyHtoD_v2)(buffer.address, bytes.as_ptr().cast(), bytes.len()) };
        context.driver.check("cuMemcpyHtoD_v2", code).map(|()| buffer)
    }

    /// Reads bytes from its beginning. What writes them has ended. The context is the current one.
    pub fn read(&self, into: &mut [u8]) -> Result<(), GpuError> {
        let bytes = checked(into.len(), self.bytes);
        // SAFETY: reads no more than the buffer has, into a slice of as many bytes; returns when they are there.
        let code =
            unsafe { (self.context.driver.functions.cuMemcpyDtoH_v2)(into.as_mut_ptr().cast(), self.address, bytes) };
        self.context.driver.check("cuMemcpyDtoH_v2", code)
    }

    /// Its address there.
    pub fn address(&self) -> Address {
        self.address
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Begins to copy bytes of the host to its beginning.
    ///
    /// # Safety
    ///
    /// Before the stream has been waited for, neither array is freed, or written but by what is begun later in the same stream.
    pub unsafe fn begin_write(&self, from: &[u8], stream: &Stream) -> Result<(), GpuError> {
        let (bytes, from) = (checked(from.len(), self.bytes), from.as_ptr().cast());
        // SAFETY: both arrays have so many bytes; the caller's promise.
        let code =
            unsafe { (self.context.driver.functions.cuMemcpyHtoDAsync_v2)(self.address, from, bytes, stream.handle) };
        self.context.driver.check("cuMemcpyHtoDAsync_v2", code)
    }

    /// Begins to copy bytes from its beginning to the host.
    ///
    /// # Safety
    ///
    /// Before the stream has been waited for, neither array is freed, or used but by what is begun later in the same stream.
    pub unsafe fn begin_read(&self, into: &mut [u8], stream: &Stream) -> Result<(), GpuError> {
        let (bytes, into) = (checked(into.len(), self.bytes), into.as_mut_ptr().cast());
        // SAFETY: both arrays have so many bytes; the caller's promise.
        let code =
            unsafe { (self.context.driver.functions.cuMemcpyDtoHAsync_v2)(into, self.address, bytes, stream.handle) };
        self.context.driver.check("cuMemcpyDtoHAsync_v2", code)
    }

    /// Begins to set so many bytes at its beginning to 0, a multiple of 4.
    ///
    /// # Safety
    ///
    /// Before the stream has been waited for, the array is not freed, or used but by what is begun later in the same stream.
    pub unsafe fn begin_clear(&self, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        let words = checked(bytes, self.bytes) / 4;
        // SAFETY: the array has so many words of 4 bytes; the caller's promise.
        let code = unsafe { (self.context.driver.functions.cuMemsetD32Async)(self.address, 0, words, stream.handle) };
        self.context.driver.check("cuMemsetD32Async", code)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // A thread may have another context by now.
        if self.context.make_current().is_ok() {
            // SAFETY: was allocated by `new` in this context and is freed once; work that uses it has ended. An error here
            // changes nothing for anyone.
            let _ = unsafe { (self.context.driver.functions.cuMemFree_v2)(self.address) };
        }
    }
}

/// Bytes in memory of the host that is never moved or swapped, so that a graphics processor can copy it.
pub struct Pinned {
    context: Arc<Context>,
    first: *mut u8,
    bytes: usize,
}

// SAFETY: an array of bytes, owned like a vector's.
unsafe impl Send for Pinned {}
// SAFETY: as above; a shared reference only reads.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// So many zeros. The context is the current one.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let (mut first, bytes) = (null_mut(), bytes.max(1));
        // SAFETY: writes a pointer to memory that `Drop` frees.
        let code = unsafe { (context.driver.functions.cuMemAllocHost_v2)(&mut first, bytes) };
        allocated(context, "cuMemAllocHost_v2", code, GpuError::HostMemory { bytes })?;
        let first = first.cast::<u8>();
        // SAFETY: so many bytes were just allocated.
        unsafe { first.write_bytes(0, bytes) };
        Ok(Pinned { context: Arc::clone(context), first, bytes })
    }

    /// Its bytes.
    ///
    /// # Safety
    ///
    /// No copy to it is under way.
    pub unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes, set by `new`; the caller's promise.
        unsafe { from_raw_parts(self.first, self.bytes) }
    }

    /// The same, to be written.
    ///
    /// # Safety
    ///
    /// No copy from or to it is under way.
    pub unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { from_raw_parts_mut(self.first, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: was allocated by `new` and is freed once; copies have ended.
            let _ = unsafe { (self.context.driver.functions.cuMemFreeHost)(self.first.cast()) };
        }
    }
}

/// What an allocation ended with; `none` if there is no memory left.
pub fn allocated(context: &Context, function: &'static str, code: Code, none: GpuError) -> Result<(), GpuError> {
    if code == code::OUT_OF_MEMORY { Err(none) } else { context.driver.check(function, code) }
}

/// A number of bytes that an array has.
fn checked(bytes: usize, most: usize) -> usize {
    assert!(bytes <= most, "{bytes} bytes in an array of {most}");
    bytes
}
