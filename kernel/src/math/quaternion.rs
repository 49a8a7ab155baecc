//! Orientations as unit quaternions, rotated without trigonometry.
//!
//! Rotating about `ω` for a time `h` is the Cayley map with a stretch `τ`,
//!
//! ```text
//! q ← normalised (1, y) q,    y = τ h ω/2,    τ = tan(x)/x,    x = h|ω|/2
//! ```
//!
//! which rotates by `2 atan |y| = h|ω|`. The tangent is replaced by its Padé approximant `τ = (15 − x²)/(15 − 6x²)`:
//! the angle is right to 1e-6 of itself at half a radian a step and to 1.4e-3 at two. Beyond two radians a step `τ` is
//! constant: such a step is too long to follow the motion, but rotates by less than half a revolution and never in the
//! wrong direction.
use nalgebra::{Matrix3, Quaternion, Unit, UnitQuaternion, Vector3};

use crate::math::real::{Real, smaller};
use crate::math::vector::{VectorOps, times};

/// A quaternion scaled to length 1; none if its length is 0 or NaN.
pub(crate) fn normalised<T: Real>(q: Quaternion<T>) -> Option<UnitQuaternion<T>> {
    let length = length(&q);
    (length > T::ZERO && length.is_finite())
        .then(|| Unit::new_unchecked(Quaternion::new(q.w / length, q.i / length, q.j / length, q.k / length)))
}

/// Length of a quaternion.
pub(crate) fn length<T: Real>(q: &Quaternion<T>) -> T {
    q.coords.dot(&q.coords).sqrt_or_zero()
}

/// `y`: half the angle of a rotation, stretched, along its axis.
pub(crate) fn half_rotation<T: Real>(angular: &Vector3<T>, dt: T) -> Vector3<T> {
    angular.scaled(stretch(angular, dt) * T::HALF * dt)
}

/// `τ` of an angular velocity.
pub(crate) fn stretch<T: Real>(angular: &Vector3<T>, dt: T) -> T {
    let x = angular.scaled(T::HALF * dt);
    let square = smaller(x.dot(&x), T::ONE);
    (T::lit(15.0) - square) / (T::lit(15.0) - T::lit(6.0) * square)
}

/// The orientation after a half rotation about world axes.
pub(crate) fn rotated<T: Real>(orientation: &UnitQuaternion<T>, half_rotation: &Vector3<T>) -> UnitQuaternion<T> {
    let rotation = Quaternion::new(T::ONE, half_rotation.x, half_rotation.y, half_rotation.z);
    normalised(product(&rotation, orientation.quaternion())).unwrap_or(*orientation)
}

/// The orientation after a half rotation about its own axes.
pub(crate) fn rotated_in_own_axes<T: Real>(
    orientation: &UnitQuaternion<T>,
    half_rotation: &Vector3<T>,
) -> UnitQuaternion<T> {
    let rotation = Quaternion::new(T::ONE, half_rotation.x, half_rotation.y, half_rotation.z);
    normalised(product(orientation.quaternion(), &rotation)).unwrap_or(*orientation)
}

/// The orientation of B as seen from A.
pub(crate) fn relative<T: Real>(a: &UnitQuaternion<T>, b: &UnitQuaternion<T>) -> UnitQuaternion<T> {
    let q = a.quaternion();
    let back = Quaternion::new(q.w, -q.i, -q.j, -q.k);
    normalised(product(&back, b.quaternion())).unwrap_or(*b)
}

/// One rotation after another.
pub(crate) fn composed<T: Real>(outer: &UnitQuaternion<T>, inner: &UnitQuaternion<T>) -> UnitQuaternion<T> {
    normalised(product(outer.quaternion(), inner.quaternion())).unwrap_or(*inner)
}

fn product<T: Real>(a: &Quaternion<T>, b: &Quaternion<T>) -> Quaternion<T> {
    Quaternion::new(
        a.w * b.w - a.i * b.i - a.j * b.j - a.k * b.k,
        a.w * b.i + a.i * b.w + a.j * b.k - a.k * b.j,
        a.w * b.j - a.i * b.k + a.j * b.w + a.k * b.i,
        a.w * b.k + a.i * b.j - a.j * b.i + a.k * b.w,
    )
}

/// The matrix that rotates body axes into world axes.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn matrix<T: Real>(orientation: &UnitQuaternion<T>) -> Matrix3<T> {
    let q = orientation.quaternion();
    let two = T::lit(2.0);
    let (x, y, z) = (two * q.i, two * q.j, two * q.k);
    Matrix3::new(
        T::ONE - (y * q.j + z * q.k),
        x * q.j - z * q.w,
        x * q.k + y * q.w, //
        x * q.j + z * q.w,
        T::ONE - (x * q.i + z * q.k),
        y * q.k - x * q.w, //
        x * q.k - y * q.w,
        y * q.k + x * q.w,
        T::ONE - (x * q.i + y * q.j),
    )
}

/// `R B Rᵀ` of a symmetric `B`, exactly symmetric.
///
/// The isotropic part is excluded from the product, so that a cube or a sphere keeps its bits.
pub(crate) fn rotated_tensor<T: Real>(rotation: &Matrix3<T>, tensor: &Matrix3<T>) -> Matrix3<T> {
    let common = smaller(smaller(tensor.m11, tensor.m22), tensor.m33);
    let rest = Matrix3::new(
        tensor.m11 - common,
        tensor.m12,
        tensor.m13, //
        tensor.m12,
        tensor.m22 - common,
        tensor.m23, //
        tensor.m13,
        tensor.m23,
        tensor.m33 - common,
    );
    let (x, y, z) = (row(rotation, 0), row(rotation, 1), row(rotation, 2));
    let (bx, by, bz) = (times(&rest, &x), times(&rest, &y), times(&rest, &z));
    let (xy, xz, yz) = (x.dot(&by), x.dot(&bz), y.dot(&bz));
    Matrix3::new(
        common + x.dot(&bx),
        xy,
        xz, //
        xy,
        common + y.dot(&by),
        yz, //
        xz,
        yz,
        common + z.dot(&bz),
    )
}

fn row<T: Real>(m: &Matrix3<T>, index: usize) -> Vector3<T> {
    match index {
        0 => Vector3::new(m.m11, m.m12, m.m13),
        1 => Vector3::new(m.m21, m.m22, m.m23),
        _ => Vector3::new(m.m31, m.m32, m.m33),
    }
}

/// `Rᵀ v`.
pub(crate) fn to_own_axes<T: Real>(rotation: &Matrix3<T>, v: &Vector3<T>) -> Vector3<T> {
    let (x, y, z) = (row(rotation, 0).scaled(v.x), row(rotation, 1).scaled(v.y), row(rotation, 2).scaled(v.z));
    x.plus(&y).plus(&z)
}
