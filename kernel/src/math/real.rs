//! The two scalar types, `f32` and `f64`, and the few operations on them whose bits could differ between machines.
//!
//! Addition, subtraction, multiplication, division and square root are correctly rounded by IEEE 754, so they give the
//! same bits on every target. Fused multiply–add, `min`/`max` of signed zeros and platform maths libraries do not, and
//! are not used anywhere in this crate. The square root comes from `libm`.
//!
//! The limits below bound every input so that speeds, impulses and energies stay within the type's range with room to
//! square them. Combinations at several limits at once can still overflow on the way; what does is not used, and a
//! residual that cannot be computed counts as 1, far from solved.
use nalgebra::RealField;

use crate::math::lanes::Lanes3;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A scalar of the solver: `f32` or `f64`, and nothing else.
///
/// ```
/// use stiction::Real;
/// /// How far a braking car goes on, in m, from a speed in m/s.
/// fn braking_distance<T: Real>(speed: T, mu: T) -> T {
///     T::HALF * speed * speed / (mu * T::lit(9.81))
/// }
/// assert!((braking_distance(20.0_f64, 0.8) - 25.484).abs() < 1e-3);
/// assert!((braking_distance(20.0_f32, 0.8) - 25.484).abs() < 1e-3);
/// assert!(f32::DEFAULT_TOLERANCE > f32::EPSILON);
/// ```
pub trait Real: sealed::Sealed + RealField + Copy + Default {
    /// Three of it, computed with together.
    type Lanes3: Lanes3<Self>;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// 1/2.
    const HALF: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// Relative softness of Newton's equations, for redundant contacts.
    const REDUNDANT: Self;
    /// Largest finite number.
    const LARGEST: Self;
    /// Largest linear speed accepted, in m/s.
    const LINEAR_SPEED_LIMIT: Self;
    /// Largest angular speed accepted, in rad/s.
    const ANGULAR_SPEED_LIMIT: Self;
    /// Largest coordinate of a body accepted, in m.
    const POSITION_LIMIT: Self;
    /// Largest lever arm or depth accepted, in m.
    const LENGTH_LIMIT: Self;
    /// Largest inverse mass (1/kg) or inverse inertia (1/(kg m²)) accepted; a nonzero inverse mass is at least 1 over this.
    const INVERSE_MASS_LIMIT: Self;
    /// Largest friction coefficient accepted.
    const FRICTION_LIMIT: Self;
    /// Largest warm-start impulse (N s), external force (N) or torque (N m) accepted.
    const IMPULSE_LIMIT: Self;
    /// Regularisation of a contact's own block, relative to a third of its trace (see `block`).
    const RELATIVE_CFM: Self;

    /// `ε^(1/3)`: what is smaller may be left out of a series from its third power on.
    const RIM: Self;
    /// Relative residual at which a solve ends unless the settings say otherwise: within reach of the type's rounding.
    const DEFAULT_TOLERANCE: Self;

    /// A literal, rounded once. Constant-folded: no double-precision code remains in single-precision firmware.
    fn lit(value: f64) -> Self;

    /// The same number in double precision, for reports on a host; the kernel itself never asks.
    fn to_f64(self) -> f64;

    /// Correctly rounded square root; 0 for a negative or NaN argument, so that rounding below zero is harmless.
    fn root(self) -> Self;

    /// The power of two at or below a positive normal number.
    fn power_of_two_below(self) -> Self;

    /// Neither infinite nor NaN.
    fn finite(self) -> bool;

    /// A small integer, exactly.
    fn small(value: i16) -> Self;

    /// Bytes of a value.
    const BYTES: usize;

    /// Its bytes, least significant first, padded with zeros.
    fn to_le_padded(self) -> [u8; 8];

    /// The value of such bytes.
    fn from_le_padded(bytes: [u8; 8]) -> Self;

    /// The integer at or below, limited to the integer's range; 0 for NaN.
    fn floor_to_i32(self) -> i32;
}

/// Larger than any number.
#[inline(always)]
pub(crate) fn any<T: Real>() -> T {
    T::lit(f64::INFINITY)
}

/// The larger of two; the first when they do not compare.
#[inline(always)]
pub(crate) fn larger<T: Real>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// The smaller of two; the first when they do not compare.
#[inline(always)]
pub(crate) fn smaller<T: Real>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// `value` when positive, else exactly 0 (also for NaN).
#[inline(always)]
pub(crate) fn positive_part<T: Real>(value: T) -> T {
    if value > T::ZERO { value } else { T::ZERO }
}

