//! Reading the bytes of recorded solves (format: [`format`](crate::record::format)). The bytes are untrusted: every
//! path ends in an error or in a block whose checksum is right.
use crate::problem::conditions::SolveConditions;
use crate::record::bytes::{Cursor, checksum_of};
use crate::record::format::{CHECKSUM, INPUT, MAGIC, OUTCOME, STEP};
use crate::record::head::{DumpError, Head, Parts, read_count, read_head, validate_scalar};
use crate::record::step_block::StepBlock;

/// One block of a dump.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(2.0, 1.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
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
/// use stiction::record::{RecordedBlock, blocks};
/// // Solves and steps that never returned: inputs without an outcome.
/// let mut pending = Vec::new();
/// for block in blocks(dump) {
///     match block.unwrap() {
///         RecordedBlock::Input(input) => pending.push(input.number),
///         RecordedBlock::Step(step) => pending.push(step.number),
///         RecordedBlock::Outcome(outcome) => pending.retain(|number| *number != outcome.number),
///     }
/// }
/// assert!(pending.is_empty());
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum RecordedBlock<'a> {
    /// Input of a solve.
    Input(InputBlock<'a>),
    /// Outcome of a solve or a step.
    Outcome(OutcomeBlock),
    /// Input of a step.
    Step(StepBlock<'a>),
}

/// Input of a recorded solve.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(1.0, 2.0, -0.5), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
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
/// use stiction::record::{RecordedBlock, blocks};
/// let Some(Ok(RecordedBlock::Input(input))) = blocks(dump).next() else { panic!("no input") };
/// assert_eq!((input.scalar_bytes, input.bodies, input.contacts), (4, 2, 1));
/// // Solved again here, bit by bit as on the machine that recorded it.
/// let there = stiction::record::digest(&bodies);
/// let here = input.solve(None, &mut bodies, &mut contacts, &mut solver, None, None).unwrap();
/// assert_eq!(here, there);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct InputBlock<'a> {
    /// Number of the solve.
    pub number: u32,
    /// Bytes of a scalar: 4 for `f32`, 8 for `f64`.
    pub scalar_bytes: u8,
    /// How many bodies.
    pub bodies: u16,
    /// How many contacts.
    pub contacts: u16,
    /// How many of them have friction beyond sliding. If any has, it is solved again with [`SixRows`](crate::SixRows).
    pub surfaces: u16,
    /// How it was solved: together or by islands, and with how much direct memory.
    pub conditions: SolveConditions,
    pub(crate) rest: Cursor<'a>,
    pub(crate) choices: [u8; 5],
}

/// Outcome of a recorded solve or step.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.5, 0.5, -2.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
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
/// use stiction::record::{RecordedBlock, OutcomeBlock, blocks};
/// let Some(Ok(RecordedBlock::Outcome(outcome))) = blocks(dump).last() else { panic!("no outcome") };
/// let OutcomeBlock { stopped_at, digest, .. } = outcome;
/// assert_eq!(stopped_at, None); // the solve was not stopped
/// assert_eq!(digest, stiction::record::digest(&bodies));
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeBlock {
    /// Number of the solve.
    pub number: u32,
    /// The call of `should_stop`, counted from 1, that first returned true.
    pub stopped_at: Option<u32>,
    /// Digest of the velocities, and of moments where contacts have friction beyond sliding.
    pub digest: u64,
}

/// Iterator over the blocks of a dump; it ends after the first error.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 0.0, -3.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
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
/// use stiction::record::{RecordedBlock, RecordedBlocks, blocks};
/// let all: RecordedBlocks<'_> = blocks(dump);
/// let inputs = all.clone().filter(|block| matches!(block, Ok(RecordedBlock::Input(_)))).count();
/// let outcomes = all.filter(|block| matches!(block, Ok(RecordedBlock::Outcome(_)))).count();
/// assert_eq!((inputs, outcomes), (1, 1));
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordedBlocks<'a>(&'a [u8]);

/// Reads a dump.
///
/// ```
/// use stiction::record::{DumpError, blocks};
/// assert!(blocks(&[]).next().is_none());
/// assert_eq!(blocks(b"something else altogether").next().unwrap().unwrap_err(), DumpError::NotABlock);
/// ```
pub fn blocks(bytes: &[u8]) -> RecordedBlocks<'_> {
    RecordedBlocks(bytes)
}

impl<'a> Iterator for RecordedBlocks<'a> {
    type Item = Result<RecordedBlock<'a>, DumpError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let bytes = core::mem::take(&mut self.0);
        match read_block(bytes) {
            Ok((block, rest)) => {
                self.0 = rest;
                Some(Ok(block))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

pub(crate) fn read_block(bytes: &[u8]) -> Result<(RecordedBlock<'_>, &[u8]), DumpError> {
    let mut head = Cursor(bytes);
    if head.take::<4>()? != MAGIC {
        return Err(DumpError::NotABlock);
    }
    let [version, kind, scalar_bytes, _] = head.take::<4>()?;
    let parts = Parts::of(version)?;
    let length = usize::try_from(head.number()?).map_err(|_| DumpError::Truncated)?;
    let (block, rest) = bytes.split_at_checked(length).ok_or(DumpError::Truncated)?;
    let at = length.checked_sub(CHECKSUM).ok_or(DumpError::Truncated)?;
    let (contents, checksum) = block.split_at_checked(at).ok_or(DumpError::Truncated)?;
    if Cursor(checksum).number()? != checksum_of(contents) {
        return Err(DumpError::Checksum);
    }
    let mut inside = Cursor(contents);
    inside.take::<12>()?;
    let number = inside.number()?;
    let block = match kind {
        INPUT => RecordedBlock::Input(InputBlock::read(number, scalar_bytes, parts, inside)?),
        STEP => RecordedBlock::Step(StepBlock::read(number, scalar_bytes, parts, inside)?),
        OUTCOME => {
            let asked = inside.number()?;
            let digest = u64::from_le_bytes(inside.take()?);
            RecordedBlock::Outcome(OutcomeBlock { number, stopped_at: (asked > 0).then_some(asked), digest })
        }
        _ => return Err(DumpError::BadValue),
    };
    Ok((block, rest))
}

impl<'a> InputBlock<'a> {
    pub(crate) fn read(number: u32, scalar_bytes: u8, parts: Parts, mut inside: Cursor<'a>) -> Result<Self, DumpError> {
        validate_scalar(scalar_bytes)?;
        let (bodies, contacts) = (inside.short()?, inside.short()?);
        if parts.has_joints {
            return Err(DumpError::BadValue);
        }
        let surfaces = read_count(parts.has_surfaces, &mut inside)?;
        let Head { conditions, choices } = read_head(&mut inside)?;
        Ok(InputBlock { number, scalar_bytes, bodies, contacts, surfaces, conditions, rest: inside, choices })
    }
}
