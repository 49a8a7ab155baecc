//! The visit of a group: operation by operation that of one contact in the kernel's sweep (`sweep::gauss_seidel`,
//! `space::jacobian`, `local::exact`), in all lanes at once.
//!
//! Every lane does the additions, subtractions, multiplications, divisions and roots of the scalar code in its order.
//! Where that branches, all lanes compute, and masks select. A comparison is written as there: where it says `!(a > b)`,
//! the mask is inverted, because `a <= b` differs for NaN.
//!
//! Everything here is inlined into one function for each instruction set. Closures are not used: they would be compiled
//! without the instruction set of their caller.
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};
use stiction::sweep::lane_memory::{Velocity, VisitLimits, at, solve_alone};

use crate::group::Group;
use crate::scalar::LaneScalar;

/// The numbers of a group as a register.
macro_rules! load {
    ($simd:ident, $T:ident, $group:ident, $at:expr) => {
        $T::Register::<S>::load_array_ref($simd, &$group.numbers[$at])
    };
}
pub(crate) use load;

/// Visits the contacts of a group. Returns the squares of their changes.
#[inline(always)]
pub fn visit<S: Simd, T: LaneScalar>(simd: S, group: &mut Group<T>, velocities: &mut [Velocity<T>]) -> T::Array {
    let zero = T::Register::<S>::splat(simd, T::ZERO);
    let (a, b) = (T::gather(simd, velocities, &group.a), T::gather(simd, velocities, &group.b));
    let mut w = approach(simd, group, a, b);
    if group.has_targets {
        let target = load!(simd, T, group, at::TARGET);
        let is_zero = target.simd_eq(zero);
        let [x, y, z] = w;
        w = [
            is_zero.select(x, x - load!(simd, T, group, at::FRAME) * target),
            is_zero.select(y, y - load!(simd, T, group, at::FRAME + 1) * target),
            is_zero.select(z, z - load!(simd, T, group, at::FRAME + 2) * target),
        ];
    }
    let before = impulses(simd, group);
    let rest = columns_times(simd, group, at::INVERSE, w);
    let mut after = [before[0] - rest[0], before[1] - rest[1], before[2] - rest[2]];
    let radius = load!(simd, T, group, at::MU) * (after[0] + load!(simd, T, group, at::PRELOAD));
    let reaches = (radius * radius - (after[1] * after[1] + after[2] * after[2])).simd_ge(zero);
    let holds = after[0].simd_ge(zero) & reaches & radius.simd_gt(zero);
    if holds.any_false() {
        after = slide(simd, group, w, before, after, !holds);
    }
    let delta = [after[0] - before[0], after[1] - before[1], after[2] - before[2]];
    let square = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
    let largest = T::Register::<S>::splat(simd, VisitLimits::new().largest);
    let applied = square.simd_gt(zero) & square.simd_le(largest);
    for k in 0..3 {
        applied.select(after[k], before[k]).store_slice(group.numbers[at::IMPULSE + k].as_mut());
    }
    push(simd, group, velocities, (a, b), delta, applied);
    applied.select(square, zero).to_array()
}

/// The velocities of a body of each lane.
type Six<S, T> = [<T as LaneScalar>::Register<S>; 6];

/// The impulses of a group.
#[inline(always)]
pub(crate) fn impulses<S: Simd, T: LaneScalar>(simd: S, group: &Group<T>) -> [T::Register<S>; 3] {
    [load!(simd, T, group, at::IMPULSE), load!(simd, T, group, at::IMPULSE + 1), load!(simd, T, group, at::IMPULSE + 2)]
}

/// Velocities at the contact points, in world axes, of bodies A and B as six registers each.
#[inline(always)]
pub(crate) fn approach<S: Simd, T: LaneScalar>(
    simd: S,
    group: &Group<T>,
    [ax, ay, az, apx, apy, apz]: [T::Register<S>; 6],
    [bx, by, bz, bpx, bpy, bpz]: [T::Register<S>; 6],
) -> [T::Register<S>; 3] {
    let (rax, ray, raz) =
        (load!(simd, T, group, at::R_A), load!(simd, T, group, at::R_A + 1), load!(simd, T, group, at::R_A + 2));
    let (rbx, rby, rbz) =
        (load!(simd, T, group, at::R_B), load!(simd, T, group, at::R_B + 1), load!(simd, T, group, at::R_B + 2));
    // ω × r of both bodies.
    let rotation_z = (bpx * rby - bpy * rbx) - (apx * ray - apy * rax);
    let rotation_x = (bpy * rbz - bpz * rby) - (apy * raz - apz * ray);
    let rotation_y = (bpz * rbx - bpx * rbz) - (apz * rax - apx * raz);
    [(bx - ax) + rotation_x, (by - ay) + rotation_y, (bz - az) + rotation_z]
}

