//! Problems whose matrix `W = J M⁻¹ Jᵀ` the caller provides.
//!
//! Free velocities, friction coefficients and initial impulses are copied. The matrix is borrowed in place for the time
//! of the call, so its blocks must be packed.

use nalgebra::{Matrix3, Vector3};
use stiction::DelassusSolver as KernelSolver;
use stiction::Hooks as KernelHooks;
use stiction::nalgebra;
use stiction::{ContactState, Real, Settings, SixRows, Surface};
use stiction::{Delassus as KernelProblem, DelassusReport as KernelReport};

use crate::choices;
use crate::error::{Ending, Error, Fault};
use crate::hooks::Hooks;
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::report::DelassusReport;
use crate::rungs::ladder;
use crate::surface::DelassusSurfaces;
use crate::view::{Column, ColumnMut, View, ViewMut, read};

/// A solver for problems in Delassus form. Opaque: made by `stiction_f32_delassus_solver_init`.
pub struct DelassusSolver<T>(core::marker::PhantomData<T>);

/// One capacity of solvers in Delassus form. Opaque: there is a function for each compiled one.
pub struct DelassusSolverKind<T>(core::marker::PhantomData<T>);

/// A problem `u = W x + q` of contacts with Coulomb's law between `u` and `x`, along normal, first and second tangent.
///
/// With `row_starts` and `columns`, `w` is in block compressed row format: block `k` with `row_starts[i] <= k <
/// row_starts[i + 1]` is in block row `i` and block column `columns[k]`. Columns ascend within a row, the diagonal
/// block is stored, and the nine numbers of a block are packed column by column. With both null, `w` is the dense
/// matrix, packed row by row.
///
/// A contact with torsion or rolling needs a solver with moments. It has two block rows, one after the other: velocities
/// along normal and tangents in m/s, then angular velocities about them in rad/s. Its radii are those of the first row;
/// in the second row they are 0, and the friction coefficient is not used.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DelassusProblem<T> {
    /// Number of contacts; one with torsion or rolling counts as two.
    pub contacts: usize,
    /// The matrix, 1/kg.
    pub w: *const T,
    /// Number of blocks in `w` and `columns`; not read for a dense matrix.
    pub blocks: usize,
    /// Index of the first block of each block row, `contacts + 1` numbers.
    pub row_starts: *const u32,
    /// Block columns, `blocks` numbers.
    pub columns: *const u32,
    /// Free velocity, 3 numbers per contact, m/s.
    pub q: View<T>,
    /// Friction coefficient of each contact.
    pub mu: View<T>,
    /// Initial impulses, 3 numbers per contact, N s; null for 0. In a second row moments, N m s.
    pub start: View<T>,
    /// Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    /// with moments.
    pub torsion: View<T>,
    /// Largest moment against rolling over the normal impulse, m; null for 0.
    pub rolling: View<T>,
    /// Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    pub is_joined: View<u32>,
}

/// Output of a solve in Delassus form. Both may be null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DelassusAnswer<T> {
    /// Impulse along normal and tangents, 3 numbers per contact, N s. In a second row moments about them, N m s.
    pub impulse: ViewMut<T>,
    /// State of the contact: one of StictionContactState.
    pub state: ViewMut<u32>,
}

impl<T: Real> DelassusAnswer<T> {
    const NONE: Self = DelassusAnswer { impulse: ViewMut::NONE, state: ViewMut::NONE };
}

/// Checked columns of a problem.
pub struct Columns<'a, T> {
    contacts: usize,
    q: Column<'a, T, 3>,
    mu: Column<'a, T, 1>,
    start: Option<Column<'a, T, 3>>,
    surfaces: DelassusSurfaces<'a, T>,
}

/// The matrix, borrowed.
#[derive(Clone, Copy)]
pub enum Matrix<'a, T> {
    /// Block compressed rows: blocks, row starts, columns.
    Blocks(&'a [Matrix3<T>], &'a [u32], &'a [u32]),
    /// The dense matrix.
    Dense(&'a [T]),
}

/// Arguments of a solve.
pub struct Call<'a, T: Real> {
    matrix: Matrix<'a, T>,
    settings: &'a Settings<T>,
    hooks: KernelHooks<'a, T>,
}

