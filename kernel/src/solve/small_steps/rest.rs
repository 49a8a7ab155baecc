//! Islands at rest: where the last frame's impulses solve this one, too, it takes one pass and one residual.
//!
//! The frame is then one step with `n` times the impulses of a substep:
//!
//! ```text
//! v ← v + n (h a + kick),   one exact pass
//! ```
//!
//! An island is at rest if its contacts are solved after that up to the tolerance, and if no soft pass would move its
//! bodies much: `s |d/h − K x|` is small beside what forces do. Moving islands are told from the bodies alone:
//! forces and kicks do not cancel.
use nalgebra::Vector3;

use crate::math::real::{Real, larger};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::solve::small_steps::frame::{exact_pass, sweep_limit};
use crate::solve::small_steps::friction::Impulses;
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;

/// Part of the forces' velocity change that impulses may leave before an island is measured.
const CLEARLY_MOVING: f64 = 0.1;
/// Residual up to which an island is at rest whatever the tolerance, in `ε`: passes over it would leave as much, from
/// the rounding of positions.
const AT_REST: f64 = 1024.0;
/// Part of the contacts' speed after forces that a soft pass may still change.
const STILL_SINKING: f64 = 1e-2;
/// The same where substeps are solved.
const STILL_SINKING_SOLVED: f64 = 1e-4;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Takes the frame of an island that is at rest; returns false, and changes nothing, if it is not.
    pub(super) fn rest(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        frame: &mut IslandFrame<T>,
    ) -> bool {
        let (division, tolerance) = (&task.division, task.settings.tolerance);
        if work.driven || !self.forces_cancel(work) || !self.keeps_depths(work, task, frame.converges_slowly) {
            return false;
        }
        let count = T::integer(division.substeps as i16);
        self.begin_rest(work, count);
        exact_pass(work, task.settings.local);
        self.measure(work);
        // Where sweeps converge slowly, a small residual can be far from the solution.
        let rounding = if frame.converges_slowly { T::ZERO } else { T::lit(AT_REST) * T::EPSILON };
        if !work.phase.residual.is_below(larger(tolerance, rounding)) {
            self.take_back(work);
            return false;
        }
        frame.sweeps += 1;
        self.book_rest(work, task, count, frame);
        let whole = task.division.undivided();
        self.advance(work, &whole);
        self.end(work, &whole);
        self.divide_impulses(work, count);
        true
    }

    /// Restores the velocities and impulses that the frame began with.
    pub(super) fn take_back(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for body in work.islands.members() {
            work.velocity[body] = self.arrival[body];
        }
        for i in work.rows.window() {
            work.rows.impulse[i] = self.total[i];
            self.total[i] = Vector3::zeros();
        }
    }

    /// Lets the forces and impulses of the whole frame act. The impulses of a substep are saved in `total`.
    pub(super) fn begin_rest(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, count: T) {
        for body in work.islands.members() {
            self.arrival[body] = work.velocity[body];
            work.start[body] = work.velocity[body].plus(&self.force[body].scaled(count));
            work.velocity[body] = work.start[body].plus(&self.kick[body].scaled(count));
        }
        for i in work.rows.window() {
            self.total[i] = work.rows.impulse[i];
            work.rows.impulse[i] = work.rows.impulse[i].scaled(count);
        }
    }

    /// Whether the impulses cancel most of what forces do, body by body.
    pub(super) fn forces_cancel(&self, work: &SolverWorkspace<T, NB, NC, R>) -> bool {
        let mut cancel = true;
        for body in work.islands.members() {
            let (force, change) = (self.force[body].linear(), self.force[body].plus(&self.kick[body]).linear());
            cancel &= change.dot(&change) <= T::lit(CLEARLY_MOVING * CLEARLY_MOVING) * force.dot(&force);
        }
        cancel
    }

    /// Whether a soft pass would leave every contact at its depth. Sets the contacts' targets.
    fn keeps_depths(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        converges_slowly: bool,
    ) -> bool {
        let FrameTask { settings, division, .. } = task;
        let leak = division.leak(sweep_limit(work, settings, converges_slowly));
        let inverse_frame = division.undivided().inverse_h;
        for i in work.rows.window() {
            let depth = self.depth[i];
            // Bodies move for the whole frame.
            work.rows.target[i] = if depth < T::ZERO { depth * inverse_frame } else { T::ZERO };
        }
        self.set_start_speed(work);
        let still = if leak > T::ZERO { T::lit(STILL_SINKING) } else { T::lit(STILL_SINKING_SOLVED) };
        let allowed = still * self.start_speed;
        let mut keeps = true;
        for i in work.rows.window() {
            if work.is_second(i) {
                continue;
            }
            let (depth, block, x) = (self.depth[i], &work.rows.block[i], work.rows.impulse[i].x);
            let push = division.push_speed(depth) - leak * block.normal * x;
            keeps &= depth < T::ZERO || push.abs() <= allowed;
        }
        keeps
    }

    /// Books a frame in one step.
    pub(super) fn book_rest(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        count: T,
        frame: &mut IslandFrame<T>,
    ) {
        let half = T::HALF * task.division.undivided().h;
        for body in work.islands.members() {
            self.forced_way[body] = self.arrival[body].plus(&work.start[body]).scaled(half);
        }
        frame.contact_work += self.guard(work, task.bodies, &mut frame.guarded);
        if frame.guarded > 0 {
            self.measure(work);
        }
        frame.friction_work += self.friction_work(work, task.bodies, Impulses::OfRows(count));
    }

    /// Keeps the impulses of the frame, and hands over those of a substep.
    pub(super) fn divide_impulses(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, count: T) {
        for i in work.rows.window() {
            self.total[i] = work.rows.impulse[i];
            work.rows.impulse[i] = work.rows.impulse[i].divided(count);
        }
    }
}
