//! The second entry point: a Delassus matrix `W = J M⁻¹ Jᵀ` from the caller, without bodies.
//!
//! ```text
//! find x:  u = W x + q,   Coulomb's law between u and x for every contact
//! ```
//!
//! For articulated robots whose own library computes `W`, and for published problems. The local step, the sweep and the
//! residual are those of the body form; only where velocities come from differs. Blocks are used as they are: published
//! matrices are not exactly symmetric, diagonal blocks included.
//!
//! There are no bodies whose energy could be computed, but its change can: `½ x·(q + u)`. At an exact solution
//! `x·u ≤ 0`, hence `x·q = x·u − x·Wx ≤ 0`, and the change is not positive. The passivity guard enforces this for every
//! answer, as in the body form.
use nalgebra::{Matrix3, Vector3};

use crate::direct::memory::DirectView;
use crate::local::block::{Block, Coupling};
use crate::local::frame::Frame;
use crate::local::moment_block::MomentBlock;
use crate::math::real::{Real, infinity, larger};
use crate::math::vector::zero3;
use crate::problem::contact_rows::{Column, ContactRows, Element, ThreeRows};
use crate::problem::delassus::Delassus;
use crate::problem::error::{ErrorKind, InputError, validate_vector};
use crate::problem::report::{ContactState, DirectReport, Residual};
use crate::problem::settings::Settings;
use crate::problem::status::{Method, Status};
use crate::problem::stop_check::StopCheck;
use crate::solve::contact_phase::{ContactPhase, PhaseState};
use crate::solve::hooks::Hooks;
use crate::solve::moments::{joined_block, law_and_lengths};
use crate::solve::phase_work::Work;
use crate::space::matrix::{Lengths, MatrixSpace, Own, published_residuals};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::lent_lanes::LentLanes;
use crate::sweep::moment_row::{MomentRow, Role, six};
use crate::sweep::residual::{measure, speed_norm};
use crate::sweep::rows::Rows;

/// Summary of a solve in Delassus form.
///
/// ```
/// # use nalgebra::Vector3;
/// # use stiction::{Settings, Status};
/// # use stiction::{Delassus, DelassusSolver};
/// // One contact with W = 1 that approaches at 1 m/s and slides at 2 m/s, μ = 0.5.
/// let w = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let (q, mu) = ([Vector3::new(-1.0, 2.0, 0.0)], [0.5]);
/// let mut solver = DelassusSolver::<f64, 1>::new();
/// let report = solver.solve(&Delassus::dense(&w, &q, &mu)?, &Settings::default())?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.natural_rel_q < 1e-9); // to be compared with published figures
/// assert!((report.work + 1.375).abs() < 1e-9); // J: 0.5 for the approach, 0.875 for the sliding
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DelassusReport<T> {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps.
    pub sweeps: u32,
    /// Use of direct methods.
    pub direct: DirectReport,
    /// Distance from solved; `natural` is relative to the largest of `q`, impulses and velocities.
    pub residual: Residual<T>,
    /// Natural map at ρ = 1 in the problem's own units, over ‖q‖: the figure that the field publishes.
    pub natural_rel_q: T,
    /// Natural map at ρ = 3/tr W_cc in velocity units, over ‖q‖.
    pub unit_rel_q: T,
    /// Energy change `½ x·(q + u)`, J, if `q` is a velocity of bodies that move freely.
    pub work: T,
    /// Whether the passivity guard scaled the impulses down.
    pub passivity_guard: bool,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
}

/// Scratch of a solve in Delassus form for up to `NC` contacts, inline.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Delassus, DelassusSolver};
/// use stiction::{ContactState, Settings};
/// // Both feet of a robot: one sticks, one slips on ice. `W` has two blocks on its diagonal, none beside it.
/// let (blocks, q) = ([Matrix3::identity(); 2], [Vector3::new(-1.0, 0.5, 0.0); 2]);
/// let problem = Delassus::new(&blocks, &[0, 1, 2], &[0, 1], &q, &[0.8, 0.1])?;
/// let mut solver = DelassusSolver::<f64, 2>::new();
/// solver.solve(&problem, &Settings::default())?;
/// assert_eq!([0, 1].map(|foot| solver.state(foot)), [Some(ContactState::Stick), Some(ContactState::Slide)]);
/// assert!((solver.impulse(1).unwrap() - Vector3::new(1.0, -0.1, 0.0)).norm() < 1e-9);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct DelassusSolver<T: Real, const NC: usize, R: ContactRows = ThreeRows> {
    rows: Rows<T, NC, R>,
    own: [Own<T>; NC],
    lengths: R::Column<Lengths<T>, NC>,
}

