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

impl Tier {
    /// The command that runs it.
    pub fn command(self) -> &'static str {
        match self {
            Tier::First => "cargo verify",
            Tier::Both => "both",
            Tier::All => "cargo verify --all",
        }
    }
}

/// Steps of one lane run one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Builds in the workspace's own folder of built files.
    Workspace,
    /// Builds mostly in other folders.
    Beside,
}

/// One step.
pub struct Step {
    /// Its name; words of it select the step on the command line.
    pub name: &'static str,
    /// When it runs.
    pub tier: Tier,
    /// Its lane.
    pub lane: Lane,
    /// Whether the programs that it needs are installed, or can be; the error says what is missing.
    pub needs: fn() -> Result<(), String>,
    /// Where its commands run, from the repository.
    pub folder: &'static str,
    /// Environment variables of its commands.
    pub env: &'static [(&'static str, &'static str)],
    /// The commands, in order; words are separated by one space. One that begins with `stiction-` is a program of the
    /// workspace.
    pub commands: &'static [&'static str],
}

/// A step without anything special.
const PLAIN: Step =
    Step { name: "", tier: Tier::Both, lane: Lane::Workspace, needs: || Ok(()), folder: ".", env: &[], commands: &[] };

/// The same, beside the workspace.
const ASIDE: Step = Step { lane: Lane::Beside, ..PLAIN };

