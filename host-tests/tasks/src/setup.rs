//! Installs programs that a new machine lacks, or prints one line that says what to install.

use std::path::Path;
use std::process::Command;

/// The microcontroller target of the link proof.
pub const BOARD: &str = "thumbv7em-none-eabihf";

/// Makes sure that the standard library of a target is installed.
pub fn target(name: &str) -> Result<(), String> {
    let listed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let Ok(listed) = listed else {
        return Err(format!("rustup is not on the path; install the Rust target {name} and run again"));
    };
    if String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.trim() == name) {
        return Ok(());
    }
    println!("    installing the Rust target {name}");
    let added = Command::new("rustup").args(["target", "add", name]).status();
    match added {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("'rustup target add {name}' failed; install it by hand and run again")),
    }
}

/// Whether a program can be run; installs it where that needs no confirmation: as root, with Debian's packages.
pub fn program(name: &str, package: &str) -> Result<(), String> {
    let there = || Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    provide(name, package, there)
}

/// Whether a program can be run; this does not install it.
pub fn installed(name: &str, by_hand: &str) -> Result<(), String> {
    let there = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if there { Ok(()) } else { Err(format!("{name} is not installed ({by_hand})")) }
}

/// Whether Python is there, of a version at least, with the module for virtual environments; this does not install it.
pub fn python(major: u32, minor: u32) -> Result<(), String> {
    let question = format!("import sys, venv, ensurepip; sys.exit(sys.version_info < ({major}, {minor}))");
    let there = Command::new("python3").args(["-c", &question]).output().is_ok_and(|output| output.status.success());
    let missing =
        format!("python3 of version {major}.{minor} or newer with venv (Debian: apt-get install python3-venv)");
    if there { Ok(()) } else { Err(missing) }
}

/// Makes sure that a package for node is in a folder of the repository.
pub fn npm_package(package: &str, folder: &str) -> Result<(), String> {
    program("node", "nodejs").and_then(|()| program("npm", "npm"))?;
    let arguments = ["install", "--silent", "--no-save", "--prefer-offline", "--prefix", folder, package];
    let done = Command::new("npm").args(arguments).current_dir(crate::root()).output();
    if done.is_ok_and(|output| output.status.success()) {
        Ok(())
    } else {
        Err(format!("'npm install {package}' failed"))
    }
}

/// The same for a file.
pub fn file(path: &Path, package: &str) -> Result<(), String> {
    provide(&path.display().to_string(), package, || path.exists())
}

fn provide(name: &str, package: &str, there: impl Fn() -> bool) -> Result<(), String> {
    if there() {
        return Ok(());
    }
    let by_hand = format!("{name} is not installed (Debian: apt-get install {package})");
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !root {
        return Err(by_hand);
    }
    println!("    installing {package}");
    let apt = |arguments: &[&str]| {
        let output = Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    };
    let install = ["install", "-y", "--no-install-recommends", package];
    if apt(&["update"]) && apt(&install) && there() { Ok(()) } else { Err(by_hand) }
}

/// The emulator of the boards.
pub fn qemu() -> Result<(), String> {
    program("qemu-system-arm", "qemu-system-arm")
}

/// Whether a cargo subcommand is installed: formatter and linter are optional components, others are crates.
pub fn subcommand(name: &str) -> Result<(), String> {
    let there = Command::new("cargo").args([name, "--version"]).output().is_ok_and(|output| output.status.success());
    let by_hand = format!("'cargo {name}' is not installed ('rustup component add' or 'cargo install' gives it)");
    if there { Ok(()) } else { Err(by_hand) }
}

/// The same, installed from its crate where it is missing.
pub fn crate_tool(name: &str) -> Result<(), String> {
    if subcommand(name).is_err() {
        println!("    installing cargo-{name}");
        let _ = Command::new("cargo").args(["install", "--quiet", "--locked", &format!("cargo-{name}")]).status();
    }
    subcommand(name)
}

/// Makes sure that a toolchain is installed.
pub fn toolchain(name: &str) -> Result<(), String> {
    let there = || {
        let run = Command::new("rustup").args(["run", name, "rustc", "--version"]).output();
        run.is_ok_and(|output| output.status.success())
    };
    if !there() {
        let _ = Command::new("rustup").args(["toolchain", "install", name, "--profile", "minimal"]).output();
    }
    if there() { Ok(()) } else { Err(format!("Rust {name} is not installed ('rustup toolchain install {name}')")) }
}
