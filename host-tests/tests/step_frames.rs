//! Frames in small steps: closed forms, energy, and structures that stand.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::{
    ContactCollector, Hooks, InputError, Material, Pipeline, Real, RigidBody, StepReport, StepSettings, World,
};
use stiction_scenes::boxes::{Pair, manifold, material, solid_box, vector};
use stiction_testkit::rng::Rng;

const SUBSTEPS: [u32; 4] = [1, 2, 4, 8];
const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

/// Boxes and balls over a plane through the origin, stepped by frames.
struct Scene<T: Real, const NB: usize, const NC: usize> {
    world: Box<World<T, NB>>,
    frames: Box<Pipeline<T, NB, NC>>,
    halves: Vec<Vector3<T>>,
    pairs: Vec<Pair<T>>,
}

impl<T: Real, const NB: usize, const NC: usize> Scene<T, NB, NC> {
    fn new(substeps: u32, ground: Material<T>) -> Self {
        let settings = StepSettings { substeps, ..StepSettings::default() };
        let mut world = Box::new(World::new());
        world.push(RigidBody { material: ground, ..RigidBody::fixed() }).expect("a valid body");
        let frames = Box::new(Pipeline::new(settings));
        Scene { world, frames, halves: vec![Vector3::zeros()], pairs: Vec::new() }
    }

    fn add(&mut self, body: RigidBody<T>, half: [f64; 3], pair: impl Fn(usize) -> Pair<T>) -> usize {
        let index = self.world.push(body).expect("a valid body");
        self.halves.push(vector(half[0], half[1], half[2]));
        self.pairs.push(pair(index));
        index
    }

    fn ball(&mut self, body: RigidBody<T>) -> usize {
        self.add(body, [1.0; 3], |body| Pair::BallOnPlane { ground: 0, body })
    }

    fn cube(&mut self, body: RigidBody<T>) -> usize {
        self.add(body, [0.5; 3], |body| Pair::BoxOnPlane { ground: 0, body, normal: Vector3::z() })
    }

    fn step(&mut self) -> StepReport<T> {
        self.try_step().expect("a valid frame")
    }

    /// None if the frame was rejected.
    fn try_step(&mut self) -> Option<StepReport<T>> {
        let margin = self.frames.search_margin(&self.world, T::lit(DT));
        let (halves, pairs) = (&self.halves, &self.pairs);
        let detect = |world: &World<T, NB>,
                      collector: &mut ContactCollector<'_, T, NB, NC>|
         -> Result<(), InputError<T>> {
            pairs.iter().filter_map(|pair| manifold(world, halves, pair, margin)).try_for_each(|m| collector.push(&m))
        };
        self.frames.step(&mut self.world, detect, T::lit(DT)).ok()
    }

    fn energy(&self) -> f64 {
        let potential = self.world.potential_energy(&self.frames.settings.gravity);
        to_f64(self.world.kinetic_energy() + potential)
    }

    fn linear(&self, body: usize) -> Vector3<f64> {
        self.world.bodies().linear_velocities()[body].map(to_f64)
    }

    fn angular(&self, body: usize) -> Vector3<f64> {
        self.world.bodies().angular_velocities()[body].map(to_f64)
    }

    fn position(&self, body: usize) -> Vector3<f64> {
        self.world.positions()[body].map(to_f64)
    }
}

fn to_f64<T: Real>(value: T) -> f64 {
    value.to_f64()
}

fn sphere<T: Real>(height: f64, surface: Material<T>) -> RigidBody<T> {
    let inertia = Matrix3::identity() * T::lit(0.4);
    RigidBody { position: vector(0.0, 0.0, height), material: surface, ..RigidBody::from_mass(T::ONE, inertia) }
}

fn cube_at<T: Real>(height: f64, surface: Material<T>) -> RigidBody<T> {
    RigidBody { position: vector(0.0, 0.0, height), ..solid_box(1.0, [0.5; 3], surface) }
}

