//! The mutation score of the kernel, for the mutants that cargo-mutants lists.
//!
//! Building each of several thousand mutants takes days. Here all are compiled into one copy of the kernel, and a
//! number in the environment switches one on; a mutant is then a run of the tests, not a build.
//!
//! ```text
//! cargo mutants --list --json --package stiction > list.json
//! stiction-mutants prepare list.json REPOSITORY COPY STATE
//! stiction-mutants measure COPY STATE
//! stiction-mutants run STATE --shard 1/2 --budget 30
//! stiction-mutants summary STATE
//! ```
//!
//! `stiction-mutants required REPOSITORY COPY` does the same for the changes that `docs/required-tests.md` names, with
//! only the tests that it names for them.

mod changes;
mod copy;
mod list;
mod outcomes;
mod render;
mod required;
mod run;
mod sites;
mod suite;
mod switch;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Any error ends the program with a message.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Fallible<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["prepare", list, repository, copy, state] => prepare(list, repository, copy, Path::new(state)),
        ["measure", copy, state] => suite::measure(Path::new(copy), Path::new(state)),
        ["run", state, options @ ..] => run::run(Path::new(state), &run::Options::read(options)?),
        ["required", repository, copy] => required::required(Path::new(repository), Path::new(copy)),
        ["summary", state] => outcomes::summary(Path::new(state)),
        _ => Err("prepare LIST REPOSITORY COPY STATE | measure COPY STATE | run STATE [--shard K/N] [--budget SECONDS] [--again] | summary STATE | required REPOSITORY COPY".into()),
    }
}

fn prepare(list: &str, repository: &str, copy: &str, state: &Path) -> Fallible<()> {
    let mutants = list::read(&PathBuf::from(list))?;
    let standings = copy::prepare(&mutants, Path::new(repository), Path::new(copy))?;
    let (mut text, mut site) = (String::new(), 0);
    for (number, (mutant, standing)) in mutants.iter().zip(&standings).enumerate() {
        if !mutants[site].shares_its_site_with(mutant) {
            site = number;
        }
        // Functions test for each of their mutants, operators for all mutants of a site at once.
        let asked = if mutant.genre == list::Genre::Function { number } else { site };
        text += &format!("{number}\t{asked}\t{}\t{}\n", standing.word(), mutant.name);
    }
    std::fs::create_dir_all(state)?;
    std::fs::write(state.join("mutants.tsv"), text)?;
    Ok(())
}
