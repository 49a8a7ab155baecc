//! Islands with joints at rest: the frame is one substep.
//!
//! Substeps are there for motion. Where bodies hardly move, and the impulses of the last frame cancel what forces do, the
//! whole frame is one substep: the same rows, laws and guard with a longer step. Velocities are so small that its larger
//! error does not matter, and an island that begins to move takes substeps from the next frame on.
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::solve::small_steps::guard::products;
use crate::solve::small_steps::{FrameTask, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::Velocity;

/// Speeds and their changes in a substep up to which an island rests, as part of what forces alone do in a substep.
const QUIET: f64 = 1e-3;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Whether the island, which has joints, rests. Changes no velocity.
    pub(super) fn is_jointed_at_rest(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
    ) -> bool {
        let (mut moving, mut forced) = (T::ZERO, T::ZERO);
        for body in work.islands.members() {
            moving += self.square(body, &work.velocity[body]);
            forced += self.square(body, &self.force[body]);
        }
        let most = T::lit(QUIET * QUIET) * forced;
        if !(moving <= most && most > T::ZERO) {
            return false;
        }
        self.begin(work, &task.division);
        self.stand_joints(work, task);
        self.push_impulses(work);
        let mut changed = T::ZERO;
        for body in work.islands.members() {
            let arrival = self.arrival[body];
            changed += self.square(body, &work.velocity[body].minus(&arrival));
            work.velocity[body] = arrival;
            self.forced_way[body] = Velocity::ZERO;
        }
        changed <= most
    }

    /// Twice the kinetic energy of a body with this velocity.
    fn square(&self, body: usize, velocity: &Velocity<T>) -> T {
        let (Some(mass), Some(inertia)) = (self.mass.get(body), self.inertia.get(body)) else { return T::ZERO };
        let [square, _] = products(*mass, inertia, velocity, velocity, velocity);
        square
    }

    /// Scales forces and impulses of a substep to one that is `count` times as long.
    pub(super) fn lengthen_substep(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, count: T) {
        for body in work.islands.members() {
            self.force[body] = self.force[body].scaled(count);
        }
        self.scale_kept_impulses(work, count);
    }

    /// Scales the impulses that the next substep begins with.
    pub(super) fn scale_kept_impulses(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, scale: T) {
        for i in work.rows.window() {
            work.rows.impulse[i] = work.rows.impulse[i].scaled(scale);
        }
        for at in self.window() {
            let Some(index) = self.joints.at(at).map(|row| usize::from(row.joint)) else { continue };
            if let Some(kept) = self.kept_joints.at_mut(index) {
                (kept.linear, kept.angular) = (kept.linear.scaled(scale), kept.angular.scaled(scale));
            }
        }
    }
}
