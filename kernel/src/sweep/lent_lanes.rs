//! The memory for lanes that a caller passed, on targets with vectors; `no_lanes` is the same for others.
use crate::math::real::Real;
use crate::sweep::lane_memory::{LaneMemory, Loaded};

/// Whether solves use memory for lanes on this target.
pub const IS_USED: bool = true;

/// Memory for lanes, if there is some.
pub(crate) struct LentLanes<'a, T: Real> {
    memory: Option<&'a mut dyn LaneMemory<T>>,
    loaded: Loaded,
}

impl<'a, T: Real> LentLanes<'a, T> {
    pub fn new<'b: 'a>(memory: Option<&'a mut (dyn LaneMemory<T> + 'b)>) -> Self {
        LentLanes { memory: memory.map(|memory| memory as &mut dyn LaneMemory<T>), loaded: Loaded::Nothing }
    }

    /// The same for a shorter time.
    pub fn shortened<'s>(self) -> LentLanes<'s, T>
    where
        'a: 's,
    {
        LentLanes::new(self.memory)
    }

    #[inline(always)]
    pub fn get(&mut self) -> Option<&mut dyn LaneMemory<T>> {
        self.memory.as_mut().map(|memory| &mut **memory as &mut dyn LaneMemory<T>)
    }

    #[inline(always)]
    pub fn view(&self) -> Option<&dyn LaneMemory<T>> {
        self.memory.as_deref().map(|memory| memory as &dyn LaneMemory<T>)
    }

    #[inline(always)]
    pub fn loaded(&self) -> Loaded {
        self.loaded
    }

    #[inline(always)]
    pub fn set_loaded(&mut self, loaded: Loaded) {
        self.loaded = loaded;
    }
}
