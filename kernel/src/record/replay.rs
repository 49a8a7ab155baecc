//! Recorded solves loaded and solved again. The bytes are untrusted: every path ends in an error or in input that
//! passed the same validation as any other.
use nalgebra::{Matrix3, Vector3};

use crate::direct::memory::DirectView;
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::body::Body;
use crate::problem::conditions::{DirectSize, IslandMode};
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::error::InputError;
use crate::problem::observer::Observer;
use crate::problem::settings::{BounceMode, LocalRule, MethodChoice, PositionCorrection, Settings, SweepOrder};
use crate::record::bytes::Cursor;
use crate::record::format::contact_length;
use crate::record::head::DumpError;
use crate::record::read::InputBlock;
use crate::record::surfaces::{SurfaceReader, digest_of_answer};
use crate::solve::hooks::Hooks;
use crate::solve::solver::Solver;

/// Why a recorded input cannot be solved again here.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f32, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 1.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
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
/// use stiction::record::{RecordedBlock, LoadError, blocks};
/// // A controller recorded this in `f32`; this host was built for `f64`.
/// let Some(Ok(RecordedBlock::Input(input))) = blocks(dump).next() else { panic!("no input") };
/// let (mut bodies, mut contacts) = (Bodies::<f64, 2>::new(), Contacts::<f64, 1>::new());
/// assert_eq!(input.load(&mut bodies, &mut contacts), Err(LoadError::OtherScalar(4)));
/// assert!(bodies.is_empty() && contacts.is_empty());
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LoadError<T> {
    /// It was recorded with scalars of so many bytes.
    OtherScalar(u8),
    /// Its bytes do not have the right format.
    Dump(DumpError),
    /// It was solved with this much memory for direct methods, and there is less here.
    TooLittleMemory(DirectSize),
    /// It was solved with memory for a kept factor of this many blocks, and there is too little here.
    TooFewFactorBlocks(u32),
    /// Its contacts have friction beyond sliding, and those here have three rows.
    NeedsSixRows,
    /// It has this many joints, and there can be fewer here.
    TooFewJoints(u16),
    /// Validation rejects it: too many bodies or contacts for the capacities here, or input that was rejected there,
    /// too.
    Rejected(InputError<T>),
}

impl<T: Real> core::fmt::Display for LoadError<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            LoadError::OtherScalar(bytes) => write!(f, "recorded with scalars of {bytes} bytes"),
            LoadError::TooLittleMemory(DirectSize { contacts, blocks }) => {
                write!(f, "solved with direct memory for {contacts} contacts and {blocks} blocks, here is less")
            }
            LoadError::TooFewFactorBlocks(blocks) => {
                write!(f, "solved with memory for a factor of {blocks} blocks, here is too little")
            }
            LoadError::NeedsSixRows => f.write_str("has friction beyond sliding, and contacts here have three rows"),
            LoadError::TooFewJoints(joints) => write!(f, "has {joints} joints, and there can be fewer here"),
            LoadError::Dump(error) => error.fmt(f),
            LoadError::Rejected(error) => error.fmt(f),
        }
    }
}

impl<T: Real> core::error::Error for LoadError<T> {}

impl<T> From<InputError<T>> for LoadError<T> {
    fn from(error: InputError<T>) -> Self {
        LoadError::Rejected(error)
    }
}

/// How a recorded solve was called.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedSettings<T> {
    /// Its settings.
    pub settings: Settings<T>,
    /// Its time step, s.
    pub dt: T,
}

