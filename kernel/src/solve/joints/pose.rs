//! Where a jointed body is within a frame.
//!
//! Lever arms of contacts are those of the frame's start, but a joint that turns by a tenth of a radian in a frame needs
//! arms that turn with it. So the bodies of islands with joints move on in every substep, orientation included.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::free_rotation::{is_isotropic, turn_freely};
use crate::math::quaternion::{half_rotation, matrix, rotated, rotated_tensor, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, times, zero3};
use crate::problem::contact_rows::Element;
use crate::problem::joint::Joint;

/// Where a body is, with its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<T: Real> {
    pub position: Vector3<T>,
    pub orientation: UnitQuaternion<T>,
    /// The matrix that rotates body axes into world axes.
    pub axes: Matrix3<T>,
}

impl<T: Real> Place<T> {
    fn new(position: Vector3<T>, orientation: UnitQuaternion<T>) -> Self {
        Place { position, axes: matrix(&orientation), orientation }
    }

    /// The place after a time with these velocities.
    pub fn after(&self, linear: &Vector3<T>, angular: &Vector3<T>, time: T) -> Self {
        let position = self.position.plus(&linear.scaled(time));
        Place::new(position, rotated(&self.orientation, &half_rotation(angular, time)))
    }
}

/// A body's place, and what turns with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose<T: Real> {
    pub position: Vector3<T>,
    pub orientation: UnitQuaternion<T>,
    /// In body axes.
    own_inverse_inertia: Matrix3<T>,
    /// In body axes; zero about axes about which the body cannot rotate.
    own_inertia: Matrix3<T>,
    /// Angular impulse of forces in a substep, N m s.
    push: Vector3<T>,
    /// Whether its island has joints: then the body ends the frame here.
    pub is_jointed: bool,
    /// Change of the energy of spins by rotating the body under them, J.
    pub spin_work: T,
}

impl<T: Real> Element for Pose<T> {
    const PLAIN: Self = {
        let zero = Matrix3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 3]));
        Pose {
            position: zero3(),
            orientation: Joint::PLAIN.rest,
            own_inverse_inertia: zero,
            own_inertia: zero,
            push: zero3(),
            is_jointed: false,
            spin_work: T::ZERO,
        }
    };
}

impl<T: Real> Pose<T> {
    /// A body's place where a frame begins, and its inverse inertia and inertia in its own axes.
    pub fn new(
        position: &Vector3<T>,
        orientation: &UnitQuaternion<T>,
        own_inverse_inertia: &Matrix3<T>,
        own_inertia: &Matrix3<T>,
    ) -> Self {
        Pose {
            position: *position,
            orientation: *orientation,
            own_inverse_inertia: *own_inverse_inertia,
            own_inertia: *own_inertia,
            push: Vector3::zeros(),
            is_jointed: false,
            spin_work: T::ZERO,
        }
    }

    /// Notes that its island has joints, and the change of its angular velocity by forces in a substep.
    pub fn set_jointed(&mut self, forced: &Vector3<T>) {
        self.is_jointed = true;
        self.push = times(&self.inertia(), forced);
    }

    /// Change of the angular velocity by forces in a substep.
    pub fn change_by_forces(&self) -> Vector3<T> {
        times(&self.inverse_inertia(), &self.push)
    }

    /// Inverse inertia in world axes.
    pub fn inverse_inertia(&self) -> Matrix3<T> {
        self.inverse_inertia_in(&matrix(&self.orientation))
    }

    /// Inertia in world axes.
    pub fn inertia(&self) -> Matrix3<T> {
        rotated_tensor(&matrix(&self.orientation), &self.own_inertia)
    }

    /// Where it is.
    pub fn place(&self) -> Place<T> {
        Place::new(self.position, self.orientation)
    }

    /// Inverse inertia in world axes, of a body with these axes.
    pub fn inverse_inertia_in(&self, axes: &Matrix3<T>) -> Matrix3<T> {
        rotated_tensor(axes, &self.own_inverse_inertia)
    }

    /// Moves on by the velocities of `way`; `spin` is the angular velocity that stays. Returns what becomes of it: the
    /// spin of a body of unequal inertia turns with the body.
    pub fn advance(&mut self, linear: &Vector3<T>, way: &Vector3<T>, spin: &Vector3<T>, time: T) -> Vector3<T> {
        let slow = spin.dot(spin) * time * time <= T::EPSILON * T::EPSILON;
        if slow || is_isotropic(&self.own_inverse_inertia) {
            self.position = self.position.plus(&linear.scaled(time));
            self.orientation = rotated(&self.orientation, &half_rotation(way, time));
            return *spin;
        }
        let before = self.spin_energy(spin);
        let (orientation, after) = turn_freely(&self.own_inverse_inertia, &self.orientation, spin, time);
        self.orientation = rotated(&orientation, &half_rotation(&way.minus(spin), time));
        self.position = self.position.plus(&linear.scaled(time));
        self.spin_work += self.spin_energy(&after) - before;
        after
    }

    /// Moves by a way, m and rad, under an angular velocity that stays.
    pub fn shift(&mut self, linear: &Vector3<T>, angular: &Vector3<T>, spin: &Vector3<T>) {
        let before = self.spin_energy(spin);
        self.position = self.position.plus(linear);
        self.orientation = rotated(&self.orientation, &half_rotation(angular, T::ONE));
        self.spin_work += self.spin_energy(spin) - before;
    }

    fn spin_energy(&self, angular: &Vector3<T>) -> T {
        let spin = to_own_axes(&matrix(&self.orientation), angular);
        T::HALF * spin.dot(&times(&self.own_inertia, &spin))
    }
}
