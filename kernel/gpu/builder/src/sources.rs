//! The digest of what is compiled. Lines that are comments only, blank lines and files of tests do not count: they change often
//! and never change the code.
use std::fs;
use std::path::Path;

use crate::compile::FLAGS;

/// Folders whose Rust files are compiled.
const FOLDERS: [&str; 4] = ["kernel/src", "kernel/batch/layout/src", "kernel/gpu/device/src", "host-tests/scenes/src"];
/// Other files that decide what is compiled.
const FILES: [&str; 5] = [
    "kernel/Cargo.toml",
    "kernel/batch/layout/Cargo.toml",
    "host-tests/scenes/Cargo.toml",
    "kernel/gpu/device/Cargo.toml",
    "kernel/gpu/device/Cargo.lock",
];

/// The digest: FNV-1a, 128 bits, of all files in the order of their paths, and of the compiler's flags.
pub fn digest(root: &Path) -> Result<String, String> {
    let mut paths: Vec<String> = FILES.iter().map(|path| path.to_string()).collect();
    for folder in FOLDERS {
        add_sources(root, folder, &mut paths)?;
    }
    paths.sort();
    let mut hash = Fnv::new();
    FLAGS.iter().for_each(|flag| hash.add(flag));
    for path in paths {
        let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        hash.add(&path);
        code_of(&text).for_each(|line| hash.add(line));
    }
    Ok(format!("{:032x}", hash.0))
}

/// The digest of a text, line by line.
pub fn digest_of_text(text: &str) -> String {
    let mut hash = Fnv::new();
    text.lines().for_each(|line| hash.add(line));
    format!("{:032x}", hash.0)
}

/// Lines that are not comments only.
fn code_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"))
}

fn add_sources(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<(), String> {
    let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{folder}: {error}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            add_sources(root, &path, paths)?;
        } else if name.ends_with(".rs") && !name.starts_with("tests_") {
            paths.push(path);
        }
    }
    Ok(())
}

/// FNV-1a with 128 bits: it must notice changes, not attackers.
struct Fnv(u128);

impl Fnv {
    fn new() -> Self {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Adds a line and its end.
    fn add(&mut self, line: &str) {
        for byte in line.bytes().chain([b'\n']) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_count_and_code_does() {
        let digest = |text: &str| {
            let mut hash = Fnv::new();
            code_of(text).for_each(|line| hash.add(line));
            hash.0
        };
        let code = digest("fn a() {\n    b();\n}\n");
        assert_eq!(digest("//! Why.\nfn a() {\n\n    // What.\n    b();\n}"), code);
        assert_ne!(digest("fn a() {\n    c();\n}\n"), code);
        assert_ne!(digest("fn a() {\n    b(); }\n"), code);
    }

    #[test]
    fn the_kernel_is_among_the_sources() {
        let mut paths = Vec::new();
        add_sources(&crate::root(), "kernel/src", &mut paths).unwrap();
        assert!(paths.iter().any(|path| path == "kernel/src/solve/solver.rs"), "{paths:?}");
        assert!(!paths.iter().any(|path| path.contains("/tests_")));
    }
}
