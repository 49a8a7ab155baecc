//! Work of a graphics processor in its order: what is begun in one stream happens one after the other, what is begun in several
//! may happen at the same time.
use std::sync::Arc;

use crate::context::Context;
use crate::driver::Handle;
use crate::error::GpuError;

/// `CU_STREAM_NON_BLOCKING`: waits for no other stream.
const ALONE: u32 = 1;

/// A stream.
pub struct Stream {
    /// The graphics processor.
    pub context: Arc<Context>,
    /// The driver's name of it.
    pub handle: Handle,
    /// Whether it is destroyed when dropped.
    is_own: bool,
}

impl Stream {
    /// An empty one. The context is the current one.
    pub fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        let mut handle = Handle::NONE;
        // SAFETY: writes a handle, which `Drop` destroys.
        let code = unsafe { (context.driver.functions.cuStreamCreate)(&mut handle, ALONE) };
        context.driver.check("cuStreamCreate", code)?;
        Ok(Stream { context: Arc::clone(context), handle, is_own: true })
    }

    /// A stream of the caller, by the driver's name of it; 0 is the one that waits for all others that do not forbid it.
    ///
    /// # Safety
    ///
    /// There is such a stream in this context as long as this lives.
    pub unsafe fn of_caller(context: &Arc<Context>, handle: u64) -> Self {
        let handle = Handle(std::ptr::with_exposed_provenance_mut(handle as usize));
        Stream { context: Arc::clone(context), handle, is_own: false }
    }

    /// Waits until everything that was begun has happened.
    pub fn wait(&self) -> Result<(), GpuError> {
        // SAFETY: the stream lives.
        match unsafe { (self.context.driver.functions.cuStreamSynchronize)(self.handle) } {
            0 => Ok(()),
            code => Err(GpuError::Launch { code: self.context.driver.name(code) }),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_own && self.context.make_current().is_ok() {
            // SAFETY: was created by `new` in this context and is destroyed once.
            let _ = unsafe { (self.context.driver.functions.cuStreamDestroy_v2)(self.handle) };
        }
    }
}
