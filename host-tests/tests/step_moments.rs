//! Steps with friction beyond sliding: closed forms, energies, kept moments, capacity, and the same bits without it.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::record::{DumpError, DumpStream, LoadError, RecordedBlock, blocks};
use stiction::{
    CacheError, ContactCollector, ErrorKind, Hooks, InputError, KeptContacts, Manifold, ManifoldPoint, Pipeline,
    PointId, Real, RigidBody, SixRows, StepReport, StepSettings, Surface, ThreeRows, Tread, World,
};
use stiction_scenes::boxes::{self, Boxes, Pair, material, solid_box, vector};
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

use crate::record::seal;

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;
const DT: f64 = 1.0 / 240.0;

/// Inertia of a solid ball.
fn inertia() -> f64 {
    0.4 * MASS * RADIUS * RADIUS
}

/// A ball on level ground.
struct Ball<T: Real> {
    world: World<T, 8, SixRows>,
    pipeline: Pipeline<T, 8, 64, 64, SixRows>,
    dt: T,
}

impl<T: Real> Ball<T> {
    fn new(surface: Surface<T>, mu: f64, restitution: f64, linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        let mut world = World::empty();
        let material = material(mu, restitution);
        let ground = world.push(RigidBody { material, ..RigidBody::fixed() }).unwrap();
        let position = Vector3::z() * T::lit(RADIUS);
        let (linear_velocity, angular_velocity) = (linear.map(T::lit), angular.map(T::lit));
        let inertia = Matrix3::from_diagonal_element(T::lit(inertia()));
        let ball = RigidBody::from_mass(T::lit(MASS), inertia);
        let ball = world.push(RigidBody { position, linear_velocity, angular_velocity, material, ..ball }).unwrap();
        for body in [ground, ball] {
            world.set_surface(body, surface).unwrap();
        }
        Ball { world, pipeline: Pipeline::with_factor_memory(StepSettings::default()), dt: T::lit(DT) }
    }

    fn step(&mut self) -> StepReport<T> {
        self.step_with(Hooks::default())
    }

    fn step_with(&mut self, hooks: Hooks<'_, T>) -> StepReport<T> {
        let on_ground = |world: &World<T, 8, SixRows>, collector: &mut ContactCollector<'_, T, 8, 64, SixRows>| {
            let on_b = world.positions()[1] - Vector3::z() * T::lit(RADIUS);
            let on_a = Vector3::new(on_b.x, on_b.y, T::ZERO);
            let mut manifold = Manifold::new(0, 1, Vector3::z());
            manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(0) });
            collector.push(&manifold)
        };
        self.pipeline.step_with(&mut self.world, on_ground, self.dt, hooks).unwrap()
    }

    fn linear(&self) -> Vector3<f64> {
        self.world.bodies().linear_velocities()[1].map(T::to_f64)
    }

    fn angular(&self) -> Vector3<f64> {
        self.world.bodies().angular_velocities()[1].map(T::to_f64)
    }
}

fn rolling<T: Real>(radius: f64) -> Surface<T> {
    Surface { rolling: T::lit(radius), ..Surface::default() }
}

fn torsion<T: Real>(radius: f64) -> Surface<T> {
    Surface { torsion: T::lit(radius), ..Surface::default() }
}

fn rolls_out<T: Real>() -> (f64, f64) {
    let (speed, resistance) = (0.5, 0.002);
    let mut ball = Ball::<T>::new(
        rolling(resistance),
        0.8,
        0.0,
        Vector3::new(speed, 0.0, 0.0),
        Vector3::new(0.0, speed / RADIUS, 0.0),
    );
    let deceleration = 5.0 * resistance * G / (7.0 * RADIUS);
    let mut worst = 0.0_f64;
    let frames = (speed / deceleration / DT) as usize;
    for frame in 1..frames {
        ball.step();
        let expected = speed - deceleration * frame as f64 * DT;
        worst = worst.max((ball.linear().x - expected).abs() / speed);
        worst = worst.max((ball.linear().x - RADIUS * ball.angular().y).abs() / speed);
    }
    for _ in 0..240 {
        ball.step();
    }
    (worst, ball.linear().norm() + RADIUS * ball.angular().norm())
}

