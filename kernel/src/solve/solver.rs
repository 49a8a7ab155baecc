//! [`Solver`]: how a solve is called, and its results in SI units.
//!
//! ```text
//! validate → prepare → per island: bounce → warm start → contact phase → passivity → position correction
//! ```

use nalgebra::Vector3;

use crate::direct::memory::DirectView;
use crate::local::block::Coupling;
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::conditions::{IslandMode, SolveConditions};
use crate::problem::contact::WarmStart;
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::contacts::Contacts;
use crate::problem::error::InputError;
use crate::problem::report::{ContactOutcome, Report};
use crate::problem::settings::{Settings, SweepOrder, validate_dt};
use crate::problem::stop_check::StopCheck;
use crate::problem::surface::FrictionWork;
use crate::problem::wrench::{Twist, Wrench};
use crate::solve::hooks::Hooks;
use crate::solve::island::solve_island;
use crate::solve::notify::{notify_input, notify_outcome};
use crate::solve::prepare::validate_pairs;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::sweep::lent_lanes::LentLanes;

/// Contacts from which on an island can be swept by colours. With less capacity the code for them is left out.
const COLOURED_ISLAND: usize = 64;

/// All scratch of a solve for up to `NB` bodies and `NC` contacts, inline: its size is known before it runs.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver, Status};
///
/// let mut bodies = Bodies::<f64, 2>::new();
/// let ground = bodies.push(Body::fixed())?;
/// // A solid ball of 1 kg and radius 1 m.
/// let falling = Body {
///     linear_velocity: Vector3::new(1.0, 0.0, -2.0),
///     ..Body::from_mass(1.0, Matrix3::identity() * 0.4)
/// };
/// let ball = bodies.push(falling)?;
/// let mut contacts = Contacts::<f64, 1>::new();
/// let r_b = Vector3::new(0.0, 0.0, -1.0);
/// contacts.push(Contact { a: ground, b: ball, normal: Vector3::z(), r_b, mu: 0.5, ..Contact::default() })?;
///
/// let mut solver = Solver::<f64, 2, 1>::new();
/// let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(bodies.linear_velocities()[ball].z.abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct Solver<T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    pub(crate) work: SolverWorkspace<T, NB, NC, R>,
}