/// Changes the velocities of bodies A and B by impulses `delta` of the lanes in `applied`.
#[inline(always)]
pub(crate) fn push<S: Simd, T: LaneScalar>(
    simd: S,
    group: &Group<T>,
    velocities: &mut [Velocity<T>],
    (a, b): (Six<S, T>, Six<S, T>),
    delta: [T::Register<S>; 3],
    applied: Mask<S, T>,
) {
    let zero = T::Register::<S>::splat(simd, T::ZERO);
    let ([ax, ay, az, apx, apy, apz], [bx, by, bz, bpx, bpy, bpz]) = (a, b);
    let linear = columns_times(simd, group, at::FRAME, delta);
    let (turn_a, turn_b) =
        (columns_times(simd, group, at::TURN_A, delta), columns_times(simd, group, at::TURN_B, delta));
    let (mass_a, mass_b) = (load!(simd, T, group, at::INV_MASS_A), load!(simd, T, group, at::INV_MASS_B));
    let (moves_a, moves_b) = (applied & mass_a.simd_gt(zero), applied & mass_b.simd_gt(zero));
    let a = [
        moves_a.select(ax - linear[0] * mass_a, ax),
        moves_a.select(ay - linear[1] * mass_a, ay),
        moves_a.select(az - linear[2] * mass_a, az),
        moves_a.select(apx - turn_a[0], apx),
        moves_a.select(apy - turn_a[1], apy),
        moves_a.select(apz - turn_a[2], apz),
    ];
    let b = [
        moves_b.select(bx + linear[0] * mass_b, bx),
        moves_b.select(by + linear[1] * mass_b, by),
        moves_b.select(bz + linear[2] * mass_b, bz),
        moves_b.select(bpx + turn_b[0], bpx),
        moves_b.select(bpy + turn_b[1], bpy),
        moves_b.select(bpz + turn_b[2], bpz),
    ];
    T::scatter(simd, velocities, &group.a, a);
    T::scatter(simd, velocities, &group.b, b);
}

/// A matrix, by columns from an offset on, times a vector.
#[inline(always)]
fn columns_times<S: Simd, T: LaneScalar>(
    simd: S,
    group: &Group<T>,
    from: usize,
    [x, y, z]: [T::Register<S>; 3],
) -> [T::Register<S>; 3] {
    [
        load!(simd, T, group, from) * x + load!(simd, T, group, from + 3) * y + load!(simd, T, group, from + 6) * z,
        load!(simd, T, group, from + 1) * x + load!(simd, T, group, from + 4) * y + load!(simd, T, group, from + 7) * z,
        load!(simd, T, group, from + 2) * x + load!(simd, T, group, from + 5) * y + load!(simd, T, group, from + 8) * z,
    ]
}

/// Scalar products of a vector with three others from an offset on.
#[inline(always)]
pub(crate) fn along<S: Simd, T: LaneScalar>(
    simd: S,
    group: &Group<T>,
    from: usize,
    [x, y, z]: [T::Register<S>; 3],
) -> [T::Register<S>; 3] {
    [
        load!(simd, T, group, from) * x + load!(simd, T, group, from + 1) * y + load!(simd, T, group, from + 2) * z,
        load!(simd, T, group, from + 3) * x + load!(simd, T, group, from + 4) * y + load!(simd, T, group, from + 5) * z,
        load!(simd, T, group, from + 6) * x + load!(simd, T, group, from + 7) * y + load!(simd, T, group, from + 8) * z,
    ]
}

/// The mask of a register.
pub(crate) type Mask<S, T> = <<T as LaneScalar>::Register<S> as SimdBase<S>>::Mask;

