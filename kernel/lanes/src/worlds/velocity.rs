//! Velocities at contacts, and what is summed of them: operation by operation the kernel's `space::bodies`,
//! `sweep::residual` (`speed_norm`) and `solve::passivity` (`work`), in all lanes.
use fearless_simd::{Select, Simd, SimdBase};
use stiction::solve::world_phase::{Boundary, Energy, Velocity, Work};
use stiction::sweep::lane_memory::at;

use crate::scalar::LaneScalar;
use crate::visit::{along, approach, impulses, load, push};
use crate::worlds::arithmetic::{Register, dot, is_finite, is_zero, positive_part, register, registers, splat};
use crate::worlds::row::{Row, own};

/// The velocities of a row less their targets, along its axes; zero where there is no contact.
#[inline(always)]
pub(super) fn relative_velocity<S: Simd, T: LaneScalar>(
    simd: S,
    row: &Row<T>,
    velocities: &[Velocity<T>],
) -> [Register<S, T>; 3] {
    let (group, zero) = (&row.group, splat::<S, T>(simd, T::ZERO));
    let (a, b) = (T::gather(simd, velocities, &group.a), T::gather(simd, velocities, &group.b));
    let u = along(simd, group, at::FRAME, approach(simd, group, a, b));
    let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
    let normal = u[0] - load!(simd, T, group, at::TARGET);
    [present.select(normal, zero), present.select(u[1], zero), present.select(u[2], zero)]
}

/// Stores a row's velocities where the phase begins; returns their squares.
#[inline(always)]
pub(super) fn keep_start<S: Simd, T: LaneScalar>(
    simd: S,
    row: &mut Row<T>,
    velocities: &[Velocity<T>],
) -> Register<S, T> {
    let u = relative_velocity(simd, row, velocities);
    for (to, part) in row.own[own::BEFORE..].iter_mut().zip(u) {
        part.store_slice(to.as_mut());
    }
    dot::<S, T>(u, u)
}

/// Pushes the bodies of a row by its impulses, where they are not zero.
#[inline(always)]
pub(super) fn push_impulses<S: Simd, T: LaneScalar>(simd: S, row: &Row<T>, velocities: &mut [Velocity<T>]) {
    let (group, zero) = (&row.group, splat::<S, T>(simd, T::ZERO));
    let (a, b) = (T::gather(simd, velocities, &group.a), T::gather(simd, velocities, &group.b));
    let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
    let x = impulses(simd, group);
    push(simd, group, velocities, (a, b), x, present & !is_zero::<S, T>(simd, x));
}

/// Starts again from velocities where the phase began, with the impulses of a row times a factor, in the lanes where it
/// is below 1.
#[inline(always)]
pub(super) fn push_scaled<S: Simd, T: LaneScalar>(
    simd: S,
    row: &mut Row<T>,
    velocities: &mut [Velocity<T>],
    factor: Register<S, T>,
) {
    let (group, zero) = (&mut row.group, splat::<S, T>(simd, T::ZERO));
    let (a, b) = (T::gather(simd, velocities, &group.a), T::gather(simd, velocities, &group.b));
    let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
    let scaled_down = present & factor.simd_lt(splat::<S, T>(simd, T::ONE));
    let x = impulses(simd, group);
    let scaled = [x[0] * factor, x[1] * factor, x[2] * factor];
    push(simd, group, velocities, (a, b), scaled, scaled_down & factor.simd_gt(zero));
    let finite =
        is_finite::<S, T>(simd, scaled[0]) & is_finite::<S, T>(simd, scaled[1]) & is_finite::<S, T>(simd, scaled[2]);
    for k in 0..3 {
        let kept = finite.select(scaled[k], zero);
        scaled_down.select(kept, x[k]).store_slice(group.numbers[at::IMPULSE + k].as_mut());
    }
}

/// Impulses of a row in N s; zero where there is no contact.
#[inline(always)]
fn unscaled_impulses<S: Simd, T: LaneScalar>(simd: S, row: &Row<T>) -> [Register<S, T>; 3] {
    let zero = splat::<S, T>(simd, T::ZERO);
    let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
    let scale = register::<S, T>(simd, &row.own[own::SCALE]);
    let [x, y, z] = impulses(simd, &row.group);
    [present.select(x / scale, zero), present.select(y / scale, zero), present.select(z / scale, zero)]
}

