//! The functions that a host launches, by name: one for each family of problems, precision and capacity.
//!
//! A launch has at least as many threads as problems, in one dimension; threads without a problem end at once.
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x, trap};
use core::panic::PanicInfo;

use stiction::{SixRows, ThreeRows};
use stiction_scenes::many::FactoredLeg;
use stiction_scenes::robot::Robot;

use crate::arguments::SettingsArguments;
use crate::places::Word;
use crate::{body_contact, columns, delassus, worlds};

/// The number of this thread in the launch.
fn thread() -> usize {
    // SAFETY: special registers, which every thread can read. None is negative.
    let (block, width, place) = unsafe { (_block_idx_x(), _block_dim_x(), _thread_idx_x()) };
    block as usize * width as usize + place as usize
}

/// Declares the entry for bodies with contacts of a capacity.
macro_rules! solve {
    ($name:ident, $scalar:ty, $bodies:literal, $contacts:literal, $rows:ty) => {
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
            number: u32,
            sweeps: u32,
            counters: *mut u32,
            from: *const Word,
            to: *mut Word,
        ) {
            let pass = body_contact::Pass { number, sweeps, counters, from, to };
            let settings = SettingsArguments { scalars: settings_scalars, words: settings_words };
            let arguments = body_contact::Arguments {
                count,
                bodies,
                contacts,
                dt,
                settings,
                scalars,
                words,
                answer_scalars,
                answer_words,
                pass,
            };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { body_contact::run::<$scalar, $bodies, $contacts, $rows>(thread(), &arguments) }
        }
    };
}

solve!(stiction_solve_f32_5_8, f32, 5, 8, ThreeRows);
solve!(stiction_solve_f32_8_16, f32, 8, 16, ThreeRows);
solve!(stiction_solve_f32_16_64, f32, 16, 64, ThreeRows);
solve!(stiction_solve_f64_5_8, f64, 5, 8, ThreeRows);
solve!(stiction_solve_f64_16_64, f64, 16, 64, ThreeRows);
// A contact that resists twisting or rolling takes two places.
solve!(stiction_surfaces_f32_5_16, f32, 5, 16, SixRows);
solve!(stiction_surfaces_f64_5_16, f64, 5, 16, SixRows);

/// Declares the entry for problems in Delassus form of a capacity.
macro_rules! delassus {
    ($name:ident, $scalar:ty, $contacts:literal) => {
        #[doc = concat!("Delassus form, up to ", $contacts, " contacts in `", stringify!($scalar), "`.")]
        ///
        /// # Safety
        ///
        /// What [`delassus::run`] asks for.
        // SAFETY: the name begins with that of this crate, and no other symbol is linked.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            count: u32,
            contacts: u32,
            settings_scalars: *const $scalar,
            settings_words: *const u32,
            w: *const $scalar,
            q: *const $scalar,
            mu: *const $scalar,
            warm: *const $scalar,
            impulses: *mut $scalar,
            velocities: *mut $scalar,
            figures: *mut $scalar,
            counts: *mut u32,
        ) {
            let settings = SettingsArguments { scalars: settings_scalars, words: settings_words };
            let arguments = delassus::Arguments {
                count,
                contacts,
                settings,
                w,
                q,
                mu,
                warm,
                impulses,
                velocities,
                figures,
                counts,
            };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { delassus::run::<$scalar, $contacts>(thread(), &arguments) }
        }
    };
}

delassus!(stiction_delassus_f32_8, f32, 8);
delassus!(stiction_delassus_f32_32, f32, 32);
delassus!(stiction_delassus_f64_8, f64, 8);

/// Declares the entries for a kind of worlds: its ticks, and the size of its state.
macro_rules! worlds {
    ($name:ident, $size:ident, $world:ty) => {
        #[doc = concat!("Ticks of worlds `", stringify!($world), "`.")]
        ///
        /// # Safety
        ///
        /// What [`worlds::run`] asks for.
        // SAFETY: the name begins with that of this crate, and no other symbol is linked.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            count: u32,
            ticks: u32,
            state_words: u32,
            starts: *const f32,
            states: *mut Word,
            courses: *mut u32,
        ) {
            let arguments = worlds::Arguments { count, ticks, state_words, starts, states, courses };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { worlds::run::<$world>(thread(), &arguments) }
        }

        #[doc = concat!("How many words the state of `", stringify!($world), "` has, from the first thread.")]
        ///
        /// # Safety
        ///
        /// What [`worlds::tell_state_words`] asks for.
        // SAFETY: as above.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $size(words: *mut u32) {
            if thread() == 0 {
                // SAFETY: the host's promise.
                unsafe { worlds::tell_state_words::<$world>(words) }
            }
        }
    };
}

/// Declares the entries for arrays of callers in a precision.
macro_rules! columns {
    ($pack:ident, $unpack:ident, $scalar:ty) => {
        #[doc = concat!("Arrays of a caller into the layout, in `", stringify!($scalar), "`.")]
        ///
        /// # Safety
        ///
        /// What [`columns::pack`] asks for.
        // SAFETY: the name begins with that of this crate, and no other symbol is linked.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $pack(
            count: u32,
            first: u32,
            bodies: u32,
            contacts: u32,
            has_surfaces: u32,
            table: *const u64,
            scalars: *mut $scalar,
            words: *mut u32,
        ) {
            let arguments =
                columns::PackArguments { count, first, bodies, contacts, has_surfaces, table, scalars, words };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { columns::pack::<$scalar>(thread(), &arguments) }
        }

        #[doc = concat!("Answers from the layout into arrays of their own, in `", stringify!($scalar), "`.")]
        ///
        /// # Safety
        ///
        /// What [`columns::unpack`] asks for.
        // SAFETY: the name begins with that of this crate, and no other symbol is linked.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $unpack(
            count: u32,
            first: u32,
            is_blocks: u32,
            scalars_each: u32,
            words_each: u32,
            scalars: *const $scalar,
            words: *const u32,
            table: *const u64,
            scalar_columns: u32,
            word_columns: u32,
        ) {
            let arguments = columns::UnpackArguments {
                count,
                first,
                is_blocks,
                scalars_each,
                words_each,
                scalars,
                words,
                table,
                scalar_columns,
                word_columns,
            };
            // SAFETY: the host's promise; every thread of a launch has another number.
            unsafe { columns::unpack::<$scalar>(thread(), &arguments) }
        }
    };
}

worlds!(stiction_robot_f32, stiction_robot_f32_size, Robot<f32>);
worlds!(stiction_leg_f32, stiction_leg_f32_size, FactoredLeg);
columns!(stiction_pack_f32, stiction_unpack_f32, f32);
columns!(stiction_pack_f64, stiction_unpack_f64, f64);

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: ends the launch with an error.
    unsafe { trap() }
}
