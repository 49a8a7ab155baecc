//! Workspace of the direct methods, in the caller's memory.

use stiction::{DirectMemory as KernelMemory, DirectView, Real};

use crate::error::Fault;
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::rungs::ladder;

/// Workspace of direct methods, for islands on which sweeps converge slowly. Opaque: made by
/// `stiction_f32_direct_memory_init`.
pub struct DirectMemory<T>(core::marker::PhantomData<T>);

/// One capacity of such memory. Opaque: there is a function for each compiled one.
pub struct DirectMemoryKind<T>(core::marker::PhantomData<T>);

/// Memory of any size.
pub trait DirectMemoryObject<T: Real> {
    /// Borrows it for one call.
    fn view(&mut self) -> DirectView<'_, T>;
}

impl<T: Real, const N: usize, const BLOCKS: usize> DirectMemoryObject<T> for KernelMemory<T, N, BLOCKS> {
    fn view(&mut self) -> DirectView<'_, T> {
        KernelMemory::view(self)
    }
}

// SAFETY: numbers and arrays of numbers, and enumerations whose first value has no data.
unsafe impl<T: Real, const N: usize, const BLOCKS: usize> Zeroed<dyn DirectMemoryObject<T>>
    for KernelMemory<T, N, BLOCKS>
{
    fn erased(object: *mut Self) -> *mut dyn DirectMemoryObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_5230 + T::BYTES as u32
}

const fn kind<T: Real, const N: usize, const BLOCKS: usize>() -> Kind<dyn DirectMemoryObject<T>> {
    Kind::of::<KernelMemory<T, N, BLOCKS>>(magic::<T>(), Capacity { bodies: N, contacts: N })
}

ladder! {
    /// The compiled sizes: contacts, blocks.
    DirectMemories, DirectMemoryObject, kind;
    RUNG_16 = (16, 136),
    RUNG_64 = (64, 2080),
    RUNG_512 = (512, 8192),
    RUNG_1024 = (1024, 65_536),
    RUNG_8192 = (8192, 131_072),
}

/// Opens memory for direct methods.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(memory: *const DirectMemory<T>) -> Result<Open<'a, dyn DirectMemoryObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(memory, magic::<T>(), "direct") }
}
