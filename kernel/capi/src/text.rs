//! Error messages, and the version.

use core::ffi::{CStr, c_char};

use stiction::Real;

use crate::error::{Error, FIELD_BYTES, InputError, InputKind};

/// Version of this interface: it changes when a struct, a function or a number does.
pub const ABI: u32 = 1;

/// The version of the library, terminated by a zero.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => c"",
};

/// Version of the interface that the library was built with; compare it to STICTION_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_abi() -> u32 {
    ABI
}

/// Version of the library, as in "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn stiction_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The message for an error of StictionError; for other numbers a message that says so. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_error_text(error: u32) -> *const c_char {
    words(error).as_ptr()
}

fn words(error: u32) -> &'static CStr {
    const TEXTS: [(Error, &CStr); 34] = [
        (Error::Ok, c"done"),
        (Error::NullPointer, c"must not be null"),
        (Error::Misaligned, c"is not aligned"),
        (Error::BadStride, c"the stride is shorter than an element, or not a multiple of its alignment"),
        (Error::TooLarge, c"is larger than memory can be"),
        (Error::MemoryTooSmall, c"is too small"),
        (Error::NoCapacity, c"is larger than any that is compiled"),
        (Error::NotInitialised, c"is not initialised, or of another kind or precision"),
        (Error::Busy, c"is in use by the call that this one comes from"),
        (Error::BadChoice, c"is none of the choices"),
        (Error::BadBytes, c"are not what was saved, or not for this object"),
        (Error::CallbackFailed, c"gave up"),
        (Error::WithoutMoments, c"needs a solver or pipeline with moments"),
        (Error::WithoutJoints, c"needs a pipeline with joints"),
        (Error::NotFinite, c"must be a finite number"),
        (Error::BelowLimit, c"is below the smallest accepted value"),
        (Error::AboveLimit, c"is above the largest accepted value"),
        (Error::OutOfRange, c"is out of its range"),
        (Error::NotUnit, c"must have length 1 within 1e-3"),
        (Error::NotSymmetric, c"must be symmetric within 1e-6 of its largest entry"),
        (Error::NotPositiveSemidefinite, c"must have no negative eigenvalue"),
        (Error::InertiaWithoutMass, c"must be 0 where the inverse mass is 0"),
        (Error::SameBody, c"is the same body as the other"),
        (Error::NoSuchBody, c"names a body that does not exist"),
        (Error::NoSuchContact, c"names a contact that does not exist"),
        (Error::NothingMoves, c"neither body can move"),
        (Error::Full, c"is more than the capacity"),
        (Error::WrongLength, c"has another length than the others need"),
        (Error::BadStructure, c"is out of order or out of range"),
        (Error::NoDiagonalBlock, c"the diagonal block is missing"),
        (Error::AlongTheNormal, c"must not be zero or along the normal"),
        (Error::NoSuchJoint, c"names a joint that does not exist"),
        (Error::LimitsCrossed, c"the lower limit is above the upper one"),
        (Error::Other, c"was rejected"),
    ];
    TEXTS.iter().find(|(known, _)| *known as u32 == error).map_or(c"no error of this library", |(_, text)| *text)
}

/// A text buffer that keeps counting characters beyond its capacity, as `snprintf` does.
struct Letters {
    out: *mut c_char,
    capacity: usize,
    length: usize,
}

impl Letters {
    /// # Safety
    /// `out` points to `capacity` writable bytes.
    unsafe fn put(&mut self, letter: u8) {
        if self.length + 1 < self.capacity {
            // SAFETY: within the buffer, with a byte left for the terminating zero.
            unsafe { self.out.add(self.length).write(letter as c_char) }
        }
        self.length += 1;
    }

    /// # Safety
    /// As [`Letters::put`].
    unsafe fn put_all(&mut self, letters: &[u8]) {
        for letter in letters {
            // SAFETY: the same promise.
            unsafe { self.put(*letter) }
        }
    }

    /// # Safety
    /// As [`Letters::put`].
    unsafe fn put_number(&mut self, number: usize) {
        let mut digits = [0; 20];
        let (mut rest, mut count) = (number, 0);
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        // SAFETY: the same promise.
        unsafe { self.put_all(digits.get(digits.len() - count..).unwrap_or(&[])) }
    }

    /// # Safety
    /// As [`Letters::put`].
    unsafe fn end(&mut self) -> usize {
        if self.capacity > 0 {
            let at = if self.length < self.capacity { self.length } else { self.capacity - 1 };
            // SAFETY: within the buffer.
            unsafe { self.out.add(at).write(0) }
        }
        self.length
    }
}

/// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, and returns its length without the
/// terminating zero, which may be larger than the capacity.
///
/// # Safety
/// `input_error` is null or points to one; `out` is null or points to `capacity` writable bytes.
pub unsafe fn describe<T: Real>(input_error: *const InputError<T>, out: *mut c_char, capacity: usize) -> usize {
    let mut letters = Letters { out, capacity: if out.is_null() { 0 } else { capacity }, length: 0 };
    if input_error.is_null() || !input_error.is_aligned() {
        // SAFETY: the caller's promise.
        return unsafe { letters.end() };
    }
    // SAFETY: the caller's promise.
    unsafe {
        let input_error = input_error.read();
        let (before, indexed) = match input_error.input {
            input if input == InputKind::Body as u32 => (&b"bodies"[..], true),
            input if input == InputKind::Contact as u32 => (&b"contacts"[..], true),
            input if input == InputKind::Joint as u32 => (&b"joints"[..], true),
            input if input == InputKind::Setting as u32 => (&b"settings"[..], false),
            _ => (&b""[..], input_error.input == InputKind::Delassus as u32),
        };
        let named = input_error.field.first().is_some_and(|letter| *letter != 0);
        letters.put_all(before);
        if indexed && !before.is_empty() {
            letters.put_index(input_error.index);
        }
        if named && !before.is_empty() {
            letters.put(b'.');
        }
        letters.put_name(&input_error.field);
        if indexed && before.is_empty() {
            letters.put_index(input_error.index);
        }
        letters.put_all(b": ");
        letters.put_all(words(input_error.error).to_bytes());
        letters.end()
    }
}

impl Letters {
    /// # Safety
    /// As [`Letters::put`].
    unsafe fn put_index(&mut self, index: usize) {
        // SAFETY: the same promise.
        unsafe {
            self.put(b'[');
            self.put_number(index);
            self.put(b']');
        }
    }

    /// # Safety
    /// As [`Letters::put`].
    unsafe fn put_name(&mut self, name: &[c_char; FIELD_BYTES]) {
        for letter in name.iter().take_while(|letter| **letter != 0) {
            // SAFETY: the same promise.
            unsafe { self.put(*letter as u8) }
        }
    }
}
