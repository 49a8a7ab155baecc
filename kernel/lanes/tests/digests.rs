//! Digests of scenes and of structures: the same without lanes and at every level that this machine has.

use stiction::sweep::lane_memory::LaneMemory;
use stiction::{DirectMemory, Hooks, MethodChoice, Settings, Solver, StepReport};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level, level_name, levels};
use stiction_scenes::boxes::{Boxes, cluster, stack};
use stiction_scenes::digest::{Digest, FRAMES};
use stiction_testkit::effort;
use stiction_testkit::island::{DT, Island};
use stiction_testkit::random_structures::STRUCTURES;
use stiction_testkit::rng::Rng;
use stiction_testkit::walls::{pyramid, wall};

const NB: usize = 512;
const NC: usize = 512;
const NG: usize = 171;

type Memory<T> = Lanes<T, NB, NC, NG>;

fn hook<T: LaneScalar>(lanes: &mut Option<Box<Memory<T>>>) -> Option<&mut dyn LaneMemory<T>> {
    lanes.as_deref_mut().map(|lanes| lanes as &mut dyn LaneMemory<T>)
}

/// A digest without lanes, compared with those at every level.
fn compare<T: LaneScalar>(what: &str, mut digest: impl FnMut(&mut Option<Box<Memory<T>>>) -> Digest) {
    let alone = digest(&mut None);
    let at = |level: Level| Some(Box::new(Memory::with_level(level)));
    for level in levels() {
        assert_eq!(digest(&mut at(level)), alone, "{what}, {}", level_name(level));
    }
}

/// Structures that are solved once.
fn structures() -> Vec<Island> {
    let mut rng = Rng::new(61);
    let random = (0..effort::cases(4, 80)).map(|i| STRUCTURES[i % 4].island(&mut rng));
    [wall(6, 8, 0.5), pyramid(8, 6, 0.7)].into_iter().chain(random).collect()
}

fn of_solve<T: LaneScalar>(island: &Island, method: MethodChoice, lanes: &mut Option<Box<Memory<T>>>) -> Digest {
    let (mut bodies, contacts) = island.columns::<T, NB, NC>();
    let mut solver = Box::new(Solver::<T, NB, NC>::new());
    let mut direct = Box::new(DirectMemory::<T, NC, 8192>::new());
    let settings = Settings { method, sweeps: 60, ..Settings::default() };
    let hooks = Hooks { lanes: hook(lanes), ..Hooks::with_direct(direct.view()) };
    let report = solver.solve_with(&mut bodies, &contacts, &settings, T::lit(DT), hooks).expect("a valid structure");
    let mut digest = Digest::default();
    for velocity in bodies.linear_velocities().iter().chain(bodies.angular_velocities()) {
        velocity.iter().for_each(|value| digest.add(*value));
    }
    for contact in (0..contacts.len()).filter_map(|i| solver.contact(i)) {
        digest.add(contact.normal_impulse);
        contact.tangent_impulse.iter().for_each(|value| digest.add(*value));
    }
    digest.add(report.residual.natural);
    digest.add(T::lit(f64::from(report.sweeps)));
    digest
}

fn study_solves<T: LaneScalar>() {
    let mut in_lanes = 0;
    for (at, island) in structures().iter().enumerate() {
        for method in [MethodChoice::Sweeps, MethodChoice::Auto] {
            compare::<T>(&format!("structure {at}"), |lanes| {
                let digest = of_solve(island, method, lanes);
                in_lanes += usize::from(lanes.as_ref().is_some_and(|lanes| lanes.in_lanes().0 >= 24));
                digest
            });
        }
    }
    println!("{in_lanes} solves in lanes");
    assert!(in_lanes >= 2 * levels().count(), "{in_lanes} solves in lanes");
}

#[test]
fn digests_of_solves_do_not_depend_on_the_level() {
    study_solves::<f32>();
    study_solves::<f64>();
}

/// A scene's digest, and the most contacts of a frame that were visited in lanes.
fn of_boxes<T: LaneScalar>(mut boxes: Boxes<T, 40, 160>, lanes: &mut Option<Box<Memory<T>>>) -> (Digest, usize) {
    let (mut digest, mut most) = (Digest::default(), 0);
    for _ in 0..FRAMES {
        let report: StepReport<T> = boxes.step_with(Hooks { lanes: hook(lanes), ..Hooks::default() }).expect("valid");
        digest.add_step(&boxes.world, &boxes.pipeline, &report);
        most = most.max(lanes.as_ref().map_or(0, |lanes| lanes.in_lanes().0));
    }
    (digest, most)
}

/// With one sweep in each substep, the default, there is nothing for lanes to do. With more, large islands use them.
fn study_scene<T: LaneScalar>(what: &str, is_large: bool, scene: impl Fn() -> Boxes<T, 40, 160>) {
    compare::<T>(what, |lanes| of_boxes(scene(), lanes).0);
    for sweeps in [6, 20] {
        compare::<T>(&format!("{what}, {sweeps} sweeps"), |lanes| {
            let mut boxes = scene();
            boxes.pipeline.settings.solver.sweeps = sweeps;
            // Boxes that rest are not swept.
            for body in 1..boxes.world.len() {
                let mut pushed = boxes.world.get(body).expect("a body");
                pushed.linear_velocity.x = T::lit(0.1 * (body % 3) as f64);
                boxes.world.set(body, pushed).expect("a valid body");
            }
            let (digest, most) = of_boxes(boxes, lanes);
            assert!(lanes.is_none() || (most >= 24) == is_large, "{what}, {sweeps} sweeps: {most} contacts in lanes");
            digest
        });
    }
}

#[test]
fn digests_of_scenes_do_not_depend_on_the_level() {
    for count in [8, 16] {
        study_scene::<f32>("stack", true, || stack(count));
        study_scene::<f64>("stack", true, || stack(count));
    }
    // Piles of four boxes.
    study_scene::<f32>("cluster", false, cluster);
    study_scene::<f64>("cluster", false, cluster);
}
