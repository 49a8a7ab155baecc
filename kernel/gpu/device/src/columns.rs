//! Problems from a caller's arrays into the layout, and answers from there into arrays of their own, one problem a thread.
//!
//! A caller's arrays have addresses and strides, too many for parameters of a launch: they are in a table in the memory of the
//! graphics processor, [`FIELD`] numbers for each of `stiction_batch_layout::columns::FIELDS`. Where answers go is in another
//! table, [`COLUMN`] numbers for each array.
use core::ptr::with_exposed_provenance;

use stiction::Real;
use stiction_batch_layout::Layout;
use stiction_batch_layout::columns::{Columns, FIELDS, Pack};

use super::arguments::{Written, slice};

/// Numbers of a field in the table: its address, which is 0 if there is no such array; bytes of an entry, 4 or 8; strides in bytes
/// along problems, along places of a problem, and along two axes within.
pub const FIELD: usize = 6;
/// Numbers of an array of answers in its table: its address; the first of its numbers within a problem, and how many there are.
pub const COLUMN: usize = 3;

/// What a launch that packs passes to every thread.
#[derive(Debug, Clone, Copy)]
pub struct PackArguments<T> {
    /// How many problems are written.
    pub count: u32,
    /// The first of them in the caller's arrays.
    pub first: u32,
    /// Bodies of each problem.
    pub bodies: u32,
    /// Contacts of each problem, at most.
    pub contacts: u32,
    /// Whether contacts can have friction beyond sliding: 0 or 1.
    pub has_surfaces: u32,
    /// The table of fields.
    pub table: *const u64,
    /// Scalars of the problems in blocks ([`Layout::blocks`]).
    pub scalars: *mut T,
    /// Words of the problems.
    pub words: *mut u32,
}

/// What a launch that unpacks passes to every thread.
#[derive(Debug, Clone, Copy)]
pub struct UnpackArguments<T> {
    /// How many problems are read.
    pub count: u32,
    /// The first of them in the arrays that are written.
    pub first: u32,
    /// Whether answers are in blocks or one after the other: 1 or 0.
    pub is_blocks: u32,
    /// Scalars of each problem.
    pub scalars_each: u32,
    /// Words of each problem.
    pub words_each: u32,
    /// Scalars of the answers.
    pub scalars: *const T,
    /// Words of the answers.
    pub words: *const u32,
    /// The table of arrays: those of scalars, then those of words.
    pub table: *const u64,
    /// How many arrays of scalars there are.
    pub scalar_columns: u32,
    /// How many arrays of words there are.
    pub word_columns: u32,
}

/// The caller's arrays.
struct Table<'a>(&'a [u64]);

impl Table<'_> {
    /// The bytes and the address of an entry; none if there is no such array.
    #[inline(always)]
    fn entry(&self, field: usize, indices: [usize; 4]) -> Option<(u64, u64)> {
        let number = |k: usize| self.0.get(FIELD * field + k).copied().unwrap_or(0);
        let (address, bytes) = (number(0), number(1));
        if address == 0 {
            return None;
        }
        // A stride below 0 is a number that wraps around.
        let along = |at: u64, (k, index): (usize, usize)| at.wrapping_add(number(2 + k).wrapping_mul(index as u64));
        Some((bytes, indices.into_iter().enumerate().fold(address, along)))
    }
}

/// Reads a number at an address.
///
/// # Safety
///
/// There is one, aligned, and nobody writes it meanwhile.
#[inline(always)]
unsafe fn read<V: Copy>(address: u64) -> V {
    // SAFETY: the caller's promise.
    unsafe { with_exposed_provenance::<V>(address as usize).read() }
}

