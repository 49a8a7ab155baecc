//! Arithmetic on three numbers at once, for sweeps.
//!
//! On targets whose vector registers have four lanes, a triple fills one: the fourth lane is computed and never read.
//! Elsewhere a triple is a [`Vector3`]. Lanes do not mix, and each is rounded like a scalar, so the bits are the same
//! in both cases.
//!
//! In memory triples follow each other without a gap. With four lanes, loading one reads four numbers, so an array of
//! triples has one extra number at its end.
use core::fmt::Debug;

use nalgebra::{Scalar, Vector3};

/// Arithmetic on three lanes.
#[doc(hidden)]
pub trait Lanes3<T>: Copy + Debug + PartialEq + Send + Sync + Unpin {
    /// Zero.
    const ZERO: Self;
    /// From three numbers.
    fn new(x: T, y: T, z: T) -> Self;
    /// From an array of triples, at an offset that the compiler knows.
    fn load<const N: usize>(from: &[T; N], at: usize) -> Self;
    /// The three numbers.
    fn xyz(self) -> [T; 3];
    /// The three numbers, and one more that is not used.
    fn to_four(self) -> [T; 4];
    /// From such numbers.
    fn of_four(four: [T; 4]) -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference.
    fn minus(self, other: Self) -> Self;
    /// Product lane by lane.
    fn times(self, other: Self) -> Self;
    /// Product with a number.
    fn scaled(self, by: T) -> Self;
    /// `(y, z, x)`.
    fn yzx(self) -> Self;

    /// The same as a vector.
    #[inline(always)]
    fn vector(self) -> Vector3<T>
    where
        T: Scalar,
    {
        let [x, y, z] = self.xyz();
        Vector3::new(x, y, z)
    }

    /// A vector as a triple.
    #[inline(always)]
    fn of(vector: &Vector3<T>) -> Self
    where
        T: Scalar + Copy,
    {
        Self::new(vector.x, vector.y, vector.z)
    }

    /// `self × other`, in the order z, x, y: `cross(a, b) = a.cross_zxy(b).yzx()`. Sums can be reordered once.
    #[inline(always)]
    fn cross_zxy(self, other: Self) -> Self {
        self.times(other.yzx()).minus(self.yzx().times(other))
    }
}

/// The columns of a matrix, packed at an offset of an array, times a triple.
#[inline(always)]
pub(crate) fn columns_times<T, V: Lanes3<T>, const N: usize>(columns: &[T; N], at: usize, [x, y, z]: [T; 3]) -> V {
    let column = |k: usize| V::load(columns, at + 3 * k);
    column(0).scaled(x).plus(column(1).scaled(y)).plus(column(2).scaled(z))
}

/// A vector as a triple. Entry by entry: at opt-level s nalgebra's operators stay loops through memory.
macro_rules! triple_in_a_vector {
    ($scalar:ty) => {
        impl Lanes3<$scalar> for Vector3<$scalar> {
            const ZERO: Self = Vector3::new(0.0, 0.0, 0.0);

            #[inline(always)]
            fn new(x: $scalar, y: $scalar, z: $scalar) -> Self {
                Vector3::new(x, y, z)
            }

            #[inline(always)]
            fn load<const N: usize>(from: &[$scalar; N], at: usize) -> Self {
                let chunk = from.get(at..).and_then(<[$scalar]>::first_chunk);
                chunk.map_or(Self::ZERO, |[x, y, z]| Vector3::new(*x, *y, *z))
            }

            #[inline(always)]
            fn xyz(self) -> [$scalar; 3] {
                [self.x, self.y, self.z]
            }

            #[inline(always)]
            fn to_four(self) -> [$scalar; 4] {
                [self.x, self.y, self.z, 0.0]
            }

            #[inline(always)]
            fn of_four([x, y, z, _]: [$scalar; 4]) -> Self {
                Vector3::new(x, y, z)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                Vector3::new(self.x + other.x, self.y + other.y, self.z + other.z)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                Vector3::new(self.x - other.x, self.y - other.y, self.z - other.z)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                Vector3::new(self.x * other.x, self.y * other.y, self.z * other.z)
            }

            #[inline(always)]
            fn scaled(self, by: $scalar) -> Self {
                Vector3::new(self.x * by, self.y * by, self.z * by)
            }

            #[inline(always)]
            fn yzx(self) -> Self {
                Vector3::new(self.y, self.z, self.x)
            }
        }
    };
}

triple_in_a_vector!(f32);
triple_in_a_vector!(f64);

/// A vector register as a triple.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! triple_in_a_register {
    ($scalar:ty, $register:ty) => {
        impl Lanes3<$scalar> for $register {
            const ZERO: Self = <$register>::ZERO;

            #[inline(always)]
            fn new(x: $scalar, y: $scalar, z: $scalar) -> Self {
                <$register>::new([x, y, z, 0.0])
            }

            #[inline(always)]
            fn load<const N: usize>(from: &[$scalar; N], at: usize) -> Self {
                from.get(at..).and_then(<[$scalar]>::first_chunk).map_or(Self::ZERO, |lanes| <$register>::new(*lanes))
            }

            #[inline(always)]
            fn xyz(self) -> [$scalar; 3] {
                let [x, y, z, _] = self.to_array();
                [x, y, z]
            }

            #[inline(always)]
            fn to_four(self) -> [$scalar; 4] {
                self.to_array()
            }

            #[inline(always)]
            fn of_four(four: [$scalar; 4]) -> Self {
                <$register>::new(four)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn scaled(self, by: $scalar) -> Self {
                self * <$register>::splat(by)
            }

            #[inline(always)]
            fn yzx(self) -> Self {
                let [x, y, z, w] = self.to_array();
                <$register>::new([y, z, x, w])
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
triple_in_a_register!(f32, wide::f32x4);
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
triple_in_a_register!(f64, wide::f64x4);
