//! The solve: order and stopping, no arithmetic.
//!
//! ```text
//! check → prepare → bounce → warm start → sweeps → guard → velocities, impulses, report
//! ```

use nalgebra::Vector3;

use crate::body::Bodies;
use crate::contact::Contacts;
use crate::guard::{Phase, PhaseRow, kinetic_energy};
use crate::inertia::Energy;
use crate::links::{BodySpace, Link, Velocity, load_velocities};
use crate::normals;
use crate::phase::{self, PhaseEnd};
use crate::prepare::{check_pairs, prepare};
use crate::real::Real;
use crate::refusal::Refusal;
use crate::report::{Method, Report, Status};
use crate::residual::{measure, speed_norm};
use crate::rows::{ContactSpace, Rows};
use crate::settings::{BounceMode, Settings, Stabilisation};

/// All scratch of a solve for up to `NB` bodies and `NC` contacts, inline: its size is known before it runs.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver, Status};
///
/// let mut bodies = Bodies::<f64, 2>::new();
/// let ground = bodies.push(Body::fixed())?;
/// let falling = Body { linear: Vector3::new(1.0, 0.0, -2.0), ..Body::at_rest(1.0, Matrix3::identity() * 2.5) };
/// let ball = bodies.push(falling)?;
/// let mut contacts = Contacts::<f64, 1>::new();
/// contacts.push(Contact::new(ground, ball, Vector3::z(), Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0), 0.5))?;
///
/// let mut solver = Solver::<f64, 2, 1>::new();
/// let report = solver.solve(&mut bodies, &contacts, &Settings::default())?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(bodies.linear()[ball].z.abs() < 1e-12);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
pub struct Solver<T, const NB: usize, const NC: usize> {
    pub(crate) links: [Link<T>; NC],
    pub(crate) rows: Rows<T, NC>,
    /// Normal impulses of the bounce, then of the split impulse.
    pub(crate) normal_impulse: [T; NC],
    /// Where sweeps work.
    pub(crate) velocity: [Velocity<T>; NB],
    /// Where the phase began; after the solve, the split impulse's velocities.
    pub(crate) start: [Velocity<T>; NB],
    pub(crate) bodies: usize,
    pub(crate) dt: T,
}

