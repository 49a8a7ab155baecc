//! Which contacts are visited side by side.
//!
//! Each contact goes into the earliest group that has a free lane and comes after every group that touched one of its
//! movable bodies. So no movable body occurs twice in a group, and contacts that share one are visited in the order of
//! their rows. Backward sweeps take groups and lanes in the opposite order.
//!
//! Groups of fewer than [`LEAST`] contacts are not worthwhile: their contacts are visited one by one, in the place of
//! their group. Runs are stretches of groups of one kind.
//!
//! Bits of a plan may flip between sweeps. So a plan that was made is read without an index that can be out of bounds.
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

/// A plan for up to `NC` contacts of up to `NB` bodies.
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

    /// Plans visits of so many rows in groups of `lanes`, no more than `most` of them in lanes. Returns how many rows
    /// are in lanes; none if the capacity does not suffice.
    pub fn make(&mut self, rows: usize, lanes: usize, most: usize, movable: &dyn Fn(usize) -> MovableBodies) -> usize {
        (self.groups, self.lane_groups, self.run_count) = (0, 0, 0);
        if rows > NC || rows > usize::from(u16::MAX) {
            return 0;
        }
        self.ready = [0; NB];
        for row in 0..rows {
            let bodies = movable(row);
            if bodies.iter().flatten().any(|body| usize::from(*body) >= NB) {
                return 0;
            }
            self.place(row, lanes, bodies);
        }
        self.sort(rows);
        self.divide(lanes, most)
    }

    /// Places a row in its group.
    fn place(&mut self, row: usize, lanes: usize, bodies: MovableBodies) {
        let earliest = bodies.iter().flatten().map(|body| self.ready[usize::from(*body)]).max().unwrap_or(0);
        let group = self.free_from(usize::from(earliest));
        if group == self.groups {
            (self.next[group], self.filled[group]) = (group as u16, 0);
            self.groups += 1;
        }
        self.filled[group] += 1;
        if usize::from(self.filled[group]) == lanes {
            self.next[group] = group as u16 + 1;
        }
        self.group_of[row] = group as u16;
        for body in bodies.into_iter().flatten() {
            self.ready[usize::from(body)] = group as u16 + 1;
        }
    }

    /// The first group from here on that has a free lane; a new one if there is none.
    fn free_from(&mut self, mut group: usize) -> usize {
        // Every step goes on by at least one group.
        for _ in 0..NC {
            if group >= self.groups || usize::from(self.next[group]) == group {
                break;
            }
            let after = usize::from(self.next[group]);
            if after < self.groups {
                self.next[group] = self.next[after];
            }
            group = usize::from(self.next[group]);
        }
        group
    }

    /// Sorts rows by their groups; rows of a group keep their order.
    fn sort(&mut self, rows: usize) {
        let mut start = 0;
        for group in 0..self.groups {
            self.starts[group] = start;
            start += u16::from(self.filled[group]);
        }
        // Where the next row of each group goes.
        self.next = self.starts;
        for row in 0..rows {
            let place = &mut self.next[usize::from(self.group_of[row])];
            self.order[usize::from(*place)] = row as u16;
            *place += 1;
        }
    }

    /// Divides the groups into runs; returns how many rows are in lanes.
    fn divide(&mut self, lanes: usize, most: usize) -> usize {
        let mut rows_in_lanes = 0;
        for group in 0..self.groups {
            let (count, start) = (usize::from(self.filled[group]), self.starts[group]);
            let next = self.lane_groups as u16;
            if count >= LEAST.min(lanes) && self.lane_groups < most {
                self.extend(Run { in_lanes: true, first: next, end: next + 1 });
                self.in_lanes[self.lane_groups] = group as u16;
                self.lane_groups += 1;
                rows_in_lanes += count;
            } else {
                self.extend(Run { in_lanes: false, first: start, end: start + count as u16 });
            }
        }
        rows_in_lanes
    }

    fn extend(&mut self, run: Run) {
        match self.run_count.checked_sub(1).and_then(|last| self.runs.get_mut(last)) {
            Some(last) if last.in_lanes == run.in_lanes && last.end == run.first => last.end = run.end,
            _ => {
                self.runs[self.run_count] = run;
                self.run_count += 1;
            }
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
