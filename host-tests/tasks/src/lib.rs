//! Common parts of all checks of the repository: outcomes, programs that may be missing, committed figures. Only the
//! standard library.

pub mod figures;
pub mod setup;
pub mod site;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Exit code of a check that was skipped, as test runners know it. The last line that it prints says why.
pub const SKIPPED: u8 = 77;

/// A check's result; the error is one line or more.
pub type Check = Result<Outcome, String>;

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It, or a part of it, was skipped, for a reason.
    Skipped(String),
}

impl Outcome {
    /// Why something was skipped.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Outcome::Passed => None,
            Outcome::Skipped(reason) => Some(reason),
        }
    }
}

/// Skips a check where a program is missing.
pub fn with(tools: Result<(), String>, check: impl FnOnce() -> Check) -> Check {
    match tools {
        Ok(()) => check(),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }
}

/// A check's result as the exit code of a program.
pub fn ended(check: Check) -> ExitCode {
    match check {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Skipped(reason)) => {
            println!("skipped: {reason}");
            ExitCode::from(SKIPPED)
        }
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

/// The repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A program's standard output; the error shows all of its output.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    Err(format!("{command:?} ended with {}: {printed}{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Reads a file; the error names it.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether committed files are to be written instead of compared.
pub fn draws() -> bool {
    std::env::var_os("STICTION_DRAW").is_some()
}
