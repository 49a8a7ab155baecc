//! Sweeps in lanes beside sweeps one by one: the same bits, at every level that this machine has.

use stiction_lane_bits::compare;
use stiction_lanes::levels;
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::effort;

/// Contacts at each level. In an emulator, which this variable announces, a contact takes a hundred times as long.
fn contacts() -> usize {
    let is_emulated = std::env::var_os("STICTION_EMULATED").is_some();
    effort::cases(if is_emulated { 2_000 } else { 50_000 }, 1_000_000)
}

fn check<T: LaneScalar>() {
    let found = compare::<T>(levels(), contacts());
    println!("{found:?}");
    assert!(found.iter().all(|found| found.differences == 0));
}

#[test]
fn lanes_have_the_bits_of_single_visits_in_f32() {
    check::<f32>();
}

#[test]
fn lanes_have_the_bits_of_single_visits_in_f64() {
    check::<f64>();
}
