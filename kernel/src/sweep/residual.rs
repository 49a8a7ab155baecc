//! How far from solved, in units that mean something.
//!
//! Per contact the natural map of `cone` at `ρ = 3/tr K`, multiplied by `tr K/3`: a velocity. Over a problem
//!
//! ```text
//! natural = ‖(tr K_c/3 · r_c)_c‖ / max(‖q‖, ‖(tr K_c/3 · x_c)_c‖, ‖u‖)
//! ```
//!
#![doc = include_str!("../../figures/residual.svg")]
//!
//! with `q` the contact velocities where the phase began, before any of its impulses. While an island without friction is swept,
//! `u` has its normal parts only.
use nalgebra::Vector3;

use crate::local::cone::Cone;
use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::VectorOps;
use crate::problem::report::Residual;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::rows::Rows;

/// `tr K/3` times the natural map at `ρ = 3/tr K`, for one contact.
#[inline(always)]
pub(crate) fn unit_map<T: Real>(cone: &Cone<T>, impulse: &Vector3<T>, velocity: &Vector3<T>, size: T) -> Vector3<T> {
    cone.natural_map(impulse, velocity, T::ONE / size).scaled(size)
}

/// 2-norm of all contact velocities, less what is asked for, where a phase begins; keeps them.
pub(crate) fn speed_norm<T: Real, const NC: usize>(rows: &mut Rows<T, NC>, space: &impl ContactSpace<T>) -> T {
    let mut square = T::ZERO;
    rows.starts_kept = true;
    for i in rows.window() {
        let u = rows.relative_velocity(space, i);
        rows.before[i] = u;
        square += u.dot(&u);
    }
    square.sqrt_or_zero()
}

/// Evaluates the residual of the present state. `q_norm` is the speed norm where the phase began. Where a contact approaches
/// faster than `most`, the natural map does not matter any more, and is left at 1. Written in place: a residual on the stack at every
/// call would be many.
#[inline(never)]
pub(crate) fn measure<T: Real, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &impl ContactSpace<T>,
    q_norm: T,
    most: T,
    out: &mut Residual<T>,
) {
    let (mut total, mut impulses, mut velocities) = (T::ZERO, T::ZERO, T::ZERO);
    let (mut approach, mut excess) = (T::ZERO, T::ZERO);
    let (mut worst, mut worst_contact) = (T::ZERO, None);
    for i in rows.window() {
        let (cone, x) = (&rows.cone[i], &rows.impulse[i]);
        let size = rows.block[i].size();
        let u = rows.relative_velocity(space, i);
        impulses += x.dot(x) * size * size;
        velocities += u.dot(&u);
        approach = larger(approach, positive_part(-u.x));
        if approach > most {
            continue;
        }
        let map = unit_map(cone, x, &u, size);
        let square = map.dot(&map);
        total += square;
        if square > worst || worst_contact.is_none() {
            (worst, worst_contact) = (square, Some(i));
        }
        if !cone.is_around(x) {
            excess = larger(excess, cone.excess(x) / rows.impulse_scale[i]);
        }
    }
    let scale = larger(q_norm, larger(impulses, velocities).sqrt_or_zero());
    *out = Residual {
        natural: if approach > most { T::ONE } else { relative(total, scale) },
        scale: if scale.is_finite() { scale } else { T::LINEAR_SPEED_LIMIT },
        closing_speed: approach,
        cone: excess,
        worst_contact,
        closing_floor: T::lit(8.0) * T::EPSILON * impulses.sqrt_or_zero(),
        speed: larger(q_norm, velocities.sqrt_or_zero()),
    };
}

/// `√square / scale`: 0 for nothing, and 1, far from solved, where speeds are too large to be squared.
pub(crate) fn relative<T: Real>(square: T, scale: T) -> T {
    if square == T::ZERO {
        T::ZERO
    } else if square.is_finite() && scale.is_finite() {
        square.sqrt_or_zero() / scale
    } else {
        T::ONE
    }
}
