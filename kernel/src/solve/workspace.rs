//! The solver's memory between the steps of one solve: rows, impulses and velocities, and how they are filled.
use nalgebra::Vector3;

use crate::local::block::Coupling;
use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::contacts::Contacts;
use crate::problem::report::{ContactOutcome, ContactState};
use crate::problem::surface::FrictionWork;
use crate::problem::wrench::Wrench;
use crate::solve::contact_phase::PhaseState;
use crate::solve::partition::Islands;
use crate::solve::prepare::prepare;
use crate::space::bodies::{BodySpace, restore_start_velocities};
use crate::space::jacobian::ContactJacobian;
use crate::space::velocity::{Velocity, copy_velocity, is_driven, load_velocities};
use crate::sweep::moment_row::Role;
use crate::sweep::rows::{Rows, state_of};

/// Data shared by the steps of a solve. Inline: its size is known at compile time.
pub(crate) struct SolverWorkspace<T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    pub islands: Islands<NB, NC>,
    pub jacobians: [ContactJacobian<T, R>; NC],
    pub rows: Rows<T, NC, R>,
    /// Normal impulses of the bounce, then of the position correction.
    pub normal_impulse: [T; NC],
    /// The velocities that sweeps change.
    pub velocity: [Velocity<T>; NB],
    /// Velocities at the start of the phase; after the solve, the velocities of the position correction.
    pub start: [Velocity<T>; NB],
    /// State and result of the last contact phase.
    pub phase: PhaseState<T>,
    pub bodies: usize,
    /// Whether some body has a velocity that no impulse can change.
    pub driven: bool,
    /// The step of the last solve, s.
    pub dt: T,
    /// How many contacts have moments.
    with_two_rows: R::Column<u16, 1>,
    /// Work of friction in the last solve.
    pub friction_work: R::Column<FrictionWork<T>, 1>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SolverWorkspace<T, NB, NC, R> {
    pub const fn new() -> Self {
        SolverWorkspace {
            islands: Islands::new(),
            jacobians: [ContactJacobian::EMPTY; NC],
            rows: Rows::new(),
            normal_impulse: [T::ZERO; NC],
            velocity: [Velocity::ZERO; NB],
            start: [Velocity::ZERO; NB],
            phase: PhaseState::EMPTY,
            bodies: 0,
            driven: false,
            dt: T::ONE,
            with_two_rows: R::Column::PLAIN,
            friction_work: R::Column::PLAIN,
        }
    }

    /// Fills rows and velocities from validated input, after the islands were found.
    pub fn load(&mut self, bodies: &Bodies<T, NB>, contacts: &Contacts<T, NC, R>, dt: T) {
        self.dt = dt;
        self.bodies = bodies.len();
        self.set_second_rows(contacts.places() - contacts.len());
        self.friction_work = R::Column::PLAIN;
        prepare(bodies, contacts, &self.islands, &mut self.jacobians, &mut self.rows);
        load_velocities(bodies, &mut self.velocity);
        self.driven = is_driven(bodies);
        self.start = [Velocity::ZERO; NB];
    }

    /// Selects the island that the following calls work on.
    pub fn select(&mut self, island: usize) {
        self.islands.select(island);
        self.rows.select(self.islands.rows(island));
    }

    /// Writes the island's velocities back. Other islands move none of these bodies.
    pub fn store(&self, bodies: &mut Bodies<T, NB>) {
        for index in self.islands.bodies().iter().map(|index| usize::from(*index)) {
            if let Some(v) = self.velocity.get(index) {
                bodies.store_velocity(index, &v.linear(), &v.angular());
            }
        }
    }

    /// Saves the present velocities of the island's bodies as the start of a phase.
    pub fn save_start(&mut self) {
        self.set_start(StartFrom::PresentVelocities);
    }

    /// Sets the start velocities of the island's bodies to zero.
    pub fn clear_start(&mut self) {
        self.set_start(StartFrom::Rest);
    }

    /// The island's bodies, and the immovable ones that its contacts touch, which other islands share.
    #[inline(never)]
    fn set_start(&mut self, from: StartFrom) {
        let SolverWorkspace { islands, rows, jacobians, velocity, start, .. } = self;
        let from: Option<&[_]> = match from {
            StartFrom::PresentVelocities => Some(velocity),
            StartFrom::Rest => None,
        };
        let mut set = |body: usize| copy_velocity(from, start, body);
        islands.bodies().iter().for_each(|body| set(usize::from(*body)));
        for i in rows.window() {
            let (a, b) = jacobians[i].bodies();
            let (a_moves, b_moves) = jacobians[i].moves();
            if !a_moves {
                set(a);
            }
            if !b_moves {
                set(b);
            }
        }
    }

    /// Restores the velocities at the start of the phase.
    pub fn restore_start(&mut self) {
        restore_start_velocities(&self.jacobians, self.rows.window(), &self.start, &mut self.velocity);
    }

    /// The bodies as contacts see them.
    #[inline(always)]
    pub fn space(&mut self) -> BodySpace<'_, T, NB, NC, R> {
        BodySpace::new(&self.jacobians, &mut self.velocity)
    }

    /// How strongly a contact's normal and friction are coupled.
    pub fn coupling(&self, contact: usize) -> Option<Coupling<T>> {
        if contact < self.contacts() { self.rows.coupling(self.row(contact)) } else { None }
    }

    /// The island of a contact in the last solve.
    pub fn island_of(&self, contact: usize) -> Option<usize> {
        let row = self.islands.row_of(contact);
        (0..self.islands.count()).find(|island| contact < self.contacts() && self.islands.rows(*island).contains(&row))
    }

    /// Number of contacts of the last solve.
    #[inline(always)]
    fn contacts(&self) -> usize {
        self.with_two_rows.at(0).map_or(self.rows.len(), |count| self.rows.len() - usize::from(*count))
    }

    /// The row of a contact, visibly within capacity.
    pub fn row(&self, contact: usize) -> usize {
        let row = self.islands.row_of(contact);
        if row < NC { row } else { 0 }
    }

    /// Notes how many rows have moments.
    pub fn set_second_rows(&mut self, rows: usize) {
        if let Some(count) = self.with_two_rows.at_mut(0) {
            *count = rows as u16;
        }
    }

    /// A contact's moment, N m s.
    pub fn moment(&self, contact: usize) -> Option<Vector3<T>> {
        self.outcome(contact)?;
        let row = self.row(contact);
        let second = (self.rows.role(row) == Role::First).then_some(row + 1).filter(|second| *second < NC);
        Some(second.map_or_else(Vector3::zeros, |second| {
            let impulse = self.rows.impulse[second].divided(self.rows.impulse_scale[second]);
            self.jacobians[second].frame().to_world(&impulse)
        }))
    }

    /// Which bounds a contact has reached: of sliding, spinning and rolling.
    pub fn reached(&self, contact: usize) -> Option<[bool; 3]> {
        let slides = self.outcome(contact)?.state == ContactState::Slide;
        let row = self.row(contact);
        Some(self.rows.law(row).map_or([slides, false, false], |law| law.on_rim(&self.rows.impulse_in_six(row))))
    }

    /// A contact's part in the answer.
    pub fn outcome(&self, index: usize) -> Option<ContactOutcome<T>> {
        if index >= self.contacts() {
            return None;
        }
        let index = self.row(index);
        let (cone, frame) = (&self.rows.cone[index], self.jacobians[index].frame());
        Some(outcome_of(&self.rows.impulse[index], self.rows.impulse_scale[index], cone, &frame))
    }

    /// Mean force and torque on a body over the step.
    pub fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        if body >= self.bodies {
            return None;
        }
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..self.rows.len() {
            let mut total = self.rows.impulse[i];
            total.x += self.rows.cone[i].preload;
            let jacobian = &self.jacobians[i];
            let [on_a, on_b] = jacobian.wrenches(&total.divided(self.rows.impulse_scale[i]));
            let (a, b) = jacobian.bodies();
            for (index, part) in [(a, on_a), (b, on_b)] {
                if index == body {
                    force = force.plus(&part.0);
                    torque = torque.plus(&part.1);
                }
            }
        }
        Some(Wrench { force: force.divided(self.dt), torque: torque.divided(self.dt) })
    }

    /// The depth of a row's contact.
    pub fn depth(&self, contacts: &Contacts<T, NC, R>, row: usize) -> T {
        contacts.depth(self.islands.contact_of(row))
    }
}

/// A contact's part in the answer, from its impulse in velocity units.
#[inline(always)]
pub(crate) fn outcome_of<T: Real>(
    impulse: &Vector3<T>,
    impulse_scale: T,
    cone: &Cone<T>,
    frame: &Frame<T>,
) -> ContactOutcome<T> {
    let tangent = Vector3::new(T::ZERO, impulse.y / impulse_scale, impulse.z / impulse_scale);
    ContactOutcome {
        bounce_impulse: cone.preload / impulse_scale,
        normal_impulse: impulse.x / impulse_scale,
        tangent_impulse: frame.to_world(&tangent),
        state: state_of(cone, impulse),
    }
}

#[derive(Clone, Copy)]
enum StartFrom {
    PresentVelocities,
    Rest,
}
