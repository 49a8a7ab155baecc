//! Checks of the C interface, and `cargo install-c`. Each is a word on the command line; `cargo verify` runs the
//! checks.

mod archive;
mod checks;
mod cost;
mod examples;
mod header;
mod install;
mod workshop;

use std::process::{Command, ExitCode};

use stiction_tasks::{Outcome, ended, root, setup, with};

const USAGE: &str =
    "usage: stiction-c-checks library | behaviour | examples | bullet | firmware | install [--prefix P] [--destdir D]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let passed = |(): ()| Outcome::Passed;
    let compilers = || setup::program("cc", "gcc").and_then(|()| setup::program("c++", "g++"));
    ended(match words.first().map(String::as_str) {
        Some("library") => with(compilers(), || checks::check_library(&root()).map(passed)),
        Some("behaviour") => with(compilers(), || checks::check_behaviour(&root())),
        Some("examples") => with(compilers(), || checks::check_examples(&root())),
        Some("bullet") => with(compilers(), || checks::check_bullet(&root())),
        Some("firmware") => with(firmware_tools(), || checks::check_firmware(&root()).map(passed)),
        Some("install") => install::command(&root(), &words[1..]).map(passed),
        _ => Err(USAGE.into()),
    })
}

fn firmware_tools() -> Result<(), String> {
    setup::target(setup::BOARD)?;
    setup::program("cc", "gcc")?;
    setup::qemu()?;
    setup::program("arm-none-eabi-gcc", "gcc-arm-none-eabi")
}

/// Runs a command; the error shows its output.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(said) } else { Err(format!("{command:?} ended with {}: {said}", output.status)) }
}
