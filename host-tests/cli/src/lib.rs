//! The `stiction` command and what it is made of: scenes over real collision detection, recordings, pictures, file formats.

pub mod answer;
pub mod command;
pub mod json;
pub mod methods;
pub mod picture;
pub mod problem;
pub mod rig;
