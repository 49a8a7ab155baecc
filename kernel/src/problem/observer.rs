//! Records of a running solve: plain data, passed one at a time to an [`Observer`]. No memory is allocated.
use nalgebra::{UnitQuaternion, Vector3};

use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::conditions::{DirectSize, SolveConditions};
use crate::problem::contact::Contact;
use crate::problem::joint_record::JointRecord;
use crate::problem::kept::{KeptManifold, KeptPoint};
use crate::problem::point_id::PointId;
use crate::problem::report::{ContactState, Report};
use crate::problem::rigid_body::RigidBody;
use crate::problem::settings::Settings;
use crate::problem::step_settings::StepSettings;
use crate::problem::surface::Surface;

/// A body after a step.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// use stiction::record::BodyRecord;
/// use stiction::{Hooks, Observer};
/// // A trace of where every body was after each step, as an animation needs it.
/// struct Trace(Vec<Vector3<f64>>);
/// impl Observer<f64> for Trace {
///     fn body(&mut self, record: &BodyRecord<f64>) {
///         self.0.push(record.position);
///     }
/// }
/// # let mut world = World::<f64, 1>::new();
/// # world.push(RigidBody { linear_velocity: Vector3::x(), ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut pipeline = Pipeline::<f64, 1, 1>::new(StepSettings::default());
/// let mut trace = Trace(Vec::new());
/// pipeline.step_with(&mut world, |_, _| Ok(()), 0.5, Hooks::with_observer(&mut trace))?;
/// assert_eq!(trace.0, world.positions());
/// # assert_eq!(trace.0[0].x, 0.5);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyRecord<T: Real> {
    /// Its index.
    pub body: usize,
    /// Centre of mass, m.
    pub position: Vector3<T>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<T>,
    /// Velocity, m/s.
    pub linear: Vector3<T>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<T>,
}

impl<T: Real> BodyRecord<T> {
    /// Position, orientation (x, y, z, w), velocity and angular velocity.
    pub(crate) fn scalars(&self) -> [T; 13] {
        let (p, q, v, w) = (&self.position, &self.orientation.quaternion().coords, &self.linear, &self.angular);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

/// A contact after a solve: its geometry, its laws and its impulses in one record.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::PointId;
/// # use stiction::{Manifold, ManifoldPoint, Material};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f64, 2>::new();
/// # world.push(RigidBody::fixed())?;
/// # let linear = Vector3::new(3.0, 0.0, -1.0);
/// # world.push(RigidBody { linear_velocity: linear, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # manifold.material = Some(Material { mu: 0.2, restitution: 0.0 });
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(0) });
/// # let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// use stiction::record::ContactRecord;
/// use stiction::{Hooks, Observer};
/// /// The largest friction impulse, N s, to draw arrows to scale.
/// struct Largest(f64);
/// impl Observer<f64> for Largest {
///     fn contact(&mut self, record: &ContactRecord<f64>) {
///         self.0 = self.0.max(record.t1_impulse.hypot(record.t2_impulse));
///     }
/// }
/// let mut largest = Largest(0.0);
/// let hooks = Hooks::with_observer(&mut largest);
/// pipeline.step_with(&mut world, |_, collector| collector.push(&manifold), 0.001, hooks)?;
/// // μ times the impulse that stops the fall and a step's gravity.
/// assert!((largest.0 - 0.2 * (1.0 + 0.00981)).abs() < 1e-9);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRecord<T> {
    /// Its index.
    pub contact: usize,
    /// The island that it was solved in.
    pub island: usize,
    /// How it is recognised from frame to frame.
    pub id: PointId,
    /// Body A.
    pub a: usize,
    /// Body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: Vector3<T>,
    /// From A's centre of mass to the contact point, m.
    pub r_a: Vector3<T>,
    /// From B's centre of mass to the contact point, m.
    pub r_b: Vector3<T>,
    /// Penetration depth, m.
    pub depth: T,
    /// Restitution of the pair.
    pub restitution: T,
    /// Normal velocity before impact, m/s, where one was recorded.
    pub pre_impact_normal_velocity: Option<T>,
    /// First tangent; zero without friction.
    pub t1: Vector3<T>,
    /// Second tangent; zero without friction.
    pub t2: Vector3<T>,
    /// Friction coefficient of the pair.
    pub mu: T,
    /// Normal impulse of the contact phase, N s. The total is the sum of this and the bounce.
    pub normal_impulse: T,
    /// Normal impulse of the bounce, N s.
    pub bounce_impulse: T,
    /// Impulse along the first tangent, N s.
    pub t1_impulse: T,
    /// Impulse along the second tangent, N s.
    pub t2_impulse: T,
    /// State of the contact.
    pub state: ContactState,
}

