//! Problems of any size on a kernel whose capacities are part of its types: the smallest of a few capacities that fits.

use stiction::DirectMemory;
use stiction::DirectView;
use stiction::Hooks;
use stiction::sweep::lane_memory::LaneMemory;
use stiction::{Bodies, Body, Contact, ContactOutcome, ContactRows, ContactState, Contacts, Coupling, InputError};
use stiction::{
    DelassusReport, DelassusSolver, FrictionWork, Report, Settings, SixRows, Solver, Surface, ThreeRows, Twist, Wrench,
};

use nalgebra::{SVector, Vector3};
use stiction::Real;

use crate::fc3d::Fc3d;
use crate::rfc3d::{BlockRows, Rfc3d};

/// The largest problem, in bodies and in contacts.
pub const LARGEST: usize = 8192;

/// Stack size that is enough to build the largest solver before it moves to the heap.
const STACK_BYTES: usize = 256 << 20;

/// Why a problem was not solved.
#[derive(Debug)]
pub enum CapacityError<T> {
    /// The kernel's validation rejected it.
    Rejected(InputError<T>),
    /// The system gave no memory for a problem of this size.
    NoMemory(std::io::Error),
    /// More bodies or contacts than the largest capacity.
    TooLarge {
        /// `bodies` or `contacts`.
        what: &'static str,
        /// How many.
        count: usize,
    },
}

impl<T: Real> std::fmt::Display for CapacityError<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CapacityError::Rejected(error) => error.fmt(f),
            CapacityError::NoMemory(error) => write!(f, "memory: too little for a problem of this size: {error}"),
            CapacityError::TooLarge { what, count } => write!(f, "{what}: {count}, at most {LARGEST} fit"),
        }
    }
}

impl<T: Real> std::error::Error for CapacityError<T> {}

impl<T> From<InputError<T>> for CapacityError<T> {
    fn from(error: InputError<T>) -> Self {
        CapacityError::Rejected(error)
    }
}

/// A solved problem.
#[derive(Debug, Clone)]
pub struct Solved<T> {
    /// The kernel's report.
    pub report: Report<T>,
    /// Linear and angular velocity of each body.
    pub velocities: Vec<(Vector3<T>, Vector3<T>)>,
    /// Every contact's part.
    pub contacts: Vec<ContactOutcome<T>>,
    /// The moment of each contact on B, as a world vector; none where contacts have three rows.
    pub moments: Vec<Vector3<T>>,
    /// Whether friction is at its bound against sliding, spinning and rolling, likewise.
    pub reached: Vec<[bool; 3]>,
    /// The work of friction by what it resists; none where contacts have three rows.
    pub friction_work: Option<FrictionWork<T>>,
    /// How strongly the normal and the friction of each contact are coupled.
    pub couplings: Vec<Coupling<T>>,
    /// Mean force and torque of contacts on each body over the step.
    pub wrenches: Vec<Wrench<T>>,
    /// The velocity that corrects each body's position; zero unless split impulses are chosen.
    pub corrections: Vec<Twist<T>>,
}

/// A solved problem in Delassus form.
#[derive(Debug, Clone)]
pub struct DelassusSolved<T, const ROWS: usize = 3> {
    /// The kernel's report.
    pub report: DelassusReport<T>,
    /// Impulses along `n, t1, t2`; with five rows, also moments about `t1, t2`.
    pub impulses: Vec<SVector<T, ROWS>>,
    /// What each contact does.
    pub states: Vec<ContactState>,
    /// How strongly the normal and the friction of each contact are coupled.
    pub couplings: Vec<Coupling<T>>,
}

/// Where the largest solvers are built.
fn on_large_stack<T: Send, R: Send>(
    work: impl FnOnce() -> Result<R, CapacityError<T>> + Send,
) -> Result<R, CapacityError<T>> {
    crate::large_stack::on_large_stack(STACK_BYTES, work).map_err(CapacityError::NoMemory)?
}

/// [`DirectMemory`] whose size was chosen at run time.
pub trait AnyDirectMemory<T: Real>: Send {
    /// Borrows it for one call.
    fn view(&mut self) -> DirectView<'_, T>;
}

impl<T: Real, const N: usize, const BLOCKS: usize> AnyDirectMemory<T> for DirectMemory<T, N, BLOCKS> {
    fn view(&mut self) -> DirectView<'_, T> {
        DirectMemory::view(self)
    }
}

