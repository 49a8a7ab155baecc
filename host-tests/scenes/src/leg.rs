//! A leg of two hinges that carries a trunk on a vertical guide at 1 kHz: it lands, stands, squats and jumps. Servos turn
//! hip and knee; their targets are all that the controller sets.
//!
//! ```text
//! landing → stance → squat → jump → landing again
//! ```

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction::{
    ContactCollector, InputError, Joint, JointAxis, JointKind, Jointed, Manifold, ManifoldPoint, Material, Motor,
    Pipeline, PointId, Real, RigidBody, Settings, StepReport, StepSettings, World,
};

use crate::boxes::{material, rotated, solid, vector};
use crate::start::{START, perturb};

/// Ground, trunk, thigh, shank.
pub const BODIES: usize = 4;
/// The foot on the ground.
pub const CONTACTS: usize = 2;
/// The trunk's guide, hip, knee.
pub const JOINTS: usize = 3;
/// Blocks of a factor of all joints: three bodies, and what connects them.
pub const BLOCKS: usize = 8;
/// Length of the script in steps.
pub const TICKS: u32 = 2000;

const GROUND: usize = 0;
/// The trunk's index.
pub const TRUNK: usize = 1;
const THIGH: usize = 2;
const SHANK: usize = 3;

/// Half length of thigh and shank, m.
const HALF: f64 = 0.1;
/// Cosine and sine of half the angle of the thigh against the vertical where the script begins, 0.4 rad. The shank has
/// the opposite angle.
const BENT: [f64; 2] = [0.980_066_577_841_241_6, 0.198_669_330_795_061_22];

/// The leg, its ground and its stepper. `NF` are blocks of a factor.
pub struct Leg<T: Real, const NF: usize> {
    /// Ground, trunk, thigh, shank, and their joints.
    pub world: World<T, BODIES, Jointed<JOINTS>>,
    /// The stepper.
    pub pipeline: Pipeline<T, BODIES, CONTACTS, NF, Jointed<JOINTS>>,
    /// Steps taken.
    pub tick: u32,
}

/// The angle of hip and knee at a tick, rad, from where the script begins.
fn target<T: Real>(tick: u32) -> [T; 2] {
    match tick {
        500..800 => [T::lit(0.3), T::lit(-0.6)],
        800..860 => [T::lit(-0.3), T::lit(0.6)],
        _ => [T::ZERO; 2],
    }
}

/// How thigh (`T::ONE`) or shank (`-T::ONE`) is turned where the script begins.
fn turned<T: Real>(sign: T) -> UnitQuaternion<T> {
    let [cosine, sine] = BENT.map(T::lit);
    UnitQuaternion::new_unchecked(Quaternion::new(cosine, T::ZERO, sign * sine, T::ZERO))
}

/// A servo that holds a position.
pub fn servo<T: Real>(position: T) -> JointAxis<T> {
    let max = T::lit(40.0);
    let motor = Motor::Position { position, stiffness: T::lit(300.0), damping: T::lit(4.0), max };
    JointAxis { limits: Some([T::lit(-1.5), T::lit(1.5)]), motor: Some(motor), ..JointAxis::FREE }
}

impl<T: Real, const NF: usize> Leg<T, NF> {
    /// The foot a few centimetres above the ground. A trunk that is `fixed` hangs.
    pub fn new(fixed: bool) -> Result<Self, InputError<T>> {
        let rough = material(0.8, 0.0);
        let mut world = World::empty();
        world.push(RigidBody { material: rough, ..RigidBody::fixed() })?;
        let half = |sign: T| rotated(&turned(sign), &vector(0.0, 0.0, HALF));
        let hip = vector(0.0, 0.0, 0.45);
        let knee = hip - half(T::ONE) - half(T::ONE);
        let size = vector(0.02, 0.02, HALF);
        let trunk = if fixed { RigidBody::fixed() } else { solid(T::lit(3.0), &vector(0.1, 0.08, 0.05), rough) };
        world.push(RigidBody { position: hip, ..trunk })?;
        for (mass, above, sign) in [(T::lit(0.8), hip, T::ONE), (T::lit(0.4), knee, -T::ONE)] {
            let (position, orientation) = (above - half(sign), turned(sign));
            world.push(RigidBody { position, orientation, ..solid(mass, &size, rough) })?;
        }
        if !fixed {
            let guide = JointKind::Slider(JointAxis::FREE);
            world.push_joint(world.joint_between(GROUND, TRUNK, guide, [hip, hip], Vector3::z()))?;
        }
        for (a, b, at) in [(TRUNK, THIGH, hip), (THIGH, SHANK, knee)] {
            let hinge = JointKind::Hinge(servo(T::ZERO));
            world.push_joint(world.joint_between(a, b, hinge, [at, at], Vector3::y()))?;
        }
        // A millisecond is one substep.
        let settings = StepSettings { contact_margin: T::lit(1e-3), substeps: 1, ..StepSettings::default() };
        Ok(Leg { world, pipeline: Pipeline::with_factor_memory(settings), tick: 0 })
    }

