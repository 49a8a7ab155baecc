//! Rules for the source: layers depend in one direction only, some words must not occur, and pages on reliability name
//! existing tests.

use std::collections::{BTreeMap, BTreeSet};
use stiction_repo_checks::{read, root, sources, sources_ending};

mod endless;

/// Source files of the kernel by module name, without test modules.
pub fn kernel() -> BTreeMap<String, String> {
    let mut all = sources("kernel/src");
    let declared = |(parent, source): (&String, &String)| -> Vec<String> {
        let lines: Vec<&str> = code(source).map(str::trim).filter(|line| !line.starts_with("#[path")).collect();
        let tested = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
        let names = tested.filter_map(|pair| pair[1].strip_prefix("mod ")?.strip_suffix(';'));
        let folder = parent.rsplit_once('/').map_or("", |(folder, _)| folder);
        names.map(|name| format!("{folder}/{name}")).collect()
    };
    let of_tests: Vec<String> = all.iter().flat_map(declared).collect();
    for name in of_tests {
        all.remove(&name).unwrap_or_else(|| panic!("{name} is declared, but there is no such file"));
    }
    all
}

/// Code without comments and documentation.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).filter(|line| !line.trim().is_empty())
}

/// Folders of the kernel from the bottom up: each may use only itself and those before it.
pub const FOLDERS: [&str; 9] = [
    "math",    // numbers and small matrices
    "problem", // inputs, settings, reports, errors
    "local",   // one contact
    "sweep",   // many contacts, one after another
    "space",   // where contact velocities come from
    "direct",  // many contacts at once
    "solve",   // one solve
    "record",  // solves as bytes
    "step",    // worlds through time
];

