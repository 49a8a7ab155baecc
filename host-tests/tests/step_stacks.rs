//! Long runs over thousands of frames: stacks stand, cubes rest, nothing gains energy.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::{Real, RigidBody, Status, StepReport, ThreeRows};
use stiction_scenes::boxes::*;
use stiction_testkit::effort;
use stiction_testkit::large_stack::on_large_stack;

/// Frames of the long runs; builds with debug assertions run short ones.
fn frames() -> usize {
    effort::cases(500, 10_000)
}

/// Frames after which a stack started cold has settled.
const SETTLED: usize = 200;

struct Run {
    /// Largest distance of a body from its start, m.
    drift: f64,
    /// Most that the mechanical energy exceeded that of the start, relative to it.
    gain: f64,
    mean_sweeps: f64,
    worst_closure: f64,
}

/// Runs frames; sweeps are counted once it has settled, everything else from the first frame.
fn run<T: Real, const NB: usize, const NC: usize>(boxes: &mut Boxes<T, NB, NC>, frames: usize) -> Run {
    let start = boxes.world.positions().to_vec();
    let energy = boxes.energy();
    let mut run = Run { drift: 0.0, gain: f64::NEG_INFINITY, mean_sweeps: 0.0, worst_closure: 0.0 };
    for frame in 0..frames {
        let report = boxes.step().expect("a valid frame");
        for (now, then) in boxes.world.positions().iter().zip(&start) {
            run.drift = run.drift.max((now - then).map(T::to_f64).norm());
        }
        run.gain = run.gain.max((boxes.energy() - energy) / energy.abs());
        run.worst_closure = run.worst_closure.max(report.ledger.closure().to_f64());
        if frame >= SETTLED {
            run.mean_sweeps += f64::from(report.sweeps) / (frames - SETTLED) as f64;
        }
    }
    run
}

fn is_single<T: Real>() -> bool {
    T::EPSILON.to_f64() > 1e-10
}

fn rests<T: Real, const NB: usize, const NC: usize>(name: &str, mut boxes: Boxes<T, NB, NC>, frames: usize) -> Run {
    let result = run(&mut boxes, frames);
    println!(
        "{name}, {}, {frames} frames: drift {:.2e} m, energy gain {:.1e}, mean sweeps {:.2}, ledger {:.1e}",
        if is_single::<T>() { "f32" } else { "f64" },
        result.drift,
        result.gain,
        result.mean_sweeps,
        result.worst_closure
    );
    assert!(result.worst_closure <= if is_single::<T>() { 1e-5 } else { 1e-12 });
    assert!(result.gain <= if is_single::<T>() { 1e-6 } else { 1e-11 }, "{:e}", result.gain);
    result
}

#[test]
fn a_stack_of_four_stands_for_ten_thousand_frames() {
    let (single, double) =
        (rests("stack of 4", stack::<f32, 8, 64>(4), frames()), rests("stack of 4", stack::<f64, 8, 64>(4), frames()));
    for result in [single, double] {
        assert!(result.drift < 1e-3 && result.mean_sweeps < 5.0, "{} {}", result.drift, result.mean_sweeps);
    }
}

/// Sixteen boxes add up the lean that the tolerance allows, so it is tighter here, with more sweeps.
fn stack_of_sixteen<T: Real>(tolerance: f64) -> Boxes<T, 33, 128> {
    let mut boxes = stack::<T, 33, 128>(16);
    let solver = &mut boxes.pipeline.settings.solver;
    (solver.sweeps, solver.min_sweeps, solver.tolerance) = (1000, 4, T::lit(tolerance));
    boxes
}

#[test]
fn a_stack_of_sixteen_stands_in_single_precision() {
    assert!(rests("stack of 16", stack_of_sixteen::<f32>(3e-7), frames()).drift < 1e-3);
}

#[test]
fn a_stack_of_sixteen_stands_in_double_precision() {
    assert!(rests("stack of 16", stack_of_sixteen::<f64>(1e-7), frames()).drift < 1e-3);
}

/// Memory on the heap: these worlds are large.
const LARGE_STACK: usize = 64 << 20;

