//! Many contacts, one after another, and how far they are from solved.
//!
//! * [`gauss_seidel`]: one sweep over the contacts
//! * `lanes`: the same over several contacts at once
//! * [`acceleration`]: a sweep extrapolated along the direction of the last ones
//! * [`residual`]: the distance from solved, relative to the speeds of the problem

pub mod acceleration;
pub(crate) mod contact_space;
pub mod gauss_seidel;
#[doc(hidden)]
pub mod lane_memory;
pub(crate) mod lanes;
// Lanes exist where there are vectors.
#[cfg_attr(
    not(any(
        all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    path = "no_lanes.rs"
)]
pub(crate) mod lent_lanes;
pub(crate) mod mechanics;
pub(crate) mod moment_row;
pub(crate) mod moment_visit;
pub mod residual;
pub(crate) mod rows;

#[doc(hidden)]
pub use lent_lanes::IS_USED as LANES_ARE_USED;
