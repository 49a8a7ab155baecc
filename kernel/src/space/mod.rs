//! Where contact velocities come from: bodies, or a matrix.
//!
//! * [`jacobian`]: the rows of `J` and `M⁻¹Jᵀ` of one contact
//! * `joint_row`: the rows of a joint
//! * [`constraint`]: the same rows for callers who assemble their own system

pub(crate) mod block6;
pub(crate) mod bodies;
pub(crate) mod body_factor;
pub(crate) mod body_graph;
pub mod constraint;
pub mod jacobian;
mod jacobian_pairs;
pub(crate) mod joint_row;
pub(crate) mod matrix;
pub(crate) mod velocity;
