//! The factor of a symmetric matrix with one 6×6 block for every body and every pair of bodies that touch.
//!
//! ```text
//! A = L D Lᵀ,     L_qp = A_qp D_p⁻¹,     A_rq −= A_rp L_qpᵀ   for q, r after p
//! ```
//!
//! Bodies are eliminated in the order of [`body_graph`](crate::space::body_graph), column by column. Memory for the
//! pairs is known before any number is computed. Islands follow each other in one pool of `N` blocks: of an island
//! first the diagonal blocks in the order of elimination, then the columns below them.
use core::ops::Range;

use crate::math::real::Real;
use crate::space::block6::Block6;
use crate::space::body_graph::BodyGraph;
use crate::space::velocity::Velocity;

/// Where the blocks of an island are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FactorSpan {
    first: u16,
    bodies: u16,
}

impl FactorSpan {
    pub const EMPTY: Self = FactorSpan { first: 0, bodies: 0 };

    /// Whether an island has blocks.
    pub fn is_some(&self) -> bool {
        self.bodies > 0
    }

    /// Its diagonal blocks.
    fn diagonal(&self) -> Range<usize> {
        usize::from(self.first)..usize::from(self.first) + usize::from(self.bodies)
    }
}

/// Factors of islands in a pool of `N` blocks.
pub(crate) struct BodyFactor<T, const N: usize> {
    /// `D⁻¹` of a body, or `L` of a pair; before they are factored, blocks of `A`.
    block: [Block6<T>; N],
    /// Of a diagonal block its body; of another one the diagonal block of the pair's body that is eliminated later.
    owner: [u16; N],
    /// Of a diagonal block the end of its column.
    end: [u16; N],
    /// The diagonal block of an island's bodies in the island's own order.
    place: [u16; N],
    used: usize,
    graph: BodyGraph<N>,
}

impl<T: Real, const N: usize> BodyFactor<T, N> {
    pub const fn new() -> Self {
        BodyFactor {
            block: [Block6::ZERO; N],
            owner: [0; N],
            end: [0; N],
            place: [0; N],
            used: 0,
            graph: BodyGraph::new(),
        }
    }

    /// Gives all memory back.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Reserves the blocks of an island. `bodies` are in ascending order; in `touching` a body that cannot move is
    /// `None`. Returns `None` if all islands together need more than `capacity` blocks.
    pub fn reserve(
        &mut self,
        bodies: &[u16],
        touching: impl Iterator<Item = [Option<u16>; 2]>,
        capacity: usize,
    ) -> Option<FactorSpan> {
        let first = self.used;
        self.graph.reset(bodies.len())?;
        let mut before = [None; 2];
        for pair in touching {
            // The points of a manifold follow each other.
            if pair == before {
                continue;
            }
            before = pair;
            match pair.map(|body| body.and_then(|body| bodies.binary_search(&body).ok())) {
                [Some(a), Some(b)] => self.graph.join(a, b)?,
                [Some(node), None] | [None, Some(node)] => self.graph.ground(node),
                [None, None] => {}
            }
        }
        self.graph.eliminate()?;
        let end = first + bodies.len() + self.graph.edges();
        if end > capacity || end > N {
            return None;
        }
        self.used = end;
        self.fill_columns(first, bodies);
        Some(FactorSpan { first: first as u16, bodies: bodies.len() as u16 })
    }

    /// Writes down the columns of an island from the graph.
    fn fill_columns(&mut self, first: usize, bodies: &[u16]) {
        for (node, body) in bodies.iter().enumerate() {
            let diagonal = first + self.graph.position(node);
            put(&mut self.place, first + node, diagonal as u16);
            put(&mut self.owner, diagonal, *body);
            // For now the node at this position.
            put(&mut self.end, diagonal, node as u16);
        }
        let mut next = first + bodies.len();
        for diagonal in first..first + bodies.len() {
            let (node, start) = (usize::from(get(&self.end, diagonal)), next);
            let BodyFactor { graph, owner, .. } = self;
            graph.later_neighbours(node, |other| {
                insert(owner, start..next, (first + graph.position(other)) as u16);
                next += 1;
            });
            put(&mut self.end, diagonal, next as u16);
        }
    }

