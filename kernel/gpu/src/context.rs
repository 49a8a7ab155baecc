//! A graphics processor, as a process has it: its context, in which memory, code and launches are.
use std::ffi::{c_char, c_int};

use crate::driver::{Driver, Handle};
use crate::error::GpuError;

/// The oldest version of CUDA whose driver has all functions that are used. It knows the PTX, whose `.version` is older.
pub const NEEDED_VERSION: i32 = 11_020;
/// The oldest compute capability that has the instructions of the PTX: `.target` in its first lines.
pub const NEEDED_CAPABILITY: (i32, i32) = (7, 0);

/// `CUdevice_attribute`: the two numbers of the compute capability.
const CAPABILITY: (c_int, c_int) = (75, 76);

/// The primary context of a device: the one that other libraries in the process use as well.
pub struct Context {
    /// The driver, loaded.
    pub driver: Driver,
    device: c_int,
    handle: Handle,
}

impl Context {
    /// Opens the first device. Which one is first can be chosen by the driver's variable `CUDA_VISIBLE_DEVICES`.
    pub fn open(driver: Driver) -> Result<Self, GpuError> {
        let version = driver.version()?;
        if version < NEEDED_VERSION {
            return Err(GpuError::DriverTooOld { version, needed: NEEDED_VERSION });
        }
        let device = first_device(&driver)?;
        let capability = (attribute(&driver, device, CAPABILITY.0)?, attribute(&driver, device, CAPABILITY.1)?);
        if capability < NEEDED_CAPABILITY {
            let name = name(&driver, device)?;
            return Err(GpuError::DeviceTooOld { name, capability, needed: NEEDED_CAPABILITY });
        }
        let mut handle = Handle::NONE;
        // SAFETY: the device is one that the driver named; `Drop` releases what is retained.
        let code = unsafe { (driver.functions.cuDevicePrimaryCtxRetain)(&mut handle, device) };
        driver.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Context { driver, device, handle })
    }

    /// The device's name.
    pub fn name(&self) -> Result<String, GpuError> {
        name(&self.driver, self.device)
    }

    /// Makes this the context of this thread's calls.
    pub fn make_current(&self) -> Result<(), GpuError> {
        // SAFETY: the context is retained until `Drop`.
        let code = unsafe { (self.driver.functions.cuCtxSetCurrent)(self.handle) };
        self.driver.check("cuCtxSetCurrent", code)
    }

    /// Makes this the context of this thread's calls until the guard is dropped; then the thread has the one that it had before.
    /// Another library may use another graphics processor on the same thread.
    pub fn enter(&self) -> Result<Entered<'_>, GpuError> {
        // SAFETY: the context is retained until `Drop`; `Entered` takes it off again.
        let code = unsafe { (self.driver.functions.cuCtxPushCurrent_v2)(self.handle) };
        self.driver.check("cuCtxPushCurrent_v2", code).map(|()| Entered(self))
    }

    /// Waits until all launches have ended.
    pub fn wait(&self) -> Result<(), GpuError> {
        // SAFETY: no conditions; without a current context it is an error.
        match unsafe { (self.driver.functions.cuCtxSynchronize)() } {
            0 => Ok(()),
            code => Err(GpuError::Launch { code: self.driver.name(code) }),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: was retained once by `open`. An error here changes nothing for anyone.
        let _ = unsafe { (self.driver.functions.cuDevicePrimaryCtxRelease_v2)(self.device) };
    }
}

/// For as long as a thread has a context.
pub struct Entered<'a>(&'a Context);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut handle = Handle::NONE;
        // SAFETY: writes a handle; takes off what `enter` put there. An error here changes nothing for anyone.
        let _ = unsafe { (self.0.driver.functions.cuCtxPopCurrent_v2)(&mut handle) };
    }
}

fn first_device(driver: &Driver) -> Result<c_int, GpuError> {
    let (mut count, mut device) = (0, 0);
    // SAFETY: writes an integer.
    driver.check("cuDeviceGetCount", unsafe { (driver.functions.cuDeviceGetCount)(&mut count) })?;
    if count == 0 {
        return Err(GpuError::NoDevice);
    }
    // SAFETY: writes an integer; there is a device with the number 0.
    driver.check("cuDeviceGet", unsafe { (driver.functions.cuDeviceGet)(&mut device, 0) })?;
    Ok(device)
}

fn attribute(driver: &Driver, device: c_int, attribute: c_int) -> Result<i32, GpuError> {
    let mut value = 0;
    // SAFETY: writes an integer.
    let code = unsafe { (driver.functions.cuDeviceGetAttribute)(&mut value, attribute, device) };
    driver.check("cuDeviceGetAttribute", code).map(|()| value)
}

fn name(driver: &Driver, device: c_int) -> Result<String, GpuError> {
    let mut text = [0u8; 128];
    // SAFETY: writes as many bytes as it is told to at most, a zero among them.
    let code =
        unsafe { (driver.functions.cuDeviceGetName)(text.as_mut_ptr().cast::<c_char>(), text.len() as c_int, device) };
    driver.check("cuDeviceGetName", code)?;
    Ok(text_of(&text))
}

/// The text before the first zero.
pub fn text_of(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CODES;

    #[test]
    fn what_is_needed_is_what_the_ptx_says() {
        let (major, minor) = NEEDED_CAPABILITY;
        for code in CODES {
            assert!(code.ptx.contains(&format!(".target sm_{major}{minor}\n")), "{}", code.entry);
            // That of CUDA 9.0.
            assert!(code.ptx.contains(".version 6.0\n"), "{}", code.entry);
        }
    }

    #[test]
    fn a_text_ends_at_its_first_zero() {
        assert_eq!(text_of(b"a b\0c\0"), "a b");
        assert_eq!(text_of(b""), "");
    }
}