impl<T: Real, const NC: usize> Default for DelassusSolver<T, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NC: usize> DelassusSolver<T, NC> {
    /// A solver without results.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NC: usize, R: ContactRows> DelassusSolver<T, NC, R> {
    /// A solver without results, for contacts of either kind of rows.
    pub const fn empty() -> Self {
        let zero = zero3();
        let own = [Own { impulse: zero, impulse_scale: T::ONE }; NC];
        DelassusSolver { rows: Rows::new(), own, lengths: R::Column::PLAIN }
    }

    /// Solves from zero impulses.
    ///
    /// Converged means that `natural_rel_q` and `unit_rel_q` are both below the tolerance, and no contact approaches.
    pub fn solve(
        &mut self,
        problem: &Delassus<'_, T, R>,
        settings: &Settings<T>,
    ) -> Result<DelassusReport<T>, InputError<T>> {
        self.solve_with(problem, settings, &[], Hooks::default())
    }

    /// Solves like [`DelassusSolver::solve`] from given impulses along `n, t1, t2`, moved into the cones; contacts
    /// beyond the end of `start` begin at zero. The observer is not called: it is for bodies.
    #[inline(always)]
    pub fn solve_with(
        &mut self,
        problem: &Delassus<'_, T, R>,
        settings: &Settings<T>,
        start: &[Vector3<T>],
        hooks: Hooks<'_, T>,
    ) -> Result<DelassusReport<T>, InputError<T>> {
        let Hooks { should_stop, mut direct, .. } = hooks;
        self.solve_from(problem, settings, start, &mut StopCheck::new(should_stop), direct.as_mut())
    }

    fn solve_from(
        &mut self,
        problem: &Delassus<'_, T, R>,
        settings: &Settings<T>,
        start: &[Vector3<T>],
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Result<DelassusReport<T>, InputError<T>> {
        for (i, x) in start.iter().enumerate() {
            validate_vector(x, T::IMPULSE_LIMIT, |reason| InputError::delassus("start", i, reason))?;
        }
        settings.validate()?;
        let n = problem.len();
        if n > NC {
            return Err(InputError::delassus("q", NC, ErrorKind::Full { capacity: NC }));
        }
        self.prepare(problem);
        let mut space = MatrixSpace { problem, own: &mut self.own, lengths: &self.lengths };
        let q_norm = speed_norm(&mut self.rows, &space);
        begin(&mut self.rows, &mut space, start);
        let mut end = PhaseState::EMPTY;
        ContactPhase::new(settings, q_norm, &mut end).solve(
            &mut self.rows,
            &mut space,
            stop,
            direct,
            LentLanes::default(),
        );
        Ok(close(&mut self.rows, &mut space, &end, settings.tolerance, q_norm))
    }

    fn prepare(&mut self, problem: &Delassus<'_, T, R>) {
        self.rows.reset(problem.len());
        for i in 0..self.rows.len() {
            if let (Some(k), Some(mu)) = (problem.diagonal(i), problem.mu.get(i)) {
                let (block, impulse_scale) = Block::new(&k);
                // Blocks of bodies are at least those of their masses; these may be anything that is semidefinite.
                self.rows.note_replaced(i, block.is_singular());
                self.rows.set(i, block, impulse_scale, *mu, &Frame::own());
                self.own[i] = Own { impulse: Vector3::zeros(), impulse_scale };
            }
        }
        if R::HAS_MOMENTS {
            self.prepare_moments(problem);
        }
    }

    /// Joins the rows of contacts with moments.
    fn prepare_moments(&mut self, problem: &Delassus<'_, T, R>) {
        for i in 0..self.rows.len() {
            if let Some(row) = self.rows.moments.at_mut(i) {
                *row = MomentRow::PLAIN;
            }
            if let Some(lengths) = self.lengths.at_mut(i) {
                *lengths = Lengths::PLAIN;
            }
        }
        for i in 0..self.rows.len() {
            let (Some(surface), Some(mu)) = (problem.moments(i), problem.mu.get(i)) else { continue };
            let (Some(k), Some(turns)) = (problem.diagonal(i), problem.diagonal(i + 1)) else { continue };
            let (law, lengths) = law_and_lengths(*mu, surface, &k, &turns);
            let scaled = Matrix3::from_diagonal(&lengths);
            let between = problem.block(i, i + 1).unwrap_or_else(Matrix3::zeros) * scaled;
            let (block, impulse_scale) =
                MomentBlock::new(&joined_block(&k, &between, &(scaled * turns * scaled)), &law);
            self.rows.set(i + 1, Block::new(&k).0, impulse_scale, T::ONE, &Frame::own());
            self.rows.note_replaced(i, block.is_replaced());
            self.rows.note_replaced(i + 1, false);
            if let Some(own) = self.own.get_mut(i + 1) {
                own.impulse_scale = impulse_scale;
            }
            if let Some(slot) = self.lengths.at_mut(i + 1) {
                *slot = Lengths(lengths);
            }
            self.rows.join(i, block, law);
        }
    }

    /// Impulse of a contact along `n, t1, t2`, in the problem's unit.
    pub fn impulse(&self, index: usize) -> Option<Vector3<T>> {
        (index < self.rows.len()).then(|| self.own[index].impulse)
    }

    /// How strongly a contact's normal and friction are coupled.
    pub fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        if index < self.rows.len() { self.rows.coupling(index) } else { None }
    }

