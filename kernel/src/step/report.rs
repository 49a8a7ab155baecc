//! Report of a step.
use nalgebra::Vector3;

use crate::math::real::{Real, larger};
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::{DirectReport, FactorReport, Report, Residual};
use crate::problem::status::Status;
use crate::solve::small_steps::IslandFrame;
use crate::solve::workspace::SolverWorkspace;
use crate::step::ledger::Ledger;
use crate::step::world::World;

/// Summary of a step.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Pipeline, RigidBody, Status, StepSettings, World};
/// use stiction::StepReport;
/// # let mut world = World::<f64, 1>::new();
/// # let linear_velocity = Vector3::new(1.0, 0.0, 5.0);
/// # world.push(RigidBody { linear_velocity, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut pipeline = Pipeline::<f64, 1, 1>::new(StepSettings::default());
/// // A frame of 1/60 s in three parts, and its total.
/// let mut frame = StepReport::open(&world, &pipeline.settings.gravity);
/// for _ in 0..3 {
///     frame.append(&pipeline.step(&mut world, stiction::manifolds(&[]), 1.0 / 180.0)?);
/// }
/// assert_eq!((frame.status, frame.contacts, frame.contacts_left_out), (Status::Converged, 0, 0));
/// assert!(frame.ledger.change().abs() < 1e-9); // no contact: no energy lost
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct StepReport<T> {
    /// The worst status of its solves.
    pub status: Status,
    /// Where its energy went.
    pub ledger: Ledger<T>,
    /// Contacts.
    pub contacts: usize,
    /// Contacts that did not fit: the shallowest ones.
    pub contacts_left_out: usize,
    /// Contacts that began with an impulse of the step before.
    pub warm_started: usize,
    /// Contacts that kept their rows from the step before.
    pub kept: usize,
    /// Islands.
    pub islands: usize,
    /// Passes over contacts of the island that took most, of whatever kind; none or one for islands at rest.
    pub sweeps: u32,
    /// Worst relative residual of an island.
    pub residual: T,
    /// Worst closing speed left, m/s.
    pub closing_speed: T,
    /// Deepest penetration that it started from, m.
    pub depth: T,
    /// Use of direct methods, over all islands.
    pub direct: DirectReport,
    /// Use of the kept factor.
    pub factor: FactorReport,
    /// Whether the passivity guard scaled an impulse down.
    pub passivity_guard: bool,
    /// Whether an island's bounce made no progress and was discarded: its contacts did not bounce.
    pub bounce_dropped: bool,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
}

impl<T: Real> StepReport<T> {
    /// Adds the report of the following step, for frames of several steps.
    pub fn append(&mut self, next: &Self) {
        self.status = self.status.or_worse(next.status);
        self.ledger.append(&next.ledger);
        self.contacts = next.contacts;
        self.contacts_left_out += next.contacts_left_out;
        self.warm_started = next.warm_started;
        self.kept = next.kept;
        self.islands = next.islands;
        self.sweeps = self.sweeps.saturating_add(next.sweeps);
        self.residual = larger(self.residual, next.residual);
        self.closing_speed = larger(self.closing_speed, next.closing_speed);
        self.depth = larger(self.depth, next.depth);
        self.direct.append(&next.direct);
        self.factor.append(&next.factor);
        self.passivity_guard |= next.passivity_guard;
        self.bounce_dropped |= next.bounce_dropped;
        self.safe_blocks = self.safe_blocks.saturating_add(next.safe_blocks);
    }

    /// A report for a step about to start.
    pub fn open<const NB: usize, R: ContactRows>(world: &World<T, NB, R>, gravity: &Vector3<T>) -> Self {
        let ledger = Ledger::open(world.kinetic_energy(), world.potential_energy(gravity));
        StepReport { ledger, ..StepReport::EMPTY }
    }

    /// An empty report.
    pub(crate) const EMPTY: Self = {
        StepReport {
            status: Status::Converged,
            ledger: Ledger::open(T::ZERO, T::ZERO),
            contacts: 0,
            contacts_left_out: 0,
            warm_started: 0,
            kept: 0,
            islands: 0,
            sweeps: 0,
            residual: T::ZERO,
            closing_speed: T::ZERO,
            depth: T::ZERO,
            direct: DirectReport { newton_steps: 0, interior_steps: 0, memory_too_small: false },
            factor: FactorReport::EMPTY,
            passivity_guard: false,
            bounce_dropped: false,
            safe_blocks: 0,
        }
    };

    /// Adds an island's report, and its use of the kept factor.
    pub(crate) fn take(&mut self, island: &Report<T>, factor: &FactorReport) {
        self.factor.append(factor);
        self.status = self.status.or_worse(island.status);
        self.ledger.bounce += island.bounce_work;
        self.ledger.friction += island.friction_work;
        self.ledger.normal += island.contact_work - island.friction_work - island.bias_work;
        self.ledger.position_correction += island.bias_work;
        self.residual = larger(self.residual, island.residual.natural);
        self.closing_speed = larger(self.closing_speed, island.residual.closing_speed);
        self.direct.append(&island.direct);
        self.sweeps = if island.sweeps > self.sweeps { island.sweeps } else { self.sweeps };
        self.passivity_guard |= island.passivity_guard;
        self.bounce_dropped |= island.bounce_dropped;
        self.safe_blocks = self.safe_blocks.saturating_add(island.safe_blocks);
    }
}

/// The report of an island after its small steps; its energies are the caller's.
pub(crate) fn island_report<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    frame: &IslandFrame<T>,
    tolerance: T,
) -> Report<T> {
    let phase = &work.phase;
    let status = if frame.interrupted {
        Status::Deadline
    } else if frame.bounce_dropped {
        Status::BounceDropped
    } else if phase.residual.is_below(tolerance) {
        Status::Converged
    } else if frame.guarded > 0 {
        Status::Guarded
    } else {
        Status::SweepLimit
    };
    let worst_contact = phase.residual.worst_contact.map(|row| work.islands.contact_of(row));
    Report {
        status,
        method: phase.method,
        sweeps: frame.sweeps,
        direct: phase.direct,
        bounce_sweeps: frame.bounce_sweeps,
        bounce_missing: frame.bounce_missing,
        bounce_dropped: frame.bounce_dropped,
        residual: Residual { worst_contact, ..phase.residual },
        bounce_work: frame.bounce_work,
        contact_work: frame.contact_work,
        friction_work: frame.friction_work,
        passivity_guard: frame.guarded > 0,
        safe_blocks: work.rows.safe_blocks(),
        ..Report::EMPTY
    }
}
