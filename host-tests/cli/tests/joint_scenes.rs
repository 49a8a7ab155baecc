//! The built-in scenes with joints: nothing is lost, joints stay together, energy comes from motors only.

use stiction_cli::rig::frame::Frame;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::find;
use stiction_cli::rig::simulation::Precision;
use stiction_cli::rig::summary::Summary;

use crate::evidence::Frames;

/// What a run shows of its joints and its energy.
struct Figures {
    /// The largest distance by which a joint came apart, m.
    apart: f64,
    /// The most energy above that of the start and what motors did since, J.
    gain: f64,
    /// The most energy that a frame adds beside what motors do in it, J.
    gain_in_a_frame: f64,
    /// Work of motors, J.
    motors: f64,
    /// The largest part of a frame's ledger that does not close.
    closure: f64,
}

fn figures(summary: &Summary, frames: &[Frame]) -> Figures {
    let apart = summary.joints.iter().map(|joint| joint.error).fold(0.0, f64::max);
    let (mut motors, mut gain, mut gain_in_a_frame) = (0.0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for frame in frames {
        motors += frame.joint_work.motor;
        gain_in_a_frame = f64::max(gain_in_a_frame, frame.report.ledger.change() - frame.joint_work.motor);
        gain = f64::max(gain, frame.energy() - summary.energy.initial - motors);
    }
    let closure = frames.iter().map(|frame| frame.report.ledger.closure()).fold(0.0, f64::max);
    Figures { apart, gain, gain_in_a_frame, motors, closure }
}

/// What a scene is allowed to show.
struct Bounds {
    /// m.
    apart: f64,
    /// J.
    gain_in_a_frame: f64,
}

/// Hardly any distance or energy.
const USUAL: Bounds = Bounds { apart: 1e-8, gain_in_a_frame: 5e-3 };

/// Runs a scene in double precision to its end, and checks what holds for all of them.
fn played(name: &str, bounds: &Bounds) -> (Summary, Frames) {
    played_scene(name, find(name).unwrap_or_else(|| panic!("{name}")), bounds)
}

/// The same of a scene.
fn played_scene(name: &str, scene: Scene, bounds: &Bounds) -> (Summary, Frames) {
    let (summary, frames) = Frames::of(name, scene, Precision::Double);
    let Figures { apart, gain, gain_in_a_frame, motors, closure } = figures(&summary, &frames);
    let guarded = frames.iter().filter(|frame| frame.report.passivity_guard).count();
    let unsolved = frames.iter().filter(|frame| frame.report.status != stiction::Status::Converged).count();
    println!(
        "{name}: {} joints apart {apart:.2e} m, energy {:.3} to {:.3} J, above the start and motors {gain:.2e} J, in a \
         frame {gain_in_a_frame:.2e} J, motors {motors:.3} J, ledger {closure:.1e}, depth {:.1e} m, {unsolved} unsolved, {guarded} guarded of {} frames",
        summary.joints.len(),
        summary.energy.initial,
        summary.energy.last,
        summary.penetration.max,
        frames.len()
    );
    assert_eq!(summary.contacts.left_out, 0);
    assert!(summary.bodies.iter().all(|body| body.position.iter().all(|x| x.is_finite() && x.abs() < 30.0)));
    assert!(closure < 1e-12, "{closure:e}");
    assert!(apart < bounds.apart, "{apart:e} m");
    assert!(gain_in_a_frame < bounds.gain_in_a_frame, "{gain_in_a_frame:e} J");
    assert!(gain < 1e-3, "{gain:e} J");
    (summary, frames)
}

/// Position of a body at the end.
fn end(summary: &Summary, name: &str) -> [f64; 3] {
    summary.bodies.iter().find(|body| body.name == name).unwrap_or_else(|| panic!("{name}")).position
}

#[test]
fn the_pendulum_swings_on() {
    let (summary, frames) = played("pendulum", &USUAL);
    let lowest = frames.iter().map(|frame| frame.bodies[0].position.z).fold(f64::INFINITY, f64::min);
    assert!((lowest - 1.5).abs() < 1e-2, "{lowest}");
    assert!((summary.energy.last - summary.energy.initial).abs() < 2e-2, "{:?}", summary.energy);
}

#[test]
fn the_chain_swings_on() {
    let (_, frames) = played("chain", &USUAL);
    let lowest = frames.iter().map(|frame| frame.bodies[9].position.z).fold(f64::INFINITY, f64::min);
    assert!(lowest < 1.15, "{lowest}");
}

#[test]
fn the_bridge_carries_its_boxes() {
    // Position correction lifts the bridge a little.
    let (summary, _) = played("bridge", &Bounds { gain_in_a_frame: 1e-2, ..USUAL });
    for i in 1..=5 {
        assert!(end(&summary, &format!("box {i}"))[2] > 1.0, "{:?}", end(&summary, &format!("box {i}")));
    }
}

#[test]
fn the_ragdoll_falls_down_the_stairs() {
    // After one frame, in which it lands 30 mm deep on the stairs, position correction lifts it.
    let scene = Scene { seconds: 60.0, ..find("ragdoll").expect("a built-in scene") };
    let (summary, _) = played_scene("ragdoll", scene, &Bounds { gain_in_a_frame: 0.5, ..USUAL });
    let pelvis = end(&summary, "pelvis");
    assert!(pelvis[2] < 1.5 && pelvis[0] > 0.3, "{pelvis:?}");
    for joint in summary.joints.iter().filter(|joint| joint.name.contains("knee")) {
        assert!((-1e-2..2.41).contains(&joint.position), "{joint:?}");
    }
}

#[test]
fn the_car_drives_over_the_ramp() {
    let (summary, frames) = played("car", &USUAL);
    let body = summary.bodies.iter().position(|body| body.name == "chassis").unwrap();
    let highest = frames.iter().map(|frame| frame.bodies[body].position.z).fold(0.0, f64::max);
    let chassis = end(&summary, "chassis");
    println!("chassis: highest {highest:.3} m, at the end {chassis:.3?} m");
    assert!(highest > 1.1 && chassis[0] > 10.5 && chassis[1].abs() < 0.1, "{highest}, {chassis:?}");
}

#[test]
fn the_arm_pushes_the_stack() {
    let (summary, _) = played("arm", &USUAL);
    for i in 1..=8 {
        let [x, y, z] = end(&summary, &format!("box {i}"));
        assert!(x > 1.1 && y.abs() < 0.2, "box {i}: {x} {y}");
        assert!((z - 0.2 * f64::from(i) + 0.1).abs() < 0.01, "box {i}: {z}");
    }
    let shoulder = summary.joints[0].position;
    assert!((shoulder + 0.9).abs() < 1e-3, "{shoulder}");
}
