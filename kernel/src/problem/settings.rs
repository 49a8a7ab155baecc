//! Settings of a solve. They are checked once before it and constant during it.
use crate::math::real::Real;
use crate::problem::error::{InputError, InputField, validate_range};

/// Sweeps before a direct method, with `MethodChoice::Auto` and with `MethodChoice::Direct`. Contacts with moments
/// couple more strongly, and their visits take longer: fewer sweeps.
const SWEEPS_FIRST: u32 = 30;
const SWEEPS_FIRST_WITH_MOMENTS: u32 = 12;
const FEW_SWEEPS_FIRST: u32 = 8;

/// How one contact is solved while the others hold still (see `local`).
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// use stiction::{LocalRule, Settings};
/// // A normal impulse of 1 N s under a fast slide along a tangent: the box rule applies 1/√2 of the cone's friction.
/// for (local, friction) in [(LocalRule::Exact, 0.5), (LocalRule::Box, 0.5 / 2.0_f64.sqrt())] {
/// #     let mut bodies = Bodies::<f64, 2>::new();
/// #     bodies.push(Body::fixed())?;
/// #     let linear_velocity = Vector3::new(9.0, 0.0, -1.0);
/// #     bodies.push(Body { linear_velocity, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// #     let mut contacts = Contacts::<f64, 1>::new();
/// #     contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// #     let mut solver = Solver::<f64, 2, 1>::new();
///     solver.solve(&mut bodies, &contacts, &Settings { local, ..Settings::default() }, 1.0 / 60.0)?;
///     assert!((solver.contact(0).unwrap().tangent_impulse.norm() - friction).abs() < 1e-9);
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
///
/// A contact with torsion or rolling always has the exact rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LocalRule {
    /// The Coulomb problem itself, by its secular equation.
    #[default]
    Exact,
    /// Projection, then the normal impulse again with the friction held.
    HoldAndResolve,
    /// Full solve, tangent scaled back into the cone. Not passive by itself and wrong while sliding; for comparison.
    Projection,
    /// Row by row, each tangent within ±μ x_n/√2.
    Box,
}

/// How the bounce treats contacts that hit at once.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// use stiction::{BounceMode, Settings};
/// // A plank falls flat on two posts: taken together they send it back level, one after the other they make it spin.
/// for (bounce, level) in [(BounceMode::Together, true), (BounceMode::Sequential, false)] {
/// #     let mut bodies = Bodies::<f64, 2>::new();
/// #     bodies.push(Body::fixed())?;
/// #     let linear_velocity = Vector3::new(0.0, 0.0, -2.0);
/// #     bodies.push(Body { linear_velocity, ..Body::from_mass(1.0, Matrix3::identity() * 0.5) })?;
/// #     let mut contacts = Contacts::<f64, 2>::new();
/// #     for x in [-1.0, 1.0] {
/// #         let post = Vector3::new(x, 0.0, 0.0);
/// #         contacts.push(Contact { restitution: 1.0, ..Contact::new(0, 1, Vector3::z(), post, post, 0.0) })?;
/// #     }
/// #     let mut solver = Solver::<f64, 2, 2>::new();
///     solver.solve(&mut bodies, &contacts, &Settings { bounce, ..Settings::default() }, 1.0 / 60.0)?;
///     assert_eq!(bodies.angular_velocities()[1].norm() < 1e-9, level);
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum BounceMode {
    /// All normals as one problem; independent of contact order.
    #[default]
    Together,
    /// One pass over the bouncing contacts in order; cheap and order-dependent.
    Sequential,
}

/// The order in which sweeps visit contacts.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let down = Vector3::new(0.0, 0.0, -1.0);
/// # let mut bodies = Bodies::<f64, 3>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(0.5, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 2>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # contacts.push(Contact::new(1, 2, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 3, 2>::new();
/// use stiction::{Settings, SweepOrder};
/// // The order affects how fast sweeps converge, not the answer.
/// let mut again = bodies.clone();
/// let forward = Settings { order: SweepOrder::Forward, sweeps: 1000, ..Settings::default() };
/// let alternating = Settings { order: SweepOrder::Alternating, ..forward };
/// solver.solve(&mut bodies, &contacts, &forward, 1.0 / 60.0)?;
/// solver.solve(&mut again, &contacts, &alternating, 1.0 / 60.0)?;
/// assert!((bodies.linear_velocities()[2] - again.linear_velocities()[2]).norm() < 1e-6);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SweepOrder {
    /// First to last, then last to first, and so on.
    #[default]
    Alternating,
    /// Always first to last.
    Forward,
    /// In islands of 64 contacts or more, first to last by colours: contacts of one colour share no movable body, so
    /// that many can be visited at once (see [`Hooks::lanes`](crate::Hooks::lanes)). A sweep reduces the error less than
    /// in forward order, and takes less time. Smaller islands, and problems that are given by their matrix, are swept
    /// forward. Steps of a simulation order their contacts by colours anyway.
    Colours,
}