#[test]
fn a_rolling_ball_decelerates_by_its_closed_form_and_then_rests() {
    let (single, double) = (rolls_out::<f32>(), rolls_out::<f64>());
    println!("error of the speed and speed at the end: f32 {single:?}, f64 {double:?}");
    assert!(double.0 < 1e-11 && double.1 < 1e-12, "{double:?}");
    // Single precision rounds in each of 850 frames.
    assert!(single.0 < 1e-4 && single.1 < 1e-6, "{single:?}");
}

#[test]
fn a_spinning_ball_loses_its_spin_by_torsion_and_all_its_energy_is_heat_of_spinning() {
    let (spin, radius) = (20.0, 0.001);
    let mut ball = Ball::<f64>::new(torsion(radius), 0.5, 0.0, Vector3::zeros(), Vector3::z() * spin);
    let deceleration = radius * MASS * G / inertia();
    let energy = 0.5 * inertia() * spin * spin;
    let (mut heat, mut worst) = (0.0, 0.0_f64);
    let frames = (spin / deceleration / DT) as usize;
    for frame in 1..frames + 240 {
        let report = ball.step();
        let work = ball.pipeline.friction_work();
        assert!((work.total() - report.ledger.friction).abs() <= 1e-12 * energy);
        assert!(work.sliding.abs() <= 1e-15 && work.rolling.abs() <= 1e-15, "{work:?}");
        assert!(report.ledger.closure() < 1e-12);
        heat -= work.spinning;
        if frame < frames {
            worst = worst.max((ball.angular().z - (spin - deceleration * frame as f64 * DT)).abs() / spin);
        }
    }
    println!("error of the spin {worst:.1e}, heat of spinning {heat:.6} J of {energy:.6} J");
    assert!(worst < 1e-11, "{worst:e}");
    assert!((heat - energy).abs() < 1e-9 * energy && ball.angular().norm() < 1e-12);
}

/// Sliding along and across a tread, with the body turned about the vertical: speeds lost in a second.
fn skids(turn: f64, along: bool) -> f64 {
    let mut boxes = Boxes::<f64, 8, 64, 64, SixRows>::on_ground(material(1.0, 0.0), DT);
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
    let direction = orientation * if along { Vector3::x() } else { Vector3::y() };
    // Low, so that it does not tip over.
    let body = solid_box(1.0, [0.5, 0.5, 0.1], material(0.04, 0.0));
    let position = Vector3::z() * 0.1;
    boxes.add(RigidBody { position, orientation, linear_velocity: direction * 10.0, ..body }, [0.5, 0.5, 0.1]);
    let _ = boxes.pairs.try_push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    let tread = Some(Tread { direction: Vector3::x(), mu_across: 0.25 });
    boxes.world.set_surface(1, Surface { tread, ..Surface::default() }).unwrap();
    for _ in 0..240 {
        boxes.step().unwrap();
    }
    let left = boxes.world.bodies().linear_velocities()[1];
    // Each frame is solved to 1e-9 of the speeds.
    assert!((left - direction * left.dot(&direction)).norm() < 1e-7, "{left:?}");
    10.0 - left.dot(&direction)
}

#[test]
fn a_skid_decelerates_by_the_means_of_both_surfaces_along_and_across_the_tread_of_its_body() {
    // √(0.04 · 1) along the tread, √(0.25 · 1) across it.
    let mut worst = 0.0_f64;
    for turn in [0.0, 0.3, 2.0, -1.2] {
        worst = worst.max((skids(turn, true) - 0.2 * G).abs()).max((skids(turn, false) - 0.5 * G).abs());
    }
    println!("error of the speed lost in a second: {worst:.1e} m/s");
    assert!(worst < 1e-7, "{worst:e}");
}

