//! In which order bodies are eliminated from a factor, and which pairs of them it fills in.
//!
//! Nodes are the bodies of an island, edges the pairs that touch. Eliminating a node joins all its neighbours that are
//! left. The node with the fewest of them goes first; of several, the one farthest from immovable bodies. So a stack
//! is eliminated from its top: from the ground upwards, each block would be a small difference of large numbers.

/// The end of a chain; a node that is not eliminated yet, or has no way to an immovable body.
const NONE: u16 = u16::MAX;

/// A graph with `N` nodes and edges in all.
pub(crate) struct BodyGraph<const N: usize> {
    /// The nodes of an edge.
    ends: [[u16; 2]; N],
    /// The next edge in the chain of each of its nodes.
    next: [[u16; 2]; N],
    /// The first edge of a node's chain.
    head: [u16; N],
    /// Neighbours of a node that are not eliminated.
    degree: [u16; N],
    /// Pairs between a node and an immovable body.
    distance: [u16; N],
    /// When a node is eliminated.
    position: [u16; N],
    nodes: usize,
    edges: usize,
}

impl<const N: usize> BodyGraph<N> {
    pub const fn new() -> Self {
        BodyGraph {
            ends: [[0; 2]; N],
            next: [[NONE; 2]; N],
            head: [NONE; N],
            degree: [0; N],
            distance: [NONE; N],
            position: [NONE; N],
            nodes: 0,
            edges: 0,
        }
    }

    /// Begins with nodes that touch nothing; `None` here and below if there are too many.
    pub fn reset(&mut self, nodes: usize) -> Option<()> {
        (self.nodes, self.edges) = (nodes, 0);
        for column in [&mut self.head, &mut self.distance, &mut self.position] {
            column.get_mut(..nodes)?.fill(NONE);
        }
        self.degree.get_mut(..nodes)?.fill(0);
        Some(())
    }

    /// How many pairs there are, with those that are filled in.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// When a node is eliminated.
    pub fn position(&self, node: usize) -> usize {
        self.position.get(node).map_or(0, |position| usize::from(*position))
    }

    /// Notes that a node touches an immovable body.
    pub fn ground(&mut self, node: usize) {
        if let Some(distance) = self.distance.get_mut(node) {
            *distance = 0;
        }
    }

    /// Joins two nodes, unless they are joined already.
    pub fn join(&mut self, a: usize, b: usize) -> Option<()> {
        let mut edge = self.first(a);
        for _ in 0..N {
            let Some((other, next)) = self.follow(a, edge) else { break };
            if other == b {
                return Some(());
            }
            edge = next;
        }
        let new = self.edges;
        let (Some(ends), Some(next)) = (self.ends.get_mut(new), self.next.get_mut(new)) else {
            return None;
        };
        *ends = [a as u16, b as u16];
        for (node, next) in [a, b].into_iter().zip(next) {
            if let (Some(head), Some(degree)) = (self.head.get_mut(node), self.degree.get_mut(node)) {
                *next = *head;
                *head = new as u16;
                *degree += 1;
            }
        }
        self.edges += 1;
        Some(())
    }

    /// Eliminates all nodes, and joins what that joins.
    pub fn eliminate(&mut self) -> Option<()> {
        self.measure_distances();
        for position in 0..self.nodes {
            let node = self.next_node();
            if let Some(slot) = self.position.get_mut(node) {
                *slot = position as u16;
            }
            self.join_neighbours(node)?;
        }
        Some(())
    }

    /// Calls back with the neighbours of a node that are eliminated after it.
    pub fn later_neighbours(&self, node: usize, mut take: impl FnMut(usize)) {
        let mut edge = self.first(node);
        for _ in 0..N {
            let Some((other, next)) = self.follow(node, edge) else { break };
            edge = next;
            if self.position(other) > self.position(node) {
                take(other);
            }
        }
    }

    fn first(&self, node: usize) -> u16 {
        self.head.get(node).copied().unwrap_or(NONE)
    }

    /// The other node of an edge, and the next edge in a node's chain.
    #[inline(always)]
    fn follow(&self, node: usize, edge: u16) -> Option<(usize, u16)> {
        let (ends, next) = (self.ends.get(usize::from(edge))?, self.next.get(usize::from(edge))?);
        let is_first = usize::from(ends[0]) == node;
        Some(if is_first { (usize::from(ends[1]), next[0]) } else { (usize::from(ends[0]), next[1]) })
    }

    fn is_left(&self, node: usize) -> bool {
        self.position.get(node).is_some_and(|position| *position == NONE)
    }

    /// Distances from immovable bodies, until none becomes shorter.
    fn measure_distances(&mut self) {
        for _ in 0..self.nodes {
            let mut changed = false;
            for edge in self.ends.iter().take(self.edges) {
                let [a, b] = edge.map(|node| self.distance.get(usize::from(node)).copied().unwrap_or(NONE));
                let (near, far) = if a < b { (a, edge[1]) } else { (b, edge[0]) };
                if let Some(slot) =
                    self.distance.get_mut(usize::from(far)).filter(|slot| **slot > near.saturating_add(1))
                {
                    *slot = near.saturating_add(1);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// The node that is eliminated next.
    fn next_node(&self) -> usize {
        let (mut best, mut key) = (0, (NONE, 0));
        for (node, (degree, distance)) in self.degree.iter().zip(&self.distance).enumerate().take(self.nodes) {
            let better = *degree < key.0 || (*degree == key.0 && *distance > key.1);
            if better && self.is_left(node) {
                (best, key) = (node, (*degree, *distance));
            }
        }
        best
    }

    /// Joins the neighbours of a node that are left.
    fn join_neighbours(&mut self, node: usize) -> Option<()> {
        let mut edge = self.first(node);
        for _ in 0..N {
            let Some((one, next)) = self.follow(node, edge) else { break };
            edge = next;
            if !self.is_left(one) {
                continue;
            }
            if let Some(degree) = self.degree.get_mut(one) {
                *degree = degree.saturating_sub(1);
            }
            let mut second = edge;
            for _ in 0..N {
                let Some((other, next)) = self.follow(node, second) else { break };
                second = next;
                if self.is_left(other) {
                    self.join(one, other)?;
                }
            }
        }
        Some(())
    }
}