/// Paths behind `crate::` in code, as `folder/file` or shorter.
pub fn used(source: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for line in code(source) {
        for (at, word) in line.match_indices("crate::") {
            let path = line[at + word.len()..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
            let modules =
                path.unwrap_or("").split("::").take_while(|name| name.starts_with(|c: char| c.is_lowercase()));
            paths.insert(modules.take(2).collect::<Vec<_>>().join("/"));
        }
    }
    paths
}

#[test]
fn every_folder_uses_only_folders_below_it() {
    let height = |path: &str| FOLDERS.iter().position(|folder| path.split('/').next() == Some(folder));
    for (name, source) in kernel().iter().filter(|(name, _)| *name != "lib") {
        let own = height(name).unwrap_or_else(|| panic!("kernel/src/{name}.rs is in none of the nine folders"));
        for path in used(source) {
            let below = height(&path).unwrap_or_else(|| panic!("{name} uses {path}, which is in no folder"));
            assert!(below <= own, "{name} uses {path}, which is in a folder above it");
        }
    }
}

/// The folders of all crates' sources.
fn crates() -> Vec<String> {
    let manifests = sources_ending("", "toml").into_keys().filter(|path| path.ends_with("Cargo.toml"));
    let folder = |manifest: String| manifest.strip_suffix("Cargo.toml").expect("a manifest").to_string() + "src";
    manifests.map(folder).filter(|folder| root().join(folder).is_dir()).collect()
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let crates = crates();
    assert!(crates.len() > 15, "only {crates:?}");
    for folder in crates {
        let all = sources(&folder);
        // A use of a folder's index module means the files in it: circles are between files.
        let uses = |name: &str| -> Vec<String> {
            let paths = used(&all[name]).into_iter();
            let longest = |path: String| {
                let one = path.split('/').next().unwrap_or("").to_string();
                [path, one].into_iter().find(|path| all.contains_key(path))
            };
            paths.filter_map(longest).filter(|other| other != name).collect()
        };
        // A module that uses none of the remaining modules cannot be in a circle.
        let mut left: BTreeSet<String> = all.keys().filter(|name| !is_index(name)).cloned().collect();
        loop {
            let free: Vec<_> =
                left.iter().filter(|name| !uses(name).iter().any(|other| left.contains(other))).cloned().collect();
            if free.is_empty() {
                break;
            }
            free.iter().for_each(|name| assert!(left.remove(name)));
        }
        assert!(left.is_empty(), "{folder}: {left:?} use each other in a circle");
    }
}

fn is_index(name: &str) -> bool {
    ["lib", "main", "mod"].contains(&name.rsplit('/').next().unwrap_or(""))
}

#[test]
fn the_kernel_has_nine_folders_of_short_files() {
    let entries =
        std::fs::read_dir(root().join("kernel/src")).expect("the kernel").map(|entry| entry.expect("readable"));
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut expected: Vec<_> = FOLDERS.iter().map(|folder| folder.to_string()).chain(["lib.rs".to_string()]).collect();
    expected.sort();
    assert_eq!(names, expected);
    for (name, source) in sources("kernel/src") {
        let lines = source.lines().count();
        assert!(lines <= 350, "kernel/src/{name}.rs has {lines} lines");
    }
}

#[test]
fn modules_do_not_import_forbidden_modules() {
    let kernel = kernel();
    let forbidden = [
        ("local/cone", &["problem/body", "problem/contact", "space", "problem/settings"][..]),
        ("local/exact", &["problem/body", "problem/contact", "space"]),
        ("local/secular", &["problem/body", "problem/contact", "space"]),
        ("sweep/gauss_seidel", &["problem/body", "problem/contact", "space"]),
        ("sweep/rows", &["problem/body", "problem/contact", "space", "problem/settings"]),
        ("sweep/residual", &["problem/body", "problem/contact", "space", "problem/settings"]),
    ];
    for (name, unknown) in forbidden {
        for module in unknown {
            let knows =
                used(&kernel[name]).iter().any(|path| path == module || path.starts_with(&format!("{module}/")));
            assert!(!knows, "{name} must not know {module}");
        }
    }
}

#[test]
fn order_and_stopping_have_no_arithmetic() {
    let kernel = kernel();
    for name in ["solve/island", "solve/solver"] {
        for line in code(&kernel[name]) {
            let operations = [
                "T::lit(",
                "T::HALF",
                ".dot(",
                ".cross(",
                ".plus(",
                ".minus(",
                ".scaled(",
                ".divided(",
                " + ",
                " - ",
                " * ",
                " / ",
                " += ",
                " -= ",
                " *= ",
                " /= ",
            ];
            let physics = operations.iter().find(|word| line.contains(**word));
            assert!(physics.is_none(), "{name} computes: {}", line.trim());
        }
    }
}

/// Arithmetic that differs between machines; forbidden in all code that computes numbers of a solve.
const DIFFERS: [(&str, &str); 19] = [
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
    (".norm(", "as above"),
    (".powi(", "multiplies in an order that the compiler chooses"),
    (".powf(", "the host's own"),
    (".sin_cos(", "the host's own"),
    ("intrinsics", "unstable, and differ between machines"),
    ("algebraic_", "lets the compiler reorder"),
    ("_fast(", "lets the compiler reorder"),
    (".recip(", "divide instead"),
    ("HashMap", "an order that depends on hashing"),
];

/// Other words that the kernel must not have.
const PROMISED: [(&str, &str); 9] = [
    (".sqrt(", "Real::sqrt_or_zero is the one square root"),
    ("std::", "the kernel has no standard library"),
    ("extern crate alloc", "the kernel has no heap"),
    ("unsafe", "the kernel has no unsafe code"),
    ("unwrap()", "can panic"),
    (".expect(", "can panic"),
    ("panic!", "panics"),
    ("unreachable!", "panics"),
    ("todo!", "is unfinished"),
];

fn reject_words(folder: &str, files: BTreeMap<String, String>, words: &[(&str, &str)]) {
    assert!(!files.is_empty(), "{folder} is empty");
    for (name, source) in files {
        // The crate's own attribute forbids unsafe code and names it.
        for line in code(&source).filter(|line| !line.contains("forbid(unsafe_code)")) {
            for (word, reason) in words {
                // The one square root.
                if name == "math/root" && *word == ".sqrt(" {
                    continue;
                }
                assert!(!line.contains(word), "{folder}/{name}.rs says '{}': {reason}", line.trim());
            }
        }
    }
}

#[test]
fn the_kernel_has_none_of_the_words_that_break_its_promises() {
    reject_words("kernel/src", kernel(), &[&DIFFERS[..], &PROMISED].concat());
}

#[test]
fn nothing_that_the_digests_cover_uses_arithmetic_that_differs_between_machines() {
    for folder in ["kernel/capi/src", "kernel/fast-sqrt/src", "host-tests/scenes/src", "embedded-example/src"] {
        reject_words(folder, sources(folder), &DIFFERS);
    }
}

#[test]
fn no_compiler_flag_reorders_arithmetic() {
    for file in
        ["Cargo.toml", ".cargo/config.toml", "embedded-example/Cargo.toml", "embedded-example/.cargo/config.toml"]
    {
        let text = std::fs::read_to_string(root().join(file)).expect(file);
        for flag in ["fast-math", "llvm-args", "target-cpu", "+fma", "fp-contract"] {
            assert!(!text.contains(flag), "{file} says {flag}");
        }
    }
}

/// What is flagged, and ends nevertheless.
const ENDS: [(&str, &str, &str); 1] =
    [("kernel/capi/src/lib", "'loop {}': ", "the handler of a panic, which nothing reaches and nothing may leave")];

#[test]
fn all_loops_and_recursions_are_bounded() {
    let mut allowed = BTreeSet::new();
    for folder in ["kernel/src", "kernel/capi/src", "kernel/fast-sqrt/src"] {
        let files = if folder == "kernel/src" { kernel() } else { sources(folder) };
        assert!(!files.is_empty(), "{folder} is empty");
        for (name, source) in files {
            let path = format!("{folder}/{name}");
            for complaint in endless::endless(&source) {
                let known = ENDS.iter().position(|(file, line, _)| *file == path && complaint.starts_with(line));
                allowed.insert(known.unwrap_or_else(|| panic!("{path}.rs says {complaint}")));
            }
        }
    }
    assert_eq!(allowed.len(), ENDS.len(), "an exception that is no longer needed");
}

#[test]
fn endless_loops_are_found_in_every_form() {
    for evasion in [
        "while left > 0 { left -= 1; }",
        "while(left > 0) { left -= 1; }",
        "while let Some(next) = queue.pop() {}",
        "loop { break; }",
        "loop{ break }",
        "'outer: loop\n{ break 'outer; }",
        "for i in 0.. { if i > 9 { break; } }",
        "for i in start.. { if i > 9 { break; } }",
        "for i in self.first().. { }",
        "for i in (start..) { }",
        "for (i, x) in (0..).zip(xs) { }",
        "xs.iter().zip(0..).for_each(f)",
        "let all = 7..;",
        "let all = Numbers { from: 7.. , step: 1 };",
        "let all = RangeFrom { start: 0 };",
        "use core::iter::repeat;",
        "repeat(x).all(f)",
        "core::iter::repeat_with(f).for_each(g)",
        "use core::iter::{from_fn, once};",
        "from_fn(|| next()).for_each(f)",
        "iter::successors(Some(1), f).last()",
        "use core::iter::successors as following;",
        "xs.iter().cycle().find(f)",
        "fn down(n: u32) { if n > 0 { down(n - 1) } }",
        "fn down<T: Real>(n: u32) { down::<T>(n - 1) }",
        "fn outer() -> impl Fn() { fn down(n: u32) { down(n - 1) } || () }",
        "impl A { fn down(&self, n: u32) { self.down(n - 1) } }",
        "impl A { fn down(n: u32) { Self::down(n - 1) } }",
    ] {
        assert!(!endless::endless(evasion).is_empty(), "passes: {evasion}");
    }
    for harmless in [
        "// while away, loop\nfor i in 0..9 { }",
        "for i in 0..=last { }",
        "let text = \"loop { while \\\" 0.. }\";",
        "let quote = '\"'; let tail = &xs[1..]; let more = xs.get(at..);",
        "let Some([first, ..]) = xs else { return };",
        "let Settings { dt, .. } = settings; Settings { dt, ..settings }",
        "core::array::from_fn(|i| i)",
        "impl A { fn new(n: u32) -> A { B::new(n) } fn put(&mut self) { self.out.put() } }",
        "trait A { fn down(&self); fn up(&self) { self.down() } }",
        "impl A { fn read(n: u32) -> A { read(n) } }",
        "fn one(a: &'a u8) { } fn other() { one(&1) }",
    ] {
        assert_eq!(endless::endless(harmless), [""; 0], "{harmless}");
    }
}

#[test]
fn the_kernel_is_no_std_forbids_unsafe_code_and_denies_missing_docs() {
    let lib = &kernel()["lib"];
    for attribute in ["#![no_std]", "#![forbid(unsafe_code)]", "#![deny(missing_docs)]"] {
        assert!(lib.contains(attribute), "{attribute} is missing");
    }
}

/// The dependencies of a package of the workspace, itself included.
fn graph(package: &str, edges: &str) -> BTreeSet<String> {
    let arguments = ["tree", "--package", package, "--edges", edges, "--prefix", "none", "--format", "{p}"];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = std::process::Command::new(cargo);
    let tree = tree.args(arguments).args(["--locked", "--offline"]).current_dir(root()).output().expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("names of packages");
    tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).map(String::from).collect()
}

