//! Many small worlds side by side: each in a lane of vector registers, from a queue.
//!
//! Row `k` has contact `k` of every world, so a sweep over the rows is a sweep of each world, by the same visit that
//! several contacts of one island have ([`visit`](crate::visit)). Preparing rows, energies, residuals and the work of
//! impulses are in lanes as well. Decisions are made for each world alone, by the kernel's own code
//! (`stiction::solve::world_phase`). A world that ends leaves its lane to the next one of the queue.
//!
//! Results have the bits of [`Solver::solve`](stiction::Solver::solve). Worlds that need more than plain sweeps are
//! given to it: those that bounce, that have no friction, that have a body which can rotate about some axes only or a
//! contact whose matrix is not positive, and those that the passivity guard changes.
//!
//! * `row`, `set`: the numbers of worlds side by side
//! * `prepare`, `energy`, `velocity`, `residual`: arithmetic over rows and bodies, as in the kernel
//! * `passes`: the same over a set, for each instruction set
//! * `jobs`, `admit`, `queue`: which world is in which lane, how it gets there, and when it leaves
mod admit;
mod answer;
mod arithmetic;
mod energy;
mod jobs;
mod passes;
mod prepare;
mod queue;
mod residual;
mod row;
mod set;
mod velocity;

use stiction::{Bodies, Contacts, Settings, Solver};

pub use crate::worlds::answer::{Answer, Solved};

use crate::Level;
#[cfg(feature = "std")]
use crate::level::best_level;
use crate::level::level_name;
use crate::scalar::LaneScalar;
use crate::worlds::jobs::LanesOf;
use crate::worlds::queue::Run;
use crate::worlds::set::{MOST, Set};

/// Memory for solving many worlds of up to `NB` bodies and `NC` contacts, eight at once in `f32` and four in `f64`.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Bodies, Body, Contact, Contacts, Settings, Status};
/// use stiction_lanes::Worlds;
///
/// // A hundred balls of 1 kg, each in a world of its own, land at different speeds.
/// let mut worlds: Vec<(Bodies<f32, 2>, Contacts<f32, 1>)> = Vec::new();
/// for i in 0..100 {
///     let (mut bodies, mut contacts) = (Bodies::new(), Contacts::new());
///     let ground = bodies.push(Body::fixed())?;
///     let mut ball = Body::from_mass(1.0, Matrix3::identity() * 0.4);
///     ball.linear_velocity = Vector3::new(1.0, 0.0, -0.1 * i as f32);
///     let ball = bodies.push(ball)?;
///     contacts.push(Contact::new(ground, ball, Vector3::z(), Vector3::zeros(), -Vector3::z(), 0.5))?;
///     worlds.push((bodies, contacts));
/// }
/// let mut memory = Worlds::<f32, 2, 1>::new();
/// let queue = worlds.iter_mut().map(|(bodies, contacts)| (bodies, &*contacts));
/// let mut solved = 0;
/// memory.solve_all(queue, &Settings::default(), 1.0 / 60.0, |index, report, answer| {
///     assert_eq!(report.unwrap().status, Status::Converged);
///     assert!((answer.contact(0).unwrap().normal_impulse - 0.1 * index as f32).abs() < 1e-4);
///     solved += 1;
/// });
/// assert_eq!(solved, 100);
/// assert!(worlds[99].0.linear_velocities()[1].z.abs() < 1e-4);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
pub struct Worlds<T: LaneScalar, const NB: usize, const NC: usize> {
    level: Level,
    sets: [Set<T, NB, NC>; 2],
    solver: Solver<T, NB, NC>,
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Worlds<T, NB, NC> {
    /// With the [best instructions](best_level) of the processor.
    #[cfg(feature = "std")]
    pub fn new() -> Self {
        Self::with_level(best_level())
    }

    /// With the instructions that every processor of the target has.
    pub const fn baseline() -> Self {
        Self::with_level(Level::baseline())
    }

    /// With the instructions of a level.
    pub const fn with_level(level: Level) -> Self {
        const { assert!(MOST * NB <= u16::MAX as usize, "bodies of all lanes have indices of 16 bits") };
        Worlds { level, sets: [const { Set::EMPTY }; 2], solver: Solver::new() }
    }

    /// The instructions that are used.
    pub fn level(&self) -> &'static str {
        level_name(self.level)
    }

    /// Solves every world of a queue as [`Solver::solve`] does, to the bit, and sets the new velocities of its bodies.
    ///
    /// `each` is called once for every world, with its place in the queue, its report or why it is rejected, and what its
    /// contacts carry; not in the order of the queue, but the order is the same on every machine with as many lanes.
    pub fn solve_all<'a>(
        &mut self,
        queue: impl IntoIterator<Item = (&'a mut Bodies<T, NB>, &'a Contacts<T, NC>)>,
        settings: &Settings<T>,
        dt: T,
        mut each: impl FnMut(usize, Solved<T>, Answer<'_, T, NB, NC>),
    ) {
        let Worlds { level, sets, solver } = self;
        let (level, lanes, queue) = (*level, LanesOf::new(sets), &mut queue.into_iter().fuse());
        Run { level, settings, dt, solver, queue, each: &mut each, lanes, taken: 0 }.answer_all();
    }
}

#[cfg(feature = "std")]
impl<T: LaneScalar, const NB: usize, const NC: usize> Default for Worlds<T, NB, NC> {
    fn default() -> Self {
        Self::new()
    }
}
