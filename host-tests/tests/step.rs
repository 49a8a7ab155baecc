//! One step: forces, rotation, gaps, substeps, deadlines, and a ledger that closes in every scene.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::Hooks;
use stiction::PointId;
use stiction::{Manifold, ManifoldPoint, Material};
use stiction::{Pipeline, PositionCorrection, Real, RigidBody, Solver, Status, StepSettings, World, Wrench};
use stiction_scenes::boxes::*;

const DT: f64 = 1.0 / 60.0;

/// A slab tumbling over rough ground.
fn tumbling<T: Real>(restitution: f64) -> Boxes<T, 8, 64> {
    let surface = material(0.6, restitution);
    let mut boxes = Boxes::new(surface, DT);
    let half = [0.6, 0.3, 0.1];
    let slab = RigidBody {
        position: vector(0.0, 0.0, 1.0),
        linear_velocity: vector(3.0, 1.0, -2.0),
        angular_velocity: vector(2.0, -5.0, 3.0),
        ..solid_box(4.0, half, surface)
    };
    boxes.add(slab, half);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    boxes
}

/// A cube on a belt that runs at a speed.
fn on_belt<T: Real>(belt: f64) -> Boxes<T, 8, 64> {
    let mut boxes = stack::<T, 8, 64>(1);
    let ground = RigidBody { linear_velocity: vector(belt, 0.0, 0.0), ..boxes.world.get(0).unwrap() };
    boxes.world.set(0, ground).unwrap();
    boxes
}

/// A slab in the air, pushed and twisted.
fn driven<T: Real>() -> Boxes<T, 8, 64> {
    let mut boxes = tumbling::<T>(0.0);
    boxes.pairs.clear();
    let load = Wrench { force: vector(3.0, -1.0, 20.0), torque: vector(0.2, 0.4, -0.1) };
    boxes.world.set_load(1, load).unwrap();
    boxes
}

/// A cube started 3 cm deep in the ground.
fn sunk<T: Real>(position_correction: PositionCorrection) -> Boxes<T, 8, 64> {
    let mut boxes = stack::<T, 8, 64>(1);
    boxes.pipeline.settings.solver.position_correction = position_correction;
    let cube = RigidBody { position: vector(0.0, 0.0, 0.47), ..boxes.world.get(1).unwrap() };
    boxes.world.set(1, cube).unwrap();
    boxes
}

fn in_parts<T: Real>(substeps: u32) -> Boxes<T, 8, 64> {
    let mut boxes = tumbling(0.3);
    boxes.pipeline.settings.substeps = substeps;
    boxes
}

/// Three islands: a slab on a rotating table, a cube on a lift, a cube on level ground, all in one world.
fn archipelago<T: Real>() -> Boxes<T, 8, 64> {
    let rough = material(0.6, 0.2);
    let mut boxes = Boxes::new(rough, DT);
    let table = RigidBody { angular_velocity: vector(0.0, 0.0, 1.5), material: rough, ..RigidBody::fixed() };
    let lift = RigidBody { linear_velocity: vector(0.0, 0.3, 0.8), material: rough, ..RigidBody::fixed() };
    let slab = RigidBody { position: vector(0.8, 0.0, 0.1), ..solid_box(3.0, [0.3, 0.2, 0.1], rough) };
    let cube = |x: f64| RigidBody {
        position: vector(x, 0.0, 0.55),
        angular_velocity: vector(0.3, 0.1, 1.0),
        ..solid_box(2.0, [0.5; 3], rough)
    };
    let (table, lift) = (boxes.add(table, [0.0; 3]), boxes.add(lift, [0.0; 3]));
    let slab = boxes.add(slab, [0.3, 0.2, 0.1]);
    let (second, third) = (boxes.add(cube(5.0), [0.5; 3]), boxes.add(cube(10.0), [0.5; 3]));
    for (ground, body) in [(table, slab), (lift, second), (0, third)] {
        boxes.pairs.push(Pair::BoxOnPlane { ground, body, normal: Vector3::z() });
    }
    boxes
}

/// A cube that rotates about one axis only, which is not a coordinate axis.
fn hinged<T: Real>() -> Boxes<T, 8, 64> {
    let mut boxes = tumbling::<T>(0.2);
    let axis = vector::<T>(1.0, 2.0, 2.0) / T::lit(3.0);
    let slab = boxes.world.get(1).unwrap();
    let inverse_inertia = axis * axis.transpose() * T::lit(2.0);
    boxes
        .world
        .set(1, RigidBody { inverse_inertia_body: inverse_inertia, angular_velocity: axis * T::lit(3.0), ..slab })
        .unwrap();
    boxes
}

