//! Runs steps one after the other, says how it goes, and closes with a count.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use stiction_tasks::{Check, Outcome, SKIPPED, root};

use crate::steps::{STEPS, Step, Tier};

/// A step that prints nothing for so long says that it is still running.
const SILENCE: Duration = Duration::from_secs(30);

/// What was asked for.
struct Plan {
    all: bool,
    list: bool,
    words: Vec<String>,
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan { all: false, list: false, words: Vec::new() };
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

/// The steps of a tier, or those of both whose name contains one of the words.
fn chosen(plan: &Plan) -> Result<Vec<&'static Step>, String> {
    let other = if plan.all { Tier::First } else { Tier::All };
    if plan.words.is_empty() {
        return Ok(STEPS.iter().filter(|step| step.tier != other).collect());
    }
    if let Some(word) = plan.words.iter().find(|word| !STEPS.iter().any(|step| step.name.contains(word.as_str()))) {
        return Err(format!("cargo verify: no step's name contains '{word}' (cargo verify --list names them)"));
    }
    let named = |step: &&Step| plan.words.iter().any(|word| step.name.contains(word.as_str()));
    Ok(STEPS.iter().filter(named).collect())
}

/// Runs what was asked for, even after a failure.
pub fn verify(arguments: &[String]) -> ExitCode {
    let (plan, steps) = match plan(arguments).and_then(|plan| chosen(&plan).map(|steps| (plan, steps))) {
        Ok(chosen) => chosen,
        Err(line) => {
            eprintln!("{line}");
            return ExitCode::from(2);
        }
    };
    if plan.list {
        for step in STEPS {
            let tier = match step.tier {
                Tier::First => "cargo verify       ",
                Tier::Both => "both               ",
                Tier::All => "cargo verify --all ",
            };
            println!("{tier} {}", step.name);
        }
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let (mut passed, mut skipped, mut failed) = (0, Vec::new(), Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let (number, left) = (index + 1, steps.len() - index - 1);
        println!("==> [{number}/{}] {} ({} so far, {left} left)", steps.len(), step.name, clock(begin));
        let start = Instant::now();
        match run(step) {
            Ok(Outcome::Passed) => {
                passed += 1;
                println!("    passed in {:.0} s", start.elapsed().as_secs_f64());
            }
            Ok(Outcome::Skipped(reason)) => {
                println!("    skipped after {:.0} s: {reason}", start.elapsed().as_secs_f64());
                skipped.push((step.name, reason));
            }
            Err(reason) => {
                println!("    FAILED after {:.0} s: {reason}", start.elapsed().as_secs_f64());
                failed.push((step.name, reason));
            }
        }
    }
    println!("==> {} in all", clock(begin));
    skipped.iter().for_each(|(name, reason)| println!("skipped: {name}: {reason}"));
    failed.iter().for_each(|(name, reason)| println!("FAILED: {name}: {reason}"));
    println!("verify: {passed} passed, {} failed, {} skipped", failed.len(), skipped.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn clock(begin: Instant) -> String {
    let seconds = begin.elapsed().as_secs();
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}

/// Runs a step's commands; the error names the one that repeats what failed.
fn run(step: &Step) -> Check {
    if let Err(reason) = (step.needs)() {
        return Ok(Outcome::Skipped(reason));
    }
    for line in step.commands {
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap_or(""));
        command.args(words).current_dir(root().join(step.folder)).envs(step.env.iter().copied());
        let (code, last) = follow(&mut command).map_err(|error| format!("{line}: {error}"))?;
        match code {
            Some(0) => {}
            Some(code) if code == i32::from(SKIPPED) => {
                return Ok(Outcome::Skipped(last.strip_prefix("skipped: ").unwrap_or(&last).into()));
            }
            _ => return Err(format!("to repeat it: {}", typed(step, line))),
        }
    }
    Ok(Outcome::Passed)
}

/// A command as one would type it in the repository.
fn typed(step: &Step, line: &str) -> String {
    let env: String = step.env.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    if step.folder == "." { format!("{env}{line}") } else { format!("(cd {} && {env}{line})", step.folder) }
}

/// Runs a command and hands on its lines; gives its exit code and its last line.
fn follow(command: &mut Command) -> std::io::Result<(Option<i32>, String)> {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let (send, lines) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
    }
    let mut last = String::new();
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => {
                println!("{line}");
                last = line;
            }
            Err(RecvTimeoutError::Timeout) => println!("    ... {} s", begin.elapsed().as_secs()),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok((child.wait()?.code(), last))
}
