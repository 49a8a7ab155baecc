//! Reports of a solve.
use nalgebra::Vector3;

use crate::math::real::{Real, larger, positive_part};
use crate::problem::status::{Method, Status};

/// Use of direct methods in a solve.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// # let down = Vector3::new(0.0, 0.0, -1.0);
/// # let mut bodies = Bodies::<f64, 3>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1e-3, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 2>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # contacts.push(Contact::new(1, 2, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 3, 2>::new();
/// use stiction::MethodChoice;
/// use stiction::{DirectMemory, Hooks};
/// // A tonne on a kilogram: sweeps converge slowly, and the memory is too small for a direct method.
/// let settings = Settings { method: MethodChoice::Direct, ..Settings::default() };
/// let mut memory = DirectMemory::<f64, 1, 1>::new();
/// let report = solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::with_direct(memory.view()))?;
/// assert!(report.direct.memory_too_small); // pass more memory
/// assert_eq!(report.direct.newton_steps, 0);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DirectReport {
    /// Newton steps, each with a factorisation.
    pub newton_steps: u32,
    /// Interior-point steps, each with a factorisation.
    pub interior_steps: u32,
    /// Whether they were needed and their memory was too small.
    pub memory_too_small: bool,
}

impl DirectReport {
    pub(crate) fn append(&mut self, next: &Self) {
        self.newton_steps = self.newton_steps.saturating_add(next.newton_steps);
        self.interior_steps = self.interior_steps.saturating_add(next.interior_steps);
        self.memory_too_small |= next.memory_too_small;
    }
}

/// Use of the kept factor in a step, over all islands.
///
/// ```
/// # use stiction::{Pipeline, StepSettings, World};
/// # let (mut world, mut pipeline) = (World::<f64, 1>::new(), Pipeline::<f64, 1, 1>::new(StepSettings::default()));
/// let report = pipeline.step(&mut world, stiction::manifolds(&[]), 0.01)?;
/// assert_eq!(report.factor, stiction::FactorReport::default()); // no contact: no factor
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FactorReport {
    /// Factors that were made because contacts are new or changed.
    pub factors: u32,
    /// Corrections of all contacts of an island at once.
    pub corrections: u32,
    /// Contacts that began to stick, to slide or to open as the factor has it.
    pub changed: u32,
    /// Whether an island needed a factor and the memory was too small.
    pub memory_too_small: bool,
}

impl FactorReport {
    pub(crate) const EMPTY: Self = FactorReport { factors: 0, corrections: 0, changed: 0, memory_too_small: false };

    pub(crate) fn append(&mut self, next: &Self) {
        self.factors = self.factors.saturating_add(next.factors);
        self.corrections = self.corrections.saturating_add(next.corrections);
        self.changed = self.changed.saturating_add(next.changed);
        self.memory_too_small |= next.memory_too_small;
    }
}

/// Distance from solved; formula: [`sweep::residual`](crate::sweep::residual).
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 3.0, -0.5), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::Settings;
/// let rough = Settings { tolerance: 1e-3, ..Settings::default() };
/// let report = solver.solve(&mut bodies, &contacts, &rough, 1.0 / 60.0)?;
/// let residual = report.residual;
/// assert!(residual.is_below(1e-3));
/// assert!(residual.cone <= 1e-12); // no more friction than Coulomb allows, N s
/// assert!(residual.closing_speed <= 1e-3 * residual.scale); // no contact closes faster, m/s
/// assert_eq!(residual.worst_contact, Some(0)); // where to look first
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Residual<T> {
    /// Natural map over all contacts, relative to `scale`.
    pub natural: T,
    /// The speed that `natural` is relative to, m/s.
    pub scale: T,
    /// Worst closing speed left, m/s.
    pub closing_speed: T,
    /// Worst excess of a friction impulse over its cone, N s.
    pub cone: T,
    /// The contact with the largest share of `natural`; none without contacts.
    pub worst_contact: Option<usize>,
    /// Closing speeds up to `closing_floor + tolerance · speed` count as zero.
    pub(crate) closing_floor: T,
    pub(crate) speed: T,
}

