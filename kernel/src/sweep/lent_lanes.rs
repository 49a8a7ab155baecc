//! The memory for lanes that a caller passed. Boards, and WebAssembly without vectors, have no lanes: there it is nothing,
//! takes no argument and no stack, and a program links nothing of lanes.
use crate::math::real::Real;
use crate::sweep::lane_memory::LaneMemory;

/// Memory for lanes, if there is some.
#[cfg(not(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128")))))]
pub(crate) struct LentLanes<'a, T: Real>(Option<&'a mut dyn LaneMemory<T>>);

#[cfg(not(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128")))))]
impl<'a, T: Real> LentLanes<'a, T> {
    pub fn new<'b: 'a>(memory: Option<&'a mut (dyn LaneMemory<T> + 'b)>) -> Self {
        LentLanes(memory.map(|memory| memory as &mut dyn LaneMemory<T>))
    }

    #[inline(always)]
    pub fn get(&mut self) -> Option<&mut dyn LaneMemory<T>> {
        self.0.as_mut().map(|memory| &mut **memory as &mut dyn LaneMemory<T>)
    }

    #[inline(always)]
    pub fn view(&self) -> Option<&dyn LaneMemory<T>> {
        self.0.as_deref().map(|memory| memory as &dyn LaneMemory<T>)
    }
}

/// Memory for lanes: there are none here.
#[cfg(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128"))))]
pub(crate) struct LentLanes<'a, T: Real>(core::marker::PhantomData<&'a T>);

#[cfg(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128"))))]
impl<'a, T: Real> LentLanes<'a, T> {
    #[inline(always)]
    pub fn new<'b: 'a>(_memory: Option<&'a mut (dyn LaneMemory<T> + 'b)>) -> Self {
        LentLanes(core::marker::PhantomData)
    }

    #[inline(always)]
    pub fn get(&mut self) -> Option<&mut dyn LaneMemory<T>> {
        None
    }

    #[inline(always)]
    pub fn view(&self) -> Option<&dyn LaneMemory<T>> {
        None
    }
}

impl<T: Real> LentLanes<'_, T> {
    /// The same for a shorter time.
    #[inline(always)]
    pub fn reborrow(&mut self) -> LentLanes<'_, T> {
        LentLanes::new(self.get())
    }
}

impl<T: Real> Default for LentLanes<'_, T> {
    #[inline(always)]
    fn default() -> Self {
        LentLanes::new(None)
    }
}
