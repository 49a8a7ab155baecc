//! Error codes for C, and the description of a rejected input.

use core::ffi::c_char;

use stiction::{ErrorKind, InputField, Real};

/// Result of a call. 0 is success. Every other value is an error; then nothing was written except the description of
/// the error.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// Success.
    Ok = 0,
    /// A required pointer is null.
    NullPointer = 1,
    /// A pointer is not aligned for its type, or memory for an object is not aligned to STICTION_ALIGNMENT bytes.
    Misaligned = 2,
    /// A stride is shorter than an element, or not a multiple of the alignment of its numbers.
    BadStride = 3,
    /// A count times a stride exceeds the address space.
    TooLarge = 4,
    /// The memory for an object is smaller than its size.
    MemoryTooSmall = 5,
    /// No compiled capacity is large enough.
    NoCapacity = 6,
    /// The handle is of another kind or precision, or was never initialised.
    NotInitialised = 7,
    /// The object is in use: called from within one of its own callbacks.
    Busy = 8,
    /// A choice is not a value of its enumeration.
    BadChoice = 9,
    /// Saved bytes are truncated, damaged, of another version or precision, or too many for this object.
    BadBytes = 10,
    /// The collision-detection callback returned false.
    CallbackFailed = 11,
    /// Something that only a solver or pipeline with moments can do: friction beyond sliding, an answer about it,
    /// or contacts that were saved with it.
    WithoutMoments = 12,
    /// Something that only a pipeline with joints can do: joints, or contacts that were saved with them.
    WithoutJoints = 13,
    /// Infinite or NaN.
    NotFinite = 32,
    /// Below the smallest accepted value, which is in `limit`.
    BelowLimit = 33,
    /// Above the largest accepted value, which is in `limit`.
    AboveLimit = 34,
    /// A count outside its range.
    OutOfRange = 35,
    /// A direction or quaternion whose length is not 1 within 1e-3.
    NotUnit = 36,
    /// A matrix that is not symmetric within 1e-6 of its largest entry.
    NotSymmetric = 37,
    /// A matrix with a negative eigenvalue.
    NotPositiveSemidefinite = 38,
    /// An inverse inertia on a body of inverse mass 0, which cannot move.
    InertiaWithoutMass = 39,
    /// A contact or a joint of a body with itself.
    SameBody = 40,
    /// The index of a body that does not exist.
    NoSuchBody = 41,
    /// The index of a contact that does not exist.
    NoSuchContact = 42,
    /// A contact or a joint between two bodies that cannot move.
    NothingMoves = 43,
    /// More than the capacity, which is in `limit`.
    Full = 44,
    /// An array whose length does not match the others.
    WrongLength = 45,
    /// A block-row start or column that is out of order or out of range.
    BadStructure = 46,
    /// A block row without its own diagonal block.
    NoDiagonalBlock = 47,
    /// A direction that has no part at right angles to the normal.
    AlongTheNormal = 48,
    /// The index of a joint that does not exist.
    NoSuchJoint = 49,
    /// A lower limit, which is in `value`, above the upper one, which is in `limit`.
    LimitsCrossed = 50,
    /// Rejected for a reason that this interface has no code for.
    Other = 255,
}

/// Which input was rejected.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// An argument of the call.
    Argument = 0,
    /// A body.
    Body = 1,
    /// A contact, or a point of a manifold.
    Contact = 2,
    /// A setting.
    Setting = 3,
    /// An array of a Delassus problem.
    Delassus = 4,
    /// A joint.
    Joint = 5,
}

/// Bytes for the name of a field, including the terminating zero.
pub const FIELD_BYTES: usize = 48;

/// The rejected input, and the reason.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct InputError<T> {
    /// The reason: one of StictionError.
    pub error: u32,
    /// Which kind of input: one of StictionInputKind.
    pub input: u32,
    /// Its index, from 0.
    pub index: usize,
    /// Name of the field or argument, terminated by a zero; empty if the error concerns the whole object.
    pub field: [c_char; FIELD_BYTES],
    /// The rejected value, where there is one.
    pub value: T,
    /// The limit that it exceeds, where there is one.
    pub limit: T,
}

/// An error in an argument itself, found before its numbers are read.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The reason.
    pub error: Error,
    /// The argument.
    pub field: &'static str,
    input: InputKind,
    value: usize,
    limit: usize,
}

impl Fault {
    /// An error in an argument.
    pub fn new(error: Error, field: &'static str) -> Self {
        Fault { error, field, input: InputKind::Argument, value: 0, limit: 0 }
    }

    /// A setting that is not a value of its enumeration.
    pub fn choice(field: &'static str, value: u32) -> Self {
        Fault { input: InputKind::Setting, value: value as usize, ..Fault::new(Error::BadChoice, field) }
    }