/// Friction beyond sliding in a solve, for contacts that have some.
///
/// One method of [`Observer`] receives all of it, so that programs whose contacts have three rows carry nothing more.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, SixRows, Solver, Surface};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # let angular_velocity = Vector3::new(0.0, 0.0, 9.0);
/// # let linear_velocity = Vector3::new(0.0, 0.0, -1.0);
/// # bodies.push(Body { linear_velocity, angular_velocity, ..Body::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut contacts = Contacts::<f64, 2, SixRows>::empty();
/// # contacts.push_on(Contact { mu: 0.5, ..Contact::default() }, Surface { torsion: 0.1, ..Surface::default() })?;
/// # let mut solver = Solver::<f64, 2, 2, SixRows>::empty();
/// use stiction::record::SurfaceRecord;
/// use stiction::{Hooks, Observer};
/// /// How many contacts spin.
/// struct Spinning(usize);
/// impl Observer<f64> for Spinning {
///     fn surface(&mut self, record: &SurfaceRecord<'_, f64>) {
///         if let SurfaceRecord::Outcome { reached: [_, spins, _], .. } = record {
///             self.0 += usize::from(*spins);
///         }
///     }
/// }
/// let mut spinning = Spinning(0);
/// let hooks = Hooks::with_observer(&mut spinning);
/// solver.solve_with(&mut bodies, &contacts, &Settings::default(), 0.01, hooks)?;
/// assert_eq!(spinning.0, 1);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfaceRecord<'a, T> {
    /// Before the input: how many contacts of it have some.
    Count(usize),
    /// After the contacts of the input: a contact's friction, warm moment included.
    Input {
        /// Index of the contact.
        contact: usize,
        /// Its friction.
        surface: &'a Surface<T>,
    },
    /// After the record of the contact: its part in the answer.
    Outcome {
        /// Index of the contact.
        contact: usize,
        /// Its moment on B as a world vector, N m s.
        moment: Vector3<T>,
        /// Which bounds it has reached: of sliding, spinning and rolling.
        reached: [bool; 3],
    },
}

/// What a step begins with, and how many bodies, manifolds and points follow.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Manifold, ManifoldPoint, PointId};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f64, 2>::new();
/// # world.push(RigidBody::fixed())?;
/// # let linear_velocity = Vector3::new(0.0, 0.0, -1.0);
/// # world.push(RigidBody { linear_velocity, ..RigidBody::from_mass(2.0, Matrix3::identity()) })?;
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(0) });
/// # let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// use stiction::record::StepInput;
/// use stiction::{Hooks, Observer};
/// /// Counts contact points.
/// struct Count(usize);
/// impl Observer<f64> for Count {
///     fn step(&mut self, input: &StepInput<'_, f64>) {
///         self.0 += input.points;
///     }
/// }
/// let mut count = Count(0);
/// pipeline.step_with(&mut world, stiction::manifolds(&[manifold]), 0.01, Hooks::with_observer(&mut count))?;
/// assert_eq!(count.0, 1);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StepInput<'a, T: Real> {
    /// Its settings.
    pub settings: &'a StepSettings<T>,
    /// Its length, s.
    pub dt: T,
    /// Memory for direct methods.
    pub direct: DirectSize,
    /// Memory of the kept factor, in blocks.
    pub factor_blocks: u32,
    /// Bodies.
    pub bodies: usize,
    /// Pairs of bodies that touch.
    pub manifolds: usize,
    /// Their points.
    pub points: usize,
    /// Steps so far, modulo 8.
    pub steps: u8,
    /// How its contacts were found.
    pub found: FoundContacts,
}

