//! Which contacts a step has: capacity, kept contacts and what ends them, gaps that close within a step.
use nalgebra::{Matrix3, Vector3};
use stiction::record::{RecordedBlock, blocks};
use stiction::{ContactCollector, FlightRecorder, Hooks, InputError, KeptContacts, Manifold, ManifoldPoint, Material};
use stiction::{Pipeline, PointId, RigidBody, StepReport, StepSettings, World, Wrench, manifolds};

type Vector = Vector3<f64>;
const DT: f64 = 1.0 / 60.0;
const ROUGH: Material<f64> = Material { mu: 0.5, restitution: 0.0 };

fn ball(position: Vector, radius: f64, material: Material<f64>) -> RigidBody<f64> {
    RigidBody { position, material, ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.4 * radius * radius) }
}

/// A ground and balls of 1 m radius with given gaps, far from each other.
fn balls_over_ground(gaps: &[f64]) -> World<f64, 8> {
    let mut world = World::new();
    world.push(RigidBody { material: ROUGH, ..RigidBody::fixed() }).expect("a valid body");
    for (i, gap) in gaps.iter().enumerate() {
        let at = Vector::new(5.0 * i as f64, 0.0, 1.0 + gap);
        world.push(ball(at, 1.0, ROUGH)).expect("a valid body");
    }
    world
}

fn one_point(a: usize, b: usize, normal: Vector, on_a: Vector, on_b: Vector) -> Manifold<f64> {
    let depth = normal.dot(&(on_a - on_b));
    let mut manifold = Manifold::new(a, b, normal);
    manifold.points.push(ManifoldPoint { on_a, on_b, depth, id: PointId::Feature(0) });
    manifold
}

/// A ball of 1 m radius on a plane at a height.
fn on_plane(world: &World<f64, 8>, body: usize, height: f64) -> Manifold<f64> {
    let centre = world.positions()[body];
    one_point(0, body, Vector::z(), Vector::new(centre.x, centre.y, height), centre - Vector::z())
}

/// The pairs of the last step.
fn pairs(pipeline: &Pipeline<f64, 8, 4>) -> Vec<(usize, usize)> {
    pipeline.contacts().map(|contact| (contact.a, contact.b)).collect()
}

#[test]
fn the_deepest_contact_stays_where_each_manifold_has_one_point() {
    let mut world = balls_over_ground(&[0.0, 0.009, 0.0, 0.0, -0.05]);
    let mut pipeline = Pipeline::<f64, 8, 4>::new(StepSettings::default());
    let found = [1, 2, 3, 4, 5].map(|body| on_plane(&world, body, 0.0));
    let report = pipeline.step(&mut world, manifolds(&found), DT).expect("a valid step");
    assert_eq!(pairs(&pipeline), [(0, 1), (0, 3), (0, 4), (0, 5)]);
    assert_eq!(report.contacts_left_out, 1);
}

#[test]
fn a_kept_contact_stays_with_its_bodies_when_the_capacity_is_used_up() {
    let mut world = balls_over_ground(&[0.0, 0.009, 0.009, 0.009, 0.009]);
    let mut pipeline = Pipeline::<f64, 8, 4>::new(StepSettings::default());
    let first = [on_plane(&world, 1, 0.0)];
    pipeline.step(&mut world, manifolds(&first), DT).expect("a valid step");
    let found = [2, 3, 4, 5, 1].map(|body| on_plane(&world, body, 0.0));
    let report = pipeline.step(&mut world, manifolds(&found), DT).expect("a valid step");
    assert_eq!(report.contacts_left_out, 1);
    assert!(pairs(&pipeline).contains(&(0, 1)), "{:?}", pairs(&pipeline));
    assert!((world.positions()[1].z - 1.0).abs() < 1e-9, "the ball at rest is at {} m", world.positions()[1].z);
}

