//! Scenes in which frames are compared with a peer's: what stands must stand.

use nalgebra::{UnitQuaternion, Vector3};
use stiction_cli::rig::scene::{Scene, SceneBody, SceneSettings};
use stiction_cli::rig::shape::Shape;
use stiction_testkit::rng::Rng;

/// A scene with the name that tables use.
pub struct Named {
    /// Its name.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// Gravity along x changes its sign every second, m/s².
    pub shake: f64,
    /// A body that is hit.
    pub kick: Option<Kick>,
    /// A body that is pushed along x.
    pub push: Option<Push>,
}

/// A blow on a body.
#[derive(Debug, Clone, Copy)]
pub struct Kick {
    /// The frame in which it comes.
    pub frame: usize,
    /// The body.
    pub body: usize,
    /// What it adds to the body's velocity, m/s.
    pub velocity: [f64; 3],
}

/// A force along x that grows from zero.
#[derive(Debug, Clone, Copy)]
pub struct Push {
    /// The body.
    pub body: usize,
    /// How fast it grows, N/s.
    pub rate: f64,
}

impl Named {
    /// Height of the highest body's centre, m.
    pub fn height(&self) -> f64 {
        self.scene.bodies.iter().map(|body| body.position[2]).fold(0.0, f64::max)
    }

    /// The body that is hit in a frame, and what that adds to its velocity, m/s.
    pub fn kick(&self, frame: usize) -> Option<(usize, Vector3<f64>)> {
        self.kick.filter(|kick| kick.frame == frame).map(|kick| (kick.body, Vector3::from(kick.velocity)))
    }

    /// The body that is pushed, and the force at a time in seconds, N.
    pub fn push(&self, time: f64) -> Option<(usize, Vector3<f64>)> {
        self.push.map(|push| (push.body, Vector3::x() * push.rate * time))
    }

    /// Gravity in a frame.
    pub fn gravity(&self, frame: usize) -> [f64; 3] {
        let [x, y, z] = self.scene.gravity;
        let second = (frame as f64 * self.scene.dt) as usize;
        let sign = if second.is_multiple_of(2) { 1.0 } else { -1.0 };
        [x + sign * self.shake, y, z]
    }
}

fn named(name: &str, seconds: f64, bodies: Vec<SceneBody>) -> Named {
    let settings = SceneSettings::default();
    let gravity = [0.0, 0.0, -9.81];
    Named {
        name: name.into(),
        scene: Scene { gravity, dt: 1.0 / 60.0, seconds, substeps: 1, settings, bodies, joints: Vec::new() },
        shake: 0.0,
        kick: None,
        push: None,
    }
}

fn ground(mu: f64) -> SceneBody {
    let shape = Shape::HalfSpace { normal: [0.0, 0.0, 1.0] };
    SceneBody { fixed: true, mass: None, ..solid(shape, 1.0, [0.0; 3], mu) }
}

fn solid(shape: Shape, mass: f64, position: [f64; 3], mu: f64) -> SceneBody {
    SceneBody { position, ..SceneBody::new(shape, mass, mu) }
}

fn block(half_extents: [f64; 3], mass: f64, position: [f64; 3]) -> SceneBody {
    solid(Shape::Box { half_extents }, mass, position, 0.5)
}