    /// Moves trunk, thigh and shank as one rigid whole, before the first step; of the velocities that step keeps what joints allow.
    /// Zeros change nothing.
    pub fn perturb(&mut self, start: &[T; START]) -> Result<(), InputError<T>> {
        let center = self.world.positions().get(TRUNK).copied().unwrap_or_else(Vector3::zeros);
        (TRUNK..BODIES).try_for_each(|body| perturb(&mut self.world, body, &center, start))
    }

    /// The same with three joints of one kind, in motion along all axes, to count what visits take.
    pub fn of_kind(kind: JointKind<T>) -> Result<Self, InputError<T>> {
        let mut leg = Self::new(false)?;
        for body in [TRUNK, THIGH, SHANK] {
            let Some(state) = leg.world.get(body) else { break };
            let speed = vector(0.1, -0.2, 0.3) * T::integer(body as i16);
            leg.world.set(body, RigidBody { linear_velocity: speed, angular_velocity: speed, ..state })?;
        }
        for index in 0..JOINTS {
            let Some(joint) = leg.world.joint(index).copied() else { break };
            leg.world.set_joint(index, Joint { kind, ..joint })?;
        }
        Ok(leg)
    }

    /// Vertical force of the ground on the foot in the last step, N.
    pub fn ground_force(&self) -> T {
        self.pipeline.wrench(SHANK).map_or(T::ZERO, |wrench| wrench.force.z)
    }

    /// Height of the trunk, m.
    pub fn height(&self) -> T {
        self.world.positions().get(TRUNK).map_or(T::ZERO, |position| position.z)
    }

    /// One millisecond.
    #[inline(never)]
    pub fn step(&mut self) -> Result<StepReport<T>, InputError<T>> {
        let wanted = target(self.tick);
        if self.tick > 0 && wanted != target(self.tick - 1) {
            self.turn_servos(wanted)?;
        }
        self.tick += 1;
        self.pipeline.step(&mut self.world, touch, T::lit(1e-3))
    }

    /// So many sweeps, all of which are made, without a factor: to count what a visit takes.
    pub fn sweep_always(&mut self, sweeps: u32) {
        let solver = &mut self.pipeline.settings.solver;
        *solver = Settings { sweeps, tolerance: T::ZERO, ..*solver };
    }

    fn turn_servos(&mut self, wanted: [T; 2]) -> Result<(), InputError<T>> {
        let first = self.world.joints().count() - wanted.len();
        for (at, position) in wanted.into_iter().enumerate() {
            let Some(joint) = self.world.joint(first + at).copied() else { break };
            self.world.set_joint(first + at, Joint { kind: JointKind::Hinge(servo(position)), ..joint })?;
        }
        Ok(())
    }
}

/// The foot, the end of the shank, on the ground.
fn touch<T: Real>(
    world: &World<T, BODIES, Jointed<JOINTS>>,
    collector: &mut ContactCollector<'_, T, BODIES, CONTACTS, Jointed<JOINTS>>,
) -> Result<(), InputError<T>> {
    let (Some(center), Some(turn)) = (world.positions().get(SHANK), world.orientations().get(SHANK)) else {
        return Ok(());
    };
    let foot = center - rotated(turn, &vector(0.0, 0.0, HALF));
    if foot.z > T::lit(1e-3) {
        return Ok(());
    }
    let mut manifold = Manifold::new(GROUND, SHANK, Vector3::z());
    manifold.material = Some(Material { mu: T::lit(0.8), restitution: T::ZERO });
    let on_a = Vector3::new(foot.x, foot.y, T::ZERO);
    let _ = manifold.points.try_push(ManifoldPoint { on_a, on_b: foot, depth: -foot.z, id: PointId::Feature(0) });
    collector.push(&manifold)
}
