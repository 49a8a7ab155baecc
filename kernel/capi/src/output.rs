//! Results of a solve, written to the caller's memory.

use stiction::nalgebra::Vector3;
use stiction::{ContactOutcome, Real, Twist};

use crate::error::Fault;
use crate::input::BodyColumns;
use crate::view::{ColumnMut, ViewMut};

/// Output of a solve in addition to the bodies' velocities. All may be null. Impulses may be written to the same memory
/// from which the warm start was read.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Answer<T> {
    /// Normal impulse of the contact phase, one for each contact, N s: the next solve's warm start.
    pub normal_impulse: ViewMut<T>,
    /// Friction impulse on B as a world vector, 3 numbers for each contact, N s: the next solve's warm start.
    pub tangent_impulse: ViewMut<T>,
    /// Normal impulse of the bounce, one for each contact, N s. The total is the sum of the two.
    pub bounce_impulse: ViewMut<T>,
    /// State of the contact, one for each contact: one of StictionContactState.
    pub state: ViewMut<u32>,
    /// Position correction, 3 numbers for each body, m/s: add it to the velocity for this step's position update, then
    /// drop it.
    pub correction_linear: ViewMut<T>,
    /// The same for rotation, 3 numbers for each body, rad/s.
    pub correction_angular: ViewMut<T>,
    /// Moment on B as a world vector, 3 numbers for each contact, N m s: the next solve's warm start. Torsion is its
    /// part along the normal, rolling friction the rest. This view and the next need a solver with moments.
    pub moment: ViewMut<T>,
    /// Which bounds the contact has reached, one for each contact: a sum of StictionReached.
    pub reached: ViewMut<u32>,
}

/// A bound of friction that a contact has reached.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Of sliding.
    Sliding = 1,
    /// Of torsion.
    Spinning = 2,
    /// Of rolling friction.
    Rolling = 4,
}

/// The bounds of sliding, spinning and rolling that a contact has reached, as a sum of [`Reached`].
pub fn reached_sum([slides, spins, rolls]: [bool; 3]) -> u32 {
    let bounds = [(slides, Reached::Sliding), (spins, Reached::Spinning), (rolls, Reached::Rolling)];
    bounds.iter().fold(0, |sum, (is_on, bound)| if *is_on { sum | *bound as u32 } else { sum })
}

/// Results of a solve.
pub trait Outcomes<T: Real> {
    /// A body's velocities.
    fn velocity(&self, body: usize) -> Option<(Vector3<T>, Vector3<T>)>;
    /// A body's position correction.
    fn correction(&self, body: usize) -> Option<Twist<T>>;
    /// A contact's impulses and state.
    fn outcome(&self, contact: usize) -> Option<ContactOutcome<T>>;
    /// A contact's moment, and which bounds it has reached: of sliding, spinning and rolling. None without moments.
    fn moment(&self, contact: usize) -> Option<(Vector3<T>, [bool; 3])>;
}

/// Checked columns of an answer.
pub struct AnswerColumns<'a, T> {
    normal_impulse: Option<ColumnMut<'a, T, 1>>,
    tangent_impulse: Option<ColumnMut<'a, T, 3>>,
    bounce_impulse: Option<ColumnMut<'a, T, 1>>,
    state: Option<ColumnMut<'a, u32, 1>>,
    correction_linear: Option<ColumnMut<'a, T, 3>>,
    correction_angular: Option<ColumnMut<'a, T, 3>>,
    moment: Option<ColumnMut<'a, T, 3>>,
    reached: Option<ColumnMut<'a, u32, 1>>,
}

impl<T: Real> Answer<T> {
    /// No output.
    pub const NONE: Self = Answer {
        normal_impulse: ViewMut::NONE,
        tangent_impulse: ViewMut::NONE,
        bounce_impulse: ViewMut::NONE,
        state: ViewMut::NONE,
        correction_linear: ViewMut::NONE,
        correction_angular: ViewMut::NONE,
        moment: ViewMut::NONE,
        reached: ViewMut::NONE,
    };

    /// Rejects views that need a solver with moments, if this one has none.
    #[inline(always)]
    pub fn reject_without(&self, has_moments: impl FnOnce() -> bool) -> Result<(), Fault> {
        let is_plain = self.moment.data as usize | self.reached.data as usize == 0;
        if is_plain || has_moments() { Ok(()) } else { Err(self.without_moments()) }
    }

