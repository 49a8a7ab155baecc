//! One body in one step, and the entries of the ledger.
use nalgebra::{UnitQuaternion, Vector3};

use crate::math::ldlt3::Ldlt3;
use crate::math::quaternion::{half_rotation, matrix, rotated, to_own_axes};
use crate::math::real::{Real, positive_part};
use crate::math::vector::{VectorOps, is_zero, times};
use crate::problem::body::Body;
use crate::problem::wrench::{Twist, Wrench};
use crate::step::free_rotation::{is_isotropic, turn_freely};
use crate::step::ledger::Ledger;
use crate::step::world::{State, World};

/// Applies gravity and a load for `dt`; returns the new velocities. Immovable bodies are not affected.
pub(crate) fn accelerate<T: Real>(
    body: &Body<T>,
    load: &Wrench<T>,
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) -> (Vector3<T>, Vector3<T>) {
    if !(body.inverse_mass > T::ZERO) {
        return (body.linear_velocity, body.angular_velocity);
    }
    let change = gravity.plus(&load.force.scaled(body.inverse_mass)).scaled(dt);
    let mean = body.linear_velocity.plus(&change.scaled(T::HALF));
    ledger.integration += gravity.dot(&mean) * dt / body.inverse_mass;
    ledger.load += load.force.dot(&mean) * dt;
    let mut angular = body.angular_velocity;
    if !is_zero(&load.torque) {
        let change = times(&body.inverse_inertia_world, &load.torque).scaled(dt);
        // Torque about a locked axis does no work.
        let idle = Ldlt3::new(&body.inverse_inertia_world).unchangeable(&body.angular_velocity);
        ledger.load += load.torque.dot(&body.angular_velocity.minus(&idle).plus(&change.scaled(T::HALF))) * dt;
        angular = angular.plus(&change);
    }
    (body.linear_velocity.plus(&change), angular)
}

/// Restitution `e` of a bounce at the step's start, reduced by the share that forces take of the bounce; separating
/// forces do not change it. `before` and `now` are the normal velocities before and after the forces.
pub(crate) fn restitution_left<T: Real>(e: T, before: T, now: T) -> T {
    if now < before && before < T::ZERO { positive_part(e - (now - before) / before) } else { e }
}

/// How a body moves in a step: the split impulse's velocity, and whether it is in contact.
pub(crate) struct Motion<T> {
    pub correction: Twist<T>,
    pub in_contact: bool,
}

/// Moves a body by its velocities and by the split impulse's, for `dt`. A body without contact follows its exact
/// parabola: it moves by the mean of its velocities before and after the forces, without first-order error.
pub(crate) fn advance<T: Real, const NB: usize>(
    world: &mut World<T, NB>,
    index: usize,
    motion: &Motion<T>,
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let (Some(state), Some(own)) = (world.state(index), world.own_inverse_inertia(index)) else { return };
    let correction = &motion.correction;
    let inverse_mass = world.bodies().mass_properties(index).map_or(T::ZERO, |(m, _)| m);
    let mut mean = state.linear;
    if inverse_mass > T::ZERO {
        if !motion.in_contact {
            mean = mean.minus(&gravity.plus(&world.load(index).force.scaled(inverse_mass)).scaled(dt * T::HALF));
        }
        let weight = gravity.scaled(dt / inverse_mass);
        ledger.integration -= weight.dot(&mean);
        ledger.position_correction -= weight.dot(&correction.linear);
    }
    let (mut orientation, angular) = turn_freely(own, &state.orientation, &state.angular, dt);
    if !is_zero(&correction.angular) {
        let energy = |orientation: &UnitQuaternion<T>| {
            let spin = to_own_axes(&matrix(orientation), &angular);
            Ldlt3::new(own).energy(&spin).value
        };
        let before = orientation;
        orientation = rotated(&orientation, &half_rotation(&correction.angular, dt));
        if !is_isotropic(own) {
            // The spin keeps its world direction while the body is rotated, which changes its energy.
            ledger.position_correction += energy(&orientation) - energy(&before);
        }
    }
    let position = state.position.plus(&mean.plus(&correction.linear).scaled(dt));
    world.store_state(index, &State { position, orientation, linear: state.linear, angular });
}
