//! Worlds through time.
//!
//! * [`pipeline`]: the order of a step
//! * [`integrate`], [`free_rotation`]: motion of a body within a step
//! * [`cache`]: contact points recognised from step to step; [`cache_bytes`]: the cache as bytes
//! * [`kept`]: contacts that keep their rows from frame to frame; [`frames`]: frames in small steps; [`motion`]:
//!   their ledger
//! * [`manifold`]: from touching shapes to contacts
//! * [`ledger`]: where the energy of a step went, without remainder

pub(crate) mod arrange;
pub mod cache;
pub mod cache_bytes;
pub(crate) mod cached_point;
pub(crate) mod contact_collector;
pub(crate) mod forces;
pub(crate) mod frame_collector;
pub mod frames;
pub mod free_rotation;
pub mod integrate;
pub mod kept;
pub mod ledger;
pub mod manifold;
pub(crate) mod masses;
pub mod motion;
pub mod pipeline;
pub(crate) mod report;
pub(crate) mod saved_step;
pub(crate) mod settings;
pub(crate) mod world;
