//! The steps of `cargo verify`, in order of how soon they can fail.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::{board, c, counts, fuzz, link_proof, page, setup, supply};

/// What came of a step.
enum Outcome {
    Passed,
    Skipped(String),
}

type Step = (&'static str, fn() -> Result<Outcome, String>);

const STEPS: &[Step] = &[
    ("set-up: Rust targets", || setup::target(setup::BOARD).map(|()| Outcome::Passed)),
    ("format", || component("fmt", &["fmt", "--all", "--check"])),
    ("lints, warnings denied", || {
        component("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
    }),
    ("format and lints of the firmware", || {
        let mut clippy = Command::new("cargo");
        clippy.args(["clippy", "--release", "--workspace", "--target", setup::BOARD, "--", "-D", "warnings"]);
        let mut format = Command::new("cargo");
        format.args(["fmt", "--all", "--check"]);
        if !(setup::has_subcommand("fmt") && setup::has_subcommand("clippy")) {
            return Ok(Outcome::Skipped("'cargo fmt' or 'cargo clippy' is not installed".into()));
        }
        let folder = root().join("embedded-example");
        run_in(format, &folder)?;
        run_in(clippy, &folder)
    }),
    ("supply chain: licences, sources, what the kernel links", || supply::check(&root()).map(|()| Outcome::Passed)),
    ("oldest compiler builds kernel and C library", || {
        supply::oldest_compiler(&root()).map(|built| built.map_or_else(Outcome::Skipped, |()| Outcome::Passed))
    }),
    ("format and lints of the fuzz targets", || {
        let mut clippy = Command::new("cargo");
        // Among what the workspace's own lints left there.
        clippy.args(["clippy", "--all-targets", "--target-dir"]).arg(root().join("target"));
        clippy.args(["--", "-D", "warnings"]);
        let mut format = Command::new("cargo");
        format.args(["fmt", "--check"]);
        if !(setup::has_subcommand("fmt") && setup::has_subcommand("clippy")) {
            return Ok(Outcome::Skipped("'cargo fmt' or 'cargo clippy' is not installed".into()));
        }
        // The fuzzer itself is C++, and built even where it is only looked at.
        if let Err(reason) = c::compilers() {
            return Ok(Outcome::Skipped(reason));
        }
        let folder = root().join("host-tests/fuzz");
        run_in(format, &folder)?;
        run_in(clippy, &folder)
    }),
    ("tests with overflow checks and debug assertions", || cargo(&["test", "--workspace"])),
    ("tests and studies, optimised", || cargo(&["test", "--workspace", "--release"])),
    ("benches build", || cargo(&["bench", "--no-run", "--package", "stiction-benches"])),
    ("instructions of the hot paths on this machine", || {
        if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            return Ok(Outcome::Skipped("the committed counts are for x86-64 Linux".into()));
        }
        match setup::program("valgrind", "valgrind") {
            Ok(()) => counts::check(&root()).map(|()| Outcome::Passed),
            Err(reason) => Ok(Outcome::Skipped(reason)),
        }
    }),
    ("kernel for the microcontroller, with defmt", || {
        cargo(&["build", "--release", "--package", "stiction", "--features", "defmt", "--target", setup::BOARD])
    }),
    ("no reachable panic, no allocator, no double precision in f32 (linker proof)", || {
        link_proof::prove(&root()).map(|()| Outcome::Passed)
    }),
    ("same bits everywhere", || {
        let qemu = setup::qemu();
        board::digests::compare(&root(), qemu.is_ok())?;
        Ok(qemu.map_or_else(
            |reason| Outcome::Skipped(format!("microcontrollers left out: {reason}")),
            |()| Outcome::Passed,
        ))
    }),
    ("firmware: the robot's loop, its faults, every budget", || match setup::qemu() {
        Ok(()) => {
            let show = board::show::verify(&root())?;
            board::budgets::check(&root(), &show.counts).map(|()| Outcome::Passed)
        }
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }),
    ("firmware for real boards builds", || board::firmware::build_real(&root()).map(|()| Outcome::Passed)),
    ("C interface: header, layout, symbols", || with_compilers(|| c::check_library(&root()))),
    ("C interface: same bits, refusals, bad input, allocations, cost", || {
        with_compilers(|| c::check_behaviour(&root()))
    }),
    ("C interface: examples, package, Bullet", || match c::compilers() {
        Ok(()) => c::check_examples(&root()).map(|without| match without {
            Some(reason) => Outcome::Skipped(format!("Bullet left out: {reason}")),
            None => Outcome::Passed,
        }),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }),
    ("C interface: firmware in C, same bits", || {
        let tools = c::compilers().and_then(|()| setup::qemu());
        match tools.and_then(|()| setup::program("arm-none-eabi-gcc", "gcc-arm-none-eabi")) {
            Ok(()) => c::check_firmware(&root()).map(|()| Outcome::Passed),
            Err(reason) => Ok(Outcome::Skipped(reason)),
        }
    }),
    ("fuzz: every target for a minute, two at a time", || match c::compilers() {
        Ok(()) => fuzz::smoke(&root()).map(|left_out| left_out.map_or(Outcome::Passed, Outcome::Skipped)),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }),
    ("playground: the kernel in a headless browser", || match setup::program("chromium", "chromium") {
        Ok(()) => page::check(&root(), "chromium").map(|()| Outcome::Passed),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }),
    ("book", || {
        let there = Command::new("mdbook").arg("--version").output().is_ok_and(|output| output.status.success());
        if !there {
            return Ok(Outcome::Skipped(
                "mdbook is not installed ('cargo install mdbook'); its links are tested all the same".into(),
            ));
        }
        let mut command = Command::new("mdbook");
        command.args(["build", "docs/book"]);
        run(command)
    }),
    ("documentation without warnings", || {
        let mut command = Command::new("cargo");
        command
            .args(["doc", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings");
        run(command)
    }),
];

/// Runs every step, or those whose name contains a word, even after a failure, and closes with a count.
pub fn verify(only: Option<&str>) -> ExitCode {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let wanted = |name: &str| only.is_none_or(|word| name.contains(word));
    for (name, step) in STEPS.iter().filter(|(name, _)| wanted(name)) {
        println!("==> {name}");
        let start = Instant::now();
        match step() {
            Ok(Outcome::Passed) => {
                passed += 1;
                println!("    passed in {:.0} s", start.elapsed().as_secs_f64());
            }
            Ok(Outcome::Skipped(reason)) => {
                skipped += 1;
                println!("    skipped: {reason}");
            }
            Err(reason) => {
                failed += 1;
                println!("    FAILED: {reason}");
            }
        }
    }
    println!("verify: {passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn with_compilers(check: impl FnOnce() -> Result<(), String>) -> Result<Outcome, String> {
    match c::compilers() {
        Ok(()) => check().map(|()| Outcome::Passed),
        Err(reason) => Ok(Outcome::Skipped(reason)),
    }
}

fn cargo(arguments: &[&str]) -> Result<Outcome, String> {
    let mut command = Command::new("cargo");
    command.args(arguments);
    run(command)
}

fn component(name: &str, arguments: &[&str]) -> Result<Outcome, String> {
    if setup::has_subcommand(name) {
        cargo(arguments)
    } else {
        Ok(Outcome::Skipped(format!("'cargo {name}' is not installed ('rustup component add' gives it)")))
    }
}

fn run(command: Command) -> Result<Outcome, String> {
    run_in(command, &root())
}

fn run_in(mut command: Command, folder: &Path) -> Result<Outcome, String> {
    let status = command.current_dir(folder).status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(Outcome::Passed) } else { Err(format!("{command:?} ended with {status}")) }
}
