//! The scalars, and the registers that hold several of them.
use fearless_simd::{Simd, SimdFloat, f32x8, f64x4};
use stiction::Real;
use stiction::sweep::lane_memory::Velocity;

use crate::transpose::{gather_f32, gather_f64, scatter_f32, scatter_f64};

/// A scalar that has lanes: `f32` or `f64`.
pub trait LaneScalar: Real + fearless_simd::SimdFloatElement {
    /// As many as a register has, [`LaneScalar::WIDTH`].
    type Array: Copy + core::fmt::Debug + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;
    /// The lanes of a group.
    const WIDTH: usize;
    /// Zeros.
    const ZEROS: Self::Array;
    /// Ones.
    const ONES: Self::Array;
    /// The register of an instruction set.
    type Register<S: Simd>: SimdFloat<S, Element = Self, Array = Self::Array>;
    /// Velocities of bodies as six registers: linear x, y, z, angular x, y, z.
    fn gather<S: Simd>(simd: S, velocities: &[Velocity<Self>], bodies: &[u16; 8]) -> [Self::Register<S>; 6];
    /// Writes them back, the first lane last: lanes that are not used have its bodies, and write what it read.
    fn scatter<S: Simd>(simd: S, velocities: &mut [Velocity<Self>], bodies: &[u16; 8], numbers: [Self::Register<S>; 6]);
}

impl LaneScalar for f32 {
    type Array = [f32; 8];
    const WIDTH: usize = 8;
    const ZEROS: [f32; 8] = [0.0; 8];
    const ONES: [f32; 8] = [1.0; 8];
    type Register<S: Simd> = f32x8<S>;

    #[inline(always)]
    fn gather<S: Simd>(simd: S, velocities: &[Velocity<f32>], bodies: &[u16; 8]) -> [f32x8<S>; 6] {
        gather_f32(simd, velocities, bodies)
    }

    #[inline(always)]
    fn scatter<S: Simd>(simd: S, velocities: &mut [Velocity<f32>], bodies: &[u16; 8], numbers: [f32x8<S>; 6]) {
        scatter_f32(simd, velocities, bodies, numbers);
    }
}

impl LaneScalar for f64 {
    type Array = [f64; 4];
    const WIDTH: usize = 4;
    const ZEROS: [f64; 4] = [0.0; 4];
    const ONES: [f64; 4] = [1.0; 4];
    type Register<S: Simd> = f64x4<S>;

    #[inline(always)]
    fn gather<S: Simd>(simd: S, velocities: &[Velocity<f64>], bodies: &[u16; 8]) -> [f64x4<S>; 6] {
        gather_f64(simd, velocities, bodies)
    }

    #[inline(always)]
    fn scatter<S: Simd>(simd: S, velocities: &mut [Velocity<f64>], bodies: &[u16; 8], numbers: [f64x4<S>; 6]) {
        scatter_f64(simd, velocities, bodies, numbers);
    }
}
