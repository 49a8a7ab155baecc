//! Addresses that a launch passes, as slices to read and as places to write.
//!
//! Inputs are slices: nobody writes them while a launch runs. Answers are not: all threads write the same arrays, each the
//! numbers of its own problem, and two exclusive slices of one array must not exist. So answers are written one at a time
//! through [`Written`].
use core::slice::from_raw_parts;

use stiction::{Real, Settings};
use stiction_batch_layout::{SettingsNumbers, Slots, settings};

/// The settings of a launch: [`settings::SCALARS`] scalars and [`settings::WORDS`] words.
#[derive(Debug, Clone, Copy)]
pub struct SettingsArguments<T> {
    /// The scalars.
    pub scalars: *const T,
    /// The words.
    pub words: *const u32,
}

impl<T: Real> SettingsArguments<T> {
    /// The settings; none if they name a choice that this code does not know.
    ///
    /// # Safety
    ///
    /// The arrays have the lengths that are documented, and nobody writes them meanwhile.
    pub unsafe fn read(&self) -> Option<Settings<T>> {
        // SAFETY: the caller's promise. An array has the alignment of its elements.
        let numbers = unsafe {
            SettingsNumbers {
                scalars: *self.scalars.cast::<[T; settings::SCALARS]>(),
                words: *self.words.cast::<[u32; settings::WORDS]>(),
            }
        };
        numbers.settings()
    }
}

/// An array that is read.
///
/// # Safety
///
/// The address has so many numbers, which nobody writes while the slice lives.
pub unsafe fn slice<'a, V>(first: *const V, length: usize) -> &'a [V] {
    // SAFETY: the caller's promise.
    unsafe { from_raw_parts(first, length) }
}

/// An array that several threads write, each at places of its own.
#[derive(Debug)]
pub struct Written<V> {
    first: *mut V,
    length: usize,
}

impl<V> Written<V> {
    /// An array with so many places.
    ///
    /// # Safety
    ///
    /// The address has so many numbers, which can be written while this lives. Nobody else reads or writes the places that are
    /// written.
    pub unsafe fn new(first: *mut V, length: usize) -> Self {
        Written { first, length }
    }

    /// So many places from one on.
    ///
    /// # Safety
    ///
    /// The array has them.
    pub unsafe fn part(&self, from: usize, length: usize) -> Self {
        // SAFETY: the caller's promise.
        Written { first: unsafe { self.first.add(from) }, length }
    }
}

impl<V> Slots<V> for Written<V> {
    #[inline(always)]
    fn put(&mut self, at: usize, value: V) {
        if at < self.length {
            // SAFETY: within the array, which whoever made this promised to be writable; the place is one that no other thread
            // has.
            unsafe { self.first.add(at).write(value) }
        }
    }
}
