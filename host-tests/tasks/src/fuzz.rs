//! The fuzz targets of `host-tests/fuzz`: built with coverage by plain cargo, run two at a time, and what came of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// What cargo-fuzz builds with, but for the address sanitiser: the kernel has no `unsafe` code. It works on stable, too.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks=yes";

/// Tells the fuzzer what numbers are compared with: it finds words and lengths of formats sooner, and takes half of the time of
/// a solve. For short runs; long ones have the words in their seeds.
const COMPARES: &str = " -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Targets that run at the same time.
const AT_ONCE: usize = 2;

/// Seconds of each target in `cargo verify`, unless `STICTION_FUZZ_SECONDS` says otherwise.
const SMOKE_SECONDS: u64 = 60;

/// How long targets run, and the number that their chance begins with; 0 is another each time.
#[derive(Clone, Copy)]
struct Plan {
    seconds: u64,
    seed: u32,
}

/// What came of a target.
struct Run {
    target: String,
    executions: u64,
    seconds: f64,
    crashes: u32,
}

/// Every target for a short time; gives the reason where it is not done.
pub fn smoke(root: &Path) -> Result<Option<String>, String> {
    let Some(toolchain) = nightly() else {
        return Ok(Some("no nightly toolchain ('rustup toolchain install nightly' gives one)".into()));
    };
    let seconds = match std::env::var("STICTION_FUZZ_SECONDS") {
        Ok(text) => text.parse().map_err(|_| format!("STICTION_FUZZ_SECONDS: '{text}' is no number of seconds"))?,
        Err(_) => SMOKE_SECONDS,
    };
    let programs = build(root, Some(&toolchain), "fuzz", COMPARES)?;
    // The same chance each time: a check that fails is one that something broke.
    failures(&run_all(root, &programs, &targets(root)?, Plan { seconds, seed: 1 })?).map(|()| None)
}

/// `cargo fuzz-long --seconds N [TARGET]`: every target, or one, for so long each.
pub fn long(root: &Path, arguments: &[String]) -> Result<(), String> {
    let usage = "usage: cargo fuzz-long --seconds N [TARGET]";
    let (seconds, only) = match arguments {
        [option, seconds] if option == "--seconds" => (seconds, None),
        [option, seconds, target] if option == "--seconds" => (seconds, Some(target)),
        _ => return Err(usage.into()),
    };
    let seconds = seconds.parse().map_err(|_| usage.to_string())?;
    let mut wanted = targets(root)?;
    if let Some(only) = only {
        wanted.retain(|target| target == only);
        if wanted.is_empty() {
            return Err(format!("no target is called '{only}': {}", targets(root)?.join(", ")));
        }
    }
    let programs = build(root, nightly().as_deref(), "fuzz-long", "")?;
    let runs = run_all(root, &programs, &wanted, Plan { seconds, seed: 0 })?;
    if std::env::var_os("STICTION_DRAW").is_some() {
        let path = root.join("docs/fuzz.csv");
        std::fs::write(&path, table(&runs)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    failures(&runs)
}

/// The nightly toolchain, if one is installed.
fn nightly() -> Option<String> {
    let output = Command::new("rustup").args(["toolchain", "list"]).output().ok()?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .find(|name| name.starts_with("nightly"))
        .map(Into::into)
}

/// The names of all targets.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("host-tests/fuzz/fuzz_targets");
    let files = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    Ok(names)
}

/// Builds all targets into a folder of `target`, with more flags; gives the folder that they are in.
fn build(root: &Path, toolchain: Option<&str>, folder: &str, more: &str) -> Result<PathBuf, String> {
    let cargo = || match toolchain {
        Some(toolchain) => {
            let mut command = Command::new("rustup");
            command.args(["run", toolchain, "cargo"]);
            command
        }
        None => Command::new("cargo"),
    };
    let host = host()?;
    let folder = root.join("target").join(folder);
    // With a target named, flags are not for build scripts.
    let mut command = cargo();
    command
        .args(["build", "--release", "--bins", "--target", &host, "--manifest-path"])
        .arg(root.join("host-tests/fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .env("RUSTFLAGS", format!("{FLAGS}{more}"));
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        Ok(folder.join(host).join("release"))
    } else {
        Err(format!("{command:?} ended with {status}"))
    }
}

fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    told.lines().find_map(|line| line.strip_prefix("host: ")).map(Into::into).ok_or("rustc names no host".into())
}

/// Runs targets, and says what came of each as soon as it is known.
fn run_all(root: &Path, programs: &Path, wanted: &[String], plan: Plan) -> Result<Vec<Run>, String> {
    let queue = Mutex::new(wanted.iter());
    let runs = Mutex::new(Vec::new());
    let work = || {
        while let Some(target) = next(&queue) {
            let run = run(root, programs, target, plan);
            if let Ok(Run { target, executions, seconds, crashes }) = &run {
                let rate = *executions as f64 / seconds;
                println!(
                    "    {target}: {executions} executions in {seconds:.0} s, {rate:.0} a second, {crashes} crashes"
                );
            }
            runs.lock().expect("no thread panics").push(run);
        }
    };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    let mut runs = runs.into_inner().expect("no thread panics").into_iter().collect::<Result<Vec<_>, _>>()?;
    runs.sort_by(|a, b| a.target.cmp(&b.target));
    Ok(runs)
}

fn next<'a>(queue: &Mutex<std::slice::Iter<'a, String>>) -> Option<&'a String> {
    queue.lock().expect("no thread panics").next()
}

