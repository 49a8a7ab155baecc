//! Passes of a batch: a few sweeps each, so that threads which run in lockstep do not wait for the one that needs most
//! (`kernel/gpu/device`: `body_contact`).
use std::sync::Arc;

use stiction::Settings;

use crate::context::Context;
use crate::driver::Address;
use crate::error::GpuError;
use crate::gpu::{Gpu, Threads};
use crate::memory::Buffer;
use crate::parameters::Parameter;
use crate::rungs::Scalar;
use crate::stream::Stream;

/// What it costs a problem to wait for the next pass, in sweeps. Measured on an H200.
const WAIT: u64 = 4;
/// The first possible end of a pass, and how much later each other is: by a fourth, and by 4 at least.
const FIRST: u32 = 8;
const LEAST: u32 = 4;
/// Possible ends, at most.
const MOST: usize = 16;
/// The number of a launch that only asks how many words a problem that waits has.
const ASKS: u32 = u32::MAX;

/// All ends that passes can have, the last at the limit of the settings. With a fixed number of sweeps there is one pass.
pub fn possible<T: Scalar>(settings: &Settings<T>) -> Vec<u32> {
    let next = |end: &u32| Some(end + (end / 4).max(LEAST));
    let stops_early = settings.tolerance > T::ZERO;
    let before = std::iter::successors(Some(FIRST), next).take(MOST);
    before.filter(|end| stops_early && end + LEAST <= settings.sweeps).chain([settings.sweeps]).collect()
}

/// The ends that cost least, if so many problems begin and so many wait after every possible end but the last. A pass costs each
/// problem that begins it as many sweeps as it is long, because threads of a group wait for each other, and [`WAIT`] more if it
/// had to wait.
pub fn best(possible: &[u32], begin: u32, waiting: &[u32]) -> Vec<u32> {
    // The lowest costs up to each end, and where the last pass of these began: 0 for the beginning, else a place plus 1.
    let mut costs: Vec<(u64, usize)> = vec![(0, 0)];
    for (place, end) in possible.iter().enumerate() {
        let cost_from = |from: usize| {
            let (start, count) =
                if from == 0 { (0, begin) } else { (possible[from - 1], waiting.get(from - 1).copied().unwrap_or(0)) };
            let wait = if from == 0 { 0 } else { WAIT };
            costs[from].0 + u64::from(count) * (u64::from(end - start) + wait)
        };
        let cheapest = (0..=place).map(|from| (cost_from(from), from)).min();
        costs.push(cheapest.unwrap_or_default());
    }
    let mut ends = Vec::new();
    let mut at = possible.len();
    while at > 0 {
        ends.push(possible[at - 1]);
        at = costs[at].1;
    }
    ends.reverse();
    ends
}

/// The arrays of problems that wait: counters, and places before and after a pass.
pub struct Places {
    pub counters: Address,
    pub waiting: [Address; 2],
}

/// The bytes of these arrays for so many problems of so many words each.
pub fn bytes(passes: usize, problems: usize, words: usize) -> [usize; 3] {
    let places = if passes > 1 { problems.next_multiple_of(32) * words * size_of::<u32>() } else { 0 };
    // One pass more than this has a use for the second array.
    [size_of::<u32>() * passes, places, if passes > 2 { places } else { 0 }]
}

/// What an entry is passed for every pass, after what it is passed for all.
pub fn parameters(ends: &[u32], places: &Places) -> Vec<[Parameter; 5]> {
    let last = ends.len() - 1;
    let [even, odd] = places.waiting;
    let pass = |(number, sweeps): (usize, &u32)| {
        let (from, to) = if number % 2 == 0 { (odd, even) } else { (even, odd) };
        let to = if number == last { 0 } else { to };
        [(number as u32).into(), (*sweeps).into(), places.counters.into(), from.into(), to.into()]
    };
    ends.iter().enumerate().map(pass).collect()
}

impl Gpu {
    /// The words of a problem that waits, by the code itself: it was compiled by another compiler than this.
    pub(crate) fn waiting_words(&self, code: usize) -> Result<usize, GpuError> {
        let (module, _) = self.module(code, Threads::Even)?;
        if let Some(words) = module.waiting_words.get() {
            return Ok(*words);
        }
        let words = asked(&self.context, |answer, stream| {
            // Nothing is read but the number of the pass.
            let mut all = vec![Parameter::from(0u32); 10];
            all.extend([Parameter::from(ASKS), 0u32.into(), answer.into(), 0u32.into(), 0u32.into()]);
            // SAFETY: the entry writes one word to the counters and uses no other array.
            unsafe { module.launch((1, 32), &mut all, stream) }
        })?;
        Ok(*module.waiting_words.get_or_init(|| words as usize))
    }
}

/// A word that a launch writes.
fn asked(
    context: &Arc<Context>,
    launch: impl FnOnce(Address, &Stream) -> Result<(), GpuError>,
) -> Result<u32, GpuError> {
    let (answer, stream) = (Buffer::new(context, size_of::<u32>())?, Stream::new(context)?);
    let launched = launch(answer.address(), &stream);
    stream.wait()?;
    launched?;
    let mut word = [0; 4];
    answer.read(&mut word)?;
    Ok(u32::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_end_at_the_limit_and_a_fixed_number_of_sweeps_has_one() {
        let default = Settings::<f32>::default();
        assert_eq!(possible(&default), [8, 12, 16, 20, 25, 31, 38, 50]);
        assert_eq!(possible(&Settings { sweeps: 10, ..default }), [10]);
        assert_eq!(possible(&Settings { tolerance: 0.0, ..default }), [50]);
        let many = possible(&Settings { sweeps: 1_000_000, ..default });
        assert!(many.len() == MOST + 1 && many.windows(2).all(|pair| pair[0] < pair[1]), "{many:?}");
    }

    #[test]
    fn passes_end_where_many_problems_are_solved() {
        let possible = [8, 12, 16, 20, 50];
        // Nearly all need all sweeps.
        assert_eq!(best(&possible, 1000, &[990, 980, 970, 960]), [50]);
        // Nearly all are solved after 16.
        assert_eq!(best(&possible, 1000, &[990, 900, 30, 29]), [16, 50]);
        assert_eq!(best(&possible, 1000, &[0, 0, 0, 0]), [8, 50]);
        assert_eq!(best(&possible, 1000, &[700, 500, 300, 100]), [12, 20, 50]);
        assert_eq!(best(&[10], 1000, &[]), [10]);
    }

    #[test]
    fn a_pass_reads_what_the_pass_before_wrote() {
        let places = Places { counters: 7, waiting: [100, 200] };
        let all = parameters(&[10, 16, 50], &places);
        let of = |numbers: [u64; 5]| numbers.map(Parameter::from);
        assert_eq!(all, [of([0, 10, 7, 200, 100]), of([1, 16, 7, 100, 200]), of([2, 50, 7, 200, 0])]);
        assert_eq!(bytes(1, 100, 5), [4, 0, 0]);
        assert_eq!(bytes(3, 33, 5), [12, 1280, 1280]);
    }
}
