//! How fast the solver is, against whom: scenes, peers and tables of the benchmarks in `benches/`.
//!
//! Wall time informs and gates nothing: machines are shared. Everything that is compared is measured in turn within one run,
//! and of each the fastest round counts. Instruction counts gate (see `benches/counts`).

pub mod engines;
pub mod projection;
pub mod published;
pub mod race;
pub mod rapier;
pub mod subjects;
pub mod table;
