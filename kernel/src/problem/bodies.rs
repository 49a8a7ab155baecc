//! Bodies in columns, validated on entry.
use nalgebra::{Matrix3, Vector3};

use crate::math::real::Real;
use crate::problem::body::{Body, validate_body, validate_velocities};
use crate::problem::columns::columns;
use crate::problem::error::{ErrorKind, InputError};

columns! {
    struct BodyColumns<NB> of Body where T: Real {
        inverse_mass: T,
        inverse_inertia_world: Matrix3<T>,
        linear_velocity: Vector3<T>,
        angular_velocity: Vector3<T>,
    }
}

/// Up to `NB` bodies, in columns.
///
/// ```
/// use stiction::{Bodies, Body};
/// let mut bodies = Bodies::<f32, 2>::new();
/// let ground = bodies.push(Body::fixed())?;
/// assert_eq!(bodies.get(ground).map(|b| b.inverse_mass), Some(0.0));
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bodies<T: Real, const NB: usize> {
    columns: BodyColumns<T, NB>,
}

impl<T: Real, const NB: usize> Default for Bodies<T, NB> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NB: usize> Bodies<T, NB> {
    const FITS_IN_INDEX: () = assert!(NB <= u16::MAX as usize, "body indices are 16 bits wide");

    /// No bodies.
    pub const fn new() -> Self {
        let () = Self::FITS_IN_INDEX;
        Bodies { columns: BodyColumns::new() }
    }

    /// Adds a body and returns its index. A rejected body changes nothing.
    pub fn push(&mut self, body: Body<T>) -> Result<usize, InputError<T>> {
        let index = self.len();
        let body = validate_body(index, &body, "inverse_inertia_world")?;
        let full = InputError::body(index, "", ErrorKind::Full { capacity: NB });
        if self.columns.push(&body) { Ok(index) } else { Err(full) }
    }

    /// The body at an index.
    pub fn get(&self, index: usize) -> Option<Body<T>> {
        self.columns.get(index)
    }

    /// Replaces a body. A rejected body changes nothing.
    pub fn set(&mut self, index: usize, body: Body<T>) -> Result<(), InputError<T>> {
        let body = validate_body(index, &body, "inverse_inertia_world")?;
        let missing = InputError::body(index, "", ErrorKind::NoSuchBody { index, bodies: self.len() });
        if self.columns.set(index, &body) { Ok(()) } else { Err(missing) }
    }

    /// Sets the velocities of a body, in m/s and rad/s.
    pub fn set_velocity(&mut self, index: usize, linear: Vector3<T>, angular: Vector3<T>) -> Result<(), InputError<T>> {
        validate_velocities(index, &linear, &angular)?;
        let bodies = self.len();
        let (Some(v), Some(w)) =
            (self.columns.linear_velocity.get_mut(index), self.columns.angular_velocity.get_mut(index))
        else {
            return Err(InputError::body(index, "", ErrorKind::NoSuchBody { index, bodies }));
        };
        *v = linear;
        *w = angular;
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.columns.inverse_mass.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.inverse_mass.is_empty()
    }

    /// Removes all bodies.
    pub fn clear(&mut self) {
        self.columns.clear();
    }

    /// Linear velocities in m/s, one a body.
    pub fn linear_velocities(&self) -> &[Vector3<T>] {
        &self.columns.linear_velocity
    }

    /// Angular velocities in rad/s, one a body.
    pub fn angular_velocities(&self) -> &[Vector3<T>] {
        &self.columns.angular_velocity
    }

    /// Kinetic energy of all bodies in J.
    pub fn kinetic_energy(&self) -> T {
        (0..self.len()).filter_map(|i| self.get(i)).fold(T::ZERO, |sum, body| sum + body.kinetic_energy())
    }

    /// Whether there is a body at the index and impulses move it.
    #[inline(always)]
    pub(crate) fn is_movable(&self, index: usize) -> bool {
        self.inverse_mass(index) > T::ZERO
    }

    /// The inverse mass of a body; 0 if there is none.
    pub(crate) fn inverse_mass(&self, index: usize) -> T {
        self.columns.inverse_mass.get(index).copied().unwrap_or(T::ZERO)
    }

    pub(crate) fn mass_properties(&self, index: usize) -> Option<(T, &Matrix3<T>)> {
        Some((*self.columns.inverse_mass.get(index)?, self.columns.inverse_inertia_world.get(index)?))
    }

    /// Stores an inverse inertia that was checked in other axes.
    pub(crate) fn store_inverse_inertia(&mut self, index: usize, inverse_inertia: &Matrix3<T>) {
        if let Some(slot) = self.columns.inverse_inertia_world.get_mut(index) {
            *slot = *inverse_inertia;
        }
    }

    /// Stores velocities that a solve computed from checked ones.
    #[inline(never)]
    pub(crate) fn store_velocity(&mut self, index: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
        if let (Some(v), Some(w)) =
            (self.columns.linear_velocity.get_mut(index), self.columns.angular_velocity.get_mut(index))
        {
            *v = *linear;
            *w = *angular;
        }
    }
}
