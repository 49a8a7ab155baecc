//! Solves and steps as bytes, and back.
//!
//! * [`mod@format`]: the bytes of a recorded solve or step
//! * [`FlightRecorder`]: the last of them, in a ring of fixed size
//! * [`DumpStream`]: all of them, handed on in pieces
//! * [`blocks`]: recorded blocks read back; [`InputBlock::solve`] and [`StepBlock::step`] compute one again, to the bit

pub(crate) mod announced;
pub(crate) mod bytes;
pub(crate) mod dump_stream;
pub(crate) mod encode;
pub(crate) mod encode_to;
pub(crate) mod flight_recorder;
pub mod format;
pub(crate) mod head;
pub(crate) mod joints;
pub(crate) mod read;
pub(crate) mod replay;
pub(crate) mod step_block;
pub(crate) mod surfaces;
pub use dump_stream::{DumpStream, PIECE};
pub use flight_recorder::FlightRecorder;
pub use format::{VERSION, digest};
pub use head::DumpError;
pub use read::{InputBlock, OutcomeBlock, RecordedBlock, RecordedBlocks, blocks};
pub use replay::{LoadError, RecordedSettings};
pub use step_block::StepBlock;
pub use surfaces::digest_of_answer;

pub use crate::problem::joint_record::JointRecord;
pub use crate::problem::kept::{FactorState, Hold, IslandState, KeptManifold, KeptPoint};
pub use crate::problem::observer::{BodyRecord, ContactRecord, FoundContacts, StepInput, SurfaceRecord};
