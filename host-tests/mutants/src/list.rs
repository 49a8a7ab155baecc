//! The mutants that cargo-mutants names, in the order of their places, numbered from 0.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::Fallible;

/// A place in a file: line and column, both from 1, columns in characters.
pub type InputField = (u64, u64);

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
    /// Where it begins; for functions, where the function ends, which is the one place that both sides agree on.
    pub place: InputField,
    /// What stands there instead.
    pub replacement: String,
    /// Its full name.
    pub name: String,
}

impl Mutant {
    /// Whether both are at one place.
    pub fn shares_its_site_with(&self, other: &Mutant) -> bool {
        (&self.file, self.genre, self.place) == (&other.file, other.genre, other.place)
    }
}

/// Reads what `cargo mutants --list --json` printed.
pub fn read(path: &Path) -> Fallible<Vec<Mutant>> {
    let list: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let entries = list.as_array().ok_or("not a list")?;
    let mut mutants = entries.iter().map(mutant).collect::<Option<Vec<_>>>().ok_or("not a list of mutants")?;
    mutants.sort_by_cached_key(|m| (m.file.clone(), m.genre, m.place));
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
    let place = match genre {
        Genre::Function => &entry["function"]["span"]["end"],
        _ => &entry["span"]["start"],
    };
    Some(Mutant {
        file: entry["file"].as_str()?.to_owned(),
        genre,
        place: (place["line"].as_u64()?, place["column"].as_u64()?),
        replacement: entry["replacement"].as_str()?.to_owned(),
        name: entry["name"].as_str()?.to_owned(),
    })
}

/// The numbers of a file's mutants, by what and where. Those of one place follow each other.
pub fn by_place(mutants: &[Mutant], file: &str) -> BTreeMap<(Genre, InputField), Vec<usize>> {
    let mut places = BTreeMap::<_, Vec<usize>>::new();
    for (number, mutant) in mutants.iter().enumerate().filter(|(_, m)| m.file == file) {
        places.entry((mutant.genre, mutant.place)).or_default().push(number);
    }
    places
}