/// Tests of the kernel, of the test kit and of the small tools; then those of the command line. In two parts, because
/// collision detection enables other features of shared crates, and a new user's `cargo test` and `cargo demo` build
/// only the first part. Without examples, which take minutes to build and which lints check.
const TESTS: &[&str] = &[
    "cargo test --workspace --exclude stiction-cli --exclude stiction-motion --exclude stiction-playground --exclude stiction-benches --tests",
    "cargo test --workspace --exclude stiction-cli --exclude stiction-motion --exclude stiction-playground --exclude stiction-benches --doc",
    "cargo test --package stiction-cli --package stiction-motion --package stiction-playground --tests",
    "cargo test --package stiction-cli --package stiction-motion --package stiction-playground --doc",
];

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
            "cargo fmt --check --manifest-path kernel/gpu/device/Cargo.toml",
            "cargo fmt --check --manifest-path kernel/link-proof/Cargo.toml",
            "cargo fmt --check --manifest-path kernel/python/Cargo.toml",
        ],
        ..PLAIN
    },
    Step {
        name: "lock files are those of the manifests",
        commands: &[
            "cargo update --quiet --workspace --locked --manifest-path Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path embedded-example/Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path host-tests/fuzz/Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path host-tests/mutants/Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path kernel/gpu/device/Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path kernel/link-proof/Cargo.toml",
            "cargo update --quiet --workspace --locked --manifest-path kernel/python/Cargo.toml",
        ],
        ..ASIDE
    },
    Step { name: "tests, quick numbers of cases", tier: Tier::First, commands: TESTS, ..PLAIN },
    Step { name: "tests, every case and long studies", tier: Tier::All, env: EVERY_CASE, commands: TESTS, ..PLAIN },
    Step {
        name: "tests of the kernel as it is shipped: release, no debug assertions",
        tier: Tier::All,
        env: EVERY_CASE,
        commands: &["cargo test --release --package stiction --package stiction-scenes"],
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
        ..ASIDE
    },
    Step {
        name: "documentation of what is published, without warnings",
        tier: Tier::First,
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        commands: &[
            "cargo doc --package stiction --package stiction-c --package stiction-testkit --no-deps --document-private-items",
        ],
        ..PLAIN
    },
    Step {
        name: "documentation of everything, without warnings",
        tier: Tier::All,
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        commands: &["cargo doc --workspace --features stiction-testkit/proptest --no-deps --document-private-items"],
        ..PLAIN
    },
    Step {
        name: "linker proof: no reachable panic, no allocator, no double precision in f32",
        tier: Tier::First,
        commands: &["stiction-board-checks link-proof 3"],
        ..ASIDE
    },
    Step {
        name: "linker proof at every optimisation level",
        tier: Tier::All,
        commands: &["stiction-board-checks link-proof 1 s z 3"],
        ..ASIDE
    },
    Step {
        name: "same bits here, in WebAssembly and on a Cortex-M4",
        tier: Tier::First,
        commands: &["stiction-board-checks bits-without-m3 3"],
        ..ASIDE
    },
    Step {
        name: "same bits everywhere, on a Cortex-M3 as well, at both optimisation levels",
        tier: Tier::All,
        commands: &["stiction-board-checks bits 3 s"],
        ..ASIDE
    },
    Step {
        name: "lanes have the bits of single visits on aarch64, emulated",
        tier: Tier::All,
        needs: || {
            setup::target("aarch64-unknown-linux-gnu")?;
            setup::program("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")?;
            setup::program("qemu-aarch64", "qemu-user")
        },
        env: &[
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"),
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
            ("STICTION_TESTS", "quick"),
            ("STICTION_EMULATED", "yes"),
        ],
        commands: &[
            "cargo test --release --package stiction-lanes --target aarch64-unknown-linux-gnu --target-dir target/aarch64 --test bits",
        ],
        ..ASIDE
    },
    Step {
        name: "firmware: the robot's loop, its faults, every budget",
        commands: &["stiction-board-checks firmware"],
        ..ASIDE
    },
    Step { name: "C interface: header, layout, symbols", commands: &["stiction-c-checks library"], ..ASIDE },
    Step { name: "C interface: examples and package", commands: &["stiction-c-checks examples"], ..ASIDE },
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
        ..ASIDE
    },
    Step {
        name: "playground: the page is built and loads",
        tier: Tier::First,
        commands: &["stiction-tasks playground-smoke"],
        ..ASIDE
    },
    Step {
        name: "playground: all of it in a headless browser",
        tier: Tier::All,
        needs: || {
            setup::program("chromium", "chromium")?;
            setup::npm_package("playwright-core@1.65.0", "target/page-checks")
        },
        env: &[("NODE_PATH", "target/page-checks/node_modules"), ("STICTION_TESTS", "all")],
        commands: &["stiction-tasks playground-smoke", "node docs/playground/tests/page.cjs"],
        ..ASIDE
    },
    Step {
        name: "C interface: same bits, errors, bad input, allocations, cost",
        tier: Tier::All,
        commands: &["stiction-c-checks behaviour"],
        ..ASIDE
    },
    Step { name: "C interface: under Bullet", tier: Tier::All, commands: &["stiction-c-checks bullet"], ..ASIDE },
    Step {
        name: "C interface: firmware in C, same bits",
        tier: Tier::All,
        commands: &["stiction-c-checks firmware"],
        ..ASIDE
    },
    Step {
        name: "firmware for real boards builds",
        tier: Tier::All,
        commands: &["stiction-board-checks real-boards"],
        ..ASIDE
    },
    Step {
        name: "kernel for the microcontroller, with defmt",
        tier: Tier::All,
        needs: || setup::target(setup::BOARD),
        commands: &["cargo build --release --package stiction --features defmt --target thumbv7em-none-eabihf"],
        ..ASIDE
    },
    Step {
        name: "oldest compiler builds kernel and C library",
        tier: Tier::All,
        needs: || setup::toolchain("1.89"),
        commands: &[
            "cargo +1.89 check --locked --package stiction --package stiction-c --package stiction-testkit --target-dir target/oldest",
        ],
        ..ASIDE
    },
    Step {
        name: "benches build",
        tier: Tier::All,
        commands: &["cargo bench --no-run --package stiction-benches"],
        ..ASIDE
    },
    Step {
        name: "required tests fail without what they name",
        tier: Tier::All,
        commands: &[
            "cargo run --release --quiet --manifest-path host-tests/mutants/Cargo.toml --target-dir target/mutants -- required . target/required",
        ],
        ..ASIDE
    },
    Step {
        name: "code for graphics processors, compiled where the components are",
        tier: Tier::All,
        commands: &["stiction-ptx check"],
        ..ASIDE
    },
    Step {
        name: "Python package: built into a new virtual environment and tested",
        tier: Tier::All,
        needs: || setup::python(3, 10),
        commands: &[
            "cargo build --package stiction-cli --bin stiction",
            "kernel/python/check.sh target/debug/stiction",
        ],
        ..PLAIN
    },
    Step {
        name: "lints of the Python package",
        tier: Tier::All,
        needs: || setup::subcommand("clippy").and_then(|()| setup::python(3, 10)),
        commands: &["cargo clippy --release --manifest-path kernel/python/Cargo.toml -- -D warnings"],
        ..PLAIN
    },
    Step {
        name: "lints of the fuzz targets",
        tier: Tier::All,
        needs: || setup::subcommand("clippy").and_then(|()| setup::program("c++", "g++")),
        commands: &[
            "cargo clippy --all-targets --manifest-path host-tests/fuzz/Cargo.toml --target-dir target/fuzz-lints -- -D warnings",
        ],
        ..ASIDE
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
        ..ASIDE
    },
    Step {
        name: "licences and sources of all packages",
        tier: Tier::All,
        needs: || setup::crate_tool("deny"),
        commands: &[
            "cargo deny --manifest-path Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path embedded-example/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path kernel/gpu/device/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path kernel/link-proof/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path kernel/python/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path host-tests/fuzz/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
            "cargo deny --manifest-path host-tests/mutants/Cargo.toml --config .cargo/deny.toml check licenses sources bans",
        ],
        ..ASIDE
    },
    Step {
        name: "packages as they would be published",
        tier: Tier::All,
        commands: &[
            "cargo package --no-verify --allow-dirty --package stiction-fast-sqrt --package stiction --package stiction-lanes --package stiction-testkit",
        ],
        ..ASIDE
    },
    Step {
        name: "book",
        tier: Tier::All,
        needs: || setup::installed("mdbook", "cargo install mdbook"),
        commands: &["mdbook build docs/book"],
        ..ASIDE
    },
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_oldest_compiler_is_the_one_that_the_manifest_names() {
        let manifest = stiction_tasks::read(&stiction_tasks::root().join("Cargo.toml")).unwrap();
        let version = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let step = super::STEPS.iter().find(|step| step.name.starts_with("oldest compiler")).unwrap();
        assert!(step.commands[0].starts_with(&format!("cargo +{version} ")), "{version}");
    }
}
