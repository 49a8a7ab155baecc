//! How far from solved, in units that mean something.
//!
//! Per contact the natural map of `cone` at `ρ = 3/tr K`, multiplied by `tr K/3`: a velocity. Over a problem
//!
//! ```text
//! natural = ‖(tr K_c/3 · r_c)_c‖ / max(‖q‖, ‖(tr K_c/3 · x_c)_c‖, ‖u‖)
//! ```
//!
//! with `q` the contact velocities where the phase began, before any of its impulses.

use nalgebra::Vector3;

use crate::cone::Cone;
use crate::real::{Real, larger, positive_part};
use crate::report::Residual;
use crate::rows::{ContactSpace, Rows};

/// `tr K/3` times the natural map at `ρ = 3/tr K`, for one contact.
#[inline(always)]
pub(crate) fn unit_map<T: Real>(cone: &Cone<T>, impulse: &Vector3<T>, velocity: &Vector3<T>, size: T) -> Vector3<T> {
    cone.natural_map(impulse, velocity, T::ONE / size) * size
}

/// 2-norm of all contact velocities, less what is asked for.
pub(crate) fn speed_norm<T: Real, const NC: usize>(rows: &Rows<T, NC>, space: &impl ContactSpace<T>) -> T {
    let mut square = T::ZERO;
    for i in rows.window() {
        let u = rows.relative_velocity(space, i);
        square += u.dot(&u);
    }
    square.root()
}

/// Evaluates the residual of the present state. `q_norm` is the speed norm where the phase began. In place: a residual on
/// the stack at every call would be many.
#[inline(never)]
pub(crate) fn measure<T: Real, const NC: usize>(
    rows: &Rows<T, NC>,
    space: &impl ContactSpace<T>,
    q_norm: T,
    out: &mut Residual<T>,
) {
    let mut residual = Residual::SOLVED;
    let (mut total, mut impulses, mut velocities, mut worst) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    for i in rows.window() {
        let (cone, x) = (&rows.cone[i], &rows.impulse[i]);
        let size = rows.block[i].size();
        let u = rows.relative_velocity(space, i);
        let map = unit_map(cone, x, &u, size);
        let square = map.dot(&map);
        total += square;
        impulses += x.dot(x) * size * size;
        velocities += u.dot(&u);
        if square > worst || residual.worst_contact.is_none() {
            worst = square;
            residual.worst_contact = Some(i);
        }
        residual.approach = larger(residual.approach, positive_part(-u.x));
        residual.cone = larger(residual.cone, cone.excess(x) / rows.unit[i]);
    }
    residual.scale = larger(q_norm, larger(impulses, velocities).root());
    residual.natural = relative(total, residual.scale);
    residual.speed = larger(q_norm, velocities.root());
    residual.approach_floor = T::lit(8.0) * T::EPSILON * impulses.root();
    if !residual.scale.finite() {
        residual.scale = T::LINEAR_SPEED_LIMIT;
    }
    *out = residual;
}

/// `√square / scale`: 0 for nothing, and 1, far from solved, where speeds are too large to be squared.
pub(crate) fn relative<T: Real>(square: T, scale: T) -> T {
    if square == T::ZERO {
        T::ZERO
    } else if square.finite() && scale.finite() {
        square.root() / scale
    } else {
        T::ONE
    }
}