    /// Sets the matrix of an island to zero.
    pub fn begin(&mut self, span: FactorSpan) {
        let diagonal = span.diagonal();
        let end = if diagonal.is_empty() { diagonal.end } else { usize::from(get(&self.end, diagonal.end - 1)) };
        if let Some(blocks) = self.block.get_mut(diagonal.start..end) {
            blocks.fill(Block6::ZERO);
        }
    }

    /// The place of a body's diagonal block.
    pub fn place(&self, span: FactorSpan, bodies: &[u16], body: u16) -> Option<usize> {
        let node = bodies.binary_search(&body).ok()?;
        self.place.get(usize::from(span.first) + node).map(|place| usize::from(*place))
    }

    /// A diagonal block of the matrix.
    pub fn diagonal(&mut self, place: usize) -> Option<&mut Block6<T>> {
        self.block.get_mut(place)
    }

    /// The block of a pair, in the column of the body that is eliminated first.
    pub fn below(&mut self, span: FactorSpan, earlier: usize, later: usize) -> Option<&mut Block6<T>> {
        let entry = self.find(span, earlier, later)?;
        self.block.get_mut(entry)
    }

    #[inline(always)]
    fn column(&self, span: FactorSpan, diagonal: usize) -> Range<usize> {
        let all = span.diagonal();
        let start = if diagonal > all.start { usize::from(get(&self.end, diagonal - 1)) } else { all.end };
        let end = usize::from(get(&self.end, diagonal));
        // Visibly within capacity.
        start..if end < N { end } else { N }
    }

    fn find(&self, span: FactorSpan, earlier: usize, later: usize) -> Option<usize> {
        self.column(span, earlier).find(|entry| usize::from(get(&self.owner, *entry)) == later)
    }

    /// Factors the matrix; false if it is not positive definite in this arithmetic.
    #[inline(never)]
    pub fn factor(&mut self, span: FactorSpan) -> bool {
        for diagonal in span.diagonal() {
            if !self.block.get_mut(diagonal).is_some_and(Block6::invert) {
                return false;
            }
            for entry in self.column(span, diagonal) {
                self.eliminate(span, diagonal, entry);
            }
        }
        true
    }

    /// Subtracts what one pair of a column has to do with those from it on.
    fn eliminate(&mut self, span: FactorSpan, diagonal: usize, entry: usize) {
        let (Some(inverse), Some(own)) = (self.block.get(diagonal), self.block.get(entry)) else { return };
        let lower = own.product(inverse);
        let earlier = usize::from(get(&self.owner, entry));
        for other in entry..self.column(span, diagonal).end {
            let later = usize::from(get(&self.owner, other));
            let target = if other == entry { Some(earlier) } else { self.find(span, earlier, later) };
            let pair = self.block.get(other).copied();
            if let (Some(target), Some(pair)) = (target.and_then(|target| self.block.get_mut(target)), pair) {
                target.subtract_product(&pair, &lower);
            }
        }
        if let Some(slot) = self.block.get_mut(entry) {
            *slot = lower;
        }
    }

    /// Solves for the bodies of an island, in place.
    #[inline(never)]
    pub fn solve<const NB: usize>(&self, span: FactorSpan, values: &mut [Velocity<T>; NB]) {
        let body = |diagonal: usize| usize::from(get(&self.owner, diagonal));
        for diagonal in span.diagonal() {
            let Some(value) = values.get(body(diagonal)).copied() else { return };
            for entry in self.column(span, diagonal) {
                if let Some(slot) = values.get_mut(body(body(entry))) {
                    *slot = slot.minus(&self.block[entry].times(&value));
                }
            }
        }
        for diagonal in span.diagonal().rev() {
            let (Some(value), Some(inverse)) = (values.get(body(diagonal)), self.block.get(diagonal)) else { return };
            let mut value = inverse.times(value);
            for entry in self.column(span, diagonal) {
                if let Some(later) = values.get(body(body(entry))) {
                    value = value.minus(&self.block[entry].transposed_times(later));
                }
            }
            if let Some(slot) = values.get_mut(body(diagonal)) {
                *slot = value;
            }
        }
    }
}

#[inline(always)]
fn get(from: &[u16], at: usize) -> u16 {
    from.get(at).copied().unwrap_or(0)
}

#[inline(always)]
fn put(to: &mut [u16], at: usize, value: u16) {
    if let Some(slot) = to.get_mut(at) {
        *slot = value;
    }
}

