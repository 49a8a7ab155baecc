//! Reading numbers from bytes that are not to be trusted.

use crate::real::Real;

/// The bytes ended before the number did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended;

/// What is left to read of some bytes.
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
