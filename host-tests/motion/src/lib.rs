//! Shapes in motion: collision detection by parry around the kernel's pipeline, from frame to frame.
//!
//! ```text
//! parts (shape, whether it moves) → detector → manifolds → the kernel's pipeline → poses
//! ```
//!
//! What the host's scenes and the page in a browser have in common, to the bit. No files, no threads, no clocks.

#![forbid(unsafe_code)]

pub mod detector;
pub mod moving;
pub mod pairs;
pub mod solid;
pub mod touch;
