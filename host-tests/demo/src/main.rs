//! `cargo demo`: the difference that exact friction makes, then the same kernel on a microcontroller.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use stiction_tasks::setup::{BOARD, qemu, target};
use stiction_tasks::{Check, Outcome, SKIPPED, ended, root, with};

fn main() -> ExitCode {
    match show(&root()) {
        // A skipped board is reported, and is not a failure.
        Ok(Outcome::Skipped(reason)) => {
            println!("the board is left out: {reason}");
            ExitCode::SUCCESS
        }
        other => ended(other),
    }
}

fn show(root: &Path) -> Check {
    print!("{}", stiction_demo::sliding_cube_table());
    let (svg, about) = stiction_demo::sliding_cube_picture();
    let file = root.join("target/demo/sliding-cube.svg");
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    std::fs::create_dir_all(root.join("target/demo")).and_then(|()| std::fs::write(&file, svg)).map_err(failed)?;
    println!("\n{about}\npicture: target/demo/sliding-cube.svg");
    if let Some(seconds) = since_cargo_began() {
        println!("({seconds} s after `cargo demo` was started)");
    }
    println!("\nThe same kernel in a legged robot's 1 kHz loop on an STM32F405, emulated:");
    with(target(BOARD).and_then(|()| qemu()), || show_board(root))
}

fn show_board(root: &Path) -> Check {
    println!("building the firmware, and the reader of its log (one to two minutes on two cores the first time) ...");
    let begin = Instant::now();
    let mut board = Command::new("cargo");
    board.args(["run", "--package", "stiction-board-checks", "--", "show"]).current_dir(root);
    let status = board.status().map_err(|error| format!("cargo: {error}"))?;
    match status.code() {
        Some(0) => {
            println!("the board took {:.0} s", begin.elapsed().as_secs_f64());
            Ok(Outcome::Passed)
        }
        Some(code) if code == i32::from(SKIPPED) => Ok(Outcome::Skipped("see above".into())),
        _ => Err(format!("the board: {status}; to repeat it: cargo run --package stiction-board-checks -- show")),
    }
}

/// Seconds since this process was started (as cargo, which built everything first). `None` where `ps` does not report
/// it.
fn since_cargo_began() -> Option<u64> {
    let process = std::process::id().to_string();
    let output = Command::new("ps").args(["-o", "etimes=", "-p", &process]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
