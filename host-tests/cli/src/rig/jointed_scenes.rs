//! The built-in scenes with joints.

use super::joints::{AnchorEntry, AxisEntry, MotorEntry, SceneJoint, WORLD};
use super::scene::{Scene, SceneBody};
use super::scenes::{ball, body, empty, floor, rotation};
use super::shape::Shape;

const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A box of half extents and a mass, kg, at a position.
fn block(name: &str, half_extents: [f64; 3], mass: f64, position: [f64; 3]) -> SceneBody {
    SceneBody { position, ..body(name, Shape::Box { half_extents }, mass, 0.6, 0.0) }
}

/// A box that does not move.
fn fixed_block(name: &str, half_extents: [f64; 3], position: [f64; 3]) -> SceneBody {
    SceneBody { fixed: true, mass: None, ..block(name, half_extents, 1.0, position) }
}

/// An upright capsule, by half of its whole length.
fn limb(name: &str, [half_length, radius]: [f64; 2], mass: f64, position: [f64; 3]) -> SceneBody {
    let shape = Shape::Capsule { half_height: half_length - radius, radius };
    SceneBody { position, ..body(name, shape, mass, 0.6, 0.0) }
}

fn ball_joint(name: &str, a: &str, b: &str, anchor: [f64; 3]) -> SceneJoint {
    SceneJoint { ball: Some(AnchorEntry { anchor }), ..SceneJoint::between(name, a, b) }
}

fn hinge(name: &str, [a, b]: [&str; 2], entry: AxisEntry) -> SceneJoint {
    SceneJoint { hinge: Some(entry), ..SceneJoint::between(name, a, b) }
}

/// A hinge without motor, limits and friction.
fn free(anchor: [f64; 3], axis: [f64; 3]) -> AxisEntry {
    AxisEntry { anchor, axis, ..AxisEntry::default() }
}

fn speed_motor(speed: f64, max: f64) -> Option<MotorEntry> {
    Some(MotorEntry { speed: Some(speed), max, ..MotorEntry::default() })
}

pub(super) fn pendulum() -> Scene {
    let mut scene = empty(10.0);
    scene.bodies = vec![block("rod", [0.5, 0.02, 0.02], 1.0, [0.5, 0.0, 2.0])];
    scene.joints = vec![hinge("pivot", [WORLD, "rod"], free([0.0, 0.0, 2.0], Y))];
    scene
}

/// Ten links of 0.2 m, level at the start.
pub(super) fn chain() -> Scene {
    let mut scene = empty(10.0);
    let mut before = WORLD.to_string();
    for i in 0..10 {
        let (name, x) = (format!("link {}", i + 1), 0.2 * f64::from(i));
        let link = limb(&name, [0.1, 0.02], 0.5, [x + 0.1, 0.0, 3.0]);
        scene.bodies.push(SceneBody { orientation: rotation(1, 90.0), ..link });
        scene.joints.push(ball_joint(&format!("joint {}", i + 1), &before, &name, [x, 0.0, 3.0]));
        before = name;
    }
    scene
}

