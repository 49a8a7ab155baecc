//! Worlds from a queue through the lanes to their answers.
//!
//! Worlds are prepared together, as many as there are lanes, and wait until a lane is free. All lanes sweep in the same
//! direction: where sweeps alternate, a world begins only before a forward sweep.
use stiction::solve::world_phase::{Boundary, Energy, WorldPhase, bounces, takes};
use stiction::{Bodies, Contacts, Settings, Solver, SweepOrder, WarmStart};

use crate::Level;
use crate::scalar::LaneScalar;
use crate::worlds::answer::{Answer, Solved};
use crate::worlds::set::{MOST, Set};

/// A world of the queue.
pub(super) type World<'a, T, const NB: usize, const NC: usize> = (&'a mut Bodies<T, NB>, &'a Contacts<T, NC>);

/// Receives answers.
pub(super) type Each<'e, T, const NB: usize, const NC: usize> =
    &'e mut dyn FnMut(usize, Solved<T>, Answer<'_, T, NB, NC>);

/// A world in a lane.
struct Job<'a, T: LaneScalar, const NB: usize, const NC: usize> {
    /// Its place in the queue.
    index: usize,
    world: World<'a, T, NB, NC>,
    phase: WorldPhase<T>,
    before: Energy<T>,
    /// Whether it has velocities that no impulse can change.
    is_driven: bool,
}

/// The jobs of a set.
type Jobs<'a, T, const NB: usize, const NC: usize> = [Option<Job<'a, T, NB, NC>>; MOST];

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

/// Worlds that are swept, and worlds that wait, prepared.
pub(super) struct LanesOf<'a, 's, T: LaneScalar, const NB: usize, const NC: usize> {
    swept: &'s mut Set<T, NB, NC>,
    jobs: Jobs<'a, T, NB, NC>,
    waiting: &'s mut Set<T, NB, NC>,
    waiting_jobs: Jobs<'a, T, NB, NC>,
}

