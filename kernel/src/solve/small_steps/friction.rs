//! The part of the contacts' work that friction has.
//!
//! In a substep, with `u⁰` the contact velocities after forces and before impulses, and `u¹` those after,
//!
//! ```text
//! W_t = ½ x_t·(u⁰ + u¹)_t − x_t·w_t
//! ```
//!
//! with `w` what bodies that no impulse moves add to the velocities: their work is not the contacts'. Jacobians do not
//! change within a frame, so `u⁰` of a substep is `u¹` of the one before plus `J h a`, and each substep evaluates one
//! velocity per contact. Islands whose substeps are not solved book friction once a frame instead, with the sum of
//! their impulses and the velocities at the ends of the frame: the same where friction is steady. What is booked as
//! the normals' is always the rest of the contacts' work, so the ledger closes.
use nalgebra::Vector3;

use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::solve::small_steps::SmallSteps;
use crate::solve::small_steps::impact::Impact;
use crate::solve::workspace::SolverWorkspace;
use crate::space::jacobian::{ContactJacobian, velocity_between};
use crate::space::velocity::{Velocity, unchangeable};

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Contact velocities where the frame begins, and their change by forces in a substep.
    pub(super) fn load_contact_velocities(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            let jacobian = &work.jacobians[i];
            let w: Vector3<T> = vector(approach(jacobian, &work.velocity));
            work.rows.before[i] = w;
            self.arrival_speed[i] = jacobian.normal_of(&w);
            self.forced[i] = vector(approach(jacobian, &self.force));
        }
    }

    /// Contact velocities where the contact phase of an impact begins.
    pub(super) fn restart_contact_velocities(&self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            let w: Vector3<T> = vector(approach(&work.jacobians[i], &work.start));
            work.rows.before[i] = w.minus(&self.forced[i]);
        }
    }

    /// Sets the norm of the contact velocities after forces and before impulses, less their targets.
    #[inline(never)]
    pub(super) fn set_start_speed(&mut self, work: &SolverWorkspace<T, NB, NC, R>) {
        let mut square = T::ZERO;
        for i in work.rows.window() {
            if self.impact[i] == Impact::Waits {
                continue;
            }
            let (w, target) = (work.rows.before[i].plus(&self.forced[i]), work.rows.target[i]);
            let normal = work.jacobians[i].normal_of(&w);
            let along = if work.rows.is_plain(i) { w } else { work.jacobians[i].along(&w) };
            square += along.dot(&along) + target * (target - normal - normal);
        }
        self.start_speed = square.sqrt_or_zero();
    }

    /// Work of friction along the velocities since the last call, with the impulses of the rows under the forces of
    /// `count` substeps, or with those of the whole frame.
    #[inline(never)]
    pub(super) fn friction_work(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        bodies: &Bodies<T, NB>,
        impulses: Impulses<T>,
    ) -> T {
        let mut sum = T::ZERO;
        let count = if let Impulses::OfRows(count) = impulses { count } else { T::ONE };
        for i in work.rows.window() {
            let x = if matches!(impulses, Impulses::OfFrame) { self.total[i] } else { work.rows.impulse[i] };
            let jacobian = &work.jacobians[i];
            let after = approach(jacobian, &work.velocity);
            let (before, forced) = (T::Lanes3::of(&work.rows.before[i]), T::Lanes3::of(&self.forced[i]));
            let twice_mean = before.plus(after).plus(forced.scaled(count));
            let [along, across, normal] = jacobian.tangential(x.y, x.z).times(twice_mean).xyz();
            let mut by_tangents = T::HALF * (along + across + normal) / work.rows.impulse_scale[i];
            work.rows.before[i] = vector(after);
            let driven = work.driven.then(|| {
                let (a, b) = jacobian.bodies();
                velocity_between(jacobian, &unchangeable(bodies, a), &unchangeable(bodies, b))
            });
            if let Some(u) = driven {
                by_tangents -= (x.y * u.y + x.z * u.z) / work.rows.impulse_scale[i];
            }
            sum += by_tangents;
            if R::HAS_MOMENTS {
                let mean = jacobian.normal_of(&vector(twice_mean)) * T::HALF - driven.map_or(T::ZERO, |u| u.x);
                let spinning = x.x * mean / work.rows.impulse_scale[i];
                sum += work.book_friction(i, by_tangents, spinning);
            }
        }
        sum
    }
}

/// Impulses whose work is asked for.
#[derive(Clone, Copy)]
pub(super) enum Impulses<T> {
    /// Those of the rows, under the forces of so many substeps.
    OfRows(T),
    /// Those of the whole frame.
    OfFrame,
}

/// Velocity of a contact in world axes, B minus A.
#[inline(always)]
fn approach<T: Real, const NB: usize, R: ContactRows>(
    jacobian: &ContactJacobian<T, R>,
    velocity: &[Velocity<T>; NB],
) -> T::Lanes3 {
    let (a, b) = jacobian.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => jacobian.approach(a, b),
        _ => T::Lanes3::of(&Vector3::zeros()),
    }
}

#[inline(always)]
fn vector<T: Real>(lanes: T::Lanes3) -> Vector3<T> {
    let [x, y, z] = lanes.xyz();
    Vector3::new(x, y, z)
}