/// Which methods may solve a contact phase with friction.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let down = Vector3::new(0.0, 0.0, -1.0);
/// # let mut bodies = Bodies::<f64, 3>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(0.1, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 2>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # contacts.push(Contact::new(1, 2, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 3, 2>::new();
/// use stiction::{MethodChoice, Settings, Status};
/// // A controller that must always do the same work: ten sweeps, no more, no fewer, and no tolerance to end them.
/// let settings = Settings { method: MethodChoice::Sweeps, sweeps: 10, tolerance: 0.0, ..Settings::default() };
/// let report = solver.solve(&mut bodies, &contacts, &settings, 1.0 / 60.0)?;
/// assert_eq!((report.sweeps, report.status), (10, Status::SweepLimit));
/// assert!(report.energy_after <= report.energy_before);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MethodChoice {
    /// Plain sweeps, and a direct method where the caller passes memory for one and thirty sweeps (twelve with moments)
    /// did not suffice. With tolerance 0, which requests a fixed number of sweeps, sweeps only.
    #[default]
    Auto,
    /// Plain sweeps only; a step does without its kept factor.
    Sweeps,
    /// Sweeps, accelerated where they converge slowly. On problems with a cold start the error after the same number of
    /// sweeps is smaller by orders of magnitude.
    Accelerated,
    /// A direct method after eight sweeps where the caller passes memory for one, and accelerated sweeps.
    Direct,
}

/// How penetration is corrected.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 0.0, 0.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let touch = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5);
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact { depth: 0.03, ..touch })?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{Settings, PositionCorrection};
/// // 3 cm deep, 1 cm is not corrected, a fifth of the rest is corrected in a step of 1/60 s: 0.24 m/s.
/// let split = Settings { position_correction: PositionCorrection::SplitImpulse, ..Settings::default() };
/// solver.solve(&mut bodies, &contacts, &split, 1.0 / 60.0)?;
/// assert!((solver.position_correction(1).unwrap().linear.z - 0.24).abs() < 1e-9);
/// assert!(bodies.kinetic_energy() < 1e-12); // it moves the body once and leaves no speed
/// let bias = Settings { position_correction: PositionCorrection::Bias, ..split };
/// let report = solver.solve(&mut bodies, &contacts, &bias, 1.0 / 60.0)?;
/// assert!(report.bias_work > 0.0 && bodies.kinetic_energy() > 0.0);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum PositionCorrection {
    /// Penetration is not corrected. The default of [`Settings`].
    #[default]
    None,
    /// By a second velocity that moves bodies apart and never becomes kinetic energy. With a bare solver the caller
    /// moves them: see [`Solver::position_correction`](crate::Solver::position_correction). The default of a
    /// [`Pipeline`](crate::Pipeline), which corrects positions in its substeps instead.
    SplitImpulse,
    /// By a target separation speed in the contact phase. Adds energy: at most the work of that bias. If a body is
    /// squeezed between two contacts, their targets contradict each other: the solve does not converge, reports it, and
    /// the result depends on contact order. Split impulse then leaves the body where it is.
    Bias,
}

/// Settings of a solve, in SI units. The default tolerance is 1e-9 in `f64` and 1e-5 in `f32`.
///
/// ```
/// let settings = stiction::Settings::<f32> { sweeps: 10, ..Default::default() };
/// assert!(settings.validate().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settings<T> {
    /// Which methods may be used.
    pub method: MethodChoice,
    /// How one contact is solved.
    pub local: LocalRule,
    /// How contacts that hit at once bounce.
    pub bounce: BounceMode,
    /// The order of plain sweeps; accelerated ones go forward.
    pub order: SweepOrder,
    /// Fraction of each local step taken, between 0 and 2; 1 is plain Gauss–Seidel.
    pub relaxation: T,
    /// The same for accelerated sweeps.
    pub accelerated_relaxation: T,
    /// Maximum number of sweeps of the contact phase.
    pub sweeps: u32,
    /// Maximum number of factorisations of direct methods in an island; 0 disables them.
    pub factorisations: u32,
    /// Minimum number of sweeps, even if the start is below the tolerance; `sweeps` and `should_stop` still limit it.
    pub min_sweeps: u32,
    /// Maximum number of sweeps of the bounce and of the split impulse, which use normals only.
    pub normal_sweeps: u32,
    /// The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    pub tolerance: T,
    /// Closing speed above which a contact bounces, m/s.
    pub restitution_threshold: T,
    /// How penetration is corrected.
    pub position_correction: PositionCorrection,
    /// Fraction of the penetration corrected in a step.
    pub error_reduction: T,
    /// Penetration that is not corrected, m.
    pub slop: T,
    /// Largest speed at which penetration is corrected, m/s.
    pub max_correction_speed: T,
}