/// A ball of radius 1 falls by 2 m: its energy after the bounce, relative to that before.
fn energy_after_bounce<T: Real>(restitution: f64, substeps: u32) -> f64 {
    let surface = material(0.5, restitution);
    let mut scene = Scene::<T, 8, 64>::new(substeps, surface);
    let ball = scene.ball(sphere(3.0, surface));
    for _ in 0..60 {
        let falling = scene.linear(ball).z < -1.0;
        scene.step();
        if falling && scene.linear(ball).z > 0.0 {
            break;
        }
    }
    (scene.energy() - G) / (2.0 * G)
}

#[test]
fn a_ball_keeps_the_square_of_its_restitution() {
    for substeps in SUBSTEPS {
        for restitution in [0.3, 0.5, 0.8, 0.95, 1.0] {
            let expected = restitution * restitution;
            let (wide, single) =
                (energy_after_bounce::<f64>(restitution, substeps), energy_after_bounce::<f32>(restitution, substeps));
            assert!((wide - expected).abs() < 1e-13, "{substeps} substeps, e {restitution}: {wide}");
            assert!((single - expected).abs() < 1e-5, "f32, {substeps} substeps, e {restitution}: {single}");
        }
    }
}

#[test]
fn an_elastic_ball_keeps_its_energy_for_a_hundred_seconds() {
    for substeps in SUBSTEPS {
        let surface = material(0.5, 1.0);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        scene.ball(sphere(3.0, surface));
        let start = scene.energy();
        for _ in 0..6000 {
            let report = scene.step();
            assert!(report.ledger.closure() < 1e-12, "{:?}", report.ledger);
        }
        let gained = (scene.energy() - start) / (2.0 * G);
        assert!(gained.abs() < 1e-12, "{substeps} substeps: {gained:e}");
    }
}

#[test]
fn a_flat_cube_bounces_without_spin() {
    for substeps in SUBSTEPS {
        let surface = material(0.5, 0.5);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        let cube = scene.cube(cube_at(1.5, surface));
        let (mut top, mut bounced) = (0.0_f64, false);
        for _ in 0..60 {
            scene.step();
            bounced |= scene.linear(cube).z > 0.1;
            if bounced {
                top = top.max(scene.position(cube).z - 0.5);
            }
            assert!(scene.angular(cube).norm() < 1e-12, "{substeps} substeps: {}", scene.angular(cube));
        }
        assert!((top - 0.25).abs() < 1.5e-3, "{substeps} substeps: {top}");
    }
}

#[test]
fn a_skidding_ball_loses_what_friction_takes_in_the_bounce() {
    for substeps in SUBSTEPS {
        let surface = material(0.5, 0.5);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        let ball = scene.ball(RigidBody { linear_velocity: vector(20.0, 0.0, 0.0), ..sphere(1.25, surface) });
        for _ in 0..20 {
            scene.step();
        }
        let touch = (2.0 * G * 0.25_f64).sqrt();
        let lost = 0.5 * 1.5 * touch;
        assert!((scene.linear(ball).x - (20.0 - lost)).abs() < 1e-9, "{substeps}: {}", scene.linear(ball).x);
        assert!((scene.angular(ball).y - 2.5 * lost).abs() < 1e-9, "{substeps}: {}", scene.angular(ball).y);
    }
}

#[test]
fn a_sliding_cube_stops_where_friction_says() {
    for substeps in [4, 8] {
        let surface = material(0.5, 0.0);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        let cube = scene.cube(RigidBody { linear_velocity: vector(5.0, 0.0, 0.0), ..cube_at(0.5, surface) });
        for _ in 0..120 {
            scene.step();
        }
        let (way, exact) = (scene.position(cube).x, 25.0 / (2.0 * 0.5 * G));
        // A substep's friction acts on the whole of its way.
        assert!((way - exact).abs() < 5.0 * DT / f64::from(substeps), "{substeps} substeps: {way} of {exact}");
        assert!(scene.linear(cube).norm() < 1e-8, "{substeps} substeps: {}", scene.linear(cube));
    }
}

/// A stack of cubes on the ground.
fn stack<T: Real, const NB: usize, const NC: usize>(count: usize, substeps: u32) -> Scene<T, NB, NC> {
    let surface = material(0.5, 0.0);
    let mut scene = Scene::new(substeps, surface);
    scene.cube(cube_at(0.5, surface));
    for level in 1..count {
        let pair = |upper| Pair::BoxOnBox { lower: upper - 1, upper };
        scene.add(cube_at(level as f64 + 0.5, surface), [0.5; 3], pair);
    }
    scene
}

