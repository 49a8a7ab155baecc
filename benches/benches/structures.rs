//! A thousand random large structures of each kind, from zero impulses: how many are solved to which residual, and in
//! how many factorisations.
//!
//! `cargo bench -p stiction-benches --bench structures`; a number after `--` is the number of structures of each kind.
//! `STICTION_DRAW=1` stores the table.

use stiction::Settings;
use stiction_benches::table::{Table, figure};
use stiction_testkit::random_structures::{STRUCTURES, Structure};
use stiction_testkit::rng::Rng;

/// Structures of each kind.
const COUNT: usize = 1000;
/// Factorisations for each of them: some of the largest need many.
const FACTORISATIONS: u32 = 2000;
/// Solves at the same time.
const THREADS: usize = 2;

/// A solved structure.
struct Outcome {
    contacts: usize,
    residual: f64,
    factorisations: u32,
}

fn solve(kind: Structure, count: usize, first: usize) -> Vec<Outcome> {
    let mut rng = Rng::new(2026);
    let settings = Settings::<f64> { factorisations: FACTORISATIONS, ..Settings::default() };
    let mut outcomes = Vec::new();
    for i in 0..count {
        let island = kind.island(&mut rng);
        if i % THREADS != first {
            continue;
        }
        let report = island.solve(&settings).expect("a valid structure").report;
        let factorisations = report.direct.newton_steps + report.direct.interior_steps;
        outcomes.push(Outcome { contacts: island.contacts.len(), residual: report.residual.worst(), factorisations });
        if first == 0 && i % 100 == 0 {
            eprintln!("{kind:?}: {i} of {count}");
        }
    }
    outcomes
}

fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(COUNT);
    let header =
        "family,instances,mean contacts,most contacts,to 1e-4,to 1e-6,to 1e-8,mean factorisations,most factorisations";
    let mut table = Table::new("structures", header);
    for kind in STRUCTURES {
        let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || solve(kind, count, first))).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a solve")).collect()
        });
        let instances = outcomes.len() as f64;
        let share = |limit: f64| outcomes.iter().filter(|one| one.residual <= limit).count() as f64 / instances;
        let contacts: usize = outcomes.iter().map(|one| one.contacts).sum();
        let factorisations: u32 = outcomes.iter().map(|one| one.factorisations).sum();
        table.row(&[
            format!("{kind:?}"),
            outcomes.len().to_string(),
            figure(contacts as f64 / instances),
            outcomes.iter().map(|one| one.contacts).max().unwrap_or(0).to_string(),
            format!("{:.3}", share(1e-4)),
            format!("{:.3}", share(1e-6)),
            format!("{:.3}", share(1e-8)),
            figure(f64::from(factorisations) / instances),
            outcomes.iter().map(|one| one.factorisations).max().unwrap_or(0).to_string(),
        ]);
    }
    table.keep();
}
