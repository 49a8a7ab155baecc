//! Gravity and loads within a step: how they act on bodies, on bounces at the step's start, and in the ledger.
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

/// Lets gravity and loads act on every body. Not inlined: its copies are off the stack when the solve is on it.
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

/// Takes the forces' share of the step from bounces that happen at its start; `bodies` have it already.
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

/// Finds the bodies that cannot move or that a contact pushed beyond a bounce.
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

/// What gravity and loads did to bodies that fly off a bounce as if they had acted before the bounce and not after it: a bounce
/// with impulse `p` reverses it, by `−p·g dt` and `−p·(F/m) dt`. Where forces pull apart nothing was taken from the bounce
/// (`restitution_left`), and nothing is given back.
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
