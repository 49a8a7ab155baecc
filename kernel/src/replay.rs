//! Reading the bytes of recorded solves (format: [`crate::dump`]) and solving them again. Bytes are not to be trusted: every
//! path ends in an error or in input that passed the same door as any other.

use nalgebra::{Matrix3, Vector3};

use crate::body::{Bodies, Body};
use crate::contact::{Contact, Contacts, WarmStart};
use crate::cursor::{Cursor, Ended};
use crate::direct::{Part, Room, RoomSize};
use crate::dump::{CHECKSUM, Extent, FNV32_START, INPUT, MAGIC, Means, OUTCOME, VERSION, digest, fnv32};
use crate::real::Real;
use crate::refusal::Refusal;
use crate::settings::{Approach, BounceMode, LocalRule, Settings, Stabilisation, SweepOrder};
use crate::workspace::Solver;

/// Why bytes are no dump, or no more of one.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(1.0, 0.0, -1.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{DumpError, blocks};
/// assert!(blocks(dump).all(|block| block.is_ok()));
/// // The line dropped the last bytes.
/// assert_eq!(blocks(&dump[..length - 1]).last().unwrap().unwrap_err(), DumpError::Truncated);
/// // It changed one.
/// dump[60] ^= 1;
/// assert_eq!(blocks(dump).next().unwrap().unwrap_err(), DumpError::Checksum);
/// # Ok::<(), stiction::Refusal<f32>>(())
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
            DumpError::UnknownVersion(version) => write!(f, "version {version}, this build reads {VERSION}"),
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

/// Why a recorded input cannot be solved again here.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(0.0, 1.0, -1.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{Block, LoadError, blocks};
/// // A controller recorded this in `f32`; this host was built for `f64`.
/// let Some(Ok(Block::Input(input))) = blocks(dump).next() else { panic!("no input") };
/// let (mut bodies, mut contacts) = (Bodies::<f64, 2>::new(), Contacts::<f64, 1>::new());
/// assert_eq!(input.load(&mut bodies, &mut contacts), Err(LoadError::OtherScalar(4)));
/// assert!(bodies.is_empty() && contacts.is_empty());
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LoadError<T> {
    /// It was recorded with scalars of so many bytes.
    OtherScalar(u8),
    /// Its bytes are not as the format says.
    Dump(DumpError),
    /// It was solved with so much room for direct methods, and less is here.
    LessRoom(RoomSize),
    /// The door refuses it: too many bodies or contacts for the capacities here, or a solve that was refused there too.
    Refused(Refusal<T>),
}

impl<T: Real> core::fmt::Display for LoadError<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            LoadError::OtherScalar(bytes) => write!(f, "recorded with scalars of {bytes} bytes"),
            LoadError::LessRoom(RoomSize { contacts, slots }) => {
                write!(f, "solved with room for {contacts} contacts and {slots} slots, here is less")
            }
            LoadError::Dump(error) => error.fmt(f),
            LoadError::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl<T: Real> core::error::Error for LoadError<T> {}

impl<T> From<Refusal<T>> for LoadError<T> {
    fn from(refusal: Refusal<T>) -> Self {
        LoadError::Refused(refusal)
    }
}

/// One block of a dump.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(2.0, 1.0, -1.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{Block, blocks};
/// // Solves that never came back: inputs without an outcome.
/// let mut pending = Vec::new();
/// for block in blocks(dump) {
///     match block.unwrap() {
///         Block::Input(input) => pending.push(input.number),
///         Block::Outcome(outcome) => pending.retain(|number| *number != outcome.number),
///     }
/// }
/// assert!(pending.is_empty());
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Block<'a> {
    /// What a solve was given.
    Input(InputBlock<'a>),
    /// What it came to.
    Outcome(OutcomeBlock),
}

/// What a solve was given.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(1.0, 2.0, -0.5), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{Block, blocks};
/// let Some(Ok(Block::Input(input))) = blocks(dump).next() else { panic!("no input") };
/// assert_eq!((input.scalar_bytes, input.bodies, input.contacts), (4, 2, 1));
/// // Solved again here, bit by bit as on the machine that recorded it.
/// let there = stiction::dump::digest(&bodies);
/// let here = input.solve(None, &mut bodies, &mut contacts, &mut solver, None).unwrap();
/// assert_eq!(here, there);
/// # Ok::<(), stiction::Refusal<f32>>(())
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
    /// How it was solved: whole or by islands, with how much room.
    pub means: Means,
    rest: Cursor<'a>,
    choices: [u8; 5],
}

/// What a solve came to.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(0.5, 0.5, -2.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{Block, OutcomeBlock, blocks};
/// let Some(Ok(Block::Outcome(outcome))) = blocks(dump).last() else { panic!("no outcome") };
/// let OutcomeBlock { cut_at, digest, .. } = outcome;
/// assert_eq!(cut_at, None); // no deadline came first
/// assert_eq!(digest, stiction::dump::digest(&bodies));
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeBlock {
    /// Number of the solve.
    pub number: u32,
    /// Which question to the deadline was first answered with *yes*, from 1.
    pub cut_at: Option<u32>,
    /// Digest of the velocities.
    pub digest: u64,
}

