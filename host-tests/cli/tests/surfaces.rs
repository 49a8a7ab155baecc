//! Scenes with friction beyond sliding: closed forms, rejected fields, and recordings that are computed again.

use serde_json::{Value, json};
use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::find;
use stiction_cli::rig::simulation::{Precision, simulate};

use crate::evidence::Frames;
use crate::tool::{answer, error, folder};

const GRAVITY: f64 = 9.81;
const BOTH: [Precision; 2] = [Precision::Single, Precision::Double];

fn played(scene: Scene, precision: Precision) -> Frames {
    Frames::of("surfaces", scene, precision).1
}

/// By how much a speed falls in a second, between two frames.
fn deceleration(frames: &[Frame], between: [usize; 2], speed: impl Fn(&Frame) -> f64) -> f64 {
    let [first, last] = between.map(|at| &frames[at]);
    (speed(first) - speed(last)) / (last.time - first.time)
}

/// The error relative to a closed form.
fn off(measured: f64, exact: f64) -> f64 {
    (measured / exact - 1.0).abs()
}

/// Errors that are allowed: rounding, over many substeps.
fn rounding(precision: Precision) -> f64 {
    if precision == Precision::Double { 1e-9 } else { 1e-4 }
}

#[test]
fn a_rolling_ball_loses_five_sevenths_of_rho_g_over_r_and_stops() {
    let exact = 5.0 * 0.02 * GRAVITY / (7.0 * 0.25);
    for precision in BOTH {
        let frames = played(find("ball-rolls-out").unwrap(), precision);
        let measured = deceleration(&frames, [10, 190], |frame| frame.bodies[1].linear.x);
        let slip = frames.iter().map(|frame| (frame.bodies[1].linear.x - 0.25 * frame.bodies[1].angular.y).abs());
        let (slip, end) = (slip.fold(0.0, f64::max), &frames.last().unwrap().bodies[1]);
        let (way, ideal) = (end.position.x, 2.0 * 2.0 / (2.0 * exact));
        println!(
            "{}: {measured:.9} m/s² of {exact:.9}, off by {:.1e}; slip {slip:.1e} m/s; {way:.6} m of {ideal:.6} m",
            precision.name(),
            off(measured, exact)
        );
        assert!(off(measured, exact) < rounding(precision) && slip < rounding(precision));
        assert!(end.linear.norm() < 1e-9 && end.angular.norm() < 1e-9, "{end:?}");
        // Bodies move with the velocity at the end of a substep, or of a frame that is not divided: at most half a
        // frame's way at the start is missing.
        assert!(way < ideal && ideal - way < 0.5 * 2.0 / 60.0, "{way} m of {ideal} m");
        assert!(frames.windows(2).all(|pair| pair[1].energy() <= pair[0].energy() + rounding(precision)));
    }
}

#[test]
fn a_spinning_ball_loses_rho_m_g_over_i_and_stops() {
    let exact = 0.02 * GRAVITY / (0.4 * 0.25 * 0.25);
    for precision in BOTH {
        let frames = played(find("ball-spins-down").unwrap(), precision);
        let measured = deceleration(&frames, [10, 140], |frame| frame.bodies[1].angular.z);
        println!("{}: {measured:.9} rad/s² of {exact:.9}, off by {:.1e}", precision.name(), off(measured, exact));
        let end = &frames.last().unwrap().bodies[1];
        assert!(off(measured, exact) < rounding(precision));
        assert!(end.angular.norm() < 1e-9 && end.position.xy().norm() < 1e-6, "{end:?}");
    }
}

/// A sled on the floor with runners at an angle to the x axis.
fn sled(degrees: f64, linear: [f64; 3]) -> Scene {
    let mut scene = find("sled-on-runners").unwrap();
    let half = 0.5 * degrees.to_radians();
    (scene.bodies[1].orientation, scene.bodies[1].linear) = ([half.cos(), 0.0, 0.0, half.sin()], linear);
    scene
}

