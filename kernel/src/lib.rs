//! Rigid-body contact with exact Coulomb friction, for controllers and engines.
//!
//! Bodies and contacts go in; velocities, impulses and a report come out. No heap, no `unsafe`, no panic, no operating
//! system, `f32` or `f64`, and identical bits on every machine.
//!
//! # The path
//!
//! ```text
//! contacts, bodies ─validate→ prepare → bounce → warm start → sweeps → passivity guard → velocities, impulses, report
//! ```
//!
//! * **Bounce**: the normals of all contacts are solved together for the separation speeds that restitution requires.
//! * **Contact**: Gauss–Seidel sweeps, each contact solved *exactly* as a 3×3 block with friction; only takes energy
//!   out.
//! * **Passivity guard**: the kinetic energy after a solve is never more than before.
//!
//! # Conventions
//!
//! SI units. A contact with a gap (negative depth) may close it within the step and no further. The normal points from
//! body A to body B; relative velocity is B minus A, so a negative normal velocity approaches; an impulse acts with its
//! sign on B and against it on A. A body that cannot move has inverse mass 0 and inverse inertia 0.
//!
//! # Entry points
//!
//! [`Solver`] for bodies and contacts; [`Pipeline`] for worlds that move; [`DelassusSolver`] for callers who know
//! `J M⁻¹ Jᵀ` themselves; [`local::exact()`] for one contact alone. [`Hooks`] has all optional arguments of a call.

#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// `!(a > b)` sends NaN into the safe branch.
#![allow(clippy::neg_cmp_op_on_partial_ord)]
// Rows are parallel columns: one index walks several of them, visibly within capacity.
#![allow(clippy::needless_range_loop)]

pub mod direct;
pub mod local;
mod math;
mod problem;
pub mod record;
pub mod solve;
pub mod space;
pub mod step;
pub mod sweep;
pub use direct::{DirectMemory, DirectView};
pub use local::block::Coupling;
pub use local::frame::Frame;
pub use math::real::Real;
pub use nalgebra;
pub use problem::bodies::Bodies;
pub use problem::body::Body;
pub use problem::conditions::{DirectSize, IslandMode, SolveConditions};
pub use problem::contact::{Contact, WarmStart};
pub use problem::contact_rows::{ContactRows, Jointed, MomentRows, SixRows, ThreeRows};
pub use problem::contacts::Contacts;
pub use problem::delassus::Delassus;
pub use problem::error::{ErrorKind, InputError, InputField};
pub use problem::joint::{Joint, JointKind};
pub use problem::joint_axis::{JointAxis, Motor, Spring};
pub use problem::joint_work::JointWork;
pub use problem::kept_joint::KeptJoint;
pub use problem::material::Material;
pub use problem::observer::Observer;
pub use problem::point_id::PointId;
pub use problem::report::{ContactOutcome, ContactState, DirectReport, FactorReport, Report, Residual};
pub use problem::rigid_body::RigidBody;
pub use problem::settings::{BounceMode, LocalRule, MethodChoice, PositionCorrection, Settings, SweepOrder};
pub use problem::status::{Method, Status};
pub use problem::step_settings::StepSettings;
pub use problem::surface::{FrictionWork, Surface, Tread};
pub use problem::wrench::{Twist, Wrench};
pub use record::FlightRecorder;
pub use solve::delassus::{DelassusReport, DelassusSolver};
pub use solve::hooks::Hooks;
pub use solve::solver::Solver;
pub use space::constraint::{ACTIVATION_GAP, ContactConstraint};
pub use step::cache::{ContactCache, Sliding};
pub use step::cache_bytes::CacheError;
pub use step::contact_collector::ContactCollector;
pub use step::detector::manifolds;
pub use step::kept::KeptContacts;
pub use step::ledger::Ledger;
pub use step::manifold::{Manifold, ManifoldPoint};
pub use step::pipeline::Pipeline;
pub use step::report::StepReport;
pub use step::world::World;

/// The example of the README, compiled and tested.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
