//! Worlds from a queue through the lanes to their answers.
//!
//! Worlds are prepared together, as many as there are lanes, and wait until a lane is free. All lanes sweep in the same
//! direction: where sweeps alternate, a world begins only before a forward sweep.
use stiction::solve::world_phase::{Boundary, Energy};
use stiction::{Settings, Solver, SweepOrder};

use crate::Level;
use crate::scalar::LaneScalar;
use crate::worlds::answer::{Answer, Solved};
use crate::worlds::jobs::{Job, LanesOf, World, has};

/// Receives answers.
pub(super) type Each<'e, T, const NB: usize, const NC: usize> =
    &'e mut dyn FnMut(usize, Solved<T>, Answer<'_, T, NB, NC>);

/// One call: memory, settings, queue and answers.
pub(super) struct Run<'a, 's, T: LaneScalar, const NB: usize, const NC: usize> {
    pub level: Level,
    pub settings: &'s Settings<T>,
    pub dt: T,
    /// Solves worlds alone.
    pub solver: &'s mut Solver<T, NB, NC>,
    pub queue: &'s mut dyn Iterator<Item = World<'a, T, NB, NC>>,
    pub each: Each<'s, T, NB, NC>,
    pub lanes: LanesOf<'a, 's, T, NB, NC>,
    /// Worlds taken from the queue so far.
    pub taken: usize,
}

impl<'a, T: LaneScalar, const NB: usize, const NC: usize> Run<'a, '_, T, NB, NC> {
    /// Answers all worlds of the queue.
    pub fn answer_all(&mut self) {
        let alternates = self.settings.order == SweepOrder::Alternating;
        let mut is_backward = false;
        loop {
            self.finish_worlds();
            if !self.is_sweeping() {
                is_backward = false;
            }
            if !is_backward && self.refill() && self.lanes.jobs.iter().flatten().any(|job| self.is_over(job)) {
                continue;
            }
            if !self.is_sweeping() {
                return;
            }
            self.sweep(is_backward);
            is_backward = alternates && !is_backward;
        }
    }

    fn is_sweeping(&self) -> bool {
        self.lanes.jobs.iter().any(Option::is_some)
    }

    fn is_over(&self, job: &Job<'a, T, NB, NC>) -> bool {
        job.phase.is_over(self.settings)
    }

    /// Fills free lanes from the queue; returns whether any was filled.
    fn refill(&mut self) -> bool {
        let mut any = false;
        // Every turn moves at least one world, or is the last.
        while self.lanes.jobs.iter().take(T::WIDTH).any(Option::is_none) {
            if self.lanes.waiting_jobs.iter().all(Option::is_none) && !self.prepare_worlds() {
                break;
            }
            if self.is_sweeping() {
                self.lanes.move_on();
            } else {
                self.lanes.swap();
            }
            any = true;
        }
        any
    }

    /// Solves a world alone.
    pub fn solve_alone(&mut self, index: usize, (bodies, contacts): World<'a, T, NB, NC>) {
        let result = self.solver.solve(bodies, contacts, self.settings, self.dt);
        (self.each)(index, result, Answer::alone(self.solver, result.is_ok()));
    }

    /// Sweeps all worlds, and measures residuals if that is worthwhile for one of them.
    fn sweep(&mut self, is_backward: bool) {
        let changes = self.lanes.swept.sweep(self.level, is_backward);
        let mut due = 0_u64;
        for (lane, job) in self.lanes.jobs.iter_mut().enumerate() {
            if let Some(job) = job
                && job.phase.after_sweep(changes.as_ref()[lane], self.settings)
            {
                due |= 1 << lane;
            }
        }
        if due == 0 {
            return;
        }
        let sums = self.lanes.swept.measure(self.level);
        for (lane, job) in self.lanes.jobs.iter_mut().enumerate().filter(|(lane, _)| has(due, *lane)) {
            if let Some(job) = job {
                job.phase.take_residual_between(&sums.of(lane), self.settings);
            }
        }
    }

    /// Answers the worlds whose phase is over, and frees their lanes.
    fn finish_worlds(&mut self) {
        let (mut done, mut lacking, mut driven) = (0_u64, 0_u64, 0_u64);
        for (lane, job) in self.lanes.jobs.iter().enumerate() {
            if let Some(job) = job.as_ref().filter(|job| self.is_over(job)) {
                done |= 1 << lane;
                lacking |= u64::from(job.phase.lacks_residual()) << lane;
                driven |= u64::from(job.is_driven) << lane;
            }
        }
        if done == 0 {
            return;
        }
        let sums = (lacking != 0).then(|| self.lanes.swept.measure(self.level));
        let ([value, uncertainty], work) = self.lanes.swept.finish(self.level);
        let boundary = (driven != 0).then(|| self.lanes.swept.boundary(self.level));
        for lane in (0..T::WIDTH).filter(|lane| has(done, *lane)) {
            let Some(mut job) = self.lanes.jobs[lane].take() else { continue };
            if let Some(sums) = sums.as_ref().filter(|_| has(lacking, lane)) {
                job.phase.take_residual(&sums.of(lane));
            }
            let after = Energy { value: value.as_ref()[lane], uncertainty: uncertainty.as_ref()[lane] };
            let boundary = boundary.as_ref().filter(|_| job.is_driven).map_or(Boundary::NONE, |all| all.of(lane));
            match job.phase.close(self.settings, job.before, after, (&work.of(lane), &boundary)) {
                Some(report) => {
                    self.lanes.swept.store(lane, job.world.0);
                    (self.each)(job.index, Ok(report), Answer::in_lane(self.lanes.swept, lane));
                }
                // The passivity guard has something to do.
                None => self.solve_alone(job.index, job.world),
            }
        }
    }
}
