//! Runs steps in two lanes, reports progress, and prints the number of failures at the end.
//!
//! Steps of one lane share a folder of built files, which cargo locks, so they follow one another. The other lane links
//! firmware, libraries and pages in folders of their own, mostly on one core: side by side the two keep two cores busy.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use stiction_tasks::{Check, Outcome, SKIPPED, read, root};

use crate::steps::{Lane, STEPS, Step, Tier};

/// How often the running steps are printed.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Checks look for what cargo built in `target`, so no step builds elsewhere.
const TARGET_DIR: &str = "CARGO_TARGET_DIR";

/// Lines of its log that a failed step shows.
const SHOWN: usize = 60;

/// The command-line request.
#[derive(Default)]
struct Plan {
    all: bool,
    list: bool,
    words: Vec<String>,
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan::default();
    for word in arguments {
        match word.as_str() {
            "--all" => plan.all = true,
            "--list" => plan.list = true,
            option if option.starts_with('-') => return Err(format!("cargo verify: unknown option {option}")),
            word => plan.words.push(word.into()),
        }
    }
    Ok(plan)
}

/// The steps of a tier, or those whose name contains one of the words: those of the tier if there are such, else of the
/// other.
fn chosen(plan: &Plan) -> Result<Vec<&'static Step>, String> {
    let other = if plan.all { Tier::First } else { Tier::All };
    let in_tier = |step: &Step| step.tier != other;
    if plan.words.is_empty() {
        return Ok(STEPS.iter().filter(|step| in_tier(step)).collect());
    }
    let mut wanted = vec![false; STEPS.len()];
    for word in &plan.words {
        let named: Vec<usize> = (0..STEPS.len()).filter(|i| STEPS[*i].name.contains(word.as_str())).collect();
        if named.is_empty() {
            return Err(format!("cargo verify: no step's name contains '{word}' (cargo verify --list names them)"));
        }
        let any_in_tier = named.iter().any(|i| in_tier(&STEPS[*i]));
        named.iter().filter(|i| !any_in_tier || in_tier(&STEPS[**i])).for_each(|i| wanted[*i] = true);
    }
    Ok(STEPS.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(step, _)| step).collect())
}

