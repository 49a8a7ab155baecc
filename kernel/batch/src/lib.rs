//! Many small contact problems at once: threads over problems, lanes of vector registers within a thread, and for each
//! problem the bits of its own [`Solver::solve`](stiction::Solver::solve), whatever the number of threads.
//!
//! ```
//! use nalgebra::{Matrix3, Vector3};
//! use stiction::{Body, Contact, Settings, Status};
//! use stiction_batch::{Control, Layout, Packed, solve_all};
//!
//! // A thousand balls of 1 kg land at different speeds.
//! let mut problems = Packed::<f32>::new(Layout::rows(2, 1), 1000);
//! for index in 0..1000 {
//!     let mut ball = Body::from_mass(1.0, Matrix3::identity() * 0.4);
//!     ball.linear_velocity = Vector3::new(1.0, 0.0, -0.01 * index as f32);
//!     let contact = Contact { r_b: -Vector3::z(), mu: 0.5, ..Contact::default() };
//!     problems.set(index, &[Body::fixed(), ball], &[contact])?;
//! }
//! let answers = solve_all::<f32, 2, 1>(&problems, &Settings::default(), 1.0 / 60.0, &Control::default())?;
//! assert_eq!(answers.solved(), 1000);
//! assert_eq!(answers.status(7), Some(Status::Converged));
//! assert!((answers.contact(500, 0).unwrap().normal_impulse - 5.0).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A problem that is rejected is an error in its own slot ([`Answers::error`]) and costs the others nothing.
//!
//! * [`layout`]: where the numbers of a problem are, for processors and for graphics processors (`stiction-batch-layout`)
//! * [`problems`], [`packed`]: problems as the caller has them, and in that layout
//! * [`answers`]: velocities, impulses and reports
//! * [`control`]: threads, progress, cancellation
//! * [`solve`], [`delassus`], [`worlds`]: bodies with contacts, Delassus problems, worlds that are stepped
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod again;
pub mod answers;
pub mod control;
pub mod delassus;
pub mod packed;
pub mod problems;
pub mod solve;
pub mod worlds;

pub use answers::Answers;
pub use control::{BatchError, Control};
pub use delassus::{DelassusAnswers, DelassusBatch, solve_delassus};
pub use packed::{Packed, PackedView};
pub use problems::{Problem, Problems};
pub use solve::{solve_all, solve_all_on_surfaces, solve_all_on_surfaces_with_direct, solve_all_with_direct};
pub use stiction_batch_layout::{Layout, layout};
pub use worlds::{StepEnd, Stepped, run_all, step_all};