#[test]
fn a_skid_loses_mu_g_along_the_runners_and_mu_across_g_across_them_however_the_sled_is_turned() {
    for precision in BOTH {
        for degrees in [0.0, 30.0, 110.0] {
            let (s, c) = f64::sin_cos(f64::to_radians(degrees));
            for (way, mu) in [([c, s, 0.0], 0.1), ([-s, c, 0.0], 0.7)] {
                let frames = played(sled(degrees, way.map(|part| 4.0 * part)), precision);
                let speed = |frame: &Frame| frame.bodies[1].linear.norm();
                let (measured, exact) = (deceleration(&frames, [5, 30], speed), mu * GRAVITY);
                let end = &frames.last().unwrap().bodies[1];
                println!(
                    "{}, turned {degrees}°, friction {mu}: {measured:.9} m/s² of {exact:.9}, off by {:.1e}",
                    precision.name(),
                    off(measured, exact)
                );
                assert!(off(measured, exact) < rounding(precision));
                assert!(end.linear.norm() < 1e-3 * rounding(precision).max(1e-6), "{end:?}");
            }
        }
    }
}

#[test]
fn a_direction_that_a_body_turns_into_the_normal_leaves_the_mean_friction() {
    let mut scene = sled(0.0, [4.0, 0.0, 0.0]);
    scene.bodies[1].friction_direction = Some([0.0, 0.0, 1.0]);
    for precision in BOTH {
        let frames = played(scene.clone(), precision);
        let measured = deceleration(&frames, [5, 30], |frame| frame.bodies[1].linear.norm());
        assert!(off(measured, (0.1f64 * 0.7).sqrt() * GRAVITY) < rounding(precision), "{measured} m/s²");
    }
}

#[test]
fn a_sled_uses_its_friction_to_the_bound_and_no_further() {
    for way in [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [3.0, 2.0, 0.0]] {
        let mut simulation = simulate(&sled(30.0, way), Precision::Double).unwrap();
        for _ in 0..20 {
            let frame = simulation.step(Detail::Full).unwrap();
            let solves = frame.solves.iter();
            let used: Vec<f64> = solves
                .flat_map(|solve| (0..solve.contacts.len()).filter_map(|contact| solve.friction_used(contact)))
                .collect();
            // Impulses of substeps are added up; where friction turns, their sum is a little shorter.
            assert!(used.len() >= 4 && used.iter().all(|used| *used < 1.0 + 1e-9 && *used > 0.999), "{used:?}");
        }
    }
}

#[test]
fn a_sled_that_is_pushed_at_an_angle_follows_its_runners() {
    let scene = find("sled-on-runners").unwrap();
    let (s, c) = f64::sin_cos(f64::to_radians(30.0));
    let frames = played(scene, Precision::Double);
    let mut worst: f64 = 0.0;
    for frame in &frames[..20] {
        let v = frame.bodies[1].linear;
        let (along, across) = (c * v.x + s * v.y, c * v.y - s * v.x);
        // The ellipse of friction keeps v_across proportional to v_along to the power of (0.7/0.1)².
        let exact = -4.0 * s * (along / (4.0 * c)).powi(49);
        worst = worst.max((across - exact).abs());
    }
    let turned = 2.0 * frames.last().unwrap().bodies[1].orientation.k.asin().to_degrees();
    println!("off by {worst:.1e} m/s of the closed form, turned to {turned:.6}°");
    assert!(worst < 0.02 && (turned - 30.0).abs() < 0.01, "{worst:e}, {turned}");
}

/// A ball with more fields, and a floor with the same radii.
fn with(more: Value) -> String {
    let mut body = json!({ "shape": { "sphere": { "radius": 0.25 } }, "mass": 1, "position": [0, 0, 0.25] });
    let (Value::Object(body_fields), Value::Object(more)) = (&mut body, more) else { panic!("objects") };
    body_fields.extend(more);
    let floor = json!({ "shape": { "half_space": { "normal": [0, 0, 1] } }, "fixed": true });
    json!({ "seconds": 0.1, "bodies": [floor, body] }).to_string()
}

