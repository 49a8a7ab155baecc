//! The local rules that are not exact: for comparison, and for the slowest hardware.
//!
//! *Projection* solves `û + Kx = 0` and then shortens the tangent. While sliding it leaves `u_n = −K_nt·δ_t` with `δ_t`
//! the friction that the cone rejected: the contact separates or sinks, the faster the slide the more, and energy can
//! be gained. *Hold and resolve* then solves the normal row again with that friction; *box* solves row after row with
//! `|x_t| ≤ μ (x_n + p)/√2` each.
use nalgebra::Vector3;

use crate::local::block::Block;
use crate::local::cone::Cone;
use crate::local::exact::exact_bracketed;
use crate::local::free_velocity::Free;
use crate::local::secular::Secular;
use crate::math::real::{Real, larger, positive_part, smaller};
use crate::math::vector::VectorOps;
use crate::problem::settings::LocalRule;

/// One local step by one of the rules that are not exact. `previous` is the contact's impulse before the step.
#[inline(never)]
pub(crate) fn approximate<T: Real>(
    rule: LocalRule,
    block: &Block<T>,
    cone: &Cone<T>,
    free: &Free<T>,
    previous: &Vector3<T>,
) -> Vector3<T> {
    match rule {
        LocalRule::Exact => exact_bracketed(block, cone, free, T::ZERO).impulse,
        LocalRule::HoldAndResolve => hold_and_resolve(block, cone, free),
        LocalRule::Projection => cone.clamp(&unconstrained(block, free)),
        LocalRule::Box => boxed(block, cone, free, previous),
    }
}

/// `−K⁻¹ û`.
fn unconstrained<T: Real>(block: &Block<T>, free: &Free<T>) -> Vector3<T> {
    let cone = Cone { mu: T::ZERO, preload: T::ZERO };
    Secular { block, cone: &cone, free }.at(T::ZERO).impulse()
}

fn hold_and_resolve<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>) -> Vector3<T> {
    let wanted = unconstrained(block, free);
    let held = cone.clamp(&wanted);
    if held == wanted {
        return held;
    }
    let normal = normal_given_tangent(block, free, held.y, held.z);
    cone.clamp(&Vector3::new(normal, held.y, held.z))
}

fn boxed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, previous: &Vector3<T>) -> Vector3<T> {
    let (k, column, u) = (block.tangential(), block.column.scaled(block.normal), free.tangent(block));
    let normal = positive_part(normal_given_tangent(block, free, previous.y, previous.z));
    let bound = cone.radius(normal) * T::lit(core::f64::consts::FRAC_1_SQRT_2);
    let within = |value: T| larger(-bound, smaller(bound, value));
    let t1 = within(-(u.x + column.x * normal + k.m12 * previous.z) / k.m11);
    let t2 = within(-(u.y + column.y * normal + k.m21 * t1) / k.m22);
    Vector3::new(normal, t1, t2)
}

/// The normal impulse at which `u_n = 0`, with the friction as it is.
#[inline(always)]
fn normal_given_tangent<T: Real>(block: &Block<T>, free: &Free<T>, t1: T, t2: T) -> T {
    -(free.lift + block.row.x * t1 + block.row.y * t2)
}
