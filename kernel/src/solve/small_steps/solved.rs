//! Substeps whose contact phase is solved, because the settings allow many sweeps or the island is small.
//!
//! ```text
//! base = v + h a,   v = base + kick        forces; the last substep's impulses as warm start
//! sweeps            Coulomb's law to the tolerance; gaps may close
//! guard             K(v) ≤ K(base) + work of driven bodies
//! moved += h (v + correction)
//! ```
//!
//! Bodies move with the velocities of the solution, so contacts at rest have no depth. Where there is a penetration, one
//! pass over the normals adds a velocity that moves positions and nothing else. No leak is needed: there is no mode that
//! the sweeps leave.
use crate::direct::memory::DirectView;
use crate::math::real::{Real, positive_part};
use crate::problem::contact_rows::ContactRows;
use crate::problem::stop_check::StopCheck;
use crate::solve::small_steps::frame::{SOLVED, exact_pass};
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::{Division, FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;

/// Sweeps after which a small island is judged, and the part of its residual that may be left then.
const TRIAL: u32 = 4;
const FAST: f64 = 0.5;
/// A residual that is small already is no reason for soft substeps, however slowly it falls.
const MUCH_LEFT: f64 = 1e-3;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// A substep with up to so many sweeps.
    pub(super) fn solved_substep(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        (number, sweeps): (u32, u32),
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        self.begin(work, division);
        self.set_resting_targets(work, division);
        self.set_start_speed(work);
        self.warm_start(work);
        exact_pass(work, task.settings.local);
        let before = frame.sweeps;
        frame.sweeps += 1;
        if task.settings.sweeps < SOLVED && !self.converges(work, task, frame) {
            return self.soft_phase(work, task, number, stop, direct, frame);
        }
        let left = sweeps.saturating_sub(frame.sweeps - before);
        self.sweep_on(work, task, left, stop, direct, frame);
        self.guard_contacts(work, task, frame);
        self.end(work, division);
        self.advance_corrected(work, division);
    }

    /// Speeds that contacts ask for in a substep without a bounce.
    pub(super) fn set_resting_targets(&self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        for i in work.rows.window() {
            work.rows.target[i] = self.resting_target(work, i, division);
        }
    }

    /// Whether sweeps of a small island converge fast: after a few, half of the residual is left. Otherwise this
    /// substep and those that follow in the frame are soft.
    fn converges(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        frame: &mut IslandFrame<T>,
    ) -> bool {
        let tolerance = task.settings.tolerance;
        // What makes sweeps slow is a heavy body on a light one.
        if work.islands.bodies().len() == 1 {
            return true;
        }
        self.measure(work);
        let before = work.phase.residual;
        if before.is_below(tolerance) {
            return true;
        }
        for _ in 0..TRIAL {
            exact_pass(work, task.settings.local);
        }
        frame.sweeps += TRIAL;
        self.measure(work);
        let after = work.phase.residual;
        let left = after.natural > T::lit(MUCH_LEFT) && !(after.natural <= T::lit(FAST) * before.natural);
        frame.converges_slowly = left && !after.is_below(tolerance);
        !frame.converges_slowly
    }

    /// Moves bodies with their velocities and the correction of penetrations.
    pub(super) fn advance_corrected(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let mut is_deep = false;
        for i in work.rows.window() {
            is_deep |= division.push_speed(self.depth_now(&work.jacobians[i], i)) > T::ZERO;
        }
        if !is_deep {
            return self.advance(work, division);
        }
        for body in work.islands.members() {
            self.arrival[body] = work.velocity[body];
        }
        self.correction_pass(work, division);
        self.advance(work, division);
        for body in work.islands.members() {
            work.velocity[body] = self.arrival[body];
        }
    }

    /// One pass over the normals for the speeds that correct penetrations; impulses stay as they are.
    pub(super) fn correction_pass(&self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        for i in work.rows.window() {
            if work.is_second(i) {
                continue;
            }
            let jacobian = &work.jacobians[i];
            let (a, b) = jacobian.bodies();
            let (Some(v_a), Some(v_b)) = (work.velocity.get(a), work.velocity.get(b)) else { continue };
            let depth = self.depth_now(jacobian, i);
            if depth < T::ZERO || self.impact[i] == Impact::Waits {
                continue;
            }
            let missing = division.push_speed(depth) - self.normal_velocity(i, v_a, v_b);
            let (x, inverse_k) = (work.rows.impulse[i].x, work.rows.block[i].inverse_normal);
            let after = positive_part(x + missing * inverse_k);
            jacobian.push_normal(&mut work.velocity, after - x);
        }
    }
}
