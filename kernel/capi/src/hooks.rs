//! Everything optional about a call: whether to stop, a recorder, memory for direct methods.

use core::ffi::c_void;

use stiction::Real;
use stiction::record::DumpStream;

use crate::direct_memory::{self, DirectMemory, DirectMemoryObject};
use crate::error::Fault;
use crate::place::Open;
use crate::view::read;

/// Asked before every sweep, factorisation and row that the active set takes in; `true` ends the solve with the answer as it
/// stands. It may be asked again after that, until the call returns.
pub type ShouldStop = Option<unsafe extern "C" fn(user: *mut c_void) -> bool>;

/// Receives the bytes of a dump in pieces: the input of every solve that is not rejected, and a digest of its outcome. The bytes of all calls on an
/// object, one after the other, can be replayed to the bit on a host.
pub type Record = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, count: usize)>;

/// Everything optional about a call. All may be null. Callbacks must return: no exception and no longjmp may leave them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hooks<T: Real> {
    /// Handed to the callbacks.
    pub user: *mut c_void,
    /// Called to ask whether to stop.
    pub should_stop: ShouldStop,
    /// Receives what is solved.
    pub record: Record,
    /// DirectMemory for direct methods.
    pub direct: *mut DirectMemory<T>,
}

impl<T: Real> Hooks<T> {
    const NONE: Self =
        Hooks { user: core::ptr::null_mut(), should_stop: None, record: None, direct: core::ptr::null_mut() };

    /// The hooks behind a pointer; none behind null.
    ///
    /// # Safety
    /// The pointer is null or points to hooks.
    pub unsafe fn read(hooks: *const Self) -> Result<Self, Fault> {
        // SAFETY: the caller's promise.
        if hooks.is_null() { Ok(Self::NONE) } else { unsafe { read(hooks, "hooks") } }
    }

    /// Asks whether to stop.
    pub fn is_over(&self) -> bool {
        // SAFETY: a function that C gave us to be called with its own pointer.
        self.should_stop.is_some_and(|should_stop| unsafe { should_stop(self.user) })
    }

    /// Opens the memory for direct methods, if there is any.
    ///
    /// # Safety
    /// The memory is null or one that was initialised, and nobody else uses it.
    pub unsafe fn open_direct<'a>(&self) -> Result<Option<Open<'a, dyn DirectMemoryObject<T>>>, Fault> {
        // SAFETY: the caller's promise.
        if self.direct.is_null() { Ok(None) } else { unsafe { direct_memory::open(self.direct) }.map(Some) }
    }

    /// Runs `work` with an observer that calls the recorder, if there is one. `solves` goes on counting.
    pub fn recorded<R>(&self, solves: &mut u32, work: impl FnOnce(Option<&mut DumpStream<'_>>) -> R) -> R {
        let Some(record) = self.record else { return work(None) };
        let user = self.user;
        // SAFETY: as for `should_stop`; the bytes are readable during the call.
        let mut write = |bytes: &[u8]| unsafe { record(user, bytes.as_ptr(), bytes.len()) };
        let mut stream = DumpStream::new(&mut write, *solves);
        let result = work(Some(&mut stream));
        *solves = stream.solves();
        result
    }
}
