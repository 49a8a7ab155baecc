//! The solver's scratch: what it holds, and how large that is.

use crate::islands::Islands;
use crate::links::{Link, Velocity};
use crate::phase::PhaseEnd;
use crate::real::Real;
use crate::rows::Rows;

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
    pub(crate) islands: Islands<NB, NC>,
    pub(crate) links: [Link<T>; NC],
    pub(crate) rows: Rows<T, NC>,
    /// Normal impulses of the bounce, then of the split impulse.
    pub(crate) normal_impulse: [T; NC],
    /// Where sweeps work.
    pub(crate) velocity: [Velocity<T>; NB],
    /// Where the phase began; after the solve, the split impulse's velocities.
    pub(crate) start: [Velocity<T>; NB],
    /// The contact phase that was solved last.
    pub(crate) phase: PhaseEnd<T>,
    pub(crate) bodies: usize,
    /// Whether some body has a velocity that no impulse can change.
    pub(crate) driven: bool,
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
        const { assert!(NB <= u16::MAX as usize && NC <= u16::MAX as usize, "indices are 16 bits wide") };
        Solver {
            islands: Islands::new(),
            links: [Link::EMPTY; NC],
            rows: Rows::new(),
            normal_impulse: [T::ZERO; NC],
            velocity: [Velocity::ZERO; NB],
            start: [Velocity::ZERO; NB],
            phase: PhaseEnd::EMPTY,
            bodies: 0,
            driven: false,
            dt: T::ONE,
        }
    }
}
