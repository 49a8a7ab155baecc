//! The built-in scenes, one definition each, for tests, benches and pictures.

use stiction_scenes::boxes::{FRAME, FRICTION, HALF_SIDE, MASS};

use super::jointed_scenes::{arm, bridge, car, chain, pendulum, ragdoll};
use super::scene::{Scene, SceneBody, SceneSettings, recommended_substeps};
use super::shape::Shape;
use super::surface_scenes::{ball_rolls_out, ball_spins_down, sled_on_runners};

/// A scene with a name.
pub struct Named {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub line: &'static str,
    make: fn() -> Scene,
}

impl Named {
    /// The scene itself.
    pub fn scene(&self) -> Scene {
        (self.make)()
    }
}

/// All of them, in the order of the printed list.
pub const ALL: &[Named] = &[
    Named { name: "slide-axis", line: "a cube slides along its own axis at 6 m/s and stops", make: || slide(6.0, 0.0) },
    Named { name: "slide-45-slow", line: "a cube slides along its diagonal at 1 m/s", make: || slide(1.0, 45.0) },
    Named { name: "slide-45-medium", line: "a cube slides along its diagonal at 3 m/s", make: || slide(3.0, 45.0) },
    Named {
        name: "slide-45-fast",
        line: "a cube slides along its diagonal at 6 m/s: where scaled friction makes cubes jump",
        make: || slide(6.0, 45.0),
    },
    Named { name: "slide-45-100", line: "a cube slides along its diagonal at 100 m/s", make: || slide(100.0, 45.0) },
    Named { name: "bounce-then-slide", line: "a thrown cube bounces, slides and stops", make: bounce_then_slide },
    Named { name: "ramp-slide", line: "a cube slides down 30° with friction 0.3", make: || ramp(30.0, 0.3) },
    Named {
        name: "ramp-stick",
        line: "a cube stays on 17.2° (0.3 rad) with friction 0.7",
        make: || ramp(0.3_f64.to_degrees(), 0.7),
    },
    Named { name: "flight-to-slide", line: "a cube lands flat at 5 m/s and slides on", make: flight_to_slide },
    Named { name: "tumbling-slide", line: "a spinning cube is thrown across the floor", make: tumbling_slide },
    Named {
        name: "head-on-elastic",
        line: "1 kg meets 3 kg head on without loss, free of gravity",
        make: || head_on(1.0, 3.0, 1.0),
    },
    Named {
        name: "equal-mass-swap",
        line: "two equal balls exchange their velocities",
        make: || head_on(1.0, 1.0, 1.0),
    },
    Named {
        name: "inelastic-bounce",
        line: "a ball falls 2 m and bounces with restitution 0.5",
        make: || drop_ball(2.0, 0.5, [0.0; 3]),
    },
    Named {
        name: "sphere-drop",
        line: "a ball falls straight down on a rough floor and gets no spin",
        make: || drop_ball(1.0, 0.3, [0.0; 3]),
    },
    Named {
        name: "spinning-ball-bounce",
        line: "a spinning ball bounces off to the side",
        make: || drop_ball(1.0, 0.8, [0.0, 40.0, 0.0]),
    },
    Named { name: "rocking-cube", line: "a cube tilted by 15° rocks to rest", make: rocking_cube },
    Named {
        name: "free-space-cube",
        line: "a tilted cube bounces off a wall without loss, free of gravity",
        make: free_space_cube,
    },
    Named { name: "glancing-hit", line: "two balls touch in passing and start to spin", make: glancing_hit },
    Named { name: "stack-4", line: "four boxes on each other", make: || stack(4) },
    Named { name: "stack-16", line: "sixteen boxes on each other", make: || stack(16) },
    Named { name: "arch", line: "nine stones without mortar", make: arch },
    Named { name: "cluster-drop-32", line: "thirty-two boxes fall on a heap", make: cluster_drop },
    Named { name: "heavy-on-light-10", line: "10 kg on 1 kg", make: || heavy_on_light(10.0) },
    Named {
        name: "heavy-on-light-100",
        line: "100 kg on 1 kg: plain sweeps let it sink in",
        make: || heavy_on_light(100.0),
    },
    Named {
        name: "heavy-on-light-1000",
        line: "1000 kg on 1 kg: plain sweeps let it fall; --sweeps 5000 holds it",
        make: || heavy_on_light(1000.0),
    },
    Named { name: "newtons-cradle", line: "one ball in, one ball out, through a row of five", make: newtons_cradle },
    Named { name: "domino-row", line: "ten dominoes", make: domino_row },
    Named { name: "billiard-break", line: "a cue ball opens a rack of fifteen", make: billiard_break },
    Named {
        name: "ball-rolls-out",
        line: "a ball rolls at 2 m/s until rolling friction stops it",
        make: ball_rolls_out,
    },
    Named { name: "ball-spins-down", line: "a ball spins on the spot until torsion stops it", make: ball_spins_down },
    Named {
        name: "sled-on-runners",
        line: "a sled is pushed at an angle to its runners and follows them: friction 0.7 across, 0.1 along",
        make: sled_on_runners,
    },
    Named { name: "pendulum", line: "a rod swings from a hinge, level at the start", make: pendulum },
    Named { name: "chain", line: "ten links on ball joints swing, level at the start", make: chain },
    Named {
        name: "bridge",
        line: "forty planks on hinges between two abutments; five boxes fall on them",
        make: bridge,
    },
    Named { name: "ragdoll", line: "a body of eleven parts falls down stairs", make: ragdoll },
    Named { name: "car", line: "four wheels with motors drive over a ramp", make: car },
    Named { name: "arm", line: "an arm with motors pushes a stack of eight", make: arm },
];

