//! Complete solves from any bytes: bodies, contacts, settings, warm starts, deadlines and memory for direct methods, in
//! both precisions. Rejected without any change, or solved with every law satisfied and a correct report.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::{DirectMemory, Hooks};
use stiction::{Real, Solver};
use stiction_fuzz::laws::Solve;
use stiction_fuzz::scene::{self, Scene, WILD};
use stiction_fuzz::{Bytes, NB, NC};

/// Enough for any island of eight contacts.
const SLOTS: usize = NC * (NC + 1) / 2;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    if bytes.coin() { solve::<f32>(&mut bytes) } else { solve::<f64>(&mut bytes) }
});

fn solve<T: Real>(bytes: &mut Bytes<'_>) {
    let mood = bytes.mood();
    let allowed_calls = if bytes.below(4) == 3 { u32::from(bytes.byte()) } else { u32::MAX };
    let spacious = bytes.below(4) == 3;
    let (settings, dt) = scene::settings::<T>(bytes, mood);
    let Scene { mut bodies, contacts } = scene::scene(bytes, mood, &WILD);
    let before = bodies.clone();
    let mut solver = Solver::<T, NB, NC>::new();
    let mut direct_memory = spacious.then(DirectMemory::<T, NC, SLOTS>::new);
    let checked = Solver::validate(&bodies, &contacts, &settings, dt);
    let mut calls = 0;
    let mut should_stop = || {
        calls += 1;
        calls > allowed_calls
    };
    let direct = direct_memory.as_mut().map(DirectMemory::view);
    let hooks = Hooks { should_stop: Some(&mut should_stop), direct, observer: None, lanes: None };
    match solver.solve_with(&mut bodies, &contacts, &settings, dt, hooks) {
        Err(error) => {
            assert_eq!(checked, Err(error), "rejected with another error than the check");
            assert_eq!(bodies, before, "a rejected solve changed the bodies");
        }
        Ok(report) => {
            assert_eq!(checked, Ok(()), "solved what the check rejects");
            let (contacts, settings, solver) = (&contacts, &settings, &solver);
            let solve =
                Solve { mood, before: &before, after: &bodies, contacts, settings, dt, solver, report: &report };
            solve.check();
        }
    }
}
