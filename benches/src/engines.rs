//! Scenes over many frames: our step in single precision, timed without collision detection, and a quality measure that
//! is the same for every engine.

use std::time::{Duration, Instant};
use stiction::Hooks;

use crate::frame_scenes::Named;
use nalgebra::{UnitQuaternion, Vector3};
use stiction::Observer;
use stiction::{ContactCollector, Pipeline, Real, RigidBody, World, Wrench};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::world::BodyState;
use stiction_motion::detector::{Detector, Part};
use stiction_motion::pairs;

/// Bodies and contacts that fit every scene here.
const BODIES: usize = 64;
const CONTACTS: usize = 512;
/// The same for the scenes of `frame_scenes`.
const FRAME_BODIES: usize = 80;
const FRAME_CONTACTS: usize = 896;

/// The result of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Run {
    /// Nanoseconds a frame in the solver.
    pub nanoseconds: f64,
    /// Mean number of contact points a frame.
    pub contacts: f64,
    /// Mean number of iterations a frame: our sweeps, or the peer's configured iterations.
    pub iterations: f64,
    /// Deepest penetration in the second half, m.
    pub penetration: f64,
    /// Mean over the second half of the fastest approach at a touching point, m/s.
    pub approach: f64,
    /// How far the worst body is from where the second half began, m; on a belt, as seen from it.
    pub drift: f64,
    /// The same from where the first frame ended, m: whatever fell has a large one.
    pub total: f64,
}

impl Run {
    /// The same with the shorter time of two rounds.
    #[must_use]
    pub fn or_faster(self, other: Option<Self>) -> Self {
        let other = other.unwrap_or(self);
        Run { nanoseconds: self.nanoseconds.min(other.nanoseconds), ..self }
    }
}

/// Measures every frame, in the same way for all engines: from the bodies' states only.
pub struct Judge {
    detector: Detector,
    frames: usize,
    seen: usize,
    first: Vec<BodyState>,
    middle: Vec<BodyState>,
    middle_seen: usize,
    /// Way of a belt in a frame, m.
    belt: Vector3<f64>,
    run: Run,
}

impl Judge {
    /// For a number of frames of a scene.
    pub fn new(scene: &Scene, frames: usize) -> Result<Self, String> {
        Ok(Judge {
            detector: detector(scene)?,
            frames,
            seen: 0,
            first: Vec::new(),
            middle: Vec::new(),
            middle_seen: 0,
            belt: scene.bodies.iter().filter(|body| body.fixed).map(|body| Vector3::from(body.linear) * scene.dt).sum(),
            run: Run::default(),
        })
    }

    /// Measures a frame.
    pub fn look(&mut self, bodies: &[BodyState]) {
        self.seen += 1;
        if self.seen == 1 {
            self.first = bodies.to_vec();
        }
        if 2 * self.seen <= self.frames {
            (self.middle, self.middle_seen) = (bodies.to_vec(), self.seen);
            return;
        }
        let centers: Vec<_> = bodies.iter().map(|body| body.position).collect();
        let orientations: Vec<_> = bodies.iter().map(|body| body.orientation).collect();
        let (mut deepest, mut fastest) = (0.0_f64, 0.0_f64);
        let velocity = |body: &BodyState, at: &Vector3<f64>| body.linear + body.angular.cross(&(at - body.position));
        let detected = self.detector.manifolds::<f64>(&centers, &orientations, 0.0, |manifold| {
            for point in manifold.points.iter().filter(|point| point.depth > 0.0) {
                deepest = deepest.max(point.depth);
                let (a, b) = (&bodies[manifold.a], &bodies[manifold.b]);
                let u = manifold.normal.dot(&(velocity(b, &point.on_b) - velocity(a, &point.on_a)));
                fastest = fastest.max(-u);
            }
            Ok(())
        });
        debug_assert!(detected.is_ok(), "the callback returns no error");
        self.run.penetration = self.run.penetration.max(deepest);
        self.run.approach += fastest / (self.frames - self.frames / 2) as f64;
    }

    /// The result, with the last frame's bodies.
    pub fn close(mut self, bodies: &[BodyState]) -> Run {
        let farthest = |before: &[BodyState], frames: usize| {
            let belt = self.belt * frames as f64;
            let way = |(now, then): (&BodyState, &BodyState)| (now.position - then.position - belt).norm();
            bodies.iter().zip(before).map(way).fold(0.0, f64::max)
        };
        self.run.drift = farthest(&self.middle, self.seen - self.middle_seen);
        self.run.total = farthest(&self.first, self.seen - 1);
        self.run
    }
}

