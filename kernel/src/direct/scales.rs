//! Scales of the interior-point method: each contact's impulse and velocity in units in which its cone has unit slope.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::ContactSystem;
use crate::direct::linear_system::Equation;
use crate::math::real::Real;
use crate::math::vector::product;

/// Scales between a contact's impulse and velocity and the unit cone.
pub(crate) struct Scales<T> {
    /// `1/μ`, or 1 without friction.
    normal: T,
    /// 1, or 0 without friction.
    pub tangent: T,
    /// `κ/√d`, for velocities.
    velocity: T,
    /// `κ √d/impulse_scale`, for impulses.
    impulse: T,
}

impl<T: Real> Scales<T> {
    pub fn new(problem: &dyn ContactSystem<T>, index: usize, kappa: T) -> Self {
        let (size, impulse_scale) = problem.scales(index);
        let mu = problem.cone(index).mu;
        let root = (size * impulse_scale).sqrt_or_zero();
        let rough = mu > T::ZERO;
        Scales {
            normal: if rough { T::ONE / mu } else { T::ONE },
            tangent: if rough { T::ONE } else { T::ZERO },
            velocity: kappa / root,
            impulse: kappa * root / impulse_scale,
        }
    }

    /// `κ/√d`, for velocities.
    pub fn velocity(&self) -> T {
        self.velocity
    }

    /// `κ √d/impulse_scale`, for impulses.
    pub fn impulse(&self) -> T {
        self.impulse
    }

    /// `κ G u/√d`.
    pub fn of_velocity(&self, u: &Vector3<T>) -> Vector3<T> {
        Vector3::new(u.x * self.normal, u.y * self.tangent, u.z * self.tangent) * self.velocity
    }

    /// The impulse of a `z`.
    pub fn impulse_of(&self, z: &Vector3<T>) -> Vector3<T> {
        Vector3::new(z.x * self.normal, z.y * self.tangent, z.z * self.tangent) / self.impulse
    }

    /// The `z` of an impulse.
    pub fn of_impulse(&self, x: &Vector3<T>) -> Vector3<T> {
        Vector3::new(x.x / self.normal, x.y, x.z) * self.impulse
    }

    /// The equation `(W̃ + own) dz = wanted` for impulses instead of `z`.
    pub fn equation(&self, own: &Matrix3<T>, wanted: &Vector3<T>) -> Equation<T> {
        let back = Matrix3::from_diagonal(&Vector3::new(self.impulse / self.normal, self.impulse, self.impulse));
        let through = Vector3::new(self.normal, self.tangent, self.tangent) * self.velocity;
        let through = Matrix3::from_diagonal(&through);
        Equation::new(product(own, &back), through, *wanted)
    }
}
