//! Converts a flight recorder's bytes to a recording, so that the tools for recordings can read them.

use std::path::Path;

use stiction::record::OutcomeBlock;

use super::again::{Machines, read};
use super::frame::Solve;
use super::recording::Recorder;
use super::simulation::Precision;

/// Writes the solves and steps of a dump into a new recording, one for each frame. Returns a line about them.
pub fn import(dump: &[u8], path: &Path) -> Result<String, String> {
    let (inputs, outcomes, rest) = read(dump);
    let Some(first) = inputs.first() else {
        return Err(format!("dump: {}", rest.map_or("no solve in it".into(), |error| error.to_string())));
    };
    let precision = if first.scalar_bytes() == 4 { Precision::Single } else { Precision::Double };
    let mut differing = 0;
    let (mut solves, mut machines) = (std::collections::BTreeMap::new(), Machines::default());
    for input in &inputs {
        let number = input.number();
        let outcome = outcomes.iter().find(|outcome| outcome.number == number);
        let stopped_at = outcome.and_then(|outcome| outcome.stopped_at);
        let again = machines.run(input, stopped_at).map_err(|reason| format!("solve {number}: {reason}"))?;
        differing += u32::from(outcome.is_some_and(|outcome| outcome.digest != again.digest));
        if solves.insert(number, as_recorded(again.solve, outcome)).is_some() {
            return Err(format!("dump: solve {number} is in it twice"));
        }
    }
    let mut recorder = Recorder::create_for_dump(path, precision)?;
    solves.iter().try_for_each(|(number, solve)| recorder.add_solve(u64::from(*number), solve))?;
    recorder.finish()?;
    let lost = rest.map_or(String::new(), |error| format!("; then the dump {error}"));
    let unended =
        inputs.iter().filter(|input| !outcomes.iter().any(|outcome| outcome.number == input.number())).count();
    Ok(format!("{} solves, {unended} that never ended, {differing} that end differently here{lost}", inputs.len()))
}

/// A solve with the recorded outcome, not the one computed here.
fn as_recorded(mut solve: Solve, outcome: Option<&OutcomeBlock>) -> Solve {
    solve.blocks = recorded_blocks(&solve.blocks, outcome);
    if outcome.is_some() {
        solve.states.clear();
    }
    solve
}

/// The input encoded again, which gives the same bytes except for its number, with the outcome's original digest.
fn recorded_blocks(here: &[u8], outcome: Option<&OutcomeBlock>) -> Vec<u8> {
    let mut bytes = here.to_vec();
    let Some(outcome) = outcome else { return bytes };
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap_or_default()) as usize;
    if let Some(second) = bytes.get_mut(length..) {
        second[20..28].copy_from_slice(&outcome.digest.to_le_bytes());
        let end = second.len() - 4;
        let words = second[..end].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
        let hash = words.fold(0x811c_9dc5_u32, |h, word| (h ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
        second[end..].copy_from_slice(&hash.to_le_bytes());
    }
    bytes
}
