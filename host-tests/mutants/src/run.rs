//! Runs each mutant against the tests that reach it, until one fails.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Fallible;
use crate::outcomes::{self, Listed};
use crate::suite::{self, End, Test};

/// How to run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The shard's number, from 1, and the number of shards.
    shard: (usize, usize),
    /// Seconds of tests a mutant is given.
    budget: f64,
    /// Whether mutants that survived before are tried again.
    again: bool,
}

impl Options {
    /// From the command-line words after the folders.
    pub fn read(words: &[&str]) -> Fallible<Self> {
        let mut options = Options { shard: (1, 1), budget: 30.0, again: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or("a value is missing");
            match *word {
                "--shard" => {
                    let (k, n) = value()?.split_once('/').ok_or("a shard is K/N")?;
                    options.shard = (k.parse()?, n.parse()?);
                }
                "--budget" => options.budget = value()?.parse()?,
                "--again" => options.again = true,
                _ => return Err(format!("unknown: {word}").into()),
            }
        }
        Ok(options)
    }

    fn mine(&self, number: usize) -> bool {
        number % self.shard.1 == self.shard.0 - 1
    }
}

/// A test with how often it was run and how often it failed: tests that are likely to fail soon go first.
struct Candidate {
    test: Test,
    tries: f64,
    kills: f64,
}

impl Candidate {
    fn promise(&self) -> f64 {
        (self.kills + 0.5) / (self.tries + 1.0) / (self.test.seconds + 0.01)
    }
}

/// Runs a shard and appends the outcomes; known ones are not run again.
pub fn run(state: &Path, options: &Options) -> Fallible<()> {
    let mutants = outcomes::listed(state)?;
    let known = outcomes::known(state)?;
    let settled = |number: usize| known.get(&number).is_some_and(|o| !options.again || o.outcome == "killed");
    let mut candidates: Vec<_> =
        suite::read(state)?.into_iter().map(|test| Candidate { test, tries: 0.0, kills: 0.0 }).collect();
    let todo: Vec<_> =
        mutants.iter().filter(|m| m.standing == "viable" && options.mine(m.number) && !settled(m.number)).collect();
    let name = format!("outcomes-{}-{}.tsv", options.shard.0, options.shard.1);
    let mut file = OpenOptions::new().append(true).create(true).open(state.join(name))?;
    for (done, mutant) in todo.iter().enumerate() {
        let line = judge(mutant, &mut candidates, options.budget)?;
        writeln!(file, "{}\t{line}", mutant.number)?;
        if done % 50 == 0 {
            println!("{done} of {}", todo.len());
        }
    }
    Ok(())
}

/// Outcome, the test that failed, and how many passed.
fn judge(mutant: &Listed, candidates: &mut [Candidate], budget: f64) -> Fallible<String> {
    let reaching = |c: &Candidate| c.test.reached.contains(&mutant.site);
    let mut order: BTreeSet<usize> = (0..candidates.len()).filter(|i| reaching(&candidates[*i])).collect();
    if order.is_empty() {
        return Ok("unreached\t-\t0".into());
    }
    let (start, mut passed) = (Instant::now(), 0);
    while let Some(best) =
        order.iter().copied().max_by(|a, b| candidates[*a].promise().total_cmp(&candidates[*b].promise()))
    {
        order.remove(&best);
        let candidate = &mut candidates[best];
        if start.elapsed().as_secs_f64() + candidate.test.seconds > budget {
            continue;
        }
        candidate.tries += 1.0;
        let most = Duration::from_secs_f64(5.0 * candidate.test.seconds + 2.0);
        match candidate.test.run(Some(mutant.number), None, most)? {
            End::Passed => passed += 1,
            end => {
                candidate.kills += 1.0;
                let how = if end == End::TimedOut { " (late)" } else { "" };
                return Ok(format!("killed\t{}{how}\t{passed}", candidate.test.name));
            }
        }
    }
    Ok(format!("survived\t-\t{passed}"))
}
