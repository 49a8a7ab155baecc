//! Masses and inertias of the bodies as the rows that are kept were built with.
use nalgebra::Matrix3;

use crate::math::ldlt3::Ldlt3;
use crate::math::quaternion::{matrix, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::times;
use crate::step::world::{State, World};

/// One body's.
#[derive(Clone, Copy)]
pub(crate) struct BodyMass<T> {
    inverse_mass: T,
    /// In body axes.
    inverse_inertia: Matrix3<T>,
    /// Its inverse; zero about axes about which the body cannot rotate.
    inertia: Matrix3<T>,
    /// Whether it is other than the rows have it.
    pub changed: bool,
}

impl<T: Real> BodyMass<T> {
    pub const NONE: Self = {
        let zero = Matrix3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 3]));
        BodyMass { inverse_mass: T::ZERO, inverse_inertia: zero, inertia: zero, changed: true }
    };

    /// Takes over a body's mass and inertia.
    pub fn update<const NB: usize>(&mut self, world: &World<T, NB>, body: usize) {
        let Some(own) = world.own_inverse_inertia(body) else { return };
        let inverse_mass = world.bodies().inverse_mass(body);
        if self.inverse_mass != inverse_mass || self.inverse_inertia != *own {
            *self = BodyMass { inverse_mass, inverse_inertia: *own, inertia: Ldlt3::new(own).inertia(), changed: true };
        }
    }

    /// The inertia in body axes.
    pub fn inertia(&self) -> &Matrix3<T> {
        &self.inertia
    }

    /// Kinetic energy in a state, J. Taken in body axes, where slender bodies lose no digits.
    pub fn kinetic_energy(&self, state: &State<T>) -> T {
        if !(self.inverse_mass > T::ZERO) {
            return T::ZERO;
        }
        let spin = to_own_axes(&matrix(&state.orientation), &state.angular);
        T::HALF * (state.linear.dot(&state.linear) / self.inverse_mass + spin.dot(&times(&self.inertia, &spin)))
    }
}