#[test]
fn a_stack_of_sixteen_stands_and_keeps_its_rows() {
    for substeps in [4, 8] {
        let mut scene = stack::<f32, 33, 128>(16, substeps);
        let mut kept = 0;
        for frame in 0..600 {
            let report = scene.step();
            assert_eq!(report.contacts, 64, "frame {frame}");
            kept += usize::from(report.kept == 64);
        }
        let top = scene.position(16);
        // Each contact between two cubes sags by twice what one on the ground does.
        let sag = 16.0 * 17.0 * G * (DT / f64::from(substeps)).powi(2);
        assert!(kept >= 595, "{kept} frames of 600");
        assert!(top.x.abs() < 0.05 && top.y.abs() < 0.05, "{substeps} substeps: {top}");
        assert!((15.5 - top.z) < sag, "{substeps} substeps: {top}, sag {sag}");
    }
}

/// Cubes thrown at the ground, tumbling.
fn tumble(substeps: u32, restitution: f64, seed: u32) -> Scene<f64, 33, 128> {
    let surface = material(0.6, restitution);
    let mut scene = Scene::new(substeps, surface);
    for i in 0..8 {
        let part = |k: u32| f64::from((seed * 31 + i * 17 + k * 7) % 13) / 13.0 - 0.5;
        let orientation = UnitQuaternion::new(Vector3::new(part(0), part(1), part(2)));
        let position = vector(f64::from(i) * 3.0, 0.0, 1.5 + part(3));
        let linear_velocity = vector(4.0 * part(4), 4.0 * part(5), -3.0);
        let angular_velocity = vector(8.0 * part(6), 8.0 * part(7), 8.0 * part(8));
        let slab = solid_box(1.0, [0.5, 0.4, 0.3], surface);
        let body = RigidBody { position, orientation, linear_velocity, angular_velocity, ..slab };
        scene.add(body, [0.5, 0.4, 0.3], |body| Pair::BoxOnPlane { ground: 0, body, normal: Vector3::z() });
    }
    scene
}

#[test]
fn no_frame_gains_energy_beyond_position_correction() {
    for substeps in SUBSTEPS {
        for restitution in [0.0, 0.5, 1.0] {
            let mut scene = tumble(substeps, restitution, 3);
            for frame in 0..400 {
                let ledger = scene.step().ledger;
                let scale = ledger.kinetic_before.abs() + ledger.potential_before.abs();
                assert!(ledger.closure() < 1e-12, "{substeps} substeps, frame {frame}: {ledger:?}");
                assert!(ledger.bounce <= 1e-12 * scale, "{substeps} substeps, frame {frame}: {ledger:?}");
                assert!(ledger.normal + ledger.friction <= 1e-12 * scale, "{substeps}, frame {frame}: {ledger:?}");
            }
        }
    }
}

#[test]
fn a_body_in_flight_follows_its_parabola() {
    for substeps in SUBSTEPS {
        let surface = material(0.5, 0.5);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        let ball = scene.ball(RigidBody { linear_velocity: vector(1.0, 2.0, 3.0), ..sphere(50.0, surface) });
        for _ in 0..60 {
            scene.step();
        }
        let expected = Vector3::new(1.0, 2.0, 50.0 + 3.0 - G / 2.0);
        assert!((scene.position(ball) - expected).norm() < 1e-12, "{}", scene.position(ball));
    }
}

#[test]
fn the_impulses_of_a_frame_change_the_momentum() {
    for substeps in SUBSTEPS {
        for restitution in [0.0, 0.5] {
            let mut scene = tumble(substeps, restitution, 5);
            for frame in 0..200 {
                let before: Vec<_> = (1..9).map(|body| scene.linear(body)).collect();
                scene.step();
                for body in 1..9 {
                    let fall = Vector3::new(0.0, 0.0, -G * DT);
                    let expected = scene.linear(body) - before[body - 1] - fall;
                    let pushed = scene.frames.wrench(body).expect("a body").force.map(to_f64) * DT;
                    let error = (pushed - expected).norm();
                    assert!(error < 1e-12, "{substeps} substeps, frame {frame}, body {body}: {pushed} of {expected}");
                }
            }
        }
    }
}