#[test]
fn a_ball_that_bounces_with_spin_is_slowed_by_torsion_under_its_bounce_too() {
    let fall = Vector3::new(0.0, 0.0, -3.0);
    let mut ball = Ball::<f64>::new(torsion(0.002), 0.5, 1.0, fall, Vector3::z() * 100.0);
    ball.step();
    // The impulse of the bounce is 2 m v; torsion takes its share of it.
    let expected = 100.0 - 0.002 * 2.0 * MASS * 3.0 / inertia();
    assert!((ball.angular().z - expected).abs() < 0.01, "{} instead of {expected}", ball.angular().z);
    assert!((ball.linear().z - 3.0).abs() < 0.1);
}

#[test]
fn plain_worlds_have_the_same_bits_with_six_rows_as_with_three() {
    fn run<T: Real, R: stiction::ContactRows>(count: usize, sweeps: u32, push: f64) -> u64 {
        let mut boxes = boxes::stack_with_top::<T, 8, 64, 64, R>(count, 3.0);
        boxes.pipeline.settings.solver.sweeps = sweeps;
        let top = boxes.world.get(count).unwrap();
        boxes.world.set(count, RigidBody { linear_velocity: vector(push, 0.3, -0.5), ..top }).unwrap();
        let mut digest = 0_u64;
        for _ in 0..90 {
            boxes.step().unwrap();
            digest = digest.rotate_left(5) ^ boxes.world.digest();
        }
        digest
    }
    for (count, sweeps, push) in [(1, 1, 2.0), (3, 1, 0.5), (5, 50, 0.1), (5, 1, 0.0)] {
        assert_eq!(run::<f32, ThreeRows>(count, sweeps, push), run::<f32, SixRows>(count, sweeps, push));
        assert_eq!(run::<f64, ThreeRows>(count, sweeps, push), run::<f64, SixRows>(count, sweeps, push));
    }
}

/// A stack of boxes, each with the surface, thrown a little.
fn stack_on<T: Real>(surface: Surface<T>, count: usize) -> Boxes<T, 8, 64, 64, SixRows> {
    let mut boxes = boxes::stack_with_top::<T, 8, 64, 64, SixRows>(count, 1.0);
    for body in 0..=count {
        boxes.world.set_surface(body, surface).unwrap();
    }
    boxes
}

fn every_surface<T: Real>() -> Surface<T> {
    let tread = Some(Tread { direction: vector(1.0, 0.5, 0.0), mu_across: T::lit(0.8) });
    Surface { torsion: T::lit(0.02), rolling: T::lit(0.01), tread, ..Surface::default() }
}

#[test]
fn stacks_on_surfaces_stand_for_a_minute() {
    let frames = effort::cases(600, 3600);
    for joined in [false, true] {
        let mut boxes = stack_on::<f64>(Surface { is_joined: joined, ..every_surface() }, 5);
        let (start, energy) = (boxes.world.positions().to_vec(), boxes.energy());
        let mut settled = start.clone();
        for frame in 0..frames {
            let report = boxes.step().unwrap();
            assert!(report.ledger.closure() < 1e-12);
            if frame == 300 {
                settled = boxes.world.positions().to_vec();
            }
        }
        let moved = |from: &[Vector3<f64>]| {
            let ways = boxes.world.positions().iter().zip(from).map(|(now, then)| (now - then).norm());
            ways.fold(0.0, f64::max)
        };
        let (sunk, drift) = (moved(&start), moved(&settled));
        println!("joined {joined}: {sunk:.1e} m from the start, {drift:.1e} m since frame 300");
        // Soft substeps carry the load of five boxes at a depth of about a millimetre.
        assert!(sunk < 2e-3 && drift < 1e-6, "{sunk:e} {drift:e}");
        assert!(boxes.energy() <= energy + 1e-9);
    }
}

/// What a thrown stack on surfaces does in some frames.
fn thrown<T: Real>(count: usize) -> Boxes<T, 8, 64, 64, SixRows> {
    let mut boxes = stack_on(every_surface(), count);
    let top = boxes.world.get(count).unwrap();
    let (linear_velocity, angular_velocity) = (vector(1.0, -0.5, 0.0), vector(0.0, 0.5, 3.0));
    boxes.world.set(count, RigidBody { linear_velocity, angular_velocity, ..top }).unwrap();
    boxes
}

