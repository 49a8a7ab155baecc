//! What is passed to an entry: numbers of 4 or 8 bytes in the entry's order.
use std::ffi::c_void;

use crate::driver::Address;

/// A parameter: its bytes come first in memory, as on every machine that has this driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Parameter(u64);

const _: () = assert!(cfg!(target_endian = "little"), "the first bytes of a parameter are its lowest");

impl Parameter {
    /// Where the driver reads it.
    pub(crate) fn place(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }
}

impl From<u32> for Parameter {
    fn from(number: u32) -> Self {
        Parameter(number.into())
    }
}

impl From<Address> for Parameter {
    fn from(address: Address) -> Self {
        Parameter(address)
    }
}

impl From<f32> for Parameter {
    fn from(number: f32) -> Self {
        Parameter(number.to_bits().into())
    }
}

impl From<f64> for Parameter {
    fn from(number: f64) -> Self {
        Parameter(number.to_bits())
    }
}
