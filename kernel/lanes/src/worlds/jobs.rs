//! Which world is in which lane.
use stiction::solve::world_phase::{Energy, WorldPhase};
use stiction::{Bodies, Contacts};

use crate::scalar::LaneScalar;
use crate::worlds::set::{MOST, Set};

/// A world of the queue.
pub(super) type World<'a, T, const NB: usize, const NC: usize> = (&'a mut Bodies<T, NB>, &'a Contacts<T, NC>);

/// A world in a lane.
pub(super) struct Job<'a, T: LaneScalar, const NB: usize, const NC: usize> {
    /// Its place in the queue.
    pub index: usize,
    pub world: World<'a, T, NB, NC>,
    pub phase: WorldPhase<T>,
    pub before: Energy<T>,
    /// Whether it has velocities that no impulse can change.
    pub is_driven: bool,
}

/// The jobs of a set.
pub(super) type Jobs<'a, T, const NB: usize, const NC: usize> = [Option<Job<'a, T, NB, NC>>; MOST];

/// Worlds that are swept, and worlds that wait, prepared.
pub(super) struct LanesOf<'a, 's, T: LaneScalar, const NB: usize, const NC: usize> {
    pub swept: &'s mut Set<T, NB, NC>,
    pub jobs: Jobs<'a, T, NB, NC>,
    pub waiting: &'s mut Set<T, NB, NC>,
    pub waiting_jobs: Jobs<'a, T, NB, NC>,
}

impl<'s, T: LaneScalar, const NB: usize, const NC: usize> LanesOf<'_, 's, T, NB, NC> {
    pub fn new([swept, waiting]: &'s mut [Set<T, NB, NC>; 2]) -> Self {
        (0..T::WIDTH).for_each(|lane| swept.remove(lane));
        LanesOf { swept, jobs: [const { None }; MOST], waiting, waiting_jobs: [const { None }; MOST] }
    }

    /// The waiting worlds are swept from now on.
    pub fn swap(&mut self) {
        core::mem::swap(&mut self.swept, &mut self.waiting);
        core::mem::swap(&mut self.jobs, &mut self.waiting_jobs);
    }

    /// Moves waiting worlds into free lanes.
    pub fn move_on(&mut self) {
        let free = self.jobs.iter_mut().take(T::WIDTH).enumerate().filter(|(_, job)| job.is_none());
        let mut ready = self.waiting_jobs.iter_mut().enumerate().filter(|(_, job)| job.is_some());
        for (lane, job) in free {
            let Some((from, next)) = ready.next() else { return };
            self.swept.take(lane, self.waiting, from);
            *job = next.take();
        }
    }
}

/// Whether a lane is in a mask.
pub(super) fn has(mask: u64, lane: usize) -> bool {
    (mask >> lane) & 1 == 1
}
