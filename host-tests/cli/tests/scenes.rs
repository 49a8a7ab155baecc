//! The built-in scenes, with real collision detection, against closed-form mechanics.

use stiction_cli::rig::frame::Frame;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::{ALL, find};
use stiction_cli::rig::simulation::Precision;
use stiction_cli::rig::summary::Summary;
use stiction_testkit::effort;

use crate::evidence::Frames;

const GRAVITY: f64 = 9.81;

fn played(name: &str) -> (Summary, Frames) {
    Frames::of(name, find(name).unwrap_or_else(|| panic!("{name}")), Precision::Double)
}

/// Index of the last body of a scene.
fn last(frames: &[Frame]) -> usize {
    frames[0].bodies.len() - 1
}

#[test]
fn every_scene_runs_in_both_precisions_with_a_ledger_that_closes() {
    for named in ALL {
        for precision in [Precision::Single, Precision::Double] {
            let mut scene = named.scene();
            scene.seconds = scene.seconds.min(effort::cases(0.5, 3.0));
            let (summary, frames) = Frames::of(named.name, scene, precision);
            let worst = frames.iter().map(|frame| frame.report.ledger.closure()).fold(0.0, f64::max);
            assert!(worst <= if precision == Precision::Double { 1e-12 } else { 1e-5 }, "{}: {worst:e}", named.name);
            assert_eq!(summary.contacts.left_out, 0, "{}", named.name);
            assert!(summary.bodies.iter().all(|body| body.position.iter().all(|x| x.is_finite())), "{}", named.name);
        }
    }
}

#[test]
fn oblique_slides_stay_down_go_straight_and_stop_where_axis_aligned_ones_do() {
    for (name, speed) in
        [("slide-45-slow", 1.0), ("slide-45-medium", 3.0), ("slide-45-fast", 6.0), ("slide-45-100", 100.0)]
    {
        let (_, frames) = played(name);
        let cube = last(&frames);
        let rise = frames.iter().map(|frame| frame.bodies[cube].linear.z.abs()).fold(0.0, f64::max);
        let end = frames.last().unwrap().bodies[cube].position;
        let bend = (end.y.atan2(end.x).to_degrees() - 45.0).abs();
        // Friction acts from the first substep on: the distance is that of semi-implicit Euler.
        let (mut v, mut way) = (speed, 0.0);
        while v > 0.0 {
            v = f64::max(v - 0.5 * GRAVITY / 480.0, 0.0);
            way += v / 480.0;
        }
        println!(
            "{name}: v_z at most {rise:.1e} m/s, bends by {bend:.1e}°, goes {:.5} m of {way:.5} m",
            end.xy().norm()
        );
        assert!(rise < 1e-3 && bend < 0.1 && (end.xy().norm() / way - 1.0).abs() < 1e-3);
    }
    let distance = |name| {
        let (_, frames) = played(name);
        frames.last().unwrap().bodies[last(&frames)].position.xy().norm()
    };
    let (along, across) = (distance("slide-axis"), distance("slide-45-fast"));
    println!("stops after {along:.6} m along its axis, {across:.6} m along its diagonal");
    assert!((along / across - 1.0).abs() < 1e-3);
}

#[test]
fn a_ball_that_falls_straight_gets_no_spin() {
    let (_, frames) = played("sphere-drop");
    let spin = frames.iter().map(|frame| frame.bodies[1].angular.norm()).fold(0.0, f64::max);
    println!("spin at most {spin:.1e} rad/s");
    assert!(spin < 1e-9);
}

#[test]
fn elastic_impacts_keep_their_energy() {
    for name in ["head-on-elastic", "equal-mass-swap", "free-space-cube", "newtons-cradle"] {
        let (_, frames) = played(name);
        let mut impacts = 0;
        for frame in frames.iter() {
            let ledger = &frame.report.ledger;
            impacts += u32::from(frame.report.contacts > 0);
            assert!((ledger.kinetic_after / ledger.kinetic_before - 1.0).abs() <= 1e-9, "{name}: {ledger:?}");
        }
        assert!(impacts > 0, "{name} never touched");
    }
    let (_, swap) = played("equal-mass-swap");
    let end = &swap.last().unwrap().bodies;
    assert!((end[0].linear.x + 1.0).abs() <= 1e-12 && (end[1].linear.x - 2.0).abs() <= 1e-12);
    let (_, cradle) = played("newtons-cradle");
    let speeds: Vec<f64> = cradle.last().unwrap().bodies.iter().map(|body| body.linear.x).collect();
    assert!(speeds[..4].iter().all(|v| v.abs() <= 1e-12) && (speeds[4] - 1.0).abs() <= 1e-12, "{speeds:?}");
}

