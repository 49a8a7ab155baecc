//! Bodies: what the solver needs of each, in columns, checked on the way in.
//!
//! A body that cannot move has inverse mass 0 and inverse inertia 0, and takes the same path as every other.

use arrayvec::ArrayVec;
use nalgebra::{Matrix3, Vector3};

use crate::inertia::{Energy, InertiaFactor, rounding};
use crate::real::Real;
use crate::refusal::{Reason, Refusal};
use crate::small::is_nothing;

/// One rigid body. Vectors are in world axes.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::Body;
/// // A solid ball of 2 kg and radius 0.1 m rolls at 3 m/s: its inertia is 2/5 m r² = 0.008 kg m².
/// let inverse_inertia = Matrix3::identity() / 0.008;
/// let rolling = Body {
///     linear: Vector3::new(3.0, 0.0, 0.0),
///     angular: Vector3::new(0.0, 30.0, 0.0),
///     ..Body::at_rest(0.5, inverse_inertia)
/// };
/// assert!((rolling.kinetic_energy() - 12.6_f64).abs() < 1e-9); // 9 J of translation, 3.6 J of rotation
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body<T> {
    /// 1/mass in 1/kg; 0 for a body that cannot move.
    pub inverse_mass: T,
    /// Inverse inertia about the centre of mass, in world axes, 1/(kg m²). Symmetric; zero rows lock rotation.
    pub inverse_inertia: Matrix3<T>,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3<T>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<T>,
}

impl<T: Real> Body<T> {
    /// A body that cannot move, standing still.
    ///
    /// ```
    /// let ground = stiction::Body::<f64>::fixed();
    /// assert_eq!(ground.inverse_mass, 0.0);
    /// ```
    pub fn fixed() -> Self {
        Body {
            inverse_mass: T::ZERO,
            inverse_inertia: Matrix3::zeros(),
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        }
    }

    /// A body at rest.
    pub fn at_rest(inverse_mass: T, inverse_inertia: Matrix3<T>) -> Self {
        Body { inverse_mass, inverse_inertia, ..Self::fixed() }
    }

    /// Kinetic energy in J, without the part in directions that cannot turn or move.
    pub fn kinetic_energy(&self) -> T {
        energy_of(self.inverse_mass, &self.inverse_inertia, &self.linear, &self.angular).value
    }
}

/// Up to `NB` bodies, in columns.
///
/// ```
/// use stiction::{Bodies, Body};
/// let mut bodies = Bodies::<f32, 2>::new();
/// let ground = bodies.push(Body::fixed())?;
/// assert_eq!(bodies.get(ground).map(|b| b.inverse_mass), Some(0.0));
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bodies<T, const NB: usize> {
    inverse_mass: ArrayVec<T, NB>,
    inverse_inertia: ArrayVec<Matrix3<T>, NB>,
    linear: ArrayVec<Vector3<T>, NB>,
    angular: ArrayVec<Vector3<T>, NB>,
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
        Bodies {
            inverse_mass: ArrayVec::new_const(),
            inverse_inertia: ArrayVec::new_const(),
            linear: ArrayVec::new_const(),
            angular: ArrayVec::new_const(),
        }
    }

    /// Adds a body and gives its index. A refused body leaves everything as it was.
    pub fn push(&mut self, body: Body<T>) -> Result<usize, Refusal<T>> {
        let index = self.len();
        let inverse_inertia = check_body(index, &body)?;
        let full = |_| Refusal::body(index, "", Reason::Full { capacity: NB });
        self.inverse_mass.try_push(body.inverse_mass).map_err(full)?;
        // The columns grow together, so where one has room all have.
        let _ = self.inverse_inertia.try_push(inverse_inertia);
        let _ = self.linear.try_push(body.linear);
        let _ = self.angular.try_push(body.angular);
        Ok(index)
    }

    /// The body at an index.
    pub fn get(&self, index: usize) -> Option<Body<T>> {
        Some(Body {
            inverse_mass: *self.inverse_mass.get(index)?,
            inverse_inertia: *self.inverse_inertia.get(index)?,
            linear: *self.linear.get(index)?,
            angular: *self.angular.get(index)?,
        })
    }

    /// Gives a body new velocities, in m/s and rad/s.
    pub fn set_velocity(&mut self, index: usize, linear: Vector3<T>, angular: Vector3<T>) -> Result<(), Refusal<T>> {
        check_velocities(index, &linear, &angular)?;
        let bodies = self.len();
        let (Some(v), Some(w)) = (self.linear.get_mut(index), self.angular.get_mut(index)) else {
            return Err(Refusal::body(index, "", Reason::NoSuchBody { index, bodies }));
        };
        *v = linear;
        *w = angular;
        Ok(())
    }

    /// Replaces a body. A refusal leaves everything as it was.
    pub fn set(&mut self, index: usize, body: Body<T>) -> Result<(), Refusal<T>> {
        let inverse_inertia = check_body(index, &body)?;
        let bodies = self.len();
        let Some(inverse_mass) = self.inverse_mass.get_mut(index) else {
            return Err(Refusal::body(index, "", Reason::NoSuchBody { index, bodies }));
        };
        *inverse_mass = body.inverse_mass;
        self.store_inverse_inertia(index, &inverse_inertia);
        self.store_velocity(index, &body.linear, &body.angular);
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.inverse_mass.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inverse_mass.is_empty()
    }

    /// Removes all bodies.
    pub fn clear(&mut self) {
        self.inverse_mass.clear();
        self.inverse_inertia.clear();
        self.linear.clear();
        self.angular.clear();
    }

    /// Linear velocities in m/s, one a body.
    pub fn linear(&self) -> &[Vector3<T>] {
        &self.linear
    }

    /// Angular velocities in rad/s, one a body.
    pub fn angular(&self) -> &[Vector3<T>] {
        &self.angular
    }

    /// Kinetic energy of all bodies in J.
    pub fn kinetic_energy(&self) -> T {
        (0..self.len()).filter_map(|i| self.get(i)).fold(T::ZERO, |sum, body| sum + body.kinetic_energy())
    }

    /// Whether a body is there and impulses move it.
    #[inline(always)]
    pub(crate) fn is_movable(&self, index: usize) -> bool {
        self.inverse_mass.get(index).is_some_and(|inverse_mass| *inverse_mass > T::ZERO)
    }

    pub(crate) fn mass_properties(&self, index: usize) -> Option<(T, &Matrix3<T>)> {
        Some((*self.inverse_mass.get(index)?, self.inverse_inertia.get(index)?))
    }

    /// Stores an inverse inertia that was checked in other axes.
    pub(crate) fn store_inverse_inertia(&mut self, index: usize, inverse_inertia: &Matrix3<T>) {
        if let Some(slot) = self.inverse_inertia.get_mut(index) {
            *slot = *inverse_inertia;
        }
    }

    /// Stores velocities that a solve computed from checked ones.
    #[inline(never)]
    pub(crate) fn store_velocity(&mut self, index: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
        if let (Some(v), Some(w)) = (self.linear.get_mut(index), self.angular.get_mut(index)) {
            *v = *linear;
            *w = *angular;
        }
    }
}