#[test]
fn the_demo_and_the_test_kit_build_little() {
    let demo = graph("stiction-demo", "normal,build");
    assert!(demo.len() <= 40, "{} crates: {demo:?}", demo.len());
    // The kernel's dependencies, the two crates themselves, and those of nalgebra's `std` feature.
    let kit: BTreeSet<String> =
        graph("stiction-testkit", "normal").difference(&graph("stiction", "normal")).cloned().collect();
    assert_eq!(kit, ["matrixmultiply", "rawpointer", "stiction-testkit"].map(String::from).into());
}

#[test]
fn the_kernel_links_what_is_listed() {
    let mut linked = graph("stiction", "normal");
    linked.remove("stiction");
    let page = read("docs/reliability.md");
    let part = page.split("## What the kernel links").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = part.expect("a list").lines().filter(|line| line.starts_with("| `"));
    let listed: BTreeSet<String> = rows.filter_map(|line| line.split('`').nth(1)).map(String::from).collect();
    assert_eq!(linked, listed);
}

/// Every test of the repository, by name, with the files that have a test of that name. A test that a macro writes in
/// each precision is named after an arrow.
fn tests() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in ["host-tests", "kernel"].into_iter().flat_map(sources) {
        let file = path.rsplit('/').next().unwrap_or_default();
        let mut marked = false;
        for line in source.lines().map(str::trim) {
            marked |= line.starts_with("#[test]");
            let function = line.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
            let written = line.split_once("=> ").and_then(|(_, rest)| rest.strip_suffix(','));
            let name = function.map(|(name, _)| name).filter(|_| marked).or(written);
            if let Some(name) = name {
                found.entry(name.to_string()).or_default().insert(format!("{file}.rs"));
                marked = false;
            }
        }
    }
    found
}

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A test's name is a sentence: five words or more.
fn is_sentence(name: &str) -> bool {
    name.matches('_').count() >= 4 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A name that begins as the one before it does: `…_double_precision` after `…_single_precision`.
fn continued(last: &str, ending: &str) -> String {
    let words: Vec<&str> = last.split('_').collect();
    let kept = words.len().saturating_sub(ending.split('_').count());
    [&words[..kept], &[ending]].concat().join("_")
}

/// Names in a cell, each with the file named after it in the same cell, if any.
fn named_in(cell: &str) -> Vec<(String, Option<String>)> {
    let mut names: Vec<(String, Option<String>)> = Vec::new();
    for word in quoted(cell) {
        if word.ends_with(".rs") {
            names.iter_mut().filter(|(_, file)| file.is_none()).for_each(|(_, file)| *file = Some(word.to_string()));
        } else if let Some(ending) = word.strip_prefix("…_") {
            let last = names.last().unwrap_or_else(|| panic!("nothing before {word}")).0.clone();
            names.push((continued(&last, ending), None));
        } else {
            names.push((word.to_string(), None));
        }
    }
    names
}

/// Cells of tables under the heading *test* name only tests; elsewhere every name that is a sentence is a test.
#[test]
fn every_test_that_other_pages_name_exists() {
    let tests = tests();
    let exists = |(name, file): &(String, Option<String>)| {
        tests.get(name).is_some_and(|files| file.as_ref().is_none_or(|file| files.contains(file)))
    };
    for (page, least) in [
        ("docs/reliability.md", 20),
        ("docs/mutants.md", 0),
        ("docs/book/src/differences.md", 40),
        ("docs/book/src/derivations.md", 3),
    ] {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        let (mut column, mut named) = (None, BTreeSet::new());
        for line in text.lines() {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let heads = cells.iter().position(|cell| *cell == "test");
            column = if cells.len() < 3 { None } else { heads.or(column) };
            let listed = column.filter(|_| heads.is_none()).and_then(|column| cells.get(column));
            let names = listed.map_or_else(Vec::new, |cell| named_in(cell));
            let sentences = quoted(line).filter(|name| is_sentence(name)).map(|name| (name.to_string(), None));
            for name in names.into_iter().chain(sentences) {
                assert!(exists(&name), "{page} names {name:?}, which does not exist");
                named.insert(name.0);
            }
        }
        assert!(named.len() >= least, "{page}: only {} tests named", named.len());
    }
}
