//! Bytes converted to contact problems, and properties that every answer must have.
//!
//! A target reads its input through [`Bytes`], which never ends, builds a problem with [`scene`] and checks the
//! [`laws`] that the kernel's tests and documents state. A violated law panics, and the fuzzer looks for panics.

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