impl<T: Real, const NB: usize, const NC: usize> Default for Solver<T, NB, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
    /// A solver that has solved nothing yet. `const`: it can live in a `static`.
    pub const fn new() -> Self {
        Solver {
            links: [Link::EMPTY; NC],
            rows: Rows::new(),
            normal_impulse: [T::ZERO; NC],
            velocity: [Velocity::ZERO; NB],
            start: [Velocity::ZERO; NB],
            bodies: 0,
            dt: T::ONE,
        }
    }

    /// Solves the contacts and gives the bodies their new velocities. A refusal changes nothing.
    pub fn solve(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
    ) -> Result<Report<T>, Refusal<T>> {
        self.solve_until(bodies, contacts, settings, || false)
    }

    /// Solves like [`Solver::solve`], but ends when `deadline`, asked before every sweep, answers `true`.
    pub fn solve_until(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        mut deadline: impl FnMut() -> bool,
    ) -> Result<Report<T>, Refusal<T>> {
        settings.check()?;
        check_pairs(bodies, contacts)?;
        self.bodies = bodies.len();
        self.dt = settings.dt;
        prepare(bodies, contacts, &mut self.links, &mut self.rows);
        load_velocities(bodies, &mut self.velocity);

        let before = kinetic_energy(bodies, &self.velocity);
        let bounce = self.bounce(bodies, contacts, settings, before, &mut deadline);
        self.set_bias(contacts, settings);
        let contact = self.contact_phase(bodies, contacts, settings, bounce.energy, &mut deadline);
        self.split_impulse(contacts, settings, &mut deadline);

        for (i, v) in self.velocity.iter().enumerate().take(bodies.len()) {
            bodies.store_velocity(i, &v.linear, &v.angular);
        }
        Ok(Report {
            status: contact.end.status,
            method: Method::BlockPgs,
            sweeps: contact.end.sweeps,
            bounce_sweeps: bounce.sweeps,
            bounce_dropped: bounce.dropped,
            residual: contact.end.residual,
            energy_before: before.value,
            energy_after: contact.energy.value,
            bounce_work: bounce.work,
            contact_work: contact.work,
            passivity_guard: bounce.guarded || contact.guarded,
        })
    }

    fn bounce(
        &mut self,
        bodies: &Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        before: Energy<T>,
        deadline: &mut impl FnMut() -> bool,
    ) -> Bounced<T> {
        self.start = self.velocity;
        let mut space = BodySpace { links: &self.links, velocity: &mut self.velocity };
        if !normals::set_bounce_targets(contacts, settings, &mut self.rows, &space) {
            return Bounced { sweeps: 0, dropped: false, energy: before, work: T::ZERO, guarded: false };
        }
        let normals = normals::solve(
            &self.rows,
            &mut space,
            &mut self.normal_impulse,
            settings.bounce,
            settings.normal_sweeps,
            deadline,
        );
        let sweeps = normals.sweeps;
        if !normals.settled {
            self.velocity = self.start;
            return Bounced { sweeps, dropped: true, energy: before, work: T::ZERO, guarded: false };
        }
        let (rows, normal_impulse) = (&self.rows, &self.normal_impulse);
        let phase = Phase {
            contacts: rows.len(),
            links: &self.links,
            start: &self.start,
            // The bounce answers for its energy without its targets: they are what it is checked against.
            row: |i| PhaseRow {
                impulse: Vector3::new(column(normal_impulse, i), T::ZERO, T::ZERO),
                unit: column(&rows.unit, i),
                target: T::ZERO,
            },
        };
        let closing = phase.close(bodies, before, &mut self.velocity);
        for i in 0..self.rows.len() {
            self.rows.cone[i].preload = self.normal_impulse[i] * closing.scale;
        }
        self.start = self.velocity;
        let energy = kinetic_energy(bodies, &self.velocity);
        Bounced { sweeps, dropped: false, energy, work: closing.work, guarded: closing.scale < T::ONE }
    }

    /// Asks the contact phase for nothing but rest, or for the bias that repairs penetration.
    fn set_bias(&mut self, contacts: &Contacts<T, NC>, settings: &Settings<T>) {
        for i in 0..self.rows.len() {
            let depth = contacts.get(i).map_or(T::ZERO, |contact| contact.depth);
            let bias = settings.stabilisation == Stabilisation::Bias;
            self.rows.target[i] = if bias { settings.correction_speed(depth) } else { T::ZERO };
        }
    }

    fn contact_phase(
        &mut self,
        bodies: &Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        before: Energy<T>,
        deadline: &mut impl FnMut() -> bool,
    ) -> Contacted<T> {
        let mut space = BodySpace { links: &self.links, velocity: &mut self.velocity };
        let q_norm = speed_norm(&self.rows, &space);
        self.warm_start(contacts, q_norm);
        space = BodySpace { links: &self.links, velocity: &mut self.velocity };
        let mut end =
            phase::run(&mut self.rows, &mut space, settings, deadline, |rows, space| measure(rows, space, q_norm));

        let closing = contact_phase(&self.rows, &self.links, &self.start).close(bodies, before, &mut self.velocity);
        let guarded = closing.scale < T::ONE;
        if guarded {
            for i in 0..self.rows.len() {
                self.rows.impulse[i] *= closing.scale;
            }
            let space = BodySpace { links: &self.links, velocity: &mut self.velocity };
            end.residual = measure(&self.rows, &space, q_norm);
            if end.status == Status::Converged && !(end.residual.natural < settings.tolerance) {
                end.status = Status::SweepLimit;
            }
        }
        Contacted { end, energy: kinetic_energy(bodies, &self.velocity), work: closing.work, guarded }
    }

    /// Starts from the impulses that the contacts bring along, moved into today's cones, softened if they add energy.
    ///
    /// An impulse that would drown the speeds at hand in its own rounding is not worth starting from.
    fn warm_start(&mut self, contacts: &Contacts<T, NC>, q_norm: T) {
        let largest = q_norm * T::lit(0.1) / T::EPSILON;
        let mut warm = false;
        let mut space = BodySpace { links: &self.links, velocity: &mut self.velocity };
        for i in 0..self.rows.len() {
            let Some(contact) = contacts.get(i) else { break };
            let mut x = self.links[i].frame.components(&contact.warm.tangent);
            x.x = contact.warm.normal;
            let x = self.rows.cone[i].clamp(&(x * self.rows.unit[i]));
            let useful = x.iter().all(|part| part.abs() <= largest);
            if useful && x != Vector3::zeros() {
                warm = true;
                self.rows.impulse[i] = x;
                space.push(i, &x);
            }
        }
        if !warm {
            return;
        }
        let scale = contact_phase(&self.rows, &self.links, &self.start).soften(&mut self.velocity);
        if scale < T::ONE {
            for i in 0..self.rows.len() {
                self.rows.impulse[i] *= scale;
            }
        }
    }

    /// Velocities that move bodies apart for one step and are then forgotten.
    fn split_impulse(
        &mut self,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        deadline: &mut impl FnMut() -> bool,
    ) {
        for v in &mut self.start {
            *v = Velocity::ZERO;
        }
        if settings.stabilisation != Stabilisation::SplitImpulse {
            return;
        }
        for i in 0..self.rows.len() {
            let depth = contacts.get(i).map_or(T::ZERO, |contact| contact.depth);
            self.rows.target[i] = settings.correction_speed(depth);
        }
        let mut space = BodySpace { links: &self.links, velocity: &mut self.start };
        let cap = settings.normal_sweeps;
        normals::solve(&self.rows, &mut space, &mut self.normal_impulse, BounceMode::Together, cap, deadline);
    }
}

/// An entry of a column; 0 beyond its end, which no caller asks for.
fn column<T: Real>(column: &[T], index: usize) -> T {
    column.get(index).copied().unwrap_or(T::ZERO)
}

/// The contact phase, as its rows stand.
fn contact_phase<'a, T: Real, const NB: usize, const NC: usize>(
    rows: &'a Rows<T, NC>,
    links: &'a [Link<T>; NC],
    start: &'a [Velocity<T>; NB],
) -> Phase<'a, T, impl Fn(usize) -> PhaseRow<T> + 'a, NB, NC> {
    let row = |i: usize| PhaseRow {
        impulse: rows.impulse.get(i).copied().unwrap_or_else(Vector3::zeros),
        unit: column(&rows.unit, i),
        target: column(&rows.target, i),
    };
    Phase { contacts: rows.len(), links, start, row }
}

struct Bounced<T> {
    sweeps: u32,
    dropped: bool,
    energy: Energy<T>,
    work: T,
    guarded: bool,
}

struct Contacted<T> {
    end: PhaseEnd<T>,
    energy: Energy<T>,
    work: T,
    guarded: bool,
}
