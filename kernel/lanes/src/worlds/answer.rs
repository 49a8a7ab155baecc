//! The contacts' part in the answer of a world.
use stiction::{ContactOutcome, InputError, Report, Solver, WarmStart};

use crate::scalar::LaneScalar;
use crate::worlds::set::Set;

/// A report, or why a world was rejected.
pub type Solved<T> = Result<Report<T>, InputError<T>>;

/// Where an answer is.
enum Place<'w, T: LaneScalar, const NB: usize, const NC: usize> {
    Rejected,
    Alone(&'w Solver<T, NB, NC>),
    Lane(&'w Set<T, NB, NC>, usize),
}

/// What the contacts of a solved world carry; nothing for a world that was rejected.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::{Bodies, Body, Contact, Contacts, Settings};
/// use stiction_lanes::Worlds;
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # let mut mass = Body::from_inverse(1.0, nalgebra::Matrix3::zeros());
/// # mass.linear_velocity.z = -1.0;
/// # bodies.push(mass)?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// // A mass of 1 kg lands at 1 m/s. The next solve can start from the impulse that stops it.
/// let mut next = contacts.clone();
/// Worlds::new().solve_all([(&mut bodies, &contacts)], &Settings::default(), 1.0 / 60.0, |_, _, answer| {
///     assert!((answer.contact(0).unwrap().normal_impulse - 1.0).abs() < 1e-6);
///     next.set_warm(0, answer.warm(0).unwrap()).unwrap();
/// });
/// assert!((next.get(0).unwrap().warm.normal_impulse - 1.0).abs() < 1e-6);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
pub struct Answer<'w, T: LaneScalar, const NB: usize, const NC: usize> {
    place: Place<'w, T, NB, NC>,
}

impl<'w, T: LaneScalar, const NB: usize, const NC: usize> Answer<'w, T, NB, NC> {
    /// Of a world that the solver solved alone, or rejected.
    pub(super) fn alone(solver: &'w Solver<T, NB, NC>, is_solved: bool) -> Self {
        Answer { place: if is_solved { Place::Alone(solver) } else { Place::Rejected } }
    }

    /// Of a world in a lane.
    pub(super) fn in_lane(set: &'w Set<T, NB, NC>, lane: usize) -> Self {
        Answer { place: Place::Lane(set, lane) }
    }

    /// A contact's part in the answer, as [`Solver::contact`] gives it.
    pub fn contact(&self, index: usize) -> Option<ContactOutcome<T>> {
        match self.place {
            Place::Rejected => None,
            Place::Alone(solver) => solver.contact(index),
            Place::Lane(set, lane) => {
                let row = set.rows.get(index).filter(|_| index < set.contacts(lane))?;
                Some(row.axes(lane).outcome(row.impulse(lane)))
            }
        }
    }

    /// Warm start of a contact for the next solve, as [`Solver::warm`] gives it.
    pub fn warm(&self, index: usize) -> Option<WarmStart<T>> {
        self.contact(index).map(|outcome| WarmStart {
            normal_impulse: outcome.normal_impulse,
            tangent_impulse: outcome.tangent_impulse,
        })
    }

    /// Whether the world was solved side by side with others.
    pub fn was_in_lanes(&self) -> bool {
        matches!(self.place, Place::Lane(..))
    }
}
