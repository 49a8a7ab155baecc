//! Hot paths whose instructions are counted, apart from what is raced against peers: this builds in seconds.

pub mod ours;
pub mod paths;