#[test]
fn inelastic_impacts_keep_e_squared_of_their_energy() {
    for e in [0.3, 0.5, 0.8, 0.95] {
        let scene = format!(
            r#"{{ "gravity": [0,0,0], "seconds": 2, "bodies": [
                {{ "shape": {{ "half_space": {{ "normal": [0,0,1] }} }}, "fixed": true, "restitution": {e} }},
                {{ "shape": {{ "sphere": {{ "radius": 0.5 }} }}, "mass": 2, "position": [0,0,2], "linear": [0,0,-3],
                  "restitution": {e} }} ] }}"#
        );
        let (_, frames) = Frames::of("test", Scene::parse(&scene).unwrap(), Precision::Double);
        let (first, end) = (frames[0].report.ledger.kinetic_before, frames.last().unwrap().report.ledger.kinetic_after);
        println!("e = {e}: kinetic energy {:.9} of before, e² = {:.9}", end / first, e * e);
        assert!((end / first - e * e).abs() <= 1e-6 * e * e);
    }
}

#[test]
fn normal_impulse_on_a_ramp_is_m_g_cos_theta_dt() {
    let (_, frames) = played("ramp-slide");
    let expected = GRAVITY * 30f64.to_radians().cos() / 60.0;
    for frame in &frames[1..] {
        let press: f64 = frame.solves[0].contacts.iter().map(|contact| contact.numbers[3]).sum();
        assert!((press / expected - 1.0).abs() <= 1e-3, "frame {}: {press} of {expected}", frame.number);
    }
    let (_, stuck) = played("ramp-stick");
    let moved = (stuck.last().unwrap().bodies[1].position - stuck[0].bodies[1].position).norm();
    assert!(moved <= 1e-9, "creeps {moved:e} m");
}

/// A ball that falls `drop` metres at 60 frames a second: its height in the highest frame after the first bounce, and
/// the height that corresponds to its energy then, both in metres above the floor; and all frames.
fn rebound(e: f64, drop: f64, precision: Precision) -> (f64, f64, Frames) {
    const RADIUS: f64 = 0.25;
    let mut scene = find("inelastic-bounce").unwrap();
    scene.bodies[1].position[2] = drop + RADIUS;
    scene.bodies.iter_mut().for_each(|body| body.restitution = e);
    let (_, frames) = Frames::of("rebound", scene, precision);
    let height = |frame: &Frame| frame.bodies[1].position.z - RADIUS;
    let hit = frames.windows(2).position(|pair| height(&pair[1]) > height(&pair[0])).unwrap();
    let top = frames[hit..].windows(3).find(|w| height(&w[1]) >= height(&w[0]) && height(&w[1]) >= height(&w[2]));
    let (seen, worth) = top.map_or((0.0, 0.0), |w| (height(&w[1]), w[1].energy() / GRAVITY - RADIUS));
    (seen, worth, frames)
}

#[test]
fn rebound_heights_are_e_squared_of_the_drop() {
    let mut rows = String::new();
    for e in [0.3, 0.5, 0.8, 0.95] {
        let ideal = e * e * 2.0;
        let ((seen, worth, _double), (seen_single, _, _single)) =
            (rebound(e, 2.0, Precision::Double), rebound(e, 2.0, Precision::Single));
        let off = |height: f64| format!("{height:.4} m, {:+.2} %", 100.0 * (height / ideal - 1.0));
        let exact = 100.0 * (worth / ideal - 1.0);
        assert!(exact.abs() < 1e-9, "{exact}");
        rows += &format!("| {e} | {ideal:.4} m | {} | {} | below 1e-9 % |\n", off(seen), off(seen_single));
        // The top of the path is at most half a time step from a frame, which is then at most ½ g (dt/2)² lower.
        for (height, rounding) in [(seen, 1e-9), (seen_single, 1e-5)] {
            assert!(height <= ideal + rounding && height >= ideal - 0.5 * GRAVITY / (120.0 * 120.0) - rounding);
        }
        assert!((seen / ideal - 1.0).abs() < 0.03);
    }
    let head =
        "| e | e²·2 m | highest frame, f64 | highest frame, f32 | energy against e², f64 |\n|---|---|---|---|---|\n";
    document("rebounds", &format!("{head}{rows}"));
}

#[test]
fn rebounds_do_not_depend_on_where_in_a_frame_the_ball_arrives() {
    for drop in (0..40).map(|i| 1.9 + 0.005 * f64::from(i)) {
        for e in [0.3, 0.6, 1.0] {
            let (_, worth, _frames) = rebound(e, drop, Precision::Double);
            assert!((worth / (e * e * drop) - 1.0).abs() < 1e-11, "{drop} {e} {worth}");
        }
    }
}

