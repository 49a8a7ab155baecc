//! How a step or a solve converges: what it answers when it is stopped at its first check, at its second, and so on.
//! Sweeps and steps of direct methods begin with a check, so the answers are those after each of them.

use nalgebra::Vector3;

use super::again::{Machines, read};
use super::frame::ContactRow;
use super::simulation::on_large_stack;

/// The most stops of a history. Long solves have more; their histories end there.
const MOST_STOPS: u32 = 1000;

/// An answer at a stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopped {
    /// Sweeps of the island that took most.
    pub sweeps: u32,
    /// Worst relative residual of an island.
    pub residual: f64,
    /// Worst approach speed left, m/s.
    pub approach: f64,
    /// Largest change of a contact's impulse since the stop before, N s; 0 at the first.
    pub impulse_change: f64,
}

/// The history of a recorded step or solve; the error is one line.
pub fn convergence(blocks: &[u8]) -> Result<Vec<Stopped>, String> {
    on_large_stack(|| history(blocks, &mut Machines::default()))
}

/// The history of a recorded step or solve, up to its own end. The last entry is its full answer, unless there are more
/// than 1,000 stops.
pub(super) fn history(blocks: &[u8], machines: &mut Machines) -> Result<Vec<Stopped>, String> {
    let (inputs, outcomes, rest) = read(blocks);
    if let Some(error) = rest {
        return Err(error.to_string());
    }
    let input = inputs.last().ok_or("no input recorded")?;
    let recorded = outcomes.last().and_then(|outcome| outcome.stopped_at);
    let mut rows: Vec<Stopped> = Vec::new();
    let mut before: Vec<Vector3<f64>> = Vec::new();
    for stop in 1..=recorded.unwrap_or(MOST_STOPS).min(MOST_STOPS) {
        let again = machines.run(input, Some(stop))?;
        let now: Vec<_> = again.solve.contacts.iter().map(impulse).collect();
        let changes = before.iter().zip(&now).map(|(before, now)| (now - before).norm());
        let reports = &again.solve.reports;
        let worst = |number: usize| reports.iter().map(|report| report.numbers[number]).fold(0.0, f64::max);
        rows.push(Stopped {
            sweeps: reports.iter().map(|report| report.counts[0]).max().unwrap_or(0),
            residual: worst(0),
            approach: worst(2),
            impulse_change: changes.fold(0.0, f64::max),
        });
        before = now;
        if !again.is_stopped {
            break;
        }
    }
    Ok(rows)
}

/// A contact's impulse along normal and tangents, N s.
fn impulse(contact: &ContactRow) -> Vector3<f64> {
    let [_, _, _, normal, _, t1, t2] = contact.numbers;
    Vector3::new(normal, t1, t2)
}