/// Kinetic energy of one body with the given velocities.
pub(crate) fn energy_of<T: Real>(
    inverse_mass: T,
    inverse_inertia: &Matrix3<T>,
    linear: &Vector3<T>,
    angular: &Vector3<T>,
) -> Energy<T> {
    let rotation = if is_nothing(angular) {
        Energy { value: T::ZERO, uncertainty: T::ZERO }
    } else {
        InertiaFactor::new(inverse_inertia).energy(angular)
    };
    let translation = if inverse_mass > T::ZERO { T::HALF * linear.dot(linear) / inverse_mass } else { T::ZERO };
    Energy { value: translation + rotation.value, uncertainty: rounding::<T>() * translation + rotation.uncertainty }
}

/// Checks a body and gives its inverse inertia made exactly symmetric.
pub(crate) fn check_body<T: Real>(index: usize, body: &Body<T>) -> Result<Matrix3<T>, Refusal<T>> {
    check_inverse_mass(index, body.inverse_mass)?;
    check_velocities(index, &body.linear, &body.angular)?;
    check_inverse_inertia(index, body)
}

fn check_inverse_mass<T: Real>(index: usize, value: T) -> Result<(), Refusal<T>> {
    let refuse = |reason| Err(Refusal::body(index, "inverse_mass", reason));
    let most = T::INVERSE_MASS_LIMIT;
    if !value.finite() {
        refuse(Reason::NotFinite)
    } else if value < T::ZERO {
        refuse(Reason::TooSmall { value, least: T::ZERO })
    } else if value > most {
        refuse(Reason::TooLarge { value, most })
    } else if value > T::ZERO && value < T::ONE / most {
        refuse(Reason::TooSmall { value, least: T::ONE / most })
    } else {
        Ok(())
    }
}

fn check_inverse_inertia<T: Real>(index: usize, body: &Body<T>) -> Result<Matrix3<T>, Refusal<T>> {
    let refuse = |reason| Err(Refusal::body(index, "inverse_inertia", reason));
    let m = &body.inverse_inertia;
    let mut largest = T::ZERO;
    for &value in m.iter() {
        if !value.finite() {
            return refuse(Reason::NotFinite);
        }
        if value.abs() > T::INVERSE_MASS_LIMIT {
            return refuse(Reason::TooLarge { value: value.abs(), most: T::INVERSE_MASS_LIMIT });
        }
        largest = crate::real::larger(largest, value.abs());
    }
    if body.inverse_mass == T::ZERO && largest > T::ZERO {
        return refuse(Reason::TurnsButCannotMove);
    }
    let pairs = [(m.m12, m.m21), (m.m13, m.m31), (m.m23, m.m32)];
    if pairs.iter().any(|(above, below)| (*above - *below).abs() > T::lit(1e-6) * largest) {
        return refuse(Reason::NotSymmetric);
    }
    let [xy, xz, yz] = pairs.map(|(above, below)| (above + below) * T::HALF);
    let symmetric = Matrix3::new(m.m11, xy, xz, xy, m.m22, yz, xz, yz, m.m33);
    if !InertiaFactor::is_positive_semidefinite(&symmetric) {
        return refuse(Reason::NotPositiveSemidefinite);
    }
    Ok(symmetric)
}

pub(crate) fn check_velocities<T: Real>(
    index: usize,
    linear: &Vector3<T>,
    angular: &Vector3<T>,
) -> Result<(), Refusal<T>> {
    let place = |field| move |reason| Refusal::body(index, field, reason);
    crate::refusal::check_vector(linear, T::LINEAR_SPEED_LIMIT, place("linear"))?;
    crate::refusal::check_vector(angular, T::ANGULAR_SPEED_LIMIT, place("angular"))
}