/// Impulses of the contacts that `need` more than rest: open, or sliding. The others stay `after`.
#[inline(always)]
fn slide<S: Simd, T: LaneScalar>(
    simd: S,
    group: &mut Group<T>,
    w: [T::Register<S>; 3],
    x: [T::Register<S>; 3],
    after: [T::Register<S>; 3],
    need: Mask<S, T>,
) -> [T::Register<S>; 3] {
    let zero = T::Register::<S>::splat(simd, T::ZERO);
    let (one, half) = (T::Register::<S>::splat(simd, T::ONE), T::Register::<S>::splat(simd, T::HALF));
    let u = along(simd, group, at::FRAME, w);
    let (row_1, row_2) = (load!(simd, T, group, at::ROW), load!(simd, T, group, at::ROW + 1));
    let (m11, m12) = (load!(simd, T, group, at::SCHUR), load!(simd, T, group, at::SCHUR + 1));
    let (m21, m22) = (load!(simd, T, group, at::SCHUR + 2), load!(simd, T, group, at::SCHUR + 3));
    let lift = u[0] * load!(simd, T, group, at::INVERSE_NORMAL) - (x[0] + (row_1 * x[1] + row_2 * x[2]));
    let b_1 = (u[1] - load!(simd, T, group, at::COLUMN) * u[0]) - (m11 * x[1] + m12 * x[2]);
    let b_2 = (u[2] - load!(simd, T, group, at::COLUMN + 1) * u[0]) - (m21 * x[1] + m22 * x[2]);
    let (mu, preload) = (load!(simd, T, group, at::MU), load!(simd, T, group, at::PRELOAD));
    let approaches = lift.simd_lt(zero);
    let opens = !approaches & !(mu * preload).simd_gt(zero);
    let sigma = load!(simd, T, group, at::SIGMA);
    let square = b_1 * b_1 + b_2 * b_2;
    let length = square.simd_gt(zero).select(square.sqrt(), zero);
    let estimate = length / (mu * (-lift + preload)) - (m11 + m22) * half;
    let guess = sigma.simd_gt(zero).select(sigma, estimate);
    let (first, last) = (load!(simd, T, group, at::EIGENVALUES), load!(simd, T, group, at::EIGENVALUES + 1));
    let (cos, sin) = (load!(simd, T, group, at::AXES), load!(simd, T, group, at::AXES + 1));
    let (c_1, c_2) = (cos * b_1 - sin * b_2, sin * b_1 + cos * b_2);
    let (pull_1, pull_2) = (cos * row_1 - sin * row_2, sin * row_1 + cos * row_2);
    let closed = need & !opens;
    let mut out = [need.select(zero, after[0]), need.select(zero, after[1]), need.select(zero, after[2])];
    let mut found = need.select(zero, sigma);
    let (mut left, mut s) = (closed, guess);
    let mut active = closed & approaches & first.simd_gt(zero) & !preload.simd_gt(zero);
    let limits = VisitLimits::<T>::new();
    let three = T::Register::<S>::splat(simd, T::lit(3.0));
    let near = T::Register::<S>::splat(simd, limits.near);
    let short = T::Register::<S>::splat(simd, limits.short);
    for steps in 1..=limits.steps {
        active &= s.simd_gt(zero);
        if active.all_false() {
            break;
        }
        let (d_1, d_2) = (one / (first + s), one / (last + s));
        let (x_1, x_2) = (-c_1 * d_1, -c_2 * d_2);
        let (lift_1, lift_2) = (pull_1 * x_1, pull_2 * x_2);
        let normal = -lift - (lift_1 + lift_2);
        let slope = lift_1 * d_1 + lift_2 * d_2;
        let (square_1, square_2) = (x_1 * x_1, x_2 * x_2);
        let radius = mu * normal;
        active &= radius.simd_gt(zero);
        let inverse_square = one / (square_1 + square_2);
        let g = radius * inverse_square;
        let q = radius * g;
        let growth = g * (square_1 * d_1 + square_2 * d_2) + mu * slope;
        let step = (one - q) * (one + q) / (g * growth * (three + q));
        if steps > 1 {
            let far = one - q;
            let done = active & (far * far).simd_le(near) & (step.abs() * (d_1 + d_2)).simd_lt(short);
            if done.any_true() {
                let onward = normal + slope * step;
                let normal = onward.simd_gt(zero).select(onward, zero);
                let (t_1, t_2) = (x_1 - x_1 * (d_1 * step), x_2 - x_2 * (d_2 * step));
                let (x_1, x_2) = (cos * t_1 + sin * t_2, cos * t_2 - sin * t_1);
                let radius = mu * normal;
                let beyond = (x_1 * x_1 + x_2 * x_2 - radius * radius) * inverse_square;
                let shorten = one - half * beyond.simd_gt(zero).select(beyond, zero);
                out = [
                    done.select(normal, out[0]),
                    done.select(x_1 * shorten, out[1]),
                    done.select(x_2 * shorten, out[2]),
                ];
                found = done.select(s + step, found);
                (active, left) = (active & !done, left & !done);
                if active.all_false() {
                    break;
                }
            }
        }
        s += step;
    }
    found.store_slice(group.numbers[at::SIGMA].as_mut());
    if left.any_true() {
        out = leave_to_brackets::<S, T>(simd, group, [lift, b_1, b_2, guess], out, left.to_bitmask());
    }
    out
}

/// Solves the contacts of a mask one by one.
#[inline(always)]
fn leave_to_brackets<S: Simd, T: LaneScalar>(
    simd: S,
    group: &mut Group<T>,
    [lift, b_1, b_2, guess]: [T::Register<S>; 4],
    out: [T::Register<S>; 3],
    left: u64,
) -> [T::Register<S>; 3] {
    let (lift, b_1, b_2, guess) = (lift.to_array(), b_1.to_array(), b_2.to_array(), guess.to_array());
    let mut impulses = [out[0].to_array(), out[1].to_array(), out[2].to_array()];
    for lane in 0..group.used_rows().len() {
        if (left >> lane) & 1 == 0 {
            continue;
        }
        let start = guess.as_ref()[lane];
        let start = if start > T::ZERO { start } else { T::ZERO };
        let b = [b_1.as_ref()[lane], b_2.as_ref()[lane]];
        let (impulse, sigma) = solve_alone(&group.row(lane), lift.as_ref()[lane], b, start);
        for k in 0..3 {
            impulses[k].as_mut()[lane] = impulse[k];
        }
        group.numbers[at::SIGMA].as_mut()[lane] = sigma;
    }
    [
        T::Register::<S>::load_array(simd, impulses[0]),
        T::Register::<S>::load_array(simd, impulses[1]),
        T::Register::<S>::load_array(simd, impulses[2]),
    ]
}