/// The planks begin on an arc that hangs through; five boxes fall on its middle.
pub(super) fn bridge() -> Scene {
    const PLANKS: usize = 40;
    const PLANK: f64 = 0.25;
    let mut scene = empty(8.0);
    let step = 1.0 / PLANKS as f64;
    let radius = 0.5 * PLANK / (0.5 * step).sin();
    // Seam `k` of 0 to 40, on a circle whose lowest point is 2 m above the floor.
    let seam = |k: usize| {
        let angle = step * k as f64 - 0.5;
        [radius * angle.sin(), 0.0, 2.0 + radius * (1.0 - angle.cos())]
    };
    let ([left, _, height], [right, ..]) = (seam(0), seam(PLANKS));
    let abutment = [1.0, 1.0, 0.5 * height];
    scene.bodies.push(floor(0.6, 0.0));
    scene.bodies.push(fixed_block("left abutment", abutment, [left - 1.0, 0.0, 0.5 * height]));
    scene.bodies.push(fixed_block("right abutment", abutment, [right + 1.0, 0.0, 0.5 * height]));
    let mut before = "left abutment".to_string();
    for k in 0..PLANKS {
        let (name, from, to) = (format!("plank {}", k + 1), seam(k), seam(k + 1));
        let middle = [0.5 * (from[0] + to[0]), 0.0, 0.5 * (from[2] + to[2])];
        let degrees = -(step * (k as f64 + 0.5) - 0.5).to_degrees();
        let plank = block(&name, [0.5 * PLANK, 0.5, 0.025], 5.0, middle);
        scene.bodies.push(SceneBody { orientation: rotation(1, degrees), ..plank });
        scene.joints.push(hinge(&format!("seam {}", k + 1), [&before, &name], free(from, Y)));
        before = name;
    }
    let last = hinge(&format!("seam {}", PLANKS + 1), [&before, "right abutment"], free(seam(PLANKS), Y));
    scene.joints.push(last);
    for i in 0..5 {
        let position = [0.5 * f64::from(i) - 1.0, 0.0, 2.8];
        scene.bodies.push(block(&format!("box {}", i + 1), [0.2; 3], 20.0, position));
    }
    scene
}

/// Eight steps of 0.2 m with a landing before them.
fn stairs() -> Vec<SceneBody> {
    let mut bodies = vec![floor(0.6, 0.0), fixed_block("landing", [1.0, 1.5, 0.8], [-1.0, 0.0, 0.8])];
    for k in 1..8 {
        let half_height = 0.1 * f64::from(8 - k);
        let position = [0.3 * f64::from(k) - 0.15, 0.0, half_height];
        bodies.push(fixed_block(&format!("step {k}"), [0.15, 1.5, half_height], position));
    }
    bodies
}

pub(super) fn ragdoll() -> Scene {
    let mut scene = empty(6.0);
    scene.bodies = stairs();
    // Heights above the soles.
    let at = |y: f64, height: f64| [-0.2, y, 1.62 + height];
    let within = |y, height, limits| AxisEntry { limits: Some(limits), friction: 0.5, ..free(at(y, height), Y) };
    let mut parts = vec![
        block("pelvis", [0.1, 0.16, 0.08], 10.0, at(0.0, 0.88)),
        block("torso", [0.1, 0.18, 0.22], 25.0, at(0.0, 1.18)),
        SceneBody { position: at(0.0, 1.53), ..ball("head", 0.11, 5.0, 0.6, 0.0) },
    ];
    scene.joints = vec![
        hinge("waist", ["pelvis", "torso"], within(0.0, 0.96, [-0.3, 1.0])),
        hinge("neck", ["torso", "head"], within(0.0, 1.41, [-0.6, 0.6])),
    ];
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{side} {part}");
        let [thigh, shin, upper, lower] = ["thigh", "shin", "upper arm", "forearm"].map(name);
        let (leg, arm) = (0.1 * sign, 0.25 * sign);
        parts.extend([
            limb(&thigh, [0.2, 0.07], 8.0, at(leg, 0.6)),
            limb(&shin, [0.2, 0.06], 4.0, at(leg, 0.2)),
            limb(&upper, [0.15, 0.045], 2.5, at(arm, 1.19)),
            limb(&lower, [0.15, 0.04], 1.5, at(arm, 0.89)),
        ]);
        scene.joints.extend([
            ball_joint(&name("hip"), "pelvis", &thigh, at(leg, 0.8)),
            hinge(&name("knee"), [&thigh, &shin], within(leg, 0.4, [0.0, 2.4])),
            ball_joint(&name("shoulder"), "torso", &upper, at(arm, 1.34)),
            hinge(&name("elbow"), [&upper, &lower], within(arm, 1.04, [-2.4, 0.0])),
        ]);
    }
    scene.bodies.extend(parts.into_iter().map(|part| SceneBody { linear: [1.5, 0.0, 0.0], ..part }));
    scene
}

