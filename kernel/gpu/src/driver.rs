//! The functions of NVIDIA's driver, loaded by name when they are first needed.
//!
//! Names and types are those of CUDA's header `cuda.h`. A name with `_v2` has another signature than the name without, so names
//! are written as the library has them.
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null;

use libloading::Library;

use crate::error::GpuError;

/// `CUresult`: 0 for success.
pub type Code = c_int;
/// `CUdeviceptr`: an address in the memory of the graphics processor.
pub type Address = u64;

/// The codes that have an error of their own.
pub mod code {
    use super::Code;

    pub const OUT_OF_MEMORY: Code = 2;
    pub const NO_DEVICE: Code = 100;
}

/// `CUcontext`, `CUmodule`, `CUfunction`, `CUstream`, `CUevent`: the driver's own pointers, which nobody else follows.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Handle(pub *mut c_void);

// SAFETY: a handle is a name. The driver's functions can be called from every thread, and they lock what they change.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// No object.
    pub const NONE: Handle = Handle(std::ptr::null_mut());
}

/// Declares the table of functions and how it is filled.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// The functions that are used.
        #[allow(non_snake_case)]
        pub struct Functions {
            $(pub $name: unsafe extern "system" fn($($argument),*) -> Code,)*
        }

        impl Functions {
            /// Finds all functions.
            ///
            /// # Safety
            ///
            /// The library is NVIDIA's driver, and the functions are not called after it is closed.
            unsafe fn of(library: &Library) -> Result<Self, GpuError> {
                Ok(Functions {
                    $($name: {
                        let function = stringify!($name);
                        // SAFETY: types are those that the driver's header gives these names.
                        let found = unsafe { library.get(function) };
                        *found.map_err(|_| GpuError::NoFunction { function })?
                    },)*
                })
            }
        }
    };
}

functions! {
    cuInit(c_uint);
    cuDriverGetVersion(*mut c_int);
    cuGetErrorName(Code, *mut *const c_char);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut c_int, c_int);
    cuDeviceGetName(*mut c_char, c_int, c_int);
    cuDeviceGetAttribute(*mut c_int, c_int, c_int);
    cuDevicePrimaryCtxRetain(*mut Handle, c_int);
    cuDevicePrimaryCtxRelease_v2(c_int);
    cuCtxSetCurrent(Handle);
    cuCtxSynchronize();
    cuModuleLoadDataEx(*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    cuModuleUnload(Handle);
    cuModuleGetFunction(*mut Handle, Handle, *const c_char);
    cuFuncGetAttribute(*mut c_int, c_int, Handle);
    cuMemAlloc_v2(*mut Address, usize);
    cuMemFree_v2(Address);
    cuMemAllocHost_v2(*mut *mut c_void, usize);
    cuMemFreeHost(*mut c_void);
    cuMemcpyHtoD_v2(Address, *const c_void, usize);
    cuMemcpyDtoH_v2(*mut c_void, Address, usize);
    cuMemcpyHtoDAsync_v2(Address, *const c_void, usize, Handle);
    cuMemcpyDtoHAsync_v2(*mut c_void, Address, usize, Handle);
    cuMemsetD32Async(Address, c_uint, usize, Handle);
    cuStreamCreate(*mut Handle, c_uint);
    cuStreamSynchronize(Handle);
    cuStreamDestroy_v2(Handle);
    cuLaunchKernel(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
    cuEventCreate(*mut Handle, c_uint);
    cuEventDestroy_v2(Handle);
    cuEventRecord(Handle, Handle);
    cuEventElapsedTime(*mut f32, Handle, Handle);
    cuCtxPushCurrent_v2(Handle);
    cuCtxPopCurrent_v2(*mut Handle);
    cuMemAllocAsync(*mut Address, usize, Handle);
    cuMemFreeAsync(Address, Handle);
    cuStreamWaitEvent(Handle, Handle, c_uint);
    cuEventSynchronize(Handle);
    cuPointerGetAttribute(*mut c_void, c_int, Address);
}

/// The loaded driver.
pub struct Driver {
    /// Its functions.
    pub functions: Functions,
    /// Holds the library as long as its functions can be called; none in tests, whose functions are their own.
    _library: Option<Library>,
}

impl Driver {
    /// Loads the driver and starts it.
    pub fn open() -> Result<Self, GpuError> {
        let library = library()?;
        // SAFETY: the library has the driver's name, and `Driver` keeps it.
        let functions = unsafe { Functions::of(&library)? };
        Driver::start(functions, Some(library))
    }

    /// Starts a driver with these functions.
    pub fn start(functions: Functions, library: Option<Library>) -> Result<Self, GpuError> {
        let driver = Driver { functions, _library: library };
        // SAFETY: no conditions; must be the first call.
        match unsafe { (driver.functions.cuInit)(0) } {
            code::NO_DEVICE => Err(GpuError::NoDevice),
            other => driver.check("cuInit", other).map(|()| driver),
        }
    }

    /// The newest version of CUDA that it knows: 1000 times the first number and 10 times the second.
    pub fn version(&self) -> Result<i32, GpuError> {
        let mut version = 0;
        // SAFETY: writes an integer.
        let code = unsafe { (self.functions.cuDriverGetVersion)(&mut version) };
        self.check("cuDriverGetVersion", code).map(|()| version)
    }

    /// An error unless the code is that of success.
    pub fn check(&self, function: &'static str, code: Code) -> Result<(), GpuError> {
        if code == 0 { Ok(()) } else { Err(GpuError::Call { function, code: self.name(code) }) }
    }

    /// The driver's name of an error.
    pub fn name(&self, code: Code) -> String {
        let mut name = null();
        // SAFETY: writes a pointer to a text that lives as long as the library, or null.
        let named = unsafe { (self.functions.cuGetErrorName)(code, &mut name) };
        if named != 0 || name.is_null() {
            return format!("error {code}");
        }
        // SAFETY: the driver's text ends with a zero.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

/// The names of the driver's library.
const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

fn library() -> Result<Library, GpuError> {
    let mut tried = Vec::new();
    for name in NAMES {
        // SAFETY: what the driver's library does when it is loaded is the driver's own; the system looks for it in its
        // folders of libraries.
        match unsafe { Library::new(*name) } {
            Ok(library) => return Ok(library),
            Err(error) => tried.push(reason(name, &error)),
        }
    }
    Err(GpuError::NoLibrary { tried: tried.join("; ") })
}

/// What the system said, in one line that names the library.
fn reason(name: &str, error: &libloading::Error) -> String {
    let said = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let line = said.lines().collect::<Vec<_>>().join(" ");
    if line.contains(name) { line } else { format!("{name}: {line}") }
}
