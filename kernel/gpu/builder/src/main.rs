//! `cargo ptx`: compiles the PTX and commits it to its folder if it passes all checks. `cargo ptx check`: whether the committed
//! one is up to date; compiles it where the compiler's components are.

use std::fs;
use std::process::ExitCode;

use stiction_ptx::{FOLDER, RECORD, committed, compile, names, record, root, sources, split};

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

/// The name and the PTX of every entry.
type Texts = Vec<(String, String)>;

/// Compiles; returns all texts and their record.
fn compiled() -> Result<(Texts, String), String> {
    let mut texts = split::entries(&compile::ptx(&root())?)?;
    texts.iter_mut().for_each(|(_, text)| *text = names::shortened(text));
    texts.sort();
    let record = record::of(&texts, &sources::digest(&root())?, &compile::compiler()?)?;
    Ok((texts, record))
}

fn build() -> Result<String, String> {
    let (texts, record) = compiled()?;
    for (name, _) in committed(&root())? {
        let path = root().join(FOLDER).join(format!("{name}.ptx"));
        fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let files = texts.iter().map(|(name, text)| (format!("{FOLDER}/{name}.ptx"), text));
    for (path, text) in files.chain([(RECORD.to_string(), &record)]) {
        fs::write(root().join(&path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(record)
}

fn check() -> Result<String, String> {
    let written = fs::read_to_string(root().join(RECORD)).map_err(|error| format!("{RECORD}: {error}"))?;
    let texts = committed(&root())?;
    record::check(&texts, &written, &sources::digest(&root())?)?;
    if let Err(missing) = compile::components() {
        return Ok(format!("up to date; not compiled again: {missing}"));
    }
    // Another compiler may order instructions in another way, so only the checks are repeated, not the bytes.
    let (again, record) = compiled()?;
    let same = if again == texts { "the same texts" } else { "other texts, by another compiler" };
    Ok(format!("up to date; compiled again: {same}\n{record}"))
}