/// The blocks of a dump, one after the other; the first that cannot be read is the last.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(0.0, 0.0, -3.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f32, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f32, 2, 1>::new();
/// # use stiction::{FlightRecorder, Settings};
/// # use stiction::dump::Extent;
/// # use stiction::record::{tell_input, tell_outcome};
/// # let settings = Settings::default();
/// # let mut recorder = FlightRecorder::<2048>::new();
/// # tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// # solver.solve(&mut bodies, &contacts, &settings)?;
/// # tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// # let mut buffer = [0; 2048];
/// # let length = recorder.copy_to(&mut buffer).unwrap().len();
/// # let dump = &mut buffer[..length];
/// use stiction::replay::{Block, Blocks, blocks};
/// let all: Blocks<'_> = blocks(dump);
/// let inputs = all.clone().filter(|block| matches!(block, Ok(Block::Input(_)))).count();
/// let outcomes = all.filter(|block| matches!(block, Ok(Block::Outcome(_)))).count();
/// assert_eq!((inputs, outcomes), (1, 1));
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Blocks<'a>(&'a [u8]);

/// Reads a dump.
///
/// ```
/// use stiction::replay::{DumpError, blocks};
/// assert!(blocks(&[]).next().is_none());
/// assert_eq!(blocks(b"something else altogether").next().unwrap().unwrap_err(), DumpError::NotABlock);
/// ```
pub fn blocks(bytes: &[u8]) -> Blocks<'_> {
    Blocks(bytes)
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, DumpError>;

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

fn read_block(bytes: &[u8]) -> Result<(Block<'_>, &[u8]), DumpError> {
    let mut head = Cursor(bytes);
    if head.take::<4>()? != MAGIC {
        return Err(DumpError::NotABlock);
    }
    let [version, kind, scalar_bytes, _] = head.take::<4>()?;
    if version != VERSION {
        return Err(DumpError::UnknownVersion(version));
    }
    let length = usize::try_from(head.number()?).map_err(|_| DumpError::Truncated)?;
    let (block, rest) = bytes.split_at_checked(length).ok_or(DumpError::Truncated)?;
    let at = length.checked_sub(CHECKSUM).ok_or(DumpError::Truncated)?;
    let (told, checksum) = block.split_at_checked(at).ok_or(DumpError::Truncated)?;
    if Cursor(checksum).number()? != fnv32(FNV32_START, told) {
        return Err(DumpError::Checksum);
    }
    let mut inside = Cursor(told);
    inside.take::<12>()?;
    let number = inside.number()?;
    let block = match kind {
        INPUT => Block::Input(InputBlock::read(number, scalar_bytes, inside)?),
        OUTCOME => {
            let asked = inside.number()?;
            let digest = u64::from_le_bytes(inside.take()?);
            Block::Outcome(OutcomeBlock { number, cut_at: (asked > 0).then_some(asked), digest })
        }
        _ => return Err(DumpError::BadValue),
    };
    Ok((block, rest))
}

impl<'a> InputBlock<'a> {
    fn read(number: u32, scalar_bytes: u8, mut inside: Cursor<'a>) -> Result<Self, DumpError> {
        if scalar_bytes != 4 && scalar_bytes != 8 {
            return Err(DumpError::BadValue);
        }
        let (bodies, contacts) = (inside.short()?, inside.short()?);
        let room = RoomSize { contacts: inside.number()?, slots: inside.number()? };
        let [extent, choices @ .., _, _] = inside.take::<8>()?;
        let extent = match extent {
            0 => Extent::Whole,
            1 => Extent::Islands,
            _ => return Err(DumpError::BadValue),
        };
        Ok(InputBlock { number, scalar_bytes, bodies, contacts, means: Means { extent, room }, rest: inside, choices })
    }

    /// Puts the recorded bodies and contacts in the place of others and gives the settings, all checked like any input.
    /// After an error both are empty.
    pub fn load<T: Real, const NB: usize, const NC: usize>(
        &self,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC>,
    ) -> Result<Settings<T>, LoadError<T>> {
        let loaded = self.load_into(bodies, contacts);
        if loaded.is_err() {
            bodies.clear();
            contacts.clear();
        }
        loaded
    }

    fn load_into<T: Real, const NB: usize, const NC: usize>(
        &self,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC>,
    ) -> Result<Settings<T>, LoadError<T>> {
        bodies.clear();
        contacts.clear();
        if usize::from(self.scalar_bytes) != T::BYTES {
            return Err(LoadError::OtherScalar(self.scalar_bytes));
        }
        let mut rest = self.rest;
        let settings = read_settings(self.choices, &mut rest).map_err(LoadError::Dump)?;
        for _ in 0..self.bodies {
            bodies.push(read_body(&mut rest).map_err(LoadError::Dump)?)?;
        }
        for _ in 0..self.contacts {
            contacts.push(read_contact(&mut rest).map_err(LoadError::Dump)?)?;
        }
        if rest.0.is_empty() { Ok(settings) } else { Err(LoadError::Dump(DumpError::BadValue)) }
    }

