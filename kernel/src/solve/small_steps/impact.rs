//! Bounces within substeps: the one in which a contact closes is an impact substep.
//!
//! A contact with restitution `e`, a gap `g`, an approach speed `p` and an approach acceleration `b` touches at speed
//! `w` after `τ`:
//!
//! ```text
//! w = √(p² + 2 b g),    τ = 2g/(p + w)
//! ```
//!
//! If it does so in this substep, it *hits*, and leaves with `e w`. If it approaches and does not reach the surface
//! yet, it *waits*: its row is left out, since a row that lets the gap close would brake it. Slower than the
//! threshold, it is an ordinary contact.
//!
//! Forces act until `τ`, then the normals of all contacts are solved together, so that a bounce cannot push one body
//! into the next. Then forces act for the rest of the substep. The impulses of the bounce allow friction (preloads),
//! the exact pass follows, and no soft pass. A body that only hits moves on the two parabolas before and after its
//! bounce, so a ball keeps its energy to rounding at every length of step.
use nalgebra::Vector3;

use crate::direct::memory::DirectView;
use crate::math::real::{Real, positive_part, smaller};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::stop_check::StopCheck;
use crate::solve::small_steps::frame::{exact_pass, sweep_limit};
use crate::solve::small_steps::{Division, FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::Velocity;

/// What a contact that can bounce does in a substep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Impact {
    /// An ordinary contact.
    None,
    /// It reaches the surface in this substep, fast enough to bounce.
    Hits,
    /// It approaches and will reach the surface later.
    Waits,
}

