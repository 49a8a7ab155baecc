//! Jointed scenes in Rapier (in this process) and in Bullet (`peers/joints.cpp`, compiled for this machine).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rapier3d::math::{Pose, Rotation, Vector};
use rapier3d::prelude::{
    BroadPhaseBvh, CCDSolver, ColliderSet, ImpulseJointSet, IntegrationParameters, IslandManager, MassProperties,
    MultibodyJointSet, NarrowPhase, PhysicsPipeline, RevoluteJointBuilder, RigidBody, RigidBodyBuilder,
    RigidBodyHandle, RigidBodySet, SoftBodySet,
};
use stiction_cli::rig::world::BodyState;

use crate::joint_scenes::{Engine, JointScene, Step};

/// Rapier in single precision, one thread.
#[derive(Debug, Clone, Copy)]
pub struct Rapier {
    /// Reduced coordinates instead of impulses; without their default damping.
    pub multibody: bool,
    /// `num_solver_iterations`: substeps of a step.
    pub iterations: usize,
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn state(body: &RigidBody) -> BodyState {
    let wide = |v: Vector| Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let [x, y, z, w] = body.rotation().to_array().map(f64::from);
    BodyState {
        position: wide(body.translation()),
        orientation: UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)),
        linear: wide(body.linvel()),
        angular: wide(body.angvel()),
    }
}

/// A scene in Rapier.
struct Mechanism {
    bodies: RigidBodySet,
    handles: Vec<RigidBodyHandle>,
    impulse: ImpulseJointSet,
    multibody: MultibodyJointSet,
}

impl Mechanism {
    fn new(scene: &JointScene, multibody: bool) -> Result<Self, String> {
        let mut new = Mechanism {
            bodies: RigidBodySet::new(),
            handles: Vec::new(),
            impulse: ImpulseJointSet::new(),
            multibody: MultibodyJointSet::new(),
        };
        let mut above = (new.bodies.insert(RigidBodyBuilder::fixed()), Vector3::zeros());
        for (i, body) in scene.bodies().iter().enumerate() {
            let [x, y, z, w] = body.orientation.coords.map(|part| part as f32).into();
            let pose = Pose::from_parts(vector(&body.position), Rotation::from_xyzw(x, y, z, w));
            let inertia = vector(&Vector3::from(scene.inertia(i)));
            let mass = MassProperties::new(Vector::ZERO, scene.rods[i].mass as f32, inertia);
            let built = RigidBodyBuilder::dynamic().pose(pose).additional_mass_properties(mass).can_sleep(false);
            let handle = new.bodies.insert(built);
            let [upper, lower] = scene.anchors(i);
            let anchors = RevoluteJointBuilder::new(Vector::Z).local_anchor1(vector(&above.1));
            let mut joint = anchors.local_anchor2(vector(&upper)).build();
            // A multibody begins with all its coordinates zero, so zero must be the angle at the start.
            let bend = scene.angles[i] - if i == 0 { 0.0 } else { scene.angles[i - 1] };
            let frame = &mut joint.data.local_frame1.rotation;
            *frame = Rotation::from_rotation_z(bend as f32) * *frame;
            if multibody {
                let inserted =
                    new.multibody.insert(above.0, handle, joint, true).ok_or("a joint that Rapier rejects")?;
                // Damped by default.
                if let Some((all, _)) = new.multibody.get_mut(inserted) {
                    all.damping_mut().fill(0.0);
                }
            } else {
                new.impulse.insert(above.0, handle, joint, true);
            }
            new.handles.push(handle);
            above = (handle, lower);
        }
        Ok(new)
    }
}

impl Engine for Rapier {
    fn name(&self) -> String {
        format!("Rapier {} {}", if self.multibody { "multibody" } else { "impulse" }, self.iterations)
    }

    fn run(&self, scene: &JointScene, dt: f64, steps: usize) -> Result<Vec<Step>, String> {
        let mut world = Mechanism::new(scene, self.multibody)?;
        let default = IntegrationParameters::default();
        let parameters = IntegrationParameters { dt: dt as f32, num_solver_iterations: self.iterations, ..default };
        let gravity = vector(&Vector3::new(0.0, -scene.gravity, 0.0));
        let (mut pipeline, mut islands) = (PhysicsPipeline::new(), IslandManager::new());
        let (mut broad, mut narrow) = (BroadPhaseBvh::new(), NarrowPhase::new());
        let (mut colliders, mut soft, mut ccd) = (ColliderSet::new(), SoftBodySet::new(), CCDSolver::new());
        let mut one = || {
            let start = Instant::now();
            pipeline.step(
                gravity,
                &parameters,
                &mut islands,
                &mut broad,
                &mut narrow,
                &mut world.bodies,
                &mut colliders,
                &mut world.impulse,
                &mut world.multibody,
                &mut soft,
                &mut ccd,
                &(),
                &(),
            );
            let nanoseconds = start.elapsed().as_nanos() as f64;
            let bodies = world.handles.iter().filter_map(|handle| world.bodies.get(*handle)).map(state).collect();
            Step { bodies, nanoseconds }
        };
        Ok((0..steps).map(|_| one()).collect())
    }
}