    /// State of a contact.
    pub fn state(&self, index: usize) -> Option<ContactState> {
        (index < self.rows.len()).then(|| self.rows.state(index))
    }
}

/// Starts from given impulses, moved into the cones.
fn begin<T: Real, const NC: usize, R: ContactRows>(
    rows: &mut Rows<T, NC, R>,
    space: &mut MatrixSpace<'_, T, NC, R>,
    start: &[Vector3<T>],
) {
    for i in 0..rows.len() {
        let Some(x) = start.get(i) else { break };
        let scale = rows.impulse_scale[i];
        if let Some(law) = rows.law(i) {
            let moment = start.get(i + 1).copied().unwrap_or_else(Vector3::zeros);
            let moment = space.in_velocity_units(i + 1, &moment);
            rows.replace_six(space, i, &law.clamp(&six(&(x * scale), &(moment * scale))));
        } else if rows.role(i) == Role::Alone {
            let x = rows.cone[i].clamp(&(x * scale));
            rows.impulse[i] = x;
            space.push(i, &x);
        }
    }
}

/// Closes a solve: passivity, then the figures of the answer as it is.
fn close<T: Real, const NC: usize, R: ContactRows>(
    rows: &mut Rows<T, NC, R>,
    space: &mut MatrixSpace<'_, T, NC, R>,
    end: &PhaseState<T>,
    tolerance: T,
    q_norm: T,
) -> DelassusReport<T> {
    let mut work = Work::none();
    for i in 0..rows.len() {
        let Some(q) = space.problem.q.get(i) else { break };
        let (x, u) = (space.own[i].impulse, space.own_velocity(i));
        if R::HAS_MOMENTS && rows.role(i) == Role::Second {
            work.add_moments(&x, q, &u);
        } else {
            work.add(&x, q, &u, T::ZERO);
        }
    }
    let scale = if work.gains() { work.scale_without_gain() } else { T::ONE };
    if scale < T::ONE {
        for i in 0..rows.len() {
            rows.impulse[i] *= scale;
            space.own[i].impulse *= scale;
        }
    }
    let mut residual = Residual::SOLVED;
    measure(rows, space, q_norm, infinity(), &mut residual);
    let (natural_rel_q, unit_rel_q) = published_residuals(rows, space, q_norm);
    let solved = larger(natural_rel_q, unit_rel_q) < tolerance && residual.is_below(tolerance);
    let status = if end.status == Status::Converged && !solved { Status::Guarded } else { end.status };
    DelassusReport {
        status,
        method: end.method,
        sweeps: end.sweeps,
        direct: end.direct,
        residual,
        natural_rel_q,
        unit_rel_q,
        work: work.along(scale).total,
        passivity_guard: scale < T::ONE,
        safe_blocks: rows.safe_blocks(),
    }
}