fn cube(side: f64, position: [f64; 3]) -> SceneBody {
    block([side / 2.0; 3], if side < 1.0 { 1000.0 * side * side * side } else { 1.0 }, position)
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

/// Three cubes that lie on a belt which runs at 1 m/s: they slide, then go with it.
pub fn belt() -> Named {
    let mut bodies = vec![SceneBody { linear: [1.0, 0.0, 0.0], ..ground(0.5) }];
    bodies.extend((0..3).map(|i| cube(1.0, [3.0 * f64::from(i), 0.0, 0.5])));
    named("belt", 5.0, bodies)
}

/// The same, hit at the side in its hundredth frame.
pub fn kicked(mut named: Named, body: usize, velocity: [f64; 3]) -> Named {
    named.kick = Some(Kick { frame: 100, body, velocity });
    named.name += ", kicked";
    named
}

/// A stack whose uppermost cube has another mass.
pub fn loaded(count: usize, mass: f64) -> Named {
    let mut stack = stack(count, 1.0);
    if let Some(top) = stack.scene.bodies.last_mut() {
        top.mass = Some(mass);
    }
    stack.name = format!("stack of {count}, {mass} kg on top");
    stack
}

/// Structures at rest, and the same hit at the side.
pub fn at_rest() -> Vec<Named> {
    let hit = [0.2, 0.06, 0.0];
    vec![
        stack(16, 1.0),
        stack(32, 1.0),
        pyramid(10),
        wall(10, 8),
        heavy(100.0),
        heavy(1000.0),
        loaded(16, 1000.0),
        kicked(stack(16, 1.0), 8, hit),
        kicked(stack(32, 1.0), 16, hit),
        kicked(pyramid(10), 24, hit),
        kicked(wall(10, 8), 40, hit),
        kicked(heavy(100.0), 1, hit),
        kicked(heavy(1000.0), 1, hit),
        kicked(loaded(16, 1000.0), 8, hit),
    ]
}

/// Blows of random size on random bodies.
pub fn random_kicks(count: usize) -> Vec<Named> {
    let mut rng = Rng::new(24);
    let kicks = (0..count).map(|case| {
        let named = match case % 4 {
            0 => stack(16, 1.0),
            1 => stack(32, 1.0),
            2 => pyramid(10),
            _ => loaded(16, 1000.0),
        };
        // A tonne that is hit falls, as it must: it has the energy for that.
        let bodies = named.scene.bodies.len() - if case % 4 == 3 { 1 } else { 0 };
        let (body, speed, angle) =
            (rng.below(bodies - 1) + 1, rng.range(0.05, 0.85), rng.range(0.0, std::f64::consts::TAU));
        kicked(named, body, [speed * angle.cos(), speed * angle.sin(), 0.0])
    });
    kicks.collect()
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
        belt(),
    ];
    scenes.extend((0..6).flat_map(|seed| [cluster(seed, 5.0), cluster(seed, 15.0)]));
    scenes
}

fn turned(axis: usize, angle: f64) -> [f64; 4] {
    let turn = UnitQuaternion::new(Vector3::ith(axis, angle));
    [turn.w, turn.i, turn.j, turn.k]
}

/// Nine stones of an arch without mortar.
fn arch() -> Named {
    let mut bodies = vec![ground(0.8)];
    let step = std::f64::consts::PI / 9.0;
    for i in 0..9 {
        let mut points = Vec::new();
        for angle in [step * f64::from(i) + 5e-5, step * f64::from(i + 1) - 5e-5] {
            for radius in [1.0, 1.5] {
                points.extend([-0.3, 0.3].map(|y| [radius * angle.cos(), y, radius * angle.sin()]));
            }
        }
        bodies.push(solid(Shape::Convex { points }, 1.0, [0.0; 3], 0.8));
    }
    named("arch of 9", 10.0, bodies)
}

/// Three planks a level, crosswise; true size is 15 mm high.
fn jenga(levels: usize, scale: f64) -> Named {
    let mut bodies = vec![ground(0.5)];
    for level in 0..levels {
        for i in 0..3 {
            let across = 0.255 * (i as f64 - 1.0) * scale;
            let z = 0.15 * (level as f64 + 0.5) * scale;
            let (position, half) = if level % 2 == 0 {
                ([0.0, across, z], [0.375, 0.125, 0.075])
            } else {
                ([across, 0.0, z], [0.125, 0.375, 0.075])
            };
            bodies.push(block(half.map(|half| half * scale), scale * scale * scale, position));
        }
    }
    named(&format!("jenga of {levels}, scale {scale}"), 10.0, bodies)
}

/// Ten dominoes, the first one pushed.
fn dominoes() -> Named {
    let mut bodies = vec![ground(0.6)];
    for i in 0..10 {
        let mut stone = SceneBody { mu: 0.4, ..block([0.05, 0.25, 0.5], 0.5, [0.4 * f64::from(i), 0.0, 0.5]) };
        if i == 0 {
            (stone.linear, stone.angular) = ([1.0, 0.0, 0.0], [0.0, 2.0, 0.0]);
        }
        bodies.push(stone);
    }
    named("dominoes", 8.0, bodies)
}

