//! Addresses that a launch passes, as slices to read and as places to write.
//!
//! Inputs are slices: nobody writes them while a launch runs. Answers are not: all threads write the same arrays, each the
//! numbers of its own problem, and two exclusive slices of one array must not exist. So answers are written one at a time
//! through [`Written`].
use core::slice::from_raw_parts;

use stiction::{Real, Settings};
use stiction_batch_layout::{Given, Layout, Part, SettingsNumbers, Slots, settings};

/// What a launch passes to every thread. Arrays are in blocks of problems side by side ([`Layout::blocks`]).
#[derive(Debug, Clone, Copy)]
pub struct Arguments<T> {
    /// How many problems there are.
    pub count: u32,
    /// Bodies of each problem, at most.
    pub bodies: u32,
    /// Contacts of each problem, at most.
    pub contacts: u32,
    /// The time step, s.
    pub dt: T,
    /// [`settings::SCALARS`] scalars of the settings.
    pub settings_scalars: *const T,
    /// [`settings::WORDS`] words of the settings.
    pub settings_words: *const u32,
    /// Scalars of the problems.
    pub scalars: *const T,
    /// Words of the problems.
    pub words: *const u32,
    /// Scalars of the answers; all are 0 before.
    pub answer_scalars: *mut T,
    /// Words of the answers; all are 0 before, or the status says that a problem was not begun.
    pub answer_words: *mut u32,
}

impl<T: Real> Arguments<T> {
    /// The layout of problems and answers.
    pub fn layout(&self) -> Layout {
        Layout::blocks(self.bodies as usize, self.contacts as usize)
    }

    /// The settings; none if they name a choice that this code does not know.
    ///
    /// # Safety
    ///
    /// The arrays of settings have the lengths that are documented, and nobody writes them meanwhile.
    pub unsafe fn settings(&self) -> Option<Settings<T>> {
        // SAFETY: the caller's promise. An array has the alignment of its elements.
        let numbers = unsafe {
            SettingsNumbers {
                scalars: *self.settings_scalars.cast::<[T; settings::SCALARS]>(),
                words: *self.settings_words.cast::<[u32; settings::WORDS]>(),
            }
        };
        numbers.settings()
    }

    /// The problems.
    ///
    /// # Safety
    ///
    /// The arrays of problems have the lengths that the layout asks for ([`Layout::length`]), and nobody writes them while
    /// the slices live.
    pub unsafe fn given(&self) -> Given<'_, T> {
        let (layout, count) = (self.layout(), self.count as usize);
        // SAFETY: the caller's promise.
        unsafe {
            Given {
                layout,
                scalars: from_raw_parts(self.scalars, layout.length(layout.input_scalars(), count)),
                words: from_raw_parts(self.words, layout.length(layout.input_words(), count)),
            }
        }
    }

    /// The answers.
    ///
    /// # Safety
    ///
    /// The arrays of answers have the lengths that the layout asks for and can be written while the part lives. Nobody else
    /// reads or writes the numbers of the problems that are written.
    pub unsafe fn part(&self) -> Part<Written<T>, Written<u32>> {
        let (layout, count) = (self.layout(), self.count as usize);
        Part {
            layout,
            scalars: Written { first: self.answer_scalars, length: layout.length(layout.answer_scalars(), count) },
            words: Written { first: self.answer_words, length: layout.length(layout.answer_words(), count) },
        }
    }
}

/// An array that several threads write, each at places of its own.
#[derive(Debug)]
pub struct Written<V> {
    first: *mut V,
    length: usize,
}

impl<V> Slots<V> for Written<V> {
    #[inline(always)]
    fn put(&mut self, at: usize, value: V) {
        if at < self.length {
            // SAFETY: within the array, which whoever made this promised to be writable ([`Arguments::part`]); the place is one
            // of a problem that no other thread has.
            unsafe { self.first.add(at).write(value) }
        }
    }
}
