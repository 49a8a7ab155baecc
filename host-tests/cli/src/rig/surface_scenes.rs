//! The built-in scenes with friction beyond sliding.

use super::scene::{Scene, SceneBody};
use super::scenes::{ball, body, empty, floor, rotation};
use super::shape::Shape;

/// A ball on the floor, both with these radii of torsion and rolling, m.
fn ball_on_floor(seconds: f64, torsion: f64, rolling: f64) -> Scene {
    let mut scene = empty(seconds);
    let resting = SceneBody { position: [0.0, 0.0, 0.25], ..ball("ball", 0.25, 1.0, 0.5, 0.0) };
    scene.bodies = [floor(0.5, 0.0), resting].map(|body| SceneBody { torsion, rolling, ..body }).into();
    scene
}

pub(super) fn ball_rolls_out() -> Scene {
    let mut scene = ball_on_floor(5.0, 0.0, 0.02);
    (scene.bodies[1].linear, scene.bodies[1].angular) = ([2.0, 0.0, 0.0], [0.0, 8.0, 0.0]);
    scene
}

pub(super) fn ball_spins_down() -> Scene {
    let mut scene = ball_on_floor(4.0, 0.02, 0.0);
    scene.bodies[1].angular = [0.0, 0.0, 20.0];
    scene
}

/// The runners are along the sled's own x axis. With the floor's friction of 0.5 it has 0.1 along them and 0.7 across.
pub(super) fn sled_on_runners() -> Scene {
    let mut scene = empty(5.0);
    let sled = SceneBody {
        position: [0.0, 0.0, 0.1],
        orientation: rotation(2, 30.0),
        linear: [4.0, 0.0, 0.0],
        mu_across: Some(0.98),
        friction_direction: Some([1.0, 0.0, 0.0]),
        ..body("sled", Shape::Box { half_extents: [0.5, 0.25, 0.1] }, 10.0, 0.02, 0.0)
    };
    scene.bodies = vec![floor(0.5, 0.0), sled];
    scene
}
