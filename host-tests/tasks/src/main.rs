//! `cargo demo` shows the main job; `cargo verify` proves every promise. Both set up what they need.

mod board;
mod counts;
mod demo;
mod link_proof;
mod setup;
mod steps;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("demo") => match demo::run(&steps::root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(line) => {
                eprintln!("{line}");
                ExitCode::FAILURE
            }
        },
        Some("verify") => steps::verify(std::env::args().nth(2).as_deref()),
        _ => {
            eprintln!("usage: cargo demo | cargo verify [STEPS WHOSE NAME CONTAINS THIS]");
            ExitCode::from(2)
        }
    }
}
