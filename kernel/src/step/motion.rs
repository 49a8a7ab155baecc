//! A body through a frame of small steps, and what that does to the ledger.
//!
//! Forces do their work along the mean of velocities before and after them, `w_f`. Without position correction the
//! body would move by `w_p`, and it moves by `w`. With gravity `g` the parts of the ledger are
//!
//! ```text
//! load                  F·w_f + τ·θ_f
//! integration           m g·(w_f − w_p)
//! position correction   m g·(w_p − w)
//! ```
//!
//! A rotation changes the energy of a spin that keeps its direction in the world where the inertia is unequal. Free
//! rotation does not (see `free_rotation`); the rest is booked as position correction. A spin so slow that a frame
//! turns the body by less than `√ε` is not turned freely: its gyroscopic term is lost in rounding.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::free_rotation::turn_freely;
use crate::math::quaternion::{half_rotation, rotated};
use crate::math::real::{Real, positive_part, smaller};
use crate::math::vector::{VectorOps, is_zero};
use crate::problem::contact_rows::ContactRows;
use crate::solve::joints::pose::Pose;
use crate::space::velocity::{Velocity, unchangeable};
use crate::step::ledger::Ledger;
use crate::step::masses::BodyMass;
use crate::step::world::{State, World};

/// What small steps did to a body: its velocity, its way in all, the way without position correction, and the way
/// that forces worked along.
pub(crate) struct Ways<T: Real> {
    pub velocity: Velocity<T>,
    pub moved: Velocity<T>,
    pub passive: Velocity<T>,
    pub forced: Velocity<T>,
}

/// Moves a body that has contacts.
pub(crate) fn advance_in_contact<T: Real, const NB: usize, R: ContactRows>(
    world: &mut World<T, NB, R>,
    index: usize,
    ways: &Ways<T>,
    mass: &BodyMass<T>,
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let (Some(state), Some(own)) = (world.state(index), world.own_inverse_inertia(index)) else { return };
    let (position, before) = (*state.position, *state.orientation);
    // Where speeds overflow within the frame, there is no position correction.
    let overflows = !(is_finite(&ways.moved.linear()) && is_finite(&ways.moved.angular()));
    let ways = &Ways { moved: if overflows { ways.passive } else { ways.moved }, ..*ways };
    let (forced, passive, moved) = (ways.forced.linear(), ways.passive.linear(), ways.moved.linear());
    let weight = gravity.divided(world.bodies().inverse_mass(index));
    ledger.integration += weight.dot(&forced.minus(&passive));
    ledger.position_correction += weight.dot(&passive.minus(&moved));
    book_load(world, index, &ways.forced, dt, ledger);
    let (position, linear) = (position.plus(&moved), ways.velocity.linear());
    if is_zero(&ways.moved.angular()) && is_zero(&ways.velocity.angular()) {
        return world.store_translation(index, &position, &linear);
    }
    let slow = ways.velocity.angular().dot(&ways.velocity.angular()) * dt * dt <= T::EPSILON;
    let (orientation, angular) = if slow || !mass.is_anisotropic() {
        (rotated(&before, &half_rotation(&ways.moved.angular(), T::ONE)), ways.velocity.angular())
    } else {
        rotate(own, &before, ways, dt)
    };
    if mass.is_anisotropic() {
        // A spin that keeps its direction in the world changes its energy where the body rotates under it.
        ledger.position_correction +=
            mass.spin_energy(&orientation, &angular) - mass.spin_energy(&before, &ways.velocity.angular());
    }
    world.store_state(index, &State { position, orientation, linear, angular });
}

/// Moves a body whose island has joints: it has moved on in every substep.
pub(crate) fn advance_jointed<T: Real, const NB: usize, R: ContactRows>(
    world: &mut World<T, NB, R>,
    index: usize,
    ways: &Ways<T>,
    pose: &Pose<T>,
    gravity: &Vector3<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let (forced, passive, moved) = (ways.forced.linear(), ways.passive.linear(), ways.moved.linear());
    let weight = gravity.divided(world.bodies().inverse_mass(index));
    ledger.integration += weight.dot(&forced.minus(&passive));
    ledger.position_correction += weight.dot(&passive.minus(&moved)) + pose.spin_work;
    book_load(world, index, &ways.forced, dt, ledger);
    let Some(position) = world.state(index).map(|state| state.position.plus(&moved)) else { return };
    let (linear, angular) = (ways.velocity.linear(), ways.velocity.angular());
    world.store_state(index, &State { position, orientation: pose.orientation, linear, angular });
}

fn is_finite<T: Real>(v: &Vector3<T>) -> bool {
    v.iter().all(|part| part.is_finite())
}

/// Rotates a body of unequal inertia: freely with its spin for as long as its way goes along with it, then by the rest
/// of its way. A body that was hit within the frame had its spin for a part of it only.
fn rotate<T: Real>(
    own: &Matrix3<T>,
    orientation: &UnitQuaternion<T>,
    ways: &Ways<T>,
    dt: T,
) -> (UnitQuaternion<T>, Vector3<T>) {
    let (spin, way) = (ways.velocity.angular(), ways.moved.angular());
    let along = ways.passive.angular().dot(&spin) / spin.dot(&spin);
    let time = smaller(positive_part(along), dt);
    let (orientation, angular) = turn_freely(own, orientation, &spin, time);
    let rest = way.minus(&spin.scaled(time));
    (rotated(&orientation, &half_rotation(&rest, T::ONE)), angular)
}

/// Moves a body without contacts along its parabola. `force` is the velocity change by forces over the frame.
pub(crate) fn fly<T: Real, const NB: usize, R: ContactRows>(
    world: &mut World<T, NB, R>,
    index: usize,
    force: &Velocity<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let (Some(state), Some(own)) = (world.state(index), world.own_inverse_inertia(index)) else { return };
    let start = Velocity::new(state.linear, state.angular);
    let way = start.plus(&force.scaled(T::HALF)).scaled(dt);
    book_load(world, index, &way, dt, ledger);
    let end = start.plus(force);
    let position = state.position.plus(&way.linear());
    if is_zero(&end.angular()) {
        return world.store_translation(index, &position, &end.linear());
    }
    let (orientation, angular) = turn_freely(own, state.orientation, &end.angular(), dt);
    world.store_state(index, &State { position, orientation, linear: end.linear(), angular });
}

/// Books the work of a body's load along a way.
fn book_load<T: Real, const NB: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    index: usize,
    way: &Velocity<T>,
    dt: T,
    ledger: &mut Ledger<T>,
) {
    let Some(load) = world.load(index) else { return };
    if !(world.bodies().inverse_mass(index) > T::ZERO) || (is_zero(&load.force) && is_zero(&load.torque)) {
        return;
    }
    ledger.load += load.force.dot(&way.linear());
    if !is_zero(&load.torque) {
        // Torque about a locked axis does no work, whatever spin is there.
        let idle = unchangeable(world.bodies(), index).angular().scaled(dt);
        ledger.load += load.torque.dot(&way.angular().minus(&idle));
    }
}
