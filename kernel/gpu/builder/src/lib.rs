//! The PTX of `kernel/gpu/device`: compiled by `cargo ptx`, committed beside what it was compiled from, and checked without a
//! graphics processor and without the compiler's components for one.
//!
//! | module | what |
//! |---|---|
//! | [`sources`] | the digest of what was compiled: a committed PTX with another digest is stale |
//! | [`compile`] | the compiler and its flags |
//! | [`names`] | short names, so that the text does not depend on the folder it was compiled in |
//! | [`text`], [`calls`] | what PTX must not say; how much memory each entry needs |
//! | [`record`] | digest, compiler and figures, as committed |
#![forbid(unsafe_code)]

pub mod calls;
pub mod compile;
pub mod names;
pub mod record;
pub mod sources;
pub mod text;

use std::path::PathBuf;

/// The folder of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The committed PTX.
pub const PTX: &str = "kernel/gpu/ptx/stiction.ptx";
/// What it was built from and what it needs.
pub const RECORD: &str = "kernel/gpu/ptx/built.txt";
