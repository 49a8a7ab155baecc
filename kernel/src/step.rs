//! One body through one step, and what that does to the ledger.

use nalgebra::{UnitQuaternion, Vector3};

use crate::body::Body;
use crate::inertia::InertiaFactor;
use crate::ledger::Ledger;
use crate::real::Real;
use crate::report::Wrench;
use crate::rotation::{half_turn, matrix, to_own_axes, turned};
use crate::spin::{is_isotropic, turn_freely};
use crate::world::{State, World};

/// Lets gravity and a load act for `dt`: gives the new velocities. Bodies that no impulse moves feel neither.
pub(crate) fn accelerate<T: Real>(
    body: &Body<T>,
    load: &Wrench<T>,
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) -> (Vector3<T>, Vector3<T>) {
    if !(body.inverse_mass > T::ZERO) {
        return (body.linear, body.angular);
    }
    let change = (gravity + load.force * body.inverse_mass) * dt;
    let mean = body.linear + change * T::HALF;
    ledger.integration += gravity.dot(&mean) * dt / body.inverse_mass;
    ledger.load += load.force.dot(&mean) * dt;
    let mut angular = body.angular;
    if load.torque != Vector3::zeros() {
        let change = body.inverse_inertia * load.torque * dt;
        // Torque about an axis that cannot turn does no work, whatever spin is there.
        let idle = InertiaFactor::new(&body.inverse_inertia).unchangeable(&body.angular);
        ledger.load += load.torque.dot(&(body.angular - idle + change * T::HALF)) * dt;
        angular += change;
    }
    (body.linear + change, angular)
}

/// Moves a body by its velocities and by the split impulse's, for `dt`.
pub(crate) fn advance<T: Real, const NB: usize>(
    world: &mut World<T, NB>,
    index: usize,
    correction: &(Vector3<T>, Vector3<T>),
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let (Some(state), Some(own)) = (world.state(index), world.own_inverse_inertia(index)) else { return };
    let inverse_mass = world.bodies().mass_properties(index).map_or(T::ZERO, |(m, _)| m);
    if inverse_mass > T::ZERO {
        let weight = gravity * (dt / inverse_mass);
        ledger.integration -= weight.dot(&state.linear);
        ledger.stabilisation -= weight.dot(&correction.0);
    }
    let (mut orientation, angular) = turn_freely(own, &state.orientation, &state.angular, dt);
    if correction.1 != Vector3::zeros() {
        let energy = |orientation: &UnitQuaternion<T>| {
            let spin = to_own_axes(&matrix(orientation), &angular);
            InertiaFactor::new(own).energy(&spin).value
        };
        let before = orientation;
        orientation = turned(&orientation, &half_turn(&correction.1, dt));
        if !is_isotropic(own) {
            // The spin keeps its direction in the world while the body turns under it, and its energy changes by that.
            ledger.stabilisation += energy(&orientation) - energy(&before);
        }
    }
    let position = state.position + (state.linear + correction.0) * dt;
    world.store_state(index, &State { position, orientation, linear: state.linear, angular });
}
