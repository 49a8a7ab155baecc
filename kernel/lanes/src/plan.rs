//! Which contacts are visited side by side.
//!
//! Each contact goes into the earliest group that has a free lane and comes after every group that touched one of its
//! movable bodies. So no movable body occurs twice in a group, and contacts that share one are visited in the order of
//! their rows. Backward sweeps take groups and lanes in the opposite order.
//!
//! Groups of fewer than [`LEAST`] contacts are not worthwhile: their contacts are visited one by one, in the place of
//! their group. Runs are stretches of groups of one kind.
//!
//! Bits of a plan may flip between sweeps, so no index is trusted: nothing here can panic.
use stiction::sweep::lane_memory::MovableBodies;

/// Contacts from which on a group is visited in lanes.
pub const LEAST: usize = 3;

/// A stretch of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Run {
    /// Whether it is visited in lanes: then `first` and `end` are groups, otherwise places in the order of rows.
    pub in_lanes: bool,
    /// The first of its groups or rows.
    pub first: u16,
    /// One after its last.
    pub end: u16,
}

/// A plan for up to `NC` contacts of an island, of bodies with indices below `NB`.
#[derive(Debug)]
pub struct Plan<const NB: usize, const NC: usize> {
    /// The first group that each body may be in next.
    ready: [u16; NB],
    /// For each group, itself, or a later one if it is full: the first with a free lane follows from here.
    next: [u16; NC],
    /// How many contacts each group has.
    pub filled: [u8; NC],
    group_of: [u16; NC],
    /// Rows in the order of their groups.
    pub order: [u16; NC],
    /// Where each group begins in that order.
    pub starts: [u16; NC],
    /// The groups that are visited in lanes.
    pub in_lanes: [u16; NC],
    /// How many groups are visited in lanes.
    pub lane_groups: usize,
    /// The runs, in the order of a forward sweep.
    pub runs: [Run; NC],
    /// How many there are.
    pub run_count: usize,
    groups: usize,
}

