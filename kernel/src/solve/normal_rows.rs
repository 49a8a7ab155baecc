//! The normal rows alone, solved together: for the bounce, and for position correction.
//!
//! ```text
//! 0 ≤ p  ⟂  u_n − target ≥ 0     for every contact
//! ```
//!
//! by projected Gauss–Seidel in alternating order, until a sweep changes only rounding. (For islands of few contacts
//! `active_set` solves the normals exactly instead.)
//!
//! Targets can contradict each other, so that no `p` solves the rows; sweeps then keep adding impulse without coming
//! closer. That is reported as no progress, and the caller discards the impulses. Targets of the bounce: `bounce`; of
//! the split impulse: `position_correction`.
use crate::math::real::{Real, larger, positive_part};
use crate::problem::contact_rows::ContactRows;
use crate::problem::stop_check::StopCheck;
use crate::space::bodies::BodySpace;
use crate::sweep::rows::Rows;

/// Sweeps make no progress if, at the end, more than this fraction of the shortfall at half of the sweeps is left.
const NO_PROGRESS: f64 = 0.99;

/// How sweeps over the normal rows ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NormalsEnd {
    /// At the answer, or still coming closer at the sweep limit.
    Done,
    /// The second half of the sweeps came no closer.
    NoProgress,
    /// The deadline passed first.
    Interrupted,
}

/// The largest missing separation speed of the window's rows, m/s.
#[inline(never)]
pub(crate) fn worst_shortfall<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    rows: &Rows<T, NC, R>,
    space: &BodySpace<'_, T, NB, NC, R>,
) -> T {
    let mut worst = T::ZERO;
    for i in rows.window() {
        worst = larger(worst, rows.target[i] - space.normal_velocity(i));
    }
    worst
}

/// Sweeps over the normal rows for their targets; returns the number of sweeps.
pub(crate) fn solve<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    rows: &Rows<T, NC, R>,
    space: &mut BodySpace<'_, T, NB, NC, R>,
    impulse: &mut [T; NC],
    cap: u32,
    stop: &mut StopCheck<'_>,
) -> (u32, NormalsEnd) {
    let window = rows.window();
    let (mut scale, mut half_way) = (T::ZERO, T::ZERO);
    for i in window.clone() {
        impulse[i] = T::ZERO;
        let missing = rows.target[i] - space.normal_velocity(i);
        scale = larger(scale, missing.abs());
        half_way = larger(half_way, missing);
    }
    for sweep in 0..cap {
        if stop.should_stop() {
            return (sweep, NormalsEnd::Interrupted);
        }
        if sweep == cap / 2 {
            half_way = worst_shortfall(rows, space);
        }
        let mut change = T::ZERO;
        for k in window.clone() {
            let i = if sweep % 2 == 1 { (window.end - 1) - (k - window.start) } else { k };
            change = larger(change, visit(rows, space, impulse, i));
        }
        debug_assert!(window.clone().all(|i| impulse[i] >= T::ZERO), "a normal impulse that pulls after a sweep");
        if change <= T::lit(4.0) * T::EPSILON * scale {
            return (sweep + 1, NormalsEnd::Done);
        }
    }
    let left = worst_shortfall(rows, space);
    let no_progress = left > T::lit(1e-3) * scale && left > T::lit(NO_PROGRESS) * half_way;
    (cap, if no_progress { NormalsEnd::NoProgress } else { NormalsEnd::Done })
}

/// One pass in order over the rows that bounce.
pub(crate) fn pass<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    rows: &Rows<T, NC, R>,
    space: &mut BodySpace<'_, T, NB, NC, R>,
    impulse: &mut [T; NC],
) {
    for i in rows.window() {
        impulse[i] = T::ZERO;
        if rows.target[i] > T::ZERO {
            visit(rows, space, impulse, i);
        }
    }
}

/// Solves one normal row and returns the size of its change.
#[inline(always)]
fn visit<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    rows: &Rows<T, NC, R>,
    space: &mut BodySpace<'_, T, NB, NC, R>,
    impulse: &mut [T; NC],
    i: usize,
) -> T {
    if i >= NC {
        return T::ZERO;
    }
    let missing = rows.target[i] - space.normal_velocity(i);
    let after = positive_part(impulse[i] + missing * rows.block[i].inverse_normal);
    let delta = after - impulse[i];
    impulse[i] = after;
    space.push_normal(i, delta);
    delta.abs()
}
