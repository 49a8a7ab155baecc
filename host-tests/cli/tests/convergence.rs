//! Methods that are better than plain sweeps: accelerated sweeps, and direct methods where memory for them is provided.
//! Published problems where they are available, stacks, random islands, and checks that every method has the same
//! guarantees as the sweeps.

use nalgebra::Vector3;
use stiction::DirectMemory;
use stiction::DirectView;
use stiction::Hooks;
use stiction::{MethodChoice, Real, Settings, Solver, Status, SweepOrder};
use stiction_cli::problem::MethodEntry;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::run::{Plan, run};
use stiction_cli::rig::scenes;
use stiction_cli::rig::simulation::Precision;
use stiction_repo_checks as document;
use stiction_testkit::capacity::solve_delassus;
use stiction_testkit::effort;
use stiction_testkit::fc3d::{Fc3d, published_folder};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::{DT, GRAVITY, stack};
use stiction_testkit::random_islands::{FAMILIES, Family};
use stiction_testkit::random_structures::{STRUCTURES, Structure};
use stiction_testkit::rng::Rng;
use stiction_testkit::walls::{pyramid, wall};

const METHODS: [MethodChoice; 4] =
    [MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Auto, MethodChoice::Direct];

/// Random islands of each family; the full count when optimised.
fn islands() -> usize {
    effort::cases(60, 1000)
}

/// The published problems, if they are here, and their names.
pub fn published() -> Vec<(String, Fc3d)> {
    let Some(folder) = published_folder(&stiction_repo_checks::root().join("..")) else {
        println!("skipped: the published problems are not here, and STICTION_FCLIB names no folder of them");
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder).expect("a readable folder");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "fc3d"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, Fc3d::parse(&std::fs::read(path).expect("a readable problem")).expect("a valid problem"))
    };
    paths.iter().map(read).collect()
}

/// The larger of the two published residuals after a solve.
fn published_residual(problem: &Fc3d, settings: &Settings<f64>) -> (f64, stiction::DelassusReport<f64>) {
    let solved = solve_delassus(problem, settings).expect("a valid problem");
    let (natural, unit) = problem.published_residuals(&solved.impulses);
    (natural.max(unit), solved.report)
}

#[test]
fn all_published_problems_are_solved_with_default_settings() {
    let problems = published();
    let mut tight = 0;
    let mut rows = String::from("| problem | contacts | residual | sweeps + Newton + interior |\n|---|---|---|---|\n");
    for (name, problem) in &problems {
        let (residual, report) = published_residual(problem, &Settings::default());
        let direct = report.direct;
        let steps = format!("{} + {} + {}", report.sweeps, direct.newton_steps, direct.interior_steps);
        rows += &format!("| {name} | {} | {residual:.1e} | {steps} |\n", problem.len());
        assert!(residual <= 1e-6, "{name}: {residual:e}");
        tight += usize::from(residual <= 1e-8);
    }
    if !problems.is_empty() {
        assert!(problems.len() == 12 && tight >= 11, "{tight} to 1e-8");
        document::part("docs/convergence.md", "published", &rows);
    }
}

#[test]
fn accelerated_sweeps_solve_all_published_problems_and_are_never_behind_plain_ones() {
    for (name, problem) in published() {
        let at = |method, sweeps| {
            let order = SweepOrder::Forward;
            published_residual(&problem, &Settings { method, order, sweeps, tolerance: 0.0, ..Settings::default() }).0
        };
        for sweeps in [1, 2, 5, 8, 9, 10, 12, 16, 20, 30, 50, 100, 200, 500] {
            let (plain, accelerated) = (at(MethodChoice::Sweeps, sweeps), at(MethodChoice::Accelerated, sweeps));
            // Residuals below rounding are not compared.
            assert!(
                accelerated <= 1.05 * plain.max(1e-12),
                "{name} after {sweeps} sweeps: {accelerated:.2e}, plain {plain:.2e}"
            );
        }
        let last = at(MethodChoice::Accelerated, 1000);
        println!("{name}: {last:.1e} after 1000 accelerated sweeps, {:.1e} plain", at(MethodChoice::Sweeps, 1000));
        assert!(last <= 1e-4, "{name}: {last:e}");
    }
}

