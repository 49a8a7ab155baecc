//! Columns of numbers in the caller's memory: checked once, then read or written number by number.
//!
//! Element `i` of a column starts at `data + i·stride` bytes and consists of `WIDTH` numbers. A column is valid if the
//! pointer is not null and aligned, the stride is a multiple of the alignment and not shorter than an element, and the
//! last byte is within the address space. With stride 0, which is allowed only for reading, all elements are the first
//! one.

use core::marker::PhantomData;
use core::mem::{align_of, size_of};

use crate::error::{Error, Fault};

/// One column of numbers to be read: a pointer, and the bytes from one element to the next. With stride 0 all elements
/// are the first one. If the column is left out, `data` is null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct View<T> {
    /// The first number of the first element.
    pub data: *const T,
    /// Bytes from one element to the next.
    pub stride: usize,
}

/// One column of numbers to be written: a pointer, and the bytes from one element to the next. If the column is left
/// out, `data` is null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ViewMut<T> {
    /// The first number of the first element.
    pub data: *mut T,
    /// Bytes from one element to the next.
    pub stride: usize,
}

/// A checked column of elements of `WIDTH` numbers.
#[derive(Clone, Copy)]
pub struct Column<'a, T, const WIDTH: usize> {
    data: *const T,
    stride: usize,
    count: usize,
    memory: PhantomData<&'a T>,
}

/// A checked column that is written.
#[derive(Clone, Copy)]
pub struct ColumnMut<'a, T, const WIDTH: usize> {
    data: *mut T,
    stride: usize,
    count: usize,
    memory: PhantomData<&'a mut T>,
}

/// Whether `count` elements of `bytes` bytes, aligned to `align`, can start at `address` with a spacing of `stride`
/// bytes.
#[inline(always)]
fn check(address: usize, stride: usize, count: usize, bytes: usize, align: usize, shared: bool) -> Result<(), Error> {
    if address == 0 {
        return Err(Error::NullPointer);
    }
    // Alignments are powers of two.
    if address & (align - 1) != 0 {
        return Err(Error::Misaligned);
    }
    let one_for_all = stride == 0 && (shared || count == 1);
    if stride & (align - 1) != 0 || (stride < bytes && !one_for_all) {
        return Err(Error::BadStride);
    }
    let span = count.saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(bytes));
    let end = span.filter(|span| *span <= isize::MAX as usize).and_then(|span| address.checked_add(span));
    if end.is_none() { Err(Error::TooLarge) } else { Ok(()) }
}

impl<T: Copy> View<T> {
    /// No column.
    pub const NONE: Self = View { data: core::ptr::null(), stride: 0 };

    /// Checks the view as a column of `count` elements. With no elements nothing is read, and every view is accepted.
    #[inline(always)]
    pub fn column<'a, const WIDTH: usize>(
        &self,
        count: usize,
        field: &'static str,
    ) -> Result<Column<'a, T, WIDTH>, Fault> {
        if count > 0 {
            let reject = |error| Fault::new(error, field);
            check(self.data as usize, self.stride, count, WIDTH * size_of::<T>(), align_of::<T>(), true)
                .map_err(reject)?;
        }
        Ok(Column { data: self.data, stride: self.stride, count, memory: PhantomData })
    }

    /// The same, or none where `data` is null.
    #[inline(always)]
    pub fn optional<'a, const WIDTH: usize>(
        &self,
        count: usize,
        field: &'static str,
    ) -> Result<Option<Column<'a, T, WIDTH>>, Fault> {
        if self.data.is_null() { Ok(None) } else { self.column(count, field).map(Some) }
    }
}

impl<T: Copy> ViewMut<T> {
    /// No column.
    pub const NONE: Self = ViewMut { data: core::ptr::null_mut(), stride: 0 };