impl<T: Real> Columns<T> for Table<'_> {
    #[inline(always)]
    fn scalar(&self, field: usize, problem: usize, place: usize, [row, column]: [usize; 2]) -> Option<T> {
        let (bytes, address) = self.entry(field, [problem, place, row, column])?;
        // SAFETY: whoever made the table promised arrays of the field's shape with entries of so many bytes (`pack`); indices are
        // within it.
        unsafe {
            Some(match bytes {
                4 if size_of::<T>() == 4 => read::<T>(address),
                4 => T::lit(read::<f32>(address).into()),
                _ if size_of::<T>() == 8 => read::<T>(address),
                _ => T::lit(read::<f64>(address)),
            })
        }
    }

    #[inline(always)]
    fn integer(&self, field: usize, problem: usize, place: usize) -> Option<i64> {
        let (bytes, address) = self.entry(field, [problem, place, 0, 0])?;
        // SAFETY: as above.
        unsafe { Some(if bytes == 4 { read::<i32>(address).into() } else { read::<i64>(address) }) }
    }
}

/// What the thread with a number does: writes the problem with that number into the layout, if there is one.
///
/// # Safety
///
/// The table has the numbers of all fields; every array that it names has entries for all problems, nobody writes it meanwhile,
/// and its entries are aligned floats or signed integers. The arrays that are written have the lengths that the layout asks for;
/// nobody else uses them, and no other thread has that number.
pub unsafe fn pack<T: Real>(thread: usize, arguments: &PackArguments<T>) {
    let count = arguments.count as usize;
    if thread >= count {
        return;
    }
    let layout = Layout::blocks(arguments.bodies as usize, arguments.contacts as usize);
    let layout = if arguments.has_surfaces != 0 { layout.with_surfaces() } else { layout };
    // SAFETY: the caller's promise.
    let (table, scalars, words) = unsafe {
        (
            Table(slice(arguments.table, FIELD * FIELDS.len())),
            Written::new(arguments.scalars, layout.length(layout.input_scalars(), count)),
            Written::new(arguments.words, layout.length(layout.input_words(), count)),
        )
    };
    let from = arguments.first as usize + thread;
    Pack { columns: &table, from, layout, to: thread, scalars, words }.problem::<T>();
}

/// What the thread with a number does: copies the answers of the problem with that number into their arrays, if there is one.
///
/// # Safety
///
/// Answers have the lengths that their layout asks for. Every array in the table has as many places as numbers of all problems; its
/// numbers within a problem are among those of an answer. Nobody else uses these arrays, and no other thread has that number.
pub unsafe fn unpack<T: Real>(thread: usize, arguments: &UnpackArguments<T>) {
    let (count, to) = (arguments.count as usize, arguments.first as usize + thread);
    if thread >= count {
        return;
    }
    let layout = if arguments.is_blocks != 0 { Layout::blocks(0, 0) } else { Layout::rows(0, 0) };
    let (of_scalars, of_words) = (arguments.scalar_columns as usize, arguments.word_columns as usize);
    let (scalars_each, words_each) = (arguments.scalars_each as usize, arguments.words_each as usize);
    // SAFETY: the caller's promise.
    unsafe {
        let table = slice(arguments.table, COLUMN * (of_scalars + of_words));
        let (scalars, words) = table.split_at_checked(COLUMN * of_scalars).unwrap_or((table, &[]));
        let given = slice(arguments.scalars, layout.length(scalars_each, count));
        copy(scalars, to, |k| given.get(layout.at(scalars_each, thread, k)).copied());
        let given = slice(arguments.words, layout.length(words_each, count));
        copy(words, to, |k| given.get(layout.at(words_each, thread, k)).copied());
    }
}

/// Copies the numbers of a problem into arrays of a table.
///
/// # Safety
///
/// The arrays have room for so many numbers of that problem, which nobody else uses.
unsafe fn copy<V>(table: &[u64], to: usize, number: impl Fn(usize) -> Option<V>) {
    for column in table.chunks_exact(COLUMN) {
        let [address, first, length] = [0, 1, 2].map(|k: usize| column.get(k).copied().unwrap_or(0) as usize);
        let place = core::ptr::with_exposed_provenance_mut::<V>(address).wrapping_add(to * length);
        for k in 0..length {
            if let Some(number) = number(first + k) {
                // SAFETY: the caller's promise.
                unsafe { place.wrapping_add(k).write(number) }
            }
        }
    }
}
