//! Passes of a batch: a few sweeps each, so that threads which run in lockstep do not wait for the one that needs most
//! (`kernel/gpu/device`: `body_contact`).
use std::sync::Arc;

use stiction::Settings;

use crate::context::Context;
use crate::driver::Address;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::memory::Buffer;
use crate::parameters::Parameter;
use crate::rungs::Scalar;
use crate::stream::Stream;

/// Sweeps after which problems are grouped again, in total. Few problems are solved before the first; after the last the threads
/// of a group differ little, or all go on to the limit.
const ENDS: [u32; 4] = [10, 16, 24, 34];
/// Fewer sweeps than this many more are not worth a pass.
const LEAST: u32 = 4;
/// The number of a launch that only asks how many words a problem that waits has.
const ASKS: u32 = u32::MAX;

/// The ends of all passes, the last at the limit of the settings. With a fixed number of sweeps there is one.
pub fn ends<T: Scalar>(settings: &Settings<T>) -> Vec<u32> {
    let stops_early = settings.tolerance > T::ZERO;
    let before = ENDS.into_iter().filter(|end| stops_early && end + LEAST <= settings.sweeps);
    before.chain([settings.sweeps]).collect()
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
        let (module, _) = self.module(code)?;
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
        assert_eq!(ends(&default), [10, 16, 24, 34, 50]);
        assert_eq!(ends(&Settings { sweeps: 12, ..default }), [12]);
        assert_eq!(ends(&Settings { sweeps: 20, ..default }), [10, 16, 20]);
        assert_eq!(ends(&Settings { tolerance: 0.0, ..default }), [50]);
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