impl<T: Real> Default for Settings<T> {
    fn default() -> Self {
        Settings {
            method: MethodChoice::Auto,
            local: LocalRule::Exact,
            bounce: BounceMode::Together,
            order: SweepOrder::Alternating,
            relaxation: T::ONE,
            accelerated_relaxation: T::lit(0.7),
            sweeps: 50,
            factorisations: 1000,
            min_sweeps: 0,
            normal_sweeps: 1000,
            tolerance: T::DEFAULT_TOLERANCE,
            restitution_threshold: T::HALF,
            position_correction: PositionCorrection::None,
            error_reduction: T::lit(0.2),
            slop: T::lit(0.01),
            max_correction_speed: T::lit(3.0),
        }
    }
}

/// Validates a time step, in s.
pub(crate) fn validate_dt<T: Real>(dt: T) -> Result<(), InputError<T>> {
    validate_range(dt, T::lit(1e-9), T::lit(1e6), |kind| InputError { field: InputField::Dt, kind })
}

/// A setting with the range that it must be in.
struct Ranged<T> {
    name: &'static str,
    value: T,
    min: T,
    max: T,
}

#[inline(never)]
fn validate_one<T: Real>(setting: Ranged<T>) -> Result<(), InputError<T>> {
    let Ranged { name, value, min, max } = setting;
    validate_range(value, min, max, |kind| InputError::setting(name, kind))
}

impl<T: Real> Settings<T> {
    /// Validates all settings.
    pub fn validate(&self) -> Result<(), InputError<T>> {
        (0..u32::from(u8::MAX)).map_while(|index| self.range(index)).try_for_each(validate_one)
    }

    /// The `index`-th ranged setting; `None` past the last. One at a time: a table of all would be on the stack.
    #[inline(never)]
    fn range(&self, index: u32) -> Option<Ranged<T>> {
        let (zero, epsilon) = (T::ZERO, T::EPSILON);
        let (name, value, min, max) = match index {
            0 => ("relaxation", self.relaxation, epsilon, T::lit(2.0) - epsilon),
            1 => ("tolerance", self.tolerance, zero, T::ONE),
            2 => ("restitution_threshold", self.restitution_threshold, zero, T::LINEAR_SPEED_LIMIT),
            3 => ("error_reduction", self.error_reduction, zero, T::ONE),
            4 => ("accelerated_relaxation", self.accelerated_relaxation, epsilon, T::lit(2.0) - epsilon),
            5 => ("slop", self.slop, zero, T::LENGTH_LIMIT),
            6 => ("max_correction_speed", self.max_correction_speed, zero, T::LINEAR_SPEED_LIMIT),
            _ => return None,
        };
        Some(Ranged { name, value, min, max })
    }

    /// The sweeps of a contact phase after which direct methods begin, where the solve has memory for them; `None` if it
    /// never uses it. `has_moments`: whether a contact resists twisting or rolling. A solve that ends earlier has the same
    /// bits without memory.
    ///
    /// ```
    /// use stiction::{MethodChoice, Settings};
    /// let settings = Settings::<f32>::default();
    /// assert_eq!(settings.sweeps_before_direct(false), Some(30));
    /// let swept = Settings { method: MethodChoice::Sweeps, ..settings };
    /// assert_eq!(swept.sweeps_before_direct(false), None);
    /// ```
    #[inline(always)]
    pub fn sweeps_before_direct(&self, has_moments: bool) -> Option<u32> {
        // Direct methods solve the exact problem, which the other local rules do not.
        if self.sweeps == 0 || self.local != LocalRule::Exact {
            return None;
        }
        let first = match self.method {
            MethodChoice::Auto if self.tolerance > T::ZERO && has_moments => SWEEPS_FIRST_WITH_MOMENTS,
            MethodChoice::Auto if self.tolerance > T::ZERO => SWEEPS_FIRST,
            MethodChoice::Direct => FEW_SWEEPS_FIRST,
            _ => return None,
        };
        Some(if first < self.sweeps { first } else { self.sweeps })
    }

    /// Minimum normal velocity of a contact of `depth` metres, m/s: a gap may close within the step.
    pub(crate) fn min_normal_velocity(depth: T, dt: T) -> T {
        if depth < T::ZERO { depth / dt } else { T::ZERO }
    }

    /// Target normal velocity of a contact of `depth` metres in the contact phase, m/s: zero, the closing of a gap, or
    /// the bias.
    #[inline(never)]
    pub(crate) fn contact_speed(&self, depth: T, dt: T) -> T {
        let corrects = self.position_correction == PositionCorrection::Bias && depth > T::ZERO;
        if corrects { self.correction_speed(depth, dt) } else { Self::min_normal_velocity(depth, dt) }
    }

    /// Speed at which a penetration of `depth` metres is corrected, m/s.
    #[inline(never)]
    pub(crate) fn correction_speed(&self, depth: T, dt: T) -> T {
        let excess = crate::math::real::positive_part(depth - self.slop);
        crate::math::real::smaller(excess * self.error_reduction / dt, self.max_correction_speed)
    }
}
