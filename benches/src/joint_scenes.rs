//! Jointed scenes for all engines, and a judge that sees only the bodies' states.
//!
//! All scenes are chains of rods in the plane of `x` and `y`, with gravity along `−y` and hinges about `z`, released at
//! rest; the oracle is `stiction_testkit::reduced::Chain`. Engines simulate them in space. A body's origin is its centre
//! of mass, and its own `y` axis points from its lower hinge to its upper hinge.

use nalgebra::{UnitQuaternion, Vector3};
use stiction_cli::rig::world::BodyState;
use stiction_testkit::reduced::{Chain, ChainState, Rod};

/// Samples of the oracle in a second: a multiple of every number of steps in a second.
pub const SAMPLES: usize = 240;
/// Beyond this difference in rad from an integration with other steps, the oracle is not used.
const TRUSTED: f64 = 1e-5;

/// A chain of rods; what any engine needs to build it.
#[derive(Debug, Clone)]
pub struct JointScene {
    /// In tables.
    pub name: &'static str,
    /// From the origin on. `inertia` is about `z`, and the same about the body's own `x`.
    pub rods: Vec<Rod>,
    /// About each body's own `y` axis, kg m². In the plane nothing depends on it.
    pub axial: Vec<f64>,
    /// Absolute angles at the start from hanging down, about `+z`, rad.
    pub angles: Vec<f64>,
    /// Along `−y`, m/s².
    pub gravity: f64,
    /// Duration, s.
    pub seconds: usize,
}

/// A step of an engine.
#[derive(Debug, Clone)]
pub struct Step {
    /// Where it ends; `position` is the centre of mass.
    pub bodies: Vec<BodyState>,
    /// Wall time.
    pub nanoseconds: f64,
}

/// An engine with its settings. Our own solver can be one more.
pub trait Engine {
    /// In tables.
    fn name(&self) -> String;
    /// So many steps of `dt` s from the scene's start.
    ///
    /// # Errors
    /// A line that says what is missing or what went wrong.
    fn run(&self, scene: &JointScene, dt: f64, steps: usize) -> Result<Vec<Step>, String>;
}

/// The judge's figures for a step.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Largest distance between the anchors of a joint, m.
    pub joint_error: f64,
    /// Angles about `z`, between −π and π, rad.
    pub angles: Vec<f64>,
    /// Centres of mass, m.
    pub centres: Vec<Vector3<f64>>,
    /// J; zero potential with all centres of mass at the origin's height.
    pub energy: f64,
    /// Wall time.
    pub nanoseconds: f64,
    /// Largest distance of a centre of mass from the oracle's, m; none where chaos has reached the oracle.
    pub error: Option<f64>,
}

impl JointScene {
    /// A scene of so many uniform rods with a square section, a tenth as wide as they are long.
    fn uniform(name: &'static str, rods: Vec<Rod>, angles: Vec<f64>) -> Self {
        let axial = rods.iter().map(|rod| rod.mass * (0.1 * rod.length).powi(2) / 6.0).collect();
        JointScene { name, rods, axial, angles, gravity: 9.81, seconds: 4 }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.rods.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.rods.is_empty()
    }

    /// Principal inertia of a body about its own axes, kg m².
    pub fn inertia(&self, body: usize) -> [f64; 3] {
        [self.rods[body].inertia, self.axial[body], self.rods[body].inertia]
    }

    /// Upper and lower hinge of a body in its own axes, m from its centre of mass.
    pub fn anchors(&self, body: usize) -> [Vector3<f64>; 2] {
        let rod = &self.rods[body];
        [Vector3::new(0.0, rod.centre, 0.0), Vector3::new(0.0, rod.centre - rod.length, 0.0)]
    }

