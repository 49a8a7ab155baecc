//! The exact step against `oracle.rs`, which scans all directions of sliding. The answer is one of those found there,
//! within the 1e-6 of `tests/local_oracle.rs`, for blocks, friction and preload as drawn there; or one that the scan
//! missed, to rounding.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::Vector3;
use stiction::local::{Block, Cone, exact};
use stiction_fuzz::Bytes;
use stiction_testkit::merit::{condition, violation};
use stiction_testkit::oracle::OneContact;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let eigenvalues = Vector3::new(1.0, bytes.log_range(0.01, 1.0), bytes.log_range(0.01, 1.0));
    let k = bytes.rotated(eigenvalues);
    let free = bytes.direction();
    let mu = 1.5 * bytes.unit();
    let preload = if bytes.coin() { bytes.unit() } else { 0.0 };
    let (block, unit) = Block::new(&k);
    let solution = exact(&block, &Cone { mu, preload: preload * unit }, &free);
    let x = solution.impulse / unit;
    let candidates = OneContact { k, free, mu, preload }.solutions();
    let distance = candidates.iter().map(|c| (c - x).norm()).fold(f64::INFINITY, f64::min) / (1.0 + x.norm());
    if distance < 1e-6 {
        return;
    }
    // A contact can have several answers, and the scan missed this one: then Coulomb's law itself is evaluated, as in
    // `local_step`.
    let error = violation(&k, &free, &x, mu, preload);
    let allowed = 16.0 * f64::EPSILON * condition(&k);
    assert!(
        error <= allowed,
        "off by {error:e}: {x} is none of {candidates:?} for {k} {free} mu {mu} preload {preload}"
    );
});
