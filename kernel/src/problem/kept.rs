//! Contacts as they are kept from step to step: what their rows are built from, and their impulses.
use nalgebra::{UnitQuaternion, Vector3};

use crate::math::real::Real;
use crate::problem::material::Material;
use crate::problem::point_id::PointId;

/// How an island was in a step, which the next step begins with.
///
/// ```
/// use stiction::record::IslandState;
/// assert!(!IslandState::default().rested);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IslandState {
    /// Whether it was at rest, or would have been if its factor had not been late.
    pub rested: bool,
    /// Whether it is small, and sweeps converge slowly: it takes soft substeps as long as its contacts are kept.
    pub converges_slowly: bool,
    /// The state of its factor.
    pub factor: FactorState,
    /// Whether its factor is the stiff one, for contacts that do not change.
    pub stiff: bool,
}

impl IslandState {
    /// Of contacts that are new.
    pub(crate) const NEW: Self =
        IslandState { rested: false, converges_slowly: false, factor: FactorState::None, stiff: false };
}

/// The state of an island's factor.
///
/// ```
/// use stiction::record::{FactorState, IslandState};
/// assert_eq!(IslandState::default().factor, FactorState::None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FactorState {
    /// It has none.
    #[default]
    None,
    /// It has memory for one.
    Reserved,
    /// It has one. Only records of what a step begins with say so; a pipeline stores `Reserved`.
    Made,
}

/// How a contact takes part in its island's factor.
///
/// ```
/// use stiction::record::Hold;
/// assert_eq!(Hold::default(), Hold::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// It is new.
    #[default]
    Unknown,
    /// Not at all.
    Open,
    /// In all directions.
    Sticks,
    /// Along its normal.
    Slides,
}

/// Two bodies that touch, as they were when the rows of their contacts were built.
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
/// use stiction::record::{KeptManifold, KeptPoint};
/// use stiction::{Hooks, Observer};
/// /// Pairs of bodies that touch.
/// struct Pairs(Vec<(u16, u16)>);
/// impl Observer<f64> for Pairs {
///     fn step_manifold(&mut self, manifold: &KeptManifold<f64>, _points: &[KeptPoint<f64>]) {
///         self.0.push((manifold.a, manifold.b));
///     }
/// }
/// let mut pairs = Pairs(Vec::new());
/// pipeline.step_with(&mut world, stiction::manifolds(&[manifold]), 0.01, Hooks::with_observer(&mut pairs))?;
/// assert_eq!(pairs.0, [(0, 1)]);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KeptManifold<T: Real> {
    /// Index of body A.
    pub a: u16,
    /// Index of body B.
    pub b: u16,
    /// The first of its points.
    pub(crate) first: u16,
    /// How many points it has.
    pub count: u16,
    /// How its island was in the step.
    pub island: IslandState,
    /// Digest of mass and inertia of each body: rows hold for these only.
    pub masses: [u64; 2],
    /// Unit normal from A to B.
    pub normal: Vector3<T>,
    /// Orientation of A when it was built.
    pub orientation_a: UnitQuaternion<T>,
    /// Orientation of B when it was built.
    pub orientation_b: UnitQuaternion<T>,
    /// From A's centre to B's, m.
    pub offset: Vector3<T>,
    /// Longest lever arm of the smaller body, m.
    pub extent: T,
    /// The pair's material.
    pub material: Material<T>,
}

/// A point of a kept manifold.
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
/// use stiction::record::{KeptManifold, KeptPoint};
/// use stiction::{Hooks, Observer};
/// /// The normal impulse that a substep begins with, N s.
/// struct Warm(f64);
/// impl Observer<f64> for Warm {
///     fn step_manifold(&mut self, _manifold: &KeptManifold<f64>, points: &[KeptPoint<f64>]) {
///         self.0 = points[0].impulse.x;
///     }
/// }
/// let mut warm = Warm(0.0);
/// for _ in 0..2 {
///     let found = std::slice::from_ref(&manifold);
///     pipeline.step_with(&mut world, stiction::manifolds(found), 0.008, Hooks::with_observer(&mut warm))?;
/// }
/// assert!((warm.0 - 2.0 * 9.81 * 0.001).abs() < 1e-9); // the weight of 2 kg for an eighth of a step
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KeptPoint<T: Real> {
    /// How it is recognised in the next step.
    pub id: PointId,
    /// Its manifold.
    pub(crate) manifold: u16,
    /// The point fixed in A, in A's axes, m.
    pub anchor_a: Vector3<T>,
    /// The point fixed in B, in B's axes, m.
    pub anchor_b: Vector3<T>,
    /// Penetration depth, m.
    pub depth: T,
    /// Its depth when the manifold was built, m.
    pub depth_built: T,
    /// Impulse of a substep along the normal and two tangents, N s: what the next substep begins with.
    pub impulse: Vector3<T>,
    /// How it takes part in its island's factor.
    pub hold: Hold,
    /// For how many steps in a row it has slid, up to 255.
    pub sliding: u8,
}