impl<'s, T: LaneScalar, const NB: usize, const NC: usize> LanesOf<'_, 's, T, NB, NC> {
    pub fn new([swept, waiting]: &'s mut [Set<T, NB, NC>; 2]) -> Self {
        (0..T::WIDTH).for_each(|lane| swept.remove(lane));
        LanesOf { swept, jobs: [const { None }; MOST], waiting, waiting_jobs: [const { None }; MOST] }
    }

    fn swap(&mut self) {
        core::mem::swap(&mut self.swept, &mut self.waiting);
        core::mem::swap(&mut self.jobs, &mut self.waiting_jobs);
    }

    /// Moves waiting worlds into free lanes.
    fn move_on(&mut self) {
        let free = self.jobs.iter_mut().take(T::WIDTH).enumerate().filter(|(_, job)| job.is_none());
        let mut ready = self.waiting_jobs.iter_mut().enumerate().filter(|(_, job)| job.is_some());
        for (lane, job) in free {
            let Some((from, next)) = ready.next() else { return };
            self.swept.take(lane, self.waiting, from);
            *job = next.take();
        }
    }
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
    fn solve_alone(&mut self, index: usize, (bodies, contacts): World<'a, T, NB, NC>) {
        let result = self.solver.solve(bodies, contacts, self.settings, self.dt);
        (self.each)(index, result, Answer::alone(self.solver, result.is_ok()));
    }

    /// Prepares the next worlds of the queue; returns whether any waits then.
    fn prepare_worlds(&mut self) -> bool {
        loop {
            let count = self.take_worlds();
            if count == 0 {
                return false;
            }
            self.start_worlds();
            if self.lanes.waiting_jobs.iter().any(Option::is_some) {
                return true;
            }
        }
    }

    /// Takes worlds from the queue until all lanes are filled or it is empty; returns how many are in lanes.
    fn take_worlds(&mut self) -> usize {
        let takes = takes(self.settings);
        self.lanes.waiting.forget_targets();
        let mut count = 0;
        while count < T::WIDTH {
            let Some((bodies, contacts)) = self.queue.next() else { break };
            let index = self.taken;
            self.taken += 1;
            let is_valid = Solver::validate(bodies, contacts, self.settings, self.dt).is_ok();
            if !(is_valid && takes && has_friction(contacts)) {
                self.solve_alone(index, (bodies, contacts));
                continue;
            }
            self.lanes.waiting.put(count, bodies, contacts, self.settings, self.dt);
            let before = Energy { value: T::ZERO, uncertainty: T::ZERO };
            let world = (bodies, contacts);
            let job = Job { index, world, phase: WorldPhase::EMPTY, before, is_driven: false };
            self.lanes.waiting_jobs[count] = Some(job);
            count += 1;
        }
        (count..T::WIDTH).for_each(|lane| self.lanes.waiting.remove(lane));
        count
    }

    /// Prepares worlds up to their first sweep. Unusual ones are solved alone.
    fn start_worlds(&mut self) {
        let start = self.lanes.waiting.start(self.level);
        let (mut warm, mut unusual) = (0_u64, start.unusual);
        for lane in 0..T::WIDTH {
            let Some(job) = &mut self.lanes.waiting_jobs[lane] else { continue };
            let [value, uncertainty] = &start.energies;
            job.before = Energy { value: value.as_ref()[lane], uncertainty: uncertainty.as_ref()[lane] };
            job.phase = WorldPhase::new(start.q_norms.as_ref()[lane], job.world.1.len());
            job.is_driven = has(start.driven, lane);
            let set = &mut *self.lanes.waiting;
            if job.is_driven {
                set.fix_velocities(lane);
            }
            if set.bounces(lane, job.world.1, self.settings, self.dt) {
                unusual |= 1 << lane;
            } else if set.warm_start(lane, job.world.1, job.phase.q_norm()) {
                warm |= 1 << lane;
            }
        }
        if warm != 0 {
            self.limit_warm_starts(warm);
        }
        for lane in (0..T::WIDTH).filter(|lane| has(unusual, *lane)) {
            if let Some(job) = self.lanes.waiting_jobs[lane].take() {
                self.lanes.waiting.remove(lane);
                self.solve_alone(job.index, job.world);
            }
        }
        self.begin_phases();
    }

    /// Pushes bodies by the impulses of warm starts, and scales those down that would add energy.
    fn limit_warm_starts(&mut self, warm: u64) {
        let work = self.lanes.waiting.push_all(self.level);
        let (mut factors, mut any) = (T::ONES, false);
        for lane in (0..T::WIDTH).filter(|lane| has(warm, *lane)) {
            let (work, job) = (work.of(lane), &self.lanes.waiting_jobs[lane]);
            if let Some(job) = job.as_ref().filter(|_| work.gains()) {
                factors.as_mut()[lane] = work.least_energy_scale();
                self.lanes.waiting.load_velocities(lane, job.world.0);
                any = true;
            }
        }
        if any {
            self.lanes.waiting.scale_down(self.level, &factors);
        }
    }

    fn begin_phases(&mut self) {
        let mut measured = false;
        for job in self.lanes.waiting_jobs.iter_mut().flatten() {
            measured |= job.phase.begins_with_residual(self.settings);
        }
        if measured {
            let sums = self.lanes.waiting.measure(self.level);
            for (lane, job) in self.lanes.waiting_jobs.iter_mut().enumerate() {
                if let Some(job) = job {
                    job.phase.take_residual(&sums.of(lane));
                }
            }
        }
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
        let over = |job: &Option<Job<'a, T, NB, NC>>| job.as_ref().is_some_and(|job| self.is_over(job));
        let lacks = |job: &Option<Job<'a, T, NB, NC>>| job.as_ref().is_some_and(|job| job.phase.lacks_residual());
        let is_driven = |job: &Option<Job<'a, T, NB, NC>>| job.as_ref().is_some_and(|job| job.is_driven);
        let (mut done, mut lacking, mut driven) = (0_u64, 0_u64, 0_u64);
        for (lane, job) in self.lanes.jobs.iter().enumerate().filter(|(_, job)| over(job)) {
            done |= 1 << lane;
            lacking |= u64::from(lacks(job)) << lane;
            driven |= u64::from(is_driven(job)) << lane;
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

/// Whether a lane is in a mask.
fn has(mask: u64, lane: usize) -> bool {
    (mask >> lane) & 1 == 1
}

/// Whether a contact has friction.
fn has_friction<T: LaneScalar, const NC: usize>(contacts: &Contacts<T, NC>) -> bool {
    (0..contacts.len()).any(|index| contacts.get(index).is_some_and(|contact| contact.mu > T::ZERO))
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Set<T, NB, NC> {
    /// Whether a contact of a prepared world bounces, or may: with a gap, it is left to the kernel.
    fn bounces(&self, lane: usize, contacts: &Contacts<T, NC>, settings: &Settings<T>, dt: T) -> bool {
        self.rows.iter().enumerate().take(contacts.len()).any(|(index, row)| {
            contacts.get(index).is_some_and(|contact| {
                let has_gap = contact.depth < T::ZERO && contact.restitution > T::ZERO;
                has_gap || bounces(&contact, row.start_normal_velocity(lane), settings, dt)
            })
        })
    }

    /// Sets the impulses that a prepared world starts from; returns whether there are any.
    fn warm_start(&mut self, lane: usize, contacts: &Contacts<T, NC>, q_norm: T) -> bool {
        let mut is_warm = false;
        for (index, row) in self.rows.iter_mut().enumerate() {
            let Some(contact) = contacts.get(index) else { break };
            if contact.warm == WarmStart::cold() {
                continue;
            }
            if let Some(impulse) = row.axes(lane).warm(&contact.warm, q_norm) {
                row.set_impulse(lane, impulse);
                is_warm = true;
            }
        }
        is_warm
    }
}
