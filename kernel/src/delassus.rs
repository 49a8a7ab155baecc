//! The other way in: a Delassus matrix `W = J M⁻¹ Jᵀ` that the caller knows, without bodies.
//!
//! ```text
//! find x:  u = W x + q,   Coulomb's law between u and x for every contact
//! ```
//!
//! For articulated robots whose own library computes `W`, and for published problems. The local step, the sweep and the
//! residual are those of the body form; only where velocities come from differs. Blocks are used as they are: published
//! matrices are not exactly symmetric, diagonal blocks included.
//!
//! Restitution and stabilisation are inside `q`, and so is, then, energy that contacts may legitimately give back: the
//! passivity guard therefore asks for what holds of every exact solution, `x·u ≤ 0` and so `½ x·(q + u) ≤ ½ x·q ≤ 0`.

use arrayvec::ArrayVec;
use nalgebra::{Matrix3, Vector3};

use crate::inertia::InertiaFactor;
use crate::phase::{self, PhaseEnd};
use crate::real::{Real, larger};
use crate::refusal::{Reason, Refusal, check_range, check_vector};
use crate::report::{ContactState, Method, Residual, Status};
use crate::residual::{measure, speed_norm, unit_map};
use crate::rows::{ContactSpace, Rows};
use crate::settings::Settings;

/// A borrowed problem in block compressed rows, checked.
#[derive(Debug, Clone, Copy)]
pub struct Delassus<'a, T> {
    blocks: &'a [Matrix3<T>],
    row_starts: &'a [u32],
    columns: &'a [u32],
    q: &'a [Vector3<T>],
    mu: &'a [T],
}

impl<'a, T: Real> Delassus<'a, T> {
    /// Checks a problem of `q.len()` contacts.
    ///
    /// Block `k` with `row_starts[i] ≤ k < row_starts[i + 1]` stands in block row `i` and block column `columns[k]`;
    /// columns ascend in a row and the diagonal block is stored. `q` is the free velocity along `n, t1, t2`, in m/s, and
    /// `mu` the friction coefficient of each contact.
    pub fn new(
        blocks: &'a [Matrix3<T>],
        row_starts: &'a [u32],
        columns: &'a [u32],
        q: &'a [Vector3<T>],
        mu: &'a [T],
    ) -> Result<Self, Refusal<T>> {
        let problem = Delassus { blocks, row_starts, columns, q, mu };
        problem.check_lengths()?;
        for i in 0..q.len() {
            problem.check_row(i)?;
        }
        Ok(problem)
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    fn check_lengths(&self) -> Result<(), Refusal<T>> {
        let n = self.q.len();
        let lengths = [
            ("mu", self.mu.len(), n),
            ("row_starts", self.row_starts.len(), n.saturating_add(1)),
            ("columns", self.columns.len(), self.blocks.len()),
        ];
        for (array, length, expected) in lengths {
            if length != expected {
                return Err(Refusal::delassus(array, 0, Reason::WrongLength { length, expected }));
            }
        }
        let bounds = (self.row_starts.first().copied(), self.row_starts.last().copied());
        if bounds.0 != Some(0) || bounds.1.map(|end| end as usize) != Some(self.blocks.len()) {
            return Err(Refusal::delassus("row_starts", 0, Reason::BadStructure));
        }
        Ok(())
    }

    fn check_row(&self, i: usize) -> Result<(), Refusal<T>> {
        let limit = T::LINEAR_SPEED_LIMIT;
        let (Some(q), Some(mu)) = (self.q.get(i), self.mu.get(i)) else { return Ok(()) };
        check_vector(q, limit, |reason| Refusal::delassus("q", i, reason))?;
        check_range(*mu, T::ZERO, T::FRICTION_LIMIT, |reason| Refusal::delassus("mu", i, reason))?;
        let Some((columns, blocks)) = self.row(i) else {
            return Err(Refusal::delassus("row_starts", i, Reason::BadStructure));
        };
        let mut previous = None;
        for (&column, block) in columns.iter().zip(blocks) {
            if previous.is_some_and(|p| column <= p) || column as usize >= self.len() {
                return Err(Refusal::delassus("columns", i, Reason::BadStructure));
            }
            previous = Some(column);
            let most = T::INVERSE_MASS_LIMIT;
            for &entry in block.iter() {
                check_range(entry, -most, most, |reason| Refusal::delassus("blocks", i, reason))?;
            }
        }
        self.check_diagonal(i)
    }

    fn check_diagonal(&self, i: usize) -> Result<(), Refusal<T>> {
        let refuse = |reason| Err(Refusal::delassus("blocks", i, reason));
        let Some(k) = self.diagonal(i) else { return refuse(Reason::NoDiagonalBlock) };
        let trace = k.trace();
        let least = T::ONE / T::INVERSE_MASS_LIMIT;
        if !(trace >= least) {
            return refuse(Reason::TooSmall { value: trace, least });
        }
        let symmetric = (k + k.transpose()) * T::HALF;
        // Published blocks are positive semidefinite only up to the digits they were printed with.
        let shifted = symmetric + Matrix3::identity() * (T::lit(1e-5) * trace);
        if !InertiaFactor::new(&shifted).is_positive_semidefinite() {
            return refuse(Reason::NotPositiveSemidefinite);
        }
        Ok(())
    }

    fn row(&self, i: usize) -> Option<(&'a [u32], &'a [Matrix3<T>])> {
        let start = *self.row_starts.get(i)? as usize;
        let end = *self.row_starts.get(i.checked_add(1)?)? as usize;
        Some((self.columns.get(start..end)?, self.blocks.get(start..end)?))
    }

    fn diagonal(&self, i: usize) -> Option<&'a Matrix3<T>> {
        let (columns, blocks) = self.row(i)?;
        columns.iter().zip(blocks).find(|(column, _)| **column as usize == i).map(|(_, block)| block)
    }
}

