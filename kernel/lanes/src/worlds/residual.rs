//! The residual: operation by operation the kernel's `sweep::residual` (`measure`) and `local::cone`, in all lanes.
use fearless_simd::{Select, Simd, SimdBase, SimdMask};
use stiction::solve::world_phase::{ResidualSums, Velocity};
use stiction::sweep::lane_memory::at;

use crate::scalar::LaneScalar;
use crate::visit::{impulses, load};
use crate::worlds::arithmetic::{Mask, Register, dot, larger, positive_part, register, splat, tangent_length};
use crate::worlds::row::{Row, own};
use crate::worlds::velocity::relative_velocity;

/// Sums and largest values in all lanes.
pub(super) struct Sums<S: Simd, T: LaneScalar> {
    total: Register<S, T>,
    impulses: Register<S, T>,
    velocities: Register<S, T>,
    closing_speed: Register<S, T>,
    excess: Register<S, T>,
    worst: Register<S, T>,
    /// The row of the worst.
    worst_row: Register<S, T>,
}

/// The same as arrays: the first five, and the worst row.
#[derive(Clone, Copy)]
pub(super) struct SumLanes<T: LaneScalar>([T::Array; 6]);

impl<T: LaneScalar> SumLanes<T> {
    /// The sums of a world that has contacts.
    pub fn of(&self, lane: usize) -> ResidualSums<T> {
        let number = |k: usize| self.0[k].as_ref()[lane];
        ResidualSums {
            total: number(0),
            impulses: number(1),
            velocities: number(2),
            closing_speed: number(3),
            excess: number(4),
            worst_contact: Some(number(5).to_f64() as usize),
        }
    }
}

impl<S: Simd, T: LaneScalar> Sums<S, T> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        let zero = splat::<S, T>(simd, T::ZERO);
        Sums {
            total: zero,
            impulses: zero,
            velocities: zero,
            closing_speed: zero,
            excess: zero,
            worst: zero,
            worst_row: zero,
        }
    }

    #[inline(always)]
    pub fn lanes(&self) -> SumLanes<T> {
        SumLanes([
            self.total.to_array(),
            self.impulses.to_array(),
            self.velocities.to_array(),
            self.closing_speed.to_array(),
            self.excess.to_array(),
            self.worst_row.to_array(),
        ])
    }

    /// Adds the row `index`.
    #[inline(always)]
    pub fn add(&mut self, simd: S, row: &Row<T>, velocities: &[Velocity<T>], index: usize) {
        let zero = splat::<S, T>(simd, T::ZERO);
        let (group, size) = (&row.group, register::<S, T>(simd, &row.own[own::SIZE]));
        let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
        let u = relative_velocity(simd, row, velocities);
        let x = impulses(simd, group);
        self.impulses += dot::<S, T>(x, x) * size * size;
        self.velocities += dot::<S, T>(u, u);
        self.closing_speed = larger::<S, T>(self.closing_speed, positive_part::<S, T>(simd, -u[0]));
        let cone: Cone<S, T> = Cone { mu: load!(simd, T, group, at::MU), preload: load!(simd, T, group, at::PRELOAD) };
        let map = cone.unit_map(simd, x, u, size);
        let square = present.select(dot::<S, T>(map, map), zero);
        self.total += square;
        if index == 0 {
            self.worst = square;
        } else {
            let is_worse = square.simd_gt(self.worst);
            self.worst = is_worse.select(square, self.worst);
            self.worst_row = is_worse.select(splat::<S, T>(simd, T::lit(index as f64)), self.worst_row);
        }
        let beyond = present & !cone.holds(simd, x);
        if beyond.any_true() {
            let excess = cone.excess(simd, x) / register::<S, T>(simd, &row.own[own::SCALE]);
            self.excess = beyond.select(larger::<S, T>(self.excess, excess), self.excess);
        }
    }
}

/// The cones of a row.
struct Cone<S: Simd, T: LaneScalar> {
    mu: Register<S, T>,
    preload: Register<S, T>,
}

impl<S: Simd, T: LaneScalar> Cone<S, T> {
    #[inline(always)]
    fn radius(&self, normal: Register<S, T>) -> Register<S, T> {
        self.mu * (normal + self.preload)
    }

    #[inline(always)]
    fn holds(&self, simd: S, [normal, t1, t2]: [Register<S, T>; 3]) -> Mask<S, T> {
        let (radius, zero) = (self.radius(normal), splat::<S, T>(simd, T::ZERO));
        let reaches = (radius * radius - (t1 * t1 + t2 * t2)).simd_ge(zero);
        normal.simd_ge(zero) & reaches & radius.simd_gt(zero)
    }

    #[inline(always)]
    fn excess(&self, simd: S, [normal, t1, t2]: [Register<S, T>; 3]) -> Register<S, T> {
        positive_part::<S, T>(simd, tangent_length::<S, T>(simd, t1, t2) - self.radius(normal))
    }

    /// `tr K/3` times the natural map at `ρ = 3/tr K`.
    #[inline(always)]
    fn unit_map(
        &self,
        simd: S,
        x: [Register<S, T>; 3],
        u: [Register<S, T>; 3],
        size: Register<S, T>,
    ) -> [Register<S, T>; 3] {
        let rho = splat::<S, T>(simd, T::ONE) / size;
        let shift = self.mu * tangent_length::<S, T>(simd, u[1], u[2]);
        let moved = [x[0] - (u[0] + shift) * rho, x[1] - u[1] * rho, x[2] - u[2] * rho];
        let near = self.project(simd, moved);
        [(x[0] - near[0]) * size, (x[1] - near[1]) * size, (x[2] - near[2]) * size]
    }

    /// Nearest impulses of the cones.
    #[inline(always)]
    fn project(&self, simd: S, x: [Register<S, T>; 3]) -> [Register<S, T>; 3] {
        let holds = self.holds(simd, x);
        if holds.all_true() {
            return x;
        }
        let (zero, one) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::ONE));
        let [a, t1, t2] = x;
        let length = tangent_length::<S, T>(simd, t1, t2);
        let (limit, radius) = (self.mu * self.preload, self.radius(a));
        let inside = holds | (a.simd_ge(zero) & length.simd_le(radius));
        let on_rim = (a + self.mu * (length - limit)) / (one + self.mu * self.mu);
        let slides = length.simd_gt(radius) & on_rim.simd_gt(zero);
        let normal = slides.select(on_rim, zero);
        let target = slides.select(self.radius(on_rim), length.simd_gt(limit).select(limit, length));
        let scale = length.simd_gt(zero).select(target / length, zero);
        [inside.select(a, normal), inside.select(t1, t1 * scale), inside.select(t2, t2 * scale)]
    }
}