impl<'a> InputBlock<'a> {
    /// Replaces the bodies and contacts by the recorded ones and returns the settings and the time step, all validated
    /// like any input. [`LoadError::NeedsSixRows`] changes nothing; after any other error both are empty.
    pub fn load<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC, R>,
    ) -> Result<RecordedSettings<T>, LoadError<T>> {
        if self.surfaces > 0 && !R::HAS_MOMENTS {
            return Err(LoadError::NeedsSixRows);
        }
        let loaded = self.load_into(bodies, contacts);
        if loaded.is_err() {
            bodies.clear();
            contacts.clear();
        }
        loaded
    }

    fn load_into<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC, R>,
    ) -> Result<RecordedSettings<T>, LoadError<T>> {
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
        if R::HAS_MOMENTS && self.surfaces > 0 {
            self.load_on_surfaces(rest, contacts)?;
            return Ok(settings);
        }
        for _ in 0..self.contacts {
            contacts.push(read_contact(&mut rest).map_err(LoadError::Dump)?)?;
        }
        if rest.0.is_empty() { Ok(settings) } else { Err(LoadError::Dump(DumpError::BadValue)) }
    }

    /// Reads contacts of which some have surfaces, which follow after all of them.
    fn load_on_surfaces<T: Real, const NC: usize, R: ContactRows>(
        &self,
        rest: Cursor<'_>,
        contacts: &mut Contacts<T, NC, R>,
    ) -> Result<(), LoadError<T>> {
        let end = usize::from(self.contacts) * contact_length::<T>();
        let parts = rest.0.split_at_checked(end).ok_or(LoadError::Dump(DumpError::Truncated))?;
        let mut rest = Cursor(parts.0);
        let mut surfaces = SurfaceReader::new(Cursor(parts.1), self.surfaces).map_err(LoadError::Dump)?;
        for index in 0..usize::from(self.contacts) {
            let contact = read_contact(&mut rest).map_err(LoadError::Dump)?;
            match surfaces.of(index).map_err(LoadError::Dump)? {
                Some(surface) => contacts.push_with_surface(contact, surface)?,
                None => contacts.push(contact)?,
            };
        }
        if surfaces.is_done() { Ok(()) } else { Err(LoadError::Dump(DumpError::BadValue)) }
    }

    /// Solves it again and returns the digest of the answer, to be compared with the outcome's. `stopped_at` is the
    /// outcome's: from that call on `should_stop` returns true. The solve uses as much of `direct` as the recorded
    /// solve. Less memory is an error, and so are contacts with too few rows; both change nothing. The recorded limit on
    /// sweeps holds: for bytes of unknown origin use [`InputBlock::load`] and a limit of your own.
    pub fn solve<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        stopped_at: Option<u32>,
        bodies: &mut Bodies<T, NB>,
        contacts: &mut Contacts<T, NC, R>,
        solver: &mut Solver<T, NB, NC, R>,
        direct: Option<DirectView<'_, T>>,
        observer: Option<&mut dyn Observer<T>>,
    ) -> Result<u64, LoadError<T>> {
        let direct = self.truncated(direct)?;
        let RecordedSettings { settings, dt } = self.load(bodies, contacts)?;
        let mut asked: u32 = 0;
        let mut should_stop = || {
            asked = asked.saturating_add(1);
            stopped_at.is_some_and(|first| asked >= first)
        };
        let observer = observer.map(|observer| observer as &mut dyn Observer<T>);
        let hooks = Hooks { should_stop: Some(&mut should_stop), direct, observer, lanes: None };
        match self.conditions.islands {
            IslandMode::Together => solver.solve_with(bodies, contacts, &settings, dt, hooks)?,
            IslandMode::Separate => solver.solve_islands(bodies, contacts, &settings, dt, hooks)?,
        };
        Ok(digest_of_answer(bodies, contacts, solver))
    }

    /// As much of the memory as the recorded solve used; `None` if it used none.
    pub fn truncated<'r, T: Real>(
        &self,
        direct: Option<DirectView<'r, T>>,
    ) -> Result<Option<DirectView<'r, T>>, LoadError<T>> {
        truncated(self.conditions.direct, direct)
    }
}

/// As much memory as was used; `None` if there was none.
pub(crate) fn truncated<T: Real>(
    size: DirectSize,
    direct: Option<DirectView<'_, T>>,
) -> Result<Option<DirectView<'_, T>>, LoadError<T>> {
    if size == DirectSize::NONE {
        return Ok(None);
    }
    direct.and_then(|direct| direct.truncated(size)).map(Some).ok_or(LoadError::TooLittleMemory(size))
}

pub(crate) fn read_settings<T: Real>(
    choices: [u8; 5],
    rest: &mut Cursor<'_>,
) -> Result<RecordedSettings<T>, DumpError> {
    let (sweeps, min_sweeps, normal_sweeps) = (rest.number()?, rest.number()?, rest.number()?);
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
    let [local, bounce, order, correction, method] = choices;
    let settings = Settings {
        local: *LOCAL_RULES.get(usize::from(local)).ok_or(DumpError::BadValue)?,
        bounce: *BOUNCE_MODES.get(usize::from(bounce)).ok_or(DumpError::BadValue)?,
        order: *SWEEP_ORDERS.get(usize::from(order)).ok_or(DumpError::BadValue)?,
        position_correction: *CORRECTIONS.get(usize::from(correction)).ok_or(DumpError::BadValue)?,
        method: *METHODS.get(usize::from(method)).ok_or(DumpError::BadValue)?,
        relaxation,
        accelerated_relaxation,
        sweeps,
        factorisations,
        min_sweeps,
        normal_sweeps,
        tolerance,
        restitution_threshold,
        error_reduction,
        slop,
        max_correction_speed,
    };
    Ok(RecordedSettings { settings, dt })
}

const LOCAL_RULES: [LocalRule; 4] =
    [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
const BOUNCE_MODES: [BounceMode; 2] = [BounceMode::Together, BounceMode::Sequential];
const SWEEP_ORDERS: [SweepOrder; 3] = [SweepOrder::Alternating, SweepOrder::Forward, SweepOrder::Colours];
const METHODS: [MethodChoice; 4] =
    [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct];
const CORRECTIONS: [PositionCorrection; 3] =
    [PositionCorrection::None, PositionCorrection::SplitImpulse, PositionCorrection::Bias];

pub(crate) fn read_body<T: Real>(rest: &mut Cursor<'_>) -> Result<Body<T>, DumpError> {
    let [inverse_mass, xx, yx, zx, yy, zy, zz, vx, vy, vz, wx, wy, wz] = rest.scalars()?;
    Ok(Body {
        inverse_mass,
        inverse_inertia_world: Matrix3::new(xx, yx, zx, yx, yy, zy, zx, zy, zz),
        linear_velocity: Vector3::new(vx, vy, vz),
        angular_velocity: Vector3::new(wx, wy, wz),
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
        warm: WarmStart { normal_impulse: normal, tangent_impulse: Vector3::new(tx, ty, tz) },
    })
}