/// The scene of a name.
pub fn find(name: &str) -> Option<Scene> {
    ALL.iter().find(|named| named.name == name).map(Named::scene)
}

pub(super) fn empty(seconds: f64) -> Scene {
    Scene {
        gravity: [0.0, 0.0, -9.81],
        dt: FRAME,
        seconds,
        substeps: recommended_substeps(),
        settings: SceneSettings::default(),
        bodies: Vec::new(),
        joints: Vec::new(),
    }
}

/// A body of a shape and a mass at rest at the origin.
pub(super) fn body(name: &str, shape: Shape, mass: f64, mu: f64, restitution: f64) -> SceneBody {
    SceneBody { name: name.into(), restitution, ..SceneBody::new(shape, mass, mu) }
}

fn cube(name: &str, mass: f64, mu: f64, restitution: f64) -> SceneBody {
    body(name, Shape::Box { half_extents: [HALF_SIDE; 3] }, mass, mu, restitution)
}

pub(super) fn ball(name: &str, radius: f64, mass: f64, mu: f64, restitution: f64) -> SceneBody {
    body(name, Shape::Sphere { radius }, mass, mu, restitution)
}

fn plane(name: &str, normal: [f64; 3], mu: f64, restitution: f64) -> SceneBody {
    SceneBody { fixed: true, mass: None, ..body(name, Shape::HalfSpace { normal }, 1.0, mu, restitution) }
}

pub(super) fn floor(mu: f64, restitution: f64) -> SceneBody {
    plane("floor", [0.0, 0.0, 1.0], mu, restitution)
}

/// w, x, y, z of a rotation by degrees about an axis of the world.
pub(super) fn rotation(axis: usize, degrees: f64) -> [f64; 4] {
    let half = 0.5 * degrees.to_radians();
    let mut q = [half.cos(), 0.0, 0.0, 0.0];
    q[axis + 1] = half.sin();
    q
}

fn slide(speed: f64, degrees: f64) -> Scene {
    let angle = degrees.to_radians();
    let linear = [speed * angle.cos(), speed * angle.sin(), 0.0];
    // Long enough to stop.
    let mut scene = empty((speed / (FRICTION * 9.81) + 1.0).ceil());
    let position = [0.0, 0.0, HALF_SIDE];
    scene.bodies = vec![floor(FRICTION, 0.0), SceneBody { position, linear, ..cube("cube", MASS, FRICTION, 0.0) }];
    scene
}

fn bounce_then_slide() -> Scene {
    let mut scene = empty(5.0);
    let thrown = SceneBody { position: [0.0, 0.0, 1.5], linear: [4.0, 3.0, 0.0], ..cube("cube", 1.0, 0.5, 0.5) };
    scene.bodies = vec![floor(0.5, 0.5), thrown];
    scene
}

