//! The `stiction` command and its parts: scenes with real collision detection, recordings, pictures, file formats.

pub mod answer;
pub mod command;
pub mod inspect;
pub mod json;
pub mod lanes;
pub mod methods;
pub mod picture;
pub mod problem;
pub mod rig;
pub mod words;