#[test]
fn a_platform_lifts_a_cube() {
    for substeps in SUBSTEPS {
        let surface = material(0.5, 0.0);
        let mut scene = Scene::<f64, 8, 64>::new(substeps, surface);
        let cube = scene.cube(cube_at(0.5, surface));
        for _ in 0..60 {
            let mut platform = scene.world.get(0).expect("the platform");
            platform.linear_velocity = vector(0.3, 0.0, 1.0);
            scene.world.set(0, platform).expect("a valid body");
            scene.step();
        }
        let (cube_at, platform_at) = (scene.position(cube), scene.position(0));
        assert!((platform_at.z - 1.0).abs() < 1e-12, "{platform_at}");
        let sag = G * (DT / f64::from(substeps)).powi(2);
        assert!((cube_at.z - platform_at.z - 0.5).abs() < 1.1 * sag, "{substeps} substeps: {cube_at}, sag {sag}");
        assert!((scene.linear(cube) - Vector3::new(0.3, 0.0, 1.0)).norm() < 1e-4, "{}", scene.linear(cube));
    }
}

#[test]
fn after_the_deadline_a_frame_ends_with_the_impulses_that_there_are() {
    let mut scene = stack::<f64, 8, 64>(4, 8);
    // Without a tolerance nothing counts as at rest.
    scene.frames.settings.solver.tolerance = 0.0;
    for _ in 0..120 {
        scene.step();
    }
    let before = scene.position(4);
    let (mut asked, margin) = (0, scene.frames.search_margin(&scene.world, DT));
    let (halves, pairs) = (&scene.halves, &scene.pairs);
    let detect = |world: &World<f64, 8>, collector: &mut ContactCollector<'_, f64, 8, 64>| {
        pairs.iter().filter_map(|pair| manifold(world, halves, pair, margin)).try_for_each(|m| collector.push(&m))
    };
    let mut stop = || {
        asked += 1;
        asked > 3
    };
    let report = scene
        .frames
        .step_with(&mut scene.world, detect, DT, Hooks::with_should_stop(&mut stop))
        .expect("a valid frame");
    assert_eq!(report.status, stiction::Status::Deadline);
    assert!(report.ledger.closure() < 1e-12);
    assert!((scene.position(4) - before).norm() < 1e-6, "{}", scene.position(4) - before);
}

/// What breaks a manifold.
type Fault = fn(&mut stiction::Manifold<f64>);

#[test]
fn a_rejected_manifold_rejects_the_frame_and_changes_nothing() {
    let mut scene = stack::<f64, 8, 64>(4, 4);
    for _ in 0..20 {
        scene.step();
    }
    let (margin, world) = (scene.frames.search_margin(&scene.world, DT), scene.world.clone());
    let (halves, pairs) = (&scene.halves, &scene.pairs);
    let broken = |what: Fault| {
        move |world: &World<f64, 8>, collector: &mut ContactCollector<'_, f64, 8, 64>| {
            for pair in pairs {
                let Some(mut found) = manifold(world, halves, pair, margin) else { continue };
                what(&mut found);
                // Whoever ignores the error gets it all the same.
                let _ = collector.push(&found);
            }
            Ok(())
        }
    };
    let faults: [(Fault, &str); 6] = [
        (|m| m.normal = Vector3::new(0.0, 0.0, 2.0), "normal"),
        (|m| m.points[0].depth = f64::NAN, "depth"),
        (|m| m.points[1].on_a.x = f64::INFINITY, "r_a"),
        (|m| m.b = 77, "b"),
        (|m| m.b = m.a, ""),
        (|m| m.material = Some(Material { mu: -1.0, restitution: 0.0 }), "mu"),
    ];
    for (fault, field) in faults {
        let error = scene.frames.step(&mut scene.world, broken(fault), DT).expect_err("an invalid manifold");
        assert!(error.to_string().contains(field), "{error}");
        assert!(*scene.world == *world, "{field}: the world changed");
    }
    // And the next frame goes on where the last one ended.
    let mut other = stack::<f64, 8, 64>(4, 4);
    for _ in 0..20 {
        other.step();
    }
    for _ in 0..10 {
        scene.step();
        other.step();
    }
    assert!(*scene.world == *other.world);
}

