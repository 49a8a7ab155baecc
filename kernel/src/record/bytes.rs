//! Reading numbers from bytes that are not to be trusted.
use nalgebra::Vector3;

use crate::math::real::Real;

/// The bytes ended before the number did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended;

/// The unread rest of some bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a>(pub &'a [u8]);

impl Cursor<'_> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Ended> {
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(Ended)?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn number(&mut self) -> Result<u32, Ended> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn short(&mut self) -> Result<u16, Ended> {
        self.take().map(u16::from_le_bytes)
    }

    pub fn scalars<T: Real, const N: usize>(&mut self) -> Result<[T; N], Ended> {
        let mut values = [T::ZERO; N];
        for value in &mut values {
            let (bytes, rest) = self.0.split_at_checked(T::BYTES).ok_or(Ended)?;
            let mut padded = [0; 8];
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            *value = T::from_le_padded(padded);
            self.0 = rest;
        }
        Ok(values)
    }
}

/// FNV-1a in 32 bits, continued.
pub(crate) fn fnv32(state: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(state, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

pub(crate) const FNV32_START: u32 = 0x811c_9dc5;
pub(crate) const FNV64_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a in 64 bits over the bytes of a vector, continued.
pub(crate) fn fnv64<T: Real>(state: u64, vector: &Vector3<T>) -> u64 {
    let mut hash = state;
    for value in vector.iter() {
        for byte in value.to_le_padded().iter().take(T::BYTES) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}
