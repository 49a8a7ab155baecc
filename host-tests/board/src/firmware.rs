//! Building firmware.

use std::path::{Path, PathBuf};
use std::process::Command;

use stiction_tasks::setup::{self, BOARD};

/// What to build.
#[derive(Clone, Copy)]
pub struct Build<'a> {
    /// Package of the firmware's workspace.
    pub package: &'a str,
    /// Program of the package.
    pub program: &'a str,
    /// Features beside the default ones.
    pub features: &'a str,
    /// Optimisation level.
    pub level: &'a str,
    /// Log level.
    pub log: &'a str,
    /// Rust target.
    pub target: &'a str,
}

impl Default for Build<'_> {
    fn default() -> Self {
        Build { package: "stiction-board", program: "robot", features: "", level: "3", log: "info", target: BOARD }
    }
}

impl Build<'_> {
    /// Builds it and gives the program's path.
    pub fn build(&self, root: &Path) -> Result<PathBuf, String> {
        let folder = root.join("embedded-example");
        // A separate folder for each level, so that no program is taken for another.
        let target_dir = root.join("target/board").join(self.level);
        let output = Command::new("cargo")
            .current_dir(&folder)
            .args(["build", "--release", "--locked", "--package", self.package, "--bin", self.program])
            .args(["--target", self.target, "--features", self.features, "--target-dir"])
            .arg(&target_dir)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.level)
            .env("DEFMT_LOG", self.log)
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        if !output.status.success() {
            return Err(format!("firmware {}: {}", self.program, String::from_utf8_lossy(&output.stderr)));
        }
        Ok(target_dir.join(self.target).join("release").join(self.program))
    }
}

/// Builds and lints the robot and the counts for boards that are not emulated.
pub fn build_real(root: &Path) -> Result<(), String> {
    for (board, target) in [("f405", BOARD), ("rp2350", "thumbv8m.main-none-eabihf")] {
        setup::target(target)?;
        for command in ["build", "clippy"] {
            let mut cargo = Command::new("cargo");
            cargo
                .current_dir(root.join("embedded-example"))
                .args([command, "--release", "--locked", "--bin", "robot", "--bin", "budget"])
                .args(["--no-default-features", "--features", board, "--target", target, "--target-dir"])
                .arg(root.join("target/board/3"));
            if command == "clippy" {
                cargo.args(["--", "-D", "warnings"]);
            }
            let output = cargo.output().map_err(|error| format!("cargo: {error}"))?;
            if !output.status.success() {
                return Err(format!("{board}: {command}: {}", String::from_utf8_lossy(&output.stderr)));
            }
        }
        println!("    {board}: builds for {target}, no lint complains");
    }
    Ok(())
}
