//! One contact alone: Coulomb's law solved exactly.
//!
//! * [`frame`]: two tangents for a normal
//! * [`mod@block`]: a contact's own block `K` of `J M⁻¹ Jᵀ`, scaled, with its Schur complement and principal axes
//! * [`cone`]: the impulses that friction admits, the projection onto them, the natural map
//! * [`mod@exact`]: one equation in one unknown for the sliding contact, solved by Newton's method inside a bracket
//! * [`mod@moments`]: the same with torsion and rolling, one unknown per group of friction; its [law](moment_law) and
//!   its [block](moment_block)
//! * `axis_law`: the free axis of a joint with limits, motor, friction and spring
//! * [`approximate`]: the rules of other engines, to compare with
//!
#![doc = include_str!("../../figures/cone.svg")]

pub mod approximate;
pub(crate) mod axis_law;
pub mod block;
pub mod cone;
pub mod exact;
pub mod frame;
pub(crate) mod free_velocity;
pub(crate) mod moment_ascent;
pub mod moment_block;
pub(crate) mod moment_bracket;
pub(crate) mod moment_derivative;
pub(crate) mod moment_factors;
pub mod moment_law;
pub(crate) mod moment_newton;
pub mod moments;
pub(crate) mod secular;
pub use block::{Block, Coupling};
pub use cone::Cone;
pub use exact::{LocalSolution, MAX_NEWTON_STEPS, exact, exact_near};
pub use moment_block::MomentBlock;
pub use moment_law::MomentLaw;
pub use moments::{MomentSolution, exact_with_moments, exact_with_moments_near};

#[cfg(test)]
mod tests_moments;
