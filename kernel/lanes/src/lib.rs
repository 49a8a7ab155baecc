//! Sweeps of [`stiction`] over several contacts at once, with the same bits as one by one.
//!
//! ```
//! use stiction::{Bodies, Contacts, Hooks, Settings, Solver};
//! use stiction_lanes::Lanes;
//! # let (mut bodies, contacts) = (Bodies::<f32, 64>::new(), Contacts::<f32, 256>::new());
//! // Memory for 64 bodies in all, islands of up to 256 contacts, and 86 groups of three contacts or more.
//! let mut lanes = Box::new(Lanes::<f32, 64, 256, 86>::new());
//! let mut solver = Box::new(Solver::<f32, 64, 256>::new());
//! solver.solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, Hooks::with_lanes(&mut *lanes))?;
//! # Ok::<(), stiction::InputError<f32>>(())
//! ```
//!
//! * [`plan`]: which contacts are visited side by side
//! * [`group`]: their numbers, one register of lanes for each
//! * [`visit`]: the visit of a group, operation by operation that of one contact
//! * [`worlds`]: many small problems, each in a lane
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod group;
mod level;
mod memory;
pub mod plan;
pub mod scalar;
mod transpose;
pub mod visit;
pub mod worlds;

pub use fearless_simd::Level;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub use fearless_simd::x86;
pub use level::level_name;
#[cfg(feature = "std")]
pub use level::{best_level, levels};
pub use memory::Lanes;
pub use worlds::Worlds;
