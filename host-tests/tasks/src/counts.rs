//! Instructions of the hot paths on this machine, counted by callgrind and held to what is committed.

use std::path::Path;
use std::process::Command;

use crate::setup::output;

/// Where the committed counts are.
const COMMITTED: &str = "benches/counts.txt";

/// Relative difference that passes.
const SLACK: f64 = 0.03;

/// Counts every path and compares.
pub fn check(root: &Path) -> Result<(), String> {
    compare(root, COMMITTED, &counted(root)?)
}

/// Compares counts with a committed file of them.
pub fn compare(root: &Path, file: &str, counts: &[(String, u64)]) -> Result<(), String> {
    let text: String = counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect();
    let path = root.join(file);
    if std::env::var_os("STICTION_DRAW").is_some() {
        std::fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let committed = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if committed.lines().count() != counts.len() {
        return Err(format!("{file} has {} paths, there are {}", committed.lines().count(), counts.len()));
    }
    for (line, (name, count)) in committed.lines().zip(counts) {
        let (known, before) = crate::board::show::parse_count(line)?;
        let change = *count as f64 / before as f64 - 1.0;
        println!("    {name} {count} ({:+.1} %)", 100.0 * change);
        if known != *name || change.abs() > SLACK {
            return Err(format!("{name} is {count}, committed is '{line}': write it anew with STICTION_DRAW=1"));
        }
    }
    Ok(())
}

fn counted(root: &Path) -> Result<Vec<(String, u64)>, String> {
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--quiet", "--package", "stiction-benches", "--bin", "counts"]).current_dir(root);
    let built = build.status().map_err(|error| format!("cargo: {error}"))?;
    if !built.success() {
        return Err(format!("{build:?} ended with {built}"));
    }
    let program = root.join("target/release/counts");
    let names = output(&mut Command::new(&program))?;
    names.lines().map(|name| Ok((name.to_string(), count(root, &program, name)?))).collect()
}

/// Instructions inside the function that is looked at.
fn count(root: &Path, program: &Path, name: &str) -> Result<u64, String> {
    let out = root.join("target").join(format!("callgrind.{name}"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet", "--toggle-collect=*counts::counted*"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(program).arg(name);
    output(&mut valgrind)?;
    let profile = std::fs::read_to_string(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let total =
        profile.lines().filter_map(|line| line.strip_prefix("totals: ")).find_map(|word| word.trim().parse().ok());
    total.filter(|total| *total > 0).ok_or_else(|| format!("callgrind counted nothing in {name}"))
}
