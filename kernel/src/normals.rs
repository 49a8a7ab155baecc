//! The normal rows alone, solved together: the bounce, and the split impulse that repairs penetration.
//!
//! ```text
//! 0 ≤ p  ⟂  u_n − target ≥ 0     for every contact
//! ```
//!
//! by projected Gauss–Seidel in alternating order, until a sweep changes nothing but rounding.
//!
//! For the bounce, `target = −e u_n⁻` where the velocity before impact `u_n⁻` approaches faster than the restitution
//! threshold, and 0 elsewhere: the target form of Newton's law, and the only place where restitution enters. `u_n⁻` is
//! taken before any impulse of the solve, warm start included. Contacts that do not bounce take part, so that a bounce
//! cannot push one body into the next. Solved together the answer does not depend on the order of contacts; the
//! sequential choice makes one pass over the bouncing contacts and does.
//!
//! Separation speeds can contradict each other: a part squeezed from two sides cannot leave both. Then no `p` solves the
//! rows and sweeps keep pumping; such a bounce is found *unsettled*, and the caller takes it back.

use crate::contact::Contact;
use crate::links::BodySpace;
use crate::real::{Real, larger, positive_part};
use crate::rows::Rows;
use crate::settings::{BounceMode, Settings};

/// Sets the bounce's targets and tells whether anything bounces.
pub(crate) fn set_bounce_targets<T: Real, const NB: usize, const NC: usize>(
    contact_of: impl Fn(usize) -> Option<Contact<T>>,
    settings: &Settings<T>,
    rows: &mut Rows<T, NC>,
    space: &BodySpace<'_, T, NB, NC>,
) -> bool {
    let mut bounces = false;
    for i in rows.window() {
        let Some(contact) = contact_of(i) else { break };
        let before = contact.pre_impact_normal_velocity.unwrap_or_else(|| space.normal_velocity(i));
        let hits = before < -settings.restitution_threshold;
        rows.target[i] = if hits { positive_part(-contact.restitution * before) } else { T::ZERO };
        bounces |= rows.target[i] > T::ZERO;
    }
    bounces
}

/// A sweep that changes less than this, relative to the fastest contact, is on its way to an answer.
const SETTLING: f64 = 1e-3;

/// How the normal rows were left.
#[derive(Clone, Copy)]
pub(crate) struct Normals {
    pub sweeps: u32,
    /// Whether the sweeps were on their way to an answer when they ended.
    pub settled: bool,
}

/// Solves the normal rows for their targets.
pub(crate) fn solve<T: Real, const NB: usize, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &mut BodySpace<'_, T, NB, NC>,
    impulse: &mut [T; NC],
    mode: BounceMode,
    cap: u32,
    deadline: &mut impl FnMut() -> bool,
) -> Normals {
    let window = rows.window();
    let mut scale = T::ZERO;
    for i in window.clone() {
        impulse[i] = T::ZERO;
        scale = larger(scale, (space.normal_velocity(i) - rows.target[i]).abs());
    }
    if mode == BounceMode::Sequential {
        for i in window {
            if rows.target[i] > T::ZERO {
                visit(rows, space, impulse, i);
            }
        }
        return Normals { sweeps: 1, settled: true };
    }
    let mut change = T::ZERO;
    for sweep in 0..cap {
        if deadline() {
            return Normals { sweeps: sweep, settled: true };
        }
        change = T::ZERO;
        for k in window.clone() {
            let i = if sweep % 2 == 1 { (window.end - 1) - (k - window.start) } else { k };
            change = larger(change, visit(rows, space, impulse, i));
        }
        if change <= T::lit(4.0) * T::EPSILON * scale {
            return Normals { sweeps: sweep + 1, settled: true };
        }
    }
    Normals { sweeps: cap, settled: change <= T::lit(SETTLING) * scale }
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
