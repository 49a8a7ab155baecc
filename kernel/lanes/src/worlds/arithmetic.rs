//! Small functions on registers, each with the operations of the kernel's function of that name.
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};
use stiction::sweep::lane_memory::VisitLimits;

use crate::scalar::LaneScalar;
pub(super) use crate::visit::Mask;

/// The register of a scalar.
pub(super) type Register<S, T> = <T as LaneScalar>::Register<S>;

/// A number in all lanes.
#[inline(always)]
pub(super) fn splat<S: Simd, T: LaneScalar>(simd: S, value: T) -> Register<S, T> {
    T::Register::<S>::splat(simd, value)
}

/// Lanes as a register.
#[inline(always)]
pub(super) fn register<S: Simd, T: LaneScalar>(simd: S, lanes: &T::Array) -> Register<S, T> {
    T::Register::<S>::load_array_ref(simd, lanes)
}

/// Three registers.
#[inline(always)]
pub(super) fn registers<S: Simd, T: LaneScalar>(simd: S, [x, y, z]: &[T::Array; 3]) -> [Register<S, T>; 3] {
    [register::<S, T>(simd, x), register::<S, T>(simd, y), register::<S, T>(simd, z)]
}

/// `a·b`.
#[inline(always)]
pub(super) fn dot<S: Simd, T: LaneScalar>(a: [Register<S, T>; 3], b: [Register<S, T>; 3]) -> Register<S, T> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a × b`.
#[inline(always)]
pub(super) fn cross<S: Simd, T: LaneScalar>(a: [Register<S, T>; 3], b: [Register<S, T>; 3]) -> [Register<S, T>; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The value where it is positive, else 0.
#[inline(always)]
pub(super) fn positive_part<S: Simd, T: LaneScalar>(simd: S, value: Register<S, T>) -> Register<S, T> {
    let zero = splat::<S, T>(simd, T::ZERO);
    value.simd_gt(zero).select(value, zero)
}

/// The larger of two; the first where they do not compare.
#[inline(always)]
pub(super) fn larger<S: Simd, T: LaneScalar>(a: Register<S, T>, b: Register<S, T>) -> Register<S, T> {
    b.simd_gt(a).select(b, a)
}

/// The square root; 0 for a negative number and NaN.
#[inline(always)]
pub(super) fn root<S: Simd, T: LaneScalar>(simd: S, value: Register<S, T>) -> Register<S, T> {
    let zero = splat::<S, T>(simd, T::ZERO);
    value.simd_gt(zero).select(value.sqrt(), zero)
}

/// Whether numbers are finite.
#[inline(always)]
pub(super) fn is_finite<S: Simd, T: LaneScalar>(simd: S, value: Register<S, T>) -> Mask<S, T> {
    value.abs().simd_le(splat::<S, T>(simd, VisitLimits::new().largest))
}

/// Whether all parts of a vector are zero.
#[inline(always)]
pub(super) fn is_zero<S: Simd, T: LaneScalar>(simd: S, [x, y, z]: [Register<S, T>; 3]) -> Mask<S, T> {
    (x.abs() + y.abs() + z.abs()).simd_eq(splat::<S, T>(simd, T::ZERO))
}

/// Length of a tangential part, also if its square overflows.
#[inline(always)]
pub(super) fn tangent_length<S: Simd, T: LaneScalar>(simd: S, y: Register<S, T>, z: Register<S, T>) -> Register<S, T> {
    let square = y * y + z * z;
    let (finite, length) = (is_finite::<S, T>(simd, square), root::<S, T>(simd, square));
    if finite.all_true() {
        return length;
    }
    let size = larger::<S, T>(y.abs(), z.abs());
    let (y, z) = (y / size, z / size);
    finite.select(length, size * root::<S, T>(simd, y * y + z * z))
}
