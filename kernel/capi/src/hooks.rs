//! Optional parts of a call: a stop callback, a recorder, memory for direct methods, memory for lanes.

use core::ffi::c_void;

use stiction::record::DumpStream;
use stiction::{ContactRows, Hooks as KernelHooks, Real};

use crate::direct_memory::{self, DirectMemory, DirectMemoryObject};
use crate::error::{Ending, Fault};
use crate::lanes::{self, Lanes, LanesObject};
use crate::place::Open;
use crate::view::read;

/// Called before every sweep, every factorisation and every row that the active set adds; in a step before every substep
/// of an island, and at rest before a kept factor is made. `true` ends the solve with the current impulses as the answer. It may be called again after that, until the solve returns.
pub type ShouldStop = Option<unsafe extern "C" fn(user: *mut c_void) -> bool>;

/// Receives the bytes of a recording in pieces: the input of every solve that is not rejected, and a digest of its
/// outcome. The concatenated bytes of all calls on an object can be replayed bit for bit on a host.
pub type Record = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, count: usize)>;

/// Optional parts of a call. All may be null. Callbacks must return: they must not throw an exception or call longjmp.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hooks<T: Real> {
    /// Passed to the callbacks.
    pub user: *mut c_void,
    /// Called during a solve; returns whether to stop.
    pub should_stop: ShouldStop,
    /// Receives a recording of the solves.
    pub record: Record,
    /// Memory for direct methods.
    pub direct: *mut DirectMemory<T>,
    /// Memory for sweeps over several contacts at once. Solves in Delassus form do not use it.
    pub lanes: *mut Lanes<T>,
}

impl<T: Real> Hooks<T> {
    const NONE: Self = Hooks {
        user: core::ptr::null_mut(),
        should_stop: None,
        record: None,
        direct: core::ptr::null_mut(),
        lanes: core::ptr::null_mut(),
    };

    /// Reads the hooks that a pointer points to; for null, no hooks.
    ///
    /// # Safety
    /// The pointer is null or points to hooks.
    pub unsafe fn read(hooks: *const Self) -> Result<Self, Fault> {
        // SAFETY: the caller's promise.
        if hooks.is_null() { Ok(Self::NONE) } else { unsafe { read(hooks, "hooks") } }
    }

    /// Calls `should_stop`.
    pub fn is_over(&self) -> bool {
        // SAFETY: a function that the caller passed, to be called with its own pointer.
        self.should_stop.is_some_and(|should_stop| unsafe { should_stop(self.user) })
    }

    /// Opens the memory for direct methods, if there is any.
    ///
    /// # Safety
    /// The memory is null or was initialised, and nothing else uses it.
    pub unsafe fn open_direct<'a>(&self) -> Result<Option<Open<'a, dyn DirectMemoryObject<T>>>, Fault> {
        // SAFETY: the caller's promise.
        if self.direct.is_null() { Ok(None) } else { unsafe { direct_memory::open(self.direct) }.map(Some) }
    }

    /// Opens the memory for lanes, if there is any.
    ///
    /// # Safety
    /// The memory is null or was initialised, and nothing else uses it.
    unsafe fn open_lanes<'a>(&self) -> Result<Option<Open<'a, dyn LanesObject<T>>>, Fault> {
        // SAFETY: the caller's promise.
        if self.lanes.is_null() { Ok(None) } else { unsafe { lanes::open(self.lanes) }.map(Some) }
    }

    /// Calls `record`.
    fn write(&self, bytes: &[u8]) {
        if let Some(record) = self.record {
            // SAFETY: as for `should_stop`; the bytes are readable during the call.
            unsafe { record(self.user, bytes.as_ptr(), bytes.len()) }
        }
    }

    /// Runs `work` with what a call lends it.
    ///
    /// # Safety
    /// Memory is null or was initialised, and nothing else uses it.
    #[inline(always)]
    pub unsafe fn lend<O>(&self, work: impl FnOnce(Lent<'_, T>) -> Result<O, Ending<T>>) -> Result<O, Ending<T>> {
        // SAFETY: the caller's promise.
        let (mut memory, mut lanes) = unsafe { (self.open_direct()?, self.open_lanes()?) };
        let (mut asks, mut write) = (|| self.is_over(), |bytes: &[u8]| self.write(bytes));
        // Without a callback there is nothing to call.
        let should_stop = self.should_stop.is_some().then_some(&mut asks as &mut dyn FnMut() -> bool);
        let record = self.record.is_some().then_some(&mut write as Write<'_>);
        let direct = memory.as_mut().map(|memory| memory.view());
        let lanes = lanes.as_mut().map(|lanes| lanes.memory());
        work(Lent { hooks: KernelHooks { should_stop, direct, observer: None, lanes }, record })
    }
}

/// What a solve or a step takes from the hooks of a call.
pub struct Lent<'a, T: Real> {
    /// Stop callback and memory; no observer.
    hooks: KernelHooks<'a, T>,
    /// Receives the bytes of a recording.
    record: Option<Write<'a>>,
}

/// Receives bytes in pieces.
type Write<'a> = &'a mut dyn FnMut(&[u8]);

impl<T: Real> Lent<'_, T> {
    /// Runs `work` with an observer that passes bytes to the recorder, if there is one. `solves` is the running count of
    /// recorded solves. The object calls this, not the function that C calls: only objects with moments link the code
    /// that records moments.
    #[inline(always)]
    pub fn recorded<R: ContactRows, O>(self, solves: &mut u32, work: impl FnOnce(KernelHooks<'_, T>) -> O) -> O {
        let mut stream = self.record.map(|write| DumpStream::<R>::with_rows(write, *solves));
        let KernelHooks { should_stop, direct, lanes, .. } = self.hooks;
        // References to objects that live as long as the stream: hooks have one lifetime.
        let result = work(KernelHooks {
            should_stop: should_stop.map(|should_stop| should_stop as _),
            direct,
            observer: stream.as_mut().map(|stream| stream as _),
            lanes: lanes.map(|lanes| lanes as _),
        });
        *solves = stream.map_or(*solves, |stream| stream.solves());
        result
    }
}
