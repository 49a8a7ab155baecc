//! Bodies with poses, as a step moves them. The solver's own columns, and beside them pose, load and surface.
//!
//! The caller passes inverse inertia in body axes; the solver's columns store it in world axes, updated after every
//! rotation.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::quaternion::{length, matrix, normalised, rotated_tensor, to_own_axes};
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::body::{Body, energy_of, validate_body};
use crate::problem::columns::{columns, replace};
use crate::problem::contact_rows::{Column, ContactRows, Element, ThreeRows};
use crate::problem::error::{ErrorKind, InputError, NORMALISED_TOLERANCE, validate_range, validate_vector};
use crate::problem::joint::Joint;
use crate::problem::material::Material;
use crate::problem::observer::BodyRecord;
use crate::problem::rigid_body::RigidBody;
use crate::problem::surface::Surface;
use crate::problem::wrench::Wrench;
use crate::record::bytes::{FNV64_START, fnv64};

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct State<T: Real> {
    pub position: Vector3<T>,
    pub orientation: UnitQuaternion<T>,
    pub linear: Vector3<T>,
    pub angular: Vector3<T>,
}

/// The state of a world's body.
pub(crate) struct StateRef<'a, T: Real> {
    pub position: &'a Vector3<T>,
    pub orientation: &'a UnitQuaternion<T>,
    pub linear: &'a Vector3<T>,
    pub angular: &'a Vector3<T>,
}

/// The part of a body that the solver does not need.
pub(crate) struct Placement<T: Real> {
    /// In body axes.
    inverse_inertia_body: Matrix3<T>,
    position: Vector3<T>,
    orientation: UnitQuaternion<T>,
    load: Wrench<T>,
    material: Material<T>,
}

columns! {
    struct PlacementColumns<NB> of Placement where T: Real {
        inverse_inertia_body: Matrix3<T>,
        position: Vector3<T>,
        orientation: UnitQuaternion<T>,
        load: Wrench<T>,
        material: Material<T>,
    }
}

/// Up to `NB` bodies with poses. With [`SixRows`](crate::SixRows) they have surfaces, too.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{RigidBody, World};
/// let mut world = World::<f64, 2>::new();
/// let above = Vector3::new(0.0, 0.0, 0.5);
/// let cube = world.push(RigidBody { position: above, ..RigidBody::from_mass(1.0, Matrix3::identity() / 6.0) })?;
/// assert_eq!(world.get(cube).unwrap().position.z, 0.5);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct World<T: Real, const NB: usize, R: ContactRows = ThreeRows> {
    bodies: Bodies<T, NB>,
    columns: PlacementColumns<T, NB>,
    /// Friction beyond sliding; directions in body axes.
    pub(crate) surfaces: R::Column<Surface<T>, NB>,
    pub(crate) joints: R::PerJoint<Joint<T>>,
    /// How many joints there are.
    pub(crate) joint_count: R::IfJoints<u16, 1>,
}

impl<T: Real, const NB: usize, R: ContactRows> Default for World<T, NB, R> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NB: usize> World<T, NB> {
    /// No bodies.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NB: usize, R: ContactRows> World<T, NB, R> {
    /// No bodies, for contacts of either kind of rows.
    pub const fn empty() -> Self {
        World {
            bodies: Bodies::new(),
            columns: PlacementColumns::new(),
            surfaces: R::Column::PLAIN,
            joints: R::PerJoint::PLAIN,
            joint_count: R::IfJoints::PLAIN,
        }
    }

    /// Adds a body and returns its index. A rejected body changes nothing.
    pub fn push(&mut self, body: RigidBody<T>) -> Result<usize, InputError<T>> {
        let index = self.len();
        let body = validate(index, &body)?;
        self.bodies.push(solver_body(&body))?;
        self.columns.push(&placement_of(&body));
        if let Some(surface) = self.surfaces.at_mut(index) {
            *surface = Surface::PLAIN;
        }
        Ok(index)
    }