/// A dense `W` turned into block rows, for small problems.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::delassus::{DenseBlocks, DelassusSolver};
/// use stiction::Settings;
/// let w = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; // one contact, row by row
/// let (q, mu) = ([Vector3::new(-1.0, 0.0, 0.0)], [0.5]);
/// let dense = DenseBlocks::<f64, 1, 1, 2>::new(&w)?;
/// let mut solver = DelassusSolver::<f64, 1>::new();
/// solver.solve(&dense.problem(&q, &mu)?, &Settings::default())?;
/// assert!((solver.impulse(0).unwrap().x - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DenseBlocks<T, const N: usize, const N_SQUARED: usize, const N_PLUS_ONE: usize> {
    blocks: [Matrix3<T>; N_SQUARED],
    columns: [u32; N_SQUARED],
    row_starts: [u32; N_PLUS_ONE],
}

impl<T: Real, const N: usize, const N_SQUARED: usize, const N_PLUS_ONE: usize>
    DenseBlocks<T, N, N_SQUARED, N_PLUS_ONE>
{
    const SIZES_MATCH: () = assert!(N_SQUARED == N * N && N_PLUS_ONE == N + 1, "N_SQUARED = N², N_PLUS_ONE = N + 1");

    /// Cuts a dense `3N × 3N` matrix, row by row, into blocks.
    pub fn new(w: &[T]) -> Result<Self, Refusal<T>> {
        let () = Self::SIZES_MATCH;
        let expected = 9 * N_SQUARED;
        if w.len() != expected {
            return Err(Refusal::delassus("w", 0, Reason::WrongLength { length: w.len(), expected }));
        }
        let entry = |row: usize, column: usize| w.get(row * 3 * N + column).copied().unwrap_or(T::ZERO);
        let block = |k: usize| {
            let (i, j) = (k / N, k % N);
            Matrix3::from_fn(|row, column| entry(3 * i + row, 3 * j + column))
        };
        Ok(DenseBlocks {
            blocks: core::array::from_fn(block),
            columns: core::array::from_fn(|k| (k % N) as u32),
            row_starts: core::array::from_fn(|i| (i * N) as u32),
        })
    }

    /// The problem with this matrix, free velocities `q` and friction coefficients `mu`.
    pub fn problem<'a>(&'a self, q: &'a [Vector3<T>], mu: &'a [T]) -> Result<Delassus<'a, T>, Refusal<T>> {
        Delassus::new(&self.blocks, &self.row_starts, &self.columns, q, mu)
    }
}

