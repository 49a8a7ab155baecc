//! Frictionless islands of a few contacts, solved exactly.
//!
//! ```text
//! 0 ≤ p  ⟂  u_n(p) − target ≥ 0,     u_n(p) = u_n(0) + W p
//! ```
//!
//! is the optimality of the convex quadratic `½ pᵀWp − bᵀp` over `p ≥ 0` with `b = target − u_n(0)`. An active-set method
//! in the manner of Lawson and Hanson solves it in finitely many steps: the contact that misses its target most enters
//! the passive set, the equations `W_PP s = b_P` give a trial, and contacts whose trial is negative leave again, along
//! the segment from the last admissible point. The number of steps is capped all the same; beyond the cap, the caller
//! sweeps.
//!
//! Redundant contacts (four feet of a rigid box) make `W` singular. A contact `i` whose pivot vanishes is a combination of
//! those already in, and its velocity follows from theirs. Where that meets its target it has nothing to add and stays out
//! until one of them leaves. Where it does not, as between feet with gaps of different height, impulses are exchanged along
//! `d_i = 1, d_P = −W_PP⁻¹ w_Pi`, which changes no velocity of `P` or `i`, until a member's impulse ends: that one leaves
//! and `i` takes its place. If none ends, no impulses reach all targets, and the caller is told.
//!
//! `W` is not stored: its entries are read off the links where the factor is built. The packed factor of the passive set,
//! 210 numbers for 20 rows or 36 for 8, is most of what this needs on the stack.

use crate::links::{BodySpace, Link, normal_coupling};
use crate::real::{Real, larger, positive_part};
use crate::rows::Rows;

/// Rows at the most.
const MAX_ROWS: usize = 20;
/// Rows at the most in solvers that have no room for more contacts: less stack.
const FEW_ROWS: usize = 8;

/// Entries of a packed triangle.
const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// Refinements of the answer with the velocities that it really gave: what a triangular solve loses on an
/// ill-conditioned set, they bring back.
const REFINEMENTS: usize = 2;

/// The passive set of up to `R` rows in order of entry, with `L D Lᵀ = W_PP` packed by rows into `P` numbers, `D` on the
/// diagonal.
struct Passive<T, const R: usize, const P: usize> {
    members: [u8; R],
    /// The same as a set of bits.
    set: u32,
    len: usize,
    factor: [T; P],
    /// Where equations are solved, by member position.
    trial: [T; R],
}

/// The entries of `W` for rows from `first` on.
struct Couplings<'a, T> {
    links: &'a [Link<T>],
    unit: &'a [T],
    first: usize,
}

impl<T: Real> Couplings<'_, T> {
    /// Normal velocity of row `i` for a normal impulse of row `j`, per N s.
    #[inline(never)]
    fn between(&self, i: usize, j: usize) -> T {
        normal_coupling(self.links, self.first + i, self.first + j) * at(self.unit, self.first + j)
    }
}