/// Inserts a number into a sorted range, which becomes longer by one.
fn insert(list: &mut [u16], sorted: Range<usize>, value: u16) {
    let mut at = sorted.end;
    for before in sorted.rev() {
        let other = get(list, before);
        if other < value {
            break;
        }
        put(list, at, other);
        at = before;
    }
    put(list, at, value);
}

#[cfg(test)]
mod tests {
    use arrayvec::ArrayVec;

    use super::*;
    use crate::math::lanes::Lanes3;

    /// Springs between bodies, whose matrix is definite: some pairs of a 3 by 3 grid, the first row on the ground.
    #[test]
    fn a_solution_fits_its_matrix() -> Result<(), &'static str> {
        let bodies: [u16; 9] = core::array::from_fn(|i| 2 * i as u16);
        let mut pairs = ArrayVec::<_, 16>::new();
        for i in 0..9_u16 {
            if i < 3 {
                pairs.push([None, Some(2 * i)]);
            }
            if i % 3 < 2 {
                pairs.push([Some(2 * i), Some(2 * i + 2)]);
            }
            if i < 6 {
                pairs.push([Some(2 * i + 6), Some(2 * i)]);
            }
        }
        let mut factor = BodyFactor::<f64, 40>::new();
        let mut other = BodyFactor::<f64, 12>::new();
        assert!(other.reserve(&bodies, pairs.iter().copied(), 12).is_none());
        // Something lies in front of it.
        factor.reserve(&[1], core::iter::once([Some(1), None]), 40).ok_or("too little memory")?;
        let span = factor.reserve(&bodies, pairs.iter().copied(), 40).ok_or("too little memory")?;
        factor.begin(span);
        // A spring of `[1, −X; X, 1]` with X of a small arm, as on a held contact.
        let column = |k: usize, size: f64| {
            let mut numbers = [0.0; 6];
            numbers[k] = size;
            numbers[(k + 1) % 6] = 0.1 * size;
            let [a, b, c, d, e, f] = numbers;
            Velocity { linear: Lanes3::new(a, b, c), angular: Lanes3::new(d, e, f) }
        };
        let mut dense = [[0.0_f64; 54]; 54];
        let at = |body: u16, k: usize| usize::from(body / 2) * 6 + k;
        for body in bodies {
            let place = factor.place(span, &bodies, body).ok_or("no place")?;
            factor.diagonal(place).ok_or("no block")?.add_diagonal(0, 6, 6.0);
            (0..6).for_each(|k| dense[at(body, k)][at(body, k)] = 6.0);
        }
        for [a, b] in pairs.iter().filter_map(|[a, b]| Some([(*a)?, (*b)?])) {
            let place = |body: u16| factor.place(span, &bodies, body).ok_or("no place");
            let (a_place, b_place) = (place(a)?, place(b)?);
            let (earlier, later) = if a_place < b_place { (a, b) } else { (b, a) };
            let (first, second) = if a_place < b_place { (a_place, b_place) } else { (b_place, a_place) };
            let block = factor.below(span, first, second).ok_or("no pair")?;
            for k in 0..6 {
                block.add_column(k, &column(k, -1.0));
                dense[at(later, k)][at(earlier, k)] = -1.0;
                dense[at(later, (k + 1) % 6)][at(earlier, k)] = -0.1;
                dense[at(earlier, k)][at(later, k)] = -1.0;
                dense[at(earlier, k)][at(later, (k + 1) % 6)] = -0.1;
            }
        }
        assert!(factor.factor(span));
        let wanted: [f64; 54] = core::array::from_fn(|k| (k as f64 * 0.7).cos());
        let mut values = [Velocity::<f64>::ZERO; 17];
        for body in bodies {
            let part = |k: usize| wanted[at(body, k)];
            values[usize::from(body)] = Velocity {
                linear: Lanes3::new(part(0), part(1), part(2)),
                angular: Lanes3::new(part(3), part(4), part(5)),
            };
        }
        factor.solve(span, &mut values);
        let mut solution = [0.0; 54];
        for body in bodies {
            let value = &values[usize::from(body)];
            solution[at(body, 0)..at(body, 3)].copy_from_slice(&value.linear.xyz());
            solution[at(body, 3)..=at(body, 5)].copy_from_slice(&value.angular.xyz());
        }
        for (row, wanted) in dense.iter().zip(wanted) {
            let product: f64 = row.iter().zip(solution).map(|(a, x)| a * x).sum();
            assert!((product - wanted).abs() < 1e-12, "{product} {wanted}");
        }
        Ok(())
    }
}
