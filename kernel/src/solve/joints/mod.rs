//! Joints in a step: where their bodies are, and the rows that follow from that in every substep.
//!
//! * `pose`: a jointed body's place, moved on in every substep
//! * `geometry`: arms, axis, errors and position of a joint where its bodies are
//! * `build`: its row
//! * `work`: the energy that it gives and takes
pub(crate) mod build;
pub(crate) mod geometry;
pub(crate) mod pose;
pub(crate) mod work;
