//! Factors of a sparse matrix of small square blocks: `L U` by blocks, in a pool of fixed size.
//!
//! Nodes are contacts (3×3 blocks) or bodies (6×6). The pattern is symmetric, the numbers need not be. Nodes are
//! ordered by breadth-first search from one end of their graph and eliminated from the last to the first found (Cuthill
//! and McKee, reversed), which keeps stacks and walls narrow. The pattern of node `k` after elimination is its own
//! later neighbours together with those of its children, the earlier nodes whose first later neighbour it is; so the
//! memory needed is known, and allocated or refused, before any number is computed.
//!
//! Pivots are chosen inside a diagonal block only. For the matrices here, which are nearly similar to definite ones,
//! this is usually sufficient; otherwise a pivot vanishes and the caller falls back.
//!
//! One slot of the pool holds 18 numbers: the two 3×3 blocks of a pair of nodes, or one diagonal block. A pair of 6×6
//! blocks takes four slots, a diagonal one two.
use crate::math::real::Real;
use crate::math::square::{Square, inverted, product};

/// Numbers of a slot.
pub(crate) const SLOT: usize = 18;

/// Data of a node, and of a position in the order of elimination.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The node at this position.
    node: u16,
    /// The position of this node.
    position_in_order: u16,
    mark: u16,
    /// Later neighbours of this position.
    count: u16,
    /// First slot of this position.
    start: u32,
}

impl Node {
    pub const EMPTY: Self = Node { node: 0, position_in_order: 0, mark: 0, count: 0, start: 0 };
}

/// Calls back with every neighbour of a node, some perhaps more than once.
pub(crate) type Neighbours<'a> = dyn Fn(usize, &mut dyn FnMut(usize)) + 'a;

/// The pool and its layout.
pub(crate) struct BlockLu<'a, T> {
    pub slots: &'a mut [[T; SLOT]],
    /// The neighbour whose pair of blocks begins at a slot, by position.
    pub neighbour: &'a mut [u16],
    pub nodes: &'a mut [Node],
    /// Slots in use.
    pub used: usize,
}

/// Slots of a diagonal block.
const fn diagonal_slots(block: usize) -> usize {
    if block > 4 { 2 } else { 1 }
}

/// Slots of a pair of blocks.
const fn pair_slots(block: usize) -> usize {
    if block > 4 { 4 } else { 1 }
}

