//! The normal rows alone, solved together: the bounce, and the split impulse that repairs penetration.
//!
//! ```text
//! 0 ≤ p  ⟂  u_n − target ≥ 0     for every contact
//! ```
//!
//! by projected Gauss–Seidel in alternating order, until a sweep changes nothing but rounding. (Islands of few contacts
//! have their normals solved exactly instead: `active_set`.)
//!
//! For the bounce, `target = −e u_n⁻` where the velocity before impact `u_n⁻` approaches faster than the restitution
//! threshold, and 0 elsewhere: the target form of Newton's law, and the only place where restitution enters. `u_n⁻` is
//! taken before any impulse of the solve, warm start included. Contacts that do not bounce take part, so that a bounce
//! cannot push one body into the next. Where there is a gap, 0 becomes `−gap/dt`: it may close within the step, and what
//! would not close it does not bounce yet. Solved together the answer does not depend on the order of contacts; the
//! sequential choice makes one pass over the bouncing contacts and does.
//!
//! Separation speeds can contradict each other: a part squeezed from two sides cannot leave both. Then no `p` solves the
//! rows and sweeps keep pumping; such a bounce is found stuck, and the caller takes it back.

use crate::contact::Contacts;
use crate::links::BodySpace;
use crate::real::{Real, larger, positive_part};
use crate::rows::Rows;
use crate::settings::Settings;

/// Sets the bounce's targets and tells whether anything bounces.
pub(crate) fn set_bounce_targets<T: Real, const NB: usize, const NC: usize>(
    contacts: &Contacts<T, NC>,
    contact_of: impl Fn(usize) -> usize,
    settings: &Settings<T>,
    rows: &mut Rows<T, NC>,
    space: &BodySpace<'_, T, NB, NC>,
) -> bool {
    let mut bounces = false;
    for i in rows.window() {
        let contact = contact_of(i);
        let (restitution, recorded) = contacts.impact(contact);
        let least = settings.least_speed(contacts.depth(contact));
        rows.target[i] = least;
        if !(restitution > T::ZERO) {
            continue;
        }
        let now = space.normal_velocity(i);
        let before = recorded.unwrap_or(now);
        let hits = before < -settings.restitution_threshold && now < least;
        let bounce = if hits { positive_part(-restitution * before) } else { T::ZERO };
        rows.target[i] = if bounce > T::ZERO { bounce } else { least };
        bounces |= bounce > T::ZERO;
    }
    bounces
}

/// Sweeps that leave more than this part of what was missing half-way are stuck.
const STUCK: f64 = 0.99;

/// How sweeps over the normal rows ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NormalsEnd {
    /// At the answer, or on their way to it when the cap came.
    Sound,
    /// Nowhere: they went on without coming closer.
    Stuck,
    /// The deadline came first.
    Interrupted,
}

/// The largest separation speed that a row of the window misses, m/s.
#[inline(never)]
pub(crate) fn missing<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &BodySpace<'_, T, NB, NC>,
) -> T {
    let mut worst = T::ZERO;
    for i in rows.window() {
        worst = larger(worst, rows.target[i] - space.normal_velocity(i));
    }
    worst
}

/// Sweeps over the normal rows for their targets; gives the number of sweeps.
pub(crate) fn solve<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
    impulse: &mut [T; NC],
    cap: u32,
    deadline: &mut dyn FnMut() -> bool,
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
        if deadline() {
            return (sweep, NormalsEnd::Interrupted);
        }
        if sweep == cap / 2 {
            half_way = missing(rows, space);
        }
        let mut change = T::ZERO;
        for k in window.clone() {
            let i = if sweep % 2 == 1 { (window.end - 1) - (k - window.start) } else { k };
            change = larger(change, visit(rows, space, impulse, i));
        }
        debug_assert!(window.clone().all(|i| impulse[i] >= T::ZERO), "a normal impulse that pulls after a sweep");
        if change <= T::lit(4.0) * T::EPSILON * scale {
            return (sweep + 1, NormalsEnd::Sound);
        }
    }
    let left = missing(rows, space);
    let stuck = left > T::lit(1e-3) * scale && left > T::lit(STUCK) * half_way;
    (cap, if stuck { NormalsEnd::Stuck } else { NormalsEnd::Sound })
}

/// One pass in order over the rows that bounce.
pub(crate) fn pass<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
    impulse: &mut [T; NC],
) {
    for i in rows.window() {
        impulse[i] = T::ZERO;
        if rows.target[i] > T::ZERO {
            visit(rows, space, impulse, i);
        }
    }
}

/// Solves one normal row and gives the size of its change.
#[inline(always)]
fn visit<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
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
