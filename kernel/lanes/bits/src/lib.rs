//! Random contacts swept in lanes and one by one: `tests/bits.rs` of `stiction-lanes` compares them on a host, and the
//! page `bits.html` in a browser.

pub mod problem;

use stiction::sweep::lane_memory::LaneMemory;
use stiction::{Bodies, Contacts, Hooks, Real, Report, Settings, Solver};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level, level_name};
use stiction_testkit::rng::Rng;

use problem::{NB, NC, problem, settings};

/// Groups of contacts that can be visited in lanes.
const NG: usize = 160;

/// What a comparison found at a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The level.
    pub level: &'static str,
    /// Contacts that were visited in lanes.
    pub contacts: usize,
    /// Problems whose answers differ.
    pub differences: usize,
}

/// The report and all bits of an answer; none if the problem is rejected.
fn answer<T: Real>(
    (bodies, contacts): &(Bodies<T, NB>, Contacts<T, NC>),
    settings: &Settings<T>,
    solver: &mut Solver<T, NB, NC>,
    lanes: Option<&mut dyn LaneMemory<T>>,
) -> Option<(Report<T>, Vec<u64>)> {
    let mut bodies = bodies.clone();
    let hooks = Hooks { lanes, ..Hooks::default() };
    let report = solver.solve_with(&mut bodies, contacts, settings, T::lit(1.0 / 60.0), hooks).ok()?;
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
    let mut bits: Vec<u64> = velocities.flat_map(|v| v.iter().map(|x| x.to_f64().to_bits())).collect();
    for i in 0..contacts.len() {
        let contact = solver.contact(i)?;
        let all = [contact.bounce_impulse, contact.normal_impulse];
        bits.extend(all.iter().chain(contact.tangent_impulse.iter()).map(|x| x.to_f64().to_bits()));
    }
    Some((report, bits))
}

/// Compares random problems at these levels, until so many contacts were visited in lanes at each.
pub fn compare<T: LaneScalar>(levels: impl Iterator<Item = Level>, wanted: usize) -> Vec<Comparison> {
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let (mut memories, mut found) = (Vec::new(), Vec::new());
    for level in levels {
        memories.push(Box::new(Lanes::<T, NB, NC, NG>::with_level(level)));
        found.push(Comparison { level: level_name(level), contacts: 0, differences: 0 });
    }
    let mut rng = Rng::new(26);
    while found.iter().any(|found| found.contacts < wanted) {
        let (problem, settings) = (problem::<T>(&mut rng), settings(&mut rng));
        let Some(alone) = answer(&problem, &settings, &mut solver, None) else { continue };
        for (memory, found) in memories.iter_mut().zip(&mut found) {
            let side_by_side = answer(&problem, &settings, &mut solver, Some(&mut **memory));
            found.differences += usize::from(side_by_side.as_ref() != Some(&alone));
            found.contacts += memory.in_lanes().0;
        }
    }
    found
}

/// For the browser: so many contacts at the level of the module. Returns how many were compared; `-1` or less if answers
/// differ, and 0 if the module has no lanes.
fn compared<T: LaneScalar>(wanted: u32) -> f64 {
    let Some(found) = compare::<T>(std::iter::once(Level::baseline()), wanted as usize).pop() else { return 0.0 };
    match (found.level, found.differences) {
        ("SIMD128", 0) => found.contacts as f64,
        ("SIMD128", differences) => -(differences as f64),
        _ => 0.0,
    }
}

/// [`compare`] in single precision.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn compared_f32(wanted: u32) -> f64 {
    compared::<f32>(wanted)
}

/// [`compare`] in double precision.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn compared_f64(wanted: u32) -> f64 {
    compared::<f64>(wanted)
}