/// A solver of any capacity.
pub trait DelassusObject<T: Real> {
    /// Copies everything except the matrix.
    ///
    /// # Safety
    /// The memory that the columns describe is readable.
    unsafe fn load(&mut self, columns: &Columns<'_, T>) -> Result<(), Fault>;
    /// Solves.
    fn solve(&mut self, call: Call<'_, T>) -> Result<KernelReport<T>, stiction::InputError<T>>;
    /// A contact's impulse.
    fn impulse(&self, contact: usize) -> Option<(Vector3<T>, ContactState)>;
    /// Whether contacts can have torsion and rolling friction.
    fn has_moments(&self) -> bool;
}

/// Copied input, apart from surfaces.
pub struct Input<T: Real, const NC: usize> {
    q: [Vector3<T>; NC],
    mu: [T; NC],
    start: [Vector3<T>; NC],
    contacts: usize,
    /// Number of valid entries of `start`: `contacts` or 0.
    starts: usize,
}

impl<T: Real, const NC: usize> Input<T, NC> {
    /// # Safety
    /// The memory that the columns describe is readable.
    unsafe fn load(&mut self, columns: &Columns<'_, T>) -> Result<(), Fault> {
        if columns.contacts > NC {
            return Err(Fault::full("problem.contacts", columns.contacts, NC));
        }
        self.contacts = columns.contacts;
        self.starts = if columns.start.is_some() { columns.contacts } else { 0 };
        // SAFETY: the same promise.
        unsafe {
            for (index, (q, mu)) in self.q.iter_mut().zip(&mut self.mu).enumerate().take(columns.contacts) {
                *q = columns.q.get(index).map_or_else(Vector3::zeros, Vector3::from);
                *mu = columns.mu.get(index).map_or(T::ZERO, |[mu]| mu);
            }
            for (index, start) in self.start.iter_mut().enumerate().take(self.starts) {
                let given = columns.start.as_ref().and_then(|column| column.get(index));
                *start = given.map_or_else(Vector3::zeros, Vector3::from);
            }
        }
        Ok(())
    }

    fn q(&self) -> &[Vector3<T>] {
        self.q.get(..self.contacts).unwrap_or(&[])
    }

    fn mu(&self) -> &[T] {
        self.mu.get(..self.contacts).unwrap_or(&[])
    }

    fn start(&self) -> &[Vector3<T>] {
        self.start.get(..self.starts).unwrap_or(&[])
    }
}

/// A solver and its copied input.
pub struct Sized<T: Real, const NC: usize> {
    input: Input<T, NC>,
    solver: KernelSolver<T, NC>,
}

impl<T: Real, const NC: usize> DelassusObject<T> for Sized<T, NC> {
    unsafe fn load(&mut self, columns: &Columns<'_, T>) -> Result<(), Fault> {
        // SAFETY: the same promise.
        unsafe { self.input.load(columns) }
    }

    fn solve(&mut self, call: Call<'_, T>) -> Result<KernelReport<T>, stiction::InputError<T>> {
        let Call { matrix, settings, hooks } = call;
        let (q, mu) = (self.input.q(), self.input.mu());
        let problem = match matrix {
            Matrix::Blocks(blocks, row_starts, columns) => KernelProblem::new(blocks, row_starts, columns, q, mu)?,
            Matrix::Dense(entries) => KernelProblem::dense(entries, q, mu)?,
        };
        self.solver.solve_with(&problem, settings, self.input.start(), hooks)
    }

    fn impulse(&self, contact: usize) -> Option<(Vector3<T>, ContactState)> {
        self.solver.impulse(contact).zip(self.solver.state(contact))
    }

    fn has_moments(&self) -> bool {
        false
    }
}

/// A solver with moments and its copied input.
pub struct SizedWithMoments<T: Real, const NC: usize> {
    input: Input<T, NC>,
    surfaces: [Surface<T>; NC],
    solver: KernelSolver<T, NC, SixRows>,
}

impl<T: Real, const NC: usize> DelassusObject<T> for SizedWithMoments<T, NC> {
    unsafe fn load(&mut self, columns: &Columns<'_, T>) -> Result<(), Fault> {
        // SAFETY: the same promise.
        unsafe {
            self.input.load(columns)?;
            for (row, surface) in self.surfaces.iter_mut().enumerate().take(columns.contacts) {
                *surface = columns.surfaces.get(row);
            }
        }
        Ok(())
    }

    fn solve(&mut self, call: Call<'_, T>) -> Result<KernelReport<T>, stiction::InputError<T>> {
        let Call { matrix, settings, hooks } = call;
        let (q, mu) = (self.input.q(), self.input.mu());
        let surfaces = self.surfaces.get(..q.len()).unwrap_or(&[]);
        let problem = match matrix {
            Matrix::Blocks(blocks, row_starts, columns) => {
                KernelProblem::with_moments(blocks, row_starts, columns, q, mu, surfaces)?
            }
            Matrix::Dense(entries) => KernelProblem::dense_with_moments(entries, q, mu, surfaces)?,
        };
        self.solver.solve_with(&problem, settings, self.input.start(), hooks)
    }

    fn impulse(&self, contact: usize) -> Option<(Vector3<T>, ContactState)> {
        self.solver.impulse(contact).zip(self.solver.state(contact))
    }

    fn has_moments(&self) -> bool {
        true
    }
}

// SAFETY: numbers, arrays of numbers, and the kernel's rows (see `place`).
unsafe impl<T: Real, const NC: usize> Zeroed<dyn DelassusObject<T>> for Sized<T, NC> {
    fn erased(object: *mut Self) -> *mut dyn DelassusObject<T> {
        object
    }
}

// SAFETY: the same, and surfaces, whose zero bytes are the plain one.
unsafe impl<T: Real, const NC: usize> Zeroed<dyn DelassusObject<T>> for SizedWithMoments<T, NC> {
    fn erased(object: *mut Self) -> *mut dyn DelassusObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_4430 + T::BYTES as u32
}

const fn kind<T: Real, const NC: usize>() -> Kind<dyn DelassusObject<T>> {
    Kind::of::<Sized<T, NC>>(magic::<T>(), Capacity { bodies: 0, contacts: NC })
}

const fn kind_with_moments<T: Real, const NC: usize>() -> Kind<dyn DelassusObject<T>> {
    Kind::of::<SizedWithMoments<T, NC>>(magic::<T>(), Capacity { bodies: 0, contacts: NC })
}

ladder! {
    /// The compiled solvers in Delassus form: contacts.
    DelassusSolvers, DelassusObject, kind;
    RUNG_16 = (16),
    RUNG_128 = (128),
    RUNG_1024 = (1024),
    RUNG_8192 = (8192),
}

ladder! {
    /// The compiled solvers in Delassus form with moments: contacts; one with moments counts as two.
    DelassusSolversWithMoments, DelassusObject, kind_with_moments;
    RUNG_16 = (16),
    RUNG_128 = (128),
    RUNG_1024 = (1024),
    RUNG_8192 = (8192),
}

/// Opens a solver.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(solver: *const DelassusSolver<T>) -> Result<Open<'a, dyn DelassusObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(solver, magic::<T>(), "solver") }
}

/// A packed array as a slice.
///
/// # Safety
/// The pointer is null, or `count` of `T` are readable there and do not change.
unsafe fn packed<'a, T: Copy>(data: *const T, count: usize, field: &'static str) -> Result<&'a [T], Fault> {
    View { data, stride: size_of::<T>() }.column::<1>(count, field)?;
    // SAFETY: the check above found the pointer not null, aligned, and the span within the address space; the rest is
    // the caller's promise. With no elements any pointer is accepted, but that of a slice must not be null.
    Ok(if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(data, count) } })
}