/// Boxes whose tops are a ramp of 0.8 m: up at 15°, a metre level, and down again. Their other faces are below the
/// floor or inside of the next box.
fn ramp() -> [SceneBody; 3] {
    const HALF_HEIGHT: f64 = 0.4;
    let (run, rise): (f64, f64) = (3.0, 0.8);
    let (length, angle) = (run.hypot(rise), rise.atan2(run));
    // A tenth of a metre longer than the slope.
    let half_length = 0.5 * length + 0.05;
    // From the middle of the level top to that of a slope's box.
    let across = 0.5 + half_length * angle.cos() - HALF_HEIGHT * angle.sin();
    let height = rise - half_length * angle.sin() - HALF_HEIGHT * angle.cos();
    let slope = |name: &str, side: f64| SceneBody {
        orientation: rotation(1, side * angle.to_degrees()),
        ..fixed_block(name, [half_length, 1.98, HALF_HEIGHT], [6.5 + side * across, 0.0, height])
    };
    let top = fixed_block("ramp top", [0.5, 2.0, HALF_HEIGHT], [6.5, 0.0, rise - HALF_HEIGHT]);
    [slope("ramp up", -1.0), top, slope("ramp down", 1.0)].map(|part| SceneBody { mu: 0.8, ..part })
}

pub(super) fn car() -> Scene {
    let mut scene = empty(6.0);
    scene.bodies.push(floor(0.8, 0.0));
    scene.bodies.extend(ramp());
    scene.bodies.push(block("chassis", [0.8, 0.35, 0.1], 40.0, [0.0, 0.0, 0.35]));
    for (name, x, y) in [
        ("front left wheel", 0.6, 0.7),
        ("front right wheel", 0.6, -0.7),
        ("back left wheel", -0.6, 0.7),
        ("back right wheel", -0.6, -0.7),
    ] {
        let position = [x, y, 0.3];
        scene.bodies.push(SceneBody { position, ..ball(name, 0.3, 5.0, 0.8, 0.0) });
        let axle = AxisEntry { motor: speed_motor(8.0, 30.0), ..free(position, Y) };
        scene.joints.push(hinge(&name.replace("wheel", "axle"), ["chassis", name], axle));
    }
    scene
}

/// Two links that lie flat and are folded by 120° at the start.
pub(super) fn arm() -> Scene {
    let mut scene = empty(8.0);
    scene.bodies.push(floor(0.4, 0.0));
    for i in 0..8 {
        let position = [0.79, 0.0, 0.1 + 0.2 * f64::from(i)];
        let shape = Shape::Box { half_extents: [0.1; 3] };
        scene.bodies.push(SceneBody { position, ..body(&format!("box {}", i + 1), shape, 1.0, 0.5, 0.0) });
    }
    let (length, height) = (0.6, 0.1);
    let elbow_y = length * 60f64.to_radians().sin();
    let link = |name: &str, x: f64, degrees: f64| {
        let link = block(name, [0.5 * length, 0.03, 0.03], 2.0, [x, 0.5 * elbow_y, height]);
        SceneBody { orientation: rotation(2, degrees), ..link }
    };
    let hand = SceneBody { position: [length, 0.0, height], ..ball("hand", 0.06, 0.5, 0.2, 0.0) };
    scene.bodies.extend([link("upper arm", 0.15, 60.0), link("forearm", 0.45, -60.0), hand]);
    let driven = |speed: f64, limits, anchor| AxisEntry {
        motor: speed_motor(speed, 60.0),
        limits: Some(limits),
        ..free(anchor, Z)
    };
    let wrist = Some(AnchorEntry { anchor: [length, 0.0, height] });
    scene.joints = vec![
        hinge("shoulder", [WORLD, "upper arm"], driven(-0.15, [-0.9, 0.0], [0.0, 0.0, height])),
        hinge("elbow", ["upper arm", "forearm"], driven(0.3, [0.0, 1.8], [0.3, elbow_y, height])),
        SceneJoint { fixed: wrist, ..SceneJoint::between("wrist", "forearm", "hand") },
    ];
    scene
}
