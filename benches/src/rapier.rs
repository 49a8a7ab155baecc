//! The peer that a user would pick instead: Rapier, single-threaded, its solver timed by its own counters.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rapier3d::math::{Pose, Rotation, Vector};
use rapier3d::prelude::{
    BroadPhaseBvh, CCDSolver, ColliderBuilder, ColliderSet, ImpulseJointSet, IntegrationParameters, IslandManager,
    MultibodyJointSet, NarrowPhase, PhysicsPipeline, RigidBodyBuilder, RigidBodyHandle, RigidBodySet, SoftBodySet,
};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::shape::Shape;
use stiction_cli::rig::world::BodyState;

use crate::engines::{Judge, Run};
use crate::frame_scenes::Named;

/// A scene in Rapier.
struct Rapier {
    pipeline: PhysicsPipeline,
    parameters: IntegrationParameters,
    gravity: Vector,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    soft: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

fn vector(v: &[f64; 3]) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

impl Rapier {
    fn new(scene: &Scene, iterations: usize) -> Result<Self, String> {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut handles = Vec::new();
        for body in &scene.bodies {
            let [w, x, y, z] = body.orientation.map(|part| part as f32);
            let pose = Pose::from_parts(vector(&body.position), Rotation::from_xyzw(x, y, z, w));
            let builder = match (body.fixed, body.linear == [0.0; 3]) {
                (true, true) => RigidBodyBuilder::fixed(),
                (true, false) => RigidBodyBuilder::kinematic_velocity_based(),
                (false, _) => RigidBodyBuilder::dynamic(),
            };
            // Sleeping is off: a sleeping solver measures nothing.
            let built = builder.pose(pose).linvel(vector(&body.linear)).angvel(vector(&body.angular)).can_sleep(false);
            let handle = bodies.insert(built.build());
            let collider = match &body.shape {
                Shape::Box { half_extents: [x, y, z] } => ColliderBuilder::cuboid(*x as f32, *y as f32, *z as f32),
                Shape::HalfSpace { normal } => {
                    ColliderBuilder::halfspace(rapier3d::na::Unit::new_unchecked(vector(normal).normalize()))
                }
                Shape::Sphere { radius } => ColliderBuilder::ball(*radius as f32),
                Shape::Capsule { half_height, radius } => {
                    ColliderBuilder::capsule_z(*half_height as f32, *radius as f32)
                }
                Shape::Cylinder { half_height, radius } => {
                    ColliderBuilder::cylinder(*half_height as f32, *radius as f32)
                }
                Shape::Convex { points } => {
                    let points: Vec<_> = points.iter().map(vector).collect();
                    ColliderBuilder::convex_hull(&points).ok_or("points without a convex hull")?
                }
            };
            let collider = collider.friction(body.mu as f32).restitution(body.restitution as f32);
            let collider = if let Some(mass) = body.mass { collider.mass(mass as f32) } else { collider };
            colliders.insert_with_parent(collider.build(), handle, &mut bodies);
            handles.push(handle);
        }
        let parameters = IntegrationParameters {
            dt: scene.dt as f32,
            num_solver_iterations: iterations,
            ..IntegrationParameters::default()
        };
        let mut pipeline = PhysicsPipeline::new();
        pipeline.counters.enable();
        Ok(Rapier {
            pipeline,
            parameters,
            gravity: vector(&scene.gravity),
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies,
            colliders,
            joints: ImpulseJointSet::new(),
            multibodies: MultibodyJointSet::new(),
            soft: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles,
        })
    }

    /// Lets what acts on single bodies in a frame act.
    fn act(&mut self, named: &Named, frame: usize) {
        let narrow = |v: Vector3<f64>| vector(&[v.x, v.y, v.z]);
        if let Some((body, velocity)) = named.kick(frame)
            && let Some(body) = self.bodies.get_mut(self.handles[body])
        {
            body.set_linvel(body.linvel() + narrow(velocity), true);
        }
        if let Some((body, force)) = named.push(frame as f64 * named.scene.dt)
            && let Some(body) = self.bodies.get_mut(self.handles[body])
        {
            body.reset_forces(true);
            body.add_force(narrow(force), true);
        }
    }

    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.soft,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn states(&self) -> Vec<BodyState> {
        let wide = |v: Vector| Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
        (self.handles.iter().filter_map(|handle| self.bodies.get(*handle)))
            .map(|body| {
                let [x, y, z, w] = body.rotation().to_array().map(f64::from);
                BodyState {
                    position: wide(body.translation()),
                    orientation: UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)),
                    linear: wide(body.linvel()),
                    angular: wide(body.angvel()),
                }
            })
            .collect()
    }
}

/// Runs a scene with so many solver iterations.
pub fn rapier(named: &Named, iterations: usize) -> Result<Run, String> {
    let scene = &named.scene;
    let frames = scene.frames()? as usize;
    let mut peer = Rapier::new(scene, iterations)?;
    let mut judge = Judge::new(scene, frames)?;
    let (mut nanoseconds, mut contacts) = (0.0, 0.0);
    for frame in 0..frames {
        peer.gravity = vector(&named.gravity(frame));
        peer.act(named, frame);
        peer.step();
        nanoseconds += 1e6 * peer.pipeline.counters.stages.solver_time.time_ms() / frames as f64;
        contacts += peer.pipeline.counters.solver.ncontacts as f64 / frames as f64;
        judge.look(&peer.states());
    }
    let verdict = judge.close(&peer.states());
    Ok(Run { nanoseconds, contacts, iterations: iterations as f64, ..verdict })
}
