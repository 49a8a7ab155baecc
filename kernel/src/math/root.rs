//! The square root. IEEE 754 defines its bits, so all of these give the same.
//!
//! On x86-64, `libm` uses a legacy SSE instruction in inline assembly. In a program that is built for AVX, mixing the
//! two kinds of instructions makes every call slow. There, the root of a vector is taken instead.

#[cfg(target_arch = "x86_64")]
macro_rules! root_in_a_register {
    ($name:ident, $scalar:ty, $register:ty) => {
        #[inline(always)]
        pub(crate) fn $name(value: $scalar) -> $scalar {
            let [root, ..] = <$register>::splat(value).sqrt().to_array();
            root
        }
    };
}

#[cfg(target_arch = "x86_64")]
root_in_a_register!(sqrt_f32, f32, wide::f32x4);
#[cfg(target_arch = "x86_64")]
root_in_a_register!(sqrt_f64, f64, wide::f64x2);

#[cfg(all(not(target_arch = "x86_64"), feature = "fast-sqrt"))]
pub(crate) use stiction_fast_sqrt::sqrt as sqrt_f32;

#[cfg(all(not(target_arch = "x86_64"), not(feature = "fast-sqrt")))]
pub(crate) use libm::sqrtf as sqrt_f32;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use libm::sqrt as sqrt_f64;
