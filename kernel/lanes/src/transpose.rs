//! Velocities of bodies into registers by component, and back.
use fearless_simd::{Simd, SimdBase, SimdCombine, SimdSplit, f32x4, f32x8, f64x4};
use stiction::sweep::lane_memory::Velocity;

/// Exchanges rows and columns of a 4×4 matrix.
macro_rules! transpose4 {
    ($name:ident, $register:ident) => {
        #[inline(always)]
        fn $name<S: Simd>([a, b, c, d]: [$register<S>; 4]) -> [$register<S>; 4] {
            let ((ac_low, ac_high), (bd_low, bd_high)) = (a.interleave(c), b.interleave(d));
            let ((x, y), (z, w)) = (ac_low.interleave(bd_low), ac_high.interleave(bd_high));
            [x, y, z, w]
        }
    };
}

transpose4!(transpose_f32, f32x4);
transpose4!(transpose_f64, f64x4);

/// A body that is not there is at rest.
macro_rules! fours {
    ($name:ident, $scalar:ty) => {
        #[inline(always)]
        fn $name(velocities: &[Velocity<$scalar>], body: u16) -> [[$scalar; 4]; 2] {
            match velocities.get(usize::from(body)) {
                Some(velocity) => velocity.fours(),
                None => [[0.0; 4]; 2],
            }
        }
    };
}

fours!(fours_f32, f32);
fours!(fours_f64, f64);

#[inline(always)]
pub(crate) fn gather_f32<S: Simd>(simd: S, velocities: &[Velocity<f32>], bodies: &[u16; 8]) -> [f32x8<S>; 6] {
    let [a, b, c, d, e, f, g, h] = *bodies;
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        let (a, b) = (fours_f32(velocities, a), fours_f32(velocities, b));
        let (c, d) = (fours_f32(velocities, c), fours_f32(velocities, d));
        let (e, f) = (fours_f32(velocities, e), fours_f32(velocities, f));
        let (g, h) = (fours_f32(velocities, g), fours_f32(velocities, h));
        let [x, y, z, _] = in_blocks::transpose(
            avx2,
            in_blocks::pair(avx2, a[0], e[0]),
            in_blocks::pair(avx2, b[0], f[0]),
            in_blocks::pair(avx2, c[0], g[0]),
            in_blocks::pair(avx2, d[0], h[0]),
        );
        let [u, v, w, _] = in_blocks::transpose(
            avx2,
            in_blocks::pair(avx2, a[1], e[1]),
            in_blocks::pair(avx2, b[1], f[1]),
            in_blocks::pair(avx2, c[1], g[1]),
            in_blocks::pair(avx2, d[1], h[1]),
        );
        return [
            f32x8::load_array(simd, x.to_array()),
            f32x8::load_array(simd, y.to_array()),
            f32x8::load_array(simd, z.to_array()),
            f32x8::load_array(simd, u.to_array()),
            f32x8::load_array(simd, v.to_array()),
            f32x8::load_array(simd, w.to_array()),
        ];
    }
    let low = halves_f32(simd, velocities, [a, b, c, d]);
    let high = halves_f32(simd, velocities, [e, f, g, h]);
    [
        low[0].combine(high[0]),
        low[1].combine(high[1]),
        low[2].combine(high[2]),
        low[3].combine(high[3]),
        low[4].combine(high[4]),
        low[5].combine(high[5]),
    ]
}

