//! Distance from solved, relative to the speeds of the problem.
//!
//! Per contact the natural map of `cone` at `ρ = 3/tr K`, multiplied by `tr K/3`: a velocity. Over a problem
//!
//! ```text
//! natural = ‖(tr K_c/3 · r_c)_c‖ / max(‖q‖, ‖(tr K_c/3 · x_c)_c‖, ‖u‖)
//! ```
//!
#![doc = include_str!("../../figures/residual.svg")]
//!
//! with `q` the contact velocities where the phase began, before any of its impulses. While an island without friction
//! is swept, `u` has its normal parts only.
use nalgebra::Vector3;

use crate::local::cone::Cone;
use crate::local::moment_law::MomentLaw;
use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::Residual;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::moment_row::Role;
use crate::sweep::rows::Rows;

/// `tr K/3` times the natural map at `ρ = 3/tr K`, for one contact.
#[inline(always)]
pub(crate) fn unit_map<T: Real>(cone: &Cone<T>, impulse: &Vector3<T>, velocity: &Vector3<T>, size: T) -> Vector3<T> {
    cone.natural_map(impulse, velocity, T::ONE / size).scaled(size)
}

/// 2-norm of all contact velocities minus targets at the start of a phase; stores these velocities.
pub(crate) fn speed_norm<T: Real, const NC: usize, R: ContactRows>(
    rows: &mut Rows<T, NC, R>,
    space: &impl ContactSpace<T>,
) -> T {
    let mut square = T::ZERO;
    rows.starts_kept = true;
    for i in rows.window() {
        let u = rows.relative_velocity(space, i);
        rows.before[i] = u;
        square += u.dot(&u);
    }
    square.sqrt_or_zero()
}

/// Evaluates the residual of the present state. `q_norm` is the speed norm where the phase began. If a contact
/// approaches faster than `limit`, the natural map is not needed and is set to 1. Written in place to save stack.
#[inline(never)]
pub(crate) fn measure<T: Real, const NC: usize, R: ContactRows>(
    rows: &Rows<T, NC, R>,
    space: &impl ContactSpace<T>,
    q_norm: T,
    limit: T,
    out: &mut Residual<T>,
) {
    let (mut total, mut impulses, mut velocities) = (T::ZERO, T::ZERO, T::ZERO);
    let (mut closing_speed, mut excess) = (T::ZERO, T::ZERO);
    let (mut worst, mut worst_contact) = (T::ZERO, None);
    for i in rows.window() {
        let (cone, x) = (&rows.cone[i], &rows.impulse[i]);
        let size = rows.block[i].size();
        let u = rows.relative_velocity(space, i);
        impulses += x.dot(x) * size * size;
        velocities += u.dot(&u);
        if R::HAS_MOMENTS && rows.role(i) == Role::Second {
            continue;
        }
        closing_speed = larger(closing_speed, positive_part(-u.x));
        if closing_speed > limit {
            continue;
        }
        let law = if R::HAS_MOMENTS { rows.law(i) } else { None };
        let square = if let Some(law) = &law {
            excess = larger(excess, law.excess(&rows.impulse_in_six(i)) / rows.impulse_scale[i]);
            square_of_six(law, rows, space, i, size)
        } else {
            let map = unit_map(cone, x, &u, size);
            map.dot(&map)
        };
        total += square;
        if square > worst || worst_contact.is_none() {
            (worst, worst_contact) = (square, Some(i));
        }
        if law.is_none() && !cone.is_around(x) {
            excess = larger(excess, cone.excess(x) / rows.impulse_scale[i]);
        }
    }
    *out = ResidualSums { total, impulses, velocities, closing_speed, excess, worst_contact }.residual(q_norm, limit);
}

/// Square of the natural map of a contact with moments.
#[inline(never)]
fn square_of_six<T: Real, const NC: usize, R: ContactRows>(
    law: &MomentLaw<T>,
    rows: &Rows<T, NC, R>,
    space: &impl ContactSpace<T>,
    index: usize,
    size: T,
) -> T {
    let (x, u) = (rows.impulse_in_six(index), rows.velocity_in_six(space, index));
    let map = law.natural_map(&x, &u, T::ONE / size);
    map.iter().fold(T::ZERO, |sum, part| sum + (*part * size) * (*part * size))
}

/// Sums and largest values over the contacts, of which a residual is made.
///
/// ```
/// use stiction::solve::world_phase::ResidualSums;
/// let at_rest = ResidualSums { total: 0.0, impulses: 1.0_f32, velocities: 0.0, closing_speed: 0.0, excess: 0.0,
///     worst_contact: None };
/// assert_eq!(at_rest.impulses, 1.0);
/// ```
#[derive(Clone, Copy)]
pub struct ResidualSums<T> {
    /// Squares of the natural maps.
    pub total: T,
    /// Squares of the impulses times their sizes.
    pub impulses: T,
    /// Squares of the velocities less targets.
    pub velocities: T,
    /// The largest closing speed.
    pub closing_speed: T,
    /// The largest excess of friction over its cone, N s.
    pub excess: T,
    /// The contact with the largest natural map.
    pub worst_contact: Option<usize>,
}

impl<T: Real> ResidualSums<T> {
    /// The residual that they make. `limit` is as for `measure`.
    #[inline(always)]
    pub(crate) fn residual(&self, q_norm: T, limit: T) -> Residual<T> {
        let ResidualSums { total, impulses, velocities, closing_speed, excess, worst_contact } = *self;
        let scale = larger(q_norm, larger(impulses, velocities).sqrt_or_zero());
        Residual {
            natural: if closing_speed > limit { T::ONE } else { relative(total, scale) },
            scale: if scale.is_finite() { scale } else { T::LINEAR_SPEED_LIMIT },
            closing_speed,
            cone: excess,
            worst_contact,
            closing_floor: T::lit(8.0) * T::EPSILON * impulses.sqrt_or_zero(),
            speed: larger(q_norm, velocities.sqrt_or_zero()),
        }
    }
}

/// `√square / scale`; 0 if `square` is 0; 1, far from solved, if squares overflow.
pub(crate) fn relative<T: Real>(square: T, scale: T) -> T {
    if square == T::ZERO {
        T::ZERO
    } else if square.is_finite() && scale.is_finite() {
        square.sqrt_or_zero() / scale
    } else {
        T::ONE
    }
}