fn ramp(degrees: f64, mu: f64) -> Scene {
    let angle = degrees.to_radians();
    let normal = [angle.sin(), 0.0, angle.cos()];
    let mut scene = empty(3.0);
    let position = normal.map(|n| 0.5 * n);
    let lying = SceneBody { position, orientation: rotation(1, degrees), ..cube("cube", 1.0, mu, 0.0) };
    scene.bodies = vec![plane("ramp", normal, mu, 0.0), lying];
    scene
}

fn flight_to_slide() -> Scene {
    let mut scene = empty(4.0);
    let flying = SceneBody { position: [0.0, 0.0, 1.0], linear: [5.0, 0.0, 0.0], ..cube("cube", 1.0, 0.3, 0.0) };
    scene.bodies = vec![floor(0.3, 0.0), flying];
    scene
}

fn tumbling_slide() -> Scene {
    let mut scene = empty(5.0);
    let thrown = SceneBody {
        position: [0.0, 0.0, 1.0],
        linear: [6.0, 2.0, -1.0],
        angular: [3.0, -4.0, 1.0],
        ..cube("cube", 2.0, 0.5, 0.0)
    };
    scene.bodies = vec![floor(0.5, 0.0), thrown];
    scene
}

fn head_on(left: f64, right: f64, restitution: f64) -> Scene {
    let mut scene = empty(2.0);
    scene.gravity = [0.0; 3];
    scene.bodies = vec![
        SceneBody { position: [-2.0, 0.0, 0.0], linear: [2.0, 0.0, 0.0], ..ball("left", 0.5, left, 0.3, restitution) },
        SceneBody {
            position: [2.0, 0.0, 0.0],
            linear: [-1.0, 0.0, 0.0],
            ..ball("right", 0.5, right, 0.3, restitution)
        },
    ];
    scene
}

/// A ball whose lowest point is at a height.
fn drop_ball(height: f64, restitution: f64, angular: [f64; 3]) -> Scene {
    let mut scene = empty(5.0);
    let falling =
        SceneBody { position: [0.0, 0.0, height + 0.25], angular, ..ball("ball", 0.25, 1.0, 0.5, restitution) };
    scene.bodies = vec![floor(0.5, restitution), falling];
    scene
}

fn rocking_cube() -> Scene {
    let mut scene = empty(3.0);
    let tilt = 15f64.to_radians();
    let position = [0.0, 0.0, 0.5 * (tilt.cos() + tilt.sin())];
    scene.bodies =
        vec![floor(0.8, 0.3), SceneBody { position, orientation: rotation(1, 15.0), ..cube("cube", 1.0, 0.8, 0.3) }];
    scene
}

fn free_space_cube() -> Scene {
    let mut scene = empty(2.0);
    scene.gravity = [0.0; 3];
    // 30° about y, then 20° about x.
    let (a, b) = (rotation(1, 30.0), rotation(0, 20.0));
    let orientation = [b[0] * a[0], b[1] * a[0], b[0] * a[2], b[1] * a[2]];
    let flying =
        SceneBody { position: [0.0, 0.0, 1.5], orientation, linear: [0.5, 0.0, -2.0], ..cube("cube", 1.0, 0.0, 1.0) };
    scene.bodies = vec![plane("wall", [0.0, 0.0, 1.0], 0.0, 1.0), flying];
    scene
}

fn glancing_hit() -> Scene {
    let mut scene = empty(2.0);
    scene.gravity = [0.0; 3];
    scene.bodies = vec![
        SceneBody { position: [-2.0, 0.4, 0.0], linear: [3.0, 0.0, 0.0], ..ball("left", 0.5, 1.0, 0.4, 0.5) },
        SceneBody { position: [1.0, -0.4, 0.0], ..ball("right", 0.5, 1.0, 0.4, 0.5) },
    ];
    scene
}

fn stack(count: usize) -> Scene {
    let mut scene = empty(10.0);
    scene.bodies.push(floor(FRICTION, 0.0));
    for i in 0..count {
        let position = [0.0, 0.0, HALF_SIDE * (2 * i + 1) as f64];
        scene.bodies.push(SceneBody { position, ..cube(&format!("box {}", i + 1), MASS, FRICTION, 0.0) });
    }
    scene
}

