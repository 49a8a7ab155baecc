//! Memory of a graphics processor, and of the host where a graphics processor reads and writes it by itself; given back when
//! dropped.
//!
//! Copies from other memory of the host go through the driver's own small piece of such memory, by one thread: with ten sweeps a
//! problem, a graphics processor that waits for them is slower than 16 threads of its host.
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::Arc;

use crate::context::Context;
use crate::driver::{Address, Code, code};
use crate::error::GpuError;
use crate::stream::Stream;

/// Numbers of 32 bits.
///
/// # Safety
///
/// The type has 4 bytes without padding, and every pattern of bits is a value.
pub unsafe trait Number: Copy {}

// SAFETY: 4 bytes, every pattern is a value.
unsafe impl Number for f32 {}
// SAFETY: 4 bytes, every pattern is a value.
unsafe impl Number for u32 {}

/// An array in the memory of a graphics processor.
pub struct Buffer<V> {
    context: Arc<Context>,
    address: Address,
    length: usize,
    numbers: PhantomData<V>,
}

impl<V: Number> Buffer<V> {
    /// So many numbers, not set to anything. The context is the current one.
    pub fn new(context: &Arc<Context>, length: usize) -> Result<Self, GpuError> {
        let (mut address, bytes) = (0, bytes_of::<V>(length.max(1)));
        // SAFETY: writes an address; `Drop` frees it.
        let code = unsafe { (context.driver.functions.cuMemAlloc_v2)(&mut address, bytes) };
        allocated(context, "cuMemAlloc_v2", code, GpuError::Memory { bytes })?;
        Ok(Buffer { context: Arc::clone(context), address, length, numbers: PhantomData })
    }

    /// Its address there.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Copies numbers to its beginning. They are there when [`Context::wait`] returns.
    pub fn write(&self, numbers: &[V]) -> Result<(), GpuError> {
        let bytes = self.within(numbers.len());
        // SAFETY: reads bytes of a slice and writes no more than the buffer has; returns when the slice has been read.
        let code =
            unsafe { (self.context.driver.functions.cuMemcpyHtoD_v2)(self.address, numbers.as_ptr().cast(), bytes) };
        self.context.driver.check("cuMemcpyHtoD_v2", code)
    }

    /// Begins to copy so many numbers to its beginning.
    ///
    /// # Safety
    ///
    /// Neither array is used otherwise or freed before the stream has been waited for.
    pub unsafe fn begin_write(&self, from: &Pinned<V>, length: usize, stream: &Stream) -> Result<(), GpuError> {
        let bytes = from.within(length).min(self.within(length));
        // SAFETY: both arrays have so many bytes; the caller's promise.
        let code = unsafe {
            (self.context.driver.functions.cuMemcpyHtoDAsync_v2)(
                self.address,
                from.first.cast_const().cast(),
                bytes,
                stream.handle,
            )
        };
        self.context.driver.check("cuMemcpyHtoDAsync_v2", code)
    }

    /// Begins to copy so many numbers from its beginning.
    ///
    /// # Safety
    ///
    /// Neither array is used otherwise or freed before the stream has been waited for.
    pub unsafe fn begin_read(&self, into: &Pinned<V>, length: usize, stream: &Stream) -> Result<(), GpuError> {
        let bytes = into.within(length).min(self.within(length));
        // SAFETY: both arrays have so many bytes, and every pattern is a value; the caller's promise.
        let code = unsafe {
            (self.context.driver.functions.cuMemcpyDtoHAsync_v2)(into.first.cast(), self.address, bytes, stream.handle)
        };
        self.context.driver.check("cuMemcpyDtoHAsync_v2", code)
    }

    /// Begins to set so many numbers at its beginning to 0.
    ///
    /// # Safety
    ///
    /// The array is not used otherwise or freed before the stream has been waited for.
    pub unsafe fn begin_clear(&self, length: usize, stream: &Stream) -> Result<(), GpuError> {
        self.within(length);
        // SAFETY: the array has so many numbers of 4 bytes, and all zeros are a value; the caller's promise.
        let code = unsafe { (self.context.driver.functions.cuMemsetD32Async)(self.address, 0, length, stream.handle) };
        self.context.driver.check("cuMemsetD32Async", code)
    }

    /// The bytes of a length that the buffer has.
    fn within(&self, length: usize) -> usize {
        assert!(length <= self.length, "{length} numbers in a buffer of {}", self.length);
        bytes_of::<V>(length)
    }
}

impl<V> Drop for Buffer<V> {
    fn drop(&mut self) {
        // A thread may have another context by now.
        if self.context.make_current().is_ok() {
            // SAFETY: was allocated by `new` in this context and is freed once; work that uses it has ended. An error here
            // changes nothing for anyone.
            let _ = unsafe { (self.context.driver.functions.cuMemFree_v2)(self.address) };
        }
    }
}

/// An array in memory of the host that is never moved or swapped, so that a graphics processor can copy it.
pub struct Pinned<V> {
    context: Arc<Context>,
    first: *mut V,
    length: usize,
}

// SAFETY: an array of numbers, owned like a vector's.
unsafe impl<V: Number + Send> Send for Pinned<V> {}

impl<V: Number> Pinned<V> {
    /// So many zeros. The context is the current one.
    pub fn new(context: &Arc<Context>, length: usize) -> Result<Self, GpuError> {
        let (mut first, bytes) = (null_mut(), bytes_of::<V>(length.max(1)));
        // SAFETY: writes a pointer to memory that `Drop` frees.
        let code = unsafe { (context.driver.functions.cuMemAllocHost_v2)(&mut first, bytes) };
        allocated(context, "cuMemAllocHost_v2", code, GpuError::HostMemory { bytes })?;
        let first = first.cast::<V>();
        // SAFETY: so many bytes were just allocated; all zeros are a value.
        unsafe { first.write_bytes(0, length) };
        Ok(Pinned { context: Arc::clone(context), first, length })
    }

    /// Its numbers.
    ///
    /// # Safety
    ///
    /// No copy from or to it is under way.
    pub unsafe fn numbers(&self) -> &[V] {
        // SAFETY: so many numbers, set by `new`, aligned to pages; the caller's promise.
        unsafe { from_raw_parts(self.first, self.length) }
    }

    /// The same, to be written.
    ///
    /// # Safety
    ///
    /// No copy from or to it is under way.
    pub unsafe fn numbers_mut(&mut self) -> &mut [V] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { from_raw_parts_mut(self.first, self.length) }
    }

    /// The bytes of a length that the array has.
    fn within(&self, length: usize) -> usize {
        assert!(length <= self.length, "{length} numbers in an array of {}", self.length);
        bytes_of::<V>(length)
    }
}

impl<V> Drop for Pinned<V> {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: was allocated by `new` and is freed once; copies have ended.
            let _ = unsafe { (self.context.driver.functions.cuMemFreeHost)(self.first.cast()) };
        }
    }
}

/// What an allocation ended with; `none` if there is no memory left.
fn allocated(context: &Context, function: &'static str, code: Code, none: GpuError) -> Result<(), GpuError> {
    if code == code::OUT_OF_MEMORY { Err(none) } else { context.driver.check(function, code) }
}

fn bytes_of<V>(length: usize) -> usize {
    length.saturating_mul(size_of::<V>())
}
