//! Bytes turned into contact problems, and what must be true of every answer.
//!
//! A target reads its input through [`Bytes`], which never ends, builds a problem with [`scene`] and holds the kernel to
//! [`laws`] that its tests and documents state. A law that breaks is a panic, and a panic is what the fuzzer looks for.

pub mod bytes;
pub mod dumps;
pub mod laws;
pub mod scene;
pub mod steps;

pub use bytes::{Bytes, Mood};

/// Bodies and contacts that fit: few, so that a case takes microseconds.
pub const NB: usize = 4;
/// Contacts that fit.
pub const NC: usize = 8;