impl Real for f32 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Lanes3 = wide::f32x4;
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    type Lanes3 = nalgebra::Vector3<f32>;

    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const HALF: f32 = 0.5;
    const EPSILON: f32 = f32::EPSILON;
    const REDUNDANT: f32 = 1e-5;
    const LARGEST: f32 = f32::MAX;
    const LINEAR_SPEED_LIMIT: f32 = 1e9;
    const ANGULAR_SPEED_LIMIT: f32 = 1e5;
    const POSITION_LIMIT: f32 = 1e9;
    const LENGTH_LIMIT: f32 = 1e4;
    const INVERSE_MASS_LIMIT: f32 = 1e9;
    const FRICTION_LIMIT: f32 = 1e6;
    const IMPULSE_LIMIT: f32 = 1e15;
    const RELATIVE_CFM: f32 = f32::EPSILON;
    const RIM: f32 = 4e-3;
    const DEFAULT_TOLERANCE: f32 = 1e-5;

    #[inline(always)]
    fn lit(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[cfg(feature = "fast-sqrt")]
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn root(self) -> f32 {
        if self > 0.0 { stiction_fast_sqrt::sqrt(self) } else { 0.0 }
    }

    #[cfg(not(feature = "fast-sqrt"))]
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn root(self) -> f32 {
        if self > 0.0 { libm::sqrtf(self) } else { 0.0 }
    }

    #[inline(always)]
    fn power_of_two_below(self) -> f32 {
        f32::from_bits(self.to_bits() & 0x7f80_0000)
    }

    #[inline(always)]
    fn finite(self) -> bool {
        f32::is_finite(self)
    }

    const BYTES: usize = 4;

    fn to_le_padded(self) -> [u8; 8] {
        let [a, b, c, d] = self.to_le_bytes();
        [a, b, c, d, 0, 0, 0, 0]
    }

    fn from_le_padded([a, b, c, d, ..]: [u8; 8]) -> f32 {
        f32::from_le_bytes([a, b, c, d])
    }

    #[inline(always)]
    fn small(value: i16) -> f32 {
        f32::from(value)
    }

    #[inline(always)]
    fn floor_to_i32(self) -> i32 {
        let truncated = self as i32;
        if (truncated as f32) > self { truncated.saturating_sub(1) } else { truncated }
    }
}

impl Real for f64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Lanes3 = wide::f64x4;
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    type Lanes3 = nalgebra::Vector3<f64>;

    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const HALF: f64 = 0.5;
    const EPSILON: f64 = f64::EPSILON;
    const REDUNDANT: f64 = 1e-8;
    const LARGEST: f64 = f64::MAX;
    const LINEAR_SPEED_LIMIT: f64 = 1e30;
    const ANGULAR_SPEED_LIMIT: f64 = 1e30;
    const POSITION_LIMIT: f64 = 1e30;
    const LENGTH_LIMIT: f64 = 1e20;
    const INVERSE_MASS_LIMIT: f64 = 1e40;
    const FRICTION_LIMIT: f64 = 1e12;
    const IMPULSE_LIMIT: f64 = 1e80;
    const RELATIVE_CFM: f64 = f64::EPSILON;
    const RIM: f64 = 5e-6;
    const DEFAULT_TOLERANCE: f64 = 1e-9;

    #[inline(always)]
    fn lit(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn root(self) -> f64 {
        if self > 0.0 { libm::sqrt(self) } else { 0.0 }
    }

    #[inline(always)]
    fn power_of_two_below(self) -> f64 {
        f64::from_bits(self.to_bits() & 0x7ff0_0000_0000_0000)
    }

    #[inline(always)]
    fn finite(self) -> bool {
        f64::is_finite(self)
    }

    const BYTES: usize = 8;

    fn to_le_padded(self) -> [u8; 8] {
        self.to_le_bytes()
    }

    fn from_le_padded(bytes: [u8; 8]) -> f64 {
        f64::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn small(value: i16) -> f64 {
        f64::from(value)
    }

    #[inline(always)]
    fn floor_to_i32(self) -> i32 {
        let truncated = self as i32;
        if (truncated as f64) > self { truncated.saturating_sub(1) } else { truncated }
    }
}