/// Four stacks of sixteen far from each other, and one alone, all at the default settings.
fn stacks_at_defaults<T: Real>(limit: f64) {
    let one = rests("stack of 16, defaults", stack::<T, 33, 128>(16), frames());
    let mut boxes = Box::new(Boxes::<T, 65, 256>::new(material(FRICTION, 0.0), FRAME));
    for at in 0..4 {
        for level in 0..16 {
            let position = vector(3.0 * f64::from(at), 0.0, 0.5 + f64::from(level));
            let cube = RigidBody { position, ..solid_box(MASS, [HALF_SIDE; 3], material(FRICTION, 0.0)) };
            let upper = boxes.add(cube, [HALF_SIDE; 3]);
            boxes.pairs.push(match level {
                0 => Pair::BoxOnPlane { ground: 0, body: upper, normal: Vector3::z() },
                _ => Pair::BoxOnBox { lower: upper - 1, upper },
            });
        }
    }
    assert_eq!(boxes.step().unwrap().islands, 4);
    let four = rests("four stacks of 16, defaults", *boxes, frames() / 4);
    assert!(one.drift < limit && four.drift < limit, "{:e} {:e}", one.drift, four.drift);
}

#[test]
fn stacks_of_sixteen_stand_at_default_settings_alone_and_as_four_islands() {
    on_large_stack(LARGE_STACK, || {
        stacks_at_defaults::<f32>(1e-5);
        stacks_at_defaults::<f64>(2e-6);
    })
    .expect("memory for the stack");
}

/// 1000 kg on cubes of 1 kg, at the default settings.
#[test]
fn a_thousand_to_one_stack_converges_in_steps_at_default_settings() {
    fn study<T: Real>(count: usize, cold: usize) {
        let mut boxes = stack_with_top::<T, 33, 128, 128, ThreeRows>(count, 1000.0);
        for frame in 0..300 {
            let report = boxes.step().unwrap();
            assert!(frame < cold || report.status == Status::Converged, "{count}, frame {frame}: {report:?}");
            assert!(report.depth.to_f64() < 1e-4, "{count}, frame {frame}: {report:?}");
        }
    }
    study::<f32>(2, 0);
    study::<f32>(4, 0);
    for (count, cold) in [(2, 0), (4, 0), (8, 1), (16, 1)] {
        study::<f64>(count, cold);
    }
}

/// Eight columns of four boxes fall by 5 cm while they slide.
#[test]
fn a_cluster_of_32_boxes_that_falls_with_friction_comes_to_rest() {
    fn study<T: Real>(gain: f64) {
        let mut boxes = cluster::<T, 33, 128>();
        let start = boxes.energy();
        for frame in 0..240 {
            let report = boxes.step().unwrap();
            let rise = (report.ledger.bounce + report.ledger.normal + report.ledger.friction).to_f64();
            assert!(rise <= gain * start, "frame {frame}: {rise:e} of {start} J");
            assert!(report.contacts_left_out == 0 && report.depth.to_f64() < 0.01, "frame {frame}: {report:?}");
        }
        assert!(boxes.energy() < start - 1.0);
        let speeds = boxes.world.bodies().linear_velocities().iter().map(|v| v.map(T::to_f64).norm());
        let fastest = speeds.fold(0.0, f64::max);
        assert!(fastest < 1e-3, "{fastest} m/s");
        for (body, position) in boxes.world.positions().iter().enumerate().skip(1) {
            let height = 0.5 + ((body - 1) % 4) as f64;
            assert!((position.z.to_f64() - height).abs() < 0.01, "box {body} at {position:?}");
        }
    }
    on_large_stack(LARGE_STACK, || {
        study::<f32>(1e-6);
        study::<f64>(1e-12);
    })
    .expect("memory for the stack");
}

#[test]
fn a_cube_rests_for_a_thousand_frames_within_a_tenth_of_a_millimetre() {
    assert!(rests("cube", stack::<f32, 8, 64>(1), 1000).drift < 1e-4);
    assert!(rests("cube", stack::<f64, 8, 64>(1), 1000).drift < 1e-4);
}

