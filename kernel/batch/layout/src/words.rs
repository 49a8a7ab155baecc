//! Statuses, methods and states of contacts as words, and back.
use stiction::{ContactState, Method, Status};

/// The status word of a problem that was rejected.
pub const REJECTED: u32 = 5;
/// The status word of a problem that was not begun.
pub const NOT_BEGUN: u32 = 6;

const STATUSES: [Status; 5] =
    [Status::Converged, Status::Guarded, Status::BounceDropped, Status::SweepLimit, Status::Deadline];
const METHODS: [Method; 6] = [
    Method::ActiveSet,
    Method::ScalarPgs,
    Method::BlockPgs,
    Method::Accelerated,
    Method::Newton,
    Method::InteriorPoint,
];
const STATES: [ContactState; 3] = [ContactState::Open, ContactState::Stick, ContactState::Slide];

/// The word of a status; [`REJECTED`] if there is none.
pub fn status_word(status: Option<Status>) -> u32 {
    let place = STATUSES.iter().position(|known| Some(*known) == status);
    place.map_or(REJECTED, |place| place as u32)
}

/// The status of a word; none of a problem that was rejected or not begun.
pub fn status_of(word: u32) -> Option<Status> {
    STATUSES.get(word as usize).copied()
}

/// The word of a method.
pub fn method_word(method: Method) -> u32 {
    METHODS.iter().position(|known| *known == method).unwrap_or(usize::MAX) as u32
}

/// The method of a word.
pub fn method_of(word: u32) -> Option<Method> {
    METHODS.get(word as usize).copied()
}

/// The word of a contact's state.
pub fn state_word(state: ContactState) -> u32 {
    STATES.iter().position(|known| *known == state).unwrap_or(0) as u32
}

/// The state of a word.
pub fn state_of(word: u32) -> Option<ContactState> {
    STATES.get(word as usize).copied()
}

/// Flags of a report in the answer.
pub mod flag {
    /// The passivity guard scaled an impulse down.
    pub const PASSIVITY_GUARD: u32 = 1;
    /// The bounce was discarded.
    pub const BOUNCE_DROPPED: u32 = 2;
    /// Direct methods were needed and their memory was too small.
    pub const MEMORY_TOO_SMALL: u32 = 4;
}
