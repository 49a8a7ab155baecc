//! Code size of a firmware: bytes by part of the kernel, from the symbols of its functions.
//!
//! Committed with the budgets, so that a budget that is not met shows which parts would have to become smaller.

use std::collections::BTreeMap;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use stiction_tasks::figures::{self, Figure};

use crate::link_proof::is_double_routine;

/// Where the committed figures are.
const COMMITTED: &str = "embedded-example/golden/code.txt";

/// Bytes by which a part may differ from the committed figure, besides 2 %.
const SLACK: u64 = 32;

/// Bytes of functions by part, under names that begin with `name`.
pub fn weigh(program: &Path, name: &str) -> Result<Vec<Figure>, String> {
    let bytes = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let mut parts = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        *parts.entry(part_of(symbol.name().unwrap_or(""))).or_insert(0) += symbol.size();
    }
    let mut parts: Vec<_> = parts.into_iter().filter(|(_, size)| *size > 0).collect();
    parts.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    Ok(parts.into_iter().map(|(part, size)| (format!("{name} {part}"), size)).collect())
}

/// The kernel's module that a mangled name belongs to, as `folder/file`, or the scenes; the rest belongs to the
/// firmware and its run time.
fn part_of(symbol: &str) -> String {
    match module_of_path(symbol).or_else(|| module_of_implementation(symbol)) {
        Some(module) => module,
        None if symbol.contains("stiction_scenes") => "(scenes)".into(),
        None => "(firmware)".into(),
    }
}

/// The module of a function: `N8stiction5solve6island…`, each name preceded by its length.
fn module_of_path(symbol: &str) -> Option<String> {
    fn next(text: &str) -> Option<(&str, &str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = text[..digits].parse().ok()?;
        text[digits..].split_at_checked(length)
    }
    let (folder, rest) = next(symbol.split_once("N8stiction")?.1)?;
    let (file, _) = next(rest)?;
    Some(format!("{folder}/{file}"))
}

/// The module of a type whose trait is implemented: `$LT$stiction..solve..island..…`.
fn module_of_implementation(symbol: &str) -> Option<String> {
    let mut names = symbol.split_once("$LT$stiction..")?.1.split("..");
    Some(format!("{}/{}", names.next()?, names.next()?))
}

/// Compares with the committed figures.
pub fn compare(root: &Path, parts: &[Figure]) -> Result<(), String> {
    figures::compare(root, COMMITTED, parts, 0.02, SLACK)?;
    let of = |name: &str| parts.iter().filter(|(part, _)| part.starts_with(name)).map(|(_, size)| size).sum::<u64>();
    println!(
        "    code by part: {COMMITTED} (functions of a solve {}, of the robot {} bytes)",
        of("solve"),
        of("robot")
    );
    Ok(())
}

/// Bytes of flash: code, constants and initial values of variables; rejects double-precision routines.
pub fn code(program: &Path) -> Result<u64, String> {
    let bytes = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let double =
        file.symbols().find_map(|symbol| symbol.name().ok().filter(|name| is_double_routine(name)).map(String::from));
    if let Some(name) = double {
        return Err(format!("{} contains {name}, a double-precision routine", program.display()));
    }
    let kept = |section: &object::Section<'_, '_>| {
        use object::SectionKind::{Data, ReadOnlyData, ReadOnlyString, Text};
        matches!(section.kind(), Text | ReadOnlyData | ReadOnlyString | Data)
    };
    Ok(file.sections().filter(kept).map(|section| section.size()).sum())
}
