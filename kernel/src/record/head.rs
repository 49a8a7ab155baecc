//! What blocks share: the head of their inputs, and what can be wrong with them.
use crate::problem::conditions::{DirectSize, IslandMode, SolveConditions};
use crate::record::bytes::{Cursor, Ended};
use crate::record::format::{VERSION, WITH_JOINTS, WITH_SURFACES};

/// Why bytes cannot be read as a dump.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(1.0, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::IslandMode;
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, stiction::Hooks::with_observer(&mut recorder))?;
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::record::{DumpError, blocks};
/// assert!(blocks(dump).all(|block| block.is_ok()));
/// // The connection lost the last bytes.
/// assert_eq!(blocks(&dump[..length - 1]).last().unwrap().unwrap_err(), DumpError::Truncated);
/// // The connection changed one byte.
/// dump[60] ^= 1;
/// assert_eq!(blocks(dump).next().unwrap().unwrap_err(), DumpError::Checksum);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum DumpError {
    /// A block does not begin with `STFR`.
    NotABlock,
    /// A version that this build does not read.
    UnknownVersion(u8),
    /// A kind, scalar size or choice that does not exist.
    BadValue,
    /// The bytes end within a block.
    Truncated,
    /// The bytes are not those that were written.
    Checksum,
}

impl core::fmt::Display for DumpError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            DumpError::NotABlock => f.write_str("no block of a flight recorder begins here"),
            DumpError::UnknownVersion(version) => {
                write!(f, "version {version}, this build reads {VERSION} to {}", VERSION + WITH_SURFACES + WITH_JOINTS)
            }
            DumpError::BadValue => f.write_str("a value that the format does not have"),
            DumpError::Truncated => f.write_str("ends within a block"),
            DumpError::Checksum => f.write_str("the checksum does not fit: the bytes were changed"),
        }
    }
}

impl core::error::Error for DumpError {}

impl From<Ended> for DumpError {
    fn from(Ended: Ended) -> Self {
        DumpError::Truncated
    }
}

/// How a solve or a step was called, as far as it does not depend on the scalar type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub conditions: SolveConditions,
    pub choices: [u8; 5],
}

pub(crate) fn read_head(inside: &mut Cursor<'_>) -> Result<Head, DumpError> {
    let direct = DirectSize { contacts: inside.number()?, blocks: inside.number()? };
    let [islands, choices @ .., _, _] = inside.take::<8>()?;
    let islands = match islands {
        0 => IslandMode::Together,
        1 => IslandMode::Separate,
        _ => return Err(DumpError::BadValue),
    };
    Ok(Head { conditions: SolveConditions { islands, direct }, choices })
}

pub(crate) fn validate_scalar(bytes: u8) -> Result<(), DumpError> {
    if bytes == 4 || bytes == 8 { Ok(()) } else { Err(DumpError::BadValue) }
}

/// What a block has by its version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub has_surfaces: bool,
    pub has_joints: bool,
}

impl Parts {
    pub fn of(version: u8) -> Result<Self, DumpError> {
        let more = version.checked_sub(VERSION).filter(|more| *more <= WITH_SURFACES + WITH_JOINTS);
        let more = more.ok_or(DumpError::UnknownVersion(version))?;
        Ok(Parts { has_surfaces: more & WITH_SURFACES != 0, has_joints: more & WITH_JOINTS != 0 })
    }
}

/// How many surfaces or joints a block has, if its version says that it has some.
pub(crate) fn read_count(has_some: bool, inside: &mut Cursor<'_>) -> Result<u16, DumpError> {
    if !has_some {
        return Ok(0);
    }
    let count = u16::try_from(inside.number()?).map_err(|_| DumpError::BadValue)?;
    if count > 0 { Ok(count) } else { Err(DumpError::BadValue) }
}
