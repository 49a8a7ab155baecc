//! `cargo ptx`: compiles the PTX and commits it to its folder if it passes all checks. `cargo ptx check`: whether the committed one
//! is up to date; compiles it where the compiler's components are.

use std::fs;
use std::process::ExitCode;

use stiction_ptx::{PTX, RECORD, compile, names, record, root, sources};

const USAGE: &str = "usage: cargo ptx [check]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words[..] {
        [] => build(),
        ["check"] => check(),
        _ => Err(USAGE.to_string()),
    };
    match ended {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles; returns the PTX and its record.
fn compiled() -> Result<(String, String), String> {
    let ptx = names::shortened(&compile::ptx(&root())?);
    let record = record::of(&ptx, &sources::digest(&root())?, &compile::compiler()?)?;
    Ok((ptx, record))
}

fn build() -> Result<String, String> {
    let (ptx, record) = compiled()?;
    for (path, text) in [(PTX, &ptx), (RECORD, &record)] {
        fs::write(root().join(path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(format!("{PTX}: {} bytes\n{record}", ptx.len()))
}

fn check() -> Result<String, String> {
    let read = |path: &str| fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"));
    record::check(&read(PTX)?, &read(RECORD)?, &sources::digest(&root())?)?;
    if let Err(missing) = compile::components() {
        return Ok(format!("up to date; not compiled again: {missing}"));
    }
    // Another compiler may order instructions in another way, so only the checks are repeated, not the bytes.
    let (ptx, record) = compiled()?;
    let same = if ptx == read(PTX)? { "the same text" } else { "another text, by another compiler" };
    Ok(format!("up to date; compiled again: {same}\n{record}"))
}
