//! How the islands of a step or a solve converge: what it answers when it is stopped at its first check, at its second,
//! and so on. Sweeps and steps of direct methods begin with a check, so the answers are those after each of them.

use nalgebra::Vector3;

use super::again::{Again, Input, Machines, read};
use super::frame::{ContactRow, Solve};
use super::simulation::on_large_stack;

/// Checks at which a recorded history stops. Of a step with more checks, these are spread evenly.
pub(super) const MOST_STOPS: u32 = 1000;
/// The same for a history that is shown.
const SHOWN_STOPS: u32 = 100;

/// An island's answer when its step is stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopped {
    /// The island.
    pub island: usize,
    /// The check at which the step is stopped, from 1; the last one of a history is the first that the step does not
    /// reach, so its answer is the full one.
    pub stop: u32,
    /// Sweeps.
    pub sweeps: u32,
    /// Relative residual.
    pub residual: f64,
    /// Approach speed left, m/s.
    pub approach: f64,
    /// Largest change of a contact's impulse since the stop before, N s; 0 at the first.
    pub impulse_change: f64,
}

/// A recorded step or solve computed again, and its history; the error is one line.
pub fn convergence(blocks: &[u8]) -> Result<(Solve, Vec<Stopped>), String> {
    on_large_stack(|| history(blocks, &mut Machines::default(), SHOWN_STOPS))
}

/// The full answer of a recorded step or solve, and its history at no more than so many stops.
pub(super) fn history(blocks: &[u8], machines: &mut Machines, most: u32) -> Result<(Solve, Vec<Stopped>), String> {
    let (inputs, outcomes, rest) = read(blocks);
    if let Some(error) = rest {
        return Err(error.to_string());
    }
    let input = inputs.last().ok_or("no input recorded")?;
    let end = match outcomes.last().and_then(|outcome| outcome.stopped_at) {
        Some(stopped_at) => stopped_at,
        None => first_unreached(input, machines, most)?,
    };
    let mut courses: Vec<Vec<Stopped>> = Vec::new();
    let mut answer = Solve::default();
    for at in 1..=end.min(most) {
        // Evenly spread, and the last one is the end.
        let stop = if end <= most { at } else { (u64::from(at) * u64::from(end) / u64::from(most)) as u32 };
        let Again { solve, .. } = machines.run(input, Some(stop))?;
        courses.resize(solve.reports.len(), Vec::new());
        for (island, course) in courses.iter_mut().enumerate() {
            course.push(stopped(&answer, &solve, island, stop));
        }
        answer = solve;
    }
    Ok((answer, courses.iter().flat_map(|course| in_progress(course)).copied().collect()))
}

/// The first check that a step does not reach.
fn first_unreached(input: &Input<'_>, machines: &mut Machines, likely: u32) -> Result<u32, String> {
    let mut is_reached = |stop: u32| Ok::<_, String>(machines.run(input, Some(stop))?.is_stopped);
    let (mut reached, mut unreached) = (0, likely);
    while is_reached(unreached)? {
        (reached, unreached) = (unreached, unreached.saturating_mul(2));
    }
    while unreached - reached > 1 {
        let middle = reached + (unreached - reached) / 2;
        if is_reached(middle)? {
            reached = middle;
        } else {
            unreached = middle;
        }
    }
    Ok(unreached)
}

fn stopped(before: &Solve, now: &Solve, island: usize, stop: u32) -> Stopped {
    let (report, pairs) = (&now.reports[island], before.contacts.iter().zip(&now.contacts));
    let changes =
        pairs.filter(|(_, now)| now.island == island).map(|(then, now)| (impulse(now) - impulse(then)).norm());
    Stopped {
        island,
        stop,
        sweeps: report.counts[0],
        residual: report.numbers[0],
        approach: report.numbers[2],
        impulse_change: changes.fold(0.0, f64::max),
    }
}

/// The part of a course in which an island changes: before it waits for others, and afterwards they go on.
fn in_progress(course: &[Stopped]) -> &[Stopped] {
    let answer = |at: &Stopped| (at.sweeps, at.residual.to_bits(), at.approach.to_bits());
    let (Some(first), Some(last)) = (course.first(), course.last()) else { return course };
    let waits = course.iter().take_while(|at| answer(at) == answer(first)).count();
    let is_done = course.iter().rev().take_while(|at| answer(at) == answer(last)).count();
    let (from, to) = (waits.saturating_sub(1), course.len() + 1 - is_done);
    course.get(from..to).unwrap_or(&course[course.len() - 1..])
}

/// A contact's impulse along normal and tangents, N s.
fn impulse(contact: &ContactRow) -> Vector3<f64> {
    let [_, _, _, normal, _, t1, t2] = contact.numbers;
    Vector3::new(normal, t1, t2)
}
