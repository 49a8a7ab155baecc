//! The memory for lanes that a caller passed. Boards, and WebAssembly without vectors, have no lanes: there it is nothing,
//! takes no argument and no stack, and a program links nothing of lanes.
use crate::math::real::Real;
use crate::sweep::lane_memory::LaneMemory;

/// What of an island's rows is in the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loaded {
    Nothing,
    /// All but what changes between sweeps.
    Constants,
    Everything,
}

/// Memory for lanes, if there is some.
#[cfg(not(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128")))))]
pub(crate) struct LentLanes<'a, T: Real> {
    memory: Option<&'a mut dyn LaneMemory<T>>,
    loaded: Loaded,
}

#[cfg(not(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128")))))]
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

/// Memory for lanes: there are none here.
#[cfg(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128"))))]
pub(crate) struct LentLanes<'a, T: Real>(core::marker::PhantomData<&'a T>);

#[cfg(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128"))))]
impl<'a, T: Real> LentLanes<'a, T> {
    #[inline(always)]
    pub fn new<'b: 'a>(_memory: Option<&'a mut (dyn LaneMemory<T> + 'b)>) -> Self {
        LentLanes(core::marker::PhantomData)
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

impl<T: Real> Default for LentLanes<'_, T> {
    #[inline(always)]
    fn default() -> Self {
        LentLanes::new(None)
    }
}