    /// Solves it again and gives the digest of the velocities, to be compared with the outcome's. `cut_at` is the outcome's:
    /// from that question on the deadline is answered with *yes*. It is solved with as much of `room` as it was solved with
    /// then; without enough, it is refused. The recorded cap on sweeps is kept to: for bytes of unknown
    /// origin, [`InputBlock::load`] and a cap of your own.
    pub fn solve<T: Real, const NB: usize, const NC: usize>(
        &self,
        cut_at: Option<u32>,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC>,
        solver: &mut Solver<T, NB, NC>,
        room: Option<&mut dyn Room<T>>,
    ) -> Result<u64, LoadError<T>> {
        let mut part = self.part_of(room)?;
        let room = part.as_mut().map(|part| part as &mut dyn Room<T>);
        let settings = self.load(bodies, contacts)?;
        let mut asked: u32 = 0;
        let deadline = || {
            asked = asked.saturating_add(1);
            cut_at.is_some_and(|first| asked >= first)
        };
        match self.means.extent {
            Extent::Whole => solver.solve_with(bodies, contacts, &settings, deadline, room).map(|_| ()),
            Extent::Islands => {
                solver.solve_islands_with(bodies, contacts, &settings, deadline, room, |_, _| ()).map(|_| ())
            }
        }?;
        Ok(digest(bodies))
    }

    /// As much of the room here as it was solved with; none if it was solved without.
    pub fn part_of<'r, T: Real>(&self, room: Option<&'r mut dyn Room<T>>) -> Result<Option<Part<'r, T>>, LoadError<T>> {
        let size = self.means.room;
        if size == RoomSize::NONE {
            return Ok(None);
        }
        room.and_then(|room| Part::new(room, size)).map(Some).ok_or(LoadError::LessRoom(size))
    }
}

fn read_settings<T: Real>(choices: [u8; 5], rest: &mut Cursor<'_>) -> Result<Settings<T>, DumpError> {
    let (sweeps, least_sweeps, normal_sweeps) = (rest.number()?, rest.number()?, rest.number()?);
    let factorisations = rest.number()?;
    let [
        relaxation,
        accelerated_relaxation,
        tolerance,
        restitution_threshold,
        dt,
        error_reduction,
        slop,
        max_correction_speed,
    ] = rest.scalars()?;
    let [local, bounce, order, stabilisation, approach] = choices;
    Ok(Settings {
        local: *LOCAL_RULES.get(usize::from(local)).ok_or(DumpError::BadValue)?,
        bounce: *BOUNCE_MODES.get(usize::from(bounce)).ok_or(DumpError::BadValue)?,
        order: *SWEEP_ORDERS.get(usize::from(order)).ok_or(DumpError::BadValue)?,
        stabilisation: *STABILISATIONS.get(usize::from(stabilisation)).ok_or(DumpError::BadValue)?,
        approach: *APPROACHES.get(usize::from(approach)).ok_or(DumpError::BadValue)?,
        relaxation,
        accelerated_relaxation,
        sweeps,
        factorisations,
        least_sweeps,
        normal_sweeps,
        tolerance,
        restitution_threshold,
        dt,
        error_reduction,
        slop,
        max_correction_speed,
    })
}

const LOCAL_RULES: [LocalRule; 4] =
    [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
const BOUNCE_MODES: [BounceMode; 2] = [BounceMode::Together, BounceMode::Sequential];
const SWEEP_ORDERS: [SweepOrder; 2] = [SweepOrder::Alternating, SweepOrder::Forward];
const APPROACHES: [Approach; 4] = [Approach::Auto, Approach::Sweeps, Approach::Accelerated, Approach::Direct];
const STABILISATIONS: [Stabilisation; 3] = [Stabilisation::None, Stabilisation::SplitImpulse, Stabilisation::Bias];

fn read_body<T: Real>(rest: &mut Cursor<'_>) -> Result<Body<T>, DumpError> {
    let [inverse_mass, xx, yx, zx, yy, zy, zz, vx, vy, vz, wx, wy, wz] = rest.scalars()?;
    Ok(Body {
        inverse_mass,
        inverse_inertia: Matrix3::new(xx, yx, zx, yx, yy, zy, zx, zy, zz),
        linear: Vector3::new(vx, vy, vz),
        angular: Vector3::new(wx, wy, wz),
    })
}

fn read_contact<T: Real>(rest: &mut Cursor<'_>) -> Result<Contact<T>, DumpError> {
    let (a, b) = (usize::from(rest.short()?), usize::from(rest.short()?));
    let [recorded, _, _, _] = rest.take::<4>()?;
    let [nx, ny, nz, ax, ay, az, bx, by, bz, mu, restitution, depth, before, normal, tx, ty, tz] = rest.scalars()?;
    Ok(Contact {
        a,
        b,
        normal: Vector3::new(nx, ny, nz),
        r_a: Vector3::new(ax, ay, az),
        r_b: Vector3::new(bx, by, bz),
        mu,
        restitution,
        depth,
        pre_impact_normal_velocity: (recorded == 1).then_some(before),
        warm: WarmStart { normal, tangent: Vector3::new(tx, ty, tz) },
    })
}