#[test]
fn copied_and_saved_contacts_go_on_with_the_same_bits() {
    fn check<T: Real>() {
        let mut boxes = thrown::<T>(4);
        for _ in 0..20 {
            boxes.step().unwrap();
        }
        let (world, copy) = (boxes.world.clone(), boxes.pipeline.cache().clone());
        assert!((0..copy.len()).any(|i| boxes.pipeline.moment(i).unwrap().norm() > T::ZERO));
        let mut bytes = vec![0; copy.saved_bytes()];
        assert_eq!(copy.save(&mut bytes), Some(bytes.len()));
        assert!(bytes.len() <= KeptContacts::<T, 64, SixRows>::most_saved_bytes());
        let mut go_on = |restore: &dyn Fn(&mut Pipeline<T, 8, 64, 64, SixRows>)| {
            boxes.world = world.clone();
            restore(&mut boxes.pipeline);
            (0..20).map(|_| (boxes.step().unwrap(), boxes.world.digest()).1).collect::<Vec<_>>()
        };
        let from_copy = go_on(&|pipeline| pipeline.set_cache(copy.clone()));
        let from_bytes = go_on(&|pipeline| pipeline.restore_cache(&bytes).unwrap());
        assert_eq!(from_copy, from_bytes);
        let cold = go_on(&|pipeline| pipeline.clear_cache());
        assert_ne!(from_copy, cold);
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn changed_bytes_of_saved_contacts_are_rejected_and_change_nothing() {
    let mut boxes = thrown::<f32>(2);
    for _ in 0..5 {
        boxes.step().unwrap();
    }
    let saved = boxes.pipeline.cache().clone();
    let mut bytes = vec![0; saved.saved_bytes()];
    saved.save(&mut bytes).unwrap();
    let mut other = KeptContacts::<f32, 64, SixRows>::empty();
    for end in 0..bytes.len() {
        assert!(other.restore(&bytes[..end]).is_err());
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(other.restore(&changed).is_err(), "byte {at}");
    }
    assert!(other.is_empty());
    other.restore(&bytes).unwrap();
    assert_eq!(other, saved);
    // Without six rows there is no space for moments.
    let mut plain = KeptContacts::<f32, 64>::new();
    assert_eq!(plain.restore(&bytes), Err(CacheError::UnknownVersion(4)));
    // Those of three rows can be restored with six.
    let mut boxes = boxes::stack::<f32, 8, 64>(2);
    boxes.step().unwrap();
    let mut bytes = vec![0; boxes.pipeline.cache().saved_bytes()];
    boxes.pipeline.cache().save(&mut bytes).unwrap();
    other.restore(&bytes).unwrap();
    assert_eq!(other.len(), 8);
    // Two rows a contact: half as many fit.
    let mut thrown = thrown::<f32>(2);
    thrown.step().unwrap();
    let mut bytes = vec![0; thrown.pipeline.cache().saved_bytes()];
    thrown.pipeline.cache().save(&mut bytes).unwrap();
    let mut small = KeptContacts::<f32, 15, SixRows>::empty();
    assert_eq!(small.restore(&bytes), Err(CacheError::TooMany { points: 16, capacity: 15 }));
}

#[test]
fn a_contact_with_moments_takes_two_places_and_the_deepest_stay() {
    let mut world = World::<f64, 8, SixRows>::empty();
    let ground = world.push(RigidBody { material: material(0.5, 0.0), ..RigidBody::fixed() }).unwrap();
    world.set_surface(ground, torsion(0.01)).unwrap();
    for body in 1..8 {
        let ball = RigidBody { material: material(0.5, 0.0), ..RigidBody::from_mass(1.0, Matrix3::identity()) };
        world.push(ball).unwrap();
        if body % 2 == 0 {
            world.set_surface(body, torsion(0.01)).unwrap();
        }
    }
    // Balls 2, 4, 6 have moments. Seven contacts need ten places; there are six.
    let mut pipeline = Pipeline::<f64, 8, 6, 0, SixRows>::with_factor_memory(StepSettings::default());
    let depths = [0.0, 0.004, 0.001, 0.007, 0.006, 0.002, 0.005, 0.003];
    let report = pipeline
        .step(
            &mut world,
            |_: &_, collector: &mut ContactCollector<'_, f64, 8, 6, SixRows>| {
                (1..8).try_for_each(|body| {
                    let mut manifold = Manifold::new(0, body, Vector3::z());
                    let (on_a, on_b) = (Vector3::zeros(), Vector3::z() * -depths[body]);
                    manifold.points.push(ManifoldPoint { on_a, on_b, depth: depths[body], id: PointId::Feature(0) });
                    collector.push(&manifold)
                })
            },
            0.01,
        )
        .unwrap();
    let kept: Vec<usize> = pipeline.contacts().map(|contact| contact.b).collect();
    // 3 (one place), 4 and 6 (two each), 1 (one): six places, and deeper than all others.
    assert_eq!(kept, [1, 3, 4, 6]);
    assert_eq!((report.contacts, report.contacts_left_out), (4, 3));
}

#[test]
fn bad_surfaces_are_rejected_by_name_and_change_nothing() {
    let mut world = World::<f64, 8, SixRows>::empty();
    let body = world.push(RigidBody::from_mass(1.0, Matrix3::identity())).unwrap();
    world.set_surface(body, torsion(0.5)).unwrap();
    let tread = |direction, mu_across| Surface { tread: Some(Tread { direction, mu_across }), ..Surface::default() };
    let x = Vector3::x();
    let cases = [
        ("torsion", torsion(-1e-3)),
        ("torsion", torsion(f64::NAN)),
        ("rolling", rolling(-1e-3)),
        ("rolling", rolling(f64::INFINITY)),
        ("mu_across", tread(x, -0.1)),
        ("mu_across", tread(x, f64::NAN)),
        ("friction_direction", tread(Vector3::zeros(), 0.1)),
        ("friction_direction", tread(x * f64::NAN, 0.1)),
        ("warm.moment", Surface { warm_moment: x, ..Surface::default() }),
    ];
    for (field, surface) in cases {
        let error: InputError<f64> = world.set_surface(body, surface).unwrap_err();
        assert!(error.to_string().contains(field), "{error}");
    }
    let missing = world.set_surface(3, torsion(0.1)).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NoSuchBody { index: 3, bodies: 1 });
    assert_eq!(world.surface(body), Some(torsion(0.5)));
}

