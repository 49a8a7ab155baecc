//! The memory for sweeps in lanes.
use fearless_simd::{Level, Simd, dispatch};
use stiction::sweep::lane_memory::{LaneMemory, LaneRow, MovableBodies, Velocity, at};

use crate::group::Group;
use crate::level::level_name;
use crate::plan::{Plan, Run};
use crate::scalar::LaneScalar;
use crate::visit::visit;

/// Memory for sweeps over several contacts at once, for islands of up to `NB` bodies and `NC` contacts. `NG` groups can
/// be visited in lanes, of eight contacts each in `f32` and four in `f64`; contacts for which they do not suffice are
/// visited one by one. Islands that are too large are swept without it.
///
/// ```
/// use stiction_lanes::Lanes;
/// let lanes = Lanes::<f32, 16, 64, 16>::new();
/// assert!(size_of_val(&lanes) < 48 * 1024);
/// println!("{}", lanes.level()); // what the processor has
/// ```
pub struct Lanes<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> {
    level: Level,
    plan: Plan<NB, NC>,
    groups: [Group<T>; NG],
    squares: [T; NC],
    rows: usize,
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> Lanes<T, NB, NC, NG> {
    /// With the widest instructions of the processor.
    #[cfg(feature = "std")]
    pub fn new() -> Self {
        Self::with_level(Level::new())
    }

    /// With the instructions that every processor of the target has.
    pub const fn baseline() -> Self {
        Self::with_level(Level::baseline())
    }

    /// With the instructions of a level.
    pub const fn with_level(level: Level) -> Self {
        Lanes { level, plan: Plan::new(), groups: [Group::EMPTY; NG], squares: [T::ZERO; NC], rows: 0 }
    }

    /// The instructions that are used.
    pub fn level(&self) -> &'static str {
        level_name(self.level)
    }

    /// How many contacts of the last plan are visited in lanes, and in how many groups.
    pub fn in_lanes(&self) -> (usize, usize) {
        let groups = self.plan.groups_in_lanes();
        ((0..groups).map(|group| self.plan.members(group).len()).sum(), groups)
    }
}

#[cfg(feature = "std")]
impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> Default for Lanes<T, NB, NC, NG> {
    fn default() -> Self {
        Self::new()
    }
}

/// Visits groups one after another.
#[inline(always)]
fn visit_all<S: Simd, T: LaneScalar>(
    simd: S,
    groups: &mut [Group<T>],
    velocities: &mut [Velocity<T>],
    squares: &mut [T],
    is_backward: bool,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let count = groups.len();
            for at in 0..count {
                let group = &mut groups[if is_backward { count - 1 - at } else { at }];
                let changes = visit(simd, group, velocities);
                for lane in 0..usize::from(group.count) {
                    if let Some(square) = squares.get_mut(usize::from(group.rows[lane])) {
                        *square = changes.as_ref()[lane];
                    }
                }
            }
        },
    );
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> LaneMemory<T> for Lanes<T, NB, NC, NG> {
    fn plan(&mut self, rows: usize, movable: &dyn Fn(usize) -> MovableBodies) -> bool {
        self.rows = rows;
        2 * self.plan.make(rows, T::WIDTH, NG, movable) >= rows
    }

    fn load(&mut self, row: &dyn Fn(usize) -> Option<LaneRow<T>>) {
        for (at, group) in self.groups.iter_mut().enumerate().take(self.plan.groups_in_lanes()) {
            group.clear();
            for member in self.plan.members(at) {
                if let Some(contact) = row(usize::from(*member)) {
                    group.push(*member, &contact);
                }
            }
        }
    }

    fn runs(&self) -> usize {
        self.plan.runs().len()
    }

    fn is_in_lanes(&self, run: usize) -> bool {
        self.plan.runs()[run].in_lanes
    }

    fn visit(&mut self, run: usize, is_backward: bool, velocities: &mut [Velocity<T>]) {
        let Run { first, end, .. } = self.plan.runs()[run];
        let (groups, squares) = (&mut self.groups[usize::from(first)..usize::from(end)], &mut self.squares[..]);
        dispatch!(self.level, simd => visit_all(simd, groups, velocities, squares, is_backward));
    }

    fn visit_alone(&mut self, run: usize, is_backward: bool, visit: &mut dyn FnMut(usize) -> T) {
        let rows = self.plan.alone(self.plan.runs()[run]);
        for at in 0..rows.len() {
            let row = usize::from(rows[if is_backward { rows.len() - 1 - at } else { at }]);
            self.squares[row] = visit(row);
        }
    }

    fn sum_of_squares(&self, is_backward: bool) -> T {
        let squares = &self.squares[..self.rows];
        let mut sum = T::ZERO;
        if is_backward {
            squares.iter().rev().for_each(|square| sum += *square);
        } else {
            squares.iter().for_each(|square| sum += *square);
        }
        sum
    }

    fn store(&self, each: &mut dyn FnMut(usize, [T; 3], T)) {
        for group in &self.groups[..self.plan.groups_in_lanes()] {
            for lane in 0..usize::from(group.count) {
                let number = |at: usize| group.number(at, lane);
                let impulse = [number(at::IMPULSE), number(at::IMPULSE + 1), number(at::IMPULSE + 2)];
                each(usize::from(group.rows[lane]), impulse, number(at::SIGMA));
            }
        }
    }
}
