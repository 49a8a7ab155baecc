//! Converts a flight recorder's bytes to a recording, so that the tools for recordings can read them.

use std::path::Path;

use stiction::record::{InputBlock, LoadError, OutcomeBlock, RecordedBlock, blocks};
use stiction::{Bodies, Contacts, Real, Solver};

use super::frame::{Collector, Detail, Solve};
use super::recording::Recorder;
use super::simulation::Precision;
use stiction_testkit::capacity::direct_memory_for;

/// Writes the solves of a dump into a new recording, one for each frame. Returns a line about them.
pub fn import(dump: &[u8], path: &Path) -> Result<String, String> {
    let (mut inputs, mut outcomes) = (Vec::new(), Vec::new());
    let mut rest = None;
    for block in blocks(dump) {
        match block {
            Ok(RecordedBlock::Input(input)) => inputs.push(input),
            Ok(RecordedBlock::Outcome(outcome)) => outcomes.push(outcome),
            Err(error) => rest = Some(error),
        }
    }
    let Some(first) = inputs.first() else {
        return Err(format!("dump: {}", rest.map_or("no solve in it".into(), |error| error.to_string())));
    };
    let precision = if first.scalar_bytes == 4 { Precision::Single } else { Precision::Double };
    let mut differing = 0;
    let mut solves = std::collections::BTreeMap::new();
    for input in &inputs {
        let outcome = outcomes.iter().find(|outcome| outcome.number == input.number);
        let (solve, digest) = solved(input, outcome).map_err(|reason| format!("solve {}: {reason}", input.number))?;
        differing += u32::from(outcome.is_some_and(|outcome| outcome.digest != digest));
        if solves.insert(input.number, solve).is_some() {
            return Err(format!("dump: solve {} is in it twice", input.number));
        }
    }
    let mut recorder = Recorder::create_for_dump(path, precision)?;
    solves.iter().try_for_each(|(number, solve)| recorder.add_solve(u64::from(*number), solve))?;
    recorder.finish()?;
    let lost = rest.map_or(String::new(), |error| format!("; then the dump {error}"));
    let unended = inputs.iter().filter(|input| !outcomes.iter().any(|outcome| outcome.number == input.number)).count();
    Ok(format!("{} solves, {unended} that never ended, {differing} that end differently here{lost}", inputs.len()))
}

/// Solves an input again and stores the result, with the original blocks.
fn solved(input: &InputBlock<'_>, outcome: Option<&OutcomeBlock>) -> Result<(Solve, u64), String> {
    let small = input.bodies <= 64 && input.contacts <= 512;
    match (input.scalar_bytes, small) {
        (4, true) => sized::<f32, 64, 512, { 64 << 10 }>(input, outcome),
        (4, false) => sized::<f32, 512, 4096, { 512 << 10 }>(input, outcome),
        (_, true) => sized::<f64, 64, 512, { 128 << 10 }>(input, outcome),
        (_, false) => sized::<f64, 512, 4096, { 1 << 20 }>(input, outcome),
    }
}

fn sized<T: Real, const NB: usize, const NC: usize, const NR: usize>(
    input: &InputBlock<'_>,
    outcome: Option<&OutcomeBlock>,
) -> Result<(Solve, u64), String> {
    let (mut bodies, mut contacts) = (Box::new(Bodies::<T, NB>::new()), Box::new(Contacts::<T, NC>::new()));
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let mut collector = Collector::<NR>::new();
    collector.begin(Detail::Full);
    let stopped_at = outcome.and_then(|outcome| outcome.stopped_at);
    let contacts_of_memory = NC.max(input.conditions.direct.contacts as usize);
    let mut memory = direct_memory_for(contacts_of_memory).map_err(|error| format!("memory: {error}"))?;
    let digest = input
        .solve(stopped_at, &mut bodies, &mut contacts, &mut solver, Some(memory.view()), Some(&mut collector))
        .map_err(|error: LoadError<T>| error.to_string())?;
    let mut solve = collector.solves.pop().unwrap_or_default();
    // The recorded outcome, not the one computed here.
    solve.blocks = recorded_blocks(&solve.blocks, outcome);
    if outcome.is_some() {
        solve.velocities.clear();
    }
    Ok((solve, digest))
}

/// The input encoded again, which gives the same bytes except for its number, with the outcome's original digest.
fn recorded_blocks(here: &[u8], outcome: Option<&OutcomeBlock>) -> Vec<u8> {
    let mut bytes = here.to_vec();
    let Some(outcome) = outcome else { return bytes };
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap_or_default()) as usize;
    if let Some(second) = bytes.get_mut(length..) {
        second[20..28].copy_from_slice(&outcome.digest.to_le_bytes());
        let end = second.len() - 4;
        let hash = second[..end].iter().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193));
        second[end..].copy_from_slice(&hash.to_le_bytes());
    }
    bytes
}
