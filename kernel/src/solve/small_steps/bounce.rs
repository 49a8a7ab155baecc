//! The bounce of an impact substep: the normals of all contacts together.
use crate::math::real::{Real, larger};
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::{BounceMode, Settings};
use crate::problem::stop_check::StopCheck;
use crate::solve::active_set;
use crate::solve::normal_rows::{self, NormalsEnd, worst_shortfall};
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Solves the normals of all contacts together, for the speeds after the bounce where they hit.
    pub(super) fn bounce(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        stop: &mut StopCheck<'_>,
        frame: &mut IslandFrame<T>,
    ) {
        let mut target_speed = T::ZERO;
        for i in work.rows.window() {
            if self.impact[i] == Impact::Hits {
                target_speed = larger(target_speed, work.rows.target[i]);
            } else if self.is_open_and_bounces(work, i) {
                work.rows.target[i] = -T::LINEAR_SPEED_LIMIT;
            } else {
                work.rows.target[i] = self.resting_target(work, i, &task.division);
            }
        }
        if solve_normals(work, task.settings, target_speed, stop, frame) {
            let missing = worst_shortfall(&work.rows, &BodySpace::new(&work.jacobians, &mut work.velocity));
            frame.bounce_missing = larger(frame.bounce_missing, missing);
            work.rows.set_normal_impulses(&work.normal_impulse);
        } else {
            work.restore_start();
            work.rows.set_normal_impulses(&[T::ZERO; NC]);
            frame.bounce_dropped = true;
        }
        frame.bounce_work += self.guard(work, task.bodies, &mut frame.guarded);
    }

    /// Whether a contact has a gap and restitution: a bounce elsewhere may close it, and then it bounces itself, in a
    /// later substep.
    fn is_open_and_bounces(&self, work: &SolverWorkspace<T, NB, NC, R>, i: usize) -> bool {
        i < NC && self.restitution[i] > T::ZERO && self.depth_now(&work.jacobians[i], i) < T::ZERO
    }

    /// Targets of the contact phase after a bounce. What it set in motion towards an open contact waits for a bounce of
    /// its own.
    pub(super) fn set_targets_after_bounce(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
    ) {
        for i in work.rows.window() {
            if self.impact[i] == Impact::Hits {
                work.rows.target[i] = T::ZERO;
            } else if self.is_open_and_bounces(work, i) {
                let (speed, _) = self.approach(work, i, &task.division);
                let waits = speed > task.settings.restitution_threshold;
                self.impact[i] = if waits { Impact::Waits } else { Impact::None };
                work.rows.target[i] = self.resting_target(work, i, &task.division);
            }
        }
    }
}

/// Solves the normals for their targets; returns false if they make no progress.
fn solve_normals<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    settings: &Settings<T>,
    target_speed: T,
    stop: &mut StopCheck<'_>,
    frame: &mut IslandFrame<T>,
) -> bool {
    if settings.bounce == BounceMode::Sequential {
        let mut space = BodySpace::new(&work.jacobians, &mut work.velocity);
        normal_rows::pass(&work.rows, &mut space, &mut work.normal_impulse);
        return true;
    }
    let exact = !stop.has_stopped() && active_set::solve_island(work, stop);
    let close = T::EPSILON.sqrt_or_zero() * target_speed;
    if exact && worst_shortfall(&work.rows, &BodySpace::new(&work.jacobians, &mut work.velocity)) <= close {
        return true;
    }
    work.restore_start();
    let mut space = BodySpace::new(&work.jacobians, &mut work.velocity);
    let (sweeps, end) =
        normal_rows::solve(&work.rows, &mut space, &mut work.normal_impulse, settings.normal_sweeps, stop);
    frame.bounce_sweeps += sweeps;
    end != NormalsEnd::NoProgress
}