/// A rod a hundred times as long as it is wide, thrown down.
fn rod<T: Real>() -> Boxes<T, 8, 64> {
    let surface = material(0.6, 0.3);
    let mut boxes = Boxes::new(surface, DT);
    let half = [1.0, 0.01, 0.01];
    let thrown = RigidBody {
        position: vector(0.0, 0.0, 1.5),
        orientation: UnitQuaternion::from_euler_angles(T::lit(0.4), T::lit(0.7), T::lit(0.2)),
        angular_velocity: vector(20.0, 1.0, 2.0),
        ..solid_box(1.0, half, surface)
    };
    boxes.add(thrown, half);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    boxes
}

fn worst_closure<T: Real, const NB: usize, const NC: usize>(mut boxes: Boxes<T, NB, NC>) -> f64 {
    (0..300).map(|_| boxes.step().unwrap().ledger.closure().to_f64()).fold(0.0, f64::max)
}

fn closures<T: Real>() -> Vec<(&'static str, f64)> {
    vec![
        ("resting", worst_closure(stack::<T, 8, 64>(1))),
        ("tumbling", worst_closure(tumbling::<T>(0.0))),
        ("bouncing", worst_closure(tumbling::<T>(0.9))),
        ("belt drives", worst_closure(on_belt::<T>(2.0))),
        ("belt stops", worst_closure(on_belt::<T>(0.0))),
        ("driven", worst_closure(driven::<T>())),
        ("sunk, split impulse", worst_closure(sunk::<T>(PositionCorrection::SplitImpulse))),
        ("sunk, bias", worst_closure(sunk::<T>(PositionCorrection::Bias))),
        ("in four parts", worst_closure(in_parts::<T>(4))),
        ("three islands on a table, a lift and ground", worst_closure(archipelago::<T>())),
        ("hinged", worst_closure(hinged::<T>())),
        ("rod", worst_closure(rod::<T>())),
    ]
}

#[test]
fn the_ledger_closes_every_step_in_every_scene() {
    for (single, double) in closures::<f32>().into_iter().zip(closures::<f64>()) {
        println!("{}: f32 {:.1e}, f64 {:.1e}", double.0, single.1, double.1);
        assert!(double.1 <= 1e-12 && single.1 <= if double.0 == "rod" { 1e-4 } else { 1e-5 }, "{}", double.0);
    }
}

#[test]
fn a_body_free_about_one_axis_has_that_axis_energy_in_any_orientation() {
    let mut rng = stiction_testkit::rng::Rng::new(11);
    for _ in 0..20_000 {
        let axis = rng.direction();
        let rotation = UnitQuaternion::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
        let speed = rng.range(0.5, 2.0);
        let body = RigidBody {
            orientation: rotation,
            angular_velocity: rotation * axis * speed,
            ..RigidBody::from_inverse(1.0, axis * axis.transpose() * 2.0)
        };
        let mut world = World::<f64, 8>::new();
        world.push(body).unwrap();
        let expected = 0.25 * speed * speed;
        assert!((world.kinetic_energy() - expected).abs() <= 1e-12);
        assert!((world.bodies().kinetic_energy() - expected).abs() <= 1e-12, "{}", world.bodies().kinetic_energy());
    }
}

#[test]
fn a_deadline_during_position_correction_skips_it_and_is_reported() {
    let mut boxes = sunk::<f64>(PositionCorrection::SplitImpulse);
    let (halves, pairs) = (boxes.halves.clone(), boxes.pairs.clone());
    let mut statuses = Vec::new();
    for last in 0..40 {
        let mut asked = 0;
        let mut should_stop = || {
            asked += 1;
            asked > last
        };
        let mut world = boxes.world.clone();
        let report = boxes.pipeline.step_with(
            &mut world,
            |world, collector| {
                let mut found = pairs.iter().filter_map(|pair| manifold(world, &halves, pair, 0.01));
                found.try_for_each(|manifold| collector.push(&manifold))
            },
            DT,
            Hooks::with_should_stop(&mut should_stop),
        );
        let corrected = world.positions()[1].z > boxes.world.positions()[1].z;
        statuses.push((report.unwrap().status, corrected));
    }
    println!("{statuses:?}");
    assert!(statuses.contains(&(Status::Deadline, false)) && statuses.contains(&(Status::Converged, true)));
    assert!(!statuses.contains(&(Status::Converged, false)));
}