/// Entry `(i, j)`, `j ≤ i`, of a packed lower triangle.
#[inline(always)]
fn packed(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

#[inline(always)]
fn at<T: Real>(values: &[T], index: usize) -> T {
    values.get(index).copied().unwrap_or(T::ZERO)
}

#[inline(always)]
fn set<T: Real>(values: &mut [T], index: usize, value: T) {
    if let Some(slot) = values.get_mut(index) {
        *slot = value;
    }
}

impl<T: Real, const R: usize, const P: usize> Passive<T, R, P> {
    fn member(&self, position: usize) -> usize {
        self.members.get(position).map_or(0, |member| usize::from(*member))
    }

    fn contains(&self, row: usize) -> bool {
        self.set & (1 << row) != 0
    }

    /// Adds a row to the factor; false, with nothing changed, where it depends on those already in.
    #[inline(never)]
    fn enter(&mut self, row: usize, w: &Couplings<'_, T>) -> bool {
        let n = self.len;
        if n >= R {
            return false;
        }
        let own = w.between(row, row);
        let mut pivot = own;
        for j in 0..n {
            // Row n of L D: subtract what earlier columns explain, then divide by the pivot.
            let mut value = w.between(row, self.member(j));
            for k in 0..j {
                value -= at(&self.factor, packed(n, k)) * at(&self.factor, packed(j, k));
            }
            set(&mut self.factor, packed(n, j), value);
        }
        for j in 0..n {
            let scaled = at(&self.factor, packed(n, j));
            let l = scaled / at(&self.factor, packed(j, j));
            pivot -= l * scaled;
            set(&mut self.factor, packed(n, j), l);
        }
        if !(pivot > T::lit(256.0) * T::EPSILON * own) {
            return false;
        }
        set(&mut self.factor, packed(n, n), pivot);
        if let Some(member) = self.members.get_mut(n) {
            *member = row as u8;
        }
        self.set |= 1 << row;
        self.len = n + 1;
        true
    }

    /// The right-hand side `b_P` of equations, row by row.
    #[inline(always)]
    fn ask(&mut self, b: impl Fn(usize) -> T) {
        for k in 0..self.len {
            let value = b(self.member(k));
            set(&mut self.trial, k, value);
        }
    }

    /// `W_PP⁻¹ b_P` in the place of `b_P`.
    #[inline(never)]
    fn solve(&mut self) {
        let s = &mut self.trial;
        for i in 0..self.len {
            let mut value = at(s, i);
            for j in 0..i {
                value -= at(&self.factor, packed(i, j)) * at(s, j);
            }
            set(s, i, value);
        }
        for i in 0..self.len {
            let value = at(s, i) / at(&self.factor, packed(i, i));
            set(s, i, value);
        }
        for i in (0..self.len).rev() {
            let mut value = at(s, i);
            for j in i + 1..self.len {
                value -= at(&self.factor, packed(j, i)) * at(s, j);
            }
            set(s, i, value);
        }
    }

    /// Keeps the members for which `keep` holds and factors them anew.
    fn retain(&mut self, keep: impl Fn(usize) -> bool, w: &Couplings<'_, T>) {
        let len = self.len;
        (self.len, self.set) = (0, 0);
        for k in 0..len {
            // In place: those that stay move forward, never past the one that is read.
            let Some(member) = self.members.get(k).map(|member| usize::from(*member)) else { break };
            if keep(member) {
                self.enter(member, w);
            }
        }
    }
}

/// Solves the window's normal rows for their targets, in velocity units. Tells whether it did: not if there are too many
/// rows, the cap was reached or the deadline came, and then no velocity was changed. The deadline is asked before every row
/// that enters.
pub(crate) fn solve<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
    impulse: &mut [T; NC],
    deadline: &mut dyn FnMut() -> bool,
) -> bool {
    // Decided while compiling: only one of the two is in a program.
    if NC <= FEW_ROWS {
        solve_up_to::<T, FEW_ROWS, { triangle(FEW_ROWS) }, NB, NC>(rows, space, impulse, deadline)
    } else {
        solve_up_to::<T, MAX_ROWS, { triangle(MAX_ROWS) }, NB, NC>(rows, space, impulse, deadline)
    }
}

#[inline(never)]
fn solve_up_to<T: Real, const R: usize, const P: usize, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
    impulse: &mut [T; NC],
    deadline: &mut dyn FnMut() -> bool,
) -> bool {
    let window = rows.window();
    let (first, n) = (window.start, window.len());
    if n > R {
        return false;
    }
    let mut b = [T::ZERO; R];
    let mut scale = T::ZERO;
    for i in 0..n {
        let missing = at(&rows.target, first + i) - space.normal_velocity(first + i);
        set(&mut b, i, missing);
        scale = larger(scale, missing.abs());
    }
    let (links, unit): (&[_], &[_]) = (space.links, &rows.unit);
    let w = Couplings { links, unit, first };
    let Some(p) = impulse.get_mut(window) else { return false };
    p.fill(T::ZERO);
    let mut passive = Passive::<T, R, P> { members: [0; R], set: 0, len: 0, factor: [T::ZERO; P], trial: [T::ZERO; R] };
    let tolerance = T::lit(64.0) * T::EPSILON * scale;
    if !search(&b, tolerance, p, &mut passive, &w, deadline) {
        return false;
    }
    for i in 0..n {
        space.push_normal(first + i, at(p, i) * at(unit, first + i));
    }
    for _ in 0..REFINEMENTS {
        passive.ask(|row| at(&rows.target, first + row) - space.normal_velocity(first + row));
        passive.solve();
        for k in 0..passive.len {
            let (member, delta) = (passive.member(k), at(&passive.trial, k));
            let refined = at(p, member) + delta;
            if refined > T::ZERO {
                set(p, member, refined);
                space.push_normal(first + member, delta * at(unit, first + member));
            }
        }
    }
    for i in 0..n {
        set(p, i, at(p, i) * at(unit, first + i));
    }
    true
}

