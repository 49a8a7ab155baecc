//! A legged robot's contact loop at 1 kHz: a trunk on four springy legs, over planes of different friction.
//!
//! Feet are balls of a small mass that do not rotate. A leg pulls its foot towards a point below its hip and pushes the
//! trunk
//! the other way, as a controller with a spring and a damper would. A script of phases does the rest:
//!
//! ```text
//! landing → stance → push against a wall → slip on ice → jump → landing again
//! ```
//!
//! Front feet stand on ice once `x > 0`, left feet can touch a wall beside them: six contacts at most.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::Hooks;
use stiction::Observer;
use stiction::PointId;
use stiction::{ContactCollector, InputError, Pipeline, Real, RigidBody, StepReport, StepSettings, World, Wrench};
use stiction::{Manifold, ManifoldPoint, Material};

use crate::boxes::{material, rotated, solid, vector};
use crate::start::{START, perturb};

/// Bodies: ground, trunk, four feet.
pub const BODIES: usize = 6;
/// Capacity for contacts: six are for feet on the ground and at the wall; a stack of four needs sixteen, and one solver
/// is used for all scenes of a firmware.
pub const CONTACTS: usize = 16;
/// Length of the script in steps.
pub const TICKS: u32 = 2000;
/// Feet.
pub const FEET: usize = 4;

const GROUND: usize = 0;
/// The trunk's index.
pub const TRUNK: usize = 1;
const FIRST_FOOT: usize = 2;

/// The phases of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Falls on its feet.
    Landing,
    /// Stands.
    Stance,
    /// Is pushed sideways against the wall.
    Push,
    /// Is pulled forward, front feet on ice.
    Slip,
    /// Stretches its legs.
    Jump,
}

impl Phase {
    /// The phase of a step.
    pub fn at(tick: u32) -> Self {
        match tick {
            0..300 => Phase::Landing,
            300..600 => Phase::Stance,
            600..1000 => Phase::Push,
            1000..1200 => Phase::Slip,
            1200..1260 => Phase::Jump,
            1260..1600 => Phase::Landing,
            _ => Phase::Stance,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Landing => "landing",
            Phase::Stance => "stance",
            Phase::Push => "push",
            Phase::Slip => "slip",
            Phase::Jump => "jump",
        }
    }
}

/// The robot, its ground and its stepper.
pub struct Robot<T: Real> {
    /// Ground, trunk, feet.
    pub world: World<T, BODIES>,
    /// The stepper, without a factor: a robot on its feet needs none.
    pub pipeline: Pipeline<T, BODIES, CONTACTS, 0>,
    /// Steps taken.
    pub tick: u32,
}

/// Time step, s.
#[inline(always)]
fn dt<T: Real>() -> T {
    T::lit(1e-3)
}

/// Radius of a foot, m.
#[inline(always)]
fn foot_radius<T: Real>() -> T {
    T::lit(0.02)
}

/// Where a hip is in trunk axes, m: front left, front right, hind left, hind right.
fn hip<T: Real>(foot: usize) -> Vector3<T> {
    let (x, y) = (T::lit(0.18), T::lit(0.10));
    let (x, y) = (if foot < 2 { x } else { -x }, if foot.is_multiple_of(2) { y } else { -y });
    Vector3::new(x, y, T::lit(-0.04))
}

/// Rest length of a leg, m.
fn leg_length<T: Real>(phase: Phase) -> T {
    if phase == Phase::Jump { T::lit(0.26) } else { T::lit(0.22) }
}

/// External force on the trunk, N.
fn outside_force<T: Real>(phase: Phase) -> Vector3<T> {
    match phase {
        Phase::Push => vector(0.0, 30.0, 0.0),
        Phase::Slip => vector(25.0, 0.0, 0.0),
        Phase::Landing | Phase::Stance | Phase::Jump => Vector3::zeros(),
    }
}

/// A body's position, orientation, velocity and angular velocity.
type Motion<T> = (Vector3<T>, UnitQuaternion<T>, Vector3<T>, Vector3<T>);

impl<T: Real> Robot<T> {
    /// Above the ground, legs stretched.
    pub fn new() -> Result<Self, InputError<T>> {
        let rough = material(0.8, 0.0);
        let mut world = World::new();
        world.push(RigidBody { material: rough, ..RigidBody::fixed() })?;
        let position = vector(-0.1, 0.0, 0.34);
        world.push(RigidBody { position, ..solid(T::lit(6.0), &vector(0.20, 0.12, 0.06), rough) })?;
        for foot in 0..FEET {
            let below = Vector3::z() * leg_length::<T>(Phase::Stance);
            let point = RigidBody::from_inverse(T::lit(1.0 / 0.15), Matrix3::zeros());
            world.push(RigidBody { position: position + hip(foot) - below, material: rough, ..point })?;
        }
        // A millisecond is one substep, and feet are small.
        let millimetre = T::lit(1e-3);
        let settings = StepSettings { contact_margin: millimetre, substeps: 1, ..StepSettings::default() };
        Ok(Robot { world, pipeline: Pipeline::with_factor_memory(settings), tick: 0 })
    }

