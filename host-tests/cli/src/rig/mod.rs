//! Worlds that people can run: shapes, scenes, collision detection around the kernel's pipeline.
//!
//! ```text
//! scene (JSON or built in) → rig (kernel's world and pipeline + detector) → frames → summary, recording, pictures
//! ```

mod again;
mod collector;
pub mod film;
pub mod frame;
pub mod history;
pub mod import;
pub mod joint_state;
mod jointed_scenes;
pub mod joints;
pub mod playback;
pub mod reading;
pub mod recording;
pub mod robot;
mod rows;
pub mod run;
pub mod scene;
pub mod scenes;
mod schema;
pub mod shape;
pub mod simulation;
mod state;
pub mod summary;
mod surface_scenes;
mod tables;
pub mod world;
