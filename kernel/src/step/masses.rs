//! Masses and inertias of the bodies, and what follows from them once.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::free_rotation::is_isotropic;
use crate::math::ldlt3::Ldlt3;
use crate::math::quaternion::{matrix, rotated_tensor, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, is_zero, times};
use crate::problem::contact_rows::ContactRows;
use crate::problem::wrench::Wrench;
use crate::record::bytes::{FNV64_START, fnv64};
use crate::step::world::{StateRef, World};

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
    pub inverse_mass: T,
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
    pub fn update<const NB: usize, R: ContactRows>(&mut self, world: &World<T, NB, R>, body: usize) {
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

    /// The inertia in body axes; zero about axes about which the body cannot rotate.
    pub fn own_inertia(&self) -> &Matrix3<T> {
        &self.inertia
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

    /// Whether it rotates about every axis.
    pub fn rotates_freely(&self) -> bool {
        matches!(self.rotation, Rotation::Isotropic | Rotation::General)
    }

    /// Whether a velocity has a part that no impulse can change.
    pub fn is_driven(&self, linear: &Vector3<T>, angular: &Vector3<T>) -> bool {
        let immovable = !(self.inverse_mass > T::ZERO);
        let locked = immovable || matches!(self.rotation, Rotation::None | Rotation::Locked);
        (immovable && !is_zero(linear)) || (locked && !is_zero(angular))
    }

    /// Kinetic energy in a state, J.
    pub fn kinetic_energy(&self, state: &StateRef<'_, T>) -> T {
        if !(self.inverse_mass > T::ZERO) {
            return T::ZERO;
        }
        T::HALF * state.linear.dot(state.linear) / self.inverse_mass
            + self.spin_energy(state.orientation, state.angular)
    }

    /// Potential energy in a state, J.
    pub fn potential_energy(&self, state: &StateRef<'_, T>, gravity: &Vector3<T>) -> T {
        if self.inverse_mass > T::ZERO { -gravity.dot(state.position) / self.inverse_mass } else { T::ZERO }
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

/// Linear and angular acceleration of a body with these inverse masses by a load and gravity.
pub(crate) fn acceleration<T: Real>(
    (inverse_mass, inverse_inertia): (T, &Matrix3<T>),
    load: &Wrench<T>,
    gravity: &Vector3<T>,
) -> (Vector3<T>, Vector3<T>) {
    (gravity.plus(&load.force.scaled(inverse_mass)), times(inverse_inertia, &load.torque))
}
