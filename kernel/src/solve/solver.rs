//! [`Solver`]: how a solve is called, and its results in SI units.
//!
//! ```text
//! validate → prepare → per island: bounce → warm start → contact phase → passivity → position correction
//! ```
use nalgebra::Vector3;

use crate::direct::memory::{Room, lend_again};
use crate::local::block::Coupling;
use crate::math::real::Real;
use crate::math::vector::Entries;
use crate::problem::bodies::Bodies;
use crate::problem::contact::WarmStart;
use crate::problem::contacts::Contacts;
use crate::problem::error::Refusal;
use crate::problem::report::{ContactOutcome, Report, Status};
use crate::problem::settings::Settings;
use crate::problem::wrench::Wrench;
use crate::solve::island::solve_island;
use crate::solve::prepare::check_pairs;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;

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
pub struct Solver<T: Real, const NB: usize, const NC: usize> {
    pub(crate) work: SolverWorkspace<T, NB, NC>,
}

impl<T: Real, const NB: usize, const NC: usize> Default for Solver<T, NB, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
    /// A solver that has solved nothing yet. `const`: it can live in a `static`.
    pub const fn new() -> Self {
        const { assert!(NB <= u16::MAX as usize && NC <= u16::MAX as usize, "indices are 16 bits wide") };
        Solver { work: SolverWorkspace::new() }
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

    /// Refuses what a solve would refuse; solves nothing.
    pub fn check(bodies: &Bodies<T, NB>, contacts: &Contacts<T, NC>, settings: &Settings<T>) -> Result<(), Refusal<T>> {
        settings.check()?;
        check_pairs(bodies, contacts)
    }

    /// Solves like [`Solver::solve`], but ends when `deadline`, asked before every sweep, factorisation and row that the active
    /// set takes in, answers `true`. What follows then, the residual and the guard, takes about as long as two sweeps, and twice
    /// that where contacts bounce: keep it in reserve.
    pub fn solve_until(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        deadline: impl FnMut() -> bool,
    ) -> Result<Report<T>, Refusal<T>> {
        self.solve_with(bodies, contacts, settings, deadline, None)
    }

    /// Solves like [`Solver::solve_until`], with direct methods where there is room for them and the settings let them.
    pub fn solve_with(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        mut deadline: impl FnMut() -> bool,
        room: Option<&mut dyn Room<T>>,
    ) -> Result<Report<T>, Refusal<T>> {
        Self::check(bodies, contacts, settings)?;
        self.work.islands.merge(bodies.len(), contacts.len());
        self.work.load(bodies, contacts, settings.dt);
        let task = &mut Task { bodies, contacts, settings, should_stop: &mut deadline, deadline_passed: false };
        Ok(solve_island(&mut self.work, 0, task, room))
    }

    /// Solves every island on its own, in the order of their first contacts, and hands each island's report to `each`
    /// together with the island's number. Gives the number of islands.
    ///
    /// Islands share no movable body, so the answer is the one of [`Solver::solve`] up to the tolerance, at less cost: each
    /// island stops when it is solved, and one that is hard to solve or that the guard must correct touches no other.
    pub fn solve_islands(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        deadline: impl FnMut() -> bool,
        each: impl FnMut(usize, &Report<T>),
    ) -> Result<usize, Refusal<T>> {
        self.solve_islands_with(bodies, contacts, settings, deadline, None, each)
    }

    /// Solves like [`Solver::solve_islands`], with direct methods where there is room for them and the settings let them.
    pub fn solve_islands_with(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        mut deadline: impl FnMut() -> bool,
        room: Option<&mut dyn Room<T>>,
        mut each: impl FnMut(usize, &Report<T>),
    ) -> Result<usize, Refusal<T>> {
        Self::check(bodies, contacts, settings)?;
        Ok(self.solve_checked_islands(bodies, contacts, settings, &mut deadline, room, &mut each))
    }

    /// Solves islands of input that was checked.
    pub(crate) fn solve_checked_islands(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        deadline: &mut dyn FnMut() -> bool,
        mut room: Option<&mut dyn Room<T>>,
        each: &mut dyn FnMut(usize, &Report<T>),
    ) -> usize {
        self.work.islands.split(bodies, contacts);
        self.work.load(bodies, contacts, settings.dt);
        let mut deadline_passed = false;
        for island in 0..self.work.islands.count() {
            let task =
                &mut Task { bodies: &mut *bodies, contacts, settings, should_stop: &mut *deadline, deadline_passed };
            let report = solve_island(&mut self.work, island, task, lend_again(&mut room));
            deadline_passed |= report.status == Status::Deadline;
            each(island, &report);
        }
        self.work.islands.count()
    }

    /// The island of a contact in the last solve.
    pub fn island_of(&self, contact: usize) -> Option<usize> {
        let row = self.work.islands.row_of(contact);
        (0..self.work.islands.count())
            .find(|island| contact < self.work.rows.len() && self.work.islands.rows(*island).contains(&row))
    }

    /// The row of a contact, visibly within capacity.
    fn row(&self, contact: usize) -> usize {
        let row = self.work.islands.row_of(contact);
        if row < NC { row } else { 0 }
    }

    /// A contact's part in the answer.
    pub fn contact(&self, index: usize) -> Option<ContactOutcome<T>> {
        if index >= self.work.rows.len() {
            return None;
        }
        let index = self.row(index);
        let unit = self.work.rows.unit[index];
        let impulse = self.work.rows.impulse[index];
        let tangent = Vector3::new(T::ZERO, impulse.y / unit, impulse.z / unit);
        Some(ContactOutcome {
            bounce: self.work.rows.cone[index].preload / unit,
            normal: impulse.x / unit,
            tangent: self.work.links[index].frame().world(&tangent),
            state: self.work.rows.state(index),
        })
    }

    /// A contact's normal impulse of the contact phase, N s; 0 if there is none.
    pub(crate) fn normal_impulse_of(&self, index: usize) -> T {
        if index >= self.work.rows.len() {
            return T::ZERO;
        }
        let index = self.row(index);
        self.work.rows.impulse[index].x / self.work.rows.unit[index]
    }

    /// What a contact should start from next time: its contact-phase impulse, without the bounce.
    pub fn warm(&self, index: usize) -> Option<WarmStart<T>> {
        self.contact(index).map(|outcome| WarmStart { normal: outcome.normal, tangent: outcome.tangent })
    }

    /// How strongly a contact's normal and friction are coupled.
    pub fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        (index < self.work.rows.len()).then(|| self.work.rows.block[self.row(index)].coupling())
    }

    /// Mean force and torque on a body over the step, `Jᵀ(bounce + contact)/dt`.
    pub fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        if body >= self.work.bodies {
            return None;
        }
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..self.work.rows.len() {
            let mut total = self.work.rows.impulse[i];
            total.x += self.work.rows.cone[i].preload;
            let link = &self.work.links[i];
            let [on_a, on_b] = link.wrenches(&total.over(self.work.rows.unit[i]));
            let (a, b) = link.bodies();
            for (index, part) in [(a, on_a), (b, on_b)] {
                if index == body {
                    force = force.plus(&part.0);
                    torque = torque.plus(&part.1);
                }
            }
        }
        Some(Wrench { force: force.over(self.work.dt), torque: torque.over(self.work.dt) })
    }

    /// The split impulse's velocity of a body, linear in m/s and angular in rad/s, to be integrated once and forgotten.
    /// Zero unless the settings chose split impulse.
    pub fn correction(&self, body: usize) -> Option<(Vector3<T>, Vector3<T>)> {
        let velocity = self.work.start.get(body).filter(|_| body < self.work.bodies)?;
        Some((velocity.linear(), velocity.angular()))
    }
}
