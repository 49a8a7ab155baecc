//! Frictionless islands of a few contacts, solved exactly.
//!
//! ```text
//! 0 ≤ p  ⟂  u_n(p) − target ≥ 0,     u_n(p) = u_n(0) + W p
//! ```
//!
//! is the optimality of the convex quadratic `½ pᵀWp − bᵀp` over `p ≥ 0` with `b = target − u_n(0)`. An active-set
//! method in the manner of Lawson and Hanson solves it in finitely many steps: the contact that misses its target most
//! enters the passive set, a trial solves `W_PP s = b_P`, and contacts whose trial is negative leave again, along the
//! segment from the last admissible point. The number of steps is limited nevertheless; beyond the limit, the caller
//! sweeps.
//!
//! Redundant contacts (four feet of a rigid box) make `W` singular. A contact `i` whose pivot vanishes is a combination
//! of those already in, and its velocity follows from theirs. If that meets its target, the contact stays out until one
//! of them leaves. If it does not, as with feet that have gaps of different height, impulses are exchanged along
//! `d_i = 1, d_P = −W_PP⁻¹ w_Pi`, which changes no velocity of `P` or `i`, until a member's impulse becomes zero: that
//! one leaves and `i` takes its place. If none does, no impulses reach all targets, and the method reports failure.
//!
//! `W` is not stored: its entries are read off the jacobians where the factor is built. The packed factor of the
//! passive set, 210 numbers for 20 rows or 36 for 8, is most of the stack of this method.
use crate::math::real::{Real, larger, positive_part};
use crate::problem::contact_rows::ContactRows;
use crate::problem::stop_check::StopCheck;
use crate::solve::passive_set::{Couplings, Passive, REFINEMENTS, at, set, triangle};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::sweep::rows::Rows;

/// Maximum number of rows.
const MAX_ROWS: usize = 20;
/// Maximum number of rows in solvers of small capacity, to save stack.
const FEW_ROWS: usize = 8;

/// Solves the normal rows of the island in the window, into `work.normal_impulse`; returns whether it did.
pub(crate) fn solve_island<T: Real, const NB: usize, const NC: usize, K: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, K>,
    stop: &mut StopCheck<'_>,
) -> bool {
    let SolverWorkspace { rows, jacobians, velocity, normal_impulse, .. } = work;
    solve(rows, &mut BodySpace::new(jacobians, velocity), normal_impulse, stop)
}

/// Solves the window's normal rows for their targets, in velocity units. Returns whether it succeeded. It fails,
/// without changing a velocity, if there are too many rows, at the step limit, or at the deadline. `should_stop` is
/// called before every row that enters.
pub(crate) fn solve<T: Real, const NB: usize, const NC: usize, K: ContactRows>(
    rows: &Rows<T, NC, K>,
    space: &mut BodySpace<'_, T, NB, NC, K>,
    impulse: &mut [T; NC],
    stop: &mut StopCheck<'_>,
) -> bool {
    // Decided while compiling: only one of the two is in a program.
    if NC <= FEW_ROWS {
        solve_up_to::<T, FEW_ROWS, { triangle(FEW_ROWS) }, NB, NC, K>(rows, space, impulse, stop)
    } else {
        solve_up_to::<T, MAX_ROWS, { triangle(MAX_ROWS) }, NB, NC, K>(rows, space, impulse, stop)
    }
}

#[inline(never)]
fn solve_up_to<T: Real, const R: usize, const P: usize, const NB: usize, const NC: usize, K: ContactRows>(
    rows: &Rows<T, NC, K>,
    space: &mut BodySpace<'_, T, NB, NC, K>,
    impulse: &mut [T; NC],
    stop: &mut StopCheck<'_>,
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
    let (jacobians, impulse_scale): (&[_], &[_]) = (space.jacobians, &rows.impulse_scale);
    let w = Couplings { jacobians, impulse_scale, first };
    let Some(p) = impulse.get_mut(window) else { return false };
    p.fill(T::ZERO);
    let mut passive = Passive::<T, R, P> { members: [0; R], set: 0, len: 0, factor: [T::ZERO; P], trial: [T::ZERO; R] };
    let tolerance = T::lit(64.0) * T::EPSILON * scale;
    if !search(&b, tolerance, p, &mut passive, &w, stop) {
        return false;
    }
    for i in 0..n {
        space.push_normal(first + i, at(p, i) * at(impulse_scale, first + i));
    }
    for _ in 0..REFINEMENTS {
        passive.ask(|row| at(&rows.target, first + row) - space.normal_velocity(first + row));
        passive.solve();
        for k in 0..passive.len {
            let (member, delta) = (passive.member(k), at(&passive.trial, k));
            let refined = at(p, member) + delta;
            if refined > T::ZERO {
                set(p, member, refined);
                space.push_normal(first + member, delta * at(impulse_scale, first + member));
            }
        }
    }
    for i in 0..n {
        set(p, i, at(p, i) * at(impulse_scale, first + i));
    }
    true
}

/// The active-set search itself: impulses `p` by row, in N s, and the passive set they come from; false where it fails.
fn search<T: Real, const R: usize, const P: usize, K: ContactRows>(
    b: &[T; R],
    tolerance: T,
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T, K>,
    stop: &mut StopCheck<'_>,
) -> bool {
    // Rows found to depend on the passive set, as a set of bits, until a member leaves.
    let mut dependent = 0u32;
    // Maximum number of contacts that enter. Two per row was never reached in tests.
    for _ in 0..4 * R {
        let Some((worst, missing)) = most_missing(b, p, tolerance, passive, dependent, w) else {
            return true;
        };
        if stop.should_stop() {
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
fn most_missing<T: Real, const R: usize, const P: usize, K: ContactRows>(
    b: &[T; R],
    p: &[T],
    tolerance: T,
    passive: &Passive<T, R, P>,
    dependent: u32,
    w: &Couplings<'_, T, K>,
) -> Option<(usize, T)> {
    let mut worst = None;
    let mut max = tolerance;
    for i in 0..p.len() {
        if passive.contains(i) || dependent & (1 << i) != 0 {
            continue;
        }
        let mut missing = at(b, i);
        for k in 0..passive.len {
            let member = passive.member(k);
            missing -= w.between(i, member) * at(p, member);
        }
        if missing > max {
            max = missing;
            worst = Some((i, missing));
        }
    }
    worst
}

/// Exchanges a row that depends on the passive set with the member whose impulse becomes zero first.
#[inline(never)]
fn exchange<T: Real, const R: usize, const P: usize, K: ContactRows>(
    row: usize,
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T, K>,
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

/// Moves `p` to the solution of the passive set; members whose impulse would become negative leave.
#[inline(never)]
fn settle<T: Real, const R: usize, const P: usize, K: ContactRows>(
    b: &[T; R],
    p: &mut [T],
    passive: &mut Passive<T, R, P>,
    w: &Couplings<'_, T, K>,
) {
    for _ in 0..R {
        passive.ask(|row| at(b, row));
        passive.solve();
        // The largest admissible fraction of the step to the trial, and the member that limits it.
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
