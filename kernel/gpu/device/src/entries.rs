//! The functions that a host launches, by name: one for each capacity.
//!
//! A launch has at least as many threads as problems, in one dimension; threads without a problem end at once.
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x, trap};
use core::panic::PanicInfo;

use crate::arguments::Arguments;
use crate::body_contact;

/// The number of this thread in the launch.
fn thread() -> usize {
    // SAFETY: special registers, which every thread can read. None is negative.
    let (block, width, place) = unsafe { (_block_idx_x(), _block_dim_x(), _thread_idx_x()) };
    block as usize * width as usize + place as usize
}

/// Declares the entry of a capacity.
macro_rules! rung {
    ($name:ident, $scalar:ty, $bodies:literal, $contacts:literal) => {
        #[doc = concat!("Up to ", $bodies, " bodies and ", $contacts, " contacts in `", stringify!($scalar), "`.")]
        ///
        /// # Safety
        ///
        /// What [`body_contact::run`] asks for.
        // SAFETY: the name begins with that of this crate, and no other symbol is linked.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            count: u32,
            bodies: u32,
            contacts: u32,
            dt: $scalar,
            settings_scalars: *const $scalar,
            settings_words: *const u32,
            scalars: *const $scalar,
            words: *const u32,
            answer_scalars: *mut $scalar,
            answer_words: *mut u32,
        ) {
            let arguments = Arguments {
                count,
                bodies,
                contacts,
                dt,
                settings_scalars,
                settings_words,
                scalars,
                words,
                answer_scalars,
                answer_words,
            };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { body_contact::run::<$scalar, $bodies, $contacts>(thread(), &arguments) }
        }
    };
}

rung!(stiction_solve_f32_5_8, f32, 5, 8);

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: ends the launch with an error.
    unsafe { trap() }
}