/// A cube lying on a slope about y.
fn on_slope<T: Real>(angle: f64, mu: f64) -> Boxes<T, 8, 64> {
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), T::lit(angle));
    let rough = material(mu, 0.0);
    let mut boxes = Boxes::new(rough, 1.0 / 60.0);
    let normal = tilt * Vector3::z();
    let cube = RigidBody { position: normal * T::HALF, orientation: tilt, ..solid_box(1.0, [0.5; 3], rough) };
    boxes.add(cube, [0.5; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal });
    boxes
}

#[test]
fn a_cube_on_a_slope_within_its_friction_does_not_creep() {
    let mut boxes = on_slope::<f64>(0.3, 0.7);
    let start = boxes.world.positions()[1];
    let mut fastest = 0.0_f64;
    for frame in 0..1000 {
        boxes.step().unwrap();
        if frame >= 10 {
            fastest = fastest.max(boxes.world.bodies().linear_velocities()[1].norm());
        }
    }
    let creep = (boxes.world.positions()[1] - start).norm() / (1000.0 * boxes.dt);
    println!("creep {creep:.1e} m/s on average, {fastest:.1e} m/s at most after ten frames");
    assert!(creep < 1e-9 && fastest < 1e-9);
    let mut single = on_slope::<f32>(0.3, 0.7);
    let start = single.world.positions()[1];
    for _ in 0..1000 {
        single.step().unwrap();
    }
    let creep = f64::from((single.world.positions()[1] - start).norm()) / (1000.0 / 60.0);
    println!("creep in f32 {creep:.1e} m/s on average");
    assert!(creep < 1e-5);
}

#[test]
fn a_cube_on_a_slope_beyond_its_friction_slides_at_the_analytic_speed() {
    let mut boxes = on_slope::<f64>(0.6, 0.3);
    for _ in 0..60 {
        boxes.step().unwrap();
    }
    let speed = boxes.world.bodies().linear_velocities()[1].norm();
    let expected = 9.81 * (0.6_f64.sin() - 0.3 * 0.6_f64.cos());
    assert!((speed - expected).abs() <= 1e-6 * expected, "{speed} instead of {expected}");
}

