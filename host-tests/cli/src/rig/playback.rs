//! Solving every recorded frame again and comparing bit by bit.

use std::path::Path;

use rusqlite::Connection;
use stiction::record::{RecordedBlock, blocks};
use stiction::{Bodies, Contacts, Real, Solver};

use super::reading::open;
use super::recording::failed;
use stiction_testkit::capacity::direct_memory_for;

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
        /// Where: a body, one of its six velocities, and the lowest differing bit.
        place: String,
    },
}

/// One solve as it is in the file.
struct Recorded {
    frame: u64,
    substep: u64,
    blocks: Vec<u8>,
    velocities: Vec<u8>,
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
        .prepare("SELECT frame, substep, blocks, velocities FROM solves ORDER BY frame, substep")
        .map_err(|error| failed(&shown, &error))?;
    let rows = statement
        .query_map([], |row| {
            Ok(Recorded { frame: row.get(0)?, substep: row.get(1)?, blocks: row.get(2)?, velocities: row.get(3)? })
        })
        .map_err(|error| failed(&shown, &error))?;
    let (mut solves, mut frames, mut last) = (0, 0, None);
    for row in rows {
        let recorded = row.map_err(|error| failed(&shown, &error))?;
        let again = solve_again(&recorded)
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

/// Compares the second result of a solve with the recorded one.
struct Again {
    velocities: Vec<u8>,
    scalar_bytes: usize,
    digest: u64,
    recorded_digest: Option<u64>,
}

fn solve_again(recorded: &Recorded) -> Result<Again, String> {
    let (mut input, mut outcome) = (None, None);
    for block in blocks(&recorded.blocks) {
        match block.map_err(|error| error.to_string())? {
            RecordedBlock::Input(block) => input = Some(block),
            RecordedBlock::Outcome(block) => outcome = Some(block),
        }
    }
    let input = input.ok_or("no input recorded")?;
    let stopped_at = outcome.and_then(|outcome| outcome.stopped_at);
    let small = input.bodies <= 64 && input.contacts <= 512;
    let (velocities, digest) = match (input.scalar_bytes, small) {
        (4, true) => sized::<f32, 64, 512>(&input, stopped_at),
        (4, false) => sized::<f32, 512, 4096>(&input, stopped_at),
        (_, true) => sized::<f64, 64, 512>(&input, stopped_at),
        (_, false) => sized::<f64, 512, 4096>(&input, stopped_at),
    }?;
    let scalar_bytes = usize::from(input.scalar_bytes);
    Ok(Again { velocities, scalar_bytes, digest, recorded_digest: outcome.map(|outcome| outcome.digest) })
}

fn sized<T: Real, const NB: usize, const NC: usize>(
    input: &stiction::record::InputBlock<'_>,
    stopped_at: Option<u32>,
) -> Result<(Vec<u8>, u64), String> {
    let (mut bodies, mut contacts) = (Box::new(Bodies::<T, NB>::new()), Box::new(Contacts::<T, NC>::new()));
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let mut direct_memory = direct_memory_for(NC.max(input.conditions.direct.contacts as usize))
        .map_err(|error| format!("memory: {error}"))?;
    let digest = input
        .solve(stopped_at, &mut bodies, &mut contacts, &mut solver, Some(direct_memory.view()), None)
        .map_err(|error| error.to_string())?;
    let mut velocities = Vec::new();
    for (linear, angular) in bodies.linear_velocities().iter().zip(bodies.angular_velocities()) {
        for value in linear.iter().chain(angular.iter()) {
            velocities.extend(&value.to_le_padded()[..T::BYTES]);
        }
    }
    Ok((velocities, digest))
}

fn first_difference(recorded: &Recorded, again: &Again, names: &[String], imported: bool) -> Option<String> {
    let same_digest = again.recorded_digest.is_none_or(|digest| digest == again.digest);
    // Imported dumps have a digest only.
    if recorded.velocities.is_empty() && imported {
        return (!same_digest).then(|| "the digest of all velocities".into());
    }
    if recorded.velocities.len() != again.velocities.len() {
        return Some("the number of velocities".into());
    }
    let pairs = recorded.velocities.chunks(again.scalar_bytes).zip(again.velocities.chunks(again.scalar_bytes));
    let (at, (then, now)) = pairs.enumerate().find(|(_, (then, now))| then != now)?;
    let bit = then.iter().zip(now).enumerate().find_map(|(byte, (a, b))| {
        let difference = a ^ b;
        (difference != 0).then(|| 8 * byte + difference.trailing_zeros() as usize)
    })?;
    let part = ["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"][at % 6];
    let name = names.get(at / 6).map_or_else(|| format!("body {}", at / 6), Clone::clone);
    Some(format!("{part} of {name}, bit {bit}"))
}

fn body_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM body_names ORDER BY body")?.query_map([], |row| row.get(0))?.collect()
}
