//! The steps of `cargo verify`, in order of how soon they can fail. Each is a few commands that can be typed as well.

use stiction_tasks::setup;

/// When a step runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// In `cargo verify` only: `--all` has a longer one instead.
    First,
    /// In both.
    Both,
    /// In `cargo verify --all` only.
    All,
}

/// One step.
pub struct Step {
    /// What it is; words of it choose it on the command line.
    pub name: &'static str,
    /// When it runs.
    pub tier: Tier,
    /// Whether the programs that it needs are there, or can be installed; the error says what is missing.
    pub needs: fn() -> Result<(), String>,
    /// Where its commands run, from the repository.
    pub folder: &'static str,
    /// Environment variables of its commands.
    pub env: &'static [(&'static str, &'static str)],
    /// The commands, in order; words are separated by one space.
    pub commands: &'static [&'static str],
}

/// A step without anything special.
const PLAIN: Step = Step { name: "", tier: Tier::Both, needs: || Ok(()), folder: ".", env: &[], commands: &[] };

const EVERY_CASE: &[(&str, &str)] = &[("STICTION_TESTS", "all")];

/// All of them.
pub const STEPS: &[Step] = &[
    Step {
        name: "format",
        needs: || setup::subcommand("fmt"),
        commands: &[
            "cargo fmt --all --check",
            "cargo fmt --all --check --manifest-path embedded-example/Cargo.toml",
            "cargo fmt --check --manifest-path host-tests/fuzz/Cargo.toml",
            "cargo fmt --check --manifest-path host-tests/mutants/Cargo.toml",
            "cargo fmt --check --manifest-path kernel/link-proof/Cargo.toml",
        ],
        ..PLAIN
    },
    Step {
        name: "tests, quick numbers of cases",
        tier: Tier::First,
        commands: &["cargo test --workspace --exclude stiction-benches"],
        ..PLAIN
    },
    Step {
        name: "tests, every case and long studies",
        tier: Tier::All,
        env: EVERY_CASE,
        commands: &["cargo test --workspace -- --include-ignored"],
        ..PLAIN
    },
    Step {
        name: "lints, warnings denied",
        needs: || setup::subcommand("clippy"),
        commands: &["cargo clippy --workspace --all-targets -- -D warnings"],
        ..PLAIN
    },
    Step {
        name: "lints of the firmware",
        needs: || setup::subcommand("clippy").and_then(|()| setup::target(setup::BOARD)),
        folder: "embedded-example",
        commands: &["cargo clippy --release --workspace --target thumbv7em-none-eabihf -- -D warnings"],
        ..PLAIN
    },
    Step {
        name: "documentation without warnings",
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        commands: &["cargo doc --workspace --no-deps --document-private-items"],
        ..PLAIN
    },
    Step {
        name: "linker proof: no reachable panic, no allocator, no double precision in f32",
        tier: Tier::First,
        commands: &["cargo run --quiet --package stiction-board-checks -- link-proof 3"],
        ..PLAIN
    },
    Step {
        name: "linker proof at every optimisation level",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-board-checks -- link-proof 1 s z 3"],
        ..PLAIN
    },
    Step {
        name: "same bits everywhere",
        tier: Tier::First,
        commands: &["cargo run --quiet --package stiction-board-checks -- bits 3"],
        ..PLAIN
    },
    Step {
        name: "same bits everywhere, at both optimisation levels",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-board-checks -- bits 3 s"],
        ..PLAIN
    },
    Step {
        name: "firmware: the robot's loop, its faults, every budget",
        commands: &["cargo run --quiet --package stiction-board-checks -- firmware"],
        ..PLAIN
    },
    Step {
        name: "C interface: header, layout, symbols",
        commands: &["cargo run --quiet --package stiction-c-checks -- library"],
        ..PLAIN
    },
    Step {
        name: "C interface: examples and package",
        commands: &["cargo run --quiet --package stiction-c-checks -- examples"],
        ..PLAIN
    },
    Step {
        name: "instructions of the hot paths on this machine",
        needs: || {
            if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
                setup::program("valgrind", "valgrind")
            } else {
                Err("the committed counts are for x86-64 Linux".into())
            }
        },
        commands: &["cargo run --release --quiet --package stiction-counts -- check"],
        ..PLAIN
    },
    Step {
        name: "playground: the page is built and loads",
        tier: Tier::First,
        commands: &["cargo run --quiet --package stiction-tasks -- playground-smoke"],
        ..PLAIN
    },
    Step {
        name: "playground: all of it in a headless browser",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-page-checks"],
        ..PLAIN
    },
    Step {
        name: "C interface: same bits, refusals, bad input, allocations, cost",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-c-checks -- behaviour"],
        ..PLAIN
    },
    Step {
        name: "C interface: under Bullet",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-c-checks -- bullet"],
        ..PLAIN
    },
    Step {
        name: "C interface: firmware in C, same bits",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-c-checks -- firmware"],
        ..PLAIN
    },
    Step {
        name: "firmware for real boards builds",
        tier: Tier::All,
        commands: &["cargo run --quiet --package stiction-board-checks -- real-boards"],
        ..PLAIN
    },
    Step {
        name: "kernel for the microcontroller, with defmt",
        tier: Tier::All,
        needs: || setup::target(setup::BOARD),
        commands: &["cargo build --release --package stiction --features defmt --target thumbv7em-none-eabihf"],
        ..PLAIN
    },
    Step {
        name: "oldest compiler builds kernel and C library",
        tier: Tier::All,
        needs: || setup::toolchain("1.89"),
        commands: &["cargo +1.89 check --locked --package stiction --package stiction-c --target-dir target/oldest"],
        ..PLAIN
    },
    Step {
        name: "benches build",
        tier: Tier::All,
        commands: &["cargo bench --no-run --package stiction-benches"],
        ..PLAIN
    },
    Step {
        name: "lints of the fuzz targets",
        tier: Tier::All,
        needs: || setup::subcommand("clippy").and_then(|()| setup::program("c++", "g++")),
        commands: &[
            "cargo clippy --all-targets --manifest-path host-tests/fuzz/Cargo.toml --target-dir target/fuzz-lints -- -D warnings",
        ],
        ..PLAIN
    },
    Step {
        name: "fuzz: every target for a while",
        tier: Tier::All,
        needs: || {
            setup::toolchain("nightly")
                .and_then(|()| setup::program("c++", "g++"))
                .and_then(|()| setup::crate_tool("fuzz"))
        },
        commands: &["host-tests/fuzz/smoke.sh"],
        ..PLAIN
    },
    Step {
        name: "licences, sources and advisories of all packages",
        tier: Tier::All,
        needs: || setup::subcommand("deny"),
        commands: &["cargo deny --config .cargo/deny.toml check licenses sources bans"],
        ..PLAIN
    },
    Step {
        name: "book",
        tier: Tier::All,
        needs: || setup::program("mdbook", "mdbook"),
        commands: &["mdbook build docs/book"],
        ..PLAIN
    },
];