/// The two halves of a register side by side: what AVX2 does fastest.
#[cfg(target_arch = "x86_64")]
mod in_blocks {
    use core::arch::x86_64::{_mm_set_ps, _mm256_set_m128, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
    use fearless_simd::prelude::*;
    use fearless_simd::{Avx2, f32x8};

    fearless_simd::kernel!(
        #[inline(always)]
        pub fn pair(avx2: Avx2, low: [f32; 4], high: [f32; 4]) -> f32x8<Avx2> {
            let [a, b, c, d] = low;
            let [e, f, g, h] = high;
            _mm256_set_m128(_mm_set_ps(h, g, f, e), _mm_set_ps(d, c, b, a)).simd_into(avx2)
        }
    );

    fearless_simd::kernel!(
        #[inline(always)]
        pub fn transpose(
            avx2: Avx2,
            a: f32x8<Avx2>,
            b: f32x8<Avx2>,
            c: f32x8<Avx2>,
            d: f32x8<Avx2>,
        ) -> [f32x8<Avx2>; 4] {
            let (ab_low, ab_high) = (_mm256_unpacklo_ps(a.into(), b.into()), _mm256_unpackhi_ps(a.into(), b.into()));
            let (cd_low, cd_high) = (_mm256_unpacklo_ps(c.into(), d.into()), _mm256_unpackhi_ps(c.into(), d.into()));
            [
                _mm256_shuffle_ps::<0x44>(ab_low, cd_low).simd_into(avx2),
                _mm256_shuffle_ps::<0xee>(ab_low, cd_low).simd_into(avx2),
                _mm256_shuffle_ps::<0x44>(ab_high, cd_high).simd_into(avx2),
                _mm256_shuffle_ps::<0xee>(ab_high, cd_high).simd_into(avx2),
            ]
        }
    );
}

/// The six components of four bodies.
#[inline(always)]
fn halves_f32<S: Simd>(simd: S, velocities: &[Velocity<f32>], [a, b, c, d]: [u16; 4]) -> [f32x4<S>; 6] {
    let (a, b) = (fours_f32(velocities, a), fours_f32(velocities, b));
    let (c, d) = (fours_f32(velocities, c), fours_f32(velocities, d));
    let [x, y, z, _] = transpose_f32([
        f32x4::load_array(simd, a[0]),
        f32x4::load_array(simd, b[0]),
        f32x4::load_array(simd, c[0]),
        f32x4::load_array(simd, d[0]),
    ]);
    let [wx, wy, wz, _] = transpose_f32([
        f32x4::load_array(simd, a[1]),
        f32x4::load_array(simd, b[1]),
        f32x4::load_array(simd, c[1]),
        f32x4::load_array(simd, d[1]),
    ]);
    [x, y, z, wx, wy, wz]
}

#[inline(always)]
pub(crate) fn scatter_f32<S: Simd>(
    simd: S,
    velocities: &mut [Velocity<f32>],
    bodies: &[u16; 8],
    [x, y, z, wx, wy, wz]: [f32x8<S>; 6],
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        let zero = f32x8::splat(avx2, 0.0);
        let linear = in_blocks::transpose(
            avx2,
            f32x8::load_array(avx2, x.to_array()),
            f32x8::load_array(avx2, y.to_array()),
            f32x8::load_array(avx2, z.to_array()),
            zero,
        );
        let angular = in_blocks::transpose(
            avx2,
            f32x8::load_array(avx2, wx.to_array()),
            f32x8::load_array(avx2, wy.to_array()),
            f32x8::load_array(avx2, wz.to_array()),
            zero,
        );
        for lane in (0..8).rev() {
            if let Some(velocity) = velocities.get_mut(usize::from(bodies[lane])) {
                let (linear, angular) = (linear[lane % 4].split(), angular[lane % 4].split());
                let (linear, angular) = if lane < 4 { (linear.0, angular.0) } else { (linear.1, angular.1) };
                *velocity = Velocity::from_fours([linear.to_array(), angular.to_array()]);
            }
        }
        return;
    }
    let zero = f32x4::splat(simd, 0.0);
    let ((x0, x1), (y0, y1), (z0, z1)) = (x.split(), y.split(), z.split());
    let ((u0, u1), (v0, v1), (w0, w1)) = (wx.split(), wy.split(), wz.split());
    let linear = [transpose_f32([x0, y0, z0, zero]), transpose_f32([x1, y1, z1, zero])];
    let angular = [transpose_f32([u0, v0, w0, zero]), transpose_f32([u1, v1, w1, zero])];
    for lane in (0..8).rev() {
        if let Some(velocity) = velocities.get_mut(usize::from(bodies[lane])) {
            let (half, at) = (lane / 4, lane % 4);
            *velocity = Velocity::from_fours([linear[half][at].to_array(), angular[half][at].to_array()]);
        }
    }
}

#[inline(always)]
pub(crate) fn gather_f64<S: Simd>(simd: S, velocities: &[Velocity<f64>], bodies: &[u16; 8]) -> [f64x4<S>; 6] {
    let [a, b, c, d, ..] = *bodies;
    let (a, b) = (fours_f64(velocities, a), fours_f64(velocities, b));
    let (c, d) = (fours_f64(velocities, c), fours_f64(velocities, d));
    let [x, y, z, _] = transpose_f64([
        f64x4::load_array(simd, a[0]),
        f64x4::load_array(simd, b[0]),
        f64x4::load_array(simd, c[0]),
        f64x4::load_array(simd, d[0]),
    ]);
    let [wx, wy, wz, _] = transpose_f64([
        f64x4::load_array(simd, a[1]),
        f64x4::load_array(simd, b[1]),
        f64x4::load_array(simd, c[1]),
        f64x4::load_array(simd, d[1]),
    ]);
    [x, y, z, wx, wy, wz]
}

#[inline(always)]
pub(crate) fn scatter_f64<S: Simd>(
    simd: S,
    velocities: &mut [Velocity<f64>],
    bodies: &[u16; 8],
    [x, y, z, wx, wy, wz]: [f64x4<S>; 6],
) {
    let zero = f64x4::splat(simd, 0.0);
    let (linear, angular) = (transpose_f64([x, y, z, zero]), transpose_f64([wx, wy, wz, zero]));
    for lane in (0..4).rev() {
        if let Some(velocity) = velocities.get_mut(usize::from(bodies[lane])) {
            *velocity = Velocity::from_fours([linear[lane].to_array(), angular[lane].to_array()]);
        }
    }
}
