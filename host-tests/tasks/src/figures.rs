//! Committed figures, one `NAME VALUE` a line, and how far a fresh one may be from them.

use std::path::Path;

use crate::{draws, read};

/// A figure by name.
pub type Figure = (String, u64);

/// `NAME VALUE`.
pub fn parse(line: &str) -> Result<Figure, String> {
    let parsed = line.rsplit_once(' ').and_then(|(name, value)| Some((name.to_string(), value.parse().ok()?)));
    parsed.ok_or_else(|| format!("'{line}' is not a name and a number"))
}

/// The committed figures; those of now are written first where `STICTION_DRAW` is set.
pub fn committed(root: &Path, file: &str, now: &[Figure]) -> Result<Vec<Figure>, String> {
    let path = root.join(file);
    if draws() {
        let text: String = now.iter().map(|(name, value)| format!("{name} {value}\n")).collect();
        std::fs::write(&path, text).map_err(|error| format!("{file}: {error}"))?;
    }
    let committed: Vec<Figure> = read(&path)?.lines().map(parse).collect::<Result<_, _>>()?;
    if committed.len() == now.len() {
        Ok(committed)
    } else {
        Err(format!("{file} has {} figures, {} were counted: {UPDATE}", committed.len(), now.len()))
    }
}

/// How committed figures are brought up to date.
pub const UPDATE: &str = "to update it, run the same command with STICTION_DRAW=1";

/// Compares figures with a committed file, each within a share of the committed value and a number of units.
pub fn compare(root: &Path, file: &str, now: &[Figure], share: f64, units: u64) -> Result<(), String> {
    let committed = committed(root, file, now)?;
    for (name, value) in now {
        let known = committed.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let known = known.ok_or_else(|| format!("{file} does not have {name} {value}: {UPDATE}"))?;
        if (*value as f64 - known as f64).abs() > share * known as f64 + units as f64 {
            return Err(format!("{file}: {name} is {value}, committed is {known}: {UPDATE}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_figure_is_a_name_that_may_have_spaces_and_a_number() {
        assert_eq!(super::parse("solve 3 guard 12"), Ok(("solve 3 guard".into(), 12)));
        assert!(super::parse("stick_visit").is_err() && super::parse("stick_visit -1").is_err());
    }
}
