//! Settings of a step.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::error::{ErrorKind, InputError, validate_range, validate_vector};
use crate::problem::settings::{PositionCorrection, Settings, validate_dt};

/// Gap up to which a manifold's point is a contact, as a fraction of a body's smallest extent.
const CONTACT_MARGIN: f64 = 0.01;

/// Substeps of a step of 1/60 s: with eight, everything stands that we tried except tall towers of cards.
const SUBSTEPS: u32 = 8;
/// Softness of contacts: the part of a penetration that a substep corrects. More makes tall stacks unstable, less lets
/// structures on thin legs sway.
const ERROR_REDUCTION: f64 = 1.0 / 17.0;

/// Penetration that is not corrected, as a fraction of a body's smallest extent: rounding of positions is not chased.
const SLOP: f64 = 1e-5;

/// Settings of a step, in SI units.
///
/// Its solver's settings are those of a bare solve, with these meanings: `sweeps`, by default 1, is the limit for each
/// substep; islands of few contacts may have more. `error_reduction` is the part of a penetration that a substep
/// corrects, and the softness of contacts; every position correction but `None` is the same here. The first pass of a
/// substep goes forward without relaxation; `order`, `relaxation`, `method` and `min_sweeps` are those of the sweeps
/// after it, if there are any.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Pipeline, RigidBody, StepSettings, World};
/// // A stone falls on the moon for a second, in one step of four parts.
/// let moon = StepSettings { gravity: Vector3::new(0.0, 0.0, -1.62), substeps: 4, ..StepSettings::default() };
/// let mut world = World::<f64, 1>::new();
/// let stone = world.push(RigidBody::from_mass(1.0, Matrix3::identity()))?;
/// let mut pipeline = Pipeline::<f64, 1, 1>::new(moon);
/// pipeline.step(&mut world, stiction::manifolds(&[]), 1.0)?;
/// assert!((world.positions()[stone].z + 0.81).abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings<T> {
    /// Gravity, m/s²; by default 9.81 down along z.
    pub gravity: Vector3<T>,
    /// Number of equal parts of a step, 1 to 1000. The default is for a step of 1/60 s; 1 or 2 are enough for one of
    /// 1 ms.
    pub substeps: u32,
    /// Gap up to which a manifold's point is a contact, m. Points that come closer within the step are contacts, too.
    /// A gap may close within the step, but no further.
    pub contact_margin: T,
    /// Size of a cell of the contact cache, m: a contact point without a feature id is recognised if it moved by two
    /// cells at most.
    pub cache_cell: T,
    /// Settings of the solves in a step.
    pub solver: Settings<T>,
}

impl<T: Real> Default for StepSettings<T> {
    fn default() -> Self {
        Self::for_length(T::ONE)
    }
}

impl<T: Real> StepSettings<T> {
    /// Settings for bodies whose smallest extent is `length` metres: all lengths are fractions of it. The default is
    /// for a metre. Speeds do not follow from a length; see [`Settings::restitution_threshold`] and
    /// [`Settings::max_correction_speed`].
    ///
    /// ```
    /// let settings = stiction::StepSettings::<f64>::for_length(0.02); // dice of 2 cm
    /// assert_eq!((settings.contact_margin, settings.cache_cell), (0.0002, 0.0001));
    /// ```
    pub fn for_length(length: T) -> Self {
        let solver = Settings {
            sweeps: 1,
            position_correction: PositionCorrection::SplitImpulse,
            error_reduction: T::lit(ERROR_REDUCTION),
            slop: T::lit(SLOP) * length,
            ..Settings::default()
        };
        StepSettings {
            gravity: Vector3::new(T::ZERO, T::ZERO, T::lit(-9.81)),
            substeps: SUBSTEPS,
            contact_margin: T::lit(CONTACT_MARGIN) * length,
            cache_cell: T::lit(0.005) * length,
            solver,
        }
    }

    /// Validates the settings for a step of `dt` seconds; returns the length of its substeps.
    pub(crate) fn validate(&self, dt: T) -> Result<T, InputError<T>> {
        let field = |name| move |kind| InputError::setting(name, kind);
        validate_vector(&self.gravity, T::LINEAR_SPEED_LIMIT, field("gravity"))?;
        validate_range(self.contact_margin, T::ZERO, T::LENGTH_LIMIT, field("contact_margin"))?;
        validate_range(self.cache_cell, T::lit(1e-9), T::LENGTH_LIMIT, field("cache_cell"))?;
        let substeps = i16::try_from(self.substeps).ok().filter(|n| (1..=1000).contains(n));
        let Some(substeps) = substeps else {
            return Err(InputError::setting("substeps", ErrorKind::OutOfRange { min: 1, max: 1000 }));
        };
        let substep = dt / T::integer(substeps);
        validate_dt(substep)?;
        self.solver.validate()?;
        Ok(substep)
    }
}