    /// The body at an index.
    pub fn get(&self, index: usize) -> Option<RigidBody<T>> {
        let Body { inverse_mass, linear_velocity, angular_velocity, .. } = self.bodies.get(index)?;
        let Placement { inverse_inertia_body, position, orientation, load, material } = self.columns.get(index)?;
        Some(RigidBody {
            inverse_mass,
            inverse_inertia_body,
            position,
            orientation,
            linear_velocity,
            angular_velocity,
            load,
            material,
        })
    }

    /// Replaces a body: a new position, new velocities, another mass. A rejected body changes nothing.
    pub fn set(&mut self, index: usize, body: RigidBody<T>) -> Result<(), InputError<T>> {
        let body = validate(index, &body)?;
        self.bodies.set(index, solver_body(&body))?;
        self.columns.set(index, &placement_of(&body));
        Ok(())
    }

    /// Sets the external force and torque on a body, which act in every step until changed.
    pub fn set_load(&mut self, index: usize, load: Wrench<T>) -> Result<(), InputError<T>> {
        validate_load(index, &load)?;
        let bodies = self.len();
        let missing = InputError::body(index, "", ErrorKind::NoSuchBody { index, bodies });
        *self.columns.load.get_mut(index).ok_or(missing)? = load;
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Removes all bodies and joints.
    pub fn clear(&mut self) {
        self.clear_joints();
        self.bodies.clear();
        self.columns.clear();
    }

    /// The bodies as the solver sees them.
    pub fn bodies(&self) -> &Bodies<T, NB> {
        &self.bodies
    }

    /// Centres of mass in m, one a body.
    pub fn positions(&self) -> &[Vector3<T>] {
        &self.columns.position
    }

    /// Orientations, one a body.
    pub fn orientations(&self) -> &[UnitQuaternion<T>] {
        &self.columns.orientation
    }

    /// Kinetic energy of all bodies that can move, J. Taken in body axes, where slender bodies lose no digits.
    pub fn kinetic_energy(&self) -> T {
        let mut energy = T::ZERO;
        for index in 0..self.len() {
            let (Some(state), Some(own)) = (self.state(index), self.columns.inverse_inertia_body.get(index)) else {
                break;
            };
            let inverse_mass = self.bodies.inverse_mass(index);
            let spin = to_own_axes(&matrix(state.orientation), state.angular);
            energy += energy_of(inverse_mass, own, state.linear, &spin).value;
        }
        energy
    }

    /// Potential energy of all bodies that can move, J: `−Σ m g·x`, zero at the origin.
    pub fn potential_energy(&self, gravity: &Vector3<T>) -> T {
        let mut energy = T::ZERO;
        for (index, position) in self.columns.position.iter().enumerate() {
            let inverse_mass = self.bodies.inverse_mass(index);
            if inverse_mass > T::ZERO {
                energy -= gravity.dot(position) / inverse_mass;
            }
        }
        energy
    }

    /// Digest of position, orientation and velocities of all bodies, bit by bit: that of a recorded step.
    pub fn digest(&self) -> u64 {
        let records = (0..self.len()).filter_map(|body| self.record_of(body));
        records.fold(FNV64_START, |hash, record| fnv64(hash, &record.scalars()))
    }

    /// A body for an observer.
    pub(crate) fn record_of(&self, body: usize) -> Option<BodyRecord<T>> {
        let StateRef { position, orientation, linear, angular } = self.state(body)?;
        Some(BodyRecord { body, position: *position, orientation: *orientation, linear: *linear, angular: *angular })
    }

    pub(crate) fn material(&self, index: usize) -> Material<T> {
        self.columns.material.get(index).copied().unwrap_or(Material::SMOOTH)
    }

    pub(crate) fn load(&self, index: usize) -> Option<&Wrench<T>> {
        self.columns.load.get(index)
    }

    /// Inverse inertia in body axes.
    pub(crate) fn own_inverse_inertia(&self, index: usize) -> Option<&Matrix3<T>> {
        self.columns.inverse_inertia_body.get(index)
    }

    pub(crate) fn state(&self, index: usize) -> Option<StateRef<'_, T>> {
        Some(StateRef {
            position: self.columns.position.get(index)?,
            orientation: self.columns.orientation.get(index)?,
            linear: self.bodies.linear_velocities().get(index)?,
            angular: self.bodies.angular_velocities().get(index)?,
        })
    }

