//! Places in memory where threads leave plain values for the next launch.
//!
//! A value is the bytes of its own type, word by word, with the words of 32 neighbouring places side by side, so that a warp
//! reads and writes whole lines. Its type has no pointers and nothing that dropping it would give back. Nobody else looks into
//! it: another compiler may arrange the type in another way.
use core::mem::{MaybeUninit, size_of};

/// A word of a value. Some bytes of a type are not set to anything: those between its parts.
pub type Word = MaybeUninit<u32>;

/// Words that are read before they are written: memory answers late, and each thread has few neighbours to wait with.
const AHEAD: usize = 16;

/// Words of a value.
pub const fn words<V>() -> usize {
    const { assert!(align_of::<V>() >= align_of::<Word>(), "a value is whole words") };
    size_of::<V>() / size_of::<Word>()
}

/// Where a word of the value at a place is.
const fn word<V>(place: usize, k: usize) -> usize {
    (place / 32 * words::<V>() + k) * 32 + place % 32
}

/// Copies the value at a place.
///
/// # Safety
///
/// The array has that place, [`store`] has left a value of this type there, and nobody writes it.
pub unsafe fn load<V>(to: &mut MaybeUninit<V>, from: *const Word, place: usize) {
    let to = to.as_mut_ptr().cast::<Word>();
    // SAFETY: the caller's promise; the variable has as many words.
    unsafe { copy(words::<V>(), |k| from.add(word::<V>(place, k)), |k| to.add(k)) }
}

/// Copies a value to a place.
///
/// # Safety
///
/// The array has that place, in whole blocks of 32, and nobody else uses it.
pub unsafe fn store<V>(from: &V, to: *mut Word, place: usize) {
    let from = (&raw const *from).cast::<Word>();
    // SAFETY: as above.
    unsafe { copy(words::<V>(), |k| from.add(k), |k| to.add(word::<V>(place, k))) }
}

/// Copies words one by one, some of them at a time.
///
/// # Safety
///
/// All words can be read and written, and the two sides do not overlap.
#[inline(always)]
unsafe fn copy(words: usize, from: impl Fn(usize) -> *const Word, to: impl Fn(usize) -> *mut Word) {
    let many = words / AHEAD * AHEAD;
    for first in (0..many).step_by(AHEAD) {
        let mut some = [Word::uninit(); AHEAD];
        // SAFETY: the caller's promise.
        some.iter_mut().enumerate().for_each(|(k, word)| *word = unsafe { from(first + k).read() });
        // SAFETY: the caller's promise.
        some.iter().enumerate().for_each(|(k, word)| unsafe { to(first + k).write(*word) });
    }
    // SAFETY: the caller's promise.
    (many..words).for_each(|k| unsafe { to(k).write(from(k).read()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_places() {
        type Value = [u32; 37];
        let mut array = [Word::uninit(); 2 * 32 * 37];
        let value = |place: usize| core::array::from_fn(|k| (100 * place + k) as u32);
        for place in [0, 5, 31, 32, 63] {
            // SAFETY: two whole blocks of places.
            unsafe { store::<Value>(&value(place), array.as_mut_ptr(), place) }
        }
        for place in [63, 32, 31, 5, 0] {
            let mut here = MaybeUninit::<Value>::uninit();
            // SAFETY: was stored above.
            let found = unsafe {
                load(&mut here, array.as_ptr(), place);
                here.assume_init()
            };
            assert_eq!(found, value(place));
        }
    }
}