/// A wall of 1,000 contacts, the same while it slides, a pyramid and a stack of sixteen boxes.
fn structures_to_order() -> [(&'static str, Island); 4] {
    let mut shoved = wall(10, 13, 0.5);
    for body in shoved.bodies.iter_mut().skip(1) {
        body.linear_velocity += Vector3::new(2.0, 1.0, 0.0);
        body.angular_velocity.z += 0.3;
    }
    let stack = stack(16, 1.0, 0.5);
    [("wall", wall(10, 13, 0.5)), ("wall, sliding", shoved), ("pyramid", pyramid(20, 16, 0.5)), ("16 boxes", stack)]
}

#[test]
fn a_cold_solve_takes_fewer_sweeps_in_forward_order() {
    let mut rows = String::from("| | contacts | alternating | forward | by colours |\n|---|---:|---:|---:|---:|\n");
    for (name, island) in structures_to_order() {
        let sweeps = [SweepOrder::Alternating, SweepOrder::Forward, SweepOrder::Colours].map(|order| {
            [1e-2, 1e-3].map(|tolerance| {
                let settings = Settings { order, tolerance, sweeps: 5000, ..Settings::<f64>::default() };
                let report = island.solve(&Settings { method: MethodChoice::Sweeps, ..settings }).unwrap().report;
                assert_eq!(report.status, Status::Converged, "{name} {order:?}");
                report.sweeps
            })
        });
        let [alternating, forward, colours] = sweeps.map(|[rough, fine]| format!("{rough} / {fine}"));
        rows += &format!("| {name} | {} | {alternating} | {forward} | {colours} |\n", island.contacts.len());
        assert!(sweeps[1][0] < sweeps[0][0] && sweeps[1][1] < sweeps[0][1], "{name}: {sweeps:?}");
    }
    document::part("docs/convergence.md", "order of sweeps", &rows);
}

/// The motion of a stack before the solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Rest,
    Tilted,
    Kicked,
}

fn moving_stack(boxes: usize, top_mass: f64, motion: Motion) -> Island {
    let mut island = stack(boxes, top_mass, 0.5);
    let mut rng = Rng::new(7);
    for body in island.bodies.iter_mut().skip(1) {
        match motion {
            Motion::Rest => {}
            Motion::Tilted => body.linear_velocity = Vector3::new(0.3_f64.sin(), 0.0, -0.3_f64.cos()) * (GRAVITY * DT),
            Motion::Kicked => {
                body.linear_velocity += rng.direction() * 0.5;
                body.angular_velocity += rng.direction() * 0.5;
            }
        }
    }
    island
}

fn stacks() -> impl Iterator<Item = (usize, f64, Motion)> {
    let motions = [Motion::Rest, Motion::Tilted, Motion::Kicked];
    let tops = [1.0, 10.0, 100.0, 1000.0];
    [4, 8, 20].into_iter().flat_map(move |n| {
        tops.into_iter().flat_map(move |top| motions.into_iter().map(move |motion| (n, top, motion)))
    })
}

#[test]
fn stacks_of_any_mass_ratio_are_solved_from_a_cold_start() {
    let mut rows =
        String::from("| boxes | top | motion | residual, f64 | sweeps + Newton + interior | residual, f32 |\n");
    rows += "|---|---|---|---|---|---|\n";
    for (boxes, top, motion) in stacks() {
        let island = moving_stack(boxes, top, motion);
        let report = island.solve(&Settings::<f64>::default()).unwrap().report;
        let single = island.solve(&Settings::<f32>::default()).unwrap().report;
        let (residual, direct) = (report.residual.natural, report.direct);
        let steps = format!("{} + {} + {}", report.sweeps, direct.newton_steps, direct.interior_steps);
        rows += &format!(
            "| {boxes} | {top}:1 | {motion:?} | {residual:.1e} | {steps} | {:.1e} |\n",
            single.residual.natural
        );
        assert!(residual <= 1e-6, "{boxes} {top} {motion:?}: {report:?}");
    }
    document::part("docs/convergence.md", "stacks", &rows.to_lowercase());
}

/// The residual that the solution of the double-precision problem has when it is rounded and evaluated in single
/// precision.
fn rounding_floor(island: &Island) -> f64 {
    let settings = Settings::<f64> { tolerance: 1e-12, sweeps: 1000, ..Settings::default() };
    let solved = island.solve(&settings).unwrap();
    let mut rounded = island.clone();
    for (contact, outcome) in rounded.contacts.iter_mut().zip(&solved.contacts) {
        contact.warm =
            stiction::WarmStart { normal_impulse: outcome.normal_impulse, tangent_impulse: outcome.tangent_impulse };
    }
    let settings = Settings::<f32> { sweeps: 0, tolerance: 0.0, ..Settings::default() };
    f64::from(rounded.solve(&settings).unwrap().report.residual.natural)
}