    /// Moves trunk and feet as one rigid whole, before the first step. Zeros change nothing.
    pub fn perturb(&mut self, start: &[T; START]) -> Result<(), InputError<T>> {
        let center = self.world.positions().get(TRUNK).copied().unwrap_or_else(Vector3::zeros);
        (TRUNK..BODIES).try_for_each(|body| perturb(&mut self.world, body, &center, start))
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        Phase::at(self.tick)
    }

    /// One millisecond. `should_stop` ends the solve, not the step.
    #[inline(always)]
    pub fn step(&mut self, hooks: Hooks<'_, T>) -> Result<StepReport<T>, InputError<T>> {
        self.step_dynamic(hooks.should_stop, hooks.observer)
    }

    /// One copy for all callers, without direct methods.
    #[inline(never)]
    fn step_dynamic<'a>(
        &mut self,
        should_stop: Option<&'a mut dyn FnMut() -> bool>,
        observer: Option<&'a mut dyn Observer<T>>,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.control()?;
        self.tick += 1;
        let hooks = Hooks { should_stop, direct: None, observer, lanes: None };
        let stepped = self.pipeline.step_with(&mut self.world, touch, dt(), hooks);
        if stepped.is_err() {
            self.tick -= 1;
        }
        stepped
    }

    /// Force of the ground and the wall on a foot in the last step, N.
    pub fn ground_force(&self, foot: usize) -> Vector3<T> {
        self.pipeline.wrench(FIRST_FOOT + foot).map_or_else(Vector3::zeros, |wrench| wrench.force)
    }

    fn motion(&self, body: usize) -> Option<Motion<T>> {
        let bodies = self.world.bodies();
        let (position, orientation) = (self.world.positions().get(body)?, self.world.orientations().get(body)?);
        Some((*position, *orientation, *bodies.linear_velocities().get(body)?, *bodies.angular_velocities().get(body)?))
    }

    /// Sets the forces of the legs and the external force.
    #[inline(never)]
    fn control(&mut self) -> Result<(), InputError<T>> {
        let phase = self.phase();
        let Some((position, orientation, linear, angular)) = self.motion(TRUNK) else { return Ok(()) };
        let down = rotated(&orientation, &Vector3::z()) * -leg_length::<T>(phase);
        let mut on_trunk = Wrench { force: outside_force(phase), torque: Vector3::zeros() };
        for foot in 0..FEET {
            let Some((foot_position, _, foot_linear, _)) = self.motion(FIRST_FOOT + foot) else { break };
            let arm = rotated(&orientation, &hip(foot));
            let hip_velocity = linear + angular.cross(&arm);
            let stretch = position + arm + down - foot_position;
            let force = stretch * T::lit(1500.0) + (hip_velocity - foot_linear) * T::lit(30.0);
            on_trunk.force -= force;
            on_trunk.torque -= arm.cross(&force);
            self.world.set_load(FIRST_FOOT + foot, Wrench { force, torque: Vector3::zeros() })?;
        }
        self.world.set_load(TRUNK, on_trunk)
    }
}

/// Feet against ground and wall.
fn touch<T: Real>(
    world: &World<T, BODIES>,
    collector: &mut ContactCollector<'_, T, BODIES, CONTACTS>,
) -> Result<(), InputError<T>> {
    let wall = (vector(0.0, 0.1205, 0.0), vector(0.0, -1.0, 0.0));
    for foot in 0..FEET {
        let Some(center) = world.positions().get(FIRST_FOOT + foot) else { break };
        // Rubber on concrete; ice ahead; a smooth wall.
        let mu = if center.x > T::ZERO { T::lit(0.05) } else { T::lit(0.8) };
        touch_plane(collector, foot, center, &(Vector3::zeros(), Vector3::z()), mu, 0)?;
        touch_plane(collector, foot, center, &wall, T::lit(0.3), 1)?;
    }
    Ok(())
}

/// A foot's contact with a plane, given by a point and a normal, if it is near. Only one manifold at a time is on the
/// stack.
#[inline(never)]
fn touch_plane<T: Real>(
    collector: &mut ContactCollector<'_, T, BODIES, CONTACTS>,
    foot: usize,
    center: &Vector3<T>,
    (through, normal): &(Vector3<T>, Vector3<T>),
    mu: T,
    feature: u32,
) -> Result<(), InputError<T>> {
    let on_b = center - normal * foot_radius::<T>();
    let depth = -normal.dot(&(on_b - through));
    if depth < T::lit(-1e-3) {
        return Ok(());
    }
    let mut manifold = Manifold::new(GROUND, FIRST_FOOT + foot, *normal);
    manifold.material = Some(Material { mu, restitution: T::ZERO });
    let point = ManifoldPoint { on_a: on_b + normal * depth, on_b, depth, id: PointId::Feature(feature) };
    let _ = manifold.points.try_push(point);
    collector.push(&manifold)
}
