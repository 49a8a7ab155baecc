//! The PTX of `kernel/gpu/device`: compiled by `cargo ptx`, committed beside what it was compiled from, and checked without a
//! graphics processor and without the compiler's components for one.
//!
//! | module | what |
//! |---|---|
//! | [`sources`] | the digest of what was compiled: a committed PTX with another digest is stale |
//! | [`compile`] | the compiler and its flags |
//! | [`split`] | one text for each entry |
//! | [`names`] | short names, so that the text does not depend on the folder it was compiled in |
//! | [`text`], [`calls`] | what PTX must not say; how much memory each entry needs |
//! | [`record`] | digest, compiler and figures, as committed |
#![forbid(unsafe_code)]

pub mod calls;
pub mod compile;
pub mod names;
pub mod record;
pub mod sources;
pub mod split;
pub mod text;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The folder of the committed PTX: a file for each entry, with its name.
pub const FOLDER: &str = "kernel/gpu/ptx";
/// What it was built from and what it needs.
pub const RECORD: &str = "kernel/gpu/ptx/built.txt";

/// The name of every entry that is committed and its PTX, ascending.
pub fn committed(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    for file in fs::read_dir(root.join(FOLDER)).map_err(|error| format!("{FOLDER}: {error}"))? {
        let path = file.map_err(|error| format!("{FOLDER}: {error}"))?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|kind| kind == "ptx") {
            texts.push((name, fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?));
        }
    }
    texts.sort();
    Ok(texts)
}