#[test]
fn stacks_at_rest_are_solved_to_rounding_in_single_precision() {
    for (boxes, top, motion) in stacks().filter(|(_, _, motion)| *motion == Motion::Rest) {
        let island = moving_stack(boxes, top, motion);
        let floor = rounding_floor(&island);
        let settings = Settings::<f32> { tolerance: 1e-7, sweeps: 50, ..Settings::default() };
        let residual = f64::from(island.solve(&settings).unwrap().report.residual.natural);
        println!("{boxes} boxes, {top}:1: {residual:.1e}, floor {floor:.1e}");
        assert!(residual <= 3.0 * floor.max(f64::from(f32::EPSILON)), "{boxes} {top}: {residual:e}, floor {floor:e}");
    }
}

/// How many of a family end below 1e-4, 1e-6 and 1e-8.
fn solved_of(family: Family, method: MethodChoice) -> Vec<f64> {
    let mut rng = Rng::new(2026);
    let settings = Settings::<f64> { method, sweeps: 1000, ..Settings::default() };
    (0..islands()).map(|_| family.island(&mut rng).solve(&settings).unwrap().report.residual.natural).collect()
}

#[test]
fn random_islands_are_solved_and_never_worse_than_by_sweeps() {
    let mut rows = String::from(
        "| family | method | to 1e-4 | to 1e-6 | to 1e-8 | worse than plain sweeps |\n|---|---|---|---|---|---|\n",
    );
    for family in FAMILIES {
        let plain = solved_of(family, MethodChoice::Sweeps);
        for method in METHODS {
            let residuals = solved_of(family, method);
            let part = |least: f64| residuals.iter().filter(|r| **r <= least).count() as f64 / islands() as f64;
            let parts = [part(1e-4), part(1e-6), part(1e-8)];
            let worse = residuals.iter().zip(&plain).filter(|(r, plain)| **r > 1.01 * plain.max(1e-9)).count();
            let [a, b, c] = parts;
            rows += &format!("| {family:?} | {method:?} | {a:.3} | {b:.3} | {c:.3} | {worse} |\n");
            if method == MethodChoice::Auto {
                assert_eq!(worse, 0, "{family:?}");
                // The figures of the study for stacks are 1.000, 0.988, 0.963.
                let least = if family == Family::Stack { [0.98, 0.968, 0.943] } else { [0.96, 0.95, 0.94] };
                assert!(parts.iter().zip(least).all(|(part, least)| *part >= least), "{family:?}: {parts:?}");
            }
        }
    }
    // The figures of the document are those of a thousand islands.
    if islands() == 1000 {
        document::part("docs/convergence.md", "islands", &rows);
    }
}

#[test]
fn large_random_structures_are_solved() {
    let settings = Settings::<f64> { factorisations: 2000, ..Settings::default() };
    for kind in STRUCTURES {
        let mut rng = Rng::new(7);
        let count: usize = effort::cases(6, 60);
        let islands: Vec<Island> = (0..count).map(|_| kind.island(&mut rng)).collect();
        let residual = |island: &Island| island.solve(&settings).unwrap().report.residual.worst();
        let solved = islands.iter().map(residual).filter(|residual| *residual <= 1e-8).count();
        println!("{kind:?}: {solved} of {count} to 1e-8");
        // Of a thousand rock piles 40 are not.
        let missing = if kind == Structure::RockPiles { count.div_ceil(20) } else { 0 };
        assert!(solved + missing >= count, "{kind:?}: {solved} of {count}");
        // In Delassus form there are no bodies, and factors are over contacts.
        for island in islands.iter().filter(|island| island.contacts.len() <= 150).take(3) {
            let (residual, _) = published_residual(&island.sparse_delassus(), &settings);
            assert!(residual <= 1e-8, "{kind:?}, {} contacts: {residual:e}", island.contacts.len());
        }
    }
}