/// Runs all requested steps, also after a failure.
pub fn verify(arguments: &[String]) -> ExitCode {
    let (plan, steps) = match plan(arguments).and_then(|plan| chosen(&plan).map(|steps| (plan, steps))) {
        Ok(chosen) => chosen,
        Err(line) => {
            eprintln!("{line}");
            return ExitCode::from(2);
        }
    };
    if plan.list {
        STEPS.iter().for_each(|step| println!("{:18}  {}", step.tier.command(), step.name));
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    if let Err(reason) = prepare(&steps) {
        eprintln!("{reason}");
        return ExitCode::FAILURE;
    }
    let ended = run_lanes(&steps, begin);
    let skipped: Vec<_> =
        ended.iter().filter_map(|(step, check)| Some((step, check.as_ref().ok()?.reason()?))).collect();
    let failed: Vec<_> = ended.iter().filter_map(|(step, check)| Some((step, check.as_ref().err()?))).collect();
    println!("==> all steps ended after {}", clock(begin));
    skipped.iter().for_each(|(step, reason)| println!("skipped: {}: {reason}", step.name));
    failed.iter().for_each(|(step, reason)| println!("FAILED: {}: {reason}", step.name));
    let passed = ended.len() - skipped.len() - failed.len();
    println!("verify: {passed} passed, {} failed, {} skipped", failed.len(), skipped.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn clock(begin: Instant) -> String {
    let seconds = begin.elapsed().as_secs();
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}

/// Builds the programs that steps run, so that a lane need not wait for another's build.
fn prepare(steps: &[&Step]) -> Result<(), String> {
    let logs = logs();
    std::fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let mut build = Command::new("cargo");
    build.arg("build").current_dir(root()).env_remove(TARGET_DIR);
    let mut packages: Vec<&str> =
        steps.iter().flat_map(|step| step.commands).filter_map(|line| package(line)).collect();
    packages.dedup();
    if packages.is_empty() {
        return Ok(());
    }
    println!("==> building the programs that check (a minute in a new clone)");
    for package in packages {
        build.args(["--package", package]);
    }
    let status = build.status().map_err(|error| format!("{build:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{build:?} ended with {status}")) }
}

/// The package of the check that a command line runs.
fn package(line: &str) -> Option<&str> {
    line.split(' ').next().filter(|program| program.starts_with("stiction-"))
}

/// Where the output of steps is kept.
fn logs() -> PathBuf {
    root().join("target/verify")
}

/// Messages from the lanes.
enum News {
    Began(usize),
    Ended(usize, Check),
}

fn run_lanes(steps: &[&'static Step], begin: Instant) -> Vec<(&'static Step, Check)> {
    let (send, news) = channel();
    let mut ended = Vec::new();
    std::thread::scope(|scope| {
        for lane in [Lane::Workspace, Lane::Beside] {
            let send = send.clone();
            scope.spawn(move || run_lane(steps, lane, &send));
        }
        drop(send);
        let mut running: Vec<(usize, Instant)> = Vec::new();
        loop {
            let left = steps.len() - ended.len() - running.len();
            match news.recv_timeout(HEARTBEAT) {
                Ok(News::Began(index)) => {
                    println!(
                        "==> [{}/{}] {} ({}, {} left)",
                        index + 1,
                        steps.len(),
                        steps[index].name,
                        clock(begin),
                        left - 1
                    );
                    running.push((index, Instant::now()));
                }
                Ok(News::Ended(index, check)) => {
                    let start = running.iter().find(|(other, _)| *other == index).map_or(begin, |(_, start)| *start);
                    running.retain(|(other, _)| *other != index);
                    report(steps[index], &check, start);
                    ended.push((steps[index], check));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let names: Vec<&str> = running.iter().map(|(index, _)| steps[*index].name).collect();
                    println!("    ... {}, running: {}", clock(begin), names.join("; "));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    ended
}

fn run_lane(steps: &[&'static Step], lane: Lane, news: &Sender<News>) {
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.lane == lane) {
        // The receiver is gone only when the program ends.
        let _ = news.send(News::Began(index));
        let _ = news.send(News::Ended(index, run(step, &log_of(step))));
    }
}

/// Where a step's output is kept: a file with its name.
fn log_of(step: &Step) -> PathBuf {
    let name: String = step.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    logs().join(format!("{name}.log"))
}

/// Prints how a step ended: its figures, or the end of its log.
fn report(step: &Step, check: &Check, start: Instant) {
    let log = read(&log_of(step)).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    let (name, seconds) = (step.name, start.elapsed().as_secs());
    match check {
        Ok(outcome) => {
            lines.iter().filter(|line| is_figure(line)).for_each(|line| println!("{line}"));
            match outcome.reason() {
                None => println!("    passed in {seconds} s: {name}"),
                Some(reason) => println!("    skipped after {seconds} s: {name}: {reason}"),
            }
        }
        Err(reason) => {
            lines[lines.len().saturating_sub(SHOWN)..].iter().for_each(|line| println!("{line}"));
            println!("    FAILED after {seconds} s: {name}: {reason}");
            println!("    all that it printed: {}", log_of(step).display());
        }
    }
}

/// Whether a line is a result: checks indent theirs and begin in lower case, which cargo's own lines do not.
fn is_figure(line: &str) -> bool {
    let first = line.strip_prefix("    ").and_then(|rest| rest.chars().next());
    let of_tests = line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed");
    of_tests || first.is_some_and(|first| first.is_lowercase() || first.is_numeric())
}

/// Runs a step's commands, their output into a file; the error names the one that repeats what failed.
fn run(step: &Step, log: &PathBuf) -> Check {
    if let Err(reason) = (step.needs)() {
        // No log of an earlier run.
        let _ = std::fs::remove_file(log);
        return Ok(Outcome::Skipped(reason));
    }
    let failed = |error: std::io::Error| format!("{}: {error}", log.display());
    let out = File::create(log).map_err(failed)?;
    for line in step.commands {
        let mut words = line.split(' ');
        let program = words.next().unwrap_or("");
        let built = root().join("target/debug").join(program);
        let mut command = if package(line).is_some() { Command::new(built) } else { Command::new(program) };
        command.args(words).current_dir(root().join(step.folder)).env_remove(TARGET_DIR).envs(step.env.iter().copied());
        command.stdin(Stdio::null());
        command.stdout(out.try_clone().map_err(failed)?).stderr(out.try_clone().map_err(failed)?);
        let status = command.status().map_err(|error| format!("{line}: {error}"))?;
        match status.code() {
            Some(0) => {}
            Some(code) if code == i32::from(SKIPPED) => {
                let text = read(log)?;
                let last = text.lines().rev().find_map(|line| line.strip_prefix("skipped: "));
                return Ok(Outcome::Skipped(last.unwrap_or("for no reason that it gave").into()));
            }
            _ => return Err(format!("to repeat it: {}", typed(step, line))),
        }
    }
    Ok(Outcome::Passed)
}

/// A command as one would type it in the repository.
fn typed(step: &Step, line: &str) -> String {
    let env: String = step.env.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    let line = match package(line) {
        Some(package) => line.replacen(package, &format!("cargo run --quiet --package {package} --"), 1),
        None => line.to_string(),
    };
    if step.folder == "." { format!("{env}{line}") } else { format!("(cd {} && {env}{line})", step.folder) }
}

#[cfg(test)]
mod tests {
    use super::{Plan, chosen, plan, typed};
    use crate::steps::{STEPS, Tier};

    fn words(text: &str) -> Plan {
        plan(&text.split_whitespace().map(String::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn each_tier_has_its_steps_and_words_choose_among_both() {
        let count = |plan: &Plan| chosen(plan).unwrap().len();
        let of = |tier| STEPS.iter().filter(|step| step.tier == tier).count();
        assert_eq!(count(&words("")), of(Tier::First) + of(Tier::Both));
        assert_eq!(count(&words("--all")), of(Tier::All) + of(Tier::Both));
        assert!(chosen(&words("fuzz")).unwrap().iter().all(|step| step.name.contains("fuzz")));
        let tiers = |text: &str| chosen(&words(text)).unwrap().iter().map(|step| step.tier).collect::<Vec<_>>();
        assert!(tiers("linker") == [Tier::First] && tiers("--all linker") == [Tier::All]);
        assert!(chosen(&words("no-such-step")).is_err() && plan(&["--every".into()]).is_err());
    }

    #[test]
    fn a_step_is_repeated_by_a_command_that_can_be_typed() {
        let step = STEPS.iter().find(|step| step.name.starts_with("same bits")).unwrap();
        assert_eq!(
            typed(step, step.commands[0]),
            "cargo run --quiet --package stiction-board-checks -- bits-without-m3 3"
        );
        let step = STEPS.iter().find(|step| step.name == "lints of the firmware").unwrap();
        assert!(typed(step, step.commands[0]).starts_with("(cd embedded-example && cargo clippy"));
    }
}
