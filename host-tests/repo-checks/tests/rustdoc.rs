//! What the kernel's documentation promises: every public type shows how it is used.

use std::collections::{BTreeMap, BTreeSet};

/// Source files of the kernel by module name.
fn kernel() -> BTreeMap<String, String> {
    let folder = stiction_repo_checks::root().join("kernel/src");
    let entries = std::fs::read_dir(folder).expect("the kernel's source");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("readable source"))
    };
    sources.map(read).collect()
}

/// What a source hands on by `pub use`, as module and name.
fn handed_on(source: &str) -> Vec<(String, String)> {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let mut found = Vec::new();
    for rest in code.join(" ").split("pub use ").skip(1) {
        let used = rest.split(';').next().unwrap_or("").trim();
        let used = used.strip_prefix("crate::").unwrap_or(used);
        let Some((module, names)) = used.split_once("::") else { continue };
        let names = names.trim_start_matches('{').trim_end_matches('}').split(',').map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            assert!(plain, "`pub use {used}`: only plain names can be followed");
            found.push((module.to_string(), name.to_string()));
        }
    }
    found
}

/// The name of the public struct, enum or trait that a line declares.
fn declared(line: &str) -> Option<&str> {
    let kinds = ["pub struct ", "pub enum ", "pub trait "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Public structs, enums and traits that can be named from outside, as module and name.
fn reachable(sources: &BTreeMap<String, String>) -> BTreeSet<(String, String)> {
    let top = &sources["lib"];
    let open = top.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let open: Vec<&str> = open.collect();
    let mut named = handed_on(top);
    for module in open {
        let source = &sources[module];
        named.extend(handed_on(source));
        named.extend(source.lines().filter_map(declared).map(|name| (module.to_string(), name.to_string())));
    }
    let is_type = |(module, name): &(String, String)| {
        let source = sources.get(module);
        source.is_some_and(|source| source.lines().filter_map(declared).any(|declared| declared == name))
    };
    named.into_iter().filter(is_type).collect()
}

/// Whether the documentation right above a type has an example that asserts something.
fn has_example(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let at = lines.iter().position(|line| declared(line) == Some(name)).expect("a declared type");
    let above = lines[..at].iter().rev().take_while(|line| !line.trim().is_empty());
    let mut doc: Vec<&str> = above.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
    doc.reverse();
    let pieces = doc.split(|line| line.starts_with("```")).skip(1).step_by(2);
    let fences = doc.iter().filter(|line| line.starts_with("```")).step_by(2);
    fences.zip(pieces).any(|(fence, example)| *fence == "```" && example.iter().any(|line| line.contains("assert")))
}

/// Types without an example.
fn bare(sources: &BTreeMap<String, String>) -> Vec<String> {
    let all = reachable(sources).into_iter().filter(|(module, name)| !has_example(&sources[module], name));
    all.map(|(module, name)| format!("{module}::{name}")).collect()
}

#[test]
fn every_public_type_of_the_kernel_has_an_example() {
    let sources = kernel();
    let types = reachable(&sources);
    for known in [("body", "Body"), ("block", "Block"), ("replay", "Block"), ("matrix", "Delassus"), ("real", "Real")] {
        assert!(types.contains(&(known.0.to_string(), known.1.to_string())), "{known:?} was not found");
    }
    assert!(types.iter().all(|(module, _)| module != "triple"), "private types need none");
    let bare = bare(&sources);
    assert!(bare.is_empty(), "no example with an assertion in the documentation of {bare:?}");
}

#[test]
fn a_type_without_an_example_is_seen_wherever_it_is() {
    let shown = "/// Shown.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Debug)]\npub struct Shown<T> {}\n";
    let sources = BTreeMap::from(
        [
            ("lib", "mod a;\npub mod b;\nmod c;\npub use a::{\n    Bare, Shown, function,\n};\npub use dependency;\n"),
            ("a", &format!("{shown}\n/// Bare.\npub enum Bare {{}}\n\npub struct Private;\n\npub fn function() {{}}\n")),
            ("b", "pub use crate::c::Open;\n\n/// ```text\n/// assert\n/// ```\npub trait Text<T> {}\n\npub(crate) struct Own;\n"),
            ("c", "/// ```\n/// let nothing = 1;\n/// ```\npub struct Open(u8);\n\npub struct Closed;\n"),
        ]
        .map(|(name, source)| (name.to_string(), source.to_string())),
    );
    assert_eq!(bare(&sources), ["a::Bare", "b::Text", "c::Open"]);
}