/// Memory for direct methods on islands of so many contacts, on the heap.
pub fn direct_memory_for<T: Real>(contacts: usize) -> std::io::Result<Box<dyn AnyDirectMemory<T>>> {
    crate::large_stack::on_large_stack(STACK_BYTES, move || -> Box<dyn AnyDirectMemory<T>> {
        match contacts {
            0..=64 => Box::new(DirectMemory::<T, 64, 2080>::new()),
            65..=512 => Box::new(DirectMemory::<T, 512, 8192>::new()),
            513..=1024 => Box::new(DirectMemory::<T, 1024, 65_536>::new()),
            _ => Box::new(DirectMemory::<T, LARGEST, 131_072>::new()),
        }
    })
}

/// Memory for sweeps over several contacts at once, on the heap.
pub type BoxedLanes<T> = Box<dyn LaneMemory<T> + Send>;

/// Makes memory for sweeps over several contacts at once, for so many bodies in all and as many contacts.
pub type MakeLanes<'a, T> = &'a (dyn Fn(usize) -> std::io::Result<BoxedLanes<T>> + Sync);

/// Solves bodies and contacts.
pub fn solve<T: Real>(
    bodies: &[Body<T>],
    contacts: &[Contact<T>],
    settings: &Settings<T>,
    dt: T,
) -> Result<Solved<T>, CapacityError<T>> {
    solve_in_lanes(bodies, contacts, settings, dt, None)
}

/// The same with memory for sweeps over several contacts at once, if some is made.
pub fn solve_in_lanes<T: Real>(
    bodies: &[Body<T>],
    contacts: &[Contact<T>],
    settings: &Settings<T>,
    dt: T,
    lanes: Option<MakeLanes<'_, T>>,
) -> Result<Solved<T>, CapacityError<T>> {
    for (what, count) in [("bodies", bodies.len()), ("contacts", contacts.len())] {
        if count > LARGEST {
            return Err(CapacityError::TooLarge { what, count });
        }
    }
    let task = Task { bodies, settings, dt, lanes };
    match bodies.len().max(contacts.len()) {
        0..=64 => task.solve::<64, ThreeRows>(pushed(contacts)),
        65..=1024 => on_large_stack(|| task.solve::<1024, ThreeRows>(pushed(contacts))),
        _ => on_large_stack(|| task.solve::<LARGEST, ThreeRows>(pushed(contacts))),
    }
}

/// Solves bodies and contacts on surfaces, one for each contact: with torsion, rolling or anisotropic friction.
pub fn solve_on_surfaces<T: Real>(
    bodies: &[Body<T>],
    contacts: &[(Contact<T>, Surface<T>)],
    settings: &Settings<T>,
    dt: T,
) -> Result<Solved<T>, CapacityError<T>> {
    let places = contacts.iter().map(|(_, surface)| if surface.has_moments() { 2 } else { 1 }).sum();
    for (what, count) in [("bodies", bodies.len()), (PLACES, places)] {
        if count > LARGEST {
            return Err(CapacityError::TooLarge { what, count });
        }
    }
    // Sweeps over several contacts at once are for contacts with three rows.
    let task = Task { bodies, settings, dt, lanes: None };
    match bodies.len().max(places) {
        0..=64 => task.solve::<64, SixRows>(pushed_on(contacts)),
        _ => on_large_stack(|| task.solve::<LARGEST, SixRows>(pushed_on(contacts))),
    }
}

/// What is too large where contacts with moments take two places each.
const PLACES: &str = "contacts, those with moments counted twice";

fn pushed<T: Real, const NC: usize>(
    contacts: &[Contact<T>],
) -> impl FnOnce(&mut Contacts<T, NC>) -> Result<(), InputError<T>> {
    |columns| contacts.iter().try_for_each(|contact| columns.push(*contact).map(|_| ()))
}

fn pushed_on<T: Real, const NC: usize>(
    contacts: &[(Contact<T>, Surface<T>)],
) -> impl FnOnce(&mut Contacts<T, NC, SixRows>) -> Result<(), InputError<T>> {
    |columns| contacts.iter().try_for_each(|(contact, surface)| columns.push_on(*contact, *surface).map(|_| ()))
}

/// A solve apart from its contacts.
#[derive(Clone, Copy)]
struct Task<'a, T: Real> {
    bodies: &'a [Body<T>],
    settings: &'a Settings<T>,
    dt: T,
    lanes: Option<MakeLanes<'a, T>>,
}

