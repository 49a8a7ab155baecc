//! The memory for sweeps in lanes.
use fearless_simd::{Level, Simd, dispatch};
use stiction::sweep::lane_memory::{LaneMemory, LaneRow, MovableBodies, Velocity, at};

use crate::group::Group;
#[cfg(feature = "std")]
use crate::level::best_level;
use crate::level::level_name;
use crate::plan::{Plan, Run};
use crate::scalar::LaneScalar;
use crate::visit::visit;

/// Memory for sweeps over several contacts at once. `NB` is the number of bodies of the whole problem or world, as in
/// `Bodies<T, NB>`; `NC` is the number of contacts of the largest island. `NG` groups can be visited in lanes, of eight
/// contacts each in `f32` and four in `f64`; contacts for which they do not suffice are visited one by one. Islands of
/// more contacts, or with a body whose index is `NB` or more, are swept without it.
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
        Lanes { level, plan: Plan::new(), groups: [Group::EMPTY; NG], squares: [T::ZERO; NC], rows: 0 }
    }

    /// Uses the instructions of a level from now on.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// The instructions that are used.
    pub fn level(&self) -> &'static str {
        level_name(self.level)
    }

    /// All that is stored, for tests of memory faults: the plan, the groups and the squares of changes.
    #[doc(hidden)]
    pub fn stored(&mut self) -> (&mut Plan<NB, NC>, &mut [Group<T>], &mut [T]) {
        (&mut self.plan, &mut self.groups, &mut self.squares)
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

/// Visits groups one after another, with the instructions of a level: one copy for memory of all sizes.
#[inline(never)]
fn visit_at<T: LaneScalar>(
    level: Level,
    groups: &mut [Group<T>],
    velocities: &mut [Velocity<T>],
    squares: &mut [T],
    is_backward: bool,
) {
    dispatch!(level, simd => visit_all(simd, groups, velocities, squares, is_backward));
}

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
                let Some(group) = groups.get_mut(if is_backward { count - 1 - at } else { at }) else { break };
                if !group.is_intact() {
                    continue;
                }
                let changes = visit(simd, group, velocities);
                for (row, change) in group.used_rows().iter().zip(changes.as_ref()) {
                    if let Some(square) = squares.get_mut(usize::from(*row)) {
                        *square = *change;
                    }
                }
            }
        },
    );
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NG: usize> LaneMemory<T> for Lanes<T, NB, NC, NG> {
    fn plan(&mut self, rows: usize, movable: &dyn Fn(usize) -> MovableBodies) -> bool {
        self.rows = rows;
        let is_worthwhile = 2 * self.plan.make(rows, T::WIDTH, NG, movable) >= rows;
        if !is_worthwhile {
            self.plan.clear();
        }
        is_worthwhile
    }

    fn load(&mut self, row: &dyn Fn(usize, &mut LaneRow<T>) -> bool) {
        let mut contact = LaneRow { bodies: [0; 2], numbers: [T::ZERO; at::COUNT] };
        for (at, group) in self.groups.iter_mut().enumerate().take(self.plan.groups_in_lanes()) {
            group.clear();
            for member in self.plan.members(at) {
                if row(usize::from(*member), &mut contact) {
                    group.push(*member, &contact);
                }
            }
        }
    }

    fn reload(&mut self, row: &dyn Fn(usize) -> [T; at::CHANGING]) {
        for group in self.groups.iter_mut().take(self.plan.groups_in_lanes()) {
            group.has_targets = false;
            for lane in 0..group.used_rows().len() {
                group.set_changing(lane, row(usize::from(group.rows[lane])));
            }
        }
    }

    fn runs(&self) -> usize {
        self.plan.runs().len()
    }

    fn is_in_lanes(&self, run: usize) -> bool {
        self.plan.runs().get(run).is_some_and(|run| run.in_lanes)
    }

    fn visit(&mut self, run: usize, is_backward: bool, velocities: &mut [Velocity<T>]) {
        let Some(Run { first, end, .. }) = self.plan.runs().get(run).copied() else { return };
        let Some(groups) = self.groups.get_mut(usize::from(first)..usize::from(end)) else { return };
        visit_at(self.level, groups, velocities, &mut self.squares, is_backward);
    }

    fn visit_alone(&mut self, run: usize, is_backward: bool, visit: &mut dyn FnMut(usize) -> T) {
        let Some(run) = self.plan.runs().get(run) else { return };
        let rows = self.plan.alone(*run);
        for at in 0..rows.len() {
            let Some(row) = rows.get(if is_backward { rows.len() - 1 - at } else { at }) else { break };
            let row = usize::from(*row);
            if let Some(square) = self.squares.get_mut(row) {
                *square = visit(row);
            }
        }
    }

    fn sum_of_squares(&self, is_backward: bool) -> T {
        let squares = self.squares.get(..self.rows).unwrap_or(&self.squares);
        let mut sum = T::ZERO;
        if is_backward {
            squares.iter().rev().for_each(|square| sum += *square);
        } else {
            squares.iter().for_each(|square| sum += *square);
        }
        sum
    }

    fn store(&self, each: &mut dyn FnMut(usize, [T; 3], T)) {
        for group in self.groups.iter().take(self.plan.groups_in_lanes()) {
            for (lane, row) in group.used_rows().iter().enumerate() {
                let number = |at: usize| group.number(at, lane);
                let impulse = [number(at::IMPULSE), number(at::IMPULSE + 1), number(at::IMPULSE + 2)];
                each(usize::from(*row), impulse, number(at::SIGMA));
            }
        }
    }
}