impl<T: Real> Residual<T> {
    /// The residual of a problem without contacts.
    pub(crate) const SOLVED: Self = Residual {
        natural: T::ZERO,
        scale: T::ZERO,
        closing_speed: T::ZERO,
        cone: T::ZERO,
        worst_contact: None,
        closing_floor: T::ZERO,
        speed: T::ZERO,
    };

    /// Distance from solved as one number: below a tolerance exactly if [`Residual::is_below`] holds, except at
    /// equality.
    pub fn worst(&self) -> T {
        let beyond = positive_part(self.closing_speed - self.closing_floor);
        if beyond > T::ZERO && self.speed > T::ZERO { larger(self.natural, beyond / self.speed) } else { self.natural }
    }

    /// Whether this counts as solved: the natural map below the tolerance, and no contact approaching beyond it.
    ///
    /// The first does not imply the second: with a very large friction coefficient the cone contains nearly all
    /// impulses, and relative to large impulses that cancel each other any speed is small.
    pub fn is_below(&self, tolerance: T) -> bool {
        self.natural < tolerance && self.closing_speed <= self.max_closing_speed(tolerance)
    }

    /// The closing speed up to which a problem counts as solved, m/s.
    pub(crate) fn max_closing_speed(&self, tolerance: T) -> T {
        tolerance * self.speed + self.closing_floor
    }
}

/// Summary of one solve.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(1.0, 0.0, -0.2), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{Settings, Status};
/// // 1 kg at 1 m/s touches down at 0.2 m/s on ground with μ = 0.5: friction takes 0.1 m/s.
/// let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
/// assert_eq!(report.status, Status::Converged);
/// assert!((report.energy_before - 0.52).abs() < 1e-9 && (report.energy_after - 0.405).abs() < 1e-9);
/// assert!((report.friction_work + 0.095).abs() < 1e-9); // the rest, 0.02 J, went into the ground
/// assert!((report.energy_before + report.contact_work - report.energy_after).abs() < 1e-9);
/// assert!(!report.passivity_guard);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Report<T> {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps of the contact phase.
    pub sweeps: u32,
    /// Use of direct methods in the contact phase.
    pub direct: DirectReport,
    /// Sweeps of the bounce, over normals alone.
    pub bounce_sweeps: u32,
    /// Largest difference between the separation speed that restitution requires and the one that the bounce reached,
    /// m/s.
    pub bounce_missing: T,
    /// Whether the bounce made no progress and was discarded: no contact bounced.
    pub bounce_dropped: bool,
    /// Distance from solved of the returned answer.
    pub residual: Residual<T>,
    /// Kinetic energy before, J.
    pub energy_before: T,
    /// Kinetic energy after, J.
    pub energy_after: T,
    /// Energy change by the bounce, `½ p·(u⁰ + u¹)`, J.
    pub bounce_work: T,
    /// Energy change by the contact phase, J, including the work of immovable bodies that have a velocity.
    pub contact_work: T,
    /// The part of `contact_work` that friction did, J.
    pub friction_work: T,
    /// The part of `contact_work` that the bias added to correct penetration, J; 0 without bias.
    pub bias_work: T,
    /// Whether the passivity guard scaled an impulse down.
    pub passivity_guard: bool,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
}

impl<T: Real> Report<T> {
    /// A report of no contacts.
    pub(crate) const EMPTY: Self = Report {
        status: Status::Converged,
        method: Method::ActiveSet,
        sweeps: 0,
        direct: DirectReport { newton_steps: 0, interior_steps: 0, memory_too_small: false },
        bounce_sweeps: 0,
        bounce_missing: T::ZERO,
        bounce_dropped: false,
        residual: Residual::SOLVED,
        energy_before: T::ZERO,
        energy_after: T::ZERO,
        bounce_work: T::ZERO,
        contact_work: T::ZERO,
        friction_work: T::ZERO,
        bias_work: T::ZERO,
        safe_blocks: 0,
        passivity_guard: false,
    };