    /// All bodies at the start.
    pub fn bodies(&self) -> Vec<BodyState> {
        let centres = self.chain().centres(&self.angles);
        let body = |(centre, angle): (nalgebra::Vector2<f64>, &f64)| BodyState {
            position: Vector3::new(centre.x, centre.y, 0.0),
            orientation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), *angle),
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        };
        centres.into_iter().zip(&self.angles).map(body).collect()
    }

    /// The oracle's mechanism.
    pub fn chain(&self) -> Chain {
        Chain::new(&self.rods, self.gravity)
    }

    /// Energy of all bodies, J.
    pub fn energy(&self, bodies: &[BodyState]) -> f64 {
        let of_body = |(i, body): (usize, &BodyState)| {
            let spin = body.orientation.inverse() * body.angular;
            let turning = spin.component_mul(&spin).dot(&Vector3::from(self.inertia(i)));
            let mass = self.rods[i].mass;
            0.5 * (mass * body.linear.norm_squared() + turning) + mass * self.gravity * body.position.y
        };
        bodies.iter().enumerate().map(of_body).sum()
    }

    /// Energy to lift the chain from hanging to horizontal, J: the unit of energy errors.
    pub fn energy_scale(&self) -> f64 {
        -self.chain().energy(&ChainState::at_rest(&vec![0.0; self.len()]))
    }

    /// Largest distance between the anchors of a joint, m.
    pub fn joint_error(&self, bodies: &[BodyState]) -> f64 {
        let (mut above, mut largest) = (Vector3::zeros(), 0.0_f64);
        for (i, body) in bodies.iter().enumerate() {
            let [upper, lower] = self.anchors(i).map(|anchor| body.position + body.orientation * anchor);
            let apart = (upper - above).norm();
            // A comparison would lose a state that is not a number.
            largest = if apart.is_nan() { f64::INFINITY } else { largest.max(apart) };
            above = lower;
        }
        largest
    }

    /// The oracle's states after each sample, with their uncertainty in rad.
    pub fn oracle(&self) -> Vec<(ChainState, f64)> {
        self.chain().sampled(&ChainState::at_rest(&self.angles), 1.0 / SAMPLES as f64, self.seconds * SAMPLES)
    }

    /// Judges all steps of `1/rate` s; `oracle` is from [`Self::oracle`].
    pub fn judge(&self, steps: &[Step], rate: usize, oracle: &[(ChainState, f64)]) -> Vec<Sample> {
        let every = SAMPLES / rate;
        let exact = oracle.chunks_exact(every).filter_map(|chunk| chunk.last());
        let chain = self.chain();
        let judged = |(step, (exact, uncertainty)): (&Step, &(ChainState, f64))| {
            let centres: Vec<_> = step.bodies.iter().map(|body| body.position).collect();
            let apart = |(is, should): (&Vector3<f64>, nalgebra::Vector2<f64>)| {
                let distance = (is - Vector3::new(should.x, should.y, 0.0)).norm();
                if distance.is_nan() { f64::INFINITY } else { distance }
            };
            let error = centres.iter().zip(chain.centres(&exact.angles)).map(apart).fold(0.0, f64::max);
            Sample {
                joint_error: self.joint_error(&step.bodies),
                angles: step.bodies.iter().map(|body| angle(&body.orientation)).collect(),
                energy: self.energy(&step.bodies),
                nanoseconds: step.nanoseconds,
                error: (*uncertainty <= TRUSTED).then_some(error),
                centres,
            }
        };
        steps.iter().zip(exact).map(judged).collect()
    }
}

/// The angle about `z`.
fn angle(orientation: &UnitQuaternion<f64>) -> f64 {
    let turned = orientation * Vector3::x();
    turned.y.atan2(turned.x)
}

/// A rod of 1 m and 1 kg on a hinge at its end.
pub fn pendulum(name: &'static str, amplitude: f64) -> JointScene {
    JointScene::uniform(name, vec![Rod::uniform(1.0, 1.0)], vec![amplitude])
}

/// Links of 0.1 m and 1 kg with a ball of 1000 kg at the end, in a straight line.
pub fn loaded(name: &'static str, links: usize, angle: f64) -> JointScene {
    let (mass, radius) = (1000.0, 0.2);
    let mut scene = JointScene::uniform(name, vec![Rod::uniform(1.0, 0.1); links], vec![angle; links + 1]);
    let inertia = 0.4 * mass * radius * radius;
    scene.rods.push(Rod { mass, length: 2.0 * radius, centre: radius, inertia });
    scene.axial.push(inertia);
    scene
}

/// All scenes.
pub fn all() -> Vec<JointScene> {
    let horizontal = std::f64::consts::FRAC_PI_2;
    vec![
        pendulum("pendulum 10 degrees", 10.0_f64.to_radians()),
        pendulum("pendulum 90 degrees", horizontal),
        pendulum("pendulum 170 degrees", 170.0_f64.to_radians()),
        JointScene::uniform("double pendulum", vec![Rod::uniform(1.0, 1.0); 2], vec![horizontal; 2]),
        JointScene::uniform("chain of 10", vec![Rod::uniform(0.1, 0.1); 10], vec![horizontal; 10]),
        loaded("20 links and 1000:1 hanging", 20, 0.0),
        // Links under tension vibrate at up to 2 √(tension/(mass length)), here near 600 rad/s. The straight chain hides it.
        loaded("20 links and 1000:1 at 1 degree", 20, 1.0_f64.to_radians()),
        loaded("20 links and 1000:1 swung", 20, horizontal),
    ]
}