#[test]
fn too_many_contacts_leave_out_the_shallowest_and_are_counted() {
    let surface = material(0.5, 0.0);
    let mut scene = Scene::<f64, 3, 6>::new(4, surface);
    let high = scene.cube(cube_at(0.5, surface));
    let deep = scene.cube(RigidBody { position: vector(5.0, 0.0, 0.49), ..cube_at(0.5, surface) });
    for _ in 0..100 {
        let report = scene.step();
        assert_eq!((report.contacts, report.contacts_left_out), (6, 2));
    }
    assert!(scene.position(deep).z > 0.45 && scene.position(high).z > -0.5);
}

/// Random worlds with numbers from all of their ranges: results are numbers, and the reports do not lie about energy.
fn extremes<T: Real>(cases: u32) {
    let mut rejected = 0;
    for case in 0..cases {
        let rng = &mut Rng::new(u64::from(case));
        let power = |rng: &mut Rng, most: f64| 10_f64.powf(rng.range(-most, most));
        let surface = material(power(rng, 3.0).min(1e3), rng.range(0.0, 1.0));
        let mut scene = Scene::<T, 8, 64>::new(1 + rng.below(8) as u32, surface);
        for level in 0..4 {
            let half = [power(rng, 1.5), power(rng, 1.5), power(rng, 1.5)];
            let mut body = solid_box(power(rng, 4.0), half, surface);
            body.position = vector(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 3.0) * power(rng, 2.0));
            body.linear_velocity = (rng.direction() * power(rng, 5.0)).map(T::lit);
            body.angular_velocity = (rng.direction() * power(rng, 4.0)).map(T::lit);
            let pair = |body: usize| match level {
                0 | 1 => Pair::BoxOnPlane { ground: 0, body, normal: Vector3::z() },
                _ => Pair::BoxOnBox { lower: body - 1, upper: body },
            };
            scene.add(body, half, pair);
        }
        for _ in 0..20 {
            let Some(report) = scene.try_step() else {
                rejected += 1;
                break;
            };
            let ledger = report.ledger;
            let (normal, friction) = (ledger.normal, ledger.friction);
            let scale = ledger.kinetic_before + ledger.bounce.abs() + normal.abs() + friction.abs();
            assert!(
                ledger.bounce + normal + friction <= T::lit(1e-3) * scale || !scale.is_finite(),
                "case {case}: {ledger:?}"
            );
            for body in 0..5 {
                let finite = |v: Vector3<f64>| v.iter().all(|part| part.is_finite());
                let all = finite(scene.position(body)) && finite(scene.linear(body)) && finite(scene.angular(body));
                assert!(all, "case {case}, body {body}: {}", scene.position(body));
            }
        }
    }
    assert!(rejected < cases / 2, "{rejected} of {cases} left their range");
}

#[test]
fn extreme_worlds_stay_numbers() {
    extremes::<f32>(400);
    extremes::<f64>(400);
}

#[test]
fn a_contact_that_waits_does_not_hide_the_residual_of_others() {
    let mut unsolved = stack::<f64, 8, 64>(4, 1);
    let mut with_another = stack::<f64, 8, 64>(4, 1);
    let surface = material(0.5, 0.5);
    // It falls on the stack and will not reach it in this frame.
    let falling = RigidBody { linear_velocity: vector(0.0, 0.0, -3.0), ..cube_at(4.5 + 0.055, surface) };
    for body in [2, 3, 4] {
        let bouncy = RigidBody { material: surface, ..with_another.world.get(body).expect("a cube") };
        with_another.world.set(body, bouncy).expect("a valid body");
    }
    with_another.add(falling, [0.5; 3], |upper| Pair::BoxOnBox { lower: upper - 1, upper });
    for scene in [&mut unsolved, &mut with_another] {
        scene.frames.settings.solver.tolerance = 0.0;
    }
    let (alone, both) = (unsolved.step(), with_another.step());
    assert_eq!((alone.contacts, both.contacts), (16, 20));
    assert!(alone.residual > 1e-3, "{}", alone.residual);
    assert!(both.residual > 0.1 * alone.residual, "{} beside {}", both.residual, alone.residual);
}
