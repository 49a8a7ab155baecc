//! On a graphics processor if there is one, otherwise on processors: the same bits.
use stiction::Settings;
use stiction_batch::{Answers, BatchError, Control, Packed, solve_all};

use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::rungs::Scalar;

/// What solved a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum SolvedBy {
    /// The graphics processor.
    Gpu,
    /// Processors, because of this.
    Processors(GpuError),
}

/// Solves all problems for a step of `dt` seconds with whatever this machine has, each with the bits of
/// [`Solver::solve`](stiction::Solver::solve), whose capacities are `NB` and `NC`.
///
/// Pass what [`Gpu::open`] returned, an error as well: it is the reason that comes back. Problems that the graphics processor has
/// no code for are solved on processors, too. Answers are in the layout that [`Answers::layout`] tells: in blocks from a
/// graphics processor, problem after problem from processors, which are also the only ones that `control` means.
pub fn solve_all_here<T: Scalar, const NB: usize, const NC: usize>(
    gpu: &Result<Gpu, GpuError>,
    problems: &Packed<T>,
    settings: &Settings<T>,
    dt: T,
    control: &Control<'_>,
) -> Result<(Answers<T>, SolvedBy), BatchError> {
    let solved = match gpu {
        Ok(gpu) => gpu.solve_all(problems, settings, dt),
        Err(error) => Err(error.clone()),
    };
    match solved {
        Ok(answers) => Ok((answers, SolvedBy::Gpu)),
        Err(GpuError::Batch(error)) => Err(error),
        Err(reason) => {
            let answers = solve_all::<T, NB, NC>(problems, settings, dt, control)?;
            Ok((answers, SolvedBy::Processors(reason)))
        }
    }
}
