//! Shapes in motion: collision detection by parry around the kernel's pipeline.
//!
//! ```text
//! parts (shape, whether it moves) → detector → manifolds → the kernel's pipeline → poses
//! ```
//!
//! Shared by the host's scenes and the page in a browser, so that both give the same bits. No files, no threads, no
//! clocks.

#![forbid(unsafe_code)]

pub mod detector;
pub mod moving;
pub mod pairs;
pub mod solid;
pub mod touch;
