//! `cargo coverage`: which lines and branches of the kernel the tests run, by LLVM's own counters, on nightly.
//!
//! Only the kernel and those who instantiate its generic code are instrumented. Lines must reach `LEAST_LINES`; branches are
//! reported. Debug assertions and unit tests of the kernel itself do not count as covered lines: test files are left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::setup::output;

/// Least share of lines, in hundredths.
const LEAST_LINES: f64 = 98.0;

const FLAGS: &str = r#"["-Cinstrument-coverage", "-Zcoverage-options=branch"]"#;

/// Packages that have kernel code in them.
const PACKAGES: [&str; 3] = ["stiction", "stiction-host", "stiction-scenes"];

/// Runs the tests instrumented, prints a table, and refuses fewer lines than promised.
pub fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("target/coverage");
    let profiles = folder.join("profiles");
    let _ = std::fs::remove_dir_all(&profiles);
    let tools = tools()?;
    let programs = test(root, &folder, &profiles)?;
    let merged = folder.join("all.profdata");
    output(
        Command::new(tools.join("llvm-profdata")).args(["merge", "-sparse", "-o"]).arg(&merged).args(files(&profiles)?),
    )?;
    let mut export = Command::new(tools.join("llvm-cov"));
    export.args(["export", "--summary-only", "--instr-profile"]).arg(&merged);
    export.args(["--ignore-filename-regex", "faults.rs"]);
    // The first program stands alone, the sources come last.
    let (first, others) = programs.split_first().ok_or("no test program was built")?;
    export.arg(first);
    for program in others {
        export.arg("--object").arg(program);
    }
    let told: Value =
        serde_json::from_str(&output(export.arg(root.join("kernel/src")))?).map_err(|error| error.to_string())?;
    judge(&told["data"][0])
}

/// Where the toolchain keeps LLVM's programs.
fn tools() -> Result<PathBuf, String> {
    let sysroot = output(Command::new("rustup").args(["run", "nightly", "rustc", "--print", "sysroot"]))?;
    let host = output(Command::new("rustup").args(["run", "nightly", "rustc", "--print", "host-tuple"]))?;
    let folder = Path::new(sysroot.trim()).join("lib/rustlib").join(host.trim()).join("bin");
    if folder.join("llvm-cov").exists() {
        return Ok(folder);
    }
    Err("LLVM's tools are missing: 'rustup component add llvm-tools --toolchain nightly'".into())
}

fn nightly(root: &Path, folder: &Path) -> Command {
    let mut command = Command::new("rustup");
    command.args([
        "run",
        "nightly",
        "cargo",
        "test",
        "--tests",
        "--no-fail-fast",
        "-Zprofile-rustflags",
        "--target-dir",
    ]);
    command.arg(folder).current_dir(root);
    for package in PACKAGES {
        command.args(["--package", package, "--config", &format!("profile.dev.package.{package}.rustflags={FLAGS}")]);
    }
    command
}

/// Builds and runs the tests; gives the programs.
fn test(root: &Path, folder: &Path, profiles: &Path) -> Result<Vec<PathBuf>, String> {
    let told = output(nightly(root, folder).args(["--no-run", "--message-format=json"]))?;
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    };
    let programs: Vec<PathBuf> = told.lines().filter_map(executable).collect();
    let status = nightly(root, folder)
        .env("LLVM_PROFILE_FILE", profiles.join("%p-%8m.profraw"))
        .status()
        .map_err(|error| error.to_string())?;
    if status.success() { Ok(programs) } else { Err("tests fail".into()) }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

fn judge(data: &Value) -> Result<(), String> {
    let share = |summary: &Value, what: &str| {
        let figure = |name: &str| summary[what][name].as_f64().unwrap_or(0.0);
        (figure("covered"), figure("count"), figure("percent"))
    };
    for file in data["files"].as_array().ok_or("no files")? {
        let name = Path::new(file["filename"].as_str().unwrap_or("")).file_name().unwrap_or_default().to_string_lossy();
        let (lines, branches) = (share(&file["summary"], "lines"), share(&file["summary"], "branches"));
        println!("    {name:20} lines {:5.1} %, branches {:5.1} %", lines.2, branches.2);
    }
    let (lines, branches) = (share(&data["totals"], "lines"), share(&data["totals"], "branches"));
    println!("    lines {} of {}: {:.2} %", lines.0, lines.1, lines.2);
    println!("    branches {} of {}: {:.2} %", branches.0, branches.1, branches.2);
    if lines.2 < LEAST_LINES { Err(format!("{:.2} % of lines, {LEAST_LINES} % are promised", lines.2)) } else { Ok(()) }
}
