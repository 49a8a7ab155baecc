//! Memory of a batch under way, in the order of a stream: allocated before what is begun after, given back after what was begun
//! before. So nobody has to wait before it is dropped.
use crate::driver::Address;
use crate::error::GpuError;
use crate::memory::allocated;
use crate::stream::Stream;

/// Parts of an array begin at multiples of this: whole lines of a graphics processor, and what libraries ask of addresses.
const ALIGNMENT: usize = 256;

/// Where parts of so many bytes begin, and the bytes of all.
pub fn parts(sizes: &[usize]) -> (Vec<usize>, usize) {
    let mut end = 0usize;
    let starts = sizes.iter().map(|size| {
        let start = end;
        end = (start + size).next_multiple_of(ALIGNMENT);
        start
    });
    (starts.collect(), end)
}

/// Memory in the order of a stream, in parts.
pub struct Scratch<'a> {
    stream: &'a Stream,
    address: Address,
    parts: Vec<Address>,
}

impl<'a> Scratch<'a> {
    /// Parts of so many bytes, not set to anything. The context is the current one.
    pub fn new(stream: &'a Stream, sizes: &[usize]) -> Result<Self, GpuError> {
        let (starts, bytes) = self::parts(sizes);
        let (driver, mut address, bytes) = (&stream.context.driver, 0, bytes.max(1));
        // SAFETY: writes an address, which `Drop` frees; the stream lives.
        let code = unsafe { (driver.functions.cuMemAllocAsync)(&mut address, bytes, stream.handle) };
        allocated(&stream.context, "cuMemAllocAsync", code, GpuError::Memory { bytes })?;
        Ok(Scratch { stream, address, parts: starts.into_iter().map(|start| address + start as Address).collect() })
    }

    /// The address of a part.
    pub fn part(&self, number: usize) -> Address {
        self.parts[number]
    }

    /// Begins to copy bytes into a part, which has at least as many.
    pub fn write(&self, number: usize, bytes: &[u8]) -> Result<(), GpuError> {
        let (driver, from) = (&self.stream.context.driver, bytes.as_ptr().cast());
        // SAFETY: `new` was told that the part has so many bytes. The driver has read a slice that is not pinned when it
        // returns.
        let code = unsafe {
            (driver.functions.cuMemcpyHtoDAsync_v2)(self.part(number), from, bytes.len(), self.stream.handle)
        };
        driver.check("cuMemcpyHtoDAsync_v2", code)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let driver = &self.stream.context.driver;
        // SAFETY: was allocated by `new` and is freed once, after everything that the stream has to do before.
        let _ = unsafe { (driver.functions.cuMemFreeAsync)(self.address, self.stream.handle) };
    }
}

/// Begins to set bytes to 0, a multiple of 4.
///
/// # Safety
///
/// The address has so many bytes, which nobody else uses before the stream has come that far.
pub unsafe fn clear(stream: &Stream, address: Address, bytes: usize) -> Result<(), GpuError> {
    if bytes == 0 {
        return Ok(());
    }
    let driver = &stream.context.driver;
    // SAFETY: the caller's promise.
    let code = unsafe { (driver.functions.cuMemsetD32Async)(address, 0, bytes / 4, stream.handle) };
    driver.check("cuMemsetD32Async", code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_whole_lines() {
        assert_eq!(parts(&[1, 0, 256, 300, 4]), (vec![0, 256, 256, 512, 1024], 1280));
        assert_eq!(parts(&[]), (vec![], 0));
    }
}
