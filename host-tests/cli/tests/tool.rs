//! Runs the tool as users do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stiction-rig-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

pub fn stiction(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(folder).args(words).output().expect("the tool runs")
}

/// The answer of a command that must succeed.
pub fn answer(folder: &Path, words: &[&str]) -> String {
    let output = stiction(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The one-line error of a command that must be rejected.
pub fn error(folder: &Path, words: &[&str]) -> String {
    let output = stiction(folder, words);
    let line = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{words:?}: {line}");
    assert!(output.stdout.is_empty());
    assert_eq!(line.trim_end().lines().count(), 1, "{line}");
    line.trim_end().to_string()
}
