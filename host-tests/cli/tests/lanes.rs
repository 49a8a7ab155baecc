//! What the command prints does not depend on the instructions of the processor.

use stiction::Settings;
use stiction_cli::answer::Answer;
use stiction_cli::problem::{Problem, SettingsEntry};
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::{ALL, find};
use stiction_cli::rig::simulation::{Precision, on_large_stack, simulate_at};
use stiction_cli::rig::world::Rig;
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Level, best_level, level_name, levels};
use stiction_testkit::effort;
use stiction_testkit::known_answers::stack;
use stiction_testkit::random_structures::STRUCTURES;
use stiction_testkit::rng::Rng;
use stiction_testkit::walls::{pyramid, wall};

fn printed<T: LaneScalar>(problem: &Problem, level: Option<Level>) -> String {
    let settings = problem.settings.settings(Settings::<T>::default());
    serde_json::to_string(&Answer::new(&problem.solve_at(&settings, level).unwrap())).unwrap()
}

#[test]
fn an_answer_is_printed_with_the_same_bits_at_every_level() {
    let mut rng = Rng::new(19);
    let structures = STRUCTURES.map(|structure| structure.island(&mut rng));
    let islands = [stack(8, 1.0, 0.5), wall(6, 8, 0.5), pyramid(12, 8, 0.6)];
    for (at, island) in islands.iter().chain(&structures).enumerate() {
        let problem = Problem::from_island(island, SettingsEntry::default());
        let (single, double) = (printed::<f32>(&problem, None), printed::<f64>(&problem, None));
        for level in levels() {
            assert_eq!(printed::<f32>(&problem, Some(level)), single, "problem {at}, {}", level_name(level));
            assert_eq!(printed::<f64>(&problem, Some(level)), double, "problem {at}, {}", level_name(level));
        }
    }
}

fn digest(scene: &Scene, precision: Precision, level: Option<Level>) -> u64 {
    let mut run = simulate_at(scene, precision, level).unwrap();
    for _ in 0..scene.frames().unwrap().min(effort::cases(12, 120)) {
        run.step(Detail::Figures).unwrap();
    }
    run.digest()
}

#[test]
fn a_scene_has_the_same_digest_at_every_level() {
    for named in ALL {
        let scene = named.scene();
        for precision in [Precision::Single, Precision::Double] {
            let alone = digest(&scene, precision, None);
            for level in levels() {
                assert_eq!(digest(&scene, precision, Some(level)), alone, "{}, {}", named.name, level_name(level));
            }
        }
    }
}

/// Steps a scene with and without lanes; the frames after which lanes were in use.
fn frames_in_lanes<T: LaneScalar>(name: &str) -> Result<usize, String> {
    let scene = find(name).ok_or("no such scene")?;
    let rig = |level| Rig::<T, 512, 4096>::new(&scene, level).map(Box::new);
    let (mut alone, mut in_lanes, mut used) = (rig(None)?, rig(Some(best_level()))?, 0);
    for frame in 0..60 {
        for rig in [&mut alone, &mut in_lanes] {
            rig.step(&mut (), None).map_err(|error| error.to_string())?;
        }
        assert_eq!(in_lanes.moving.digest(), alone.moving.digest(), "{name}, frame {frame}");
        used += usize::from(in_lanes.uses_lanes());
    }
    Ok(used)
}

#[test]
fn scenes_with_large_islands_use_lanes() {
    for name in ["billiard-break", "cluster-drop-32"] {
        let [single, double] =
            [frames_in_lanes::<f32>, frames_in_lanes::<f64>].map(|frames| on_large_stack(|| frames(name)).unwrap());
        println!("{name}: {single} and {double} frames");
        assert!(single > 0 && double > 0, "{name}: {single} and {double} frames");
    }
}