/// The document's table is the one that `cargo bench -p stiction-benches --bench structures` stored.
#[test]
fn the_table_of_structures_is_documented() {
    let stored = document::root().join("benches/results/x86_64-linux/structures.csv");
    let table = std::fs::read_to_string(&stored).expect("the bench's table");
    let row = |line: &str| format!("| {} |\n", line.replace(',', " | "));
    let mut lines = table.lines();
    let header = lines.next().expect("a header");
    let rule = format!("|{}\n", "---|".repeat(header.split(',').count()));
    let rows: String = lines.map(row).collect();
    document::part("docs/convergence.md", "structures", &(row(header) + &rule + &rows));
}

fn promises<T: Real>(gain_limit: f64) {
    let mut rng = Rng::new(5);
    let mut direct = 0;
    for case in 0..islands() {
        let island = FAMILIES[case % FAMILIES.len()].island(&mut rng);
        for method in METHODS {
            let settings = Settings::<T> { method, sweeps: 1 + (case % 40) as u32, ..Settings::default() };
            let solved = island.solve(&settings).unwrap();
            let report = &solved.report;
            let (before, after) = (report.energy_before.to_f64(), report.energy_after.to_f64());
            assert!(after <= before * (1.0 + gain_limit), "{case} {method:?}: {report:?}");
            assert!(report.residual.cone.to_f64() <= 1e-5 * report.residual.scale.to_f64().max(1.0), "{report:?}");
            let below = report.residual.is_below(settings.tolerance);
            assert!((report.status == Status::Converged) == below, "{case} {method:?}: {report:?}");
            assert!(report.sweeps <= settings.sweeps);
            direct += u32::from(report.direct.newton_steps + report.direct.interior_steps > 0);
        }
    }
    println!("{direct} solves used direct methods");
    assert!(direct as usize > islands() / 4);
}

#[test]
fn every_method_is_passive_and_reports_its_true_status() {
    promises::<f64>(1e-12);
    promises::<f32>(1e-5);
}

#[test]
fn a_deadline_ends_direct_methods_with_a_passive_answer() {
    let island = moving_stack(8, 100.0, Motion::Kicked);
    let (mut plain, contacts) = island.columns::<f64, 9, 32>();
    let before = plain.kinetic_energy();
    let mut solver = Solver::<f64, 9, 32>::new();
    let mut direct_memory = Box::new(DirectMemory::<f64, 32, 528>::new());
    for allowed_calls in [31, 33, 36, 40] {
        let (mut bodies, _) = island.columns::<f64, 9, 32>();
        let mut calls = 0;
        let mut deadline = || {
            calls += 1;
            calls > allowed_calls
        };
        let hooks =
            Hooks { should_stop: Some(&mut deadline), direct: Some(direct_memory.view()), observer: None, lanes: None };
        let report = solver.solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, hooks).unwrap();
        assert_eq!((report.status, report.sweeps), (Status::Deadline, 30), "{report:?}");
        assert!(report.direct.newton_steps + report.direct.interior_steps <= allowed_calls - 30);
        assert!(bodies.kinetic_energy() <= before);
    }
    let report = solver
        .solve_with(&mut plain, &contacts, &Settings::default(), 1.0 / 60.0, Hooks::with_direct(direct_memory.view()))
        .unwrap();
    assert_eq!(report.status, Status::Converged);
}

#[test]
fn reused_direct_memory_gives_the_same_bits() {
    let mut rng = Rng::new(9);
    let mut used = Box::new(DirectMemory::<f64, 64, 2080>::new());
    for _ in 0..40 {
        let island = FAMILIES[rng.below(FAMILIES.len())].island(&mut rng);
        let (bodies, contacts) = island.columns::<f64, 16, 64>();
        let solve = |direct_memory: &mut DirectMemory<f64, 64, 2080>| {
            let (mut bodies, mut solver) = (bodies.clone(), Box::new(Solver::<f64, 16, 64>::new()));
            solver
                .solve_with(
                    &mut bodies,
                    &contacts,
                    &Settings::default(),
                    1.0 / 60.0,
                    Hooks::with_direct(direct_memory.view()),
                )
                .unwrap();
            stiction::record::digest(&bodies)
        };
        assert_eq!(solve(&mut used), solve(&mut Box::new(DirectMemory::new())));
    }
}

