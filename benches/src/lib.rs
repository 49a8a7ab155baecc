//! Scenes, peers and tables of the benchmarks in `benches/`.
//!
//! Wall time is for information and is not a pass criterion: machines are shared. Competitors alternate within one run,
//! and the fastest round of each counts. Instruction counts are a pass criterion (see `benches/counts`).

pub mod batches;
pub mod engines;
pub mod falling;
pub mod frame_scenes;
pub mod joint_ours;
pub mod joint_peers;
pub mod joint_scenes;
pub mod projection;
pub mod published;
pub mod race;
pub mod rapier;
pub mod rolling;
pub mod subjects;
pub mod table;