impl<T: Real> Task<'_, T> {
    fn solve<const N: usize, R: ContactRows>(
        &self,
        fill: impl FnOnce(&mut Contacts<T, N, R>) -> Result<(), InputError<T>>,
    ) -> Result<Solved<T>, CapacityError<T>> {
        let Task { bodies, settings, dt, lanes } = *self;
        let mut b = Box::new(Bodies::<T, N>::new());
        for body in bodies {
            b.push(*body)?;
        }
        let mut c = Box::new(Contacts::<T, N, R>::empty());
        fill(&mut c)?;
        let contacts = c.len();
        let mut solver = Box::new(Solver::<T, N, N, R>::empty());
        let mut memory = direct_memory_for(N).map_err(CapacityError::NoMemory)?;
        let mut lanes = lanes.map(|make| make(N)).transpose().map_err(CapacityError::NoMemory)?;
        let lanes = lanes.as_deref_mut().map(|lanes| lanes as &mut dyn LaneMemory<T>);
        let hooks = Hooks { lanes, ..Hooks::with_direct(memory.view()) };
        let report = solver.solve_with(&mut b, &c, settings, dt, hooks)?;
        Ok(Solved {
            report,
            velocities: b.linear_velocities().iter().copied().zip(b.angular_velocities().iter().copied()).collect(),
            contacts: (0..contacts).filter_map(|i| solver.contact(i)).collect(),
            moments: (0..contacts).filter(|_| R::HAS_MOMENTS).filter_map(|i| solver.moment(i)).collect(),
            reached: (0..contacts).filter(|_| R::HAS_MOMENTS).filter_map(|i| solver.reached(i)).collect(),
            friction_work: solver.friction_work(),
            couplings: (0..contacts).filter_map(|i| solver.coupling(i)).collect(),
            wrenches: (0..bodies.len()).filter_map(|i| solver.wrench(i)).collect(),
            corrections: (0..bodies.len()).filter_map(|i| solver.position_correction(i)).collect(),
        })
    }
}

/// Solves a problem in Delassus form.
pub fn solve_delassus<T: Real>(problem: &Fc3d, settings: &Settings<T>) -> Result<DelassusSolved<T>, CapacityError<T>> {
    match problem.len() {
        0..=64 => delassus_sized::<T, 64>(problem, settings),
        65..=1024 => on_large_stack(|| delassus_sized::<T, 1024>(problem, settings)),
        count if count > LARGEST => Err(CapacityError::TooLarge { what: "contacts", count }),
        _ => on_large_stack(|| delassus_sized::<T, LARGEST>(problem, settings)),
    }
}

fn delassus_sized<T: Real, const NC: usize>(
    problem: &Fc3d,
    settings: &Settings<T>,
) -> Result<DelassusSolved<T>, CapacityError<T>> {
    let columns = problem.columns::<T>();
    let mut solver = Box::new(DelassusSolver::<T, NC>::new());
    let mut memory = direct_memory_for(NC).map_err(CapacityError::NoMemory)?;
    let report = solver.solve_with(&problem.problem(&columns)?, settings, &[], Hooks::with_direct(memory.view()))?;
    Ok(DelassusSolved {
        report,
        impulses: (0..problem.len()).filter_map(|i| solver.impulse(i)).collect(),
        states: (0..problem.len()).filter_map(|i| solver.state(i)).collect(),
        couplings: (0..problem.len()).filter_map(|i| solver.coupling(i)).collect(),
    })
}

/// Solves a problem in Delassus form with rolling friction. Errors have the names and indices of the format.
pub fn solve_rolling<T: Real>(
    problem: &Rfc3d,
    settings: &Settings<T>,
) -> Result<DelassusSolved<T, 5>, CapacityError<T>> {
    let rows = problem.block_rows::<T>();
    match rows.len() {
        0..=64 => rolling_sized::<T, 64>(&rows, settings),
        count if count > LARGEST => Err(CapacityError::TooLarge { what: PLACES, count }),
        _ => on_large_stack(|| rolling_sized::<T, LARGEST>(&rows, settings)),
    }
}

fn rolling_sized<T: Real, const NC: usize>(
    rows: &BlockRows<T>,
    settings: &Settings<T>,
) -> Result<DelassusSolved<T, 5>, CapacityError<T>> {
    let mut solver = Box::new(DelassusSolver::<T, NC, SixRows>::empty());
    let mut memory = direct_memory_for(NC).map_err(CapacityError::NoMemory)?;
    let solved = solver.solve_with(&rows.problem()?, settings, &[], Hooks::with_direct(memory.view()));
    let mut report = solved.map_err(|error| rows.in_contacts(error))?;
    report.residual.worst_contact = report.residual.worst_contact.and_then(|row| rows.contact(row));
    Ok(DelassusSolved {
        report,
        impulses: rows.joined(|row| solver.impulse(row)),
        states: rows.firsts().iter().filter_map(|row| solver.state(*row)).collect(),
        couplings: rows.firsts().iter().filter_map(|row| solver.coupling(*row)).collect(),
    })
}
