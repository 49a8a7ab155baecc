//! `cargo verify`: the checks for every contribution; `cargo verify --all`: all checks. `cargo playground`: the page.

mod runner;
mod steps;

use std::process::ExitCode;

use stiction_tasks::{Outcome, ended, root, site};

const USAGE: &str = "usage: cargo verify [--all] [--list] [STEPS WHOSE NAME CONTAINS THIS ...]
       cargo playground [--port N] [--only-build]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((task, rest)) if task == "verify" => runner::verify(rest),
        Some((task, rest)) if task == "playground" => ended(site::command(&root(), rest).map(|()| Outcome::Passed)),
        Some((task, rest)) if task == "playground-smoke" && rest.is_empty() => ended(site::smoke(&root())),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
