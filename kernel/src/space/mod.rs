//! Where contact velocities come from: bodies, or a matrix.
//!
//! * [`link`]: the rows of `J` and `M⁻¹Jᵀ` of one contact
//! * [`constraint`]: the same rows for callers who assemble their own system

pub(crate) mod bodies;
pub mod constraint;
pub mod link;
pub(crate) mod matrix;
pub(crate) mod velocity;