pub(crate) fn detector(scene: &Scene) -> Result<Detector, String> {
    let part = |body: &stiction_cli::rig::scene::SceneBody| {
        let solid = body.shape.solid()?;
        Ok(Part { solid, movable: !body.fixed, endless: body.shape.is_endless() })
    };
    Ok(Detector::new(scene.bodies.iter().map(part).collect::<Result<_, String>>()?, pairs::any))
}

/// Steps a scene of boxes with its own settings, in double precision, and notifies an observer.
pub(crate) fn run(scene: &Scene, frames: usize, sink: &mut dyn Observer<f64>) -> Result<(), String> {
    let mut world = Box::new(World::<f64, BODIES>::new());
    for body in &scene.bodies {
        world.push(body.rigid(&body.shape.solid()?)?).map_err(|error| error.to_string())?;
    }
    let settings = scene.step_settings::<f64>()?;
    let mut pipeline = Box::new(Pipeline::<f64, BODIES, CONTACTS>::new(settings));
    let mut detector = detector(scene)?;
    for _ in 0..frames {
        let touch = |world: &World<f64, BODIES>, collector: &mut ContactCollector<'_, _, BODIES, CONTACTS>| {
            let (positions, orientations) = (world.positions(), world.orientations());
            detector.manifolds(positions, orientations, settings.contact_margin, |manifold| collector.push(manifold))
        };
        pipeline
            .step_with(&mut world, touch, scene.dt, Hooks::with_observer(sink))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Runs a scene with small steps.
pub fn frames(named: &Named, substeps: u32) -> Result<Run, String> {
    let scene = &named.scene;
    let frames = scene.frames()? as usize;
    let mut settings = scene.step_settings::<f32>()?;
    settings.substeps = substeps;
    settings.solver.sweeps = 1;
    let mut world = Box::new(World::<f32, FRAME_BODIES>::new());
    for body in &scene.bodies {
        let rigid = stiction_motion::solid::rounded(&body.rigid(&body.shape.solid()?)?);
        world.push(rigid).map_err(|error| error.to_string())?;
    }
    let mut pipeline = Box::new(Pipeline::<f32, FRAME_BODIES, FRAME_CONTACTS>::new(settings));
    let (mut detector, mut judge) = (detector(scene)?, Judge::new(scene, frames)?);
    let (mut inside, mut sum) = (Duration::ZERO, Run::default());
    let dt = scene.dt as f32;
    for frame in 0..frames {
        pipeline.settings.gravity = Vector3::from(named.gravity(frame)).map(|part| part as f32);
        act(named, frame, &mut world)?;
        let mut found: Vec<stiction::Manifold<f32>> = Vec::with_capacity(FRAME_CONTACTS);
        let margin = f64::from(pipeline.search_margin(&world, dt));
        detector
            .manifolds(world.positions(), world.orientations(), margin, |manifold| {
                found.push(manifold.clone());
                Ok(())
            })
            .map_err(|error| error.to_string())?;
        let start = Instant::now();
        let report = pipeline.step(&mut world, |_, touching| found.iter().try_for_each(|m| touching.push(m)), dt);
        inside += start.elapsed();
        let report = report.map_err(|error| error.to_string())?;
        sum.iterations += f64::from(report.sweeps) / frames as f64;
        sum.contacts += report.contacts as f64 / frames as f64;
        judge.look(&states(&world));
    }
    let verdict = judge.close(&states(&world));
    Ok(Run {
        nanoseconds: inside.as_nanos() as f64 / frames as f64,
        iterations: sum.iterations,
        contacts: sum.contacts,
        ..verdict
    })
}

/// Lets what acts on single bodies in a frame act.
fn act<T: Real, const NB: usize>(named: &Named, frame: usize, world: &mut World<T, NB>) -> Result<(), String> {
    let narrow = |v: Vector3<f64>| v.map(T::lit);
    if let Some((index, velocity)) = named.kick(frame)
        && let Some(body) = world.get(index)
    {
        let linear_velocity = body.linear_velocity + narrow(velocity);
        world.set(index, RigidBody { linear_velocity, ..body }).map_err(|error| error.to_string())?;
    }
    if let Some((index, force)) = named.push(frame as f64 * named.scene.dt) {
        let load = Wrench { force: narrow(force), torque: Vector3::zeros() };
        world.set_load(index, load).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn states<const NB: usize>(world: &World<f32, NB>) -> Vec<BodyState> {
    let wide = |v: &Vector3<f32>| v.map(f64::from);
    let velocities = world.bodies().linear_velocities().iter().zip(world.bodies().angular_velocities());
    (world.positions().iter().zip(world.orientations()).zip(velocities))
        .map(|((position, orientation), (linear, angular))| BodyState {
            position: wide(position),
            orientation: UnitQuaternion::new_normalize(orientation.quaternion().cast::<f64>()),
            linear: wide(linear),
            angular: wide(angular),
        })
        .collect()
}