    #[cold]
    #[inline(never)]
    fn without_moments(&self) -> Fault {
        let views = [(self.moment.data.is_null(), "answer.moment"), (self.reached.data.is_null(), "answer.reached")];
        Fault::without_moments(&views)
    }

    /// Checks pointers, strides and counts.
    #[inline(always)]
    pub fn columns<'a>(&self, bodies: usize, contacts: usize) -> Result<AnswerColumns<'a, T>, Fault> {
        Ok(AnswerColumns {
            normal_impulse: self.normal_impulse.optional(contacts, "answer.normal_impulse")?,
            tangent_impulse: self.tangent_impulse.optional(contacts, "answer.tangent_impulse")?,
            bounce_impulse: self.bounce_impulse.optional(contacts, "answer.bounce_impulse")?,
            state: self.state.optional(contacts, "answer.state")?,
            correction_linear: self.correction_linear.optional(bodies, "answer.correction_linear")?,
            correction_angular: self.correction_angular.optional(bodies, "answer.correction_angular")?,
            moment: self.moment.optional(contacts, "answer.moment")?,
            reached: self.reached.optional(contacts, "answer.reached")?,
        })
    }
}

/// Writes into an optional column.
///
/// # Safety
/// The memory that the column describes is writable.
unsafe fn put<T: Copy, const WIDTH: usize>(
    column: &Option<ColumnMut<'_, T, WIDTH>>,
    index: usize,
    element: [T; WIDTH],
) {
    if let Some(column) = column {
        // SAFETY: the same promise.
        unsafe { column.set(index, element) }
    }
}

impl<T: Real> AnswerColumns<'_, T> {
    /// Writes the answer of the last solve.
    ///
    /// # Safety
    /// The memory that the columns describe is writable.
    pub unsafe fn write<S: Outcomes<T>>(&self, solver: &S, bodies: &BodyColumns<'_, T>, contacts: usize) {
        // SAFETY: the same promise.
        unsafe {
            for index in 0..bodies.count {
                let Some((linear, angular)) = solver.velocity(index) else { break };
                bodies.linear_velocity.set(index, linear.into());
                bodies.angular_velocity.set(index, angular.into());
            }
            self.write_corrections(solver, bodies.count);
            self.write_contacts(solver, contacts);
            self.write_moments(solver, contacts);
        }
    }

    /// # Safety
    /// The memory that the columns describe is writable.
    unsafe fn write_moments<S: Outcomes<T>>(&self, solver: &S, contacts: usize) {
        if self.moment.is_none() && self.reached.is_none() {
            return;
        }
        for index in 0..contacts {
            let Some((moment, bounds)) = solver.moment(index) else { break };
            // SAFETY: the same promise.
            unsafe {
                put(&self.moment, index, moment.into());
                put(&self.reached, index, [reached_sum(bounds)]);
            }
        }
    }

    /// # Safety
    /// The memory that the columns describe is writable.
    unsafe fn write_corrections<S: Outcomes<T>>(&self, solver: &S, bodies: usize) {
        if self.correction_linear.is_none() && self.correction_angular.is_none() {
            return;
        }
        for index in 0..bodies {
            let Some(Twist { linear, angular }) = solver.correction(index) else { break };
            // SAFETY: the same promise.
            unsafe {
                put(&self.correction_linear, index, linear.into());
                put(&self.correction_angular, index, angular.into());
            }
        }
    }

    /// # Safety
    /// The memory that the columns describe is writable.
    unsafe fn write_contacts<S: Outcomes<T>>(&self, solver: &S, contacts: usize) {
        // SAFETY: the same promise.
        unsafe {
            // Two separate loops: quantities that the caller did not ask for are not computed.
            if self.normal_impulse.is_some() || self.tangent_impulse.is_some() {
                for (index, outcome) in (0..contacts).map_while(|index| Some((index, solver.outcome(index)?))) {
                    put(&self.normal_impulse, index, [outcome.normal_impulse]);
                    put(&self.tangent_impulse, index, outcome.tangent_impulse.into());
                }
            }
            if self.bounce_impulse.is_some() || self.state.is_some() {
                for (index, outcome) in (0..contacts).map_while(|index| Some((index, solver.outcome(index)?))) {
                    put(&self.bounce_impulse, index, [outcome.bounce_impulse]);
                    put(&self.state, index, [outcome.state as u32]);
                }
            }
        }
    }
}
