//! Scenes in which frames are compared with a peer's: what stands must stand.

use nalgebra::{UnitQuaternion, Vector3};
use stiction_cli::rig::scene::{Scene, SceneBody, SceneSettings};
use stiction_cli::rig::shape::Shape;

/// A scene with the name that tables use.
pub struct Named {
    /// Its name.
    pub name: String,
    /// The scene.
    pub scene: Scene,
}

fn named(name: &str, seconds: f64, bodies: Vec<SceneBody>) -> Named {
    let settings = SceneSettings::default();
    let gravity = [0.0, 0.0, -9.81];
    Named { name: name.into(), scene: Scene { gravity, dt: 1.0 / 60.0, seconds, substeps: 1, settings, bodies } }
}

fn ground(mu: f64) -> SceneBody {
    let shape = Shape::HalfSpace { normal: [0.0, 0.0, 1.0] };
    SceneBody { fixed: true, mass: None, ..solid(shape, 1.0, [0.0; 3], mu) }
}

fn solid(shape: Shape, mass: f64, position: [f64; 3], mu: f64) -> SceneBody {
    SceneBody {
        name: String::new(),
        shape,
        fixed: false,
        mass: Some(mass),
        inertia: None,
        position,
        orientation: [1.0, 0.0, 0.0, 0.0],
        linear: [0.0; 3],
        angular: [0.0; 3],
        mu,
        restitution: 0.0,
    }
}

fn block(half_extents: [f64; 3], mass: f64, position: [f64; 3]) -> SceneBody {
    solid(Shape::Box { half_extents }, mass, position, 0.5)
}

fn cube(side: f64, position: [f64; 3]) -> SceneBody {
    block([side / 2.0; 3], 1000.0 * side * side * side / 1000.0, position)
}

/// So many cubes of a side on each other.
pub fn stack(count: usize, side: f64) -> Named {
    let mut bodies = vec![ground(0.5)];
    bodies.extend((0..count).map(|i| cube(side, [0.0, 0.0, side * (i as f64 + 0.5)])));
    let name = if side < 1.0 { format!("stack of {count} of {side} m") } else { format!("stack of {count}") };
    named(&name, 1000.0 / 60.0, bodies)
}

/// A pyramid with so many cubes in its lowest row.
pub fn pyramid(rows: usize) -> Named {
    let mut bodies = vec![ground(0.5)];
    for row in 0..rows {
        for i in 0..rows - row {
            let x = 1.05 * (i as f64 + 0.5 * row as f64);
            bodies.push(cube(1.0, [x, 0.0, row as f64 + 0.5]));
        }
    }
    named(&format!("pyramid {rows}"), 1000.0 / 60.0, bodies)
}

/// A wall of bricks, alternate courses shifted by half a brick.
pub fn wall(long: usize, high: usize) -> Named {
    let mut bodies = vec![ground(0.5)];
    for row in 0..high {
        for i in 0..long - row % 2 {
            let x = 1.02 * (i as f64 + 0.5 * (row % 2) as f64);
            bodies.push(block([0.5, 0.25, 0.25], 1.0, [x, 0.0, 0.5 * (row as f64 + 0.5)]));
        }
    }
    named(&format!("wall {long} x {high}"), 1000.0 / 60.0, bodies)
}

/// A heavy cube on a light one.
pub fn heavy(ratio: f64) -> Named {
    let on = |z: f64, mass: f64| block([0.5; 3], mass, [0.0, 0.0, z]);
    named(&format!("{ratio} : 1"), 10.0, vec![ground(0.5), on(0.5, 1.0), on(1.5, ratio)])
}

/// Boxes that fall on a heap.
pub fn cluster(seed: usize, seconds: f64) -> Named {
    let mut bodies = vec![ground(0.5)];
    for i in 0..32 {
        let (layer, place) = (i / 4, i % 4);
        let wobble = |k: usize| ((i * 7 + k * 13 + seed * 5) % 11) as f64 / 11.0 - 0.5;
        let position = [
            (place % 2) as f64 * 0.9 - 0.45 + 0.3 * wobble(0),
            (place / 2) as f64 * 0.9 - 0.45 + 0.3 * wobble(1),
            1.0 + layer as f64 * 0.8,
        ];
        let turn = UnitQuaternion::new(Vector3::ith(i % 3, (40.0 * wobble(2)).to_radians()));
        let mut body = block([0.25, 0.2 + 0.05 * ((i % 3) as f64), 0.2], 1.0, position);
        body.orientation = [turn.w, turn.i, turn.j, turn.k];
        bodies.push(body);
    }
    named(&format!("heap {seed}, {seconds} s"), seconds, bodies)
}

/// Cubes on a slope of 0.3 rad with friction 0.7; gravity is tilted, not the floor.
pub fn slope(count: usize) -> Named {
    let mut bodies = vec![ground(0.7)];
    bodies.extend((0..count).map(|i| SceneBody { mu: 0.7, ..cube(1.0, [0.0, 0.0, i as f64 + 0.5]) }));
    let mut slope = named(&format!("slope, {count}"), 10.0, bodies);
    slope.scene.gravity = [9.81 * 0.3_f64.sin(), 0.0, -9.81 * 0.3_f64.cos()];
    slope
}

/// The scenes of the comparison.
pub fn all() -> Vec<Named> {
    let mut scenes = vec![
        stack(16, 1.0),
        stack(32, 1.0),
        stack(16, 0.05),
        pyramid(10),
        wall(10, 8),
        heavy(100.0),
        slope(1),
        slope(3),
    ];
    scenes.extend((0..6).flat_map(|seed| [cluster(seed, 5.0), cluster(seed, 15.0)]));
    scenes
}