/// The active-set search itself: impulses `p` by row, in N s, and the passive set they come from; false where it fails.
fn search<T: Real, const R: usize, const P: usize>(
    b: &[T; R],
    tolerance: T,
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T>,
    deadline: &mut dyn FnMut() -> bool,
) -> bool {
    // Rows found to depend on the passive set, as a set of bits, until a member leaves.
    let mut dependent = 0u32;
    // Contacts entering, at the most. Two a row is more than was ever seen.
    for _ in 0..4 * R {
        let Some((worst, missing)) = most_missing(b, p, tolerance, passive, dependent, w) else {
            return true;
        };
        if deadline() {
            return false;
        }
        if !passive.enter(worst, w) {
            if missing <= T::lit(16.0) * tolerance {
                dependent |= 1 << worst;
                continue;
            }
            if !exchange(worst, p, passive, w) {
                return false;
            }
            dependent = 0;
        }
        let before = passive.len;
        settle(b, p, passive, w);
        if passive.len < before {
            dependent = 0;
        }
    }
    false
}

/// The row outside the passive set that misses its target most.
#[inline(never)]
fn most_missing<T: Real, const R: usize, const P: usize>(
    b: &[T; R],
    p: &[T],
    tolerance: T,
    passive: &Passive<T, R, P>,
    dependent: u32,
    w: &Couplings<'_, T>,
) -> Option<(usize, T)> {
    let mut worst = None;
    let mut most = tolerance;
    for i in 0..p.len() {
        if passive.contains(i) || dependent & (1 << i) != 0 {
            continue;
        }
        let mut missing = at(b, i);
        for k in 0..passive.len {
            let member = passive.member(k);
            missing -= w.between(i, member) * at(p, member);
        }
        if missing > most {
            most = missing;
            worst = Some((i, missing));
        }
    }
    worst
}

/// Lets a row that depends on the passive set take the place of the member whose impulse ends first as it takes over.
#[inline(never)]
fn exchange<T: Real, const R: usize, const P: usize>(
    row: usize,
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T>,
) -> bool {
    passive.ask(|member| w.between(member, row));
    passive.solve();
    let mut first: Option<(usize, T)> = None;
    for k in 0..passive.len {
        let (member, rate) = (passive.member(k), at(&passive.trial, k));
        if rate > T::lit(64.0) * T::EPSILON {
            let ends = at(p, member) / rate;
            if first.is_none_or(|(_, earliest)| ends < earliest) {
                first = Some((member, ends));
            }
        }
    }
    let Some((leaving, amount)) = first else { return false };
    for k in 0..passive.len {
        let member = passive.member(k);
        let left = positive_part(at(p, member) - amount * at(&passive.trial, k));
        set(p, member, left);
    }
    set(p, leaving, T::ZERO);
    passive.retain(|member| member != leaving, w);
    set(p, row, amount);
    passive.enter(row, w)
}

/// Moves `p` to the passive set's own solution, letting members leave that would pull.
#[inline(never)]
fn settle<T: Real, const R: usize, const P: usize>(
    b: &[T; R],
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T>,
) {
    for _ in 0..R {
        passive.ask(|row| at(b, row));
        passive.solve();
        // How far towards the trial all members stay admissible, and who stops it.
        let mut step = T::ONE;
        let mut blocking = None;
        for k in 0..passive.len {
            let (trial, now) = (at(&passive.trial, k), at(p, passive.member(k)));
            if !(trial > T::ZERO) {
                let fraction = if now > trial { now / (now - trial) } else { T::ZERO };
                if fraction < step || blocking.is_none() {
                    step = fraction;
                    blocking = Some(passive.member(k));
                }
            }
        }
        for k in 0..passive.len {
            let member = passive.member(k);
            let now = at(p, member);
            set(
                p,
                member,
                if blocking.is_none() { at(&passive.trial, k) } else { now + (at(&passive.trial, k) - now) * step },
            );
        }
        let Some(blocking) = blocking else { return };
        set(p, blocking, T::ZERO);
        passive.retain(|member| member != blocking && at(p, member) > T::ZERO, w);
        for row in 0..p.len() {
            if !passive.contains(row) {
                set(p, row, T::ZERO);
            }
        }
    }
}
