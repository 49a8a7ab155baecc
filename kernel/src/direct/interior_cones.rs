//! The cones of the interior-point method: how far a step may go, and what it aims at.
use nalgebra::Vector3;

use crate::direct::contact_system::ContactSystem;
use crate::direct::interior_moments::{GroupCone, cones};
use crate::direct::workspace::{ContactScratch, Workspace};
use crate::math::real::Real;
use crate::math::second_order_cone::{Scaling, jordan, jordan_divided, min_product, step_to_border};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::Role;

/// No contact's smallest product may fall below this fraction of the mean.
const CENTRED: f64 = 0.01;
/// Fraction of the distance to the border.
pub(crate) const TO_BORDER: f64 = 0.95;

/// Shortens a step until every contact's product is near the mean.
pub(crate) fn centred<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &Workspace<'_, '_, T>,
    length: T,
) -> T {
    let mut length = length;
    for _ in 0..16 {
        let min = T::lit(CENTRED) * mean_of::<T, K>(problem, work, length);
        let mut is_behind = false;
        for_each_cone::<T, K>(problem, work, &mut |cone| {
            let (z, w) = cone.after(length);
            is_behind |= min_product(&z, &w) < min;
        });
        if !is_behind {
            break;
        }
        length *= T::lit(0.8);
    }
    length
}

/// The points of a cone, and their steps.
pub(crate) struct Points<T> {
    pub z: Vector3<T>,
    pub w: Vector3<T>,
    pub dz: Vector3<T>,
    pub dw: Vector3<T>,
}

impl<T: Real> Points<T> {
    #[inline(always)]
    pub fn of(entry: &ContactScratch<T>) -> Self {
        Points { z: entry.p, w: entry.u, dz: entry.dp, dw: entry.du }
    }

    pub fn in_group(cone: &GroupCone<T>) -> Self {
        Points { z: cone.z, w: cone.w, dz: cone.dz, dw: cone.dw }
    }

    /// The points after a part of the step.
    #[inline(always)]
    pub fn after(&self, length: T) -> (Vector3<T>, Vector3<T>) {
        (self.z + self.dz * length, self.w + self.dw * length)
    }
}

/// Calls back with every cone.
#[inline(always)]
pub(crate) fn for_each_cone<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &Workspace<'_, '_, T>,
    each: &mut impl FnMut(&Points<T>),
) {
    for (i, entry) in work.scratch.iter().enumerate().take(problem.len()) {
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            if let (Some(law), Some([first, second, ..])) = (problem.law(i), work.scratch.get(i..)) {
                cones(&law, first, second).for_each(|cone| each(&Points::in_group(&cone)));
            }
            continue;
        }
        each(&Points::of(entry));
    }
}

/// Mean of `z·w` over all cones after a part of the step.
pub(crate) fn mean_of<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &Workspace<'_, '_, T>,
    length: T,
) -> T {
    let (mut sum, mut count) = (T::ZERO, 0);
    for_each_cone::<T, K>(problem, work, &mut |cone| {
        let (z, w) = cone.after(length);
        sum += z.dot(&w);
        count += 1;
    });
    sum / T::integer(if count < 30_000 { count } else { 30_000 })
}

/// Target of the complementarity products.
pub(crate) struct Target<T> {
    pub product: T,
    pub second_order: T,
}

/// `Q r`.
pub(crate) fn right_side<T: Real>(cone: &Points<T>, scaling: &Scaling<T>, target: Option<&Target<T>>) -> Vector3<T> {
    let Some(target) = target else { return -cone.w };
    let (q, inverse) = (scaling.matrix(), scaling.inverse());
    let lambda = q * cone.z;
    let second = jordan(&(inverse * cone.dw), &(q * cone.dz)) * target.second_order;
    let mut r = -jordan(&lambda, &lambda) - second;
    r.x += target.product;
    q * jordan_divided(&lambda, &r)
}

/// The longest step that stays in all cones, at most `1/TO_BORDER`.
pub(crate) fn longest<T: Real, K: ContactRows>(problem: &dyn ContactSystem<T>, work: &Workspace<'_, '_, T>) -> T {
    let mut limit = T::ONE / T::lit(TO_BORDER);
    for_each_cone::<T, K>(problem, work, &mut |cone| {
        limit = step_to_border(&cone.z, &cone.dz, limit);
        limit = step_to_border(&cone.w, &cone.dw, limit);
    });
    limit
}
