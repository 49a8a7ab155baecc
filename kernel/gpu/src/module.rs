//! Code, compiled by the driver for the graphics processor that is there, and launches of its entry.
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

use crate::code::Code;
use crate::context::{Context, text_of};
use crate::driver::Handle;
use crate::error::GpuError;
use crate::parameters::Parameter;
use crate::stream::Stream;

/// `CUjit_option`.
mod option {
    use std::ffi::c_int;

    pub const MAX_REGISTERS: c_int = 0;
    pub const ERROR_LOG: c_int = 5;
    pub const ERROR_LOG_BYTES: c_int = 6;
}

/// `CUfunction_attribute`.
mod attribute {
    use std::ffi::c_int;

    /// How many threads a block can have, with the registers that the driver gives each.
    pub const MOST_THREADS: c_int = 0;
    /// Bytes of local memory of a thread: its frames, and registers that were spilled.
    pub const LOCAL_BYTES: c_int = 3;
}

/// Bytes of the driver's log.
const LOG: usize = 8 << 10;

/// The compiled code of an entry.
pub struct Module {
    /// Where it is loaded.
    pub context: Arc<Context>,
    handle: Handle,
    entry: Handle,
    /// The words of a problem that waits for the next pass, once they are known.
    pub waiting_words: OnceLock<usize>,
}

impl Module {
    /// Compiles code, which takes seconds unless the driver has done it before. At most so many registers a thread; 0 leaves
    /// that to the driver. The context is the current one.
    pub fn load(context: &Arc<Context>, code: &Code, registers: u32) -> Result<Self, GpuError> {
        let mut log = vec![0u8; LOG];
        let mut options: Vec<c_int> = vec![option::ERROR_LOG, option::ERROR_LOG_BYTES];
        // Numbers are passed as pointers.
        let mut values: Vec<*mut c_void> = vec![log.as_mut_ptr().cast(), LOG as *mut c_void];
        if registers > 0 {
            options.push(option::MAX_REGISTERS);
            values.push(registers as usize as *mut c_void);
        }
        let mut handle = Handle::NONE;
        // SAFETY: the text ends with a zero; there are as many values as options, each of the type that its option asks for, and
        // the log has the length that is told. `Drop` unloads the module.
        let ended = unsafe {
            (context.driver.functions.cuModuleLoadDataEx)(
                &mut handle,
                code.ptx.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if ended != 0 {
            return Err(GpuError::Module { code: context.driver.name(ended), log: text_of(&log) });
        }
        // From here on `Drop` unloads it.
        let mut module =
            Module { context: Arc::clone(context), handle, entry: Handle::NONE, waiting_words: OnceLock::new() };
        // SAFETY: the module is loaded; the name ends with a zero.
        let found = unsafe {
            (context.driver.functions.cuModuleGetFunction)(&mut module.entry, handle, code.entry.as_ptr().cast())
        };
        context.driver.check("cuModuleGetFunction", found).map(|()| module)
    }

    /// How many threads a block can have.
    pub fn most_threads(&self) -> Result<u32, GpuError> {
        self.attribute(attribute::MOST_THREADS)
    }

    /// Bytes of local memory that a thread has.
    pub fn local_bytes(&self) -> Result<u32, GpuError> {
        self.attribute(attribute::LOCAL_BYTES)
    }

    fn attribute(&self, attribute: c_int) -> Result<u32, GpuError> {
        let mut value = 0;
        // SAFETY: writes an integer; the entry is the module's.
        let code = unsafe { (self.context.driver.functions.cuFuncGetAttribute)(&mut value, attribute, self.entry) };
        self.context.driver.check("cuFuncGetAttribute", code).map(|()| value.unsigned_abs())
    }

    /// Starts at least so many threads in blocks of some size. The context is the current one.
    ///
    /// # Safety
    ///
    /// The parameters are those of the entry, and what it asks for holds until the launch has ended.
    pub unsafe fn launch(
        &self,
        (threads, block): (u32, u32),
        parameters: &mut [Parameter],
        stream: &Stream,
    ) -> Result<(), GpuError> {
        let mut places: Vec<*mut c_void> = parameters.iter_mut().map(Parameter::place).collect();
        // SAFETY: the driver copies the parameters before it returns; the rest is the caller's promise.
        let code = unsafe {
            (self.context.driver.functions.cuLaunchKernel)(
                self.entry,
                threads.div_ceil(block).max(1),
                1,
                1,
                block,
                1,
                1,
                0,
                stream.handle,
                places.as_mut_ptr(),
                null_mut(),
            )
        };
        if code == 0 { Ok(()) } else { Err(GpuError::Launch { code: self.context.driver.name(code) }) }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: was loaded by `load` in this context and is unloaded once; launches have ended, or the context is lost.
            let _ = unsafe { (self.context.driver.functions.cuModuleUnload)(self.handle) };
        }
    }
}