#[test]
fn position_correction_changes_no_velocity() {
    let half = [0.6, 0.3, 0.1];
    let mut boxes = Boxes::<f64, 8, 64>::new(material(0.0, 0.0), DT);
    boxes.pipeline.settings.gravity = Vector3::zeros();
    let (position, angular) = (vector(0.0, 0.0, 0.05), vector(0.0, 0.0, 5.0));
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.02);
    boxes.add(
        RigidBody { position, angular_velocity: angular, orientation, ..solid_box(1.0, half, material(0.0, 0.0)) },
        half,
    );
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    boxes.pipeline.settings.solver.restitution_threshold = 10.0;
    let mut free = boxes.world.clone();
    let mut none = Pipeline::<f64, 8, 64>::new(boxes.pipeline.settings);
    none.settings.solver.position_correction = PositionCorrection::None;
    let manifolds: Vec<_> =
        boxes.pairs.iter().filter_map(|pair| manifold(&boxes.world, &boxes.halves, pair, 0.01)).collect();
    none.step(&mut free, stiction::manifolds(&manifolds), DT).unwrap();
    boxes.step().unwrap();
    assert!(boxes.world.positions()[1].z > free.positions()[1].z + 1e-4, "it was moved");
    assert_eq!(
        (boxes.world.bodies().linear_velocities(), boxes.world.bodies().angular_velocities()),
        (free.bodies().linear_velocities(), free.bodies().angular_velocities())
    );
}

#[test]
fn bounce_and_contact_never_add_energy() {
    let mut boxes = tumbling::<f64>(0.9);
    for _ in 0..300 {
        let ledger = boxes.step().unwrap().ledger;
        assert!(ledger.bounce <= 1e-12 && ledger.normal + ledger.friction <= 1e-12, "{ledger:?}");
    }
}

#[test]
fn a_belt_accelerates_a_cube_and_the_ledger_accounts_for_its_work() {
    let mut boxes = on_belt::<f64>(2.0);
    let work: f64 = (0..60).map(|_| boxes.step().unwrap().ledger.friction).sum();
    assert!((boxes.world.bodies().linear_velocities()[1].x - 2.0).abs() <= 1e-9);
    assert!((work - 2.0).abs() <= 1e-6, "half m v² is 2 J, friction did {work} J");
}

#[test]
fn forces_and_torques_obey_newtons_laws() {
    let mut boxes = driven::<f64>();
    let before = boxes.world.get(1).unwrap();
    boxes.step().unwrap();
    let after = boxes.world.get(1).unwrap();
    let expected = before.linear_velocity + (Vector3::new(3.0, -1.0, 20.0) / 4.0 - Vector3::z() * 9.81) * DT;
    assert!((after.linear_velocity - expected).norm() <= 1e-14);
    // Nothing holds it: it flies its parabola.
    let displacement = (before.linear_velocity + after.linear_velocity) * (0.5 * DT);
    assert!((after.position - before.position - displacement).norm() <= 1e-15);
    // Torque changes the angular momentum, whatever the body's rotation does to its angular velocity.
    let momentum = |body: &RigidBody<f64>| {
        let own = body.inverse_inertia_body.try_inverse().unwrap();
        body.orientation * (own * (body.orientation.inverse() * body.angular_velocity))
    };
    assert!((momentum(&after) - momentum(&before) - Vector3::new(0.2, 0.4, -0.1) * DT).norm() <= 1e-13);
}

