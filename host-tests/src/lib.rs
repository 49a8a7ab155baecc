//! Host side of stiction: independent oracles, reusable problem strategies, file formats and the `stiction` command.

pub mod merit;
pub mod rng;
