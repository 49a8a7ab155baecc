//! `cargo demo`: the difference that exact friction makes, then the same kernel on a microcontroller.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Exit code of a check that left something out and said why.
const SKIPPED: i32 = 77;

fn main() -> ExitCode {
    match show(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

fn show(root: &Path) -> Result<(), String> {
    print!("{}", stiction_demo::sliding_cube_table());
    let (svg, about) = stiction_demo::sliding_cube_picture();
    let file = root.join("target/demo/sliding-cube.svg");
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    std::fs::create_dir_all(root.join("target/demo")).and_then(|()| std::fs::write(&file, svg)).map_err(failed)?;
    println!("\n{about}\npicture: target/demo/sliding-cube.svg");
    println!("\nThe same kernel in a legged robot's 1 kHz loop on an STM32F405, emulated:");
    println!("building the firmware, and the reader of its log (one to two minutes on two cores the first time) ...");
    let begin = Instant::now();
    let mut board = Command::new("cargo");
    board.args(["run", "--quiet", "--package", "stiction-board-checks", "--", "show"]).current_dir(root);
    let status = board.status().map_err(|error| format!("cargo: {error}"))?;
    match status.code() {
        Some(0 | SKIPPED) => {
            println!("the board took {:.0} s", begin.elapsed().as_secs_f64());
            Ok(())
        }
        _ => Err(format!("the board: {status}; to repeat it: cargo run --package stiction-board-checks -- show")),
    }
}
