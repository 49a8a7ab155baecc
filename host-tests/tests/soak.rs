//! The short form of the soak, in every check; the long one is `cargo run --release -p stiction-host --bin soak`.

use stiction::Real;
use stiction_host::soak::Soak;

const SOLVES: u64 = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

fn study<T: Real>(name: &str, seed: u64) {
    let mut soak = Soak::default();
    soak.run::<T>(seed, SOLVES, |_| ()).unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("{name}: {soak}");
    assert!(soak.solves >= SOLVES && soak.creep.worst > 0.0, "too little happened: {soak}");
}

#[test]
fn many_solves_on_end_stay_sound_in_single_precision() {
    study::<f32>("f32", 11);
}

#[test]
fn many_solves_on_end_stay_sound_in_double_precision() {
    study::<f64>("f64", 12);
}
