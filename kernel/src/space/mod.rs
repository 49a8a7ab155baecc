//! Where contact velocities come from: bodies, or a matrix.
//!
//! * [`jacobian`]: the rows of `J` and `M⁻¹Jᵀ` of one contact
//! * `joint_row`, `joint_side`: the rows of a joint; `joint_measure`: how far it is from solved; `joint_dampers`: the rows
//!   for a factor; `joint_drag`: what acts against rotation
//! * [`constraint`]: the same rows for callers who assemble their own system

pub(crate) mod block6;
pub(crate) mod bodies;
pub(crate) mod body_factor;
pub(crate) mod body_graph;
pub mod constraint;
pub mod jacobian;
mod jacobian_pairs;
pub(crate) mod joint_dampers;
pub(crate) mod joint_drag;
pub(crate) mod joint_measure;
pub(crate) mod joint_row;
pub(crate) mod joint_side;
pub(crate) mod matrix;
pub(crate) mod velocity;
