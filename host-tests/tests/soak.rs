//! Many consecutive solves, monitored. For a long soak, with that many solves in each precision:
//! `STICTION_SOAK_SOLVES=5000000 cargo test -p stiction soak -- --nocapture`.

mod study;

use stiction::Real;
use stiction_testkit::effort;
use study::Soak;

fn solves() -> u64 {
    match std::env::var("STICTION_SOAK_SOLVES") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("STICTION_SOAK_SOLVES: '{text}' is not a number of solves")),
        Err(_) => effort::cases(5_000, 100_000),
    }
}

/// The worst of ten million solves of single steps, and, where small steps are worse, of a hundred thousand of them: in
/// the table of `docs/reliability.md`. 1.5 times as much is allowed.
struct Ceilings {
    gain: f64,
    /// Added to a scene's energy by a step that was solved, that bounced, that was cut short.
    added: [f64; 3],
    rise: f64,
    depth: f64,
    creep: f64,
}

impl Ceilings {
    fn check(&self, soak: &Soak) {
        let [solved, bounced, cut] = self.added;
        for (what, seen, most) in [
            ("gain", soak.gain, self.gain),
            ("added by a solved step", soak.added.solved, solved),
            ("added by a bounce", soak.added.bounced, bounced),
            ("added by a step cut short", soak.added.cut, cut),
            ("rise", soak.rise, self.rise),
            ("depth", soak.depth, self.depth),
            ("creep", soak.creep, self.creep),
        ] {
            assert!(seen.worst.is_finite() && seen.worst <= 1.5 * most, "{what}: {seen}, {most:e} at most so far");
        }
    }
}

fn study<T: Real>(name: &str, seed: u64, ceilings: &Ceilings) {
    let mut soak = Soak::default();
    let report_progress = |done| println!("{name}: {done} of {}", solves());
    soak.run::<T>(seed, solves(), report_progress).unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("{name}: {soak}");
    ceilings.check(&soak);
    assert!(soak.solves >= solves() && soak.creep.worst > 0.0, "too little happened: {soak}");
}

#[test]
fn many_consecutive_solves_stay_finite_and_passive_in_single_precision() {
    let added = [3.7e-6, 1.0e-2, 2.7e-2];
    study::<f32>("f32", 11, &Ceilings { gain: 6.6e-5, added, rise: 2.0e-2, depth: 0.66, creep: 3.3e-2 });
}

#[test]
fn many_consecutive_solves_stay_finite_and_passive_in_double_precision() {
    let added = [8.2e-9, 0.7e-2, 3.9e-2];
    study::<f64>("f64", 12, &Ceilings { gain: 4.4e-15, added, rise: 3.5e-2, depth: 0.57, creep: 4.8e-3 });
}