/// Exact passes of an impact substep.
const PASSES: u32 = 4;
/// Once anything hits, contacts that come by so much of their speed too late hit, too: the corners of a face arrive
/// together.
const TOGETHER: f64 = 0.02;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Finds contacts that hit or wait in this substep. Targets of those that hit are their speeds after the bounce.
    /// Returns whether any hits.
    pub(super) fn find_impacts(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
    ) -> bool {
        let (threshold, division) = (task.settings.restitution_threshold, &task.division);
        for body in work.islands.members() {
            self.impact_time[body] = division.h;
        }
        let mut any = false;
        for i in work.rows.window() {
            self.impact[i] = self.classify(work, i, T::ZERO, threshold, division);
            any |= self.impact[i] == Impact::Hits;
        }
        if !any {
            return false;
        }
        for i in work.rows.window() {
            if self.impact[i] == Impact::Waits {
                self.impact[i] = self.classify(work, i, T::lit(TOGETHER), threshold, division);
            }
        }
        self.share_impact_times(work);
        for i in work.rows.window() {
            if self.impact[i] == Impact::Hits {
                let (approach, acceleration) = self.approach(work, i, division);
                let touch = approach + acceleration * self.time_of(work, i);
                work.rows.target[i] = self.restitution[i] * positive_part(touch);
            }
        }
        true
    }

    /// What a contact does in this substep; if it hits, its bodies bounce no later than it touches.
    fn classify(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        i: usize,
        allowance: T,
        threshold: T,
        division: &Division<T>,
    ) -> Impact {
        if i >= NC || !(self.restitution[i] > T::ZERO) {
            return Impact::None;
        }
        let (h, (approach, acceleration)) = (division.h, self.approach(work, i, division));
        let gap = positive_part(-self.depth_now(&work.jacobians[i], i));
        let square = approach * approach + (acceleration + acceleration) * gap;
        if !(approach > T::ZERO && square > threshold * threshold) {
            return Impact::None;
        }
        let reach = (approach * (T::ONE + allowance) + acceleration * h * T::HALF) * h;
        if reach < gap {
            return Impact::Waits;
        }
        let time = smaller(h, (gap + gap) / (approach + square.sqrt_or_zero()));
        let (a, b) = work.jacobians[i].bodies();
        for body in [a, b] {
            if let Some(slot) = self.impact_time.get_mut(body) {
                *slot = smaller(*slot, time);
            }
        }
        Impact::Hits
    }

    /// Bodies that hit each other do so at one time, the earliest: with times of their own their bounces could add up
    /// to a gain of energy.
    fn share_impact_times(&mut self, work: &SolverWorkspace<T, NB, NC, R>) {
        for _ in 0..NB {
            let mut changed = false;
            for i in work.rows.window() {
                if self.impact[i] != Impact::Hits {
                    continue;
                }
                let time = self.time_of(work, i);
                let ((a, b), moves) = (work.jacobians[i].bodies(), work.jacobians[i].moves());
                for (body, moves) in [(a, moves.0), (b, moves.1)] {
                    if let Some(slot) = self.impact_time.get_mut(body).filter(|slot| moves && **slot > time) {
                        *slot = time;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// When a contact's bodies bounce, s: the earlier of the two that move.
    fn time_of(&self, work: &SolverWorkspace<T, NB, NC, R>, i: usize) -> T {
        let ((a, b), (a_moves, b_moves)) = (work.jacobians[i].bodies(), work.jacobians[i].moves());
        let time = |body: usize| self.impact_time.get(body).copied().unwrap_or(T::ZERO);
        match (a_moves, b_moves) {
            (true, true) => smaller(time(a), time(b)),
            (true, false) => time(a),
            (false, _) => time(b),
        }
    }

    /// A contact's approach speed before forces, m/s, and its approach acceleration, m/s².
    pub(super) fn approach(&self, work: &SolverWorkspace<T, NB, NC, R>, i: usize, division: &Division<T>) -> (T, T) {
        let (a, b) = work.jacobians[i].bodies();
        if a >= NB || b >= NB {
            return (T::ZERO, T::ZERO);
        }
        let speed = -self.normal_velocity(i, &work.velocity[a], &work.velocity[b]);
        (speed, -self.normal_velocity(i, &self.force[a], &self.force[b]) * division.inverse_h)
    }

    /// A substep in which something bounces.
    #[inline(never)]
    pub(super) fn impact_substep(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
        frame: &mut IslandFrame<T>,
    ) {
        let FrameTask { settings, division, .. } = task;
        self.begin_impacts(work, division);
        self.bounce(work, task, stop, frame);
        work.rows.turn_impulses_into_preloads();
        self.resume_forces(work, division);
        if frame.books_substeps {
            self.restart_contact_velocities(work);
        }
        self.set_targets_after_bounce(work, task);
        self.set_start_speed(work);
        for _ in 0..PASSES {
            exact_pass(work, task.settings.local);
        }
        frame.sweeps += PASSES;
        let left = sweep_limit(work, settings, frame.converges_slowly).saturating_sub(PASSES);
        self.sweep_on(work, task, left, stop, direct, frame);
        self.guard_contacts(work, task, frame);
        self.finish_impacts(work);
        self.advance_impacts(work, division);
    }

    /// Lets forces act until each body's impact.
    pub(super) fn begin_impacts(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let SolverWorkspace { islands, velocity, start, .. } = work;
        for body in islands.members() {
            let time = self.impact_time[body];
            let arrival = velocity[body];
            start[body] = arrival.plus(&self.force[body].scaled(time * division.inverse_h));
            velocity[body] = start[body];
            self.arrival[body] = arrival;
            self.forced_way[body] = self.forced_way[body].plus(&arrival.plus(&start[body]).scaled(T::HALF * time));
        }
    }

    /// Lets forces act from each body's impact to the end of the substep. There the contact phase begins.
    pub(super) fn resume_forces(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let SolverWorkspace { islands, velocity, start, .. } = work;
        for body in islands.members() {
            let rest = division.h - self.impact_time[body];
            let bounced = velocity[body];
            start[body] = bounced.plus(&self.force[body].scaled(rest * division.inverse_h));
            velocity[body] = start[body];
            self.forced_way[body] = self.forced_way[body].plus(&bounced.plus(&start[body]).scaled(T::HALF * rest));
        }
    }

    /// The normal velocity that a contact which does not hit asks for.
    pub(super) fn resting_target(&self, work: &SolverWorkspace<T, NB, NC, R>, i: usize, division: &Division<T>) -> T {
        if i >= NC {
            return T::ZERO;
        }
        match self.impact[i] {
            Impact::Waits => -T::LINEAR_SPEED_LIMIT,
            _ => smaller(self.depth_now(&work.jacobians[i], i), T::ZERO) * division.inverse_h,
        }
    }

    /// Impulses that the next substep begins with: none where a contact hit, and the whole of the others.
    pub(super) fn finish_impacts(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            let preload = work.rows.cone[i].preload;
            work.rows.cone[i].preload = T::ZERO;
            // A contact's second row follows its first.
            let first = i.wrapping_sub(usize::from(work.is_second(i)));
            if self.impact.get(first).is_some_and(|impact| *impact == Impact::Hits) {
                self.bounce[i] += preload / work.rows.impulse_scale[i];
                self.total[i] = self.total[i].plus(&work.rows.impulse[i]);
                work.rows.impulse[i] = Vector3::zeros();
            } else {
                work.rows.impulse[i].x += preload;
            }
        }
        self.sum_kicks(work);
    }

    /// Moves bodies: on two parabolas where one only bounces.
    fn advance_impacts(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let h = division.h;
        let mut in_contact = [false; NB];
        for i in work.rows.window() {
            let (a, b) = work.jacobians[i].bodies();
            for body in [a, b] {
                if let Some(slot) = in_contact.get_mut(body) {
                    *slot |= work.rows.impulse[i].x > T::ZERO && !work.is_second(i);
                }
            }
        }
        for body in work.islands.members() {
            let (v, early) = (work.velocity[body], self.impact_time[body]);
            let late = h - early;
            let mut way = v.scaled(h);
            if !in_contact[body] {
                let force = self.force[body];
                let push = |time: T| linear_part(&force, T::HALF * time * division.inverse_h);
                let arriving = self.arrival[body].plus(&push(early)).scaled(early);
                way = arriving.plus(&v.minus(&push(late)).scaled(late));
            }
            self.moved[body] = self.moved[body].plus(&way);
            self.passive_way[body] = self.passive_way[body].plus(&way);
        }
    }
}

/// The linear part of a velocity change, scaled.
fn linear_part<T: Real>(force: &Velocity<T>, scale: T) -> Velocity<T> {
    Velocity { angular: Velocity::<T>::ZERO.angular, ..force.scaled(scale) }
}
