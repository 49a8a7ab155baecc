//! Sweeps over several contacts at once, in memory and by code that the caller provides: the crate `stiction-lanes`.
//!
//! A visit reads and writes its own row and two bodies. Contacts that share no movable body can be visited side by side,
//! each in a lane of vector registers. A plan puts them into groups so that contacts which do share a body stay in their
//! order: every visit then sees the numbers that it sees in a sweep one by one, and does the same arithmetic. So the
//! bits are the same with and without such memory.
//!
//! Sums over all contacts are added in the order of rows: the change of a sweep is.
use nalgebra::Vector2;

use crate::local::block::Block;
use crate::local::cone::Cone;
use crate::local::exact::{NEARLY, QUICK_STEPS, exact_bracketed};
use crate::local::free_velocity::Free;
use crate::math::real::Real;
pub use crate::math::velocity::Velocity;

/// What of an island's rows is in the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loaded {
    Nothing,
    /// All but what changes between sweeps.
    Constants,
    Everything,
}

/// Offsets in the numbers of a row.
pub mod at {
    /// `n, t1, t2`.
    pub const FRAME: usize = 0;
    /// `I⁻¹(r×d)` of A for these three directions.
    pub const TURN_A: usize = 9;
    /// The same of B.
    pub const TURN_B: usize = 18;
    /// Lever arm of A.
    pub const R_A: usize = 27;
    /// Lever arm of B.
    pub const R_B: usize = 30;
    /// Inverse mass of A, 0 if it is immovable.
    pub const INV_MASS_A: usize = 33;
    /// Inverse mass of B.
    pub const INV_MASS_B: usize = 34;
    /// `K⁻¹F` by columns.
    pub const INVERSE: usize = 35;
    /// Friction coefficient.
    pub const MU: usize = 44;
    /// Normal impulse of the bounce.
    pub const PRELOAD: usize = 45;
    /// Impulse along `n, t1, t2`.
    pub const IMPULSE: usize = 46;
    /// Target normal velocity.
    pub const TARGET: usize = 49;
    /// `σ` of the last visit.
    pub const SIGMA: usize = 50;
    /// `1/K_nn`.
    pub const INVERSE_NORMAL: usize = 51;
    /// `K_nt/K_nn`.
    pub const ROW: usize = 52;
    /// `K_tn/K_nn`.
    pub const COLUMN: usize = 54;
    /// The Schur complement by rows.
    pub const SCHUR: usize = 56;
    /// Its eigenvalues, 0 if they are not known.
    pub const EIGENVALUES: usize = 60;
    /// Cosine and sine of its axes.
    pub const AXES: usize = 62;
    /// `K_nn`.
    pub const NORMAL: usize = 64;
    /// How many numbers there are.
    pub const COUNT: usize = 65;
    /// How many of them change between sweeps, from [`PRELOAD`] on.
    pub const CHANGING: usize = SIGMA + 1 - PRELOAD;
}

/// All numbers of a contact that a visit reads, see [`at`].
///
/// ```
/// use stiction::sweep::lane_memory::{LaneRow, at};
/// let row = LaneRow { bodies: [0, 1], numbers: [0.5_f32; at::COUNT] };
/// assert_eq!(row.numbers[at::MU], 0.5);
/// ```
pub struct LaneRow<T> {
    /// Bodies A and B.
    pub bodies: [u16; 2],
    /// In velocity units.
    pub numbers: [T; at::COUNT],
}

/// The movable bodies of a contact.
pub type MovableBodies = [Option<u16>; 2];

/// Memory and code for sweeps in lanes.
///
/// ```
/// use stiction::Hooks;
/// use stiction::sweep::lane_memory::LaneMemory;
/// /// Hooks with memory for lanes, if there is some.
/// fn hooks<'a>(lanes: Option<&'a mut dyn LaneMemory<f32>>) -> Hooks<'a, f32> {
///     Hooks { lanes, ..Hooks::default() }
/// }
/// assert!(hooks(None).lanes.is_none());
/// ```
pub trait LaneMemory<T: Real> {
    /// Plans sweeps over so many rows; false if lanes are not worthwhile.
    fn plan(&mut self, rows: usize, movable: &dyn Fn(usize) -> MovableBodies) -> bool;
    /// Takes the numbers of the rows that are visited in lanes; `row` fills in one, and returns false if there is none.
    fn load(&mut self, row: &dyn Fn(usize, &mut LaneRow<T>) -> bool);
    /// Takes the numbers that change between sweeps: those from [`at::PRELOAD`] to [`at::SIGMA`].
    fn reload(&mut self, row: &dyn Fn(usize) -> [T; at::CHANGING]);
    /// How many runs the plan has, one after another in a forward sweep.
    fn runs(&self) -> usize;
    /// Whether a run is visited in lanes; otherwise its rows are visited one by one.
    fn is_in_lanes(&self, run: usize) -> bool;
    /// Visits the groups of a run in lanes.
    fn visit(&mut self, run: usize, is_backward: bool, velocities: &mut [Velocity<T>]);
    /// Calls `visit` for the rows of a run one by one; it returns the square of the row's change.
    fn visit_alone(&mut self, run: usize, is_backward: bool, visit: &mut dyn FnMut(usize) -> T);
    /// The sum of all squares of changes, in the order of rows.
    fn sum_of_squares(&self, is_backward: bool) -> T;
    /// Gives the impulse and `σ` of every row that is visited in lanes.
    fn store(&self, each: &mut dyn FnMut(usize, [T; 3], T));
}

/// Constants of the kernel's own visit.
///
/// ```
/// use stiction::sweep::lane_memory::VisitLimits;
/// assert_eq!(VisitLimits::<f32>::new().steps, 8);
/// ```
pub struct VisitLimits<T> {
    /// Newton steps before a contact is left to brackets.
    pub steps: u32,
    /// The square of the distance from the rim, relative, from which one more step reaches it.
    pub near: T,
    /// A Newton step is short below this, relative to the smaller eigenvalue.
    pub short: T,
    /// Larger squares of changes are not used.
    pub largest: T,
}

impl<T: Real> VisitLimits<T> {
    /// Those of the scalar type.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "there is nothing to choose")]
    pub fn new() -> Self {
        let near = T::lit(4.0 * NEARLY) * T::EPSILON;
        VisitLimits { steps: QUICK_STEPS, near, short: T::CUBE_ROOT_EPSILON, largest: T::MAX }
    }
}

/// A contact that a visit in lanes leaves to the solution in brackets: its impulse and `σ`, from the numbers of its row,
/// its normal impulse without friction as `-lift`, its tangential velocity `b`, and a guess of `σ`.
#[cold]
#[inline(never)]
pub fn solve_alone<T: Real>(numbers: &[T; at::COUNT], lift: T, b: [T; 2], guess: T) -> ([T; 3], T) {
    let block = numbers.get(at::INVERSE_NORMAL..).and_then(<[T]>::first_chunk).copied();
    let block = Block::of_lane_numbers(block.unwrap_or([T::ZERO; 14]));
    let cone = Cone { mu: numbers[at::MU], preload: numbers[at::PRELOAD] };
    let free = Free { lift, b: Vector2::new(b[0], b[1]) };
    let solution = exact_bracketed(&block, &cone, &free, guess);
    (solution.impulse.into(), solution.sigma)
}
