//! `cargo demo` shows the main job; `cargo verify` proves every promise. Both set up what they need.

mod board;
mod c;
mod counts;
mod coverage;
mod demo;
mod fuzz;
mod link_proof;
mod page;
mod setup;
mod steps;
mod supply;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("demo") => ended(demo::run(&steps::root())),
        Some("coverage") => ended(coverage::run(&steps::root())),
        Some("fuzz-long") => {
            let arguments: Vec<String> = std::env::args().skip(2).collect();
            ended(fuzz::long(&steps::root(), &arguments))
        }
        Some("playground") => {
            let arguments: Vec<String> = std::env::args().skip(2).collect();
            ended(page::command(&steps::root(), &arguments))
        }
        Some("install-c") => {
            let arguments: Vec<String> = std::env::args().skip(2).collect();
            ended(c::install::command(&steps::root(), &arguments))
        }
        Some("verify") => steps::verify(std::env::args().nth(2).as_deref()),
        _ => {
            eprintln!(
                "usage: cargo demo | cargo verify [STEPS WHOSE NAME CONTAINS THIS] | cargo install-c [--prefix P] [--destdir D] | cargo fuzz-long --seconds N [TARGET] | cargo coverage | cargo playground [--port N] [--only-build]"
            );
            ExitCode::from(2)
        }
    }
}

/// An error as a line and an exit code.
fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}
