//! [`LentLanes`] on targets without vectors, such as boards, or WebAssembly without `simd128`: it is nothing, takes no
//! argument and no stack, and a program links nothing of lanes.
use core::marker::PhantomData;

use crate::math::real::Real;
use crate::sweep::lane_memory::{LaneMemory, Loaded};

/// Whether solves use memory for lanes on this target.
pub const IS_USED: bool = false;

/// Memory for lanes: there are none here.
pub(crate) struct LentLanes<'a, T: Real>(PhantomData<&'a T>);

impl<'a, T: Real> LentLanes<'a, T> {
    #[inline(always)]
    pub fn new<'b: 'a>(_memory: Option<&'a mut (dyn LaneMemory<T> + 'b)>) -> Self {
        LentLanes(PhantomData)
    }

    /// The same for a shorter time.
    #[inline(always)]
    pub fn shortened<'s>(self) -> LentLanes<'s, T>
    where
        'a: 's,
    {
        LentLanes::default()
    }

    #[inline(always)]
    pub fn get(&mut self) -> Option<&mut dyn LaneMemory<T>> {
        None
    }

    #[inline(always)]
    pub fn view(&self) -> Option<&dyn LaneMemory<T>> {
        None
    }

    #[inline(always)]
    pub fn loaded(&self) -> Loaded {
        Loaded::Nothing
    }

    #[inline(always)]
    pub fn set_loaded(&mut self, _loaded: Loaded) {}
}
