//! What the source promises about itself: layers that point one way, words that must not occur, documents that are true.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Source files of the kernel by module name.
fn kernel() -> BTreeMap<String, String> {
    let folder = root().join("kernel/src");
    let files = std::fs::read_dir(folder).expect("the kernel's sources");
    files
        .map(|entry| entry.expect("a readable entry").path())
        // Folders hold what only tests see.
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_stem().expect("a file name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("readable source"))
        })
        .collect()
}

/// Code without comments and documentation.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).filter(|line| !line.trim().is_empty())
}

/// Modules from the bottom up: each may use only those before it.
const LAYERS: [&str; 59] = [
    "triple",
    "real",
    "small",
    "refusal",
    "settings",
    "report",
    "inertia",
    "frame",
    "body",
    "contact",
    "block",
    "cone",
    "local_step",
    "rows",
    "sweep",
    "accelerate",
    "coupled",
    "links",
    "islands",
    "prepare",
    "residual",
    "factor",
    "equations",
    "desk",
    "newton",
    "lorentz",
    "interior",
    "direct",
    "phase",
    "normals",
    "active_set",
    "guard",
    "workspace",
    "island",
    "solve",
    "outcome",
    "cache",
    "matrix",
    "delassus",
    "constraint",
    "material",
    "rotation",
    "spin",
    "world",
    "manifold",
    "touching",
    "ledger",
    "dump",
    "cursor",
    "cache_bytes",
    "record",
    "encode",
    "flight",
    "stream",
    "replay",
    "step",
    "step_settings",
    "step_report",
    "pipeline",
];

#[test]
fn every_module_uses_only_modules_below_it() {
    let kernel = kernel();
    let height = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    for (name, source) in kernel.iter().filter(|(name, _)| *name != "lib") {
        let own = height(name).unwrap_or_else(|| panic!("{name} is missing from the list of layers"));
        for line in code(source) {
            for (at, _) in line.match_indices("crate::") {
                let used: String = line[at + 7..]
                    .chars()
                    .take_while(|c| c.is_ascii_lowercase() || *c == '_' || c.is_ascii_digit())
                    .collect();
                let below = height(&used).unwrap_or_else(|| panic!("{name} uses {used}, which is no layer"));
                assert!(below < own, "{name} uses {used}, which is not below it");
            }
        }
    }
    assert_eq!(kernel.len(), LAYERS.len() + 1, "a layer without a file");
}

#[test]
fn the_parts_do_not_know_what_they_must_not_know() {
    let kernel = kernel();
    let forbidden = [
        ("cone", &["body", "contact", "links", "settings"][..]),
        ("local_step", &["body", "contact", "links"]),
        ("sweep", &["body", "contact", "links"]),
        ("rows", &["body", "contact", "links", "settings"]),
        ("residual", &["body", "contact", "links", "settings"]),
    ];
    for (name, unknown) in forbidden {
        for module in unknown {
            let used = code(&kernel[name]).any(|line| line.contains(&format!("crate::{module}::")));
            assert!(!used, "{name} must not know {module}");
        }
    }
}

#[test]
fn the_kernel_has_none_of_the_words_that_break_its_promises() {
    let words = [
        ("mul_add", "fused arithmetic differs between machines"),
        (".min(", "float min differs between machines in the sign of zero"),
        (".max(", "float max differs between machines in the sign of zero"),
        ("f32::min", "as above"),
        ("f64::max", "as above"),
        ("f32::max", "as above"),
        ("f64::min", "as above"),
        (".clamp(T::", "as above"),
        (".normalize(", "goes through the host's square root if features are unified; use Real::root"),
        (".magnitude(", "as above"),
        (".powi(", "multiplies in an order that the compiler chooses"),
        ("intrinsics", "unstable, and differ between machines"),
        ("algebraic_", "lets the compiler reorder"),
        ("_fast(", "lets the compiler reorder"),
        (".recip(", "divide instead"),
        (".sqrt(", "Real::root is the one square root"),
        (".norm(", "goes through the host's square root if features are unified; use Real::root"),
        ("std::", "the kernel has no standard library"),
        ("extern crate alloc", "the kernel has no heap"),
        ("unsafe", "the kernel has no unsafe code"),
        ("unwrap()", "can panic"),
        (".expect(", "can panic"),
        ("panic!", "panics"),
        ("unreachable!", "panics"),
        ("todo!", "is unfinished"),
        ("while ", "a loop without a visible bound"),
        ("loop {", "a loop without a visible bound"),
        ("iter::repeat", "has no end of its own"),
        ("iter::from_fn", "has no end of its own"),
        ("successors(", "has no end of its own"),
        (".cycle()", "has no end"),
        ("0..)", "has no end"),
        ("1..)", "has no end"),
        ("HashMap", "an order that depends on hashing"),
    ];
    for (name, source) in kernel() {
        // The crate's own attribute forbids unsafe code and names it.
        for line in code(&source).filter(|line| !line.contains("forbid(unsafe_code)")) {
            for (word, reason) in words {
                assert!(!line.contains(word), "{name}.rs says '{}': {reason}", line.trim());
            }
        }
    }
}

#[test]
fn the_kernel_declares_what_it_is() {
    let lib = &kernel()["lib"];
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]", "#![deny(missing_docs)]"] {
        assert!(lib.contains(attribute), "{attribute} is missing");
    }
}

#[test]
fn every_test_that_the_documents_name_exists() {
    let table = std::fs::read_to_string(root().join("docs/seed-tests.md")).expect("docs/seed-tests.md");
    let mut sources = BTreeMap::new();
    let mut named = 0;
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or("");
        let mut references = last.split('`').skip(1).step_by(2).peekable();
        assert!(references.peek().is_some(), "no test named in: {line}");
        for reference in references {
            let (file, test) = reference.split_once("::").unwrap_or_else(|| panic!("not file::test: {reference}"));
            let source = sources.entry(file.to_string()).or_insert_with(|| {
                std::fs::read_to_string(root().join(format!("host-tests/tests/{file}.rs"))).expect("a test file")
            });
            let exists = source.contains(&format!("fn {test}(")) || source.contains(&format!("=> {test},"));
            assert!(exists, "{reference} does not exist");
            named += 1;
        }
    }
    assert!(named > 60, "only {named} tests named");
}