#[test]
fn too_little_direct_memory_is_reported_and_body_form_needs_less() {
    let island = moving_stack(8, 10.0, Motion::Rest);
    let solve = |direct_memory: DirectView<'_, f64>| {
        let (mut bodies, contacts) = island.columns::<f64, 9, 32>();
        let mut solver = Solver::<f64, 9, 32>::new();
        solver
            .solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, Hooks::with_direct(direct_memory))
            .unwrap()
    };
    // Eight bodies in a row: two slots each, and four for each of seven pairs.
    let in_bodies = solve(DirectMemory::<f64, 32, 44>::new().view());
    assert_eq!((in_bodies.status, in_bodies.direct.memory_too_small), (Status::Converged, false), "{in_bodies:?}");
    let cramped = solve(DirectMemory::<f64, 32, 43>::new().view());
    assert_eq!((cramped.status, cramped.direct.memory_too_small, cramped.sweeps), (Status::SweepLimit, true, 50));
    assert!(solve(DirectMemory::<f64, 31, 600>::new().view()).direct.memory_too_small);
    let plain = island.solve(&Settings::<f64> { method: MethodChoice::Sweeps, ..Settings::default() }).unwrap().report;
    assert_eq!(cramped.residual.natural, plain.residual.natural);
}

/// Runs a scene and returns the deepest penetration and the largest drift of any box, m.
fn stands(name: &str, seconds: f64, method: MethodEntry) -> (f64, f64) {
    let mut scene = scenes::find(name).expect("a scene that comes with the tool");
    scene.seconds = seconds;
    scene.settings.method = Some(method);
    let start: Vec<Vector3<f64>> = scene.bodies.iter().map(|body| Vector3::from_column_slice(&body.position)).collect();
    let plan = Plan { title: name.into(), scene, precision: Precision::Double, record: None };
    let (mut depth, mut drift) = (0.0_f64, 0.0_f64);
    run(&plan, Detail::Figures, |frame| {
        depth = depth.max(frame.report.depth);
        drift =
            frame.bodies.iter().zip(&start).map(|(body, start)| (body.position - start).norm()).fold(drift, f64::max);
    })
    .expect("a scene that runs");
    println!("{name}, {seconds} s: overlap {depth:.1e} m, drift {drift:.1e} m");
    (depth, drift)
}

#[test]
fn a_light_box_carries_any_weight_and_an_arch_stands() {
    for name in ["heavy-on-light-10", "heavy-on-light-100", "heavy-on-light-1000"] {
        let (depth, drift) = stands(name, 10.0, MethodEntry::Auto);
        assert!(depth <= 1e-9 && drift <= 1e-8, "{name}");
    }
    let (_, drift) = stands("arch", 10.0, MethodEntry::Auto);
    assert!(drift <= 1e-3, "{drift}");
    // The result of sweeps alone: it shows that the test can fail.
    let (depth, _) = stands("heavy-on-light-100", 10.0, MethodEntry::Sweeps);
    assert!((1e-4..1e-3).contains(&depth), "100:1 does not sink in by 0.2 mm, but by {depth} m");
    let (depth, _) = stands("heavy-on-light-1000", 10.0, MethodEntry::Sweeps);
    assert!((1e-3..1e-1).contains(&depth), "1000:1 does not sink in by some mm, but by {depth} m");
    assert!(stands("stack-16", 10.0, MethodEntry::Sweeps).1 > 1e-4, "sixteen boxes do not move");
}

/// Twenty boxes on each other with the sweeps of a bare solve in every substep, with memory for direct methods or by sweeps alone: the largest
/// drift of a box, m.
fn stack_stands<T: Real>(frames: usize, method: MethodChoice) -> f64 {
    let mut boxes = stiction_scenes::boxes::stack::<T, 21, 80>(20);
    let solver = &mut boxes.pipeline.settings.solver;
    (solver.method, solver.sweeps) = (method, Settings::<T>::default().sweeps);
    let mut direct_memory = Box::new(DirectMemory::<T, 80, 1000>::new());
    let start = boxes.world.positions().to_vec();
    let mut drift = 0.0_f64;
    for _ in 0..frames {
        let direct = (method == MethodChoice::Auto).then(|| direct_memory.view());
        boxes.step_with(Hooks { direct, ..Hooks::default() }).expect("a valid frame");
        let ways = boxes.world.positions().iter().zip(&start).map(|(now, then)| (now - then).map(T::to_f64).norm());
        drift = ways.fold(drift, f64::max);
    }
    println!("20 boxes, {method:?}, {frames} frames of {}: drift {drift:.1e} m", std::any::type_name::<T>());
    drift
}

