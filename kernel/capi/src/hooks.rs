//! What a call may use besides its input: a deadline to ask, somebody to tell, room for direct methods.

use core::ffi::c_void;

use stiction::Real;
use stiction::record::DumpStream;

use crate::error::Fault;
use crate::place::Open;
use crate::room::{self, Room, RoomObject};
use crate::view::read;

/// Asked before every sweep, factorisation and row that the active set takes in; `true` ends the solve with the answer as it
/// stands. It may be asked again after that, until the call returns.
pub type Deadline = Option<unsafe extern "C" fn(user: *mut c_void) -> bool>;

/// Told, in pieces, the bytes of a dump: the input of every solve that is not refused, and a digest of its outcome. Put after one another the bytes
/// of all calls on an object can be replayed to the bit on a host.
pub type Record = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const u8, count: usize)>;

/// What a call may use besides its input. All may be null. Callbacks must return: no exception and no longjmp may leave them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hooks<T: Real> {
    /// Handed to the callbacks.
    pub user: *mut c_void,
    /// Asked whether to stop.
    pub deadline: Deadline,
    /// Told what is solved.
    pub record: Record,
    /// Room for direct methods.
    pub room: *mut Room<T>,
}

impl<T: Real> Hooks<T> {
    const NONE: Self = Hooks { user: core::ptr::null_mut(), deadline: None, record: None, room: core::ptr::null_mut() };

    /// The hooks behind a pointer; none behind null.
    ///
    /// # Safety
    /// The pointer is null or points to hooks.
    pub unsafe fn read(hooks: *const Self) -> Result<Self, Fault> {
        // SAFETY: the caller's promise.
        if hooks.is_null() { Ok(Self::NONE) } else { unsafe { read(hooks, "hooks") } }
    }

    /// Asks the deadline.
    pub fn is_over(&self) -> bool {
        // SAFETY: a function that C gave us to be called with its own pointer.
        self.deadline.is_some_and(|deadline| unsafe { deadline(self.user) })
    }

    /// Opens the room, if one is lent.
    ///
    /// # Safety
    /// The room is null or one that was initialised, and nobody else uses it.
    pub unsafe fn open_room<'a>(&self) -> Result<Option<Open<'a, dyn RoomObject<T>>>, Fault> {
        // SAFETY: the caller's promise.
        if self.room.is_null() { Ok(None) } else { unsafe { room::open(self.room) }.map(Some) }
    }

    /// Runs `work` with a sink that tells the recorder, if there is one. `solves` goes on counting.
    pub fn recorded<R>(&self, solves: &mut u32, work: impl FnOnce(Option<&mut DumpStream<'_>>) -> R) -> R {
        let Some(record) = self.record else { return work(None) };
        let user = self.user;
        // SAFETY: as for the deadline; the bytes are readable during the call.
        let mut write = |bytes: &[u8]| unsafe { record(user, bytes.as_ptr(), bytes.len()) };
        let mut stream = DumpStream::new(&mut write, *solves);
        let result = work(Some(&mut stream));
        *solves = stream.solves();
        result
    }
}
