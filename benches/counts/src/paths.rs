//! The hot paths whose instructions are counted on the host: each is set up first and then run once inside the counted
//! function.
//!
//! The counter collects inside functions whose name
//! contains `counted`, and nowhere else.

use std::hint::black_box;

use nalgebra::Vector3;
use stiction::{Contacts, LocalRule, Real, Settings};
use stiction_lanes::Level;
use stiction_scenes::boxes::{Boxes, Pair, cluster, material, solid_box};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::stack;
use stiction_testkit::walls::wall;

use crate::ours::{Ours, lanes, one_contact, shoved, sweeps, warm_wall};
use crate::small_worlds::SmallWorlds;

/// A path's name and the function that prepares and runs it.
pub const PATHS: [(&str, fn()); 16] = [
    ("wall_10_sweeps_f32", || solve::<f32>(&wall(10, 13, 0.5), &sweeps(10, LocalRule::Exact))),
    ("wall_10_sweeps_f64", || solve::<f64>(&wall(10, 13, 0.5), &sweeps(10, LocalRule::Exact))),
    ("shoved_wall_10_sweeps_f32", || solve::<f32>(&shoved(), &sweeps(10, LocalRule::Exact))),
    ("wall_without_sweeps_f32", || solve::<f32>(&wall(10, 13, 0.5), &sweeps(0, LocalRule::Exact))),
    ("warm_wall_10_sweeps_f32", || solve::<f32>(&warm_wall(), &sweeps(10, LocalRule::Exact))),
    ("warm_wall_without_sweeps_f32", || solve::<f32>(&warm_wall(), &sweeps(0, LocalRule::Exact))),
    ("shoved_wall_without_sweeps_f32", || solve::<f32>(&shoved(), &sweeps(0, LocalRule::Exact))),
    ("shoved_wall_10_sweeps_in_lanes_baseline_f32", || in_lanes(Level::baseline())),
    (AVX2[0], || in_lanes(avx2().unwrap_or(Level::baseline()))),
    ("small_worlds_20_sweeps_in_lanes_baseline_f32", || small_worlds(&sweeps(20, LocalRule::Exact), Level::baseline())),
    (AVX2[1], || small_worlds(&Settings::default(), avx2().unwrap_or(Level::baseline()))),
    ("stack_of_16_defaults_f32", || solve::<f32>(&stack(16, 1.0, 0.5), &Settings::default())),
    ("single_contact_warm_f32", single_contact),
    ("thousand_contacts_pushed_f32", pushed),
    ("sixty_steps_of_stack_with_cache_f32", steps),
    ("cluster_drop_of_32_f32", cluster_drop),
];

/// The paths that need AVX2.
pub const AVX2: [&str; 2] = ["shoved_wall_10_sweeps_in_lanes_avx2_f32", "small_worlds_defaults_in_lanes_avx2_f32"];

/// The level of AVX2, if this processor has it.
pub fn avx2() -> Option<Level> {
    #[cfg(target_arch = "x86_64")]
    return Level::new().as_avx2().map(Level::Avx2);
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The function that the counter measures.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// A visit in lanes that is not inlined somewhere takes ten times as many instructions.
fn in_lanes(level: Level) {
    let island = shoved();
    solve_by(Ours::<f32>::in_lanes(&island, lanes(level)), &sweeps(10, LocalRule::Exact));
}

/// Sixty-four worlds: lanes are refilled several times.
fn small_worlds(settings: &Settings<f32>, level: Level) {
    let mut worlds = SmallWorlds::new(64, 0.3, level);
    worlds.side_by_side(settings);
    counted(&mut || {
        black_box(worlds.side_by_side(settings));
    });
}

fn solve<T: Real>(island: &Island, settings: &Settings<T>) {
    solve_by(Ours::<T>::new(island), settings);
}

fn solve_by<T: Real>(mut ours: Ours<T>, settings: &Settings<T>) {
    // The first access to memory is not part of the solver's cost.
    ours.solve(settings);
    counted(&mut || ours.run(settings));
}

fn single_contact() {
    let island = one_contact();
    let mut first = Ours::<f32>::new(&island);
    first.solve(&Settings::default());
    solve::<f32>(&first.warmed(&island), &Settings::default());
}

fn pushed() {
    let (_, all) = wall(10, 13, 0.5).rounded::<f32>();
    let mut contacts = Box::new(Contacts::<f32, 1000>::new());
    counted(&mut || {
        for contact in &all {
            let pushed = contacts.push(*contact);
            debug_assert!(pushed.is_ok(), "the wall fits");
        }
    });
    black_box(&contacts);
}

fn steps() {
    let mut boxes = Box::new(Boxes::<f32, 5, 16>::new(material(0.5, 0.0), 1.0 / 60.0));
    for i in 0..4 {
        let mut body = solid_box(1.0, [0.5; 3], material(0.5, 0.0));
        body.position.z = 0.5 + i as f32;
        let index = boxes.add(body, [0.5; 3]);
        let lower = index - 1;
        boxes.pairs.push(if i == 0 {
            Pair::BoxOnPlane { ground: 0, body: index, normal: Vector3::z() }
        } else {
            Pair::BoxOnBox { lower, upper: index }
        });
    }
    let mut step = || {
        let stepped = black_box(boxes.step());
        debug_assert!(stepped.is_ok(), "four boxes fit");
    };
    let mut second = || (0..60).for_each(|_| step());
    second();
    // Some frames at rest need a correction, some none: one frame alone would count by chance.
    counted(&mut second);
}

/// A second in which 32 boxes fall, land and slide.
fn cluster_drop() {
    let mut boxes = Box::new(cluster::<f32, 33, 128>());
    counted(&mut || {
        for _ in 0..60 {
            let stepped = black_box(boxes.step());
            debug_assert!(stepped.is_ok(), "32 boxes fit");
        }
    });
}