/// Largest tilt of each half-cycle of a cube let go at 15°.
fn rocking_peaks(restitution: f64) -> Vec<f64> {
    let surface = material(0.8, restitution);
    let mut boxes = Boxes::<f64, 8, 64>::new(surface, 1.0 / 240.0);
    let tilt = 15f64.to_radians();
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt);
    // The lower edge touches the ground.
    let position = Vector3::new(0.0, 0.0, 0.5 * (tilt.cos() + tilt.sin()));
    boxes.add(RigidBody { position, orientation, ..solid_box(1.0, [0.5; 3], surface) }, [0.5; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    let mut peaks = vec![tilt];
    for _ in 0..2400 {
        boxes.step().unwrap();
        let angle = -(boxes.world.orientations()[1] * Vector3::x()).z.asin();
        let side = if peaks.len() % 2 == 1 { angle } else { -angle };
        if side < 0.0 {
            peaks.push(0.0);
        }
        let last = peaks.len() - 1;
        peaks[last] = peaks[last].max(angle.abs());
    }
    // Below a microradian it counts as resting.
    peaks.into_iter().take_while(|peak| *peak > 1e-6).collect()
}

#[test]
fn a_rocking_cube_loses_amplitude_every_half_cycle() {
    for restitution in [0.0, 0.3] {
        let peaks = rocking_peaks(restitution);
        println!("restitution {restitution}: peaks in rad {peaks:.6?}");
        assert!(peaks.len() >= 3 && peaks.windows(2).all(|pair| pair[1] < pair[0]), "{peaks:?}");
    }
}

fn thrown<T: Real>(dt: f64, restitution: f64, speed: f64) -> Boxes<T, 8, 64> {
    let surface = material(0.5, restitution);
    let mut boxes = Boxes::new(surface, dt);
    let linear = vector(speed, 0.3 * speed, 0.0);
    let angular = vector(1.0, 2.0, 0.5);
    let cube = RigidBody {
        position: vector(0.0, 0.0, 1.2),
        linear_velocity: linear,
        angular_velocity: angular,
        ..solid_box(10.0, [0.5; 3], surface)
    };
    boxes.add(cube, [0.5; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() });
    boxes
}

#[test]
fn energy_rises_above_its_minimum_only_within_tolerance() {
    let rise = |mut boxes: Boxes<f64, 8, 64>| {
        let (mut least, mut rise, mut position_correction) = (boxes.energy(), 0.0_f64, 0.0);
        let start = least;
        for _ in 0..frames() {
            position_correction += boxes.step().unwrap().ledger.position_correction;
            least = least.min(boxes.energy());
            rise = rise.max((boxes.energy() - least) / start);
        }
        // Contacts of the stack sink by what carries its load; nothing is lifted.
        assert!(position_correction <= 0.0, "{position_correction:e}");
        rise
    };
    let (one, four) = (rise(stack(1)), rise(stack(4)));
    println!("rise above the lowest energy so far, of the first: cube {one:.1e}, stack of 4 {four:.1e}");
    assert!(one <= 1e-11 && four <= 1e-7);
}

/// The residual of an unconverged contact may lift as well as sink: here energy is checked without it.
fn solved_closely(boxes: &mut Boxes<f64, 8, 64>) {
    let solver = &mut boxes.pipeline.settings.solver;
    (solver.sweeps, solver.tolerance) = (1000, 1e-13);
}

#[test]
fn a_long_time_step_adds_no_energy() {
    for dt in [0.008, 0.016, 0.032] {
        let mut resting = stack::<f64, 8, 64>(1);
        resting.dt = dt;
        solved_closely(&mut resting);
        let energy = resting.energy();
        for _ in 0..1000 {
            resting.step().unwrap();
            assert!(resting.energy() <= energy * (1.0 + 1e-13), "dt {dt}: {:e}", resting.energy() - energy);
        }
        for speed in [0.0, 4.0] {
            let mut falling = thrown::<f64>(dt, 0.0, speed);
            solved_closely(&mut falling);
            let mut corrected = 0.0;
            for frame in 0..500 {
                let before = falling.energy();
                let report = falling.step().unwrap();
                // Moving a body out of another costs height, and the ledger says how much; nothing else may rise.
                let gain = falling.energy() - before - report.ledger.position_correction;
                corrected += report.ledger.position_correction;
                assert!(gain <= before * 1e-13, "dt {dt}, speed {speed}, frame {frame}: {gain:e}");
            }
            println!("dt {dt}, speed {speed}: {corrected:.1e} J by position correction");
        }
    }
}

#[test]
fn an_elastic_ball_keeps_its_bounce_height_for_10000_frames() {
    let surface = material(0.5, 1.0);
    let mut boxes = Boxes::<f64, 8, 64>::new(surface, 1.0 / 60.0);
    let ball = RigidBody { position: vector(0.0, 0.0, 2.0), ..solid_box(1.0, [1.0; 3], surface) };
    boxes.add(ball, [1.0; 3]);
    boxes.pairs.push(Pair::BallOnPlane { ground: 0, body: 1 });
    let mut apexes = Vec::new();
    let (mut highest, mut rising, energy) = (0.0_f64, false, boxes.energy());
    for _ in 0..10_000 {
        boxes.step().unwrap();
        assert!((boxes.energy() / energy - 1.0).abs() <= 1e-12);
        let z = boxes.world.positions()[1].z;
        let up = boxes.world.bodies().linear_velocities()[1].z > 0.0;
        if rising && !up {
            apexes.push(highest);
            highest = 0.0;
        }
        rising = up;
        highest = highest.max(z);
    }
    println!("{} bounces, the last apex at {}", apexes.len(), apexes.last().unwrap());
    // The last frame that rises is at most a time step before the top of the path, and then ½ g dt² lower.
    let lowest = 2.0 - 0.5 * 9.81 / (60.0 * 60.0);
    assert!(apexes.len() > 150 && apexes.iter().all(|z| (lowest - 1e-9..=2.0 + 1e-9).contains(z)), "{apexes:?}");
}

#[test]
fn a_step_report_covers_only_its_own_step() {
    let mut boxes = stack::<f64, 8, 64>(4);
    let first: StepReport<f64> = boxes.step().unwrap();
    assert_eq!((first.contacts, first.islands, first.warm_started, first.contacts_left_out), (16, 1, 0, 0));
    let second = boxes.step().unwrap();
    assert_eq!((second.contacts, second.warm_started), (16, 16));
}