/// Summary of a solve in Delassus form.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DelassusReport<T> {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps.
    pub sweeps: u32,
    /// Distance from solved; `natural` is relative to the largest of `q`, impulses and velocities.
    pub residual: Residual<T>,
    /// Natural map at ρ = 1 in the problem's own units, over ‖q‖: the figure that the field publishes.
    pub natural_rel_q: T,
    /// Natural map at ρ = 3/tr W_cc in velocity units, over ‖q‖.
    pub unit_rel_q: T,
    /// Energy change `½ x·(q + u)`, J, if `q` is a velocity of bodies that move freely.
    pub work: T,
    /// Whether the impulses had to be scaled back so as not to add energy.
    pub passivity_guard: bool,
}

/// Scratch of a solve in Delassus form for up to `NC` contacts, inline.
pub struct DelassusSolver<T, const NC: usize> {
    rows: Rows<T, NC>,
    /// Impulses in the problem's own unit, which the rest of `W` multiplies.
    impulse: ArrayVec<Vector3<T>, NC>,
}

/// `u = W x + q`, gathered row by row.
struct MatrixSpace<'a, T, const NC: usize> {
    problem: &'a Delassus<'a, T>,
    unit: [T; NC],
    impulse: &'a mut ArrayVec<Vector3<T>, NC>,
}

impl<T: Real, const NC: usize> ContactSpace<T> for MatrixSpace<'_, T, NC> {
    fn velocity(&self, index: usize) -> Vector3<T> {
        let mut u = self.problem.q.get(index).copied().unwrap_or_else(Vector3::zeros);
        if let Some((columns, blocks)) = self.problem.row(index) {
            for (&column, block) in columns.iter().zip(blocks) {
                if let Some(x) = self.impulse.get(column as usize) {
                    u += block * x;
                }
            }
        }
        u
    }

    fn push(&mut self, index: usize, delta: &Vector3<T>) {
        if let (Some(x), Some(unit)) = (self.impulse.get_mut(index), self.unit.get(index)) {
            *x += delta / *unit;
        }
    }
}

impl<T: Real, const NC: usize> Default for DelassusSolver<T, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NC: usize> DelassusSolver<T, NC> {
    /// A solver that has solved nothing yet.
    pub const fn new() -> Self {
        DelassusSolver { rows: Rows::new(), impulse: ArrayVec::new_const() }
    }

    /// Solves from zero impulses.
    pub fn solve(
        &mut self,
        problem: &Delassus<'_, T>,
        settings: &Settings<T>,
    ) -> Result<DelassusReport<T>, Refusal<T>> {
        self.solve_until(problem, settings, || false)
    }