/// Compares a part of `docs/scenes.md`, or updates it if requested.
fn document(part: &str, rows: &str) {
    stiction_repo_checks::part("docs/scenes.md", part, rows);
}

#[test]
fn the_documents_list_every_scene() {
    let head = "| name | what it shows |\n|---|---|\n";
    let rows: String = ALL.iter().map(|named| format!("| `{}` | {} |\n", named.name, named.line)).collect();
    document("scenes", &format!("{head}{rows}"));
}

#[test]
fn stacks_and_arches_stand_and_dominoes_fall() {
    for (name, tolerance) in [("stack-4", 1e-3), ("stack-16", 1e-3), ("arch", 0.02)] {
        let (summary, frames) = played(name);
        let (first, end) = (&frames[0].bodies, &frames.last().unwrap().bodies);
        let drift = first.iter().zip(end).map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max);
        println!("{name}: drift {drift:.2e} m in {} s, {:.1} sweeps a frame", summary.time, summary.sweeps.mean);
        assert!(drift < tolerance, "{name}");
    }
    let (_, frames) = played("domino-row");
    let fallen = frames.last().unwrap().bodies[1..].iter().filter(|body| body.position.z < 0.3).count();
    assert_eq!(fallen, 10);
}

#[test]
fn the_same_scene_gives_the_same_digest_every_time() {
    for precision in [Precision::Single, Precision::Double] {
        let digest = || {
            let mut scene = find("cluster-drop-32").unwrap();
            scene.seconds = 1.0;
            Frames::of("digest", scene, precision).0.digest
        };
        assert_eq!(digest(), digest());
    }
}

#[test]
fn momentum_is_kept_when_balls_meet_and_a_glancing_hit_makes_them_spin() {
    for (name, masses) in
        [("head-on-elastic", [1.0, 3.0]), ("equal-mass-swap", [1.0, 1.0]), ("glancing-hit", [1.0, 1.0])]
    {
        let (_, frames) = played(name);
        let momentum = |frame: &Frame| {
            let linear = frame.bodies[0].linear * masses[0] + frame.bodies[1].linear * masses[1];
            // Solid balls of radius 0.5.
            let about = |i: usize| {
                let body = &frame.bodies[i];
                body.position.cross(&body.linear) * masses[i] + body.angular * (0.4 * 0.25 * masses[i])
            };
            (linear, about(0) + about(1))
        };
        let ((start, spin_start), (end, spin_end)) = (momentum(&frames[0]), momentum(frames.last().unwrap()));
        assert!((start - end).norm() <= 1e-12, "{name}");
        assert!((spin_start - spin_end).norm() <= 1e-12, "{name}: {spin_start:?} {spin_end:?}");
    }
    let (_, frames) = played("glancing-hit");
    let end = &frames.last().unwrap().bodies;
    assert!(end[0].angular.norm() > 0.1 && end[1].angular.norm() > 0.1);
}

#[test]
fn the_floor_does_not_move_when_a_ball_bounces_on_it() {
    let (_, frames) = played("inelastic-bounce");
    for frame in frames.iter() {
        assert_eq!((frame.bodies[0].position.norm(), frame.bodies[0].linear.norm()), (0.0, 0.0));
    }
    assert!(frames.iter().any(|frame| frame.report.ledger.bounce < -1.0));
}

#[test]
fn a_ball_rests_in_the_groove_between_two_planes() {
    let scene = r#"{ "seconds": 3, "bodies": [
        { "shape": { "half_space": { "normal": [1,0,1] } }, "fixed": true },
        { "shape": { "half_space": { "normal": [-1,0,1] } }, "fixed": true },
        { "shape": { "sphere": { "radius": 0.5 } }, "mass": 1, "position": [0.2,0,1.0] } ] }"#;
    let (_, frames) = Frames::of("test", Scene::parse(scene).unwrap(), Precision::Double);
    let end = frames.last().unwrap();
    assert_eq!(end.report.contacts, 2);
    let ball = &end.bodies[2];
    assert!(ball.position.x.abs() < 0.02 && (ball.position.z - 0.5 * 2f64.sqrt()).abs() < 0.02, "{ball:?}");
    assert!(ball.linear.norm() < 1e-6);
}

#[test]
fn bodies_that_just_touch_do_not_fly_apart() {
    let (_, frames) = played("stack-4");
    for frame in frames.iter() {
        assert!(frame.bodies.iter().all(|body| body.linear.norm() < 0.01), "frame {}", frame.number);
    }
}
