//! Products of 3×3 matrices, entry by entry: nalgebra's go by views, which the smallest code does not inline, and whose
//! bounds checks could then panic.

use nalgebra::{Matrix3, Vector3};

use crate::real::Real;

/// `v vᵀ`.
pub(crate) fn outer<T: Real>(v: &Vector3<T>) -> Matrix3<T> {
    let (x, y, z) = (v.x, v.y, v.z);
    Matrix3::new(x * x, x * y, x * z, x * y, y * y, y * z, x * z, y * z, z * z)
}

/// `a b`.
pub(crate) fn product<T: Real>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    let (x, y, z) = (
        a * Vector3::new(b.m11, b.m21, b.m31),
        a * Vector3::new(b.m12, b.m22, b.m32),
        a * Vector3::new(b.m13, b.m23, b.m33),
    );
    Matrix3::new(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)
}
