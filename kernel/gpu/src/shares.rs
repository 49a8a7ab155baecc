//! A batch as shares of problems that follow each other. A few threads take them, each by a channel of its own, so the memory
//! that is needed on a graphics processor does not grow with the batch.
use std::sync::Mutex;

use crate::channel::{Channel, Share, Sizes, Work};
use crate::error::GpuError;
use crate::gpu::{Gpu, locked};

/// Threads that copy, at most. Copies within the host, most of all into memory that the system has yet to find, take longer than
/// those over the bus: on an H200's host with 16 cores, 4 threads carry 8 million problems of ten sweeps a second, 8 of them 13
/// million and 16 of them 19 million.
const CHANNELS: usize = 16;

/// Problems of a share, at most. A graphics processor has more threads than a share, so that several are solved at once.
pub const SHARE: usize = 1 << 14;
/// Problems of a share, at least: whole blocks of every layout.
const SMALLEST: usize = 1 << 9;
/// Bytes of a share on either side, about, where problems are large.
const SHARE_BYTES: usize = 32 << 20;

/// How many problems a share has.
pub fn share_of(bytes_of_a_problem: usize) -> usize {
    let mut share = SHARE;
    while share > SMALLEST && share * bytes_of_a_problem > SHARE_BYTES {
        share /= 2;
    }
    share
}

/// Divides arrays into shares. `length` is how many of the elements of an array so many problems have.
pub fn shares<'a>(
    (count, share): (usize, usize),
    inputs: Vec<(&'a [u8], usize)>,
    answers: Vec<(&'a mut [u8], usize)>,
) -> Vec<Share<'a>> {
    let mut shares: Vec<Share<'a>> = (0..count.div_ceil(share))
        .map(|number| Share { count: share.min(count - number * share), inputs: Vec::new(), answers: Vec::new() })
        .collect();
    for (bytes, of_share) in inputs {
        // An array without numbers has no parts.
        let parts = bytes.chunks(of_share.max(1)).chain(std::iter::repeat(&[][..]));
        shares.iter_mut().zip(parts).for_each(|(share, part)| share.inputs.push(part));
    }
    for (bytes, of_share) in answers {
        let parts = bytes.chunks_mut(of_share.max(1)).chain(std::iter::repeat_with(|| &mut [][..]));
        shares.iter_mut().zip(parts).for_each(|(share, part)| share.answers.push(part));
    }
    shares
}

impl Gpu {
    /// Solves all shares, on as many threads as are of use.
    pub(crate) fn solve_shares(&self, sizes: &Sizes, work: &Work<'_>, shares: Vec<Share<'_>>) -> Result<(), GpuError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = shares.len().min(CHANNELS).min(cores);
        let left = Mutex::new(shares);
        let solve = || {
            let solved = self.solve_some(sizes, work, &left);
            if solved.is_err() {
                // The other threads stop.
                locked(&left).clear();
            }
            solved
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(solve)).collect();
            let first = solve();
            others.into_iter().fold(first, |all, other| {
                let ended = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.and(ended)
            })
        })
    }

    /// Solves shares until none is left.
    fn solve_some(&self, sizes: &Sizes, work: &Work<'_>, left: &Mutex<Vec<Share<'_>>>) -> Result<(), GpuError> {
        self.context.make_current()?;
        let mut channel = None;
        while let Some(share) = pop(left) {
            let channel = match &mut channel {
                Some(channel) => channel,
                none => none.insert(self.channel(sizes)?),
            };
            channel.solve(work, share)?;
        }
        locked(&self.channels).extend(channel);
        Ok(())
    }

    /// A channel that is idle, or a new one. Idle ones of other sizes are given back.
    fn channel(&self, sizes: &Sizes) -> Result<Channel, GpuError> {
        let mut idle = locked(&self.channels);
        idle.retain(|channel| channel.sizes() == sizes);
        let found = idle.pop();
        drop(idle);
        found.map_or_else(|| Channel::new(&self.context, sizes), Ok)
    }
}

fn pop<'a>(left: &Mutex<Vec<Share<'a>>>) -> Option<Share<'a>> {
    locked(left).pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_all_problems_and_all_bytes() {
        for (count, each) in [(2 * SHARE + 7, 3), (5, 0), (0, 4)] {
            let (given, mut answers) = (vec![1u8; count * each], vec![0u8; count * each]);
            let shares = shares((count, SHARE), vec![(&given, SHARE * each)], vec![(&mut answers, SHARE * each)]);
            let found = shares.iter().fold((0, 0, 0), |sum, share| {
                (sum.0 + share.count, sum.1 + share.inputs[0].len(), sum.2 + share.answers[0].len())
            });
            assert_eq!(found, (count, given.len(), given.len()));
            assert!(shares.iter().all(|share| share.count <= SHARE && share.count * each == share.inputs[0].len()));
        }
    }

    #[test]
    fn shares_of_large_problems_are_small_and_whole_blocks() {
        assert_eq!([0, 2000, 40_000, 4_000_000].map(share_of), [SHARE, SHARE, 512, SMALLEST]);
        assert!(SMALLEST.is_multiple_of(stiction_batch::layout::BLOCK));
    }
}