impl<const NB: usize, const NC: usize> Plan<NB, NC> {
    /// Of no contacts.
    pub const fn new() -> Self {
        Plan {
            ready: [0; NB],
            next: [0; NC],
            filled: [0; NC],
            group_of: [0; NC],
            order: [0; NC],
            starts: [0; NC],
            in_lanes: [0; NC],
            lane_groups: 0,
            runs: [Run { in_lanes: false, first: 0, end: 0 }; NC],
            run_count: 0,
            groups: 0,
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        (self.groups, self.lane_groups, self.run_count) = (0, 0, 0);
    }

    /// Plans visits of so many rows in groups of `lanes`, no more than `most` of them in lanes. Returns how many rows
    /// are in lanes; none if there are too many rows, or a body's index is too large.
    pub fn make(&mut self, rows: usize, lanes: usize, most: usize, movable: &dyn Fn(usize) -> MovableBodies) -> usize {
        self.clear();
        if rows > NC || rows > usize::from(u16::MAX) {
            return 0;
        }
        self.ready = [0; NB];
        for row in 0..rows {
            let bodies = movable(row);
            if bodies.iter().flatten().any(|body| usize::from(*body) >= NB) {
                self.clear();
                return 0;
            }
            self.place(row, lanes, bodies);
        }
        self.sort(rows);
        self.divide(lanes, most)
    }

    /// Places a row in its group.
    fn place(&mut self, row: usize, lanes: usize, bodies: MovableBodies) {
        let ready = |body: &u16| self.ready.get(usize::from(*body)).copied().unwrap_or(0);
        let earliest = bodies.iter().flatten().map(ready).max().unwrap_or(0);
        let group = self.free_from(usize::from(earliest));
        let of_row = self.group_of.get_mut(row);
        let (Some(next), Some(filled), Some(of_row)) = (self.next.get_mut(group), self.filled.get_mut(group), of_row)
        else {
            return;
        };
        if group == self.groups {
            (*next, *filled) = (group as u16, 0);
            self.groups += 1;
        }
        *filled += 1;
        if usize::from(*filled) == lanes {
            *next = group as u16 + 1;
        }
        *of_row = group as u16;
        for body in bodies.into_iter().flatten() {
            if let Some(ready) = self.ready.get_mut(usize::from(body)) {
                *ready = group as u16 + 1;
            }
        }
    }

    /// The first group from here on that has a free lane; a new one if there is none.
    fn free_from(&mut self, mut group: usize) -> usize {
        // Every step goes on by at least one group.
        for _ in 0..NC {
            let Some(after) = self.next.get(group).copied().filter(|_| group < self.groups) else { break };
            if usize::from(after) == group {
                break;
            }
            let next = self.next.get(usize::from(after)).copied().filter(|_| usize::from(after) < self.groups);
            let next = next.unwrap_or(after);
            if let Some(to) = self.next.get_mut(group) {
                *to = next;
            }
            group = usize::from(next);
        }
        group
    }

    /// Sorts rows by their groups; rows of a group keep their order.
    fn sort(&mut self, rows: usize) {
        let mut start = 0;
        for (to, filled) in self.starts.iter_mut().zip(&self.filled).take(self.groups) {
            *to = start;
            start += u16::from(*filled);
        }
        // Where the next row of each group goes.
        self.next = self.starts;
        for (row, group) in self.group_of.iter().enumerate().take(rows) {
            let Some(place) = self.next.get_mut(usize::from(*group)) else { continue };
            if let Some(to) = self.order.get_mut(usize::from(*place)) {
                *to = row as u16;
            }
            *place += 1;
        }
    }

    /// Divides the groups into runs; returns how many rows are in lanes.
    fn divide(&mut self, lanes: usize, most: usize) -> usize {
        let mut rows_in_lanes = 0;
        for group in 0..self.groups {
            let (Some(filled), Some(start)) = (self.filled.get(group), self.starts.get(group)) else { break };
            let (count, start, next) = (usize::from(*filled), *start, self.lane_groups as u16);
            match self.in_lanes.get_mut(self.lane_groups).filter(|_| self.lane_groups < most) {
                Some(in_lanes) if count >= LEAST.min(lanes) => {
                    *in_lanes = group as u16;
                    self.lane_groups += 1;
                    rows_in_lanes += count;
                    self.extend(Run { in_lanes: true, first: next, end: next + 1 });
                }
                _ => self.extend(Run { in_lanes: false, first: start, end: start + count as u16 }),
            }
        }
        rows_in_lanes
    }

    fn extend(&mut self, run: Run) {
        if let Some(last) = self.run_count.checked_sub(1).and_then(|last| self.runs.get_mut(last))
            && last.in_lanes == run.in_lanes
            && last.end == run.first
        {
            last.end = run.end;
        } else if let Some(new) = self.runs.get_mut(self.run_count) {
            *new = run;
            self.run_count += 1;
        }
    }

    /// The runs, in the order of a forward sweep.
    pub fn runs(&self) -> &[Run] {
        self.runs.get(..self.run_count).unwrap_or(&[])
    }

    /// The rows of a group in lanes.
    pub fn members(&self, lane_group: usize) -> &[u16] {
        let Some(group) = self.in_lanes.get(lane_group).map(|group| usize::from(*group)) else { return &[] };
        let (Some(start), Some(count)) = (self.starts.get(group), self.filled.get(group)) else { return &[] };
        let start = usize::from(*start);
        self.order.get(start..start + usize::from(*count)).unwrap_or(&[])
    }

    /// Rows that are visited one by one, by their places in the order.
    pub fn alone(&self, run: Run) -> &[u16] {
        self.order.get(usize::from(run.first)..usize::from(run.end)).unwrap_or(&[])
    }

    /// How many groups are visited in lanes.
    pub fn groups_in_lanes(&self) -> usize {
        self.lane_groups
    }
}

impl<const NB: usize, const NC: usize> Default for Plan<NB, NC> {
    fn default() -> Self {
        Self::new()
    }
}
