//! Hot paths whose instructions are counted. Separate from the comparison with peers, so that this builds in seconds.

pub mod ours;
pub mod paths;
pub mod small_worlds;