/// Random manifolds beyond the capacity: each contact is one of those that were found, the deepest are there, and the
/// state is saved, restored and replayed.
#[test]
fn steps_with_contacts_left_out_are_restored_and_replayed() {
    let mut rng = stiction_testkit::rng::Rng::new(5);
    let (mut left_out, mut replayed) = (0, 0);
    for _ in 0..200 {
        let gaps: Vec<f64> = (0..6).map(|_| rng.range(-0.02, 0.009)).collect();
        let mut world = balls_over_ground(&gaps);
        let mut pipeline = Pipeline::<f64, 8, 4>::new(StepSettings::default());
        let mut recorder = FlightRecorder::<16384>::new();
        for _ in 0..4 {
            let mut found: Vec<_> = (1..7).map(|body| on_plane(&world, body, 0.0)).collect();
            found.sort_by_key(|_| (rng.range(0.0, 1e6)) as u64);
            for manifold in &mut found {
                // Several points at one place, as a flat shape would have.
                let point = manifold.points[0];
                for id in 1..1 + (rng.range(0.0, 3.0) as u32) {
                    let depth = point.depth - rng.range(0.0, 0.003);
                    manifold.points.push(ManifoldPoint { id: PointId::Feature(id), depth, ..point });
                }
            }
            let hooks = Hooks::with_observer(&mut recorder);
            let report = pipeline.step_with(&mut world, manifolds(&found), DT, hooks).expect("a valid step");
            left_out += report.contacts_left_out;
            let deepest = found.iter().flat_map(|m| m.points.iter().map(|p| p.depth)).fold(f64::MIN, f64::max);
            assert!(report.depth >= deepest - 0.006, "depth {}, {deepest} was found", report.depth);
            for contact in pipeline.contacts() {
                assert!(found.iter().any(|m| (m.a, m.b) == (contact.a, contact.b)));
                let centre = world.positions()[contact.b];
                assert!((contact.r_b.z + 1.0).abs() < 0.05 && centre.z > 0.9, "{contact:?}");
            }
            let mut bytes = vec![0; KeptContacts::<f64, 4>::most_saved_bytes()];
            let length = pipeline.cache().save(&mut bytes).expect("enough bytes");
            let mut other = Pipeline::<f64, 8, 4>::new(StepSettings::default());
            other.restore_cache(&bytes[..length]).expect("bytes of a step");
            assert!(other.cache() == pipeline.cache(), "restored contacts differ");
        }
        let dump = recorder.pieces();
        assert!(dump.1.is_empty());
        let mut digest = None;
        for block in blocks(dump.0) {
            match block.expect("a valid dump") {
                RecordedBlock::Step(step) => {
                    let mut again = World::<f64, 8>::new();
                    let mut here = Pipeline::<f64, 8, 4>::new(StepSettings::default());
                    digest = Some(step.step(None, &mut again, &mut here, None, None).expect("a recorded step"));
                }
                RecordedBlock::Outcome(outcome) => {
                    assert_eq!(digest, Some(outcome.digest), "the replayed step ends with other bits");
                    replayed += 1;
                }
                RecordedBlock::Input(_) => panic!("no solve was recorded"),
            }
        }
    }
    assert!(left_out > 1000 && replayed == 800, "{left_out} left out, {replayed} replayed");
}

/// Bodies that move steadily are tried for rest: none passes into what is ahead, wherever in the eight steps it comes.
#[test]
fn a_ball_that_slides_or_rolls_stops_at_a_wall() {
    for (mu, speed) in [(0.0, 0.05), (0.0, 10.0), (0.5, 1.0), (0.5, 5.0)] {
        for phase in 0..64 {
            let material = Material { mu, restitution: 0.0 };
            let mut world = World::<f64, 8>::new();
            for _ in 0..2 {
                world.push(RigidBody { material, ..RigidBody::fixed() }).expect("a valid body");
            }
            let start = 1.0 + speed * DT * (20.0 + f64::from(phase) / 8.0);
            let spin = if mu > 0.0 { speed } else { 0.0 };
            let rolling = RigidBody {
                linear_velocity: Vector::new(speed, 0.0, 0.0),
                angular_velocity: Vector::new(0.0, spin, 0.0),
                ..ball(Vector::new(-start, 0.0, 1.0), 1.0, material)
            };
            world.push(rolling).expect("a valid body");
            let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
            let touch = |world: &World<f64, 8>,
                         collector: &mut ContactCollector<'_, f64, 8, 64>|
             -> Result<(), InputError<f64>> {
                collector.push(&on_plane(world, 2, 0.0))?;
                let centre = world.positions()[2];
                let on_wall = Vector::new(0.0, centre.y, centre.z);
                collector.push(&one_point(1, 2, -Vector::x(), on_wall, centre + Vector::x()))
            };
            for _ in 0..60 {
                pipeline.step(&mut world, touch, DT).expect("a valid step");
                let deep = world.positions()[2].x + 1.0;
                assert!(deep < 1e-4, "μ {mu}, {speed} m/s, phase {phase}: {deep} m inside the wall");
            }
        }
    }
}