/// Boxes of 0.2 to 1 m on each other, light and heavy in turn.
fn mixed_sizes() -> Named {
    let (mut bodies, mut z) = (vec![ground(0.5)], 0.0);
    for i in 0..12 {
        let side = [1.0, 0.4, 0.7, 0.2][i % 4];
        let density = if i % 2 == 0 { 200.0 } else { 800.0 };
        bodies.push(block([side / 2.0; 3], density * side * side * side, [0.0, 0.0, z + side / 2.0]));
        z += side;
    }
    named("12 mixed boxes", 10.0, bodies)
}

/// Capsules in layers of two, crosswise, the lowest between stops.
fn capsules() -> Named {
    let mut bodies = vec![ground(0.6)];
    for level in 0..4 {
        for side in [-0.4, 0.4] {
            let (axis, position) = if level % 2 == 0 { (0, [side, 0.0]) } else { (1, [0.0, side]) };
            let shape = Shape::Capsule { half_height: 0.7, radius: 0.15 };
            let z = 0.15 + 0.3 * f64::from(level);
            let orientation = turned(axis, std::f64::consts::FRAC_PI_2);
            bodies.push(SceneBody { orientation, ..solid(shape, 1.0, [position[0], position[1], z], 0.6) });
        }
    }
    named("8 capsules crosswise", 10.0, bodies)
}

/// Forty balls fall into a box of four walls.
fn balls() -> Named {
    let mut bodies = vec![ground(0.4)];
    for (position, half) in [
        ([1.1, 0.0, 1.0], [0.1, 1.2, 1.0]),
        ([-1.1, 0.0, 1.0], [0.1, 1.2, 1.0]),
        ([0.0, 1.1, 1.0], [1.2, 0.1, 1.0]),
        ([0.0, -1.1, 1.0], [1.2, 0.1, 1.0]),
    ] {
        bodies.push(SceneBody { fixed: true, mass: None, ..block(half, 1.0, position) });
    }
    for i in 0..40 {
        let wobble = |k: usize| ((i * 7 + k * 13) % 11) as f64 / 11.0 - 0.5;
        let at = |k: usize| [-0.6, 0.0, 0.6][k % 3];
        let position = [at(i) + 0.1 * wobble(0), at(i / 3) + 0.1 * wobble(1), 0.3 + 0.5 * (i / 9) as f64];
        bodies.push(solid(Shape::Sphere { radius: 0.2 }, 1.0, position, 0.4));
    }
    named("40 balls in a box", 15.0, bodies)
}

/// A table on four legs with ten boxes.
fn table() -> Named {
    let mut bodies = vec![ground(0.5)];
    for (x, y) in [(0.9, 0.4), (-0.9, 0.4), (0.9, -0.4), (-0.9, -0.4)] {
        bodies.push(block([0.05, 0.05, 0.4], 1.0, [x, y, 0.4]));
    }
    bodies.push(block([1.0, 0.5, 0.03], 10.0, [0.0, 0.0, 0.83]));
    for i in 0..10 {
        let (x, level) = (-0.6 + 0.4 * f64::from(i % 4), f64::from(i / 4));
        bodies.push(block([0.1; 3], 1.0, [x, 0.0, 0.96 + 0.2 * level]));
    }
    named("table with 10 boxes", 10.0, bodies)
}

/// A tower on a platform that accelerates to and fro, as gravity that tilts.
fn platform() -> Named {
    let mut tower = stack(6, 1.0);
    tower.name = "tower on a platform".into();
    tower.scene.seconds = 10.0;
    tower.shake = 1.0;
    tower
}

/// Leaning pairs of cards, storeys with a card between.
fn cards(storeys: usize, height: f64) -> Named {
    let mut bodies = vec![ground(0.6)];
    let (length, thick, angle) = (height, height / 60.0, 0.35_f64);
    let (foot, rise) = (length / 2.0 * angle.sin(), length * angle.cos() + thick * angle.sin());
    let spread = foot + thick / 2.0 * angle.cos();
    let mut z = 0.0;
    for storey in 0..storeys {
        let pairs = storeys - storey;
        for pair in 0..pairs {
            let x = (pair as f64 - (pairs as f64 - 1.0) / 2.0) * 4.0 * spread;
            for side in [-1.0, 1.0] {
                let card =
                    block([thick / 2.0, length / 3.0, length / 2.0], 0.002, [x + side * spread, 0.0, z + rise / 2.0]);
                bodies.push(SceneBody { mu: 0.6, orientation: turned(1, -side * angle), ..card });
            }
        }
        z += rise;
        if pairs > 1 {
            for pair in 0..pairs - 1 {
                let x = (pair as f64 - (pairs as f64 - 2.0) / 2.0) * 4.0 * spread;
                let flat = block([2.0 * spread, length / 3.0, thick / 2.0], 0.002, [x, 0.0, z + thick / 2.0]);
                bodies.push(SceneBody { mu: 0.6, ..flat });
            }
            z += thick;
        }
    }
    named(&format!("cards, {storeys} storeys of {height} m"), 10.0, bodies)
}

