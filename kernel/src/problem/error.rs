//! Input errors: which field, and why. All validation happens on entry; later code cannot fail.
use core::fmt;

use nalgebra::Vector3;

use crate::math::real::Real;

/// A length this close to 1 counts as unit length, and an entry this close to its mirror image, relative to the
/// largest, as symmetric.
pub(crate) const UNIT_TOLERANCE: f64 = 1e-6;
/// A direction or quaternion whose length is this close to 1 is normalised on entry.
pub(crate) const NORMALISED_TOLERANCE: f64 = 1e-3;

/// An input that was rejected. The call has changed nothing.
///
/// ```
/// use nalgebra::Matrix3;
/// use stiction::{Bodies, Body, InputField, ErrorKind};
/// let mut bodies = Bodies::<f64, 2>::new();
/// bodies.push(Body::fixed()).unwrap();
/// let error = bodies.push(Body::from_inverse(-1.0, Matrix3::zeros())).unwrap_err();
/// assert_eq!(error.field, InputField::Body(1, "inverse_mass"));
/// assert_eq!(error.kind, ErrorKind::TooSmall { value: -1.0, min: 0.0 });
/// assert_eq!(error.to_string(), "bodies[1].inverse_mass: -1 is below 0");
/// assert_eq!(bodies.len(), 1); // no change
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InputError<T> {
    /// Which input.
    pub field: InputField,
    /// Why it was rejected.
    pub kind: ErrorKind<T>,
}

/// The input that was rejected. Indices count from zero.
///
/// ```
/// use stiction::{InputField, Settings};
/// let wrong = Settings { slop: f32::NAN, ..Settings::default() };
/// let field = wrong.validate().unwrap_err().field;
/// assert_eq!(field.to_string(), "settings.slop");
/// // An editor that marks the rejected input.
/// let mark = match field {
///     InputField::Body(index, _) => format!("body {index}"),
///     InputField::Contact(index, _) => format!("contact {index}"),
///     InputField::Joint(index, _) => format!("joint {index}"),
///     InputField::Setting(name) => name.to_string(),
///     InputField::Dt => "time step".to_string(),
///     InputField::Delassus(array, index) => format!("{array} at {index}"),
/// };
/// assert_eq!(mark, "slop");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum InputField {
    /// A field of a body; an empty name means the body as a whole.
    Body(usize, &'static str),
    /// A field of a contact; an empty name means the contact as a whole.
    Contact(usize, &'static str),
    /// A field of a joint; an empty name means the joint as a whole.
    Joint(usize, &'static str),
    /// A setting.
    Setting(&'static str),
    /// The time step.
    Dt,
    /// An array of a Delassus problem, at an index.
    Delassus(&'static str, usize),
}

/// Why an input was rejected.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::{Contact, Contacts, ErrorKind};
/// let mut contacts = Contacts::<f64, 1>::new();
/// let along = |normal| Contact { normal, mu: 0.5, ..Contact::default() };
/// let long = contacts.push(along(Vector3::new(0.0, 0.0, 2.0))).unwrap_err();
/// assert_eq!(long.kind, ErrorKind::NotUnit { length: 2.0 }); // the collision detector is wrong
/// contacts.push(along(Vector3::z())).unwrap();
/// let full = contacts.push(along(Vector3::z())).unwrap_err();
/// assert_eq!(full.kind, ErrorKind::Full { capacity: 1 }); // the type's capacity is too small
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorKind<T> {
    /// Infinite or NaN.
    NotFinite,
    /// Below the smallest accepted value.
    TooSmall {
        /// The rejected value.
        value: T,
        /// The smallest accepted value.
        min: T,
    },
    /// Above the largest accepted value.
    TooLarge {
        /// The rejected value.
        value: T,
        /// The largest accepted value.
        max: T,
    },
    /// A count outside its range.
    OutOfRange {
        /// The smallest accepted count.
        min: u32,
        /// The largest accepted count.
        max: u32,
    },
    /// A direction or quaternion whose length is not 1 within 1e-3.
    NotUnit {
        /// Its length.
        length: T,
    },
    /// Tangents that do not make a right-handed orthonormal frame with their normal within 1e-3.
    NotOrthonormal,
    /// A matrix that is not symmetric within 1e-6 of its largest entry.
    NotSymmetric,
    /// A matrix with a negative eigenvalue.
    NotPositiveSemidefinite,
    /// An inverse inertia on a body of inverse mass 0, which cannot move.
    InertiaWithoutMass,
    /// A contact or a joint of a body with itself.
    SameBody,
    /// A direction that must have a part across the normal is along it.
    AlongTheNormal,
    /// A body index with no body behind it.
    NoSuchBody {
        /// The index.
        index: usize,
        /// How many bodies there are.
        bodies: usize,
    },
    /// A contact index with no contact behind it.
    NoSuchContact {
        /// How many contacts there are.
        contacts: usize,
    },
    /// A contact or a joint between two bodies that cannot move.
    NothingMoves,
    /// A lower limit above the upper one.
    LimitsCrossed {
        /// The lower limit.
        low: T,
        /// The upper limit.
        high: T,
    },
    /// A joint index with no joint behind it.
    NoSuchJoint {
        /// How many joints there are.
        joints: usize,
    },
    /// The capacity is used up.
    Full {
        /// The capacity, fixed by the type.
        capacity: usize,
    },
    /// An array whose length does not fit the others.
    WrongLength {
        /// Its length.
        length: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A block-row pointer or column that is out of order or out of range.
    BadStructure,
    /// A block row without its own diagonal block.
    NoDiagonalBlock,
}

impl<T: Real> InputError<T> {
    pub(crate) fn body(index: usize, field: &'static str, kind: ErrorKind<T>) -> Self {
        InputError { field: InputField::Body(index, field), kind }
    }

    pub(crate) fn contact(index: usize, field: &'static str, kind: ErrorKind<T>) -> Self {
        InputError { field: InputField::Contact(index, field), kind }
    }

    pub(crate) fn joint(index: usize, field: &'static str, kind: ErrorKind<T>) -> Self {
        InputError { field: InputField::Joint(index, field), kind }
    }

    pub(crate) fn setting(field: &'static str, kind: ErrorKind<T>) -> Self {
        InputError { field: InputField::Setting(field), kind }
    }

    pub(crate) fn delassus(array: &'static str, index: usize, kind: ErrorKind<T>) -> Self {
        InputError { field: InputField::Delassus(array, index), kind }
    }
}

impl fmt::Display for InputField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputField::Body(index, "") => write!(f, "bodies[{index}]"),
            InputField::Body(index, field) => write!(f, "bodies[{index}].{field}"),
            InputField::Contact(index, "") => write!(f, "contacts[{index}]"),
            InputField::Contact(index, field) => write!(f, "contacts[{index}].{field}"),
            InputField::Joint(index, "") => write!(f, "joints[{index}]"),
            InputField::Joint(index, field) => write!(f, "joints[{index}].{field}"),
            InputField::Setting(field) => write!(f, "settings.{field}"),
            InputField::Dt => f.write_str("dt"),
            InputField::Delassus(array, index) => write!(f, "{array}[{index}]"),
        }
    }
}

impl<T: Real> fmt::Display for ErrorKind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::NotFinite => f.write_str("must be a finite number"),
            ErrorKind::TooSmall { value, min } => write!(f, "{value} is below {min}"),
            ErrorKind::TooLarge { value, max } => write!(f, "{value} is above {max}"),
            ErrorKind::OutOfRange { min, max } => write!(f, "must be {min} to {max}"),
            ErrorKind::NotUnit { length } => write!(f, "length {length}, must be 1 within {NORMALISED_TOLERANCE:e}"),
            ErrorKind::NotOrthonormal => f.write_str("must be orthonormal and right-handed"),
            ErrorKind::NotSymmetric => write!(f, "must be symmetric within {UNIT_TOLERANCE:e} of its largest entry"),
            ErrorKind::NotPositiveSemidefinite => f.write_str("must have no negative eigenvalue"),
            ErrorKind::InertiaWithoutMass => f.write_str("must be 0 where inverse_mass is 0"),
            ErrorKind::SameBody => f.write_str("is the same body as a"),
            ErrorKind::AlongTheNormal => f.write_str("must not be zero or along the normal"),
            ErrorKind::NoSuchBody { index, bodies } => write!(f, "body {index} does not exist, there are {bodies}"),
            ErrorKind::NoSuchContact { contacts } => write!(f, "does not exist, there are {contacts}"),
            ErrorKind::NothingMoves => f.write_str("neither body can move"),
            ErrorKind::LimitsCrossed { low, high } => write!(f, "the lower one, {low}, is above the upper one, {high}"),
            ErrorKind::NoSuchJoint { joints } => write!(f, "does not exist, there are {joints}"),
            ErrorKind::Full { capacity } => write!(f, "full, the capacity is {capacity}"),
            ErrorKind::WrongLength { length, expected } => write!(f, "length {length}, must be {expected}"),
            ErrorKind::BadStructure => f.write_str("out of order or out of range"),
            ErrorKind::NoDiagonalBlock => f.write_str("the diagonal block is missing"),
        }
    }
}

