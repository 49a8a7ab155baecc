//! Solves as bytes, and back.
//!
//! * [`mod@format`]: the bytes of a recorded solve
//! * [`FlightRecorder`]: the last solves, in a ring of fixed size
//! * [`DumpStream`]: all solves, handed on in pieces
//! * [`blocks`]: recorded solves read back; [`InputBlock::solve`] solves one again, to the bit

pub(crate) mod bytes;
pub(crate) mod dump_stream;
pub(crate) mod encode;
pub(crate) mod flight_recorder;
pub mod format;
pub(crate) mod read;
pub(crate) mod replay;
pub use dump_stream::{DumpStream, PIECE};
pub use flight_recorder::FlightRecorder;
pub use format::{VERSION, digest};
pub use read::{DumpError, InputBlock, OutcomeBlock, RecordedBlock, RecordedBlocks, blocks};
pub use replay::{LoadError, RecordedSettings};

pub use crate::problem::observer::{BodyRecord, ContactRecord};
