//! The work of friction in a solve, by what it resists.
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::contact_velocity;
use crate::space::jacobian::velocity_between;
use crate::space::velocity::unchangeable;
use crate::sweep::moment_row::Role;

/// Books the work of the island's friction by what it resists: `½ x·(u⁰ + u¹)` over its phase, less the work of
/// velocities that no impulse can change.
pub(crate) fn book_friction<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    bodies: &Bodies<T, NB>,
) {
    let SolverWorkspace { rows, jacobians, velocity, start, driven, friction_work, .. } = work;
    let Some(sum) = friction_work.at_mut(0) else { return };
    for i in rows.window() {
        let x = rows.impulse[i].divided(rows.impulse_scale[i]);
        let (before, after) = (contact_velocity(jacobians, start, i), contact_velocity(jacobians, velocity, i));
        let mut mean = before.plus(&after).scaled(T::HALF);
        if *driven {
            let (a, b) = jacobians[i].bodies();
            mean = mean.minus(&velocity_between(&jacobians[i], &unchangeable(bodies, a), &unchangeable(bodies, b)));
        }
        let tangential = x.y * mean.y + x.z * mean.z;
        if rows.role(i) == Role::Second {
            sum.spinning += x.x * mean.x;
            sum.rolling += tangential;
        } else {
            sum.sliding += tangential;
        }
    }
}