impl<T: Real, const NB: usize, const NC: usize> Default for Solver<T, NB, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
    /// A solver without results. `const`: it can live in a `static`.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Solver<T, NB, NC, R> {
    /// A solver without results, for contacts of either kind of rows.
    pub const fn empty() -> Self {
        const { assert!(NB <= u16::MAX as usize && NC <= u16::MAX as usize, "indices are 16 bits wide") };
        Solver { work: SolverWorkspace::new() }
    }

    /// Solves all contacts together for a step of `dt` seconds and sets the new velocities of the bodies. A rejected
    /// input changes nothing.
    ///
    /// Penetration is not corrected by default ([`Settings::position_correction`]).
    pub fn solve(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<Report<T>, InputError<T>> {
        Self::validate(bodies, contacts, settings, dt)?;
        let stop = &mut StopCheck::new(None);
        let task = &mut Task { bodies, contacts, settings, stop, lanes: LentLanes::default() };
        Ok(self.solve_together(task, dt, None))
    }

    /// Solves like [`Solver::solve`], with hooks.
    #[inline(always)]
    pub fn solve_with(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
        dt: T,
        hooks: Hooks<'_, T>,
    ) -> Result<Report<T>, InputError<T>> {
        Self::validate(bodies, contacts, settings, dt)?;
        let Hooks { should_stop, mut direct, mut observer, lanes } = hooks;
        let mut stop = StopCheck::new(should_stop);
        let conditions =
            SolveConditions { islands: IslandMode::Together, direct: DirectView::size_of(direct.as_ref()) };
        if let Some(observer) = &mut observer {
            notify_input(bodies, contacts, settings, dt, conditions, *observer);
        }
        let task = &mut Task { bodies, contacts, settings, stop: &mut stop, lanes: LentLanes::new(lanes) };
        let report = self.solve_together(task, dt, direct.as_mut());
        if let Some(observer) = observer {
            observer.report(0, &report);
            notify_outcome(bodies, contacts, &[], &self.work, stop.stopped_at(), observer);
        }
        Ok(report)
    }

    /// Solves every island alone, in the order of their first contacts. The report is that of all islands together
    /// ([`Report::append`]); the observer receives one for each.
    ///
    /// Islands share no movable body, so the answer is the one of [`Solver::solve`] up to the tolerance, at less cost:
    /// each island stops when it is solved, and one that is hard to solve or that the passivity guard corrects changes
    /// no other.
    #[inline(always)]
    pub fn solve_islands(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
        dt: T,
        hooks: Hooks<'_, T>,
    ) -> Result<Report<T>, InputError<T>> {
        Self::validate(bodies, contacts, settings, dt)?;
        let Hooks { should_stop, mut direct, mut observer, lanes } = hooks;
        let mut stop = StopCheck::new(should_stop);
        let conditions =
            SolveConditions { islands: IslandMode::Separate, direct: DirectView::size_of(direct.as_ref()) };
        if let Some(observer) = &mut observer {
            notify_input(bodies, contacts, settings, dt, conditions, *observer);
        }
        let mut all = Report::EMPTY;
        let each = &mut |island: usize, report: &Report<T>| {
            if let Some(observer) = &mut observer {
                observer.report(island, report);
            }
            all.append(report);
        };
        let task = &mut Task { bodies, contacts, settings, stop: &mut stop, lanes: LentLanes::new(lanes) };
        self.solve_separately(task, dt, direct.as_mut(), each);
        if let Some(observer) = observer {
            notify_outcome(bodies, contacts, &[], &self.work, stop.stopped_at(), observer);
        }
        Ok(all)
    }

    /// Validates the input like a solve, without solving.
    #[cfg_attr(target_os = "none", inline(never))]
    pub fn validate(
        bodies: &Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<(), InputError<T>> {
        settings.validate()?;
        validate_dt(dt)?;
        validate_pairs(bodies, contacts)
    }

    /// Solves validated input as one island.
    #[inline(always)]
    fn solve_together(
        &mut self,
        task: &mut Task<'_, '_, T, NB, NC, R>,
        dt: T,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Report<T> {
        self.load_together(task, dt);
        solve_island(&mut self.work, 0, task, direct)
    }

    /// Prepares validated input as one island.
    #[inline(always)]
    pub(crate) fn load_together(&mut self, task: &mut Task<'_, '_, T, NB, NC, R>, dt: T) {
        self.work.islands.merge(task.bodies.len(), task.contacts);
        self.order_rows(task);
        self.work.load(task.bodies, task.contacts, dt);
    }

    /// Solves the islands of validated input.
    pub(crate) fn solve_separately(
        &mut self,
        task: &mut Task<'_, '_, T, NB, NC, R>,
        dt: T,
        mut direct: Option<&mut DirectView<'_, T>>,
        each: &mut dyn FnMut(usize, &Report<T>),
    ) {
        self.work.islands.split(task.bodies, task.contacts);
        self.order_rows(task);
        self.work.load(task.bodies, task.contacts, dt);
        for island in 0..self.work.islands.count() {
            let report = solve_island(&mut self.work, island, task, direct.as_deref_mut());
            each(island, &report);
        }
    }

    /// Orders the rows of large islands by colours, if the settings say so.
    fn order_rows(&mut self, task: &Task<'_, '_, T, NB, NC, R>) {
        if NC >= COLOURED_ISLAND && task.settings.order == SweepOrder::Colours {
            self.work.islands.order_by_colours(task.bodies, task.contacts, COLOURED_ISLAND);
        }
    }

    /// Number of islands of the last solve.
    pub fn islands(&self) -> usize {
        self.work.islands.count()
    }

    /// The island of a contact in the last solve.
    pub fn island_of(&self, contact: usize) -> Option<usize> {
        self.work.island_of(contact)
    }

    /// A contact's part in the answer.
    pub fn contact(&self, index: usize) -> Option<ContactOutcome<T>> {
        self.work.outcome(index)
    }

    /// Warm start of a contact for the next solve: its contact-phase impulse, without the bounce.
    pub fn warm(&self, index: usize) -> Option<WarmStart<T>> {
        self.contact(index).map(|outcome| WarmStart {
            normal_impulse: outcome.normal_impulse,
            tangent_impulse: outcome.tangent_impulse,
        })
    }

    /// How strongly a contact's normal and friction are coupled.
    pub fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        self.work.coupling(index)
    }

    /// The moment of a contact on B about the contact, as a world vector, N m s: torsion is its part along the normal,
    /// rolling friction the rest. Zero for a contact without moments.
    pub fn moment(&self, index: usize) -> Option<Vector3<T>> {
        self.work.moment(index)
    }

    /// Work of friction in the last solve by what it resists: its total is the report's `friction_work`. None if
    /// contacts have three rows.
    pub fn friction_work(&self) -> Option<FrictionWork<T>> {
        self.work.friction_work.at(0).copied()
    }

    /// Which bounds a contact has reached: of sliding, spinning and rolling. A contact without moments can only slide.
    pub fn reached(&self, index: usize) -> Option<[bool; 3]> {
        self.work.reached(index)
    }

    /// Mean force and torque on a body over the step, `Jᵀ(bounce + contact)/dt`.
    pub fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        self.work.wrench(body)
    }

    /// The velocity that corrects a body's position: move the body by it once, for one step, besides its own velocity.
    /// Zero unless the settings chose split impulse.
    pub fn position_correction(&self, body: usize) -> Option<Twist<T>> {
        let velocity = self.work.start.get(body).filter(|_| body < self.work.bodies)?;
        Some(Twist { linear: velocity.linear(), angular: velocity.angular() })
    }
}
