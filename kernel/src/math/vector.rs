//! Sums and products of small vectors and matrices, entry by entry. At opt-level s nalgebra's operators stay loops:
//! larger and slower than three instructions. Its products use views whose bounds checks could panic. The bits are the
//! same either way.
use nalgebra::{Matrix3, Vector2, Vector3};

use crate::math::real::{Real, larger};

/// Arithmetic entry by entry.
pub(crate) trait VectorOps<T>: Sized {
    /// Sum.
    fn plus(&self, other: &Self) -> Self;
    /// Difference.
    fn minus(&self, other: &Self) -> Self;
    /// Product with a number.
    fn scaled(&self, factor: T) -> Self;
    /// Quotient by a number.
    fn divided(&self, divisor: T) -> Self;
    /// Negation.
    fn negated(&self) -> Self;
    /// Magnitudes.
    fn absolute(&self) -> Self;
}

impl<T: Real> VectorOps<T> for Vector3<T> {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Vector3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Vector3::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }

    #[inline(always)]
    fn scaled(&self, factor: T) -> Self {
        Vector3::new(self.x * factor, self.y * factor, self.z * factor)
    }

    #[inline(always)]
    fn divided(&self, divisor: T) -> Self {
        Vector3::new(self.x / divisor, self.y / divisor, self.z / divisor)
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Vector3::new(-self.x, -self.y, -self.z)
    }

    #[inline(always)]
    fn absolute(&self) -> Self {
        Vector3::new(self.x.abs(), self.y.abs(), self.z.abs())
    }
}

impl<T: Real> VectorOps<T> for Vector2<T> {
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Vector2::new(self.x + other.x, self.y + other.y)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Vector2::new(self.x - other.x, self.y - other.y)
    }

    #[inline(always)]
    fn scaled(&self, factor: T) -> Self {
        Vector2::new(self.x * factor, self.y * factor)
    }

    #[inline(always)]
    fn divided(&self, divisor: T) -> Self {
        Vector2::new(self.x / divisor, self.y / divisor)
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Vector2::new(-self.x, -self.y)
    }

    #[inline(always)]
    fn absolute(&self) -> Self {
        Vector2::new(self.x.abs(), self.y.abs())
    }
}

/// The zero vector, where constants are built.
pub(crate) const fn zero3<T: Real>() -> Vector3<T> {
    Vector3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 1]))
}

/// Whether all entries are zero.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn is_zero<T: Real>(v: &Vector3<T>) -> bool {
    v.x.abs() + v.y.abs() + v.z.abs() == T::ZERO
}

/// `m v`.
#[inline(always)]
pub(crate) fn times<T: Real>(m: &Matrix3<T>, v: &Vector3<T>) -> Vector3<T> {
    Vector3::new(
        m.m11 * v.x + m.m12 * v.y + m.m13 * v.z,
        m.m21 * v.x + m.m22 * v.y + m.m23 * v.z,
        m.m31 * v.x + m.m32 * v.y + m.m33 * v.z,
    )
}

/// `v vᵀ`.
pub(crate) fn outer<T: Real>(v: &Vector3<T>) -> Matrix3<T> {
    let (x, y, z) = (v.x, v.y, v.z);
    Matrix3::new(x * x, x * y, x * z, x * y, y * y, y * z, x * z, y * z, z * z)
}

/// `a b`.
pub(crate) fn product<T: Real>(a: &Matrix3<T>, b: &Matrix3<T>) -> Matrix3<T> {
    let (x, y, z) = (
        times(a, &Vector3::new(b.m11, b.m21, b.m31)),
        times(a, &Vector3::new(b.m12, b.m22, b.m32)),
        times(a, &Vector3::new(b.m13, b.m23, b.m33)),
    );
    Matrix3::new(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)
}

/// Length of the tangential part, also if its square overflows.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn tangent_length<T: Real>(v: &Vector3<T>) -> T {
    let square = v.y * v.y + v.z * v.z;
    if square.is_finite() {
        return square.sqrt_or_zero();
    }
    let size = larger(v.y.abs(), v.z.abs());
    let (y, z) = (v.y / size, v.z / size);
    size * (y * y + z * z).sqrt_or_zero()
}

/// A vector without components that are only rounding: products of several would be subnormal numbers, which are slow.
pub(crate) fn without_noise<T: Real>(v: &Vector3<T>) -> Vector3<T> {
    let noise = T::EPSILON * T::EPSILON * larger(larger(v.x.abs(), v.y.abs()), v.z.abs());
    v.map(|part| if part.abs() <= noise { T::ZERO } else { part })
}