impl<T: Real> BlockLu<'_, T> {
    /// Orders `count` nodes and assigns memory for their blocks; false if there is too little.
    pub fn analyse<const B: usize>(&mut self, count: usize, neighbours: &Neighbours<'_>) -> bool {
        if count > self.nodes.len() || count >= usize::from(u16::MAX) {
            return false;
        }
        // The last node found from anywhere lies at an end.
        self.order_from(0, count, neighbours);
        let end = self.node_at(count.saturating_sub(1));
        self.order_from(end, count, neighbours);
        self.reverse(count);
        let mut next = 0;
        for position in 0..count {
            let Some(after) = self.allocate_slots::<B>(position, next, neighbours) else { return false };
            next = after;
        }
        self.used = next;
        true
    }

    fn node_at(&self, position: usize) -> usize {
        self.nodes.get(position).map_or(0, |node| usize::from(node.node))
    }

    fn place_of(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(0, |node| usize::from(node.position_in_order))
    }

    /// Puts nodes in the order in which a breadth-first search from `first` finds them.
    fn order_from(&mut self, first: usize, count: usize, neighbours: &Neighbours<'_>) {
        self.nodes.iter_mut().for_each(|node| node.mark = 0);
        let mut found = 0;
        for next in 0..count {
            if next == found {
                // The next connected component starts here.
                let unseen = |node: &usize| self.nodes.get(*node).is_some_and(|node| node.mark == 0);
                let Some(start) = core::iter::once(first).chain(0..count).find(unseen) else { return };
                found = self.found(start, found);
            }
            let node = self.node_at(next);
            neighbours(node, &mut |other| found = self.found(other, found));
        }
    }

    /// Appends a node to the order if it is new; returns the number of ordered nodes.
    fn found(&mut self, node: usize, found: usize) -> usize {
        let Some(new) = self.nodes.get_mut(node).filter(|new| new.mark == 0) else { return found };
        new.mark = 1;
        if let Some(slot) = self.nodes.get_mut(found) {
            slot.node = node as u16;
        }
        found + 1
    }

    fn reverse(&mut self, count: usize) {
        for position in 0..count / 2 {
            let (first, last) = (self.node_at(position), self.node_at(count - 1 - position));
            if let Some(slot) = self.nodes.get_mut(position) {
                slot.node = last as u16;
            }
            if let Some(slot) = self.nodes.get_mut(count - 1 - position) {
                slot.node = first as u16;
            }
        }
        for position in 0..count {
            let node = self.node_at(position);
            if let Some(slot) = self.nodes.get_mut(node) {
                (slot.position_in_order, slot.mark) = (position as u16, 0);
            }
        }
    }

    /// Allocates the slots of a position from `start` on; returns the first slot after them.
    fn allocate_slots<const B: usize>(
        &mut self,
        position: usize,
        start: usize,
        neighbours: &Neighbours<'_>,
    ) -> Option<usize> {
        let first = start + diagonal_slots(B);
        let (mut count, mut full) = (0, first > self.slots.len() || start > u32::MAX as usize);
        let mut take = |this: &mut Self, other: usize| {
            let tag = position as u16 + 1;
            let Some(slot) = this.nodes.get_mut(other).filter(|slot| other > position && slot.mark != tag) else {
                return;
            };
            slot.mark = tag;
            let end = first + (count + 1) * pair_slots(B);
            match this.neighbour.get_mut(first + count * pair_slots(B)) {
                Some(slot) if end <= this.slots.len() => *slot = other as u16,
                _ => full = true,
            }
            count += 1;
        };
        neighbours(self.node_at(position), &mut |other| {
            let other = self.place_of(other);
            take(self, other);
        });
        for child in 0..position {
            if self.later::<B>(child, 0) == Some(position) {
                for e in 1..self.count(child) {
                    if let Some(other) = self.later::<B>(child, e) {
                        take(self, other);
                    }
                }
            }
        }
        if full {
            return None;
        }
        let slot = self.nodes.get_mut(position)?;
        (slot.count, slot.start) = (count as u16, start as u32);
        self.sort::<B>(position);
        Some(first + count * pair_slots(B))
    }

    fn count(&self, position: usize) -> usize {
        self.nodes.get(position).map_or(0, |node| usize::from(node.count))
    }

    fn start(&self, position: usize) -> usize {
        self.nodes.get(position).map_or(0, |node| node.start as usize)
    }

    /// The slot of a position's `e`-th later neighbour.
    fn pair<const B: usize>(&self, position: usize, e: usize) -> usize {
        self.start(position) + diagonal_slots(B) + e * pair_slots(B)
    }

    /// The position of a position's `e`-th later neighbour.
    fn later<const B: usize>(&self, position: usize, e: usize) -> Option<usize> {
        let known = e < self.count(position);
        self.neighbour.get(self.pair::<B>(position, e)).filter(|_| known).map(|other| usize::from(*other))
    }

    /// Sorts a position's later neighbours, by insertion: they come nearly sorted.
    fn sort<const B: usize>(&mut self, position: usize) {
        for end in 1..self.count(position) {
            for e in (0..end).rev() {
                let (left, right) = (self.pair::<B>(position, e), self.pair::<B>(position, e + 1));
                let ordered = self.neighbour.get(left) <= self.neighbour.get(right);
                if ordered {
                    break;
                }
                if let Ok([left, right]) = self.neighbour.get_disjoint_mut([left, right]) {
                    core::mem::swap(left, right);
                }
            }
        }
    }

    /// Forgets all numbers.
    pub fn clear(&mut self) {
        self.slots.iter_mut().take(self.used).for_each(|slot| *slot = [T::ZERO; SLOT]);
    }

    /// Adds to the block in the row of one node and the column of another. Blocks outside the pattern are ignored.
    pub fn add<const B: usize>(&mut self, row: usize, column: usize, block: &Square<T, B>) {
        let (row, column) = (self.place_of(row), self.place_of(column));
        let Some(at) = self.at::<B>(row, column) else { return };
        let mut sum: Square<T, B> = self.load(at);
        for (sum, add) in sum.iter_mut().flatten().zip(block.iter().flatten()) {
            *sum += *add;
        }
        self.store(at, &sum);
    }

    /// Where the block of two positions begins in the flattened pool.
    fn at<const B: usize>(&self, row: usize, column: usize) -> Option<usize> {
        if row == column {
            return Some(self.start(row) * SLOT);
        }
        let (first, later) = if row < column { (row, column) } else { (column, row) };
        let e = (0..self.count(first)).find(|e| self.later::<B>(first, *e) == Some(later))?;
        Some(self.pair::<B>(first, e) * SLOT + if row < column { 0 } else { B * B })
    }

    fn load<const B: usize>(&self, at: usize) -> Square<T, B> {
        let mut block = [[T::ZERO; B]; B];
        let stored = self.slots.as_flattened().get(at..).unwrap_or(&[]);
        block.iter_mut().flatten().zip(stored).for_each(|(to, from)| *to = *from);
        block
    }

    fn store<const B: usize>(&mut self, at: usize, block: &Square<T, B>) {
        let stored = self.slots.as_flattened_mut().get_mut(at..).unwrap_or(&mut []);
        stored.iter_mut().zip(block.iter().flatten()).for_each(|(to, from)| *to = *from);
    }

    /// Factors; false where a pivot vanishes.
    pub fn eliminate<const B: usize>(&mut self, count: usize) -> bool {
        for k in 0..count {
            let at = self.start(k) * SLOT;
            let Some(inverse) = inverted::<T, B>(&self.load(at)) else { return false };
            self.store(at, &inverse);
            for e in 0..self.count(k) {
                let lower = self.pair::<B>(k, e) * SLOT + B * B;
                let scaled = product(&self.load(lower), &inverse);
                self.store(lower, &scaled);
            }
            for e in 0..self.count(k) {
                self.eliminate_row::<B>(k, e);
            }
        }
        true
    }

    /// Eliminates position `k` from the row and the column of its `e`-th later neighbour.
    fn eliminate_row<const B: usize>(&mut self, k: usize, e: usize) {
        let Some(i) = self.later::<B>(k, e) else { return };
        let here = self.pair::<B>(k, e) * SLOT;
        let (upper, lower): (Square<T, B>, Square<T, B>) = (self.load(here), self.load(here + B * B));
        self.subtract_product(self.start(i) * SLOT, &lower, &upper);
        let mut at = 0;
        for f in e + 1..self.count(k) {
            let Some(j) = self.later::<B>(k, f) else { return };
            // Neighbours of `i` ascend like those of `k`.
            let Some(found) = (at..self.count(i)).find(|at| self.later::<B>(i, *at) == Some(j)) else { return };
            at = found + 1;
            let there = self.pair::<B>(k, f) * SLOT;
            let (upper_j, lower_j) = (self.load::<B>(there), self.load::<B>(there + B * B));
            let target = self.pair::<B>(i, found) * SLOT;
            self.subtract_product(target, &lower, &upper_j);
            self.subtract_product(target + B * B, &lower_j, &upper);
        }
    }

    fn subtract_product<const B: usize>(&mut self, at: usize, left: &Square<T, B>, right: &Square<T, B>) {
        let mut block: Square<T, B> = self.load(at);
        for (row, left) in block.iter_mut().zip(left) {
            for (l, right) in left.iter().zip(right) {
                for (entry, r) in row.iter_mut().zip(right) {
                    *entry -= *l * *r;
                }
            }
        }
        self.store(at, &block);
    }

    /// Solves in place; `values` has six numbers a node, of which the first `B` count.
    pub fn solve<const B: usize>(&self, count: usize, values: &mut [[T; 6]]) {
        for k in 0..count {
            let value = self.value(values, k);
            for e in 0..self.count(k) {
                let Some(i) = self.later::<B>(k, e) else { break };
                let lower: Square<T, B> = self.load(self.pair::<B>(k, e) * SLOT + B * B);
                self.subtract(values, i, &lower, &value);
            }
        }
        for k in (0..count).rev() {
            for e in 0..self.count(k) {
                let Some(j) = self.later::<B>(k, e) else { break };
                let upper: Square<T, B> = self.load(self.pair::<B>(k, e) * SLOT);
                let value = self.value(values, j);
                self.subtract(values, k, &upper, &value);
            }
            let inverse: Square<T, B> = self.load(self.start(k) * SLOT);
            let value = self.value(values, k);
            if let Some(slot) = values.get_mut(self.node_at(k)) {
                *slot = [T::ZERO; 6];
            }
            self.subtract(values, k, &inverse, &value.map(|part| -part));
        }
    }

    fn value(&self, values: &[[T; 6]], position: usize) -> [T; 6] {
        values.get(self.node_at(position)).copied().unwrap_or([T::ZERO; 6])
    }

    fn subtract<const B: usize>(&self, values: &mut [[T; 6]], position: usize, block: &Square<T, B>, by: &[T; 6]) {
        let Some(slot) = values.get_mut(self.node_at(position)) else { return };
        for (value, row) in slot.iter_mut().zip(block) {
            for (entry, by) in row.iter().zip(by) {
                *value -= *entry * *by;
            }
        }
    }
}