impl<T: Real> fmt::Display for InputError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.kind)
    }
}

impl<T: Real> core::error::Error for InputError<T> {}

/// Rejects a vector with a component that is not finite or larger than `max`.
#[inline(always)]
pub(crate) fn validate_vector<T: Real>(
    vector: &Vector3<T>,
    max: T,
    reject: impl Fn(ErrorKind<T>) -> InputError<T>,
) -> Result<(), InputError<T>> {
    if is_within(vector, max) {
        return Ok(());
    }
    flaw_of_vector(vector, max).map_or(Ok(()), |reason| Err(reject(reason)))
}

/// Rejects a number outside `min..=max`.
#[inline(always)]
pub(crate) fn validate_range<T: Real>(
    value: T,
    min: T,
    max: T,
    reject: impl Fn(ErrorKind<T>) -> InputError<T>,
) -> Result<(), InputError<T>> {
    if value >= min && value <= max {
        return Ok(());
    }
    flaw_of_number(value, min, max).map_or(Ok(()), |reason| Err(reject(reason)))
}

/// Whether every component is within a limit. NaN is not.
#[inline(always)]
pub(crate) fn is_within<T: Real>(vector: &Vector3<T>, max: T) -> bool {
    (vector.x.abs() <= max) & (vector.y.abs() <= max) & (vector.z.abs() <= max)
}

/// The first invalid component of a vector.
#[cold]
pub(crate) fn flaw_of_vector<T: Real>(vector: &Vector3<T>, max: T) -> Option<ErrorKind<T>> {
    vector.iter().find_map(|value| flaw_of_number(value.abs(), T::ZERO, max))
}

#[cold]
pub(crate) fn flaw_of_number<T: Real>(value: T, min: T, max: T) -> Option<ErrorKind<T>> {
    if !value.is_finite() {
        Some(ErrorKind::NotFinite)
    } else if value < min {
        Some(ErrorKind::TooSmall { value, min })
    } else if value > max {
        Some(ErrorKind::TooLarge { value, max })
    } else {
        None
    }
}