impl<T: Real> DelassusProblem<T> {
    fn columns<'a>(&self) -> Result<Columns<'a, T>, Fault> {
        let contacts = self.contacts;
        Ok(Columns {
            contacts,
            q: self.q.column(contacts, "problem.q")?,
            mu: self.mu.column(contacts, "problem.mu")?,
            start: self.start.optional(contacts, "problem.start")?,
            surfaces: DelassusSurfaces::new(&self.torsion, &self.rolling, &self.is_joined, contacts)?,
        })
    }

    fn goes_beyond_sliding(&self) -> bool {
        !(self.torsion.data.is_null() && self.rolling.data.is_null() && self.is_joined.data.is_null())
    }

    /// Rejects views that need a solver with moments, if this one has none.
    fn reject_without(&self, has_moments: impl FnOnce() -> bool) -> Result<(), Fault> {
        if !self.goes_beyond_sliding() || has_moments() {
            return Ok(());
        }
        Err(Fault::without_moments(&[
            (self.torsion.data.is_null(), "problem.torsion"),
            (self.rolling.data.is_null(), "problem.rolling"),
            (self.is_joined.data.is_null(), "problem.is_joined"),
        ]))
    }

    /// # Safety
    /// The memory that the problem describes is readable and does not change.
    unsafe fn matrix<'a>(&self) -> Result<Matrix<'a, T>, Fault> {
        let n = self.contacts;
        // SAFETY: the same promise. A nalgebra matrix is stored as its nine numbers, column by column.
        unsafe {
            if self.row_starts.is_null() && self.columns.is_null() {
                let count = n.checked_mul(n).and_then(|blocks| blocks.checked_mul(9));
                let count = count.ok_or(Fault::new(Error::TooLarge, "problem.contacts"))?;
                return packed(self.w, count, "problem.w").map(Matrix::Dense);
            }
            let starts = n.checked_add(1).ok_or(Fault::new(Error::TooLarge, "problem.contacts"))?;
            let row_starts = packed(self.row_starts, starts, "problem.row_starts")?;
            let columns = packed(self.columns, self.blocks, "problem.columns")?;
            let blocks = packed(self.w.cast::<Matrix3<T>>(), self.blocks, "problem.w")?;
            Ok(Matrix::Blocks(blocks, row_starts, columns))
        }
    }
}

