//! Passes over all worlds of a set, compiled for each instruction set.
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch};
use stiction::solve::world_phase::Velocity;

use crate::scalar::LaneScalar;
use crate::visit::visit;
use crate::worlds::arithmetic::{Mask, register, root, splat};
use crate::worlds::energy::{add_energy, factor, indices};
use crate::worlds::prepare::prepare;
use crate::worlds::residual::{SumLanes, Sums};
use crate::worlds::row::{BodyRow, Row};
use crate::worlds::set::Set;
use crate::worlds::velocity::{
    BoundaryLanes, BoundarySums, WorkLanes, WorkSums, keep_start, push_impulses, push_scaled,
};

/// Energies of worlds: values and uncertainties.
pub(super) type EnergyLanes<T> = [<T as LaneScalar>::Array; 2];

/// What is known of worlds before their first sweep.
pub(super) struct Start<T: LaneScalar> {
    /// The worlds that are left to the kernel.
    pub unusual: u64,
    /// The worlds with velocities that no impulse can change.
    pub driven: u64,
    pub energies: EnergyLanes<T>,
    /// Speed norms.
    pub q_norms: T::Array,
}

/// Rows, bodies and velocities of a set, as far as they are used.
type Parts<'a, T> = (&'a mut [Row<T>], &'a mut [BodyRow<T>], &'a mut [Velocity<T>]);

#[inline(always)]
fn start<S: Simd, T: LaneScalar>(simd: S, (rows, bodies, velocities): Parts<'_, T>, apart: usize) -> Start<T> {
    simd.vectorize(
        #[inline(always)]
        || {
            let zero = splat::<S, T>(simd, T::ZERO);
            let mut unusual = Mask::<S, T>::splat(simd, false);
            let mut driven = unusual;
            let (mut energies, mut squares) = ([zero; 2], zero);
            for (index, body) in bodies.iter_mut().enumerate() {
                let all = indices(index, apart);
                let [is_partial, is_driven] = factor(simd, body, velocities, &all);
                unusual |= is_partial;
                driven |= is_driven;
                add_energy(simd, body, velocities, &all, &mut energies);
            }
            for row in rows {
                unusual |= prepare(simd, row);
                squares += keep_start(simd, row, velocities);
            }
            let q_norms = root::<S, T>(simd, squares).to_array();
            let energies = [energies[0].to_array(), energies[1].to_array()];
            Start { unusual: unusual.to_bitmask(), driven: driven.to_bitmask(), energies, q_norms }
        },
    )
}

#[inline(always)]
fn push_all<S: Simd, T: LaneScalar>(simd: S, (rows, _, velocities): Parts<'_, T>) -> WorkLanes<T> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut work = WorkSums::none(simd);
            for row in &*rows {
                push_impulses(simd, row, velocities);
            }
            for row in rows {
                work.add(simd, row, velocities);
            }
            work.lanes()
        },
    )
}

#[inline(always)]
fn scale_down<S: Simd, T: LaneScalar>(simd: S, (rows, _, velocities): Parts<'_, T>, factors: &T::Array) {
    simd.vectorize(
        #[inline(always)]
        || {
            let factor = register::<S, T>(simd, factors);
            for row in rows {
                push_scaled(simd, row, velocities, factor);
            }
        },
    );
}

#[inline(always)]
fn boundary<S: Simd, T: LaneScalar>(simd: S, rows: &[Row<T>], fixed: &[Velocity<T>]) -> BoundaryLanes<T> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut sums = BoundarySums::none(simd);
            for row in rows {
                sums.add(simd, row, fixed);
            }
            sums.lanes()
        },
    )
}

#[inline(always)]
fn sweep<S: Simd, T: LaneScalar>(simd: S, (rows, _, velocities): Parts<'_, T>, is_backward: bool) -> T::Array {
    simd.vectorize(
        #[inline(always)]
        || {
            let (count, mut sum) = (rows.len(), splat::<S, T>(simd, T::ZERO));
            for at in 0..count {
                let row = &mut rows[if is_backward { count - 1 - at } else { at }];
                sum += T::Register::<S>::load_array(simd, visit(simd, &mut row.group, velocities));
            }
            root::<S, T>(simd, sum).to_array()
        },
    )
}

#[inline(always)]
fn measure<S: Simd, T: LaneScalar>(simd: S, (rows, _, velocities): Parts<'_, T>) -> SumLanes<T> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut sums = Sums::none(simd);
            for (index, row) in rows.iter().enumerate() {
                sums.add(simd, row, velocities, index);
            }
            sums.lanes()
        },
    )
}

#[inline(always)]
fn finish<S: Simd, T: LaneScalar>(
    simd: S,
    (rows, bodies, velocities): Parts<'_, T>,
    apart: usize,
) -> (EnergyLanes<T>, WorkLanes<T>) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (mut work, mut energies) = (WorkSums::none(simd), [splat::<S, T>(simd, T::ZERO); 2]);
            for row in rows {
                work.add(simd, row, velocities);
            }
            for (index, body) in bodies.iter().enumerate() {
                add_energy(simd, body, velocities, &indices(index, apart), &mut energies);
            }
            ([energies[0].to_array(), energies[1].to_array()], work.lanes())
        },
    )
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Set<T, NB, NC> {
    fn parts(&mut self) -> Parts<'_, T> {
        let (rows, bodies) = (self.used(), self.used_bodies());
        (&mut self.rows[..rows], &mut self.bodies[..bodies], self.velocities.as_flattened_mut())
    }

    /// Prepares all worlds, up to their warm starts.
    pub fn start(&mut self, level: Level) -> Start<T> {
        dispatch!(level, simd => start(simd, self.parts(), NB))
    }

    /// Pushes all bodies by the impulses of warm starts; returns the work of that.
    pub fn push_all(&mut self, level: Level) -> WorkLanes<T> {
        dispatch!(level, simd => push_all(simd, self.parts()))
    }

    /// Pushes the bodies of worlds, again as where they began, by their impulses times a factor below 1. Worlds with the
    /// factor 1 are not changed.
    pub fn scale_down(&mut self, level: Level, factors: &T::Array) {
        dispatch!(level, simd => scale_down(simd, self.parts(), factors));
    }

    /// Work of the velocities that no impulse can change, in driven worlds.
    pub fn boundary(&self, level: Level) -> BoundaryLanes<T> {
        let (rows, fixed) = (&self.rows[..self.used()], self.fixed.as_flattened());
        dispatch!(level, simd => boundary(simd, rows, fixed))
    }

    /// Sweeps all worlds; returns how much their impulses changed.
    pub fn sweep(&mut self, level: Level, is_backward: bool) -> T::Array {
        dispatch!(level, simd => sweep(simd, self.parts(), is_backward))
    }

    /// Measures the residuals of all worlds.
    pub fn measure(&mut self, level: Level) -> SumLanes<T> {
        dispatch!(level, simd => measure(simd, self.parts()))
    }

    /// Energies after the phases of all worlds, and the work of these.
    pub fn finish(&mut self, level: Level) -> (EnergyLanes<T>, WorkLanes<T>) {
        dispatch!(level, simd => finish(simd, self.parts(), NB))
    }
}