    /// Adds the report of one more island: the worst status; the method and residual of the island with the largest
    /// residual, but the worst closing speed and cone excess of all; the most sweeps of any; sums of energies and work.
    pub fn append(&mut self, island: &Self) {
        let Residual { closing_speed: approach, cone, .. } = self.residual;
        if self.residual.worst_contact.is_none() || island.residual.natural > self.residual.natural {
            (self.method, self.residual) = (island.method, island.residual);
        }
        self.residual.closing_speed = larger(approach, island.residual.closing_speed);
        self.residual.cone = larger(cone, island.residual.cone);
        self.status = self.status.or_worse(island.status);
        self.direct.append(&island.direct);
        self.sweeps = if island.sweeps > self.sweeps { island.sweeps } else { self.sweeps };
        let bounce_sweeps = [self.bounce_sweeps, island.bounce_sweeps];
        self.bounce_sweeps = if bounce_sweeps[1] > bounce_sweeps[0] { bounce_sweeps[1] } else { bounce_sweeps[0] };
        self.bounce_missing = larger(self.bounce_missing, island.bounce_missing);
        self.bounce_dropped |= island.bounce_dropped;
        self.passivity_guard |= island.passivity_guard;
        self.energy_before += island.energy_before;
        self.energy_after += island.energy_after;
        self.bounce_work += island.bounce_work;
        self.contact_work += island.contact_work;
        self.friction_work += island.friction_work;
        self.bias_work += island.bias_work;
        self.safe_blocks = self.safe_blocks.saturating_add(island.safe_blocks);
    }
}

/// State of a contact at the end of a solve, read from its impulse.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// use stiction::ContactState;
/// // 1 kg lands at 1 m/s, moving sideways at the same speed: to stop it, friction needs μ ≥ 1.
/// for (mu, upwards, expected) in
///     [(1.5, -1.0, ContactState::Stick), (0.5, -1.0, ContactState::Slide), (0.5, 1.0, ContactState::Open)]
/// {
/// #     let mut bodies = Bodies::<f64, 2>::new();
/// #     bodies.push(Body::fixed())?;
/// #     let linear_velocity = Vector3::new(1.0, 0.0, upwards);
/// #     bodies.push(Body { linear_velocity, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// #     let mut contacts = Contacts::<f64, 1>::new();
/// #     contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), mu))?;
/// #     let mut solver = Solver::<f64, 2, 1>::new();
///     solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
///     assert_eq!(solver.contact(0).unwrap().state, expected);
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ContactState {
    /// Carries no impulse.
    Open,
    /// Friction is inside its cone.
    Stick,
    /// Friction is on the rim of its cone; every frictionless contact that carries an impulse counts here.
    Slide,
}

/// A contact's part in the answer.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(4.0, 0.0, -2.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let touch = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.1);
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact { restitution: 0.5, ..touch })?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// // 1 kg arrives at 2 m/s and leaves at 1 m/s: 3 N s in all. Friction with μ = 0.1 takes a tenth of that.
/// solver.solve(&mut bodies, &contacts, &Default::default(), 1.0 / 60.0)?;
/// let outcome = solver.contact(0).unwrap();
/// assert!((outcome.bounce_impulse + outcome.normal_impulse - 3.0).abs() < 1e-9);
/// assert!((outcome.tangent_impulse - Vector3::new(-0.3, 0.0, 0.0)).norm() < 1e-9);
/// assert!(solver.contact(1).is_none());
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactOutcome<T> {
    /// Normal impulse of the bounce, N s.
    pub bounce_impulse: T,
    /// Normal impulse of the contact phase, N s. The total is the sum of the two.
    pub normal_impulse: T,
    /// Friction impulse on B as a world vector, N s.
    pub tangent_impulse: Vector3<T>,
    /// State of the contact.
    pub state: ContactState,
}
