//! The mutants that cargo-mutants lists, in the order of their positions, numbered from 0.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::Fallible;

/// A position in a file: line and column, both from 1, columns in characters.
pub type Position = (u64, u64);

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Genre {
    /// The whole body of a function.
    Function,
    /// An operator with two operands.
    Binary,
    /// An operator with one.
    Unary,
    /// A match arm.
    Arm,
    /// The condition of a match arm.
    Guard,
    /// A field that `..base` would give as well.
    Field,
}

/// One mutant.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Relative to the repository.
    pub file: String,
    /// What is changed.
    pub genre: Genre,
    /// Where it begins; for functions, where the function ends, which is the only position on which both sides agree.
    pub position: Position,
    /// The replacement text.
    pub replacement: String,
    /// Its full name.
    pub name: String,
}

impl Mutant {
    /// Whether both are at the same position.
    pub fn shares_its_site_with(&self, other: &Mutant) -> bool {
        (&self.file, self.genre, self.position) == (&other.file, other.genre, other.position)
    }
}

/// Reads what `cargo mutants --list --json` printed.
pub fn read(path: &Path) -> Fallible<Vec<Mutant>> {
    let list: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let entries = list.as_array().ok_or("not a list")?;
    let mut mutants = entries.iter().map(mutant).collect::<Option<Vec<_>>>().ok_or("not a list of mutants")?;
    mutants.sort_by_cached_key(|m| (m.file.clone(), m.genre, m.position));
    Ok(mutants)
}

fn mutant(entry: &Value) -> Option<Mutant> {
    let genre = match entry["genre"].as_str()? {
        "FnValue" => Genre::Function,
        "BinaryOperator" => Genre::Binary,
        "UnaryOperator" => Genre::Unary,
        "MatchArm" => Genre::Arm,
        "MatchArmGuard" => Genre::Guard,
        "StructField" => Genre::Field,
        _ => return None,
    };
    let position = match genre {
        Genre::Function => &entry["function"]["span"]["end"],
        _ => &entry["span"]["start"],
    };
    Some(Mutant {
        file: entry["file"].as_str()?.to_owned(),
        genre,
        position: (position["line"].as_u64()?, position["column"].as_u64()?),
        replacement: entry["replacement"].as_str()?.to_owned(),
        name: entry["name"].as_str()?.to_owned(),
    })
}

/// The numbers of a file's mutants, by kind and position. Those of one position are consecutive.
pub fn by_position(mutants: &[Mutant], file: &str) -> BTreeMap<(Genre, Position), Vec<usize>> {
    let mut positions = BTreeMap::<_, Vec<usize>>::new();
    for (number, mutant) in mutants.iter().enumerate().filter(|(_, m)| m.file == file) {
        positions.entry((mutant.genre, mutant.position)).or_default().push(number);
    }
    positions
}
