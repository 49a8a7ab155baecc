//! The two scalar types, `f32` and `f64`, and the few operations on them whose bits could differ between machines.
//!
//! Addition, subtraction, multiplication, division and square root are correctly rounded by IEEE 754, so their results
//! have the same bits on every target. Fused multiply–add, `min`/`max` of signed zeros and platform maths libraries
//! differ between targets and are not used in this crate. The square root is in `root`.
//!
//! The limits below bound every input so that squares of speeds, impulses and energies stay within the type's range.
//! Combinations at several limits at once can still overflow in intermediate results; these are not used, and a
//! residual that cannot be computed counts as 1, far from solved.
use crate::math::root::{sqrt_f32, sqrt_f64};

/// A scalar of the solver: `f32` or `f64` only.
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
pub trait Real: internal::Internals {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// 1/2.
    const HALF: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// Largest linear speed accepted, in m/s.
    const LINEAR_SPEED_LIMIT: Self;
    /// Largest angular speed accepted, in rad/s.
    const ANGULAR_SPEED_LIMIT: Self;
    /// Largest coordinate of a body accepted, in m.
    const POSITION_LIMIT: Self;
    /// Largest lever arm or depth accepted, in m.
    const LENGTH_LIMIT: Self;
    /// Largest inverse mass (1/kg) or inverse inertia (1/(kg m²)) accepted; a nonzero inverse mass is at least 1 over
    /// this.
    const INVERSE_MASS_LIMIT: Self;
    /// Largest friction coefficient accepted.
    const FRICTION_LIMIT: Self;
    /// Largest warm-start impulse (N s), external force (N) or torque (N m) accepted.
    const IMPULSE_LIMIT: Self;
    /// Relative residual at which a solve ends unless the settings say otherwise: within reach of the type's rounding.
    const DEFAULT_TOLERANCE: Self;
    /// Bytes of a value.
    const BYTES: usize;

    /// A literal, rounded once. Constant-folded: no double-precision code remains in single-precision firmware.
    fn lit(value: f64) -> Self;

    /// The same number in double precision, for reports on a host; the kernel itself does not call it.
    fn to_f64(self) -> f64;
}

/// Operations that the kernel needs and users do not. A public trait in a private module: no other crate can implement
/// it.
pub(crate) mod internal {
    use nalgebra::RealField;

    use crate::math::lanes::Lanes3;

    #[doc(hidden)]
    pub trait Internals: RealField + Copy + Default {
        /// Three of it, computed together.
        type Lanes3: Lanes3<Self>;
        /// Largest finite number.
        const MAX: Self;
        /// Relative softness of Newton's equations, for redundant contacts.
        const NEWTON_REGULARISATION: Self;
        /// Regularisation of a contact's own block, relative to a third of its trace (see `block`).
        const RELATIVE_CFM: Self;
        /// `ε^(1/3)`: for smaller values the third and higher powers of a series are negligible.
        const CUBE_ROOT_EPSILON: Self;
        /// The inverse of the default size of a cell of the contact cache, 1/m.
        const CELLS_PER_METRE: Self;

        /// Correctly rounded square root; 0 for a negative or NaN argument, so that rounding below zero is harmless.
        fn sqrt_or_zero(self) -> Self;

        /// The power of two at or below a positive normal number.
        fn power_of_two_below(self) -> Self;

        /// A small integer, exactly.
        fn integer(value: i16) -> Self;

        /// The integer at or below, limited to the integer's range; 0 for NaN.
        fn floor_to_i32(self) -> i32;

        /// Its bytes, least significant first, padded with zeros.
        fn to_le_padded(self) -> [u8; 8];

        /// The value of such bytes.
        fn from_le_padded(bytes: [u8; 8]) -> Self;

        /// Its bits in words of 32, the low one first; the second is 0 for `f32`.
        fn to_words(self) -> [u32; 2];
    }
}

/// Larger than every finite number.
#[inline(always)]
pub(crate) fn infinity<T: Real>() -> T {
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

/// Implements both traits for a scalar. The two calls below differ in their columns.
macro_rules! impl_real {
    ($t:ident, $lanes:ident, $exponent_bits:literal, $sqrt:path, public { $($limit:ident: $value:expr),* }, internal { $($constant:ident: $inside:expr),* }) => {
        impl Real for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const HALF: $t = 0.5;
            const EPSILON: $t = $t::EPSILON;
            const BYTES: usize = size_of::<$t>();
            $(const $limit: $t = $value;)*

            #[inline(always)]
            fn lit(value: f64) -> $t {
                value as $t
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }

        impl internal::Internals for $t {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            type Lanes3 = wide::$lanes;
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            type Lanes3 = nalgebra::Vector3<$t>;

            const MAX: $t = $t::MAX;
            const RELATIVE_CFM: $t = $t::EPSILON;
            const CELLS_PER_METRE: $t = 200.0;
            $(const $constant: $t = $inside;)*

            #[cfg_attr(target_os = "none", inline(never))]
            #[cfg_attr(not(target_os = "none"), inline(always))]
            fn sqrt_or_zero(self) -> $t {
                if self > 0.0 { $sqrt(self) } else { 0.0 }
            }

            #[inline(always)]
            fn power_of_two_below(self) -> $t {
                $t::from_bits(self.to_bits() & $exponent_bits)
            }

            #[inline(always)]
            fn integer(value: i16) -> $t {
                $t::from(value)
            }

            #[inline(always)]
            fn floor_to_i32(self) -> i32 {
                let truncated = self as i32;
                if (truncated as $t) > self { truncated.saturating_sub(1) } else { truncated }
            }

            fn to_le_padded(self) -> [u8; 8] {
                let mut padded = [0; 8];
                padded.iter_mut().zip(self.to_le_bytes()).for_each(|(to, from)| *to = from);
                padded
            }

            #[inline(always)]
            fn to_words(self) -> [u32; 2] {
                let bits = u64::from(self.to_bits());
                [bits as u32, (bits >> 32) as u32]
            }

            fn from_le_padded(padded: [u8; 8]) -> $t {
                let mut bytes = [0; size_of::<$t>()];
                bytes.iter_mut().zip(padded).for_each(|(to, from)| *to = from);
                $t::from_le_bytes(bytes)
            }
        }
    };
}

impl_real!(
    f32,
    f32x4,
    0x7f80_0000,
    sqrt_f32,
    public {
        LINEAR_SPEED_LIMIT: 1e9,
        ANGULAR_SPEED_LIMIT: 1e5,
        POSITION_LIMIT: 1e9,
        LENGTH_LIMIT: 1e4,
        INVERSE_MASS_LIMIT: 1e9,
        FRICTION_LIMIT: 1e6,
        IMPULSE_LIMIT: 1e15,
        DEFAULT_TOLERANCE: 1e-5
    },
    internal { NEWTON_REGULARISATION: 1e-5, CUBE_ROOT_EPSILON: 4e-3 }
);

impl_real!(
    f64,
    f64x4,
    0x7ff0_0000_0000_0000,
    sqrt_f64,
    public {
        LINEAR_SPEED_LIMIT: 1e30,
        ANGULAR_SPEED_LIMIT: 1e30,
        POSITION_LIMIT: 1e30,
        LENGTH_LIMIT: 1e20,
        INVERSE_MASS_LIMIT: 1e40,
        FRICTION_LIMIT: 1e12,
        IMPULSE_LIMIT: 1e80,
        DEFAULT_TOLERANCE: 1e-9
    },
    internal { NEWTON_REGULARISATION: 1e-8, CUBE_ROOT_EPSILON: 5e-6 }
);
