//! The two passes of a substep: soft normals, and holding friction.
use crate::local::block::Block;
use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::{Real, positive_part, smaller};
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::LocalRule;
use crate::solve::small_steps::frame::exact_sweeper;
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::{Division, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::jacobian::ContactJacobian;
use crate::space::velocity::Velocity;
use crate::sweep::moment_row::Role;
use crate::sweep::rows::Rows;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// One pass over the normals; leaves each contact's depth in its target.
    pub(super) fn soft_pass(&self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let leak = T::ONE / (T::ONE + division.soft);
        for i in work.rows.window() {
            if work.is_second(i) {
                continue;
            }
            let jacobian = &work.jacobians[i];
            let (a, b) = jacobian.bodies();
            let depth = self.depth_now(jacobian, i);
            work.rows.target[i] = depth;
            let (Some(v_a), Some(v_b)) = (work.velocity.get(a), work.velocity.get(b)) else { continue };
            if self.impact[i] == Impact::Waits {
                continue;
            }
            let u = self.normal_velocity(i, v_a, v_b);
            let (before, inverse_k) = (work.rows.impulse[i].x, work.rows.block[i].inverse_normal);
            let after = if depth < T::ZERO {
                positive_part(before + (depth * division.inverse_h - u) * inverse_k)
            } else {
                positive_part((before + (division.push_speed(depth) - u) * inverse_k) * leak)
            };
            work.rows.impulse[i].x = after;
            jacobian.push_normal(&mut work.velocity, after - before);
        }
    }

    /// A contact's depth where its bodies are now.
    #[inline(always)]
    pub(super) fn depth_now(&self, jacobian: &ContactJacobian<T, R>, i: usize) -> T {
        let (a, b) = jacobian.bodies();
        let (Some(depth), Some(a), Some(b)) = (self.depth.get(i), self.moved.get(a), self.moved.get(b)) else {
            return T::ZERO;
        };
        *depth - self.normal_velocity(i, a, b)
    }

    /// `u_n` of a row.
    #[inline(always)]
    pub(super) fn normal_velocity(&self, i: usize, a: &Velocity<T>, b: &Velocity<T>) -> T {
        if i >= NC {
            return T::ZERO;
        }
        let row = &self.normal[i];
        let part = |at: usize| T::Lanes3::load(row, at);
        let along = part(0).times(b.linear.minus(a.linear));
        let [x, y, z] = along.plus(part(6).times(b.angular).minus(part(3).times(a.angular))).xyz();
        x + y + z
    }

    /// Contacts that were closed ask for rest; open ones may close their gap in the next substep.
    pub(super) fn set_targets(&self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        for i in work.rows.window() {
            if work.is_second(i) {
                continue;
            }
            let seen = work.rows.target[i];
            work.rows.target[i] = if self.impact[i] == Impact::Waits {
                -T::LINEAR_SPEED_LIMIT
            } else if seen < T::ZERO {
                smaller(self.depth_now(&work.jacobians[i], i), T::ZERO) * division.inverse_h
            } else {
                T::ZERO
            };
        }
    }

    /// One pass over the contacts: those that stick hold, all others are solved exactly.
    pub(super) fn holding_pass(&self, work: &mut SolverWorkspace<T, NB, NC, R>, rule: LocalRule) {
        let sweeper = exact_sweeper(rule);
        let SolverWorkspace { rows, jacobians, velocity, .. } = work;
        for i in rows.window() {
            let holds = !R::HAS_MOMENTS || rows.role(i) == Role::Alone;
            if holds && let Some(delta) = self.hold(rows, &jacobians[i], velocity, i) {
                jacobians[i].push(velocity, delta);
            } else {
                sweeper.visit_one(rows, &mut BodySpace::new(jacobians, velocity), i);
            }
        }
    }

    /// Holds a contact that sticks: the change of its impulse, or none if it does not stick.
    #[inline(always)]
    fn hold(
        &self,
        rows: &mut Rows<T, NC, R>,
        jacobian: &ContactJacobian<T, R>,
        velocity: &[Velocity<T>; NB],
        i: usize,
    ) -> Option<T::Lanes3> {
        let (a, b) = jacobian.bodies();
        let velocity = jacobian.approach(velocity.get(a)?, velocity.get(b)?);
        let change: T::Lanes3 = columns_times(&self.hold[i], 0, velocity.xyz());
        let [lift, change_1, change_2] = change.xyz();
        let x = &mut rows.impulse[i];
        let (t1, t2) = (x.y + change_1, x.z + change_2);
        let Cone { mu, preload } = rows.cone[i];
        let radius = mu * (x.x + preload);
        if !(t1 * t1 + t2 * t2 <= radius * radius && radius > T::ZERO) {
            return None;
        }
        let normal = positive_part(x.x + lift + rows.target[i] * rows.block[i].inverse_normal);
        let delta = T::Lanes3::new(normal - x.x, change_1, change_2);
        (x.x, x.y, x.z) = (normal, t1, t2);
        Some(delta)
    }
}

/// Change of an impulse that holds its contact, for a velocity `w` in world axes. With `T` the inverse of the
/// tangential block,
///
/// ```text
/// Δx_t = −T F_t w,     Δx_n = −(n·w)/K_nn − (K_nt/K_nn) Δx_t
/// ```
pub(super) fn holding_change<T: Real>(block: &Block<T>, frame: &Frame<T>) -> [T; 10] {
    let k = block.tangential();
    let inverse = T::ONE / (k.m11 * k.m22 - k.m12 * k.m21);
    let column = |n: T, t1: T, t2: T| {
        let (x, y) = ((k.m12 * t2 - k.m22 * t1) * inverse, (k.m21 * t1 - k.m11 * t2) * inverse);
        [-n * block.inverse_normal - (block.row.x * x + block.row.y * y), x, y]
    };
    let Frame { n, t1, t2 } = frame;
    let (a, b, c) = (column(n.x, t1.x, t2.x), column(n.y, t1.y, t2.y), column(n.z, t1.z, t2.z));
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], T::ZERO]
}
