//! Time of competitors that alternate.

use std::time::Instant;

/// Runs every competitor once a round and returns the fastest time of each in nanoseconds.
pub fn race<const N: usize>(rounds: usize, mut competitors: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut fastest = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (competitor, fastest) in competitors.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            competitor();
            *fastest = fastest.min(start.elapsed().as_nanos() as f64);
        }
    }
    fastest
}
