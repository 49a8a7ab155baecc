//! A rigid body with a pose, as a caller describes it.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::real::Real;
use crate::math::square::inverse_or_nan;
use crate::problem::material::Material;
use crate::problem::wrench::Wrench;

/// A rigid body with a pose. Vectors are in world axes unless said otherwise.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::Material;
/// # use stiction::{Pipeline, StepSettings, World};
/// use stiction::{RigidBody, Wrench};
/// let rubber = Material { mu: 0.9, restitution: 0.0 };
/// // A belt: immovable, but it runs at 0.5 m/s.
/// let belt = RigidBody { linear_velocity: Vector3::x() * 0.5, material: rubber, ..RigidBody::fixed() };
/// // A drone of 2 kg that carries its own weight.
/// let lift = Wrench { force: Vector3::new(0.0, 0.0, 2.0 * 9.81), ..Wrench::NONE };
/// let drone = RigidBody { load: lift, position: Vector3::z(), ..RigidBody::from_mass(2.0, Matrix3::identity()) };
/// # let mut world = World::<f64, 2>::new();
/// # let (belt, drone) = (world.push(belt)?, world.push(drone)?);
/// # let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// pipeline.step(&mut world, stiction::manifolds(&[]), 1.0)?;
/// assert_eq!(world.positions()[belt].x, 0.5);
/// assert!((world.positions()[drone].z - 1.0).abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidBody<T: Real> {
    /// 1/mass in 1/kg; 0 for a body that no impulse moves. It still follows its own velocity: a belt, a lift, a paddle.
    pub inverse_mass: T,
    /// Inverse inertia about the centre of mass in *body* axes, 1/(kg m²).
    pub inverse_inertia_body: Matrix3<T>,
    /// Centre of mass, m.
    pub position: Vector3<T>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<T>,
    /// Velocity of the centre of mass, m/s.
    pub linear_velocity: Vector3<T>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<T>,
    /// External force and torque about the centre of mass, acting in every step until changed. Gravity comes on top.
    pub load: Wrench<T>,
    /// The surface.
    pub material: Material<T>,
}

impl<T: Real> RigidBody<T> {
    /// A body that cannot move, at the origin. Its surface is [`Material::SMOOTH`] until `material` is set. Friction and
    /// restitution of a pair are geometric means, so nothing rubs on a smooth body and nothing bounces off it.
    pub fn fixed() -> Self {
        RigidBody {
            inverse_mass: T::ZERO,
            inverse_inertia_body: Matrix3::zeros(),
            position: Vector3::zeros(),
            orientation: UnitQuaternion::identity(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            load: Wrench::NONE,
            material: Material::SMOOTH,
        }
    }

    /// A smooth body at rest at the origin with its mass in kg and its inertia about the centre of mass in body axes,
    /// kg m². If the inertia has no inverse, the inverse inertia is NaN, which is rejected when the body is added.
    pub fn from_mass(mass: T, inertia: Matrix3<T>) -> Self {
        Self::from_inverse(T::ONE / mass, inverse_or_nan(&inertia))
    }

    /// A smooth body at rest at the origin with its inverse mass in 1/kg and its inverse inertia in body axes, 1/(kg
    /// m²).
    pub fn from_inverse(inverse_mass: T, inverse_inertia_body: Matrix3<T>) -> Self {
        RigidBody { inverse_mass, inverse_inertia_body, ..Self::fixed() }
    }
}