#[test]
fn a_manifold_can_have_a_surface_of_its_own() {
    let spin_left = |own: Option<Surface<f64>>, with_material: bool| {
        let mut ball = Ball::<f64>::new(torsion(0.001), 0.5, 0.0, Vector3::zeros(), Vector3::z() * 5.0);
        let push = |world: &World<f64, 8, SixRows>, collector: &mut ContactCollector<'_, f64, 8, 64, SixRows>| {
            let on_b = world.positions()[1] - Vector3::z() * RADIUS;
            let mut manifold = Manifold::new(0, 1, Vector3::z());
            manifold.material = with_material.then(|| material(0.5, 0.0));
            manifold.points.push(ManifoldPoint { on_a: on_b, on_b, depth: 0.0, id: PointId::Feature(0) });
            match own {
                None => collector.push(&manifold),
                Some(surface) => collector.push_on(&manifold, &surface),
            }
        };
        ball.pipeline.step(&mut ball.world, push, DT)?;
        Ok::<f64, InputError<f64>>(5.0 - ball.angular().z)
    };
    let of_bodies = spin_left(None, false).unwrap();
    let of_manifold = spin_left(Some(torsion(0.002)), false).unwrap();
    assert!((of_manifold - 2.0 * of_bodies).abs() < 1e-12 && of_bodies > 0.0);
    // A pair with its own material has its own friction, and no more than that.
    assert!(spin_left(None, true).unwrap().abs() < 1e-15);
    assert!((spin_left(Some(torsion(0.001)), true).unwrap() - of_bodies).abs() < 1e-15);
    let up = Surface { tread: Some(Tread { direction: Vector3::z(), mu_across: 1.0 }), ..Surface::default() };
    assert_eq!(spin_left(Some(up), false).unwrap_err().kind, ErrorKind::AlongTheNormal);
}

