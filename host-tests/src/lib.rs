//! Host side of stiction: independent oracles, reusable problem strategies, file formats and the `stiction` command.

pub mod answer;
pub mod capacity;
pub mod command;
pub mod demo;
pub mod document;
pub mod families;
pub mod fc3d;
pub mod island;
pub mod json;
pub mod masonry;
pub mod merit;
pub mod methods;
pub mod oracle;
pub mod picture;
pub mod problem;
pub mod problems;
pub mod rig;
pub mod rng;
pub mod roomy;
pub mod soak;
pub mod strategies;
pub mod tolerance;

pub use stiction_scenes::boxes;
