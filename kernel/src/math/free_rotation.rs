//! A free body's rotation over one step: the gyroscopic term, without adding energy.
//!
//! In body axes the angular momentum obeys `L̇ = L × B L` with `B` the inverse inertia. The implicit midpoint rule
//!
//! ```text
//! M = L⁰ + g M × B M,    g = τ h/2,    L¹ = 2M − L⁰
//! ```
//!
//! keeps `|L|` and the energy `½ L·B L`, both quadratic; and rotating the body by the half rotation `y = g B M` about
//! its own axes (see `quaternion`) keeps the angular momentum in world axes, since `L¹ = L⁰ + y × (L⁰ + L¹)` is the
//! Cayley map's own equation. `τ` is any scalar, here the one that makes the angle right for the spin at hand.
//!
//! Newton's method solves for `M`, at most `STEPS` steps. If it does not converge (spin too fast for the step), and for
//! bodies that cannot rotate about some axis, the angular velocity stays as it is: it is the axis of the rotation, so
//! it stays in body axes too, and with it the energy. In floating point both are kept to rounding a step, which adds up
//! over many: after a million steps in `f32` to about a hundredth, in `f64` to 1e-12. The explicit rule
//! `ω ← ω − h I⁻¹(ω × I ω)` gains energy without bound.
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::ldlt3::Ldlt3;
use crate::math::quaternion::{half_rotation, matrix, rotated, rotated_in_own_axes, stretch, to_own_axes};
use crate::math::real::{Real, larger};
use crate::math::vector::{VectorOps, is_zero, times};

/// Maximum number of Newton steps; two or three are usual.
const STEPS: u32 = 8;

/// Orientation and angular velocity (world axes, rad/s) after `dt` seconds without torque.
pub(crate) fn turn_freely<T: Real>(
    inverse_inertia: &Matrix3<T>,
    orientation: &UnitQuaternion<T>,
    angular: &Vector3<T>,
    dt: T,
) -> (UnitQuaternion<T>, Vector3<T>) {
    if let Some(gyroscopic) = turn_with_momentum(inverse_inertia, orientation, angular, dt) {
        return gyroscopic;
    }
    (rotated(orientation, &half_rotation(angular, dt)), *angular)
}

/// Whether the inertia is equal about all axes.
pub(crate) fn is_isotropic<T: Real>(b: &Matrix3<T>) -> bool {
    let same = b.m11 == b.m22 && b.m22 == b.m33;
    same && b.m21 == T::ZERO && b.m31 == T::ZERO && b.m32 == T::ZERO
}

fn turn_with_momentum<T: Real>(
    b: &Matrix3<T>,
    orientation: &UnitQuaternion<T>,
    angular: &Vector3<T>,
    dt: T,
) -> Option<(UnitQuaternion<T>, Vector3<T>)> {
    if is_isotropic(b) || is_zero(angular) {
        return None;
    }
    let omega = to_own_axes(&matrix(orientation), angular);
    let momentum = Ldlt3::new(b).momentum(&omega)?;
    let g = stretch(angular, dt) * T::HALF * dt;
    let middle = midpoint(b, &momentum, g)?;
    let omega_middle = times(b, &middle);
    let after = omega_middle.scaled(T::lit(2.0)).minus(&omega);
    // Rounding must not add more energy than a few ε, which it would if the inertia is nearly singular.
    let twice_energy = |omega: &Vector3<T>, momentum: &Vector3<T>| omega.dot(momentum);
    let momentum_after = middle.scaled(T::lit(2.0)).minus(&momentum);
    let limit = twice_energy(&omega, &momentum) * (T::ONE + T::lit(64.0) * T::EPSILON);
    if !(twice_energy(&after, &momentum_after) <= limit) {
        return None;
    }
    let orientation = rotated_in_own_axes(orientation, &omega_middle.scaled(g));
    Some((orientation, times(&matrix(&orientation), &after)))
}

/// `M = L + g M × B M` by Newton's method; `None` if it does not converge.
fn midpoint<T: Real>(b: &Matrix3<T>, momentum: &Vector3<T>, g: T) -> Option<Vector3<T>> {
    let mut m = *momentum;
    let size = |v: &Vector3<T>| larger(larger(v.x.abs(), v.y.abs()), v.z.abs());
    let scale = size(momentum);
    for _ in 0..STEPS {
        let omega = times(b, &m);
        let residual = m.minus(momentum).minus(&m.cross(&omega).scaled(g));
        // Columns of the slope: a change `d` of `M` changes `M × B M` by `M × B d + d × B M`.
        let column = |d: Vector3<T>, rotated: Vector3<T>| d.minus(&m.cross(&rotated).plus(&d.cross(&omega)).scaled(g));
        let step = solve(
            column(Vector3::new(T::ONE, T::ZERO, T::ZERO), Vector3::new(b.m11, b.m21, b.m31)),
            column(Vector3::new(T::ZERO, T::ONE, T::ZERO), Vector3::new(b.m12, b.m22, b.m32)),
            column(Vector3::new(T::ZERO, T::ZERO, T::ONE), Vector3::new(b.m13, b.m23, b.m33)),
            &residual,
        )?;
        m = m.minus(&step);
        if size(&step) <= T::lit(4.0) * T::EPSILON * scale {
            return Some(m);
        }
    }
    None
}

/// Solves for the weights of three columns by Cramer's rule: the matrix is the identity plus a term of the size of the
/// rotation.
fn solve<T: Real>(a: Vector3<T>, b: Vector3<T>, c: Vector3<T>, v: &Vector3<T>) -> Option<Vector3<T>> {
    let bc = b.cross(&c);
    let determinant = a.dot(&bc);
    let x = Vector3::new(v.dot(&bc), a.dot(&v.cross(&c)), a.dot(&b.cross(v))).divided(determinant);
    (x.x.is_finite() && x.y.is_finite() && x.z.is_finite()).then_some(x)
}
