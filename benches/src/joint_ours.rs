//! Jointed scenes in this solver.

use std::time::Instant;

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use stiction::{JointAxis, JointKind, Jointed, Pipeline, Real, RigidBody, StepSettings, World};
use stiction_cli::rig::world::BodyState;

use crate::joint_scenes::{Engine, JointScene, Step};

/// Bodies and joints at the most.
const CAPACITY: usize = 24;
/// Blocks of the factor.
const BLOCKS: usize = 48;

type Rows = Jointed<CAPACITY>;

/// This solver with its default settings but for the number of substeps.
#[derive(Debug, Clone, Copy)]
pub struct Ours {
    /// Double precision.
    pub double: bool,
    /// Whether it has memory for a factor of all joints.
    pub has_factor: bool,
    /// Equal parts of a step.
    pub substeps: u32,
}

impl Engine for Ours {
    fn name(&self) -> String {
        let (precision, method) =
            (if self.double { "f64" } else { "f32" }, if self.has_factor { "factor" } else { "sweeps" });
        format!("ours {precision} {method} {}", self.substeps)
    }

    fn run(&self, scene: &JointScene, dt: f64, steps: usize) -> Result<Vec<Step>, String> {
        match (self.double, self.has_factor) {
            (false, false) => run::<f32, 0>(scene, self.substeps, dt, steps),
            (false, true) => run::<f32, BLOCKS>(scene, self.substeps, dt, steps),
            (true, false) => run::<f64, 0>(scene, self.substeps, dt, steps),
            (true, true) => run::<f64, BLOCKS>(scene, self.substeps, dt, steps),
        }
    }
}

fn vector<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::lit)
}

fn quaternion<T: Real>(q: &UnitQuaternion<f64>) -> UnitQuaternion<T> {
    UnitQuaternion::new_normalize(Quaternion::from_vector(q.coords.map(T::lit)))
}

fn mechanism<T: Real>(scene: &JointScene) -> Result<World<T, CAPACITY, Rows>, String> {
    let mut world = World::empty();
    let said = |error: stiction::InputError<T>| error.to_string();
    let mut above = world.push(RigidBody::fixed()).map_err(said)?;
    let mut hinge = Vector3::zeros();
    for (i, body) in scene.bodies().iter().enumerate() {
        let inertia = Matrix3::from_diagonal(&Vector3::from(scene.inertia(i)).map(T::lit));
        let rod = RigidBody {
            position: vector(&body.position),
            orientation: quaternion(&body.orientation),
            ..RigidBody::from_mass(T::lit(scene.rods[i].mass), inertia)
        };
        let rod = world.push(rod).map_err(said)?;
        let at = vector(&hinge);
        let kind = JointKind::Hinge(JointAxis::FREE);
        world.push_joint(world.joint_between(above, rod, kind, [at, at], Vector3::z())).map_err(said)?;
        hinge = body.position + body.orientation * scene.anchors(i)[1];
        above = rod;
    }
    Ok(world)
}

fn run<T: Real, const NF: usize>(
    scene: &JointScene,
    substeps: u32,
    dt: f64,
    steps: usize,
) -> Result<Vec<Step>, String> {
    let mut world = mechanism::<T>(scene)?;
    let gravity = vector(&Vector3::new(0.0, -scene.gravity, 0.0));
    let settings = StepSettings { gravity, substeps, ..StepSettings::default() };
    let mut pipeline = Box::new(Pipeline::<T, CAPACITY, 1, NF, Rows>::with_factor_memory(settings));
    let mut all = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = Instant::now();
        pipeline.step(&mut world, stiction::manifolds(&[]), T::lit(dt)).map_err(|error| error.to_string())?;
        let nanoseconds = start.elapsed().as_nanos() as f64;
        let bodies = (1..world.len()).filter_map(|body| world.get(body)).map(|body| state(&body)).collect();
        all.push(Step { bodies, nanoseconds });
    }
    Ok(all)
}

fn state<T: Real>(body: &RigidBody<T>) -> BodyState {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    BodyState {
        position: wide(&body.position),
        orientation: UnitQuaternion::new_normalize(Quaternion::from_vector(body.orientation.coords.map(T::to_f64))),
        linear: wide(&body.linear_velocity),
        angular: wide(&body.angular_velocity),
    }
}
