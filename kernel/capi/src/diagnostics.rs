//! How a contact's normal and friction are coupled, and for how long it has slid: on request, contact by contact.

use stiction::{Coupling, Real, Sliding};

use crate::error::{Ending, Error, Fault};
use crate::pipeline::{self, Pipeline};
use crate::solver::{self, Solver};
use crate::view::check_pointer;

/// Diagnostics of a contact.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactDiagnostics<T> {
    /// Normal velocity per friction impulse, relative to normal velocity per normal impulse: |K_nt| / K_nn.
    pub coupling: T,
    /// Condition number of the contact's 3x3 block.
    pub condition: T,
    /// Unit direction in which B slides over A; zero without friction, and after a single solve.
    pub sliding_direction: [T; 3],
    /// For how many steps in a row it has slid, up to 255; 0 after a single solve.
    pub sliding_steps: u32,
    /// Whether its block was singular or indefinite up to rounding: a safe one was used instead.
    pub block_replaced: bool,
}

fn diagnostics<T: Real>(coupling: &Coupling<T>, sliding: Option<Sliding<T>>) -> ContactDiagnostics<T> {
    ContactDiagnostics {
        coupling: coupling.normal_tangent_ratio,
        condition: coupling.condition,
        sliding_direction: sliding.map_or([T::ZERO; 3], |sliding| sliding.direction.into()),
        sliding_steps: sliding.map_or(0, |sliding| u32::from(sliding.frames)),
        block_replaced: coupling.is_replaced,
    }
}

/// Reads the diagnostics of a contact of the last step.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn of_step<T: Real>(
    pipeline: *const Pipeline<T>,
    index: usize,
    out: *mut ContactDiagnostics<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let pipeline = pipeline::open(pipeline)?;
        check_pointer(out, "diagnostics")?;
        let coupling = pipeline.coupling(index).ok_or(Fault::new(Error::NoSuchContact, "index"))?;
        out.write(diagnostics(&coupling, pipeline.sliding(index)));
    }
    Ok(())
}

/// Reads the diagnostics of a contact of the last solve.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn of_solve<T: Real>(
    solver: *const Solver<T>,
    index: usize,
    out: *mut ContactDiagnostics<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let solver = solver::open(solver)?;
        check_pointer(out, "diagnostics")?;
        let coupling = solver.coupling(index).ok_or(Fault::new(Error::NoSuchContact, "index"))?;
        out.write(diagnostics(&coupling, None));
    }
    Ok(())
}
