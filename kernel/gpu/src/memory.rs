//! Memory of a graphics processor, given back when dropped.
use std::marker::PhantomData;

use crate::context::Context;
use crate::driver::{Address, code};
use crate::error::GpuError;

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
pub struct Buffer<'a, V> {
    context: &'a Context,
    address: Address,
    length: usize,
    numbers: PhantomData<V>,
}

impl<'a, V: Number> Buffer<'a, V> {
    /// So many numbers, not set to anything. The context is the current one.
    pub fn new(context: &'a Context, length: usize) -> Result<Self, GpuError> {
        let (mut address, bytes) = (0, bytes_of::<V>(length.max(1)));
        // SAFETY: writes an address; `Drop` frees it.
        match unsafe { (context.driver.functions.cuMemAlloc_v2)(&mut address, bytes) } {
            code::OUT_OF_MEMORY => Err(GpuError::Memory { bytes }),
            other => {
                context.driver.check("cuMemAlloc_v2", other)?;
                Ok(Buffer { context, address, length, numbers: PhantomData })
            }
        }
    }

    /// The same with numbers in it.
    pub fn holding(context: &'a Context, numbers: &[V]) -> Result<Self, GpuError> {
        let buffer = Buffer::new(context, numbers.len())?;
        buffer.write(numbers).map(|()| buffer)
    }

    /// Its address there.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Copies numbers to its beginning.
    pub fn write(&self, numbers: &[V]) -> Result<(), GpuError> {
        let length = self.within(numbers.len());
        // SAFETY: reads bytes of a slice and writes no more than the buffer has; returns when the slice has been read.
        let code = unsafe {
            (self.context.driver.functions.cuMemcpyHtoD_v2)(
                self.address,
                numbers.as_ptr().cast(),
                bytes_of::<V>(length),
            )
        };
        self.context.driver.check("cuMemcpyHtoD_v2", code)
    }

    /// Copies numbers from its beginning.
    pub fn read(&self, numbers: &mut [V]) -> Result<(), GpuError> {
        let length = self.within(numbers.len());
        // SAFETY: writes bytes of a slice that is borrowed exclusively, in which every pattern is a value, and reads no more
        // than the buffer has; returns when they are written.
        let code = unsafe {
            (self.context.driver.functions.cuMemcpyDtoH_v2)(
                numbers.as_mut_ptr().cast(),
                self.address,
                bytes_of::<V>(length),
            )
        };
        self.context.driver.check("cuMemcpyDtoH_v2", code)
    }

    /// Sets numbers at its beginning to 0.
    pub fn clear(&self, length: usize) -> Result<(), GpuError> {
        // SAFETY: writes no more than the buffer has.
        let code = unsafe { (self.context.driver.functions.cuMemsetD32_v2)(self.address, 0, self.within(length)) };
        self.context.driver.check("cuMemsetD32_v2", code)
    }

    /// A length that the buffer has.
    fn within(&self, length: usize) -> usize {
        assert!(length <= self.length, "{length} numbers in a buffer of {}", self.length);
        length
    }
}

impl<V> Drop for Buffer<'_, V> {
    fn drop(&mut self) {
        // A thread may have another context by now.
        if self.context.make_current().is_ok() {
            // SAFETY: was allocated by `new` in this context and is freed once; launches that used it have ended, or the context
            // is lost. An error here changes nothing for anyone.
            let _ = unsafe { (self.context.driver.functions.cuMemFree_v2)(self.address) };
        }
    }
}

fn bytes_of<V>(length: usize) -> usize {
    length.saturating_mul(size_of::<V>())
}