    /// Stores where a body that did not rotate is, and that it has no spin.
    pub(crate) fn store_translation(&mut self, index: usize, position: &Vector3<T>, linear: &Vector3<T>) {
        replace(&mut self.columns.position, index, *position);
        self.bodies.store_velocity(index, linear, &Vector3::zeros());
    }

    /// Stores a state that a step computed from a checked one.
    pub(crate) fn store_state(&mut self, index: usize, state: &State<T>) {
        let Some(own) = self.columns.inverse_inertia_body.get(index) else { return };
        let inverse_inertia = rotated_tensor(&matrix(&state.orientation), own);
        replace(&mut self.columns.position, index, state.position);
        replace(&mut self.columns.orientation, index, state.orientation);
        self.bodies.store_velocity(index, &state.linear, &state.angular);
        self.bodies.store_inverse_inertia(index, &inverse_inertia);
    }
}

fn placement_of<T: Real>(body: &RigidBody<T>) -> Placement<T> {
    let RigidBody { inverse_inertia_body, position, orientation, load, material, .. } = *body;
    Placement { inverse_inertia_body, position, orientation, load, material }
}

/// The body in the solver's terms.
fn solver_body<T: Real>(body: &RigidBody<T>) -> Body<T> {
    Body {
        inverse_mass: body.inverse_mass,
        inverse_inertia_world: rotated_tensor(&matrix(&body.orientation), &body.inverse_inertia_body),
        linear_velocity: body.linear_velocity,
        angular_velocity: body.angular_velocity,
    }
}

/// Validates a body; returns it with an exactly symmetric inertia and a normalised orientation.
fn validate<T: Real>(index: usize, body: &RigidBody<T>) -> Result<RigidBody<T>, InputError<T>> {
    let own = Body {
        inverse_mass: body.inverse_mass,
        inverse_inertia_world: body.inverse_inertia_body,
        linear_velocity: body.linear_velocity,
        angular_velocity: body.angular_velocity,
    };
    let Body { inverse_inertia_world: inverse_inertia, .. } = validate_body(index, &own, "inverse_inertia_body")?;
    let field = |name| move |kind| InputError::body(index, name, kind);
    validate_vector(&body.position, T::POSITION_LIMIT, field("position"))?;
    validate_range(body.material.mu, T::ZERO, T::FRICTION_LIMIT, field("material.mu"))?;
    validate_range(body.material.restitution, T::ZERO, T::ONE, field("material.restitution"))?;
    validate_load(index, &body.load)?;
    let orientation = unit_orientation(&body.orientation).map_err(field("orientation"))?;
    Ok(RigidBody { inverse_inertia_body: inverse_inertia, orientation, ..*body })
}

/// The orientation, normalised; as it is if it is a unit up to rounding, so that a body that is read and added elsewhere
/// has the same bits.
fn unit_orientation<T: Real>(orientation: &UnitQuaternion<T>) -> Result<UnitQuaternion<T>, ErrorKind<T>> {
    let q = orientation.quaternion();
    let length = length(q);
    if !length.is_finite() {
        return Err(ErrorKind::NotFinite);
    }
    if (length - T::ONE).abs() <= T::lit(4.0) * T::EPSILON {
        return Ok(*orientation);
    }
    let close = (length - T::ONE).abs() <= T::lit(NORMALISED_TOLERANCE);
    normalised(*q).filter(|_| close).ok_or(ErrorKind::NotUnit { length })
}

fn validate_load<T: Real>(index: usize, load: &Wrench<T>) -> Result<(), InputError<T>> {
    validate_vector(&load.force, T::IMPULSE_LIMIT, |reason| InputError::body(index, "load.force", reason))?;
    validate_vector(&load.torque, T::IMPULSE_LIMIT, |reason| InputError::body(index, "load.torque", reason))
}
