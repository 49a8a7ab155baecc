//! Contacts acting on each other through a Delassus matrix that the caller knows.
use core::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::math::lanes::Lanes3;
use crate::math::real::{Real, larger};
use crate::problem::contact_rows::ContactRows;
use crate::problem::delassus::Delassus;
use crate::problem::report::Residual;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::mechanics::{BodyRows, Mechanics};
use crate::sweep::residual::{measure, relative, unit_map};
use crate::sweep::rows::Rows;

/// A contact's impulse in the problem's own unit, and the scale to velocity units.
#[derive(Clone, Copy)]
pub(crate) struct Own<T> {
    pub impulse: Vector3<T>,
    pub impulse_scale: T,
}

/// `u = W x + q`, gathered row by row.
pub(crate) struct MatrixSpace<'a, T, const NC: usize> {
    pub problem: &'a Delassus<'a, T>,
    pub own: &'a mut [Own<T>; NC],
}

impl<T: Real, const NC: usize> ContactSpace<T> for MatrixSpace<'_, T, NC> {
    fn velocity(&self, index: usize) -> Vector3<T> {
        let mut u = self.problem.q.get(index).copied().unwrap_or_else(Vector3::zeros);
        if let Some((blocks, columns)) = self.problem.stored_row(index) {
            for (block, column) in blocks.iter().zip(columns) {
                if let Some(own) = self.own.get(*column as usize) {
                    u += block * own.impulse;
                }
            }
            return u;
        }
        for (column, block) in self.problem.row(index).into_iter().flatten() {
            if let Some(own) = self.own.get(column) {
                u += block * own.impulse;
            }
        }
        u
    }

    fn push(&mut self, index: usize, delta: &Vector3<T>) {
        if let Some(own) = self.own.get_mut(index) {
            own.impulse += delta / own.impulse_scale;
        }
    }

    fn normals_only(&self) -> bool {
        false
    }

    #[inline(always)]
    fn swept_velocity(&self, index: usize, target: T) -> Option<T::Lanes3> {
        let u = self.velocity(index);
        Some(T::Lanes3::new(u.x - target, u.y, u.z))
    }

    #[inline(always)]
    fn along(&self, _index: usize, velocity: T::Lanes3) -> Vector3<T> {
        velocity.vector()
    }

    #[inline(always)]
    fn swept_push(&mut self, index: usize, delta: T::Lanes3) {
        self.push(index, &delta.vector());
    }
}

impl<T: Real, const NC: usize> Mechanics<T> for MatrixSpace<'_, T, NC> {
    /// Includes the published residuals: both must be below the tolerance.
    fn measure<const N: usize, K: ContactRows>(
        &self,
        rows: &Rows<T, N, K>,
        q_norm: T,
        limit: T,
        out: &mut Residual<T>,
    ) {
        measure(rows, self, q_norm, limit, out);
        if !(out.closing_speed > limit) {
            let (one, unit) = published_residuals(rows, self, q_norm);
            out.natural = larger(one, unit);
        }
    }

    fn touch(&self, one: usize, other: usize) -> bool {
        self.problem.block(one, other).or_else(|| self.problem.block(other, one)).is_some()
    }

    fn coupling(&self, at: usize, from: usize) -> Matrix3<T> {
        let impulse_scale = self.own.get(from).map_or(T::ONE, |own| own.impulse_scale);
        self.problem.block(at, from).map_or_else(Matrix3::zeros, |block| block / impulse_scale)
    }

    fn reset(&mut self, rows: Range<usize>) {
        for own in self.own.get_mut(rows).into_iter().flatten() {
            own.impulse = Vector3::zeros();
        }
    }

    fn body_rows(&self, _index: usize, _side: usize) -> Option<BodyRows<T>> {
        None
    }
}

/// `(natural_rel_q, unit_rel_q)` of the present impulses.
pub(crate) fn published_residuals<T: Real, const N: usize, const NC: usize, R: ContactRows>(
    rows: &Rows<T, N, R>,
    space: &MatrixSpace<'_, T, NC>,
    q_norm: T,
) -> (T, T) {
    let (mut at_one, mut at_unit) = (T::ZERO, T::ZERO);
    for i in 0..rows.len() {
        let Some(Own { impulse: x, .. }) = space.own.get(i) else { break };
        let u = space.velocity(i);
        let one = rows.cone[i].natural_map(x, &u, T::ONE);
        at_one += one.dot(&one);
        let size = space.problem.diagonal(i).map_or(T::ONE, |k| k.trace() / T::lit(3.0));
        let unit = unit_map(&rows.cone[i], x, &u, size);
        at_unit += unit.dot(&unit);
    }
    (relative(at_one, q_norm), relative(at_unit, q_norm))
}
