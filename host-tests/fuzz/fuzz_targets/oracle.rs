//! The exact step against `oracle.rs`, which scans all directions of sliding: the answer is one of those found there, within
//! the 1e-6 of `tests/oracles.rs`, for blocks, friction and preload as drawn there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::Vector3;
use stiction::local::{Block, Cone, exact};
use stiction_fuzz::Bytes;
use stiction_host::merit::{condition, violation};
use stiction_host::oracle::OneContact;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let eigenvalues = Vector3::new(1.0, bytes.log_range(0.01, 1.0), bytes.log_range(0.01, 1.0));
    let k = bytes.turned(eigenvalues);
    let free = bytes.direction();
    let mu = 1.5 * bytes.unit();
    let preload = if bytes.coin() { bytes.unit() } else { 0.0 };
    let (block, unit) = Block::new(&k);
    let solution = exact(&block, &Cone { mu, preload: preload * unit }, &free);
    let x = solution.impulse / unit;
    let candidates = OneContact { k, free, mu, preload }.solutions();
    if candidates.is_empty() {
        // The scan stepped over it: then Coulomb's law itself is asked, as in `local_step`.
        let error = violation(&k, &free, &x, mu, preload);
        assert!(error <= 16.0 * f64::EPSILON * condition(&k), "off by {error:e}: {k} {free} mu {mu} preload {preload}");
        return;
    }
    let distance = candidates.iter().map(|c| (c - x).norm()).fold(f64::INFINITY, f64::min) / (1.0 + x.norm());
    assert!(distance < 1e-6, "{distance:e}: {x} is none of {candidates:?} for {k} {free} mu {mu} preload {preload}");
});