/// Solves.
///
/// # Safety
/// Pointers are null or point to valid objects, and the memory that the problem describes does not change.
pub unsafe fn solve<T: Real>(
    solver: *mut DelassusSolver<T>,
    problem: *const DelassusProblem<T>,
    settings: *const choices::Settings<T>,
    answer: *const DelassusAnswer<T>,
    hooks: *const Hooks<T>,
) -> Result<DelassusReport<T>, Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut solver = open(solver)?;
        let hooks = Hooks::read(hooks)?;
        let settings = read(settings, "settings")?.to_kernel()?;
        let problem = read(problem, "problem")?;
        problem.reject_without(|| solver.has_moments())?;
        let n = problem.contacts;
        let answer = if answer.is_null() { DelassusAnswer::NONE } else { read(answer, "answer")? };
        let impulses: Option<ColumnMut<'_, T, 3>> = answer.impulse.optional(n, "answer.impulse")?;
        let states: Option<ColumnMut<'_, u32, 1>> = answer.state.optional(n, "answer.state")?;
        let mut memory = hooks.open_direct()?;
        solver.load(&problem.columns()?)?;
        let matrix = problem.matrix()?;
        let mut asks = || hooks.is_over();
        let should_stop = hooks.should_stop.is_some().then_some(&mut asks as &mut dyn FnMut() -> bool);
        let direct = memory.as_mut().map(|memory| memory.view());
        let kernel_hooks = KernelHooks { should_stop, direct, observer: None, lanes: None };
        let report = solver.solve(Call { matrix, settings: &settings, hooks: kernel_hooks })?;
        for index in 0..n {
            let Some((impulse, state)) = solver.impulse(index) else { break };
            impulses.inspect(|column| column.set(index, impulse.into()));
            states.inspect(|column| column.set(index, [state as u32]));
        }
        Ok(DelassusReport::from_kernel(&report))
    }
}
