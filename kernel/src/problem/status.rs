//! How a solve ended, and by which method.

/// Why a solve ended, from best to worst. In every case the answer is usable and adds no energy.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(2.0, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{Hooks, Settings, Status};
/// // A deadline that has passed already: the answer is not solved, but it adds no energy and may be used.
/// let mut stop = || true;
/// let hooks = Hooks::with_should_stop(&mut stop);
/// let report = solver.solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, hooks)?;
/// assert_eq!(report.status, Status::Deadline);
/// assert!(report.energy_after <= report.energy_before);
/// // With time, the same contact is solved.
/// let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
/// assert_eq!(report.status, Status::Converged);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Status {
    /// The residual went below the tolerance.
    Converged,
    /// The passivity guard scaled impulses down, and the residual is no longer below the tolerance.
    Guarded,
    /// The bounce made no progress, for example because separation speeds contradict each other, and was discarded: no
    /// contact bounced.
    BounceDropped,
    /// The sweep limit was reached first, in the bounce or in the contact phase.
    SweepLimit,
    /// `should_stop` returned true first.
    Deadline,
}

impl Status {
    /// The worse of two.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

/// How the contact phase was solved.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// use stiction::Method;
/// for (mu, expected) in [(0.0, Method::ActiveSet), (0.5, Method::BlockPgs)] {
/// #     let mut bodies = Bodies::<f64, 2>::new();
/// #     bodies.push(Body::fixed())?;
/// #     let linear_velocity = Vector3::new(1.0, 0.0, -1.0);
/// #     bodies.push(Body { linear_velocity, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// #     let mut solver = Solver::<f64, 2, 1>::new();
///     let mut contacts = Contacts::<f64, 1>::new();
///     contacts.push(Contact { mu, ..Contact::default() })?;
///     let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
///     assert_eq!(report.method, expected);
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Method {
    /// Exact active set, for a few contacts without friction.
    ActiveSet,
    /// Projected Gauss–Seidel on the normals, for more contacts without friction.
    ScalarPgs,
    /// Block projected Gauss–Seidel.
    BlockPgs,
    /// The same, accelerated from some sweep on.
    Accelerated,
    /// Newton's method on the natural map or on proximal problems, after sweeps.
    Newton,
    /// An interior-point method, with sweeps and Newton's method before and after it.
    InteriorPoint,
}