#[test]
fn a_gap_closes_to_contact_without_penetration() {
    let mut boxes = Boxes::<f64, 8, 64>::new(material(0.5, 0.0), DT);
    let start = RigidBody {
        position: vector(0.0, 0.0, 0.504),
        linear_velocity: vector(0.0, 0.0, -2.0),
        ..solid_box(1.0, [0.5; 3], material(0.5, 0.0))
    };
    boxes.add(start, [0.5; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    boxes.step().unwrap();
    assert!((boxes.world.positions()[1].z - 0.5).abs() <= 1e-9, "{}", boxes.world.positions()[1].z);
    boxes.step().unwrap();
    assert!(boxes.world.bodies().linear_velocities()[1].z.abs() <= 1e-9);
}

#[test]
fn a_gap_that_does_not_close_in_the_step_has_no_effect() {
    let mut boxes = Boxes::<f64, 8, 64>::new(material(0.5, 1.0), DT);
    let ball = RigidBody {
        position: vector(0.0, 0.0, 1.009),
        linear_velocity: vector(1.0, 0.0, -0.3),
        ..solid_box(1.0, [1.0; 3], material(0.5, 1.0))
    };
    boxes.add(ball, [1.0; 3]);
    boxes.pairs.push(Pair::BallOnPlane { ground: 0, body: 1 });
    let report = boxes.step().unwrap();
    assert_eq!(report.contacts, 1);
    let after = boxes.world.get(1).unwrap();
    assert_eq!(after.linear_velocity.x, 1.0);
    assert!((after.linear_velocity.z - (-0.3 - 9.81 * DT)).abs() <= 1e-15);
}

#[test]
fn a_saved_world_and_cache_continue_to_the_bit() {
    let mut boxes = tumbling::<f32>(0.3);
    (0..100).for_each(|_| {
        boxes.step().unwrap();
    });
    let (world, cache) = (boxes.world.clone(), boxes.pipeline.cache().clone());
    let ahead = |boxes: &mut Boxes<f32, 8, 64>| {
        (0..50).for_each(|_| {
            boxes.step().unwrap();
        });
        boxes.world.clone()
    };
    let first = ahead(&mut boxes);
    boxes.world = world;
    boxes.pipeline.set_cache(cache);
    assert_eq!(ahead(&mut boxes), first);
}

#[test]
fn without_a_cache_every_step_starts_cold_and_the_result_agrees() {
    let mut cached = stack::<f64, 8, 64>(4);
    let (mut world, halves) = (cached.world.clone(), cached.halves.clone());
    let mut cold = Pipeline::<f64, 8, 64>::new(cached.pipeline.settings);
    let mut sweeps = (0, 0);
    for solver in [&mut cached.pipeline.settings.solver, &mut cold.settings.solver] {
        (solver.sweeps, solver.tolerance) = (2000, 1e-7);
    }
    for _ in 0..20 {
        sweeps.0 += cached.step().unwrap().sweeps;
        let manifolds: Vec<_> = cached.pairs.iter().filter_map(|pair| manifold(&world, &halves, pair, 0.01)).collect();
        cold.clear_cache();
        let report = cold.step(&mut world, stiction::manifolds(&manifolds), DT).unwrap();
        assert_eq!((report.warm_started, report.kept, report.status), (0, 0, Status::Converged));
        sweeps.1 += report.sweeps;
    }
    println!("20 frames of a stack of 4: {} sweeps warm, {} cold", sweeps.0, sweeps.1);
    assert!(sweeps.1 > 3 * sweeps.0);
    for (warm, cold) in cached.world.positions().iter().zip(world.positions()) {
        assert!((warm - cold).norm() <= 1e-6);
    }
}

#[test]
fn a_deadline_ends_the_solve_and_not_the_step() {
    let mut boxes = stack::<f64, 8, 64>(4);
    // Without a tolerance nothing counts as solved before the last substep.
    boxes.pipeline.settings.solver.tolerance = 0.0;
    let (halves, pairs) = (boxes.halves.clone(), boxes.pairs.clone());
    let mut asked = 0;
    let mut should_stop = || {
        asked += 1;
        asked > 3
    };
    let report = boxes
        .pipeline
        .step_with(
            &mut boxes.world,
            |world, collector| {
                pairs
                    .iter()
                    .filter_map(|pair| manifold(world, &halves, pair, 0.01))
                    .try_for_each(|m| collector.push(&m))
            },
            DT,
            Hooks::with_should_stop(&mut should_stop),
        )
        .unwrap();
    assert_eq!((report.status, report.sweeps), (Status::Deadline, 6)); // three substeps of two passes
    assert!(boxes.world.positions()[4].z < 3.5, "the step was taken");
}

/// Bytes that each contact and each body add to a solver: a row of the table.
fn shares<T: Real>(name: &str) -> String {
    let at = size_of::<Solver<T, 64, 1024>>();
    let contact = (size_of::<Solver<T, 64, 2048>>() - at) / 1024;
    let body = (size_of::<Solver<T, 128, 1024>>() - at) / 64;
    assert!(contact <= 320 * size_of::<T>() / 4, "{contact} bytes a contact in {name}");
    format!("| {name} | {contact} | {body} |")
}

/// Bytes of `Pipeline<f32, NB, NC>` and `World<f32, NB>`, on this 64-bit host.
#[test]
fn struct_sizes_match_the_committed_table() {
    let sizes = [
        ((5, 8), size_of::<Pipeline<f32, 5, 8>>(), size_of::<World<f32, 5>>()),
        ((9, 32), size_of::<Pipeline<f32, 9, 32>>(), size_of::<World<f32, 9>>()),
        ((33, 128), size_of::<Pipeline<f32, 33, 128>>(), size_of::<World<f32, 33>>()),
    ];
    let rows: Vec<String> =
        sizes.iter().map(|((nb, nc), pipeline, world)| format!("| {nb} | {nc} | {pipeline} | {world} |")).collect();
    let rows: Vec<String> = rows.into_iter().chain([shares::<f32>("f32"), shares::<f64>("f64")]).collect();
    println!("{}", rows.join("\n"));
    if cfg!(target_pointer_width = "64") {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sizes.md");
        let table = std::fs::read_to_string(path).expect("docs/sizes.md");
        for row in rows {
            assert!(table.contains(&row), "docs/sizes.md does not have: {row}");
        }
    } else {
        println!("sizes not compared: the table is for 64-bit hosts");
    }
}

/// A ball that falls on the ground at 1 m/s and is pulled up with twice its weight: it bounces without loss or gain.
#[test]
fn a_bounce_adds_no_energy_while_a_load_pulls_the_ball_up() {
    let mut world = World::<f64, 8>::new();
    let elastic = Material { mu: 0.0, restitution: 1.0 };
    world.push(RigidBody { material: elastic, ..RigidBody::fixed() }).unwrap();
    let load = Wrench { force: Vector3::z() * (2.0 * 9.81), torque: Vector3::zeros() };
    let ball = RigidBody { material: elastic, load, ..RigidBody::from_inverse(1.0, Matrix3::identity()) };
    world.push(RigidBody { position: Vector3::z(), linear_velocity: -Vector3::z(), ..ball }).unwrap();
    let mut manifold = Manifold::new(0, 1, Vector3::z());
    let point = ManifoldPoint { on_a: Vector3::zeros(), on_b: Vector3::zeros(), depth: 0.0, id: PointId::Feature(0) };
    manifold.points.push(point);
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    let ledger = pipeline.step(&mut world, stiction::manifolds(&[manifold]), 1.0 / 60.0).unwrap().ledger;
    assert!(ledger.closure() <= 1e-12 && ledger.bounce <= 1e-12, "{ledger:?}");
}

/// A cube of 1 cm that starts 3 mm deep in the ground. Gives how deep it is after a second, m.
fn depth_of_sunk_centimetre_cube(settings: StepSettings<f64>) -> f64 {
    let surface = material(0.5, 0.0);
    let mut boxes = Boxes::<f64, 8, 64>::new(surface, DT);
    boxes.pipeline.settings = settings;
    let half = 0.005;
    let cube = RigidBody { position: vector(0.0, 0.0, half - 0.003), ..solid_box(0.001, [half; 3], surface) };
    let cube = boxes.add(cube, [half; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: cube, normal: Vector3::z() });
    for _ in 0..60 {
        boxes.step().unwrap();
    }
    half - boxes.world.positions()[cube].z
}

#[test]
fn penetration_is_corrected_up_to_the_slop_that_follows_from_the_length() {
    let default = depth_of_sunk_centimetre_cube(StepSettings::default());
    let small = depth_of_sunk_centimetre_cube(StepSettings::for_length(0.01));
    assert!((0.0..1.1e-5).contains(&default), "for 1 m: {default}");
    assert!((0.0..1.1e-7).contains(&small), "for 1 cm: {small}");
}

#[test]
fn small_bodies_need_small_cells_to_recognise_contact_points() {
    // A contact point without a feature id is cached, and a point 4 mm away is looked up.
    let recognised = |settings: StepSettings<f64>| {
        let mut cache = stiction::ContactCache::<f64, 4>::new();
        cache.set_cell(settings.cache_cell);
        let at = |x: f64| {
            let point = Vector3::new(x, 0.0, -0.005);
            stiction::Contact::new(0, 1, Vector3::z(), point, point, 0.5)
        };
        let (mut bodies, mut contacts) = (stiction::Bodies::<f64, 8>::new(), stiction::Contacts::<f64, 64>::new());
        bodies.push(stiction::Body::fixed()).unwrap();
        let falling = stiction::Body {
            linear_velocity: Vector3::new(0.0, 0.0, -1.0),
            ..stiction::Body::from_mass(1.0, Matrix3::identity())
        };
        bodies.push(falling).unwrap();
        contacts.push(at(0.0)).unwrap();
        let ids = [PointId::Proximity];
        let mut solver = Solver::<f64, 8, 64>::new();
        solver.solve(&mut bodies, &contacts, &stiction::Settings::default(), DT).unwrap();
        cache.remember(&contacts, &ids, &solver);
        cache.find(&at(0.004), PointId::Proximity).is_some()
    };
    assert!(recognised(StepSettings::default()), "4 mm away is the same point for a body of a metre");
    assert!(!recognised(StepSettings::for_length(0.01)), "and another one for a body of a centimetre");
}

#[test]
fn the_step_reports_a_bounce_that_was_dropped() {
    // A ball is thrown between two immovable walls that close in on it: no velocity separates from both.
    let mut world = World::<f64, 8>::new();
    let elastic = Material { mu: 0.0, restitution: 1.0 };
    for (x, speed) in [(-1.0, 2.0), (1.0, -2.0)] {
        let velocity = Vector3::x() * speed;
        let position = Vector3::x() * x;
        world.push(RigidBody { position, linear_velocity: velocity, material: elastic, ..RigidBody::fixed() }).unwrap();
    }
    let ball = world.push(RigidBody { material: elastic, ..RigidBody::from_mass(1.0, Matrix3::identity()) }).unwrap();
    let manifold = |wall: usize, normal: Vector3<f64>| {
        let mut manifold = Manifold::new(wall, ball, normal);
        let (on_a, on_b) = (-normal * 0.5, -normal * 0.5);
        manifold.points.push(ManifoldPoint { on_a, on_b, depth: 0.0, id: PointId::Feature(0) });
        manifold
    };
    let manifolds = [manifold(0, Vector3::x()), manifold(1, -Vector3::x())];
    let mut pipeline =
        Pipeline::<f64, 8, 64>::new(StepSettings { gravity: Vector3::zeros(), ..StepSettings::default() });
    let report = pipeline.step(&mut world, stiction::manifolds(&manifolds), DT).unwrap();
    assert!(report.bounce_dropped && report.status != Status::Converged, "{report:?}");
}

/// How long and in which direction a contact has slid, and how its block is conditioned, step by step; saved contacts
/// have the same age.
#[test]
fn a_sliding_contact_has_a_direction_and_an_age() {
    let mut world = World::<f64, 8>::new();
    let surface = Material { mu: 0.3, restitution: 0.0 };
    world.push(RigidBody { material: surface, ..RigidBody::fixed() }).unwrap();
    let linear_velocity = Vector3::new(0.6, 0.8, 0.0);
    let ball = RigidBody::from_mass(1.0, Matrix3::identity() * 0.4);
    world.push(RigidBody { linear_velocity, material: surface, ..ball }).unwrap();
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    assert_eq!((pipeline.coupling(0), pipeline.sliding(0)), (None, None));
    let mut ages = Vec::new();
    for _ in 0..60 {
        let under = world.positions()[1];
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        manifold.points.push(ManifoldPoint { on_a: under, on_b: under, depth: 0.0, id: PointId::Feature(0) });
        let report = pipeline.step(&mut world, stiction::manifolds(&[manifold]), 1.0 / 60.0).unwrap();
        assert_eq!(report.safe_blocks, 0);
        let sliding = pipeline.sliding(0).unwrap();
        if sliding.frames > 0 {
            assert!((sliding.direction - Vector3::new(0.6, 0.8, 0.0)).norm() < 1e-9, "{sliding:?}");
        }
        ages.push(sliding.frames);
        let coupling = pipeline.coupling(0).unwrap();
        assert!(coupling.normal_tangent_ratio < 1e-12 && !coupling.is_replaced, "{coupling:?}");
        let mut bytes = vec![0; 4096];
        let length = pipeline.cache().save(&mut bytes).unwrap();
        let mut other = Pipeline::<f64, 8, 64>::new(StepSettings::default());
        other.restore_cache(&bytes[..length]).unwrap();
        assert_eq!(other.cache(), pipeline.cache());
    }
    // It stops after 1 m/s / (0.3 g) = 0.34 s.
    let slid: u8 = ages.iter().copied().max().unwrap();
    assert!((19..=21).contains(&slid), "{ages:?}");
    assert!(ages[..19].iter().enumerate().all(|(at, age)| usize::from(*age) == at + 1), "{ages:?}");
    assert!(ages[22..].iter().all(|age| *age == 0), "{ages:?}");
}
