//! `counts check`: counts the instructions of every hot path by callgrind and compares them with the committed counts.
//! `counts NAME`: runs one path, for the counter.

use std::path::Path;
use std::process::{Command, ExitCode};

use stiction_counts::ours::STACK_BYTES;
use stiction_counts::paths::{AVX2, PATHS, avx2};
use stiction_tasks::{Outcome, ended, figures, output, read, root};
use stiction_testkit::large_stack::on_large_stack;

/// Where the committed counts are.
const COMMITTED: &str = "benches/counts.txt";

/// Allowed relative difference.
const SLACK: f64 = 0.03;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("check") => ended(check().map(|()| Outcome::Passed)),
        Some(name) => match PATHS.iter().find(|(path, _)| *path == name) {
            Some((_, path)) => {
                ended(on_large_stack(STACK_BYTES, path).map(|()| Outcome::Passed).map_err(|e| e.to_string()))
            }
            None => ended(Err(format!("counts: there is no path {name}"))),
        },
        None => ended(Err("usage: counts check | counts NAME".into())),
    }
}

fn check() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut counts = Vec::new();
    for (name, _) in PATHS {
        if AVX2.contains(&name) && avx2().is_none() {
            println!("    {name} skipped: this processor has no AVX2");
            let committed = read(&root().join(COMMITTED))?;
            counts.extend(committed.lines().filter(|line| line.starts_with(name)).flat_map(figures::parse));
            continue;
        }
        let instructions = count(&program, name)?;
        println!("    {name} {instructions}");
        counts.push((name.to_string(), instructions));
    }
    figures::compare(&root(), COMMITTED, &counts, SLACK, 0)
}

/// Instructions inside the measured function.
fn count(program: &Path, name: &str) -> Result<u64, String> {
    let out = root().join("target").join(format!("callgrind.{name}"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet", "--toggle-collect=*paths::counted*"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(program).arg(name);
    output(&mut valgrind)?;
    let profile = read(&out)?;
    let total =
        profile.lines().filter_map(|line| line.strip_prefix("totals: ")).find_map(|word| word.trim().parse().ok());
    total.filter(|total| *total > 0).ok_or_else(|| format!("callgrind counted nothing in {name}"))
}
