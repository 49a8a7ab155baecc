//! The solve: order and stopping, no arithmetic.
//!
//! ```text
//! check → prepare → bounce → warm start → sweeps → guard → velocities, impulses, report
//! ```

use crate::body::Bodies;
use crate::contact::Contacts;
use crate::direct::{Room, lend_again};
use crate::guard::is_driven;
use crate::links::{Velocity, load_velocities};
use crate::prepare::{check_pairs, prepare};
use crate::real::Real;
use crate::refusal::Refusal;
use crate::report::{Report, Status};
use crate::settings::Settings;
use crate::workspace::Solver;

impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
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
        self.islands.merge(bodies.len(), contacts.len());
        self.load(bodies, contacts, settings);
        Ok(self.solve_island(0, bodies, contacts, settings, (&mut deadline, false), room))
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
        self.islands.split(bodies, contacts);
        self.load(bodies, contacts, settings);
        let mut late = false;
        for island in 0..self.islands.count() {
            let room = lend_again(&mut room);
            let report = self.solve_island(island, bodies, contacts, settings, (&mut *deadline, late), room);
            late |= report.status == Status::Deadline;
            each(island, &report);
        }
        self.islands.count()
    }

    /// The island of a contact in the last solve.
    pub fn island_of(&self, contact: usize) -> Option<usize> {
        let row = self.islands.row_of(contact);
        (0..self.islands.count()).find(|island| contact < self.rows.len() && self.islands.rows(*island).contains(&row))
    }

    pub(crate) fn load(&mut self, bodies: &Bodies<T, NB>, contacts: &Contacts<T, NC>, settings: &Settings<T>) {
        self.bodies = bodies.len();
        self.dt = settings.dt;
        prepare(bodies, contacts, &self.islands, &mut self.links, &mut self.rows);
        load_velocities(bodies, &mut self.velocity);
        self.driven = is_driven(bodies);
        self.start = [Velocity::ZERO; NB];
    }
}
