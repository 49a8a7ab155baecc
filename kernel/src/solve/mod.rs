//! One solve: bounce, warm start, contact phase, passivity, position correction.
//!
//! * [`partition`], `colour`, `connections`: islands, and contacts that share no movable body
//! * [`mod@bounce`]: restitution, over the normals of all contacts together
//! * [`normal_rows`], [`active_set`]: normals solved by sweeps, or exactly
//! * [`mod@warm_start`]: the impulses that a solve begins with
//! * [`contact_phase`], `residual_watch`: sweeps until solved, and when to stop
//! * [`paused`]: a solve that pauses between sweeps
//! * [`passivity`]: why no solve adds energy
//! * [`position_correction`]: penetration removed without adding velocity
//! * [`small_steps`]: a frame in substeps, each with a soft pass and an exact pass
//! * [`kept_factor`]: all contacts of an island corrected at once, with a factor that is kept
//! * `joints`: the rows of joints in a step
//! * [`delassus`]: the same for callers who know `J M⁻¹ Jᵀ` themselves

pub mod active_set;
pub mod bounce;
pub(crate) mod colour;
pub(crate) mod connections;
pub mod contact_phase;
pub mod delassus;
pub(crate) mod friction_work;
pub(crate) mod hooks;
pub(crate) mod island;
pub(crate) mod joints;
pub mod kept_factor;
pub(crate) mod moments;
pub mod normal_rows;
pub(crate) mod notify;
pub mod partition;
pub(crate) mod passive_set;
pub mod passivity;
#[doc(hidden)]
pub mod paused;
pub(crate) mod phase_work;
pub mod position_correction;
pub(crate) mod prepare;
pub(crate) mod residual_watch;
pub mod small_steps;
pub(crate) mod solver;
pub(crate) mod task;
pub mod warm_start;
pub(crate) mod workspace;
#[doc(hidden)]
pub mod world_phase;