#[test]
fn twenty_boxes_stand_for_a_minute() {
    let frames = effort::cases(200, 3600);
    assert!(stack_stands::<f64>(frames, MethodChoice::Auto) <= 1e-7);
    assert!(stack_stands::<f32>(frames, MethodChoice::Auto) <= 2e-3);
}

/// Small steps with kept rows do not lean, whatever error the sweeps leave.
#[test]
fn twenty_boxes_stand_by_plain_and_by_accelerated_sweeps() {
    let sag = stack_stands::<f32>(effort::cases(300, 1800), MethodChoice::Sweeps);
    let lean = stack_stands::<f32>(effort::cases(300, 1800), MethodChoice::Accelerated);
    assert!(sag < 0.02 && lean < 0.02, "plain {sag} m, accelerated {lean} m");
    let (depth, _) = stands("heavy-on-light-100", 10.0, MethodEntry::Accelerated);
    assert!(depth < 1e-5, "100:1 sinks by {depth} m with accelerated sweeps");
}

#[test]
fn easy_problems_cost_no_more_with_direct_memory() {
    let mut rng = Rng::new(31);
    let mut quick = 0;
    for case in 0..islands() {
        let island = FAMILIES[case % FAMILIES.len()].island(&mut rng);
        let of =
            |method| island.solve(&Settings::<f64> { method, tolerance: 1e-6, ..Settings::default() }).unwrap().report;
        let (plain, auto) = (of(MethodChoice::Sweeps), of(MethodChoice::Auto));
        if plain.status == Status::Converged && plain.sweeps <= 20 {
            quick += 1;
            // The same work to the sweep, so the same answer to the bit.
            assert_eq!((auto.sweeps, auto.direct), (plain.sweeps, Default::default()));
            assert_eq!(auto.residual, plain.residual);
        }
    }
    println!("{quick} of {} islands are solved in twenty sweeps", islands());
    assert!(quick > islands() / 10);
}

/// Difference between the returned velocities and those that the returned impulses give, relative to the fastest body
/// at the start.
fn momentum_error<T: Real>(island: &Island, settings: &Settings<T>) -> f64 {
    let solved = island.solve(settings).unwrap();
    let mut expected: Vec<_> = island.bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
    for (contact, outcome) in island.contacts.iter().zip(&solved.contacts) {
        let impulse = contact.normal * (outcome.bounce_impulse + outcome.normal_impulse).to_f64()
            + outcome.tangent_impulse.map(T::to_f64);
        for (index, sign, arm) in [(contact.a, -1.0, contact.r_a), (contact.b, 1.0, contact.r_b)] {
            let body = &island.bodies[index];
            expected[index].0 += impulse * (sign * body.inverse_mass);
            expected[index].1 += body.inverse_inertia_world * arm.cross(&impulse) * sign;
        }
    }
    let fastest = island
        .bodies
        .iter()
        .map(|body| body.linear_velocity.norm().max(body.angular_velocity.norm()))
        .fold(0.0, f64::max);
    let mut error = 0.0_f64;
    for ((linear, angular), (expected_linear, expected_angular)) in solved.velocities.iter().zip(&expected) {
        error = error.max((linear.map(T::to_f64) - expected_linear).norm());
        error = error.max((angular.map(T::to_f64) - expected_angular).norm());
    }
    error / fastest
}

fn velocities_follow<T: Real>(limit: f64) {
    let mut worst = [0.0_f64; 4];
    for slippery in [0.5, 1e-2, 1e-3, 1e-6, 1e6] {
        let mut rng = Rng::new(17);
        for case in 0..islands() / 10 {
            let mut island = FAMILIES[case % FAMILIES.len()].island(&mut rng);
            island.contacts.iter_mut().step_by(2).for_each(|contact| contact.mu = slippery);
            for (method, worst) in METHODS.into_iter().zip(&mut worst) {
                let error = momentum_error(&island, &Settings::<T> { method, ..Settings::default() });
                *worst = worst.max(error);
                assert!(error <= limit, "{slippery} {case} {method:?}: {error:e}");
            }
        }
    }
    println!("velocities and impulses differ by at most {worst:?} ({METHODS:?})");
}

/// Impulses that were tried and discarded must leave no change in the velocities.
#[test]
fn velocities_are_those_that_the_impulses_give() {
    velocities_follow::<f64>(1e-10);
    velocities_follow::<f32>(1e-3);
}
