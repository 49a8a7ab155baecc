//! State at the start of a step, restored if one of its substeps is rejected.
use arrayvec::ArrayVec;

use crate::math::real::Real;
use crate::step::cache::ContactCache;
use crate::step::world::{State, World};

/// States of the bodies, and the cache.
pub(crate) struct SavedStep<T: Real, const NB: usize, const NP: usize> {
    states: ArrayVec<State<T>, NB>,
    /// Saved only with several substeps: a single substep changes the cache after its last check.
    cache: ContactCache<T, NP>,
}

impl<T: Real, const NB: usize, const NP: usize> SavedStep<T, NB, NP> {
    pub const fn new() -> Self {
        SavedStep { states: ArrayVec::new_const(), cache: ContactCache::new() }
    }

    #[inline(never)]
    pub fn save(&mut self, world: &World<T, NB>, cache: &ContactCache<T, NP>, substeps: u32) {
        self.states.clear();
        for state in (0..world.len()).filter_map(|index| world.state(index)) {
            // As much capacity as the world has.
            let _ = self.states.try_push(state);
        }
        if substeps > 1 {
            self.cache.copy_from(cache);
        }
    }

    #[inline(never)]
    pub fn restore(&self, world: &mut World<T, NB>, cache: &mut ContactCache<T, NP>, substeps: u32) {
        for (index, state) in self.states.iter().enumerate() {
            world.store_state(index, state);
        }
        if substeps > 1 {
            cache.copy_from(&self.cache);
        }
    }
}