#[test]
fn bad_surfaces_are_rejected_by_name() {
    let folder = folder("bad_surfaces");
    for (more, expected) in [
        (json!({ "torsion": -0.1 }), "bodies[1].torsion: "),
        (json!({ "torsion": 1e300 }), "bodies[1].torsion: "),
        (json!({ "torsion": null }), "torsion"),
        (json!({ "rolling": -1e-9 }), "bodies[1].rolling: "),
        (json!({ "rolling": "soft" }), "rolling"),
        (json!({ "mu_across": 0.5 }), "bodies[1].friction_direction: missing"),
        (json!({ "friction_direction": [1, 0, 0] }), "bodies[1].mu_across: missing"),
        (json!({ "mu_across": 0.5, "friction_direction": [0, 0, 0] }), "bodies[1].friction_direction: "),
        (json!({ "mu_across": 0.5, "friction_direction": [1, 0] }), "friction_direction"),
        (json!({ "mu_across": -0.5, "friction_direction": [1, 0, 0] }), "bodies[1].mu_across: "),
        (json!({ "mu_across": 0.5, "friction_direction": [1e300, 0, 0] }), "bodies[1].friction_direction: "),
        (json!({ "spinning": 0.5 }), "spinning"),
    ] {
        std::fs::write(folder.join("scene.json"), with(more.clone())).expect("a writable folder");
        for precision in ["f32", "f64"] {
            let line = error(&folder, &["run", "scene.json", "--precision", precision]);
            assert!(line.contains(expected) && line.trim().lines().count() == 1, "{more}: {line}");
        }
    }
    // JSON has no NaN; a number that overflows is rejected where it is read.
    std::fs::write(folder.join("scene.json"), with(json!({ "rolling": 7.25 })).replace("7.25", "1e999")).unwrap();
    assert!(error(&folder, &["run", "scene.json"]).contains("out of range"));
    let mut scene = Scene::parse(&with(json!({ "torsion": 0.1 }))).unwrap();
    scene.bodies[1].rolling = f64::NAN;
    let line = simulate(&scene, Precision::Double).err().unwrap();
    assert!(line.contains("bodies[1].rolling"), "{line}");
}

#[test]
fn a_run_with_surfaces_has_a_summary_a_picture_and_a_recording_that_is_replayed_to_the_bit() {
    let folder = folder("surfaces_outputs");
    for name in ["ball-rolls-out", "ball-spins-down", "sled-on-runners"] {
        let run = ["run", name, "--seconds", "0.5", "--summary", "summary.json", "--plot", "run.svg"];
        let _ = std::fs::remove_file(folder.join("run.db"));
        answer(&folder, &[&run[..], &["--record", "run.db"]].concat());
        let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap();
        assert_eq!(summary["frames"], 30);
        assert!(folder.join("run.svg").exists());
        let replayed = answer(&folder, &["replay", "run.db"]);
        assert!(
            replayed.starts_with("run.db: 30 frames, ") && replayed.ends_with("every bit the same\n"),
            "{replayed}"
        );
    }
}

#[test]
fn scenes_with_surfaces_have_the_same_bits_when_run_again() {
    for name in ["ball-rolls-out", "ball-spins-down", "sled-on-runners"] {
        for precision in BOTH {
            let digest = || {
                let mut run = simulate(&find(name).unwrap(), precision).unwrap();
                (0..60).for_each(|_| drop(run.step(Detail::Figures).unwrap()));
                run.digest()
            };
            assert_eq!(digest(), digest(), "{name}");
        }
    }
}

/// All built-in scenes without joints, with torsion that nothing can use, so that they run in the types of friction beyond sliding.
#[test]
fn plain_scenes_have_the_same_bits_with_unused_torsion() {
    for named in stiction_cli::rig::scenes::ALL {
        let scene = named.scene();
        if scene.has_surfaces() || !scene.joints.is_empty() {
            continue;
        }
        let mut with_torsion = scene.clone();
        // The other body of every pair has none, and the mean with zero is zero.
        with_torsion.bodies[0].torsion = 0.1;
        let both = [scene, with_torsion].map(|scene| {
            let mut run = simulate(&scene, Precision::Single).unwrap();
            (0..30).for_each(|_| drop(run.step(Detail::Figures).unwrap()));
            run.digest()
        });
        assert_eq!(both[0], both[1], "{}", named.name);
    }
}