    /// Checks the view as a column of `count` elements.
    #[inline(always)]
    pub fn column<'a, const WIDTH: usize>(
        &self,
        count: usize,
        field: &'static str,
    ) -> Result<ColumnMut<'a, T, WIDTH>, Fault> {
        if count > 0 {
            let reject = |error| Fault::new(error, field);
            check(self.data as usize, self.stride, count, WIDTH * size_of::<T>(), align_of::<T>(), false)
                .map_err(reject)?;
        }
        Ok(ColumnMut { data: self.data, stride: self.stride, count, memory: PhantomData })
    }

    /// The same, or none where `data` is null.
    #[inline(always)]
    pub fn optional<'a, const WIDTH: usize>(
        &self,
        count: usize,
        field: &'static str,
    ) -> Result<Option<ColumnMut<'a, T, WIDTH>>, Fault> {
        if self.data.is_null() { Ok(None) } else { self.column(count, field).map(Some) }
    }
}

impl<T: Copy, const WIDTH: usize> Column<'_, T, WIDTH> {
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// An element; none beyond the end.
    ///
    /// # Safety
    /// The memory that the view described is readable.
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> Option<[T; WIDTH]> {
        // SAFETY: the same promise, and within the column.
        if index < self.count { Some(unsafe { self.at(index) }) } else { None }
    }

    /// An element, without a bounds check.
    ///
    /// # Safety
    /// `index` is below the count, and the memory that the view described is readable.
    #[inline(always)]
    pub unsafe fn at(&self, index: usize) -> [T; WIDTH] {
        // SAFETY: `check` found the column's span within the address space and aligned; that it is readable is the
        // caller's promise. An array of `T` is aligned as `T` is.
        unsafe { self.data.byte_add(index * self.stride).cast::<[T; WIDTH]>().read() }
    }
}

impl<T: Copy, const WIDTH: usize> ColumnMut<'_, T, WIDTH> {
    /// An element, without a bounds check.
    ///
    /// # Safety
    /// `index` is below the count, and the memory that the view described is readable.
    #[inline(always)]
    pub unsafe fn at(&self, index: usize) -> [T; WIDTH] {
        // SAFETY: as in `Column::at`.
        unsafe { self.data.byte_add(index * self.stride).cast::<[T; WIDTH]>().read() }
    }

    /// Writes an element; beyond the end it does nothing.
    ///
    /// # Safety
    /// The memory that the view described is writable, and nothing else uses it now.
    #[inline(always)]
    pub unsafe fn set(&self, index: usize, element: [T; WIDTH]) {
        if index < self.count {
            // SAFETY: as in `Column::get`, and writable by the caller's promise.
            unsafe { self.data.byte_add(index * self.stride).cast::<[T; WIDTH]>().write(element) }
        }
    }
}

/// Whether a pointer is not null and is aligned for `T`.
pub fn check_pointer<T>(pointer: *const T, field: &'static str) -> Result<(), Fault> {
    if pointer.is_null() {
        return Err(Fault::new(Error::NullPointer, field));
    }
    if pointer.is_aligned() { Ok(()) } else { Err(Fault::new(Error::Misaligned, field)) }
}

/// Reads the value that a pointer points to.
///
/// # Safety
/// If the pointer is neither null nor misaligned, it points to a `T`.
pub unsafe fn read<T: Copy>(pointer: *const T, field: &'static str) -> Result<T, Fault> {
    check_pointer(pointer, field)?;
    // SAFETY: neither null nor misaligned; the rest is the caller's promise.
    Ok(unsafe { pointer.read() })
}

/// Whether a pointer is null or aligned for `T`.
pub fn check_optional<T>(pointer: *const T, field: &'static str) -> Result<(), Fault> {
    if pointer.is_null() || pointer.is_aligned() { Ok(()) } else { Err(Fault::new(Error::Misaligned, field)) }
}

/// Writes through a pointer, unless it is null.
///
/// # Safety
/// If the pointer is neither null nor misaligned, a `T` can be written there.
pub unsafe fn write_optional<T: Copy>(pointer: *mut T, value: T) {
    if !pointer.is_null() && pointer.is_aligned() {
        // SAFETY: neither null nor misaligned; the rest is the caller's promise.
        unsafe { pointer.write(value) }
    }
}