/// The same with its bodies listed from the last to the first, after the ground.
fn reversed(mut named: Named) -> Named {
    named.name += ", reversed";
    named.scene.bodies[1..].reverse();
    named
}

/// A plank over a prism with different weights in balance.
fn see_saw() -> Named {
    let prism = Shape::Convex {
        points: vec![
            [-0.2, -0.3, -0.15],
            [0.2, -0.3, -0.15],
            [-0.04, -0.3, 0.25],
            [0.04, -0.3, 0.25],
            [-0.2, 0.3, -0.15],
            [0.2, 0.3, -0.15],
            [-0.04, 0.3, 0.25],
            [0.04, 0.3, 0.25],
        ],
    };
    let bodies = vec![
        ground(0.6),
        SceneBody { mu: 0.8, ..solid(prism, 20.0, [0.0, 0.0, 0.15], 0.8) },
        SceneBody { mu: 0.8, ..block([1.5, 0.25, 0.03], 5.0, [0.0, 0.0, 0.431]) },
        block([0.15; 3], 4.0, [-0.6, 0.0, 0.612]),
        block([0.15; 3], 2.0, [1.2, 0.0, 0.612]),
    ];
    named("see-saw", 10.0, bodies)
}

/// Scenes of our own, of other kinds. The softness of contacts was chosen on the table among them.
pub fn own() -> Vec<Named> {
    vec![
        arch(),
        wall(12, 6),
        jenga(18, 1.0),
        jenga(18, 0.1),
        dominoes(),
        mixed_sizes(),
        capsules(),
        balls(),
        table(),
        platform(),
        stack(12, 0.02),
        stack(5, 0.02),
        cards(2, 0.02),
        cards(2, 0.06),
        cards(3, 0.06),
        cards(5, 0.06),
        cards(5, 0.02),
        cards(6, 0.06),
        reversed(cards(3, 0.06)),
        reversed(cards(5, 0.06)),
        reversed(cards(4, 0.02)),
        see_saw(),
    ]
}

/// Bodies that tip over, each with the body to watch.
pub fn tipping() -> Vec<(Named, usize)> {
    let edge = |angle: f64| {
        let lean = std::f64::consts::FRAC_PI_4 + angle;
        let height = 0.5 * (lean.sin() + lean.cos());
        let cube = SceneBody { orientation: turned(1, lean), ..cube(1.0, [0.0, 0.0, height]) };
        named("cube on its edge", 5.0, vec![ground(0.5), cube])
    };
    let mut tower = named("tower of 4 on a slope", 5.0, vec![ground(0.9)]);
    for i in 0..4 {
        tower.scene.bodies.push(SceneBody { mu: 0.9, ..cube(1.0, [0.0, 0.0, f64::from(i) + 0.5]) });
    }
    tower.scene.gravity = [9.81 * 0.3_f64.sin(), 0.0, -9.81 * 0.3_f64.cos()];
    let ledge = |overhang: f64| {
        let table = SceneBody { fixed: true, mass: None, ..block([2.0, 2.0, 0.5], 1.0, [0.0, 0.0, 2.5]) };
        let plank = block([1.0, 0.3, 0.05], 1.0, [1.0 + 1.0 + overhang - 0.0, 0.0, 3.05]);
        named("plank over a ledge", 5.0, vec![ground(0.5), table, plank])
    };
    let mut slide = ledge(-0.6);
    slide.name = "plank slides off a ledge".into();
    slide.scene.bodies[2].linear = [2.5, 0.0, 0.0];
    let fall = dominoes();
    vec![(edge(0.02), 1), (tower, 4), (ledge(0.05), 2), (slide, 2), (fall, 10)]
}
