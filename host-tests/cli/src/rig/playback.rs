//! Taking every recorded frame again and comparing bit by bit.

use std::path::Path;

use rusqlite::Connection;

use super::import::{Again, Input, again, read};
use super::reading::open;
use super::recording::failed;

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Playback {
    /// Every solve gave the recorded bits.
    Identical {
        /// How many solves there were.
        solves: u64,
        /// In how many frames.
        frames: u64,
    },
    /// The first solve that did not.
    Differs {
        /// Its frame and substep, from 1.
        at: (u64, u64),
        /// Where: a body, one of its scalars, and the lowest differing bit.
        place: String,
    },
}

/// One step or solve as it is in the file.
struct Recorded {
    frame: u64,
    substep: u64,
    blocks: Vec<u8>,
    states: Vec<u8>,
}

/// Solves every frame of a recording again, up to the first difference. `progress` is called with the number of frames
/// done.
pub fn replay(path: &Path, mut progress: impl FnMut(u64)) -> Result<Playback, String> {
    let shown = path.display().to_string();
    let connection = open(path)?;
    let names = body_names(&connection).map_err(|error| failed(&shown, &error))?;
    let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, u64>(0));
    let planned = count("SELECT count(*) FROM frames").map_err(|error| failed(&shown, &error))?;
    let imported = names.is_empty() && planned == 0;
    let mut statement = connection
        .prepare("SELECT frame, substep, blocks, states FROM solves ORDER BY frame, substep")
        .map_err(|error| failed(&shown, &error))?;
    let rows = statement
        .query_map([], |row| {
            Ok(Recorded { frame: row.get(0)?, substep: row.get(1)?, blocks: row.get(2)?, states: row.get(3)? })
        })
        .map_err(|error| failed(&shown, &error))?;
    let (mut solves, mut frames, mut last) = (0, 0, None);
    for row in rows {
        let recorded = row.map_err(|error| failed(&shown, &error))?;
        let again = compute_again(&recorded)
            .map_err(|reason| format!("{shown}: frame {}, substep {}: {reason}", recorded.frame, recorded.substep))?;
        if let Some(place) = first_difference(&recorded, &again, &names, imported) {
            return Ok(Playback::Differs { at: (recorded.frame, recorded.substep), place });
        }
        solves += 1;
        if last != Some(recorded.frame) {
            frames += 1;
            last = Some(recorded.frame);
        }
        progress(solves);
    }
    if !imported && (frames != planned || last.unwrap_or(0) != planned) {
        return Err(format!("{shown}: {planned} frames, but solves of {frames}: it is damaged"));
    }
    Ok(Playback::Identical { solves, frames })
}

/// The second result beside the recorded one.
struct Compared {
    states: Vec<u8>,
    scalar_bytes: usize,
    is_step: bool,
    same_digest: bool,
}

fn compute_again(recorded: &Recorded) -> Result<Compared, String> {
    let (inputs, outcomes, rest) = read(&recorded.blocks);
    if let Some(error) = rest {
        return Err(error.to_string());
    }
    let (input, outcome) = (inputs.last().ok_or("no input recorded")?, outcomes.last());
    let Again { solve, digest } = again(input, outcome)?;
    Ok(Compared {
        states: solve.states,
        scalar_bytes: input.scalar_bytes(),
        is_step: matches!(input, Input::Step(_)),
        same_digest: outcome.is_none_or(|outcome| outcome.digest == digest),
    })
}

fn first_difference(recorded: &Recorded, again: &Compared, names: &[String], imported: bool) -> Option<String> {
    // Imported dumps have a digest only.
    if recorded.states.is_empty() && imported {
        return (!again.same_digest).then(|| "the digest of all velocities".into());
    }
    if recorded.states.len() != again.states.len() {
        return Some("the number of velocities".into());
    }
    let pairs = recorded.states.chunks(again.scalar_bytes).zip(again.states.chunks(again.scalar_bytes));
    let (at, (then, now)) = pairs.enumerate().find(|(_, (then, now))| then != now)?;
    let bit = then.iter().zip(now).enumerate().find_map(|(byte, (a, b))| {
        let difference = a ^ b;
        (difference != 0).then(|| 8 * byte + difference.trailing_zeros() as usize)
    })?;
    let parts = if again.is_step { &STATE[..] } else { &STATE[7..] };
    let (part, body) = (parts[at % parts.len()], at / parts.len());
    let name = names.get(body).map_or_else(|| format!("body {body}"), Clone::clone);
    Some(format!("{part} of {name}, bit {bit}"))
}

/// The scalars of a body after a step; the last six are those after a solve.
const STATE: [&str; 13] = [
    "position.x",
    "position.y",
    "position.z",
    "orientation.x",
    "orientation.y",
    "orientation.z",
    "orientation.w",
    "linear.x",
    "linear.y",
    "linear.z",
    "angular.x",
    "angular.y",
    "angular.z",
];

fn body_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM body_names ORDER BY body")?.query_map([], |row| row.get(0))?.collect()
}
