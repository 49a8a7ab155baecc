//! One body as the solver needs it.
//!
//! A body that cannot move has inverse mass 0 and inverse inertia 0, and takes the same path as every other.
use nalgebra::{Matrix3, Vector3};

use crate::math::ldlt3::{Energy, Ldlt3, rounding};
use crate::math::real::{Real, larger};
use crate::math::vector::is_nothing;
use crate::problem::error::{ErrorKind, InputError, UNIT_TOLERANCE, check_vector};

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
        Ldlt3::new(inverse_inertia).energy(angular)
    };
    let translation = if inverse_mass > T::ZERO { T::HALF * linear.dot(linear) / inverse_mass } else { T::ZERO };
    Energy { value: translation + rotation.value, uncertainty: rounding::<T>() * translation + rotation.uncertainty }
}

/// Rejects a body that no solve could take; gives it with its inverse inertia made exactly symmetric.
pub(crate) fn validate_body<T: Real>(index: usize, body: &Body<T>) -> Result<Body<T>, InputError<T>> {
    check_inverse_mass(index, body.inverse_mass)?;
    check_velocities(index, &body.linear, &body.angular)?;
    Ok(Body { inverse_inertia: symmetric_inverse_inertia(index, body)?, ..*body })
}

fn check_inverse_mass<T: Real>(index: usize, value: T) -> Result<(), InputError<T>> {
    let refuse = |reason| Err(InputError::body(index, "inverse_mass", reason));
    let most = T::INVERSE_MASS_LIMIT;
    if !value.finite() {
        refuse(ErrorKind::NotFinite)
    } else if value < T::ZERO {
        refuse(ErrorKind::TooSmall { value, least: T::ZERO })
    } else if value > most {
        refuse(ErrorKind::TooLarge { value, most })
    } else if value > T::ZERO && value < T::ONE / most {
        refuse(ErrorKind::TooSmall { value, least: T::ONE / most })
    } else {
        Ok(())
    }
}

fn symmetric_inverse_inertia<T: Real>(index: usize, body: &Body<T>) -> Result<Matrix3<T>, InputError<T>> {
    let refuse = |reason| Err(InputError::body(index, "inverse_inertia", reason));
    let m = &body.inverse_inertia;
    let mut largest = T::ZERO;
    for &value in m.iter() {
        if !value.finite() {
            return refuse(ErrorKind::NotFinite);
        }
        if value.abs() > T::INVERSE_MASS_LIMIT {
            return refuse(ErrorKind::TooLarge { value: value.abs(), most: T::INVERSE_MASS_LIMIT });
        }
        largest = larger(largest, value.abs());
    }
    if body.inverse_mass == T::ZERO && largest > T::ZERO {
        return refuse(ErrorKind::TurnsButCannotMove);
    }
    let pairs = [(m.m12, m.m21), (m.m13, m.m31), (m.m23, m.m32)];
    if pairs.iter().any(|(above, below)| (*above - *below).abs() > T::lit(UNIT_TOLERANCE) * largest) {
        return refuse(ErrorKind::NotSymmetric);
    }
    let [xy, xz, yz] = pairs.map(|(above, below)| (above + below) * T::HALF);
    let symmetric = Matrix3::new(m.m11, xy, xz, xy, m.m22, yz, xz, yz, m.m33);
    if !Ldlt3::is_positive_semidefinite(&symmetric) {
        return refuse(ErrorKind::NotPositiveSemidefinite);
    }
    Ok(symmetric)
}

pub(crate) fn check_velocities<T: Real>(
    index: usize,
    linear: &Vector3<T>,
    angular: &Vector3<T>,
) -> Result<(), InputError<T>> {
    let place = |field| move |reason| InputError::body(index, field, reason);
    check_vector(linear, T::LINEAR_SPEED_LIMIT, place("linear"))?;
    check_vector(angular, T::ANGULAR_SPEED_LIMIT, place("angular"))
}
