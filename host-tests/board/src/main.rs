//! Checks of the firmware and of the guarantees for every machine. `cargo verify` runs them; each is a word on the
//! command line.

mod budgets;
mod digests;
mod emulator;
mod firmware;
mod leg;
mod link_proof;
mod panics;
mod show;
mod weights;

use std::process::ExitCode;

use emulator::Machine;

use stiction_tasks::setup::{BOARD, qemu, subcommand, target};
use stiction_tasks::{Check, Outcome, ended, root, with};

const WASM: &str = "wasm32-unknown-unknown";

/// With floating point in hardware, and in software.
const BOARDS: [(&str, Machine); 2] = [(BOARD, Machine::Stm32f405), ("thumbv7m-none-eabi", Machine::CortexM3)];

const USAGE: &str = "usage: stiction-board-checks show | firmware | bits [LEVEL ...] | bits-without-m3 [LEVEL ...] | link-proof [LEVEL ...] | real-boards";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let levels: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let of = |usual: &'static [&'static str]| if levels.is_empty() { usual.to_vec() } else { levels.clone() };
    ended(match words.first().map(String::as_str) {
        Some("show") => with(target(BOARD).and_then(|()| qemu()), show_board),
        Some("firmware") => with(target(BOARD).and_then(|()| qemu()), || {
            let show = show::verify(&root())?;
            budgets::check(&root(), &show.counts).map(passed)
        }),
        Some("bits") => with(target(WASM), || bits(&of(&["3", "s"]), &BOARDS)),
        Some("bits-without-m3") => with(target(WASM), || bits(&of(&["3"]), &BOARDS[..1])),
        Some("link-proof") => {
            with(target(BOARD), || link_proof::prove(&root(), &of(&["1", "s", "z", "3"])).map(passed))
        }
        Some("real-boards") => with(real_board_tools(), || firmware::build_real(&root()).map(passed)),
        _ => Err(USAGE.into()),
    })
}

fn passed((): ()) -> Outcome {
    Outcome::Passed
}

fn real_board_tools() -> Result<(), String> {
    target(BOARD).and_then(|()| target("thumbv8m.main-none-eabihf")).and_then(|()| subcommand("clippy"))
}

/// One digest on every machine; microcontrollers are skipped where there is no emulator.
fn bits(levels: &[&str], boards: &[(&str, Machine)]) -> Check {
    let emulator = boards.iter().try_for_each(|(board, _)| target(board)).and_then(|()| qemu());
    digests::compare(&root(), levels, if emulator.is_ok() { boards } else { &[] })?;
    with(emulator.map_err(|reason| format!("microcontrollers left out: {reason}")), || Ok(Outcome::Passed))
}

/// The board's part of `cargo demo`.
fn show_board() -> Check {
    let show = show::run(&root())?;
    show.lines.iter().for_each(|line| println!("  {line}"));
    println!();
    for (name, count) in &show.counts {
        println!("  {name}: {count} instructions");
    }
    println!("\n{} scenes end with the same bits on the board and here", show::compare_with_host(&show.lines)?);
    println!("picture: {}", show::picture(&root(), &show.lines)?);
    Ok(Outcome::Passed)
}