/// How the contacts of a step were found.
///
/// ```
/// # use stiction::{Pipeline, StepSettings, World};
/// # let (mut world, mut pipeline) = (World::<f64, 1>::new(), Pipeline::<f64, 1, 1>::new(StepSettings::default()));
/// use stiction::record::{FoundContacts, StepInput};
/// use stiction::{Hooks, Observer};
/// struct Last(Option<FoundContacts>);
/// impl Observer<f64> for Last {
///     fn step(&mut self, input: &StepInput<'_, f64>) {
///         self.0 = Some(input.found);
///     }
/// }
/// let mut last = Last(None);
/// pipeline.step_with(&mut world, stiction::manifolds(&[]), 0.01, Hooks::with_observer(&mut last))?;
/// assert_eq!(last.0, Some(FoundContacts::default())); // nothing touches
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FoundContacts {
    /// Contacts that did not fit.
    pub left_out: u32,
    /// Contacts that begin with an impulse of the step before.
    pub warm_started: u16,
    /// Contacts that keep their rows from the step before.
    pub kept: u16,
}

/// Receives records. Every method has an empty default.
///
/// A solve is reported in this order: `input`, its bodies and its contacts, `solving`; then a report for each island,
/// velocities, contacts, and `solved`. A step: `step`, its bodies and manifolds, `solving`; then a report for each
/// island, contacts, bodies, and `solved`. [`SurfaceRecord`] and [`JointRecord`] say where friction beyond sliding and
/// joints come in between.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::PointId;
/// # use stiction::{Manifold, ManifoldPoint, Material};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f64, 2>::new();
/// # world.push(RigidBody::fixed())?;
/// # let linear = Vector3::new(0.0, 0.0, -1.0);
/// # world.push(RigidBody { linear_velocity: linear, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # manifold.material = Some(Material { mu: 0.5, restitution: 0.0 });
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(0) });
/// # let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// # use stiction::{Report, Status};
/// use stiction::{Hooks, Observer};
/// /// Counts islands, and those that were not solved.
/// struct Watch(u32, u32);
/// impl Observer<f64> for Watch {
///     fn report(&mut self, _island: usize, report: &Report<f64>) {
///         self.0 += 1;
///         self.1 += u32::from(report.status != Status::Converged);
///     }
/// }
/// let mut watch = Watch(0, 0);
/// pipeline.step_with(&mut world, |_, collector| collector.push(&manifold), 0.01, Hooks::with_observer(&mut watch))?;
/// assert_eq!((watch.0, watch.1), (1, 0));
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub trait Observer<T: Real> {
    /// A solve begins with so many bodies and contacts.
    fn input(
        &mut self,
        _settings: &Settings<T>,
        _dt: T,
        _conditions: &SolveConditions,
        _bodies: usize,
        _contacts: usize,
    ) {
    }
    /// A body as the solve finds it.
    fn input_body(&mut self, _body: &Body<T>) {}
    /// A contact as the solve finds it, warm start included.
    fn input_contact(&mut self, _contact: &Contact<T>) {}
    /// Friction beyond sliding, of the input and of the answer. Only for contacts that have some.
    fn surface(&mut self, _record: &SurfaceRecord<'_, T>) {}
    /// A step begins.
    fn step(&mut self, _input: &StepInput<'_, T>) {}
    /// A body as the step finds it.
    fn step_body(&mut self, _body: &RigidBody<T>) {}
    /// Two bodies that touch, and where, with the impulses that the step begins with.
    fn step_manifold(&mut self, _manifold: &KeptManifold<T>, _points: &[KeptPoint<T>]) {}
    /// Joints, of the input and of the answer of a step. Only where there are some.
    fn joint(&mut self, _record: &JointRecord<'_, T>) {}
    /// The input is complete.
    fn solving(&mut self) {}
    /// An island is solved.
    fn report(&mut self, _island: usize, _report: &Report<T>) {}
    /// A body's velocities after the solve, before it moves.
    fn velocity(&mut self, _body: usize, _linear: &Vector3<T>, _angular: &Vector3<T>) {}
    /// A contact after the solve or the step.
    fn contact(&mut self, _contact: &ContactRecord<T>) {}
    /// A body after the step.
    fn body(&mut self, _body: &BodyRecord<T>) {}
    /// The solve or the step is over. `stopped_at` is the call of `should_stop`, counted from 1, that first returned true.
    fn solved(&mut self, _stopped_at: Option<u32>) {}
}

/// Ignores everything.
impl<T: Real> Observer<T> for () {}
