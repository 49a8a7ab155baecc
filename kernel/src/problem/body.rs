//! One body as the solver needs it.
//!
//! A body that cannot move has inverse mass 0 and inverse inertia 0, and takes the same path as every other.
use nalgebra::{Matrix3, Vector3};

use crate::math::ldlt3::{Energy, Ldlt3, rounding};
use crate::math::real::{Real, larger};
use crate::math::square::inverse_or_nan;
use crate::math::vector::is_zero;
use crate::problem::error::{ErrorKind, InputError, UNIT_TOLERANCE, validate_vector};

/// One rigid body. Vectors are in world axes.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::Body;
/// // A solid ball of 2 kg and radius 0.1 m rolls at 3 m/s: its inertia is 2/5 m r² = 0.008 kg m².
/// let rolling = Body {
///     linear_velocity: Vector3::new(3.0, 0.0, 0.0),
///     angular_velocity: Vector3::new(0.0, 30.0, 0.0),
///     ..Body::from_mass(2.0, Matrix3::identity() * 0.008)
/// };
/// assert!((rolling.kinetic_energy() - 12.6_f64).abs() < 1e-9); // 9 J of translation, 3.6 J of rotation
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body<T> {
    /// 1/mass in 1/kg; 0 for a body that cannot move.
    pub inverse_mass: T,
    /// Inverse inertia about the centre of mass, in world axes, 1/(kg m²). Symmetric; zero rows lock rotation.
    pub inverse_inertia_world: Matrix3<T>,
    /// Velocity of the centre of mass, m/s.
    pub linear_velocity: Vector3<T>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<T>,
}

impl<T: Real> Body<T> {
    /// A body that cannot move, at rest.
    ///
    /// ```
    /// let ground = stiction::Body::<f64>::fixed();
    /// assert_eq!(ground.inverse_mass, 0.0);
    /// ```
    pub fn fixed() -> Self {
        Body {
            inverse_mass: T::ZERO,
            inverse_inertia_world: Matrix3::zeros(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }
    }

    /// A body at rest with its mass in kg and its inertia about the centre of mass in world axes, kg m². If the inertia
    /// has no inverse, the inverse inertia is NaN, which is rejected when the body is added.
    ///
    /// ```
    /// use nalgebra::Matrix3;
    /// let ball = stiction::Body::<f64>::from_mass(2.0, Matrix3::identity() * 0.008);
    /// assert_eq!(ball.inverse_mass, 0.5);
    /// assert!((ball.inverse_inertia_world.m11 - 125.0).abs() < 1e-12);
    /// ```
    pub fn from_mass(mass: T, inertia: Matrix3<T>) -> Self {
        Self::from_inverse(T::ONE / mass, inverse_or_nan(&inertia))
    }

    /// A body at rest with its inverse mass in 1/kg and its inverse inertia in world axes, 1/(kg m²).
    pub fn from_inverse(inverse_mass: T, inverse_inertia_world: Matrix3<T>) -> Self {
        Body { inverse_mass, inverse_inertia_world, ..Self::fixed() }
    }

    /// Kinetic energy in J, without the part in directions that cannot move.
    pub fn kinetic_energy(&self) -> T {
        energy_of(self.inverse_mass, &self.inverse_inertia_world, &self.linear_velocity, &self.angular_velocity).value
    }
}

/// Kinetic energy of one body with the given velocities.
pub(crate) fn energy_of<T: Real>(
    inverse_mass: T,
    inverse_inertia: &Matrix3<T>,
    linear: &Vector3<T>,
    angular: &Vector3<T>,
) -> Energy<T> {
    let rotation = if is_zero(angular) {
        Energy { value: T::ZERO, uncertainty: T::ZERO }
    } else {
        Ldlt3::new(inverse_inertia).energy(angular)
    };
    let translation = if inverse_mass > T::ZERO { T::HALF * linear.dot(linear) / inverse_mass } else { T::ZERO };
    Energy { value: translation + rotation.value, uncertainty: rounding::<T>() * translation + rotation.uncertainty }
}

/// Validates a body; returns it with its inverse inertia made exactly symmetric. `inertia` is the name of that field in
/// errors.
pub(crate) fn validate_body<T: Real>(
    index: usize,
    body: &Body<T>,
    inertia: &'static str,
) -> Result<Body<T>, InputError<T>> {
    validate_inverse_mass(index, body.inverse_mass)?;
    validate_velocities(index, &body.linear_velocity, &body.angular_velocity)?;
    Ok(Body { inverse_inertia_world: symmetric_inverse_inertia(index, body, inertia)?, ..*body })
}

fn validate_inverse_mass<T: Real>(index: usize, value: T) -> Result<(), InputError<T>> {
    let reject = |kind| Err(InputError::body(index, "inverse_mass", kind));
    let max = T::INVERSE_MASS_LIMIT;
    if !value.is_finite() {
        reject(ErrorKind::NotFinite)
    } else if value < T::ZERO {
        reject(ErrorKind::TooSmall { value, min: T::ZERO })
    } else if value > max {
        reject(ErrorKind::TooLarge { value, max })
    } else if value > T::ZERO && value < T::ONE / max {
        reject(ErrorKind::TooSmall { value, min: T::ONE / max })
    } else {
        Ok(())
    }
}

fn symmetric_inverse_inertia<T: Real>(
    index: usize,
    body: &Body<T>,
    field: &'static str,
) -> Result<Matrix3<T>, InputError<T>> {
    let reject = |kind| Err(InputError::body(index, field, kind));
    let m = &body.inverse_inertia_world;
    let mut largest = T::ZERO;
    for &value in m.iter() {
        if !value.is_finite() {
            return reject(ErrorKind::NotFinite);
        }
        if value.abs() > T::INVERSE_MASS_LIMIT {
            return reject(ErrorKind::TooLarge { value: value.abs(), max: T::INVERSE_MASS_LIMIT });
        }
        largest = larger(largest, value.abs());
    }
    if body.inverse_mass == T::ZERO && largest > T::ZERO {
        return reject(ErrorKind::InertiaWithoutMass);
    }
    let pairs = [(m.m12, m.m21), (m.m13, m.m31), (m.m23, m.m32)];
    if pairs.iter().any(|(above, below)| (*above - *below).abs() > T::lit(UNIT_TOLERANCE) * largest) {
        return reject(ErrorKind::NotSymmetric);
    }
    let [xy, xz, yz] = pairs.map(|(above, below)| (above + below) * T::HALF);
    let symmetric = Matrix3::new(m.m11, xy, xz, xy, m.m22, yz, xz, yz, m.m33);
    if !Ldlt3::is_positive_semidefinite(&symmetric) {
        return reject(ErrorKind::NotPositiveSemidefinite);
    }
    Ok(symmetric)
}

pub(crate) fn validate_velocities<T: Real>(
    index: usize,
    linear: &Vector3<T>,
    angular: &Vector3<T>,
) -> Result<(), InputError<T>> {
    let field = |name| move |kind| InputError::body(index, name, kind);
    validate_vector(linear, T::LINEAR_SPEED_LIMIT, field("linear_velocity"))?;
    validate_vector(angular, T::ANGULAR_SPEED_LIMIT, field("angular_velocity"))
}