fn arch() -> Scene {
    const STONES: usize = 9;
    let mut scene = empty(5.0);
    scene.bodies.push(floor(0.8, 0.0));
    let step = std::f64::consts::PI / STONES as f64;
    for i in 0..STONES {
        let mut points = Vec::new();
        // A gap of a tenth of a millimetre between stones: with touching faces the detector could choose any axis.
        for angle in [step * i as f64 + 5e-5, step * (i + 1) as f64 - 5e-5] {
            for radius in [1.0, 1.5] {
                points.extend([-0.3, 0.3].map(|y| [radius * angle.cos(), y, radius * angle.sin()]));
            }
        }
        scene.bodies.push(body(&format!("stone {}", i + 1), Shape::Convex { points }, 1.0, 0.8, 0.0));
    }
    scene
}

fn cluster_drop() -> Scene {
    let mut scene = empty(5.0);
    scene.bodies.push(floor(0.5, 0.1));
    for i in 0..32 {
        let (layer, place) = (i / 4, i % 4);
        // A fixed scatter, so that no box falls straight down.
        let wobble = |k: usize| ((i * 7 + k * 13) % 11) as f64 / 11.0 - 0.5;
        let position = [
            (place % 2) as f64 * 0.9 - 0.45 + 0.3 * wobble(0),
            (place / 2) as f64 * 0.9 - 0.45 + 0.3 * wobble(1),
            1.0 + layer as f64 * 0.8,
        ];
        let half_extents = [0.25, 0.2 + 0.05 * ((i % 3) as f64), 0.2];
        let shape = Shape::Box { half_extents };
        let orientation = rotation(i % 3, 40.0 * wobble(2));
        scene.bodies.push(SceneBody { position, orientation, ..body(&format!("box {}", i + 1), shape, 1.0, 0.5, 0.1) });
    }
    scene
}

fn heavy_on_light(ratio: f64) -> Scene {
    let mut scene = empty(10.0);
    scene.bodies = vec![
        floor(0.5, 0.0),
        SceneBody { position: [0.0, 0.0, 0.5], ..cube("light", 1.0, 0.5, 0.0) },
        SceneBody { position: [0.0, 0.0, 1.5], ..cube("heavy", ratio, 0.5, 0.0) },
    ];
    scene
}

fn newtons_cradle() -> Scene {
    let mut scene = empty(2.0);
    scene.gravity = [0.0; 3];
    // Gaps wider than the motion in a step: every impact is separate, as with real balls.
    for i in 0..5 {
        let x = if i == 0 { -1.0 } else { 0.23 * i as f64 };
        let linear = if i == 0 { [1.0, 0.0, 0.0] } else { [0.0; 3] };
        scene.bodies.push(SceneBody {
            position: [x, 0.0, 0.0],
            linear,
            ..ball(&format!("ball {}", i + 1), 0.1, 1.0, 0.0, 1.0)
        });
    }
    scene
}

fn domino_row() -> Scene {
    let mut scene = empty(5.0);
    scene.dt = 1.0 / 120.0;
    scene.bodies.push(floor(0.6, 0.0));
    for i in 0..10 {
        let shape = Shape::Box { half_extents: [0.05, 0.25, 0.5] };
        let position = [0.4 * i as f64, 0.0, 0.5];
        let (linear, angular) = if i == 0 { ([1.0, 0.0, 0.0], [0.0, 2.0, 0.0]) } else { ([0.0; 3], [0.0; 3]) };
        let stone = body(&format!("domino {}", i + 1), shape, 0.5, 0.4, 0.0);
        scene.bodies.push(SceneBody { position, linear, angular, ..stone });
    }
    scene
}

fn billiard_break() -> Scene {
    let mut scene = empty(4.0);
    scene.dt = 1.0 / 240.0;
    let (radius, mass) = (0.0286, 0.17);
    scene.bodies.push(floor(0.2, 0.0));
    let cue = ball("cue", radius, mass, 0.2, 0.95);
    scene.bodies.push(SceneBody { position: [-1.0, 0.003, radius], linear: [6.0, 0.0, 0.0], ..cue });
    let mut number = 0;
    for row in 0..5 {
        for place in 0..=row {
            number += 1;
            let x = row as f64 * radius * 3f64.sqrt() * 1.001;
            let y = (2.0 * place as f64 - row as f64) * radius * 1.001;
            let object = ball(&format!("ball {number}"), radius, mass, 0.2, 0.95);
            scene.bodies.push(SceneBody { position: [x, y, radius], ..object });
        }
    }
    scene
}
