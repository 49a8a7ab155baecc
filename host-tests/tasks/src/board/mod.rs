//! The firmware, built, run in QEMU and read: what `cargo demo` shows and `cargo verify` compares.

pub mod budgets;
pub mod digests;
pub mod emulator;
pub mod firmware;
pub mod panics;
pub mod show;
pub mod weights;
