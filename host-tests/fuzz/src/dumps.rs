//! Damaged bytes with corrected checksums: a checksum must not be the only protection.

use crate::Bytes;

/// The checksum of kept contacts and dumps, over words; what is left of the bytes at the end is padded with zeros.
pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.chunks(4).fold(0x811c_9dc5, |sum: u32, chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        (sum ^ u32::from_le_bytes(word)).wrapping_mul(0x0100_0193).rotate_left(13)
    })
}

/// Writes a correct checksum at the end of the first `length` bytes, if there are that many.
pub fn seal(dump: &mut [u8], length: usize) {
    if (20..=dump.len()).contains(&length) {
        let (content, rest) = dump.split_at_mut(length - 4);
        rest[..4].copy_from_slice(&checksum(content).to_le_bytes());
    }
}

/// The same with the checksum of the cache of bare solves, FNV-1a over bytes, for all of them.
pub fn seal_by_bytes(saved: &mut [u8]) {
    if let Some((content, end)) = saved.split_last_chunk_mut() {
        let fnv = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        *end = content.iter().fold(0x811c_9dc5, fnv).to_le_bytes();
    }
}

/// Changes up to eight bytes, and now and then the length.
pub fn damage(bytes: &mut Bytes<'_>, genuine: &mut Vec<u8>) {
    for _ in 0..bytes.below(9) {
        let at = usize::from(u16::from_le_bytes(bytes.array()));
        let value = bytes.byte();
        if !genuine.is_empty() {
            let at = at % genuine.len();
            genuine[at] = if bytes.coin() { value } else { genuine[at] ^ (1 << (value % 8)) };
        }
    }
    match bytes.below(16) {
        14 => genuine.truncate(usize::from(bytes.byte())),
        15 => genuine.extend(bytes.array::<5>()),
        _ => (),
    }
}
