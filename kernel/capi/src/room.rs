//! Room for direct methods, in the caller's memory.

use stiction::{DirectMemory, DirectView, Real};

use crate::error::Fault;
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::rungs::ladder;

/// Room for direct methods on islands on which sweeps crawl. Opaque: made by `stiction_f32_room_init`.
pub struct Room<T>(core::marker::PhantomData<T>);

/// One capacity of room. Opaque: there are functions for those that are compiled.
pub struct RoomKind<T>(core::marker::PhantomData<T>);

/// Memory of any size.
pub trait RoomObject<T: Real> {
    /// Borrows it for one call.
    fn view(&mut self) -> DirectView<'_, T>;
}

impl<T: Real, const N: usize, const BLOCKS: usize> RoomObject<T> for DirectMemory<T, N, BLOCKS> {
    fn view(&mut self) -> DirectView<'_, T> {
        DirectMemory::view(self)
    }
}

// SAFETY: numbers and arrays of numbers, and enumerations whose first value has no data.
unsafe impl<T: Real, const N: usize, const SLOTS: usize> Zeroed<dyn RoomObject<T>> for DirectMemory<T, N, SLOTS> {
    fn erased(object: *mut Self) -> *mut dyn RoomObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_5230 + T::BYTES as u32
}

const fn kind<T: Real, const N: usize, const SLOTS: usize>() -> Kind<dyn RoomObject<T>> {
    Kind::of::<DirectMemory<T, N, SLOTS>>(magic::<T>(), Capacity { bodies: N, contacts: N })
}

ladder! {
    /// The rooms that are compiled: contacts, slots.
    Rooms, RoomObject, kind;
    RUNG_16 = (16, 136),
    RUNG_64 = (64, 2080),
    RUNG_512 = (512, 8192),
    RUNG_1024 = (1024, 65_536),
    RUNG_8192 = (8192, 131_072),
}

/// Opens room.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(room: *const Room<T>) -> Result<Open<'a, dyn RoomObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(room, magic::<T>(), "room") }
}