#[test]
fn a_step_that_is_stopped_leaves_impulses_that_its_contacts_allow() {
    let mut boxes = thrown::<f64>(4);
    for frame in 0..60 {
        let mut asked = 0;
        let mut should_stop = || {
            asked += 1;
            asked > frame % 7
        };
        let energy = boxes.energy();
        let report = boxes.step_with(Hooks { should_stop: Some(&mut should_stop), ..Hooks::default() }).unwrap();
        assert!(report.ledger.normal + report.ledger.friction <= 1e-9, "{:?}", report.ledger);
        assert!(boxes.energy() <= energy + report.ledger.position_correction + report.ledger.integration + 1e-9);
        for i in 0..boxes.pipeline.contact_count() {
            let (contact, moment) = (boxes.pipeline.contact(i).unwrap(), boxes.pipeline.moment(i).unwrap());
            let normal = contact.normal_impulse + contact.bounce_impulse;
            let spinning = contact.normal.dot(&moment);
            let rolling = (moment - contact.normal * spinning).norm();
            assert!(spinning.abs() <= 0.02 * normal * (1.0 + 1e-9) + 1e-15);
            assert!(rolling <= 0.01 * normal * (1.0 + 1e-9) + 1e-15);
        }
    }
}

/// Random piles of boxes with random surfaces: finite, and contacts take energy only.
fn piles<T: Real>(cases: usize) {
    let mut rng = Rng::new(77);
    let (mut guarded, mut frames) = (0, 0);
    for _ in 0..cases {
        let mut boxes = stack_on::<T>(Surface::default(), 5);
        for body in 0..=5 {
            let radius = |rng: &mut Rng| if rng.chance(0.3) { 0.0 } else { rng.log_range(1e-5, 1.0) };
            let direction = vector(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let has_tread = rng.chance(0.5);
            let mu_across = T::lit(rng.range(0.0, 1.5));
            let surface = Surface {
                torsion: T::lit(radius(&mut rng)),
                rolling: T::lit(radius(&mut rng)),
                tread: has_tread.then_some(Tread { direction, mu_across }),
                is_joined: rng.chance(0.3),
                ..Surface::default()
            };
            boxes.world.set_surface(body, surface).unwrap();
            let mut start = boxes.world.get(body).unwrap();
            start.material = material(rng.range(0.0, 1.0), if rng.chance(0.3) { 0.5 } else { 0.0 });
            if body > 0 {
                let speed = |rng: &mut Rng| rng.range(-2.0, 2.0);
                start.linear_velocity = vector(speed(&mut rng), speed(&mut rng), speed(&mut rng));
                start.angular_velocity = vector(speed(&mut rng), speed(&mut rng), speed(&mut rng));
            }
            boxes.world.set(body, start).unwrap();
        }
        boxes.pipeline.settings.solver.sweeps = if rng.chance(0.5) { 1 } else { 20 };
        for _ in 0..60 {
            let report = boxes.step().unwrap();
            let ledger = report.ledger;
            let size = ledger.kinetic_before.to_f64().abs().max(ledger.potential_before.to_f64().abs()) + 1.0;
            let gain = (ledger.bounce + ledger.normal + ledger.friction).to_f64();
            assert!(gain <= 64.0 * T::EPSILON.to_f64() * size, "{gain:e} {ledger:?}");
            let work = boxes.pipeline.friction_work();
            assert!((work.total() - ledger.friction).to_f64().abs() <= 64.0 * T::EPSILON.to_f64() * size);
            guarded += usize::from(report.passivity_guard);
            frames += 1;
        }
        assert!(boxes.world.positions().iter().all(|x| x.iter().all(|part| part.is_finite())));
    }
    println!("{frames} frames, {guarded} guarded");
}

#[test]
fn piles_with_random_surfaces_never_gain_energy_from_contacts() {
    let cases = effort::cases(20, 300);
    piles::<f64>(cases);
    piles::<f32>(cases);
}

/// Records a thrown stack with every surface, and takes every step again.
fn recorded_steps<T: Real>() -> Vec<u8> {
    let mut boxes = thrown::<T>(4);
    let mut dump = Vec::new();
    for _ in 0..40 {
        let mut write = |piece: &[u8]| dump.extend_from_slice(piece);
        let mut stream = DumpStream::<SixRows>::with_rows(&mut write, 0);
        boxes.step_with(Hooks::with_observer(&mut stream)).unwrap();
        let Some(Ok(RecordedBlock::Outcome(outcome))) = blocks(&dump).last() else { panic!("no outcome") };
        assert_eq!(outcome.digest, boxes.world.digest());
    }
    dump
}

#[test]
fn recorded_steps_with_moments_are_taken_again_to_the_bit() {
    fn check<T: Real>() {
        let dump = recorded_steps::<T>();
        let mut world = World::<T, 8, SixRows>::empty();
        let mut pipeline = Pipeline::<T, 8, 64, 64, SixRows>::with_factor_memory(StepSettings::default());
        let (mut digests, mut surfaces) = (Vec::new(), 0);
        for block in blocks(&dump) {
            match block.unwrap() {
                RecordedBlock::Step(step) => {
                    surfaces += step.surfaces;
                    digests.push(step.step(None, &mut world, &mut pipeline, None, None).unwrap());
                }
                RecordedBlock::Outcome(outcome) => assert_eq!(digests.last(), Some(&outcome.digest)),
                RecordedBlock::Input(_) => panic!("no solve was recorded"),
            }
        }
        assert!(digests.len() == 40 && surfaces > 40);
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn recorded_steps_with_moments_need_six_rows_and_changed_bytes_never_panic() {
    let dump = recorded_steps::<f32>();
    let Some(Ok(RecordedBlock::Step(step))) = blocks(&dump).next() else { panic!("no step") };
    let mut world = World::<f32, 8>::new();
    let kept = world.push(RigidBody::fixed()).unwrap();
    let mut pipeline = Pipeline::<f32, 8, 64>::new(StepSettings::default());
    assert_eq!(step.step(None, &mut world, &mut pipeline, None, None), Err(LoadError::NeedsSixRows));
    assert!(world.get(kept).is_some());
    // Two rows a contact: here is too little space.
    let mut world = World::<f32, 8, SixRows>::empty();
    let mut small = Pipeline::<f32, 8, 20, 64, SixRows>::with_factor_memory(StepSettings::default());
    assert_eq!(step.step(None, &mut world, &mut small, None, None), Err(LoadError::Dump(DumpError::BadValue)));
    assert!(world.is_empty());
    // Any change is an error, or another valid step.
    let mut pipeline = Pipeline::<f32, 8, 64, 64, SixRows>::with_factor_memory(StepSettings::default());
    let end = dump.windows(4).skip(4).position(|bytes| bytes == b"STFR").unwrap() + 4;
    let (block, mut rng) = (&dump[..end], Rng::new(5));
    let mut taken = 0;
    for _ in 0..effort::cases(500, 20_000) {
        let mut bytes = block.to_vec();
        let at = 16 + rng.below(end - 20);
        bytes[at] ^= 1 << rng.below(8);
        seal(&mut bytes);
        if let Some(Ok(RecordedBlock::Step(step))) = blocks(&bytes).next() {
            taken += usize::from(step.step(Some(8), &mut world, &mut pipeline, None, None).is_ok());
            assert!(world.positions().iter().all(|x| x.iter().all(|part| part.is_finite())));
        }
    }
    println!("{taken} changed steps were taken");
    assert!(taken > 0);
}
