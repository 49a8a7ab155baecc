//! Worlds of any size and precision behind one interface, in double precision. They have joints and friction beyond
//! sliding, and memory for direct methods.
use nalgebra::{UnitQuaternion, Vector3};
use stiction::{
    ContactState, Hooks, InputError, JointKind, JointWork, Jointed, Manifold, ManifoldPoint, Material, Pipeline,
    PointId, Real, RigidBody, Settings, SixRows, Status, StepReport, StepSettings, Surface, World, Wrench, manifolds,
};
use stiction_cli::problem::SettingsEntry;
use stiction_cli::rig::joint_state::{JointState, Link, pose};
use stiction_cli::rig::joints::{MotorEntry, SceneJoint};
use stiction_cli::rig::simulation::{Precision, on_large_stack};
use stiction_motion::solid::rounded;
use stiction_testkit::capacity::{AnyDirectMemory, direct_memory_for};

/// Bodies, places for contacts, and joints of the largest capacity.
pub const LARGEST: Size = Size { bodies: 512, contacts: 4096, joints: 256 };
/// The same of the smallest one. As many joints: saved contacts have a place for each.
const SMALLEST: Size = Size { bodies: 32, contacts: 256, joints: LARGEST.joints };

/// How much a world holds. Contacts with torsion or rolling take two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bodies.
    pub bodies: usize,
    /// Places for contacts.
    pub contacts: usize,
    /// Joints.
    pub joints: usize,
}

impl Size {
    /// Whether as much fits.
    pub fn holds(&self, other: Size) -> bool {
        self.bodies >= other.bodies && self.contacts >= other.contacts && self.joints >= other.joints
    }
}

/// A body's state: position, orientation, velocities.
pub type BodyState = (Vector3<f64>, UnitQuaternion<f64>, Vector3<f64>, Vector3<f64>);

/// A contact of the last step.
pub struct StepContact {
    /// Its bodies.
    pub bodies: [usize; 2],
    /// The detector's own; −1 if it has none.
    pub id: i64,
    /// Its state.
    pub state: ContactState,
    /// Normal, point from A's and from B's centre of mass, friction impulse on B.
    pub vectors: [Vector3<f64>; 4],
    /// Depth, normal impulse, impulse of the bounce.
    pub numbers: [f64; 3],
}

/// A joint after the last step.
pub struct StepJoint {
    /// Its bodies.
    pub bodies: [usize; 2],
    /// Angle, way or length, and how far it is apart, m.
    pub numbers: [f64; 2],
    /// Force and torque on B in the last part of the step, in world axes.
    pub vectors: [Vector3<f64>; 2],
}

