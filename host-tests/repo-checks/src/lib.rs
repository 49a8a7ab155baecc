//! Parts of documents, and whole files, that tests write and compare: the figures in a document are those that a test
//! computed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the repository.
///
/// # Panics
/// If it cannot be read.
pub fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Compares a part of a document, between `<!-- part -->` and `<!-- end of part -->`; writes it instead where
/// `STICTION_DRAW` is set. The document is named by its path from the repository.
///
/// # Panics
/// Where it differs.
pub fn part(document: &str, part: &str, rows: &str) {
    println!("{rows}");
    let text = read(document);
    let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
    let from = text.find(&begin).unwrap_or_else(|| panic!("{document} has no part {part}")) + begin.len();
    let to = text.find(&end).unwrap_or_else(|| panic!("{document} does not end its part {part}"));
    whole(document, &format!("{}{rows}{}", &text[..from], &text[to..]));
}

/// Compares a whole file, by its path from the repository; writes it instead where `STICTION_DRAW` is set.
///
/// # Panics
/// Where it differs.
pub fn whole(file: &str, text: &str) {
    if std::env::var_os("STICTION_DRAW").is_some() {
        return std::fs::write(root().join(file), text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    assert!(
        read(file) == text,
        "{file} is out of date; to update it: STICTION_DRAW=1 STICTION_TESTS=all cargo test --workspace {} -- --test-threads 1",
        std::thread::current().name().unwrap_or("")
    );
}

/// Where tests are, from the repository.
pub const TEST_FOLDERS: [&str; 5] = [
    "host-tests/tests",
    "host-tests/cli/tests",
    "host-tests/demo/tests",
    "host-tests/repo-checks/tests",
    "kernel/capi/tests",
];

/// The source of the tests in a file, by its name without folder and ending.
///
/// # Panics
/// If no folder of tests has it.
pub fn tests_in(file: &str) -> String {
    let found =
        TEST_FOLDERS.iter().map(|folder| format!("{folder}/{file}.rs")).find(|path| root().join(path).is_file());
    read(&found.unwrap_or_else(|| panic!("no folder of tests has {file}.rs")))
}

/// Source files in a folder and those below it, by their path there without its ending.
pub fn sources(folder: &str) -> BTreeMap<String, String> {
    let files = sources_ending(folder, "rs").into_iter();
    files.map(|(name, source)| (name.strip_suffix(".rs").expect("a source").to_string(), source)).collect()
}

/// Files with an ending in a folder and those below it, by their path there.
pub fn sources_ending(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let (top, mut left, mut found) = (root().join(folder), vec![root().join(folder)], BTreeMap::new());
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a readable entry").path();
            let skipped = ["target", "node_modules", ".git"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !skipped {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let name = path.strip_prefix(&top).expect("below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read_to_string(path).expect("readable source"));
            }
        }
    }
    found
}
