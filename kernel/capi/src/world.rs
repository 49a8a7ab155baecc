//! Bodies that a pipeline stores and moves.

use nalgebra::{Matrix3, Quaternion, Unit, Vector3};
use stiction::Material;
use stiction::nalgebra;
use stiction::{Real, RigidBody as KernelBody, Wrench};

/// A body with position and orientation, as used by a pipeline. Vectors are in world axes unless stated otherwise.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidBody<T> {
    /// 1/mass, 1/kg; 0 for a body that cannot move.
    pub inverse_mass: T,
    /// Inverse inertia about the centre of mass in body axes, 1/(kg m^2). Symmetric.
    pub inverse_inertia_body: [T; 9],
    /// Centre of mass, m.
    pub position: [T; 3],
    /// From body axes to world axes: unit quaternion x, y, z, w.
    pub orientation: [T; 4],
    /// Velocity of the centre of mass, m/s.
    pub linear_velocity: [T; 3],
    /// Angular velocity, rad/s.
    pub angular_velocity: [T; 3],
    /// External force, N, acting in every step until changed.
    pub force: [T; 3],
    /// External torque about the centre of mass, N m.
    pub torque: [T; 3],
    /// Friction coefficient of its surface; a pair's is the geometric mean.
    pub mu: T,
    /// Restitution of its surface, 0 to 1; a pair's is the geometric mean.
    pub restitution: T,
}

impl<T: Real> RigidBody<T> {
    /// A body that cannot move, at the origin, smooth.
    pub fn fixed() -> Self {
        Self::from_kernel(&KernelBody::fixed())
    }

    /// A body at rest at the origin, smooth; without an inertia, or one that has no inverse, the inverse inertia is NaN.
    pub fn from_mass(mass: T, inertia: Option<[T; 9]>) -> Self {
        // A matrix of zeros has no inverse.
        let inertia = inertia.map_or_else(Matrix3::zeros, |inertia| Matrix3::from_column_slice(&inertia));
        Self::from_kernel(&KernelBody::from_mass(mass, inertia))
    }

    /// As the C struct.
    pub fn from_kernel(body: &KernelBody<T>) -> Self {
        RigidBody {
            inverse_mass: body.inverse_mass,
            inverse_inertia_body: entries(&body.inverse_inertia_body),
            position: body.position.into(),
            orientation: body.orientation.quaternion().coords.into(),
            linear_velocity: body.linear_velocity.into(),
            angular_velocity: body.angular_velocity.into(),
            force: body.load.force.into(),
            torque: body.load.torque.into(),
            mu: body.material.mu,
            restitution: body.material.restitution,
        }
    }

    /// As the kernel's type, not validated: the kernel does that.
    pub fn to_kernel(&self) -> KernelBody<T> {
        KernelBody {
            inverse_mass: self.inverse_mass,
            inverse_inertia_body: Matrix3::from_column_slice(&self.inverse_inertia_body),
            position: self.position.into(),
            orientation: Unit::new_unchecked(Quaternion::from_vector(self.orientation.into())),
            linear_velocity: self.linear_velocity.into(),
            angular_velocity: self.angular_velocity.into(),
            load: wrench(self.force, self.torque),
            material: Material { mu: self.mu, restitution: self.restitution },
        }
    }
}

/// A load as the kernel's type.
pub fn wrench<T: Real>(force: [T; 3], torque: [T; 3]) -> Wrench<T> {
    Wrench { force: Vector3::from(force), torque: Vector3::from(torque) }
}

fn entries<T: Real>(m: &Matrix3<T>) -> [T; 9] {
    [m.m11, m.m21, m.m31, m.m12, m.m22, m.m32, m.m13, m.m23, m.m33]
}
