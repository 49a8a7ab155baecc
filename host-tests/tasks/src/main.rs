//! `cargo demo` shows the main job; `cargo verify` proves every promise. Both set up what they need.

mod link_proof;
mod setup;
mod steps;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("demo") => {
            print!("{}", stiction_host::demo::sliding_cube_table());
            ExitCode::SUCCESS
        }
        Some("verify") => steps::verify(),
        _ => {
            eprintln!("usage: cargo demo | cargo verify");
            ExitCode::from(2)
        }
    }
}
