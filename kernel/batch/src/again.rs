//! Problems on which sweeps did not suffice, solved again with memory for direct methods.
//!
//! A solve with such memory differs from one without it only from the sweep on at which direct methods begin. So lanes
//! solve everything without it and no further, and only problems that came that far are solved again.
use stiction::{ContactRows, DirectMemory, DirectView, Hooks, InputError, Real, Report, Settings, Solver};

use crate::answers::Part;
use crate::problems::Problem;

/// Memory for direct methods of some size.
pub(crate) trait Memory<T>: Send {
    fn view(&mut self) -> DirectView<'_, T>;
}

impl<T: Real, const N: usize, const BLOCKS: usize> Memory<T> for DirectMemory<T, N, BLOCKS> {
    fn view(&mut self) -> DirectView<'_, T> {
        DirectMemory::view(self)
    }
}

/// Makes memory.
pub(crate) type MakeMemory<T> = fn() -> Box<dyn Memory<T>>;

/// Memory of a size.
pub(crate) fn memory<T: Real, const N: usize, const BLOCKS: usize>() -> Box<dyn Memory<T>> {
    Box::new(DirectMemory::<T, N, BLOCKS>::new())
}

/// A solver with memory.
pub(crate) struct Again<T: Real, const NB: usize, const NC: usize, R: ContactRows> {
    solver: Box<Solver<T, NB, NC, R>>,
    memory: Box<dyn Memory<T>>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Again<T, NB, NC, R> {
    pub fn new(make: MakeMemory<T>) -> Self {
        Again { solver: Box::new(Solver::empty()), memory: make() }
    }

    /// Solves a problem and replaces its report and contacts in the answers.
    pub fn solve(
        &mut self,
        (place, problem): (usize, &mut Problem<T, NB, NC, R>),
        settings: &Settings<T>,
        dt: T,
        part: &mut Part<'_, T>,
    ) -> Result<Report<T>, InputError<T>> {
        let Problem { bodies, contacts } = problem;
        let hooks = Hooks::with_direct(self.memory.view());
        let solved = self.solver.solve_with(bodies, contacts, settings, dt, hooks);
        part.set_solved(place, contacts.len(), &solved, |contact| self.solver.contact(contact));
        part.set_moments(place, contacts, solved.is_ok(), &self.solver);
        solved
    }
}
