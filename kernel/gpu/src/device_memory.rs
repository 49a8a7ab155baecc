//! Memory of answers that stay on the graphics processor. Arrays share it; it is given back with the last of them.
use std::sync::Arc;

use crate::context::Context;
use crate::driver::{Address, Driver, Handle};
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::memory::Buffer;
use crate::stream::Stream;

/// `CU_EVENT_DISABLE_TIMING`.
const WITHOUT_TIME: u32 = 2;
/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const ORDINAL: i32 = 9;

/// Memory that work in a stream fills.
///
/// Whoever has an address of it may read it in any stream, and nobody tells when that has ended. So it is given back after all
/// work of the graphics processor, for which the thread that drops it waits.
pub struct DeviceMemory {
    context: Arc<Context>,
    buffer: Option<Buffer>,
    filled: Option<Event>,
}

impl std::fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceMemory").field("address", &self.address()).finish_non_exhaustive()
    }
}

impl DeviceMemory {
    /// So many bytes, not set to anything. The context is the current one.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        Ok(DeviceMemory { buffer: Some(Buffer::new(context, bytes)?), context: Arc::clone(context), filled: None })
    }

    /// Everything that was begun in a stream until now fills it. The context is the current one.
    pub(crate) fn fill_by(&mut self, stream: &Stream) -> Result<(), GpuError> {
        self.filled = Some(Event::after(stream)?);
        Ok(())
    }

    /// Its address.
    pub fn address(&self) -> Address {
        self.buffer.as_ref().map_or(0, Buffer::address)
    }

    /// Waits until it is filled.
    pub fn wait(&self) -> Result<(), GpuError> {
        let Some(event) = &self.filled else { return Ok(()) };
        let _entered = self.context.enter()?;
        // SAFETY: the event lives.
        match unsafe { (self.context.driver.functions.cuEventSynchronize)(event.handle) } {
            0 => Ok(()),
            code => Err(GpuError::Launch { code: self.context.driver.name(code) }),
        }
    }

    /// What is begun in a stream from now on happens after it is filled.
    ///
    /// # Safety
    ///
    /// There is a stream with that name of the driver.
    pub unsafe fn make_wait(&self, stream: Address) -> Result<(), GpuError> {
        let Some(event) = &self.filled else { return Ok(()) };
        let _entered = self.context.enter()?;
        // SAFETY: the caller's promise.
        unsafe { event.make_wait(&Stream::of_caller(&self.context, stream)) }
    }

    /// Copies bytes from a place of it, when it is filled.
    pub fn read(&self, from: usize, bytes: usize) -> Result<Vec<u8>, GpuError> {
        let most = self.buffer.as_ref().map_or(0, Buffer::bytes);
        assert!(from.checked_add(bytes).is_some_and(|end| end <= most), "{bytes} bytes from {from} on of {most}");
        self.wait()?;
        let _entered = self.context.enter()?;
        // SAFETY: within the memory, which is filled.
        unsafe { read(&self.context.driver, self.address() + from as Address, bytes) }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter() {
            let _ = self.context.wait();
            drop((self.buffer.take(), self.filled.take()));
        }
    }
}

impl Gpu {
    /// Runs work after which this thread has the context of CUDA that it had before: another library may use another graphics
    /// processor on it.
    pub fn apart<R>(&self, work: impl FnOnce() -> R) -> Result<R, GpuError> {
        let _entered = self.context.enter()?;
        Ok(work())
    }

    /// Whether this graphics processor has an address.
    pub fn has(&self, address: Address) -> bool {
        let (Ok(_entered), mut ordinal) = (self.context.enter(), -1i32) else { return false };
        // SAFETY: writes an integer; any address can be asked for.
        let code = unsafe {
            (self.context.driver.functions.cuPointerGetAttribute)((&raw mut ordinal).cast(), ORDINAL, address)
        };
        code == 0 && ordinal == 0
    }

    /// Copies bytes of others from this graphics processor.
    ///
    /// # Safety
    ///
    /// The address has so many bytes, which nobody writes meanwhile.
    pub unsafe fn read(&self, address: Address, bytes: usize) -> Result<Vec<u8>, GpuError> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's promise.
        unsafe { read(&self.context.driver, address, bytes) }
    }

    /// What is begun in the second stream from now on happens after what was begun in the first one.
    ///
    /// # Safety
    ///
    /// There are streams with these names of the driver.
    pub unsafe fn order(&self, first: Address, second: Address) -> Result<(), GpuError> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's promise.
        unsafe {
            let [first, second] = [first, second].map(|stream| Stream::of_caller(&self.context, stream));
            Event::after(&first)?.make_wait(&second)
        }
    }
}

/// Copies bytes to the host. The context is the current one.
///
/// # Safety
///
/// The address has so many bytes, which nobody writes meanwhile.
unsafe fn read(driver: &Driver, address: Address, bytes: usize) -> Result<Vec<u8>, GpuError> {
    let mut copied = vec![0u8; bytes];
    if bytes > 0 {
        // SAFETY: the caller's promise; the vector has so many bytes. The call returns when they are there.
        let code = unsafe { (driver.functions.cuMemcpyDtoH_v2)(copied.as_mut_ptr().cast(), address, bytes) };
        driver.check("cuMemcpyDtoH_v2", code)?;
    }
    Ok(copied)
}

/// A place in the order of a stream.
struct Event {
    context: Arc<Context>,
    handle: Handle,
}

impl Event {
    /// After everything that was begun. The context is the current one.
    fn after(stream: &Stream) -> Result<Self, GpuError> {
        let (context, mut handle) = (&stream.context, Handle::NONE);
        // SAFETY: writes a handle, which `Drop` destroys.
        let code = unsafe { (context.driver.functions.cuEventCreate)(&mut handle, WITHOUT_TIME) };
        context.driver.check("cuEventCreate", code)?;
        let event = Event { context: Arc::clone(context), handle };
        // SAFETY: event and stream live and are of one context.
        let code = unsafe { (context.driver.functions.cuEventRecord)(event.handle, stream.handle) };
        context.driver.check("cuEventRecord", code).map(|()| event)
    }

    /// Makes a stream wait for it. The driver keeps what it needs of an event that is destroyed meanwhile.
    fn make_wait(&self, stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: event and stream live.
        let code = unsafe { (self.context.driver.functions.cuStreamWaitEvent)(stream.handle, self.handle, 0) };
        self.context.driver.check("cuStreamWaitEvent", code)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.enter() {
            // SAFETY: was created by `after` and is destroyed once.
            let _ = unsafe { (self.context.driver.functions.cuEventDestroy_v2)(self.handle) };
        }
    }
}
