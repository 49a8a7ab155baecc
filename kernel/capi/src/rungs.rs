//! The compiled capacities.
//!
//! A program that chooses sizes at run time links all of them. A program that names one capacity links only that one,
//! because linkers drop functions that are not called (`-Wl,--gc-sections`).

use crate::error::{Error, Fault};
use crate::place::Kind;
use crate::view::check_pointer;

/// Defines the compiled capacities of an object: a constant for each, and the list of all.
macro_rules! ladder {
    ($(#[$meta:meta])* $ladder:ident, $object:ident, $kind:ident; $($rungs:tt)+) => {
        crate::rungs::ladder! { $(#[$meta])* $ladder: Real, $object, $kind; $($rungs)+ }
    };
    ($(#[$meta:meta])* $ladder:ident: $bound:ident, $object:ident, $kind:ident;
        $($name:ident = ($($capacity:literal),+)),+ $(,)?) => {
        $(#[$meta])*
        pub struct $ladder<T>(T);

        impl<T: $bound> $ladder<T> {
            $(
                /// This capacity.
                pub const $name: &'static Kind<dyn $object<T>> = &const { $kind::<T, $($capacity),+>() };
            )+

            /// All of them, the smallest first.
            pub const ALL: &'static [&'static Kind<dyn $object<T>>] = &[$(Self::$name),+];

            /// The smallest that is large enough.
            pub fn fit(wanted: Capacity) -> Option<&'static Kind<dyn $object<T>>> {
                Self::ALL.iter().copied().find(|kind| kind.holds(wanted))
            }
        }
    };
}
pub(crate) use ladder;

/// The compiled capacities of objects with bodies and contacts.
macro_rules! ladder_of_worlds {
    ($(#[$meta:meta])* $ladder:ident, $object:ident, $kind:ident) => {
        crate::rungs::ladder! {
            $(#[$meta])*
            $ladder, $object, $kind;
            RUNG_8_16 = (8, 16),
            RUNG_16_64 = (16, 64),
            RUNG_64_256 = (64, 256),
            RUNG_256_1024 = (256, 1024),
            RUNG_1024_4096 = (1024, 4096),
            RUNG_4096_16384 = (4096, 16384),
        }
    };
}
pub(crate) use ladder_of_worlds;

/// Creates an object of a kind and writes its handle.
///
/// # Safety
/// `memory` is null or points to `bytes` writable bytes that nothing else uses; `handle` is null or can be written.
pub unsafe fn place_at<O: ?Sized + 'static, H>(
    kind: &'static Kind<O>,
    memory: *mut u8,
    bytes: usize,
    handle: *mut *mut H,
) -> Result<(), Fault> {
    check_pointer(handle, "handle")?;
    // SAFETY: the caller's promise, and `handle` was checked.
    unsafe {
        let placed = kind.place::<H>(memory, bytes)?;
        handle.write(placed);
    }
    Ok(())
}

/// The kind that a pointer from one of the `_kind_` functions points to.
///
/// # Safety
/// The pointer is null or comes from such a function.
pub unsafe fn named<O: ?Sized, K>(kind: *const K) -> Result<&'static Kind<O>, Fault> {
    // SAFETY: the caller's promise; kinds are constants.
    unsafe { kind.cast::<Kind<O>>().as_ref() }.ok_or(Fault::new(Error::NullPointer, "kind"))
}

/// The kind, or an error if no capacity is large enough.
pub fn enough<O: ?Sized>(kind: Option<&'static Kind<O>>) -> Result<&'static Kind<O>, Fault> {
    kind.ok_or(Fault::new(Error::NoCapacity, "capacity"))
}
