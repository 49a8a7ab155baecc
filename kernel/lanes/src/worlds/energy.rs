//! Factors of inverse inertias and kinetic energies: operation by operation the kernel's `math::ldlt3` and
//! `problem::body` (`energy_of`), in all lanes.
//!
//! Worlds are unusual, and left to the kernel, if a body can rotate about some axes and not about others. They are
//! driven if a body has a velocity that no impulse can change: an immovable body that moves, one that cannot rotate and
//! does.
use fearless_simd::{Select, Simd, SimdBase};
use stiction::solve::world_phase::{FactorLimits, Velocity};

use crate::scalar::LaneScalar;
use crate::worlds::arithmetic::{Mask, Register, dot, is_zero, register, splat};
use crate::worlds::row::{BodyRow, body};

/// A number of each body.
macro_rules! number {
    ($simd:ident, $T:ident, $row:ident, $at:expr) => {
        register::<S, $T>($simd, &$row.numbers[$at])
    };
}

/// The bodies `index` of all worlds, `apart` from each other.
pub(super) fn indices(index: usize, apart: usize) -> [u16; 8] {
    let mut all = [0; 8];
    for (lane, body) in all.iter_mut().enumerate() {
        *body = (lane * apart + index) as u16;
    }
    all
}

/// Factors the inverse inertia of a body of each world; returns where it is unusual, and where it is driven.
#[inline(always)]
pub(super) fn factor<S: Simd, T: LaneScalar>(
    simd: S,
    row: &mut BodyRow<T>,
    velocities: &[Velocity<T>],
    bodies: &[u16; 8],
) -> [Mask<S, T>; 2] {
    let zero = splat::<S, T>(simd, T::ZERO);
    let (one, two) = (splat::<S, T>(simd, T::ONE), splat::<S, T>(simd, T::lit(2.0)));
    let limits = FactorLimits::<T>::new();
    let at = body::INVERSE_INERTIA;
    let (xx, yy, zz) = (number!(simd, T, row, at), number!(simd, T, row, at + 1), number!(simd, T, row, at + 2));
    let (yx, zx, zy) = (number!(simd, T, row, at + 3), number!(simd, T, row, at + 4), number!(simd, T, row, at + 5));
    // The largest diagonal entry first.
    let second_first = yy.simd_gt(xx) & yy.simd_ge(zz);
    let third_first = !second_first & zz.simd_gt(xx);
    let d =
        [second_first.select(yy, third_first.select(zz, xx)), second_first.select(xx, yy), third_first.select(xx, zz)];
    let off =
        [third_first.select(zy, yx), second_first.select(zy, zx), second_first.select(zx, third_first.select(yx, zy))];
    let order = [
        second_first.select(one, third_first.select(two, zero)),
        second_first.select(zero, one),
        third_first.select(zero, two),
    ];
    let cancelled = splat::<S, T>(simd, limits.cancelled);
    let floor = splat::<S, T>(simd, limits.floor);
    let rotates = d[0].simd_gt(cancelled * d[0]) & d[0].simd_gt(zero) & d[0].simd_gt(floor);
    let is_diagonal = off[0].simd_eq(zero) & off[1].simd_eq(zero) & off[2].simd_eq(zero);
    let rotated = is_diagonal.select(zero, splat::<S, T>(simd, limits.rotated) * d[0]);
    let (l10, l20) = (off[0] / d[0], off[1] / d[0]);
    let (rest_1, rest_2) = (d[1] - l10 * off[0], d[2] - l20 * off[1]);
    let across = off[2] - l20 * off[0];
    let swaps = rest_2.simd_gt(rest_1);
    let (l10, l20) = (swaps.select(l20, l10), swaps.select(l10, l20));
    let (rest_1, rest_2) = (swaps.select(rest_2, rest_1), swaps.select(rest_1, rest_2));
    let entries = [d[0], swaps.select(d[2], d[1]), swaps.select(d[1], d[2])];
    let order = [order[0], swaps.select(order[2], order[1]), swaps.select(order[1], order[2])];
    let l21 = across / rest_1;
    let last = rest_2 - l21 * across;
    let keeps_second = rest_1.simd_gt(cancelled * entries[1]) & rest_1.simd_gt(rotated) & rest_1.simd_gt(floor);
    let keeps_last = last.simd_gt(cancelled * entries[2]) & last.simd_gt(rotated) & last.simd_gt(floor);
    let numbers = [order, [l10, l20, l21], [d[0], rest_1, last], entries];
    for (to, number) in row.numbers[body::ORDER..].iter_mut().zip(numbers.into_iter().flatten()) {
        rotates.select(number, zero).store_slice(to.as_mut());
    }
    let is_partial = rotates & !(keeps_second & keeps_last);
    let [x, y, z, wx, wy, wz] = T::gather(simd, velocities, bodies);
    let moves = number!(simd, T, row, body::INVERSE_MASS).simd_gt(zero);
    let is_driven = !(moves | is_zero::<S, T>(simd, [x, y, z])) | !(rotates | is_zero::<S, T>(simd, [wx, wy, wz]));
    [is_partial, is_driven]
}

/// Adds the kinetic energy of a body of each world to its value and its uncertainty.
#[inline(always)]
pub(super) fn add_energy<S: Simd, T: LaneScalar>(
    simd: S,
    row: &BodyRow<T>,
    velocities: &[Velocity<T>],
    bodies: &[u16; 8],
    sum: &mut [Register<S, T>; 2],
) {
    let (zero, half) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::HALF));
    let rounding = splat::<S, T>(simd, FactorLimits::<T>::new().rounding);
    let [x, y, z, wx, wy, wz] = T::gather(simd, velocities, bodies);
    let (one, two) = (splat::<S, T>(simd, T::ONE), splat::<S, T>(simd, T::lit(2.0)));
    let mut w = [zero; 3];
    for (k, part) in w.iter_mut().enumerate() {
        let axis = number!(simd, T, row, body::ORDER + k);
        *part = axis.simd_eq(two).select(wz, axis.simd_eq(one).select(wy, wx));
    }
    let (l10, l20) = (number!(simd, T, row, body::BELOW), number!(simd, T, row, body::BELOW + 1));
    let l21 = number!(simd, T, row, body::BELOW + 2);
    let z1 = w[1] - l10 * w[0];
    let z2 = w[2] - l20 * w[0] - l21 * z1;
    let (mut value, mut uncertainty) = (zero, zero);
    for (k, z) in [w[0], z1, z2].into_iter().enumerate() {
        let d = number!(simd, T, row, body::PIVOTS + k);
        let part = half * z * z / d;
        let counts = d.simd_gt(zero);
        let own = rounding * part * (number!(simd, T, row, body::ENTRIES + k) / d);
        (value, uncertainty) = (counts.select(value + part, value), counts.select(uncertainty + own, uncertainty));
    }
    let inverse_mass = number!(simd, T, row, body::INVERSE_MASS);
    let square = dot::<S, T>([x, y, z], [x, y, z]);
    let translation = inverse_mass.simd_gt(zero).select(half * square / inverse_mass, zero);
    sum[0] += translation + value;
    sum[1] += rounding * translation + uncertainty;
}
