//! Reading numbers from bytes that are not to be trusted.
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

pub(crate) const FNV32_START: u32 = 0x811c_9dc5;
pub(crate) const FNV64_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a in 32 bits over bytes, continued.
pub(crate) fn fnv32(state: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(state, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A checksum over words of 32 bits, continued: a step of FNV-1a, and a rotation, without which two flips of the
/// highest bit would cancel. Each step is a bijection of the state, so no change of a single word goes unnoticed.
#[inline(always)]
pub(crate) fn checksum(state: u32, word: u32) -> u32 {
    (state ^ word).wrapping_mul(0x0100_0193).rotate_left(13)
}

/// The checksum of bytes, four a word; what is left of them at the end is padded with zeros.
pub(crate) fn checksum_of(bytes: &[u8]) -> u32 {
    bytes.chunks(4).fold(FNV32_START, |state, chunk| {
        let mut word = [0; 4];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        checksum(state, u32::from_le_bytes(word))
    })
}

/// A digest of numbers, continued: FNV-1a in 64 bits over words of 32.
#[inline(always)]
pub(crate) fn fnv64<T: Real>(state: u64, numbers: &[T]) -> u64 {
    let mut hash = state;
    for number in numbers {
        for word in number.to_words().iter().take(T::BYTES / 4) {
            hash = fnv64_word(hash, *word);
        }
    }
    hash
}

/// The same over one word.
#[inline(always)]
pub(crate) fn fnv64_word(state: u64, word: u32) -> u64 {
    (state ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
}
