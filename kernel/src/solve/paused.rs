//! A solve that pauses between sweeps, with the bits of [`Solver::solve`](crate::Solver::solve).
//!
//! Machines that solve many problems side by side in lockstep, such as graphics processors, wait for the slowest of a group.
//! Between pauses they can form new groups of the problems that are not solved yet. A paused solve is plain data: solver,
//! [`PausedSolve`], bodies and contacts can be copied to another place and continued there.
//!
//! Direct methods and hooks do not take part. Every call is given the arguments of the first one; with others, answers are
//! meaningless, but nothing panics.
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::error::InputError;
use crate::problem::report::Report;
use crate::problem::settings::Settings;
use crate::problem::stop_check::StopCheck;
use crate::solve::contact_phase::ContactPhase;
use crate::solve::island::{Begun, begin_island, end_island, name_method};
use crate::solve::residual_watch::ResidualWatch;
use crate::solve::solver::Solver;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::sweep::lent_lanes::LentLanes;

/// A solve between two sweeps.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::solve::paused::PausedSolve;
/// use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// // One body on two feet.
/// let (mut bodies, mut contacts) = (Bodies::<f64, 2>::new(), Contacts::<f64, 2>::new());
/// bodies.push(Body::fixed())?;
/// let falling = Body { linear_velocity: Vector3::new(1.0, 0.3, -1.0), ..Body::from_mass(1.0, Matrix3::identity() * 0.1) };
/// bodies.push(falling)?;
/// for x in [-0.5, 0.5] {
///     contacts.push(Contact { a: 0, b: 1, r_b: Vector3::new(x, 0.1, -0.5), mu: 0.5, ..Contact::default() })?;
/// }
/// let (settings, mut expected) = (Settings::default(), bodies.clone());
/// let whole = Solver::<f64, 2, 2>::new().solve(&mut expected, &contacts, &settings, 0.01)?;
///
/// let mut solver = Solver::<f64, 2, 2>::new();
/// let mut paused = PausedSolve::begin(&mut solver, &mut bodies, &contacts, &settings, 0.01)?;
/// let mut sweeps = 3;
/// while !paused.resume(&mut solver, &settings, sweeps) {
///     sweeps += 3;
/// }
/// assert_eq!(paused.end(&mut solver, &mut bodies, &contacts, &settings), whole);
/// assert_eq!(bodies, expected);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Clone, Copy)]
pub struct PausedSolve<T> {
    begun: Begun<T>,
    watch: ResidualWatch<T>,
    is_over: bool,
}

impl<T: Real> PausedSolve<T> {
    /// No solve.
    pub const NONE: Self = PausedSolve { begun: Begun::NONE, watch: ResidualWatch::NEW, is_over: true };

    /// Does all that comes before the first sweep. A rejected input changes nothing.
    pub fn begin<const NB: usize, const NC: usize, R: ContactRows>(
        solver: &mut Solver<T, NB, NC, R>,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<Self, InputError<T>> {
        Solver::validate(bodies, contacts, settings, dt)?;
        let stop = &mut StopCheck::new(None);
        let task = &mut Task { bodies, contacts, settings, stop, lanes: LentLanes::default() };
        solver.load_together(task, dt);
        let begun = begin_island(&mut solver.work, 0, task);
        let mut paused = PausedSolve { begun, watch: ResidualWatch::NEW, is_over: false };
        let SolverWorkspace { rows, jacobians, velocity, start, phase, .. } = &mut solver.work;
        let mut space = BodySpace::new(jacobians, velocity);
        paused.is_over = begun.is_exact && phase.accept_exact(rows, &space, begun.q_norm, settings);
        if !paused.is_over {
            (space.normals_only, space.start) = (rows.is_frictionless(), Some(&*start));
            ContactPhase::new(settings, begun.q_norm, phase).begin(rows, &space);
        }
        Ok(paused)
    }

    /// Sweeps until the contact phase is over or has had so many sweeps in total; returns whether it is over.
    pub fn resume<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        solver: &mut Solver<T, NB, NC, R>,
        settings: &Settings<T>,
        sweeps: u32,
    ) -> bool {
        if self.is_over {
            return true;
        }
        let is_last = sweeps >= settings.sweeps;
        let cap = if is_last { settings.sweeps } else { sweeps };
        let SolverWorkspace { rows, jacobians, velocity, start, phase, .. } = &mut solver.work;
        let (mut space, frictionless) = (BodySpace::new(jacobians, velocity), rows.is_frictionless());
        (space.normals_only, space.start) = (frictionless, Some(&*start));
        let mut run = ContactPhase::resumed(settings, self.begun.q_norm, phase, self.watch);
        self.is_over = run.advance(rows, &mut space, cap) || is_last;
        self.watch = run.watch;
        if self.is_over {
            run.finish(rows, &space);
            name_method(phase, frictionless);
        }
        self.is_over
    }

    /// Does all that comes after the last sweep, and sets the new velocities of the bodies.
    pub fn end<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        solver: &mut Solver<T, NB, NC, R>,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC, R>,
        settings: &Settings<T>,
    ) -> Report<T> {
        let stop = &mut StopCheck::new(None);
        let task = &mut Task { bodies, contacts, settings, stop, lanes: LentLanes::default() };
        end_island(&mut solver.work, task, &self.begun)
    }
}
