//! Worlds from the queue up to their first sweep.
use stiction::solve::world_phase::{Energy, WorldPhase, bounces, takes};
use stiction::{Contacts, Settings, Solver, WarmStart};

use crate::scalar::LaneScalar;
use crate::worlds::jobs::{Job, has};
use crate::worlds::queue::Run;
use crate::worlds::set::Set;

impl<'a, T: LaneScalar, const NB: usize, const NC: usize> Run<'a, '_, T, NB, NC> {
    /// Prepares the next worlds of the queue; returns whether any waits then.
    pub fn prepare_worlds(&mut self) -> bool {
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