/// Runs one target. It ends at its first crash; the input is then in `target/fuzz/artifacts`.
fn run(root: &Path, programs: &Path, target: &str, Plan { seconds, seed }: Plan) -> Result<Run, String> {
    let (found, artifacts) =
        (root.join("target/fuzz/corpus").join(target), root.join("target/fuzz/artifacts").join(target));
    let seeds = root.join("host-tests/fuzz/corpus").join(target);
    let log = root.join("target/fuzz").join(format!("{target}.log"));
    let failed = |error: std::io::Error| format!("{target}: {error}");
    std::fs::create_dir_all(&found).and_then(|()| std::fs::create_dir_all(&artifacts)).map_err(failed)?;
    let output = std::fs::File::create(&log).map_err(failed)?;
    let start = Instant::now();
    let status = Command::new(programs.join(target))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-seed={seed}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=1024", "-print_final_stats=1"])
        // What is found goes to the first folder; the committed seeds are only read.
        .args([found, seeds])
        .stdout(Stdio::null())
        .stderr(output)
        .status()
        .map_err(failed)?;
    let told = std::fs::read(&log).map_err(failed)?;
    let executions = executions(&String::from_utf8_lossy(&told)).ok_or(format!("{}: no figures", log.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Run { target: target.into(), executions, seconds, crashes: u32::from(!status.success()) })
}

/// How often libFuzzer says that it called the target.
fn executions(log: &str) -> Option<u64> {
    log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok())
}

fn table(runs: &[Run]) -> String {
    let mut table = "target,executions,seconds,executions_per_second,crashes\n".to_string();
    for Run { target, executions, seconds, crashes } in runs {
        let rate = *executions as f64 / seconds;
        table += &format!("{target},{executions},{seconds:.0},{rate:.0},{crashes}\n");
    }
    table
}

fn failures(runs: &[Run]) -> Result<(), String> {
    let executions: u64 = runs.iter().map(|run| run.executions).sum();
    println!("    {executions} executions of {} targets", runs.len());
    let crashed: Vec<&str> = runs.iter().filter(|run| run.crashes > 0).map(|run| run.target.as_str()).collect();
    if crashed.is_empty() { Ok(()) } else { Err(format!("{}: see target/fuzz/artifacts", crashed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::{Run, executions, failures, table};

    #[test]
    fn executions_are_read_from_what_the_fuzzer_says_last() {
        let log = "#1024 pulse cov: 12\nstat::number_of_executed_units: 4711\nstat::average_exec_per_sec:     9\n";
        assert_eq!(executions(log), Some(4711));
        assert_eq!(executions("#1024 pulse"), None);
    }

    #[test]
    fn a_crash_fails_and_is_in_the_table() {
        let run = |target: &str, crashes| Run { target: target.into(), executions: 30, seconds: 10.0, crashes };
        let runs = [run("solve", 0), run("step", 1)];
        assert!(table(&runs).ends_with("solve,30,10,3,0\nstep,30,10,3,1\n"));
        assert!(failures(&runs[..1]).is_ok() && failures(&runs).unwrap_err().starts_with("step"));
    }
}