    /// Views that need a solver with moments: the first that is not null, by its name.
    pub fn without_moments(views: &[(bool, &'static str)]) -> Self {
        let given = views.iter().find(|(is_null, _)| !is_null);
        Fault::new(Error::WithoutMoments, given.map_or("", |(_, field)| field))
    }

    /// More than the capacity.
    pub fn full(field: &'static str, value: usize, limit: usize) -> Self {
        Fault { value, limit, ..Fault::new(Error::Full, field) }
    }
}

/// Why a call failed: an invalid argument, or input that the kernel rejected.
#[derive(Debug, Clone, Copy)]
pub enum Ending<T> {
    /// An argument.
    Fault(Fault),
    /// The kernel rejected the input.
    Kernel(stiction::InputError<T>),
}

impl<T> From<Fault> for Ending<T> {
    fn from(fault: Fault) -> Self {
        Ending::Fault(fault)
    }
}

impl<T> From<stiction::InputError<T>> for Ending<T> {
    fn from(input_error: stiction::InputError<T>) -> Self {
        Ending::Kernel(input_error)
    }
}

impl<T: Real> Ending<T> {
    /// The error code.
    pub fn error(&self) -> Error {
        match self {
            Ending::Fault(fault) => fault.error,
            Ending::Kernel(input_error) => reason_of(&input_error.kind).0,
        }
    }

    /// The description for C.
    pub fn input_error(&self) -> InputError<T> {
        match self {
            Ending::Fault(fault) => InputError {
                error: fault.error as u32,
                input: fault.input as u32,
                index: 0,
                field: field_name(fault.field, b'.'),
                value: count(fault.value),
                limit: count(fault.limit),
            },
            Ending::Kernel(input_error) => of_kernel(input_error),
        }
    }
}

fn of_kernel<T: Real>(input_error: &stiction::InputError<T>) -> InputError<T> {
    let (input, index, field) = match input_error.field {
        InputField::Body(index, field) => (InputKind::Body, index, field),
        InputField::Contact(index, field) => (InputKind::Contact, index, field),
        InputField::Joint(index, field) => (InputKind::Joint, index, field),
        InputField::Setting(field) => (InputKind::Setting, 0, field),
        InputField::Dt => (InputKind::Argument, 0, "dt"),
        InputField::Delassus(array, index) => (InputKind::Delassus, index, array),
    };
    let (error, value, limit) = reason_of(&input_error.kind);
    InputError {
        error: error as u32,
        input: input as u32,
        index,
        field: field_name(name_in_c(input, field), if matches!(input, InputKind::Joint) { b'_' } else { b'.' }),
        value,
        limit,
    }
}

/// The name of a field in C.
fn name_in_c(input: InputKind, field: &'static str) -> &'static str {
    match (input, field) {
        (InputKind::Contact, "warm.normal_impulse") => "warm_normal_impulse",
        (InputKind::Contact, "warm.tangent_impulse") => "warm_tangent_impulse",
        (InputKind::Contact, "warm.moment") => "warm_moment",
        (InputKind::Contact, "material.restitution") | (InputKind::Body, "material.restitution") => "restitution",
        (InputKind::Body, "material.mu") => "mu",
        (InputKind::Body, "load.force") => "force",
        (InputKind::Body, "load.torque") => "torque",
        (InputKind::Delassus, "blocks") => "w",
        (InputKind::Delassus, "surfaces" | "surfaces.torsion") => "torsion",
        (InputKind::Delassus, "surfaces.rolling") => "rolling",
        _ => field,
    }
}

fn reason_of<T: Real>(reason: &ErrorKind<T>) -> (Error, T, T) {
    let zero = T::ZERO;
    match *reason {
        ErrorKind::NotFinite => (Error::NotFinite, zero, zero),
        ErrorKind::TooSmall { value, min } => (Error::BelowLimit, value, min),
        ErrorKind::TooLarge { value, max } => (Error::AboveLimit, value, max),
        ErrorKind::OutOfRange { max, .. } => (Error::OutOfRange, zero, count(max as usize)),
        ErrorKind::NotUnit { length } => (Error::NotUnit, length, T::ONE),
        ErrorKind::NotSymmetric => (Error::NotSymmetric, zero, zero),
        ErrorKind::NotPositiveSemidefinite => (Error::NotPositiveSemidefinite, zero, zero),
        ErrorKind::InertiaWithoutMass => (Error::InertiaWithoutMass, zero, zero),
        ErrorKind::SameBody => (Error::SameBody, zero, zero),
        ErrorKind::NoSuchBody { index, bodies } => (Error::NoSuchBody, count(index), count(bodies)),
        ErrorKind::NoSuchContact { contacts } => (Error::NoSuchContact, zero, count(contacts)),
        ErrorKind::NoSuchJoint { joints } => (Error::NoSuchJoint, zero, count(joints)),
        ErrorKind::LimitsCrossed { low, high } => (Error::LimitsCrossed, low, high),
        ErrorKind::NothingMoves => (Error::NothingMoves, zero, zero),
        ErrorKind::Full { capacity } => (Error::Full, zero, count(capacity)),
        ErrorKind::WrongLength { length, expected } => (Error::WrongLength, count(length), count(expected)),
        ErrorKind::BadStructure => (Error::BadStructure, zero, zero),
        ErrorKind::NoDiagonalBlock => (Error::NoDiagonalBlock, zero, zero),
        ErrorKind::AlongTheNormal => (Error::AlongTheNormal, zero, zero),
        _ => (Error::Other, zero, zero),
    }
}

/// A count as a floating-point number, saturated. It is assembled from 15-bit parts, so that no double-precision
/// conversion is linked into single precision.
fn count<T: Real>(value: usize) -> T {
    let value = if value > u32::MAX as usize { u32::MAX } else { value as u32 };
    let part = |shift: u32| T::integer(((value >> shift) & 0x7fff) as i16);
    let unit = T::integer(0x4000) * T::integer(2);
    (part(30) * unit + part(15)) * unit + part(0)
}

/// A name with its terminating zero, truncated to fit. Points become `point`: joints have `motor_speed` in C.
#[inline(never)]
fn field_name(name: &str, point: u8) -> [c_char; FIELD_BYTES] {
    let mut field = [0; FIELD_BYTES];
    for (to, from) in field.iter_mut().take(FIELD_BYTES - 1).zip(name.bytes()) {
        *to = if from == b'.' { point } else { from } as c_char;
    }
    field
}
