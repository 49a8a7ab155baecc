//! Masses and inertias of the bodies, and what follows from them once.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::ldlt3::Ldlt3;
use crate::math::quaternion::{matrix, rotated_tensor, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, is_zero, times};
use crate::problem::body::{Body, validate_velocities};
use crate::problem::error::InputError;
use crate::record::bytes::{FNV64_START, fnv64};
use crate::step::free_rotation::is_isotropic;
use crate::step::world::{State, World};

/// What can rotate a body, and how it rotates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rotation {
    /// Nothing.
    None,
    /// The same about every axis.
    Isotropic,
    General,
    /// About some axes only.
    Locked,
}

/// One body's.
#[derive(Clone, Copy)]
pub(crate) struct BodyMass<T> {
    inverse_mass: T,
    /// In body axes.
    inverse_inertia: Matrix3<T>,
    /// Its inverse; zero about axes about which the body cannot rotate.
    inertia: Matrix3<T>,
    rotation: Rotation,
    /// Of mass and inertia: kept rows hold for one digest only.
    pub digest: u64,
}

impl<T: Real> BodyMass<T> {
    pub const NONE: Self = {
        let zero = Matrix3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 3]));
        BodyMass { inverse_mass: T::ZERO, inverse_inertia: zero, inertia: zero, rotation: Rotation::None, digest: 0 }
    };

    /// Takes over a body's mass and inertia.
    pub fn update<const NB: usize>(&mut self, world: &World<T, NB>, body: usize) {
        let Some(own) = world.own_inverse_inertia(body) else { return };
        let inverse_mass = world.bodies().inverse_mass(body);
        if self.digest != 0 && self.inverse_mass == inverse_mass && self.inverse_inertia == *own {
            return;
        }
        let factor = Ldlt3::new(own);
        let rotation = if *own == Matrix3::zeros() {
            Rotation::None
        } else if is_isotropic(own) {
            Rotation::Isotropic
        } else if factor.momentum(&Vector3::zeros()).is_some() {
            Rotation::General
        } else {
            Rotation::Locked
        };
        let digest = fnv64(fnv64(FNV64_START, own.as_slice()), &[inverse_mass]);
        *self = BodyMass { inverse_mass, inverse_inertia: *own, inertia: factor.inertia(), rotation, digest };
    }

    /// The inertia in world axes.
    pub fn inertia_in_world(&self, orientation: &UnitQuaternion<T>) -> Matrix3<T> {
        match self.rotation {
            Rotation::None | Rotation::Isotropic => self.inertia,
            Rotation::General | Rotation::Locked => rotated_tensor(&matrix(orientation), &self.inertia),
        }
    }

    /// Whether rotating the body under a spin changes the energy of the spin.
    pub fn is_anisotropic(&self) -> bool {
        matches!(self.rotation, Rotation::General | Rotation::Locked)
    }

    /// Whether a velocity has a part that no impulse can change.
    pub fn is_driven(&self, linear: &Vector3<T>, angular: &Vector3<T>) -> bool {
        let immovable = !(self.inverse_mass > T::ZERO);
        let locked = immovable || matches!(self.rotation, Rotation::None | Rotation::Locked);
        (immovable && !is_zero(linear)) || (locked && !is_zero(angular))
    }

    /// Kinetic energy in a state, J.
    pub fn kinetic_energy(&self, state: &State<T>) -> T {
        if !(self.inverse_mass > T::ZERO) {
            return T::ZERO;
        }
        T::HALF * state.linear.dot(&state.linear) / self.inverse_mass
            + self.spin_energy(&state.orientation, &state.angular)
    }

    /// Kinetic energy of a spin, J. Taken in body axes, where slender bodies lose no digits.
    pub fn spin_energy(&self, orientation: &UnitQuaternion<T>, angular: &Vector3<T>) -> T {
        if self.rotation == Rotation::None || is_zero(angular) {
            return T::ZERO;
        }
        let spin = if self.is_anisotropic() { to_own_axes(&matrix(orientation), angular) } else { *angular };
        T::HALF * spin.dot(&times(&self.inertia, &spin))
    }
}

/// Linear and angular acceleration of a body by a force, a torque and gravity.
pub(crate) fn acceleration<T: Real>(
    body: &Body<T>,
    force: &Vector3<T>,
    torque: &Vector3<T>,
    gravity: &Vector3<T>,
) -> (Vector3<T>, Vector3<T>) {
    (gravity.plus(&force.scaled(body.inverse_mass)), times(&body.inverse_inertia_world, torque))
}

/// Rejects forces that would make a body too fast within the step.
pub(crate) fn validate_forces<T: Real, const NB: usize>(
    world: &World<T, NB>,
    gravity: &Vector3<T>,
    dt: T,
) -> Result<(), InputError<T>> {
    for index in 0..world.len() {
        let Some(body) = world.bodies().get(index).filter(|body| body.inverse_mass > T::ZERO) else { continue };
        let load = world.load(index);
        let (linear, angular) = acceleration(&body, &load.force, &load.torque, gravity);
        let (linear, angular) =
            (body.linear_velocity.plus(&linear.scaled(dt)), body.angular_velocity.plus(&angular.scaled(dt)));
        validate_velocities(index, &linear, &angular)?;
    }
    Ok(())
}