/// The sums of [`Boundary`] in all lanes: value, uncertainty, friction.
pub(super) struct BoundarySums<S: Simd, T: LaneScalar>([Register<S, T>; 3]);

/// The same as arrays.
#[derive(Clone, Copy)]
pub(super) struct BoundaryLanes<T: LaneScalar>([T::Array; 3]);

impl<T: LaneScalar> BoundaryLanes<T> {
    /// The work of a world.
    pub fn of(&self, lane: usize) -> Boundary<T> {
        let [value, uncertainty, friction] = &self.0;
        let total = Energy { value: value.as_ref()[lane], uncertainty: uncertainty.as_ref()[lane] };
        Boundary { total, friction: friction.as_ref()[lane] }
    }
}

impl<S: Simd, T: LaneScalar> BoundarySums<S, T> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        BoundarySums([splat::<S, T>(simd, T::ZERO); 3])
    }

    /// Adds a row. `fixed` are the velocities that no impulse can change.
    #[inline(always)]
    pub fn add(&mut self, simd: S, row: &Row<T>, fixed: &[Velocity<T>]) {
        let group = &row.group;
        let (a, b) = (T::gather(simd, fixed, &group.a), T::gather(simd, fixed, &group.b));
        let u = along(simd, group, at::FRAME, approach(simd, group, a, b));
        let x = unscaled_impulses(simd, row);
        let rounding = splat::<S, T>(simd, T::lit(8.0) * T::EPSILON);
        let (sizes, speeds) = ([x[0].abs(), x[1].abs(), x[2].abs()], [u[0].abs(), u[1].abs(), u[2].abs()]);
        self.0[0] -= dot::<S, T>(x, u);
        self.0[1] += rounding * dot::<S, T>(sizes, speeds);
        self.0[2] -= x[1] * u[1] + x[2] * u[2];
    }

    #[inline(always)]
    pub fn lanes(&self) -> BoundaryLanes<T> {
        let [value, uncertainty, friction] = self.0;
        BoundaryLanes([value.to_array(), uncertainty.to_array(), friction.to_array()])
    }
}

/// The sums of [`Work`] in all lanes, in the order of its fields.
pub(super) struct WorkSums<S: Simd, T: LaneScalar>([Register<S, T>; 7]);

/// The same as arrays.
#[derive(Clone, Copy)]
pub(super) struct WorkLanes<T: LaneScalar>([T::Array; 7]);

impl<T: LaneScalar> WorkLanes<T> {
    /// The work of a world.
    pub fn of(&self, lane: usize) -> Work<T> {
        let number = |k: usize| self.0[k].as_ref()[lane];
        Work {
            at_start: number(0),
            at_end: number(1),
            tangential_at_start: number(2),
            tangential_at_end: number(3),
            target: number(4),
            bias: number(5),
            magnitude: number(6),
        }
    }
}

impl<S: Simd, T: LaneScalar> WorkSums<S, T> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        WorkSums([splat::<S, T>(simd, T::ZERO); 7])
    }

    /// Adds a row at the velocities where its phase ends.
    #[inline(always)]
    pub fn add(&mut self, simd: S, row: &Row<T>, velocities: &[Velocity<T>]) {
        let [_, _, _, x, y, z] = &row.own;
        let u0 = registers::<S, T>(simd, &[*x, *y, *z]);
        let u1 = relative_velocity(simd, row, velocities);
        let x = unscaled_impulses(simd, row);
        let group = &row.group;
        let target = load!(simd, T, group, at::TARGET);
        let sizes = [x[0].abs(), x[1].abs(), x[2].abs()];
        let speeds = [u0[0].abs() + u1[0].abs(), u0[1].abs() + u1[1].abs(), u0[2].abs() + u1[2].abs()];
        let added = [
            dot::<S, T>(x, u0),
            dot::<S, T>(x, u1),
            x[1] * u0[1] + x[2] * u0[2],
            x[1] * u1[1] + x[2] * u1[2],
            x[0] * target,
            x[0] * positive_part::<S, T>(simd, target),
            dot::<S, T>(sizes, speeds),
        ];
        for (sum, part) in self.0.iter_mut().zip(added) {
            *sum += part;
        }
    }

    #[inline(always)]
    pub fn lanes(&self) -> WorkLanes<T> {
        let [a, b, c, d, e, f, g] = self.0;
        WorkLanes([a.to_array(), b.to_array(), c.to_array(), d.to_array(), e.to_array(), f.to_array(), g.to_array()])
    }
}
