//! The tests: their names, how long each takes, and which mutants it reaches.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Fallible;

/// Tests that take longer are skipped.
const LONGEST_S: f64 = 4.0;

/// A test of the unmutated copy.
#[derive(Debug, Clone)]
pub struct Test {
    /// The program.
    pub program: PathBuf,
    /// Where it runs.
    pub folder: PathBuf,
    /// Its name there.
    pub name: String,
    /// How long it takes, s.
    pub seconds: f64,
    /// First numbers of the sites that it reaches.
    pub reached: BTreeSet<usize>,
}

/// How a test's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It passed.
    Passed,
    /// It failed, panicked or was stopped by the system.
    Failed,
    /// It ran past its time limit.
    TimedOut,
}

impl Test {
    /// Runs it with a mutant on, for at most a time.
    pub fn run(&self, mutant: Option<usize>, reached: Option<&Path>, most: Duration) -> Fallible<End> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(["--exact", &self.name, "--test-threads=1"]);
        // The same cases every time, and no shrinking: any failure is enough.
        command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_MAX_SHRINK_TIME", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_remove("STICTION_MUTANT").env_remove("STICTION_REACHED").env_remove("STICTION_TESTS");
        if let Some(number) = mutant {
            command.env("STICTION_MUTANT", number.to_string());
        }
        if let Some(path) = reached {
            command.env("STICTION_REACHED", path);
        }
        let (start, mut child) = (Instant::now(), command.spawn()?);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(if status.success() { End::Passed } else { End::Failed });
            }
            if start.elapsed() > most {
                child.kill()?;
                child.wait()?;
                return Ok(End::TimedOut);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Builds the tests of the copy, and runs each alone.
pub fn measure(copy: &Path, state: &Path) -> Fallible<()> {
    let mut text = String::new();
    for (program, folder) in programs(copy, &["stiction", "stiction-cli", "stiction-scenes"])? {
        for name in names(&program, &folder)? {
            let mut test =
                Test { program: program.clone(), folder: folder.clone(), name, seconds: 0.0, reached: BTreeSet::new() };
            let record = state.join("reached");
            let _ = fs::remove_file(&record);
            let start = Instant::now();
            let end = test.run(None, Some(&record), Duration::from_secs_f64(LONGEST_S))?;
            test.seconds = start.elapsed().as_secs_f64();
            let numbers = fs::read_to_string(&record).unwrap_or_default();
            test.reached = numbers.lines().filter_map(|line| line.parse().ok()).collect();
            println!("{end:?} {:.3} s, {} sites: {}", test.seconds, test.reached.len(), test.name);
            if end == End::Passed && !test.reached.is_empty() {
                text += &line(&test);
            }
        }
    }
    fs::write(state.join("tests.tsv"), text)?;
    Ok(())
}

fn line(test: &Test) -> String {
    let reached: Vec<String> = test.reached.iter().map(usize::to_string).collect();
    let (program, folder) = (test.program.display(), test.folder.display());
    format!("{}\t{:.4}\t{program}\t{folder}\t{}\n", test.name, test.seconds, reached.join(" "))
}

/// The tests that were measured.
pub fn read(state: &Path) -> Fallible<Vec<Test>> {
    let text = fs::read_to_string(state.join("tests.tsv"))?;
    text.lines().map(|line| parse(line).ok_or_else(|| "tests.tsv is not as written".into())).collect()
}

fn parse(line: &str) -> Option<Test> {
    let mut words = line.split('\t');
    let (name, seconds) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    let (program, folder) = (words.next()?.into(), words.next()?.into());
    let reached = words.next()?.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(Test { program, folder, name, seconds, reached })
}

/// Cargo in the copy, with a folder of built files of its own: in a shared one cargo takes files of the copy for those
/// of the repository, because packages are known by their paths in the workspace.
pub fn cargo(copy: &Path) -> Fallible<Command> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(copy).env("CARGO_TARGET_DIR", fs::canonicalize(copy)?.join("target"));
    Ok(cargo)
}

/// Test programs of some packages, and the folder of their package, where cargo would run them.
pub fn programs(copy: &Path, packages: &[&str]) -> Fallible<Vec<(PathBuf, PathBuf)>> {
    let output = cargo(copy)?
        .args(["test", "--offline", "--tests", "--no-run", "--message-format=json"])
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the tests of the copy do not build".into());
    }
    let mut programs = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        if message["profile"]["test"] != true {
            continue;
        }
        if let (Some(program), Some(manifest)) = (message["executable"].as_str(), message["manifest_path"].as_str()) {
            let folder = Path::new(manifest).parent().ok_or("a manifest without a folder")?;
            programs.push((program.into(), folder.to_path_buf()));
        }
    }
    Ok(programs)
}

/// The names of a program's tests.
pub fn names(program: &Path, folder: &Path) -> Fallible<Vec<String>> {
    let output = Command::new(program).args(["--list", "--format", "terse"]).current_dir(folder).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}
