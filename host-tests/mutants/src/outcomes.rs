//! The tables: mutants, their outcomes and the score.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Fallible;

/// A mutant of the list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its number.
    pub number: usize,
    /// The first number of its site.
    pub site: usize,
    /// Viable, unviable or skipped.
    pub standing: String,
    /// Its name.
    pub name: String,
}

/// The outcome of a mutant.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Killed, survived or unreached.
    pub outcome: String,
    /// The test that failed.
    pub test: String,
}

/// All mutants of the list.
pub fn listed(state: &Path) -> Fallible<Vec<Listed>> {
    let text = fs::read_to_string(state.join("mutants.tsv"))?;
    text.lines().map(|line| parse(line).ok_or_else(|| "mutants.tsv is not as written".into())).collect()
}

fn parse(line: &str) -> Option<Listed> {
    let mut words = line.split('\t');
    Some(Listed {
        number: words.next()?.parse().ok()?,
        site: words.next()?.parse().ok()?,
        standing: words.next()?.to_owned(),
        name: words.next()?.to_owned(),
    })
}

/// The outcomes so far, from all shards and runs.
pub fn known(state: &Path) -> Fallible<BTreeMap<usize, Outcome>> {
    let mut known = BTreeMap::new();
    for entry in fs::read_dir(state)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with("outcomes-") {
            gather(&fs::read_to_string(path)?, &mut known);
        }
    }
    Ok(known)
}

fn gather(text: &str, known: &mut BTreeMap<usize, Outcome>) {
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [number, outcome, test, _] = words.as_slice() else { continue };
        let Ok(number) = number.parse() else { continue };
        let before = known.get(&number).map_or(0, |before: &Outcome| rank(&before.outcome));
        if rank(outcome) >= before {
            known.insert(number, Outcome { outcome: (*outcome).to_owned(), test: (*test).to_owned() });
        }
    }
}

/// Of two runs with different tests, the more informative outcome.
fn rank(outcome: &str) -> u8 {
    match outcome {
        "killed" => 3,
        "survived" => 2,
        _ => 1,
    }
}

/// Prints the score, by file, and writes all mutants with their outcomes.
pub fn summary(state: &Path) -> Fallible<()> {
    let known = known(state)?;
    let mut files = BTreeMap::<String, BTreeMap<String, usize>>::new();
    let mut text = String::new();
    for mutant in listed(state)? {
        let (outcome, test) = match known.get(&mutant.number) {
            _ if mutant.standing != "viable" => (mutant.standing.clone(), "-"),
            Some(known) => (known.outcome.clone(), known.test.as_str()),
            None => ("waiting".to_owned(), "-"),
        };
        text += &format!("{}\t{outcome}\t{test}\t{}\n", mutant.number, mutant.name);
        let file = mutant.name.split(':').next().unwrap_or_default().to_owned();
        *files.entry(file).or_default().entry(outcome.clone()).or_default() += 1;
        *files.entry("all".into()).or_default().entry(outcome).or_default() += 1;
    }
    for (file, counts) in &files {
        println!("{file}: {}", score(counts));
    }
    fs::write(state.join("all.tsv"), text)?;
    Ok(())
}

fn score(counts: &BTreeMap<String, usize>) -> String {
    let of = |word: &str| counts.get(word).copied().unwrap_or_default();
    let (killed, judged) = (of("killed"), of("killed") + of("survived") + of("unreached"));
    let percent = 100.0 * killed as f64 / judged.max(1) as f64;
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{word} {count}")).collect();
    format!("{percent:.1} % of {judged} ({})", counts.join(", "))
}
