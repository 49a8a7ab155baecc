//! Memory for sweeps over several contacts at once, in the caller's memory. Answers have the same bits with and without
//! it.

use stiction::Real;
use stiction::sweep::LANES_ARE_USED;
use stiction::sweep::lane_memory::LaneMemory;
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes as KernelLanes, Level};

use crate::error::Fault;
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::processor::best_level;
use crate::rungs::{enough, ladder, place_at};

/// Memory for sweeps over several contacts at once. Opaque: made by `stiction_f32_lanes_init`.
pub struct Lanes<T>(core::marker::PhantomData<T>);

/// Memory of any size.
pub trait LanesObject<T: Real> {
    /// Borrows it for one call.
    fn memory(&mut self) -> &mut dyn LaneMemory<T>;
    /// Uses the instructions of a level from now on.
    fn set_level(&mut self, level: Level);
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> LanesObject<T> for KernelLanes<T, NB, NC, NG> {
    fn memory(&mut self) -> &mut dyn LaneMemory<T> {
        self
    }

    fn set_level(&mut self, level: Level) {
        KernelLanes::set_level(self, level);
    }
}

// SAFETY: numbers, `bool` and arrays of both, and a level: an enumeration whose values have no data. The value of zero
// bytes is its first, which stands for the instructions that every processor of the target has. `tests/zeros.rs`
// compares both.
unsafe impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> Zeroed<dyn LanesObject<T>>
    for KernelLanes<T, NB, NC, NG>
{
    fn erased(object: *mut Self) -> *mut dyn LanesObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_4c30 + T::BYTES as u32
}

const fn kind<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize>() -> Kind<dyn LanesObject<T>> {
    Kind::of::<KernelLanes<T, NB, NC, NG>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

ladder! {
    /// The compiled sizes: bodies, contacts, groups. A group that is visited in lanes has at least three contacts.
    LaneMemories: LaneScalar, LanesObject, kind;
    RUNG_16_64 = (16, 64, 22),
    RUNG_64_256 = (64, 256, 86),
    RUNG_256_1024 = (256, 1024, 342),
    RUNG_1024_4096 = (1024, 4096, 1366),
    RUNG_4096_16384 = (4096, 16384, 5462),
}

/// The smallest kind that is large enough; none where solves do not use lanes.
pub fn fit<T: LaneScalar>(wanted: Capacity) -> Option<&'static Kind<dyn LanesObject<T>>> {
    if LANES_ARE_USED { LaneMemories::<T>::fit(wanted) } else { None }
}

/// Creates memory for lanes, with the best instructions of the processor.
///
/// # Safety
/// As [`place_at`].
pub unsafe fn place<T: LaneScalar>(
    wanted: Capacity,
    memory: *mut u8,
    bytes: usize,
    handle: *mut *mut Lanes<T>,
) -> Result<(), Fault> {
    let kind = enough(fit::<T>(wanted))?;
    // SAFETY: the caller's promise; what was just placed can be opened.
    unsafe {
        place_at(kind, memory, bytes, handle)?;
        open::<T>(memory.cast())?.set_level(best_level());
    }
    Ok(())
}

/// Opens memory for lanes.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(memory: *const Lanes<T>) -> Result<Open<'a, dyn LanesObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(memory, magic::<T>(), "lanes") }
}
