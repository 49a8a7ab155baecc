//! Many small contact problems at once on a graphics processor, each with the bits of its own
//! [`Solver::solve`](stiction::Solver::solve): it runs the kernel itself, compiled to PTX, on the layout of `stiction-batch`.
//!
//! ```
//! use stiction::Settings;
//! use stiction_batch::{Control, Layout, Packed};
//! use stiction_gpu::{Gpu, SolvedBy, solve_all_here};
//!
//! let gpu = Gpu::open();
//! let problems = Packed::<f32>::new(Layout::blocks(5, 8), 1000);
//! let (answers, by) =
//!     solve_all_here::<f32, 5, 8>(&gpu, &problems, &Settings::default(), 1.0 / 60.0, &Control::default())?;
//! assert_eq!(answers.solved(), 1000);
//! if let SolvedBy::Processors(reason) = by {
//!     println!("not on a graphics processor: {reason}");
//! }
//! # Ok::<(), stiction_batch::BatchError>(())
//! ```
//!
//! Nothing of CUDA is needed to build this crate, and nothing but NVIDIA's driver to run it: the driver is loaded by name when
//! a graphics processor is asked for, and it compiles the PTX for the one that is there.
//!
//! * [`gpu`]: an open graphics processor; [`batch`], [`delassus`]: batches on it
//! * [`pinned`]: batches in page-locked memory, which are not copied within the host
//! * [`worlds`]: scenes that stay on it and take many steps in one launch
//! * [`here`]: on a graphics processor if there is one, otherwise on processors
//! * [`resident`]: problems and answers that stay on the graphics processor; [`columns`]: the arrays of both;
//!   [`device_memory`], `scratch`: their memory, and that of a batch under way; [`dlpack`]: arrays as other libraries
//!   pass them on
//! * [`rungs`]: the capacities that it has code for; `code`: the PTX
//! * [`error`]: why something was not possible
//! * `driver`: the functions of the driver; `context`, `memory`, `module`, `stream`, `timer`: what it allocates, given back when
//!   dropped
//! * `shares`, `channel`: a batch in parts, and the way there and back; `passes`: a few sweeps at a time
//! * `parameters`, `settings_arrays`: what a launch is given
//!
//! All `unsafe` code calls the driver or reads structs of DLPack; each such block says what is asked for and why it holds.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod batch;
mod channel;
mod code;
pub mod columns;
mod context;
pub mod delassus;
pub mod device_memory;
pub mod dlpack;
mod driver;
pub mod error;
pub mod gpu;
pub mod here;
mod memory;
mod module;
mod parameters;
mod passes;
pub mod pinned;
pub mod resident;
pub mod rungs;
mod scratch;
mod settings_arrays;
mod shares;
mod stream;
mod timer;
pub mod worlds;

// What threads of a graphics processor run, for a driver that runs it on the host. Not a dependency: that crate's workspace is its
// own, because it is compiled for another target.
#[cfg(test)]
#[path = "../device/src"]
mod device {
    pub mod arguments;
    pub mod body_contact;
    pub mod columns;
    pub mod delassus;
    pub mod places;
    pub mod worlds;
}
#[cfg(test)]
mod tests_host;

pub use error::GpuError;
pub use gpu::{Choices, Gpu};
pub use here::{SolvedBy, solve_all_here};
pub use pinned::{PinnedAnswers, PinnedArray, PinnedProblems};
pub use rungs::{DelassusRung, Rung, Scalar};
pub use worlds::{DeviceWorlds, WorldAnswers, WorldKind, worlds_on_processors};