#[test]
fn a_resting_body_follows_a_ground_that_changes() {
    let mut world = balls_over_ground(&[0.0]);
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    for height in [0.0, -0.008, 0.02] {
        let touch = |world: &World<f64, 8>, collector: &mut ContactCollector<'_, f64, 8, 64>| {
            collector.push(&on_plane(world, 1, height))
        };
        for _ in 0..180 {
            pipeline.step(&mut world, touch, DT).expect("a valid step");
        }
        let bottom = world.positions()[1].z - 1.0;
        assert!((bottom - height).abs() < 1e-4, "ground at {height} m, the ball's lowest point at {bottom} m");
    }
}

#[test]
fn loads_bring_contacts_into_reach() {
    let mut world = balls_over_ground(&[0.05]);
    world.set_load(1, Wrench { force: Vector::new(0.0, 0.0, -1000.0), torque: Vector::zeros() }).expect("a valid load");
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    assert!(pipeline.search_margin(&world, DT) > 0.13, "1000 N move 1 kg by 0.139 m in a step");
    let found = [on_plane(&world, 1, 0.0)];
    pipeline.step(&mut world, manifolds(&found), DT).expect("a valid step");
    assert!(world.positions()[1].z > 1.0 - 1e-6, "the ball is at {} m", world.positions()[1].z);
}

/// Three equal balls in a line, the first at 5 m/s, without loss: the last one leaves with the speed of the first,
/// whatever the gap between the others.
#[test]
fn a_bounce_is_passed_on_over_a_small_gap() {
    let elastic = Material { mu: 0.0, restitution: 1.0 };
    for gap in [1e-4, 3e-4, 1e-3, 2e-3, 0.01, 0.03] {
        let mut world = World::<f64, 8>::new();
        for x in [-0.5, 0.0, 0.2 + gap] {
            world.push(ball(Vector::new(x, 0.0, 0.0), 0.1, elastic)).expect("a valid body");
        }
        let first = world.get(0).expect("a ball");
        let fast = RigidBody { linear_velocity: Vector::new(5.0, 0.0, 0.0), ..first };
        world.set(0, fast).expect("a valid body");
        let settings = StepSettings { gravity: Vector::zeros(), ..StepSettings::for_length(0.2) };
        let mut pipeline = Pipeline::<f64, 8, 64>::new(settings);
        let touch = |world: &World<f64, 8>,
                     collector: &mut ContactCollector<'_, f64, 8, 64>|
         -> Result<(), InputError<f64>> {
            for (a, b) in [(0, 1), (1, 2)] {
                let (at_a, at_b) = (world.positions()[a], world.positions()[b]);
                collector.push(&one_point(a, b, Vector::x(), at_a + Vector::x() * 0.1, at_b - Vector::x() * 0.1))?;
            }
            Ok(())
        };
        for _ in 0..30 {
            pipeline.step(&mut world, touch, DT).expect("a valid step");
        }
        let speeds = world.bodies().linear_velocities().iter().map(|v| v.x).collect::<Vec<_>>();
        assert!((speeds[2] - 5.0).abs() < 1e-9 && speeds[0].abs() < 1e-9, "gap {gap}: {speeds:?} m/s");
    }
}

/// Impulses are those of a substep: with substeps of another length they are scaled, and a body at rest stays there.
#[test]
fn a_step_of_another_length_begins_with_scaled_impulses() {
    let mut world = balls_over_ground(&[0.0]);
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    let mut step = |dt: f64, substeps: u32| -> StepReport<f64> {
        pipeline.settings.substeps = substeps;
        let found = [on_plane(&world, 1, 0.0)];
        pipeline.step(&mut world, manifolds(&found), dt).expect("a valid step")
    };
    for _ in 0..16 {
        step(DT, 8);
    }
    for (dt, substeps) in [(DT, 4), (DT / 3.0, 4), (DT, 1), (DT, 8)] {
        let report = step(dt, substeps);
        assert!(report.sweeps <= 1 && !report.passivity_guard, "{dt} s, {substeps} substeps: {report:?}");
    }
}

/// A body that moves elsewhere does not keep an island awake.
#[test]
fn an_island_rests_beside_a_moving_platform() {
    let mut world = balls_over_ground(&[0.0]);
    let moving = RigidBody { linear_velocity: Vector::x(), position: Vector::x() * 100.0, ..RigidBody::fixed() };
    world.push(moving).expect("a valid body");
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    let mut sweeps = u32::MAX;
    for _ in 0..16 {
        let found = [on_plane(&world, 1, 0.0)];
        sweeps = pipeline.step(&mut world, manifolds(&found), DT).expect("a valid step").sweeps;
    }
    assert_eq!(sweeps, 0);
}
