//! The kernel's documentation: every public type has an example.

use std::collections::BTreeMap;

/// The name of the public struct, enum or trait that a line declares.
fn declared(line: &str) -> Option<&str> {
    let kinds = ["pub struct ", "pub enum ", "pub trait "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
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

/// Types declared `pub` without an example, as file and name. Internal types in private modules are declared
/// `pub(crate)`; `#[doc(hidden)]` types are not listed.
fn bare(sources: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (file, source) in sources {
        let lines: Vec<&str> = source.lines().collect();
        for (at, name) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, declared(line)?))) {
            let hidden = lines[..at]
                .iter()
                .rev()
                .take_while(|line| !line.trim().is_empty())
                .any(|line| *line == "#[doc(hidden)]");
            if !hidden && !has_example(source, name) {
                found.push(format!("{file}::{name}"));
            }
        }
    }
    found
}

#[test]
fn every_public_type_of_the_kernel_has_an_example() {
    let sources = stiction_repo_checks::sources("kernel/src");
    let types = sources.values().flat_map(|source| source.lines().filter_map(declared)).count();
    assert!(types > 50, "only {types} types were found");
    let bare = bare(&sources);
    assert!(bare.is_empty(), "no example with an assertion in the documentation of {bare:?}");
}

#[test]
fn a_type_without_an_example_is_found() {
    let shown = "/// Shown.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Debug)]\npub struct Shown<T> {}\n";
    let sources = BTreeMap::from(
        [
            ("a", &*format!("{shown}\n/// Bare.\npub enum Bare {{}}\n\n#[doc(hidden)]\npub struct Hidden;\n\npub fn function() {{}}\n")),
            ("b", "/// ```text\n/// assert\n/// ```\npub trait Text<T> {}\n\npub(crate) struct Own;\n"),
            ("c", "/// ```\n/// let nothing = 1;\n/// ```\npub struct Open(u8);\n"),
        ]
        .map(|(name, source)| (name.to_string(), source.to_string())),
    );
    assert_eq!(bare(&sources), ["a::Bare", "b::Text", "c::Open"]);
}
