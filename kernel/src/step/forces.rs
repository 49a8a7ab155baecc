//! Gravity and loads within a step: their effect on bodies, on bounces at the step's start, and in the ledger.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contacts::Contacts;
use crate::solve::solver::Solver;
use crate::step::integrate::{accelerate, restitution_left};
use crate::step::manifold::relative_normal_velocity;
use crate::step::report::StepReport;
use crate::step::world::World;

/// Applies gravity and loads to every body. Not inlined: its copies are not on the stack during the solve.
#[inline(never)]
pub(crate) fn accelerate_all<T: Real, const NB: usize>(
    world: &mut World<T, NB>,
    gravity: &Vector3<T>,
    dt: T,
    report: &mut StepReport<T>,
) {
    for index in 0..world.len() {
        let Some(body) = world.bodies().get(index) else { break };
        let (linear, angular) = accelerate(&body, &world.load(index), gravity, dt, &mut report.ledger);
        world.bodies_mut().store_velocity(index, &linear, &angular);
    }
}

/// Reduces the restitution of bounces at the start of the step by the share that forces take of them; `bodies` already
/// have the velocities after the forces.
#[inline(never)]
pub(crate) fn let_forces_act_on_bounces<T: Real, const NB: usize, const NC: usize>(
    bodies: &Bodies<T, NB>,
    contacts: &mut Contacts<T, NC>,
) {
    for index in 0..contacts.len() {
        if !(contacts.impact(index).0 > T::ZERO) {
            continue;
        }
        let Some(contact) = contacts.get(index) else { break };
        let pair = bodies.get(contact.a).zip(bodies.get(contact.b)).zip(contact.pre_impact_normal_velocity);
        let Some(((a, b), before)) = pair else { continue };
        let now = relative_normal_velocity(&a, &b, &contact.r_a, &contact.r_b, &contact.normal);
        contacts.store_restitution(index, restitution_left(contact.restitution, before, now));
    }
}

/// Finds the bodies that are immovable or have a contact impulse beyond a bounce.
#[inline(never)]
pub(crate) fn find_in_contact<T: Real, const NB: usize, const NC: usize>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC>,
    solver: &Solver<T, NB, NC>,
    in_contact: &mut [bool; NB],
) {
    for (body, slot) in in_contact.iter_mut().enumerate() {
        *slot = bodies.mass_properties(body).is_none_or(|(inverse_mass, _)| !(inverse_mass > T::ZERO));
    }
    for index in 0..contacts.len() {
        if solver.work.normal_impulse_of(index) > T::ZERO {
            let Some((a, b)) = contacts.pair(index) else { break };
            for body in [a, b] {
                if let Some(slot) = in_contact.get_mut(body) {
                    *slot = true;
                }
            }
        }
    }
}

/// Energy correction for bodies that fly off a bounce, for gravity and for loads. The velocities of the solve include
/// the forces before the bounce, but the forces act after it. For an impulse `p` the difference in work is `−p·g dt`
/// and `−p·(F/m) dt`. Separating forces do not change the bounce (`restitution_left`), and its normal impulse does not
/// count.
#[inline(never)]
pub(crate) fn work_before_bounces<T: Real, const NB: usize, const NC: usize>(
    contacts: &Contacts<T, NC>,
    solver: &Solver<T, NB, NC>,
    in_contact: &[bool; NB],
    world: &World<T, NB>,
    gravity: &Vector3<T>,
    dt: T,
) -> [T; 2] {
    let mut work = [T::ZERO; 2];
    let change = gravity.scaled(dt);
    let flies = |body: usize| in_contact.get(body).is_some_and(|in_contact| !in_contact);
    let pushed = |body: usize| {
        let inverse_mass = world.bodies().mass_properties(body).map_or(T::ZERO, |(m, _)| m);
        world.load(body).force.scaled(inverse_mass).scaled(dt)
    };
    for index in 0..contacts.len() {
        let Some((a, b)) = contacts.pair(index) else { break };
        if !flies(a) && !flies(b) {
            continue;
        }
        let (Some(contact), Some(outcome)) = (contacts.get(index), solver.contact(index)) else { break };
        let flying = || [(a, T::ONE), (b, -T::ONE)].into_iter().filter(|(body, _)| flies(*body));
        let mut closing = T::ZERO;
        flying().for_each(|(body, sign)| closing += sign * contact.normal.dot(&change.plus(&pushed(body))));
        let bounce = if closing > T::ZERO { outcome.bounce_impulse } else { T::ZERO };
        let impulse = contact.normal.scaled(bounce).plus(&outcome.tangent_impulse);
        for (body, sign) in flying() {
            work[0] += sign * impulse.dot(&change);
            work[1] += sign * impulse.dot(&pushed(body));
        }
    }
    work
}