/// The report of a step: its status, counts and figures, by their names.
pub struct Reported {
    /// The worst status.
    pub status: Status,
    /// Counts.
    pub counts: Vec<(&'static str, usize)>,
    /// Flags.
    pub flags: Vec<(&'static str, bool)>,
    /// Figures.
    pub figures: Vec<(&'static str, f64)>,
    /// Where the energy went.
    pub ledger: Vec<(&'static str, f64)>,
    /// Work along the axes of joints.
    pub joint_work: Vec<(&'static str, f64)>,
}

/// A world that is stepped. Errors are the kernel's lines.
pub trait Stepper: Send {
    /// How much fits.
    fn size(&self) -> Size;
    /// How many bodies and joints there are.
    fn counts(&self) -> (usize, usize);
    /// Adds a body.
    fn add_body(&mut self, body: &RigidBody<f64>, surface: Surface<f64>) -> Result<usize, String>;
    /// Adds a joint between two bodies.
    fn add_joint(&mut self, joint: &SceneJoint, bodies: [usize; 2]) -> Result<usize, String>;
    /// Sets the force and torque on a body.
    fn set_load(&mut self, body: usize, force: Vector3<f64>, torque: Vector3<f64>) -> Result<(), String>;
    /// Sets where a body is and how it moves.
    fn set_state(&mut self, body: usize, state: BodyState) -> Result<(), String>;
    /// Takes a step.
    fn step(&mut self, found: &[Manifold<f64>], dt: f64) -> Result<Reported, String>;
    /// Gap up to which a detector should look for contacts, m.
    fn search_margin(&self, dt: f64) -> f64;
    /// The states of all bodies.
    fn states(&self) -> Vec<BodyState>;
    /// The contacts of the last step.
    fn contacts(&self) -> Vec<StepContact>;
    /// The joints after the last step.
    fn joints(&self) -> Vec<StepJoint>;
    /// Replaces the motor of a hinge or slider; none is no motor.
    fn set_motor(&mut self, joint: usize, motor: Option<&MotorEntry>) -> Result<(), String>;
    /// Digest of all bits of the state.
    fn digest(&self) -> u64;
    /// Whether a body resists twisting or rolling.
    fn has_moments(&self) -> bool;
    /// The same world with the largest capacity, contacts included.
    fn grown(&mut self) -> Made;
}

/// Settings of a world.
pub struct Choices {
    /// m/s².
    pub gravity: [f64; 3],
    /// Parts of a step.
    pub substeps: Option<u32>,
    /// The smallest extent of bodies, m.
    pub length: f64,
    /// Those of solves.
    pub solver: SettingsEntry,
}

impl Choices {
    /// As `stiction run` has them for bodies of that length.
    fn settings<T: Real>(&self) -> Result<StepSettings<T>, String> {
        let mut default = StepSettings::<T>::for_length(T::lit(self.length));
        default.solver.sweeps = Settings::<T>::default().sweeps;
        let settings = StepSettings {
            gravity: Vector3::from(self.gravity.map(T::lit)),
            substeps: self.substeps.unwrap_or(default.substeps),
            solver: self.solver.settings(default.solver),
            ..default
        };
        // A step of nothing checks them.
        let mut nothing = Pipeline::<T, 1, 1>::new(settings);
        nothing.step(&mut World::new(), manifolds(&[]), T::lit(1.0 / 60.0)).map_err(line)?;
        Ok(settings)
    }
}

/// A world, or the line that says why there is none.
type Made = Result<Box<dyn Stepper>, String>;

/// An empty world that holds so much.
pub fn make(precision: Precision, choices: &Choices, size: Size) -> Made {
    on_large_stack(|| -> Made {
        match (precision, SMALLEST.holds(size)) {
            (Precision::Single, true) => Ok(Box::new(Small::<f32>::new(choices.settings()?)?)),
            (Precision::Single, false) => Ok(Box::new(Large::<f32>::new(choices.settings()?)?)),
            (Precision::Double, true) => Ok(Box::new(Small::<f64>::new(choices.settings()?)?)),
            (Precision::Double, false) => Ok(Box::new(Large::<f64>::new(choices.settings()?)?)),
        }
    })
}

/// The same world with the largest capacity.
pub fn grow(world: &mut dyn Stepper) -> Made {
    on_large_stack(|| world.grown())
}

type Small<T> = Sized<T, { SMALLEST.bodies }, { SMALLEST.contacts }, { SMALLEST.joints }>;
type Large<T> = Sized<T, { LARGEST.bodies }, { LARGEST.contacts }, { LARGEST.joints }>;

/// A world of one capacity.
struct Sized<T: Real, const NB: usize, const NC: usize, const NJ: usize> {
    world: Box<World<T, NB, Jointed<NJ, SixRows>>>,
    pipeline: Box<Pipeline<T, NB, NC, NC, Jointed<NJ, SixRows>>>,
    memory: Box<dyn AnyDirectMemory<T>>,
    /// Length of a part of the last step, s.
    part: f64,
}

fn vector<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::lit)
}

fn double<T: Real>(v: &Vector3<T>) -> Vector3<f64> {
    v.map(|entry| entry.to_f64())
}

fn line<T: Real>(error: InputError<T>) -> String {
    error.to_string()
}

/// Rejects a body whose surface would be rejected after it was added.
fn check_body<T: Real>(index: usize, body: &RigidBody<T>, surface: Surface<T>) -> Result<(), String> {
    let mut alone = World::<T, 1, SixRows>::empty();
    let added = alone.push(*body).and_then(|body| alone.set_surface(body, surface));
    added.map_err(|error| line(error).replacen("bodies[0]", &format!("bodies[{index}]"), 1))
}

impl<T: Real, const NB: usize, const NC: usize, const NJ: usize> Sized<T, NB, NC, NJ> {
    fn new(settings: StepSettings<T>) -> Result<Self, String> {
        let memory = direct_memory_for(NC).map_err(|error| format!("memory: {error}"))?;
        let pipeline = Box::new(Pipeline::with_factor_memory(settings));
        Ok(Sized { world: Box::new(World::empty()), pipeline, memory, part: 1.0 })
    }

    fn manifold(found: &Manifold<f64>) -> Manifold<T> {
        let Manifold { a, b, normal, points, material } = found;
        let point = |point: &ManifoldPoint<f64>| ManifoldPoint {
            on_a: vector(&point.on_a),
            on_b: vector(&point.on_b),
            depth: T::lit(point.depth),
            id: point.id,
        };
        let material =
            material.map(|Material { mu, restitution }| Material { mu: T::lit(mu), restitution: T::lit(restitution) });
        Manifold { a: *a, b: *b, normal: vector(normal), points: points.iter().map(point).collect(), material }
    }
}

impl<T: Real + Send, const NB: usize, const NC: usize, const NJ: usize> Stepper for Sized<T, NB, NC, NJ> {
    fn size(&self) -> Size {
        Size { bodies: NB, contacts: NC, joints: NJ }
    }

    fn counts(&self) -> (usize, usize) {
        (self.world.len(), self.world.joints().count())
    }

    fn add_body(&mut self, body: &RigidBody<f64>, surface: Surface<f64>) -> Result<usize, String> {
        let surface =
            Surface { torsion: T::lit(surface.torsion), rolling: T::lit(surface.rolling), ..Surface::default() };
        check_body(self.world.len(), &rounded(body), surface)?;
        let index = self.world.push(rounded(body)).map_err(line)?;
        self.world.set_surface(index, surface).map_err(line)?;
        Ok(index)
    }

    fn add_joint(&mut self, joint: &SceneJoint, [a, b]: [usize; 2]) -> Result<usize, String> {
        let given = joint.connection()?;
        let between = self.world.joint_between(a, b, given.kind, given.anchors, given.axis);
        self.world.push_joint(stiction::Joint { collide: joint.collide, ..between }).map_err(line)
    }

    fn set_load(&mut self, body: usize, force: Vector3<f64>, torque: Vector3<f64>) -> Result<(), String> {
        self.world.set_load(body, Wrench { force: vector(&force), torque: vector(&torque) }).map_err(line)
    }

    fn set_state(&mut self, body: usize, (position, orientation, linear, angular): BodyState) -> Result<(), String> {
        let missing = || format!("body: {body} does not exist, there are {}", self.world.len());
        let given = self.world.get(body).ok_or_else(missing)?;
        let turned = orientation.quaternion().coords.map(T::lit);
        let changed = RigidBody {
            position: vector(&position),
            orientation: UnitQuaternion::new_unchecked(turned.into()),
            linear_velocity: vector(&linear),
            angular_velocity: vector(&angular),
            ..given
        };
        self.world.set(body, changed).map_err(line)
    }

    fn step(&mut self, found: &[Manifold<f64>], dt: f64) -> Result<Reported, String> {
        let found: Vec<Manifold<T>> = found.iter().map(Self::manifold).collect();
        let hooks = Hooks::with_direct(self.memory.view());
        let report = self.pipeline.step_with(&mut self.world, manifolds(&found), T::lit(dt), hooks);
        let report = report.map_err(line)?;
        self.part = dt / f64::from(self.pipeline.settings.substeps);
        Ok(reported(&report, &self.pipeline.joint_work()))
    }

    fn search_margin(&self, dt: f64) -> f64 {
        self.pipeline.search_margin(&self.world, T::lit(dt)).to_f64()
    }

    fn states(&self) -> Vec<BodyState> {
        let bodies = self.world.bodies();
        let poses = self.world.positions().iter().zip(self.world.orientations());
        let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
        let state = |((position, orientation), (linear, angular)): ((_, &UnitQuaternion<T>), _)| {
            let turned = orientation.quaternion().coords.map(|entry| entry.to_f64());
            (double(position), UnitQuaternion::new_unchecked(turned.into()), double(linear), double(angular))
        };
        poses.zip(velocities).map(state).collect()
    }

    fn contacts(&self) -> Vec<StepContact> {
        let contacts = self.pipeline.contacts();
        let contacts = contacts.map(|contact| {
            let tangent = contact.t1 * contact.t1_impulse + contact.t2 * contact.t2_impulse;
            let numbers = [contact.depth, contact.normal_impulse, contact.bounce_impulse];
            StepContact {
                bodies: [contact.a, contact.b],
                id: match contact.id {
                    PointId::Feature(id) => i64::from(id),
                    PointId::Proximity => -1,
                },
                state: contact.state,
                vectors: [&contact.normal, &contact.r_a, &contact.r_b, &tangent].map(double),
                numbers: numbers.map(T::to_f64),
            }
        });
        contacts.collect()
    }

    fn joints(&self) -> Vec<StepJoint> {
        let pose = |body: usize| pose(&self.world.positions()[body], &self.world.orientations()[body]);
        let joints = self.world.joints().enumerate().map(|(index, joint)| {
            let (a, b) = (pose(joint.a), pose(joint.b));
            let kept = self.pipeline.joint(index).copied().unwrap_or_default();
            let state = JointState::new(&Link::new(joint), [&a, &b], kept.position.to_f64());
            let force = |impulse: &Vector3<T>| a.1 * double(impulse) / self.part;
            StepJoint {
                bodies: [joint.a, joint.b],
                numbers: [state.position, state.error],
                vectors: [&kept.linear, &kept.angular].map(force),
            }
        });
        joints.collect()
    }

    fn set_motor(&mut self, joint: usize, motor: Option<&MotorEntry>) -> Result<(), String> {
        let missing = || format!("joints[{joint}]: does not exist, there are {}", self.world.joints().count());
        let mut changed = *self.world.joint(joint).ok_or_else(missing)?;
        let motor = motor.map(MotorEntry::motor).transpose()?;
        match &mut changed.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => axis.motor = motor,
            _ => return Err(format!("joints[{joint}]: is no hinge and no slider, and has no motor")),
        }
        self.world.set_joint(joint, changed).map_err(line)
    }

    fn digest(&self) -> u64 {
        self.world.digest()
    }

    fn has_moments(&self) -> bool {
        let surface = |body: usize| self.world.surface(body).is_some_and(|surface| surface.has_moments());
        (0..self.world.len()).any(surface)
    }

    fn grown(&mut self) -> Made {
        let mut large = Large::<T>::new(self.pipeline.settings)?;
        for body in 0..self.world.len() {
            large.world.push(self.world.get(body).unwrap_or_else(RigidBody::fixed)).map_err(line)?;
            large.world.set_surface(body, self.world.surface(body).unwrap_or_default()).map_err(line)?;
        }
        for joint in self.world.joints() {
            large.world.push_joint(*joint).map_err(line)?;
        }
        let kept = self.pipeline.cache();
        let mut bytes = vec![0; kept.saved_bytes()];
        if kept.save(&mut bytes).is_some() {
            large.pipeline.restore_cache(&bytes).map_err(|error| format!("contacts: {error:?}"))?;
        }
        large.part = self.part;
        Ok(Box::new(large))
    }
}

fn reported<T: Real>(report: &StepReport<T>, work: &JointWork<T>) -> Reported {
    let ledger = &report.ledger;
    let named = |figures: &[(&'static str, T)]| figures.iter().map(|(name, value)| (*name, value.to_f64())).collect();
    Reported {
        status: report.status,
        counts: vec![
            ("contacts", report.contacts),
            ("contacts_left_out", report.contacts_left_out),
            ("warm_started", report.warm_started),
            ("islands", report.islands),
            ("sweeps", report.sweeps as usize),
            ("newton_steps", report.direct.newton_steps as usize),
        ],
        flags: vec![("passivity_guard", report.passivity_guard), ("bounce_dropped", report.bounce_dropped)],
        figures: named(&[
            ("residual", report.residual),
            ("closing_speed", report.closing_speed),
            ("depth", report.depth),
        ]),
        ledger: named(&[
            ("kinetic_before", ledger.kinetic_before),
            ("kinetic_after", ledger.kinetic_after),
            ("potential_before", ledger.potential_before),
            ("potential_after", ledger.potential_after),
            ("load", ledger.load),
            ("integration", ledger.integration),
            ("bounce", ledger.bounce),
            ("normal", ledger.normal),
            ("friction", ledger.friction),
            ("position_correction", ledger.position_correction),
        ]),
        joint_work: named(&[
            ("motor", work.motor),
            ("spring", work.spring),
            ("friction", work.friction),
            ("stored_before", work.stored_before),
            ("stored_after", work.stored_after),
        ]),
    }
}
