//! Worlds through time.
//!
//! * [`pipeline`], `take`: the order of a step; `load`: its bodies; `rows`: the rows of its contacts; `outcome`: its
//!   contacts after it
//! * [`kept`]: contacts that keep their rows from step to step; [`keeping`]: for how long; `anchors`: their points,
//!   fixed in the bodies; `kept_bytes`, `kept_joint_bytes`, `kept_rules`:
//!   the same as bytes
//! * [`manifold`], `detector`, `contact_collector`, `point_rules`: from touching shapes to contacts
//! * `world_joints`, `joints`: joints of a world, and what a step does to them
//! * `body_surface`, `collect_surfaces`, `kept_surfaces`, `kept_places`: friction beyond sliding, of bodies, of manifolds,
//!   and kept
//! * [`motion`]: motion of a body within a step
//! * [`ledger`]: where the energy of a step went, without remainder
//! * [`cache`]: contact points recognised from solve to solve, for programs that move bodies themselves;
//!   [`cache_bytes`]: the cache as bytes
//! * `replay`: recorded steps, taken again

pub(crate) mod anchors;
pub(crate) mod arrange;
pub(crate) mod body_surface;
pub mod cache;
pub mod cache_bytes;
pub(crate) mod cached_point;
pub(crate) mod collect_surfaces;
pub(crate) mod contact_collector;
pub(crate) mod detector;
pub(crate) mod joints;
pub mod keeping;
pub mod kept;
pub(crate) mod kept_bytes;
pub(crate) mod kept_joint_bytes;
pub(crate) mod kept_places;
pub(crate) mod kept_rules;
pub(crate) mod kept_surfaces;
pub mod ledger;
pub(crate) mod load;
pub mod manifold;
pub(crate) mod masses;
pub mod motion;
pub(crate) mod notify;
pub(crate) mod outcome;
pub mod pipeline;
pub(crate) mod point_rules;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rows;
pub(crate) mod take;
pub(crate) mod world;
pub(crate) mod world_joints;