    /// Solves from zero impulses until solved, capped, or `deadline`, asked before every sweep, answers `true`.
    ///
    /// Converged means that `natural_rel_q` and `unit_rel_q` are both below the tolerance.
    pub fn solve_until(
        &mut self,
        problem: &Delassus<'_, T>,
        settings: &Settings<T>,
        mut deadline: impl FnMut() -> bool,
    ) -> Result<DelassusReport<T>, Refusal<T>> {
        settings.check()?;
        let n = problem.len();
        if n > NC {
            return Err(Refusal::delassus("q", NC, Reason::Full { capacity: NC }));
        }
        self.prepare(problem);
        let unit = self.rows.unit;
        let mut space = MatrixSpace { problem, unit, impulse: &mut self.impulse };
        let q_norm = speed_norm(&self.rows, &space);
        let published = |rows: &Rows<T, NC>, space: &MatrixSpace<'_, T, NC>| {
            let mut residual = measure(rows, space, q_norm);
            let (one, unit) = published_residuals(rows, space, q_norm);
            residual.natural = larger(one, unit);
            residual
        };
        let end = phase::run(&mut self.rows, &mut space, settings, &mut deadline, published);
        Ok(close(&mut self.rows, &mut space, end, settings.tolerance, q_norm))
    }

    fn prepare(&mut self, problem: &Delassus<'_, T>) {
        self.rows.reset(problem.len());
        self.impulse.clear();
        for i in 0..self.rows.len() {
            if let (Some(k), Some(mu)) = (problem.diagonal(i), problem.mu.get(i)) {
                self.rows.set(i, k, *mu);
            }
            let _ = self.impulse.try_push(Vector3::zeros());
        }
    }

    /// Impulse of a contact along `n, t1, t2`, in the problem's unit.
    pub fn impulse(&self, index: usize) -> Option<Vector3<T>> {
        self.impulse.get(index).copied()
    }

    /// What a contact does.
    pub fn state(&self, index: usize) -> Option<ContactState> {
        (index < self.rows.len()).then(|| self.rows.state(index))
    }
}

/// Closes a solve: passivity, then the figures of the answer as it is.
fn close<T: Real, const NC: usize>(
    rows: &mut Rows<T, NC>,
    space: &mut MatrixSpace<'_, T, NC>,
    end: PhaseEnd<T>,
    tolerance: T,
    q_norm: T,
) -> DelassusReport<T> {
    let (mut at_start, mut at_end) = (T::ZERO, T::ZERO);
    let mut magnitude = T::ZERO;
    for i in 0..rows.len() {
        let (Some(x), Some(q)) = (space.impulse.get(i), space.problem.q.get(i)) else { break };
        let u = space.velocity(i);
        at_start += x.dot(q);
        at_end += x.dot(&u);
        magnitude += x.abs().dot(&(q.abs() + u.abs()));
    }
    let gains = !(T::HALF * (at_start + at_end) <= T::lit(8.0) * T::EPSILON * magnitude);
    let mut scale = T::ONE;
    if gains {
        let s = -(at_start + at_start) / (at_end - at_start);
        scale = if s > T::ONE { T::ONE } else { crate::real::positive_part(s) };
        for i in 0..rows.len() {
            rows.impulse[i] *= scale;
        }
        for x in space.impulse.iter_mut() {
            *x *= scale;
        }
    }
    let residual = measure(rows, space, q_norm);
    let (natural_rel_q, unit_rel_q) = published_residuals(rows, space, q_norm);
    let solved = larger(natural_rel_q, unit_rel_q) < tolerance;
    let status = if end.status == Status::Converged && !solved { Status::SweepLimit } else { end.status };
    DelassusReport {
        status,
        method: Method::BlockPgs,
        sweeps: end.sweeps,
        residual,
        natural_rel_q,
        unit_rel_q,
        work: scale * at_start + T::HALF * scale * scale * (at_end - at_start),
        passivity_guard: scale < T::ONE,
    }
}

/// `(natural_rel_q, unit_rel_q)` of the present impulses.
fn published_residuals<T: Real, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &MatrixSpace<'_, T, NC>,
    q_norm: T,
) -> (T, T) {
    let (mut at_one, mut at_unit) = (T::ZERO, T::ZERO);
    for i in 0..rows.len() {
        let Some(x) = space.impulse.get(i) else { break };
        let u = space.velocity(i);
        let one = rows.cone[i].natural_map(x, &u, T::ONE);
        at_one += one.dot(&one);
        let size = space.problem.diagonal(i).map_or(T::ONE, |k| k.trace() / T::lit(3.0));
        let unit = unit_map(&rows.cone[i], x, &u, size);
        at_unit += unit.dot(&unit);
    }
    let relative = |square: T| if square > T::ZERO { square.root() / q_norm } else { T::ZERO };
    (relative(at_one), relative(at_unit))
}
