//! The C interface: bodies and contacts of an engine's own memory in, velocities and impulses out.
//!
//! ```text
//! f32 (f64 is made from it) ─ the functions that C sees, one line each
//!   solver, pipeline, kept, delassus, direct_memory ─ what they do, once for both precisions
//!     input, output, choices, report, world, manifold, hooks ─ from C's terms to the kernel's and back
//!       rungs, sizes, text ─ capacities that are compiled, how large they are, words for C
//!       view, place, error ─ pointers, counts, strides, memory: checked here, and the only `unsafe` reading and writing
//! ```
//!
//! # What keeps it safe
//!
//! * Nothing of the caller's is ever borrowed but the blocks of a Delassus matrix during its solve: numbers are read and
//!   written one by one through pointers that were checked for null, alignment, stride and span.
//! * Everything is read and checked before anything is written, so an error writes nothing.
//! * An object in the caller's memory carries its kind; a call on something else, or from within a call, is rejected.
//! * What pointers point to is the caller's promise, as in any C library: see each function's *Safety*.

#![no_std]
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]
// Every function has the same contract, stated once here and in the header: pointers are null where that is said to be allowed,
// or point to what their type says.
#![allow(clippy::missing_safety_doc)]

pub mod choices;
pub mod delassus;
pub mod direct_memory;
pub mod error;
pub mod f32;
/// The functions of the double-precision interface: those of [`f32`](mod@f32) with the other precision, written by `build.rs`.
pub mod f64 {
    include!(concat!(env!("OUT_DIR"), "/f64.rs"));
}
pub mod hooks;
pub mod input;
pub mod kept;
pub mod manifold;
pub mod output;
pub mod pipeline;
pub mod place;
pub mod report;
pub mod rungs;
pub mod sizes;
pub mod solver;
pub mod text;
pub mod view;
pub mod world;

/// Nothing in this archive can panic (`cargo verify "C interface"` reads its symbols), so this is never linked.
#[cfg(all(feature = "archive", not(test)))]
#[panic_handler]
fn never(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