/// Bullet's ways to join bodies; the words are those of `peers/joints.cpp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `btHingeConstraint`, sequential impulses.
    Hinge,
    /// `btPoint2PointConstraint`, sequential impulses.
    Point,
    /// `btHingeConstraint`, nonsmooth nonlinear conjugate gradients.
    Nncg,
    /// `btHingeConstraint`, Dantzig's method: a direct solve.
    Dantzig,
    /// `btMultiBody`, reduced coordinates.
    Multibody,
}

impl Method {
    fn word(self) -> &'static str {
        match self {
            Method::Hinge => "hinge",
            Method::Point => "point",
            Method::Nncg => "nncg",
            Method::Dantzig => "dantzig",
            Method::Multibody => "multibody",
        }
    }
}

/// Bullet, compiled.
#[derive(Debug, Clone)]
pub struct Bullet {
    program: PathBuf,
    /// How bodies are joined.
    pub method: Method,
    /// `m_numIterations` of iterative methods.
    pub iterations: usize,
    precision: &'static str,
}

impl Bullet {
    /// Compiles it in single or double precision; the error says why that failed.
    pub fn compile(double: bool) -> Result<Self, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = here.join("../target/peers");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (precision, suffix) = if double { ("f64", "-float64") } else { ("f32", "") };
        let program = folder.join(format!("joints-{precision}"));
        let mut command = Command::new("c++");
        command.args(["-std=c++17", "-O3", "-march=native", "-Wall", "-Wextra", "-isystem", "/usr/include/bullet"]);
        if double {
            command.arg("-DBT_USE_DOUBLE_PRECISION");
        }
        command.arg(here.join("peers/joints.cpp")).arg("-o").arg(&program);
        let libraries = ["BulletDynamics", "BulletCollision", "LinearMath"];
        command.args(libraries.map(|library| format!("-l{library}{suffix}")));
        let output = command.output().map_err(|error| format!("no C++ compiler: c++: {error}"))?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_string();
            return Err(format!("c++ (libbullet-dev is needed): {words}"));
        }
        Ok(Bullet { program, method: Method::Hinge, iterations: 10, precision })
    }

    /// The same with another method and number of iterations.
    #[must_use]
    pub fn with(&self, method: Method, iterations: usize) -> Self {
        Bullet { method, iterations, ..self.clone() }
    }
}

/// A line for each rod: mass, inertia, length, centre of mass, angle.
fn written(scene: &JointScene) -> String {
    let line = |i: usize| {
        let (rod, [x, y, z]) = (&scene.rods[i], scene.inertia(i));
        format!("{} {x} {y} {z} {} {} {}\n", rod.mass, rod.length, rod.centre, scene.angles[i])
    };
    (0..scene.len()).map(line).collect()
}

/// A step from a line: its time, then 13 numbers for each body.
fn read(line: &str) -> Result<Step, String> {
    let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers = numbers.map_err(|error| format!("Bullet's table: {error}"))?;
    let (nanoseconds, rest) = numbers.split_first().ok_or("Bullet's table: an empty line")?;
    let body = |part: &[f64]| BodyState {
        position: Vector3::new(part[0], part[1], part[2]),
        orientation: UnitQuaternion::new_normalize(Quaternion::new(part[3], part[4], part[5], part[6])),
        linear: Vector3::new(part[7], part[8], part[9]),
        angular: Vector3::new(part[10], part[11], part[12]),
    };
    Ok(Step { bodies: rest.chunks_exact(13).map(body).collect(), nanoseconds: *nanoseconds })
}

impl Engine for Bullet {
    fn name(&self) -> String {
        match self.method {
            Method::Dantzig | Method::Multibody => format!("Bullet {} {}", self.precision, self.method.word()),
            _ => format!("Bullet {} {} {}", self.precision, self.method.word(), self.iterations),
        }
    }

    fn run(&self, scene: &JointScene, dt: f64, steps: usize) -> Result<Vec<Step>, String> {
        let failed = |error: std::io::Error| format!("Bullet: {error}");
        let mut child = Command::new(&self.program)
            .args([self.method.word(), &self.iterations.to_string(), &dt.to_string(), &steps.to_string()])
            .args([scene.gravity.to_string(), scene.len().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut input = child.stdin.take().ok_or("Bullet: no input")?;
        input.write_all(written(scene).as_bytes()).map_err(failed)?;
        drop(input);
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            return Err(format!("Bullet: {}", output.status));
        }
        String::from_utf8_lossy(&output.stdout).lines().map(read).collect()
    }
}
