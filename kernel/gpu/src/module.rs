//! The PTX, compiled by the driver for the graphics processor that is there, and launches of its entries.
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use crate::context::{Context, text_of};
use crate::driver::{Address, Handle};
use crate::error::GpuError;
use crate::rungs::{PTX, RUNGS};
use crate::stream::Stream;

/// `CUjit_option`.
mod option {
    use std::ffi::c_int;

    pub const MAX_REGISTERS: c_int = 0;
    pub const ERROR_LOG: c_int = 5;
    pub const ERROR_LOG_BYTES: c_int = 6;
}

/// `CUfunction_attribute`: how many threads a block can have, with the registers that the driver gives each.
const MOST_THREADS: c_int = 0;

/// Bytes of the driver's log.
const LOG: usize = 8 << 10;

/// Compiled code.
pub struct Module {
    /// Where it is loaded.
    pub context: Arc<Context>,
    handle: Handle,
    /// The entry of each rung.
    entries: [Handle; RUNGS.len()],
}

/// What is passed to an entry, in its order (`kernel/gpu/device`: `entries`).
#[derive(Debug, Clone, Copy)]
pub struct Parameters {
    pub count: u32,
    pub bodies: u32,
    pub contacts: u32,
    pub dt: f32,
    /// Scalars and words of the settings; scalars and words of the problems; scalars and words of the answers.
    pub arrays: [Address; 6],
}

impl Module {
    /// Compiles the PTX, which takes seconds unless the driver has done it before. At most so many registers a thread; 0 leaves
    /// that to the driver. The context is the current one.
    pub fn load(context: Arc<Context>, registers: u32) -> Result<Self, GpuError> {
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
        let code = unsafe {
            (context.driver.functions.cuModuleLoadDataEx)(
                &mut handle,
                PTX.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if code != 0 {
            return Err(GpuError::Module { code: context.driver.name(code), log: text_of(&log) });
        }
        let mut module = Module { context, handle, entries: [Handle::NONE; RUNGS.len()] };
        for (place, rung) in RUNGS.iter().enumerate() {
            module.entries[place] = module.entry(rung.entry)?;
        }
        Ok(module)
    }

    fn entry(&self, name: &'static str) -> Result<Handle, GpuError> {
        let (functions, mut entry) = (&self.context.driver.functions, Handle::NONE);
        // SAFETY: the module is loaded; the name ends with a zero.
        let code = unsafe { (functions.cuModuleGetFunction)(&mut entry, self.handle, name.as_ptr().cast()) };
        self.context.driver.check("cuModuleGetFunction", code).map(|()| entry)
    }

    /// How many threads a block can have in all entries.
    pub fn most_threads(&self) -> Result<u32, GpuError> {
        let mut most = u32::MAX;
        for entry in self.entries {
            let mut threads = 0;
            // SAFETY: writes an integer; the entry is one of the module's.
            let code = unsafe { (self.context.driver.functions.cuFuncGetAttribute)(&mut threads, MOST_THREADS, entry) };
            self.context.driver.check("cuFuncGetAttribute", code)?;
            most = most.min(threads.unsigned_abs());
        }
        Ok(most)
    }

    /// Starts the entry of a rung with at least one thread a problem. The context is the current one.
    ///
    /// # Safety
    ///
    /// Arrays have the lengths that the entry asks for and are not freed before the launch has ended; answers overlap no other
    /// array. Problems fit the rung.
    pub unsafe fn launch(
        &self,
        (rung, block): (usize, u32),
        parameters: &Parameters,
        stream: &Stream,
    ) -> Result<(), GpuError> {
        let Parameters { mut count, mut bodies, mut contacts, mut dt, mut arrays } = *parameters;
        let mut places: Vec<*mut c_void> =
            vec![(&raw mut count).cast(), (&raw mut bodies).cast(), (&raw mut contacts).cast(), (&raw mut dt).cast()];
        places.extend(arrays.iter_mut().map(|address| (&raw mut *address).cast::<c_void>()));
        let (blocks, entry) = (count.div_ceil(block).max(1), self.entries[rung]);
        // SAFETY: ten parameters, as many as every entry has, each of its type; the driver copies them before it returns. What the
        // threads read and write is the caller's promise.
        let code = unsafe {
            (self.context.driver.functions.cuLaunchKernel)(
                entry,
                blocks,
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
