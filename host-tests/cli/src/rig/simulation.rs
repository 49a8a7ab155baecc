//! A rig of either precision and of a capacity that fits, behind one interface.

use stiction::{ContactRows, Jointed, SixRows, ThreeRows};
use stiction_lanes::Level;
use stiction_lanes::scalar::LaneScalar;

use super::collector::Collector;
use super::frame::{Detail, Frame};
use super::joint_state::JointState;
use super::scene::Scene;
use super::world::{BodyState, Rig};
use crate::lanes::default_level;

/// Scalars to compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Precision {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "f32",
            Precision::Double => "f64",
        }
    }

    /// Bytes of a scalar.
    pub(super) fn bytes(self) -> usize {
        match self {
            Precision::Single => 4,
            Precision::Double => 8,
        }
    }

    /// The precision of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Precision::Single, Precision::Double].into_iter().find(|precision| precision.name() == name)
    }
}

/// A running scene.
pub trait Simulation: Send {
    /// One time step; the error is one line.
    fn step(&mut self, detail: Detail) -> Result<Frame, String>;
    /// Every body as the scene sees it.
    fn bodies(&self) -> Vec<BodyState>;
    /// Every joint.
    fn joints(&self) -> Vec<JointState>;
    /// Kinetic and potential energy, J.
    fn energy(&self) -> f64;
    /// Digest of all state bits.
    fn digest(&self) -> u64;
    /// Starts a film of the following steps; the error is one line.
    fn start_film(&mut self) -> Result<(), String>;
    /// The film.
    fn end_film(&mut self) -> Vec<u8>;
}

/// The largest capacities, in bodies and contacts.
pub const LARGEST: (usize, usize) = (512, 4096);

/// How many joints a scene can have.
pub const MOST_JOINTS: usize = 256;

/// Stack size that is enough to build the largest rig before it moves to the heap.
const STACK_BYTES: usize = 64 << 20;

/// Runs on a thread whose stack is large enough for large worlds.
pub fn on_large_stack<R: Send>(work: impl FnOnce() -> Result<R, String> + Send) -> Result<R, String> {
    stiction_testkit::large_stack::on_large_stack(STACK_BYTES, work).map_err(|error| format!("memory: {error}"))?
}

/// Sets a scene up, on a thread with a large stack.
pub fn simulate(scene: &Scene, precision: Precision) -> Result<Box<dyn Simulation>, String> {
    simulate_at(scene, precision, default_level())
}

/// The same with the instructions of a level, or without lanes: for tests.
#[doc(hidden)]
pub fn simulate_at(scene: &Scene, precision: Precision, level: Option<Level>) -> Result<Box<dyn Simulation>, String> {
    on_large_stack(|| fitting(scene, precision, level))
}

fn fitting(scene: &Scene, precision: Precision, level: Option<Level>) -> Result<Box<dyn Simulation>, String> {
    let bodies = scene.bodies.len();
    if !scene.joints.is_empty() && bodies <= LARGEST.0 {
        return match precision {
            Precision::Single => with_joints::<f32, { 2 << 20 }>(scene),
            Precision::Double => with_joints::<f64, { 4 << 20 }>(scene),
        };
    }
    match (precision, bodies) {
        (Precision::Single, 0..=512) if scene.has_surfaces() => with_surfaces::<f32, { 2 << 20 }>(scene),
        (Precision::Double, 0..=512) if scene.has_surfaces() => with_surfaces::<f64, { 4 << 20 }>(scene),
        (Precision::Single, 0..=24) => sized::<f32, 64, 512, { 256 << 10 }>(scene, level),
        (Precision::Double, 0..=24) => sized::<f64, 64, 512, { 512 << 10 }>(scene, level),
        (Precision::Single, 25..=512) => sized::<f32, 512, 4096, { 2 << 20 }>(scene, level),
        (Precision::Double, 25..=512) => sized::<f64, 512, 4096, { 4 << 20 }>(scene, level),
        _ => Err(format!("bodies: {bodies}, at most {} fit", LARGEST.0)),
    }
}

fn sized<T: LaneScalar, const NB: usize, const NC: usize, const NR: usize>(
    scene: &Scene,
    level: Option<Level>,
) -> Result<Box<dyn Simulation>, String> {
    let (rig, collector) = (Rig::new(scene, level)?, Collector::new());
    Ok(Box::new(Running::<T, NB, NC, NR, ThreeRows> { rig, collector, frames: 0, dt: scene.dt }))
}

/// A scene with friction beyond sliding. One capacity is enough: such a contact takes two places.
fn with_surfaces<T: LaneScalar, const NR: usize>(scene: &Scene) -> Result<Box<dyn Simulation>, String> {
    let (rig, collector) = (Rig::with_surfaces(scene)?, Collector::new());
    Ok(Box::new(Running::<T, { LARGEST.0 }, { LARGEST.1 }, NR, SixRows> { rig, collector, frames: 0, dt: scene.dt }))
}

/// A scene with joints, in one capacity.
fn with_joints<T: LaneScalar, const NR: usize>(scene: &Scene) -> Result<Box<dyn Simulation>, String> {
    type Rows = Jointed<MOST_JOINTS, SixRows>;
    let (rig, collector) = (Rig::with_joints(scene)?, Collector::new());
    Ok(Box::new(Running::<T, { LARGEST.0 }, { LARGEST.1 }, NR, Rows> { rig, collector, frames: 0, dt: scene.dt }))
}

struct Running<T: LaneScalar, const NB: usize, const NC: usize, const NR: usize, R: ContactRows> {
    rig: Rig<T, NB, NC, R>,
    collector: Collector<NR>,
    frames: u64,
    dt: f64,
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NR: usize, R: ContactRows> Simulation
    for Running<T, NB, NC, NR, R>
where
    Rig<T, NB, NC, R>: Send,
{
    fn step(&mut self, detail: Detail) -> Result<Frame, String> {
        self.collector.begin(detail);
        let mut diagnoses = Vec::new();
        let wanted = (detail == Detail::Full).then_some(&mut diagnoses);
        let report = self.rig.step(&mut self.collector, wanted).map_err(|error| error.to_string())?;
        self.frames += 1;
        let mut frame = Frame::new(self.frames, self.frames as f64 * self.dt, &report, self.rig.bodies());
        (frame.joints, frame.joint_work) = (self.rig.joints(), self.rig.joint_work.unwrap_or_default());
        frame.methods = self.collector.methods;
        frame.solves = std::mem::take(&mut self.collector.solves);
        frame.solves.iter_mut().zip(diagnoses).for_each(|(solve, diagnoses)| solve.diagnose(diagnoses));
        Ok(frame)
    }

    fn bodies(&self) -> Vec<BodyState> {
        self.rig.bodies()
    }

    fn joints(&self) -> Vec<JointState> {
        self.rig.joints()
    }

    fn energy(&self) -> f64 {
        self.rig.moving.energy()
    }

    fn digest(&self) -> u64 {
        self.rig.moving.digest()
    }

    fn start_film(&mut self) -> Result<(), String> {
        self.rig.start_film()
    }

    fn end_film(&mut self) -> Vec<u8> {
        self.rig.film.take().map_or_else(Vec::new, super::film::Film::end)
    }
}
