//! Many contacts at once: direct methods for islands on which sweeps converge slowly or cycle.
//!
//! * [`newton`]: Newton's method on the natural map, near a solution
//! * [`interior_point`]: interior points, otherwise
//! * [`proximal`]: proximal points, where interior points fail
//! * [`linear_system`]: the equations of all three, over contacts or over bodies
//!
#![doc = include_str!("../../figures/direct.svg")]

pub(crate) mod body_blocks;
pub(crate) mod contact_system;
pub(crate) mod improve;
pub(crate) mod interior_cones;
pub mod interior_moments;
pub mod interior_point;
pub mod linear_system;
pub(crate) mod memory;
pub mod newton;
pub mod proximal;
pub(crate) mod scales;
pub(crate) mod workspace;
pub use memory::{DirectMemory, DirectView};
