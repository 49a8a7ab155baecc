//! Rigid-body contact with exact Coulomb friction, for controllers and engines.
//!
//! Bodies and contacts go in; velocities, impulses and a truthful report come out. No heap, no `unsafe`, no panic, no
//! operating system, `f32` or `f64`, and nothing in it whose bits could differ between machines.
//!
//! # The path
//!
//! ```text
//! contacts, bodies ─check→ prepare → rows → bounce → warm start → sweeps → guard → velocities, impulses, report
//! ```
//!
//! * **Bounce**: the normals of all contacts together give back what restitution asks for.
//! * **Contact**: Gauss–Seidel sweeps, each contact solved *exactly* as a 3×3 block with friction; only takes energy out.
//! * **Guard**: whatever happened, no more kinetic energy leaves than came in.
//!
//! # Conventions
//!
//! SI units. A contact with a gap (negative depth) may close it within the step and no further. The normal points from body A to body B; relative velocity is B minus A, so a negative normal velocity
//! approaches; an impulse acts with its sign on B and against it on A. A body that cannot move has inverse mass 0 and
//! inverse inertia 0.
//!
//! # Ways in
//!
//! [`Solver`] for bodies and contacts; [`Pipeline`] for worlds that move from frame to frame; [`delassus::DelassusSolver`] for callers who know `J M⁻¹ Jᵀ` themselves;
//! [`local::exact`] for one contact alone.

#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// `!(a > b)` is how NaN is sent down the safe branch throughout.
#![allow(clippy::neg_cmp_op_on_partial_ord)]
// Rows are parallel columns: one index walks several of them, visibly within capacity.
#![allow(clippy::needless_range_loop)]

mod accelerate;
mod active_set;
mod block;
mod body;
pub mod cache;
pub mod cache_bytes;
mod cone;
mod constraint;
mod contact;
mod coupled;
mod cursor;
pub mod delassus;
mod desk;
pub mod direct;
pub mod dump;
mod encode;
mod equations;
mod factor;
mod flight;
mod frame;
mod guard;
mod inertia;
mod interior;
mod island;
mod islands;
mod ledger;
mod links;
mod local_step;
mod lorentz;
pub mod manifold;
mod material;
mod matrix;
mod newton;
mod normals;
mod outcome;
mod phase;
mod pipeline;
mod prepare;
mod real;
pub mod record;
mod refusal;
pub mod replay;
mod report;
mod residual;
mod rotation;
mod rows;
mod settings;
mod small;
mod solve;
mod spin;
mod step;
mod step_report;
mod step_settings;
pub mod stream;
mod sweep;
mod touching;
mod triple;
mod workspace;
mod world;

/// One contact alone: its block, its cone, and the exact solution.
///
#[doc = include_str!("../figures/cone.svg")]
pub mod local {
    pub use crate::block::{Block, Coupling};
    pub use crate::cone::Cone;
    pub use crate::local_step::{LocalSolution, MAX_NEWTON_STEPS, exact, exact_near};
}

pub use body::{Bodies, Body};
pub use constraint::{ACTIVATION_GAP, ContactConstraint};
pub use contact::{Contact, Contacts, WarmStart};
pub use flight::FlightRecorder;
pub use frame::Frame;
pub use ledger::Ledger;
pub use local::Coupling;
pub use nalgebra;
pub use pipeline::Pipeline;
pub use real::Real;
pub use refusal::{Place, Reason, Refusal};
pub use report::{ContactOutcome, ContactState, DirectReport, Method, Report, Residual, Status, Wrench};
pub use settings::{Approach, BounceMode, LocalRule, Settings, Stabilisation, SweepOrder};
pub use step_report::StepReport;
pub use step_settings::StepSettings;
pub use touching::Touching;
pub use workspace::Solver;
pub use world::{RigidBody, World};

/// The example of the README, kept true.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
