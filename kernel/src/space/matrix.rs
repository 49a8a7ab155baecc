//! Contacts acting on each other through a Delassus matrix that the caller knows.
use core::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::local::moment_law::{MomentLaw, Six};
use crate::math::lanes::Lanes3;
use crate::math::real::{Real, larger};
use crate::problem::contact_rows::{Column, ContactRows, Element, ThreeRows};
use crate::problem::delassus::Delassus;
use crate::problem::report::Residual;
use crate::problem::surface::Surface;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::mechanics::{BodyRows, Mechanics};
use crate::sweep::moment_row::six;
use crate::sweep::residual::{measure, relative, unit_map};
use crate::sweep::rows::Rows;

/// A contact's impulse in the problem's own unit, and the scale to velocity units.
#[derive(Clone, Copy)]
pub(crate) struct Own<T> {
    pub impulse: Vector3<T>,
    pub impulse_scale: T,
}

/// `u = W x + q`, gathered row by row.
pub(crate) struct MatrixSpace<'a, T: Real, const NC: usize, R: ContactRows = ThreeRows> {
    pub problem: &'a Delassus<'a, T, R>,
    pub own: &'a mut [Own<T>; NC],
    /// What turns a row's velocities into m/s: lengths, for moments.
    pub lengths: &'a R::Column<Lengths<T>, NC>,
}

impl<T: Real, const NC: usize, R: ContactRows> MatrixSpace<'_, T, NC, R> {
    /// Velocity of a row in the problem's own unit.
    #[inline(always)]
    pub fn own_velocity(&self, index: usize) -> Vector3<T> {
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

    /// A row's impulse in units of impulses, from the problem's own unit.
    pub fn in_velocity_units(&self, index: usize, own: &Vector3<T>) -> Vector3<T> {
        let over = |part: T, length: T| if length > T::ZERO { part / length } else { T::ZERO };
        self.lengths(index).map_or(*own, |lengths| own.zip_map(lengths, over))
    }

    /// The lengths of a row, if it is in another unit.
    #[inline(always)]
    fn lengths(&self, index: usize) -> Option<&Vector3<T>> {
        self.lengths.at(index).map(|Lengths(lengths)| lengths)
    }
}

impl<T: Real, const NC: usize, R: ContactRows> ContactSpace<T> for MatrixSpace<'_, T, NC, R> {
    #[inline(always)]
    fn velocity(&self, index: usize) -> Vector3<T> {
        let u = self.own_velocity(index);
        self.lengths(index).map_or(u, |lengths| u.component_mul(lengths))
    }

    fn push(&mut self, index: usize, delta: &Vector3<T>) {
        let delta = self.lengths(index).map_or(*delta, |lengths| delta.component_mul(lengths));
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

impl<T: Real, const NC: usize, R: ContactRows> Mechanics<T> for MatrixSpace<'_, T, NC, R> {
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
        let block = self.problem.block(at, from).map_or_else(Matrix3::zeros, |block| block / impulse_scale);
        match (self.lengths(at), self.lengths(from)) {
            (Some(at), Some(from)) => Matrix3::from_diagonal(at) * block * Matrix3::from_diagonal(from),
            _ => block,
        }
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

/// What turns angular velocities into velocities, and impulses into moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths<T>(pub Vector3<T>);

impl<T: Real> Element for Lengths<T> {
    const PLAIN: Self = Lengths(Vector3::new(T::ONE, T::ONE, T::ONE));
}

/// `(natural_rel_q, unit_rel_q)` of the present impulses.
pub(crate) fn published_residuals<T: Real, const N: usize, const NC: usize, K: ContactRows, R: ContactRows>(
    rows: &Rows<T, N, K>,
    space: &MatrixSpace<'_, T, NC, R>,
    q_norm: T,
) -> (T, T) {
    if R::HAS_MOMENTS {
        return published_with_moments(rows, space);
    }
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

/// The same with moments: at ρ = 1 in the problem's own units, and with lengths `√(K_tt/K_gg)` that make moments
/// impulses, at 1 over the mean of the diagonal.
fn published_with_moments<T: Real, const N: usize, const NC: usize, K: ContactRows, R: ContactRows>(
    rows: &Rows<T, N, K>,
    space: &MatrixSpace<'_, T, NC, R>,
) -> (T, T) {
    let (mut at_one, mut at_unit, mut q_one, mut q_unit) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    let mut is_second = false;
    for i in 0..rows.len() {
        if core::mem::replace(&mut is_second, false) {
            continue;
        }
        let (Some(own), Some(k), Some(q)) = (space.own.get(i), space.problem.diagonal(i), space.problem.q.get(i))
        else {
            break;
        };
        let surface = space.problem.moments(i);
        is_second = surface.is_some();
        let plain = &Surface::PLAIN;
        let (radii, second) = (surface.unwrap_or(plain), if is_second { i + 1 } else { N });
        let turns = space.problem.diagonal(second).unwrap_or_else(Matrix3::zeros);
        let units = Units::of(&k, &turns, radii);
        let at = |column: &[Vector3<T>]| column.get(second).copied().unwrap_or_else(Vector3::zeros);
        let moment = space.own.get(second).map_or_else(Vector3::zeros, |own| own.impulse);
        let spin = if is_second { space.own_velocity(second) } else { Vector3::zeros() };
        let (x, u) = (six(&own.impulse, &moment), six(&space.own_velocity(i), &spin));
        let law = units.law(rows.cone[i].mu, radii, T::ONE, T::ONE);
        at_one += square(&law.natural_map(&x, &u, T::ONE));
        let law = units.law(rows.cone[i].mu, radii, units.spin, units.roll);
        let (x, u) = (units.impulse(&x), units.velocity(&u));
        at_unit += square(&law.natural_map(&x, &u, T::ONE / units.size)) * units.size * units.size;
        let q = six(q, &at(space.problem.q));
        q_one += square(&q);
        q_unit += square(&units.velocity(&q));
    }
    (relative(at_one, q_one.sqrt_or_zero()), relative(at_unit, q_unit.sqrt_or_zero()))
}

fn square<T: Real>(six: &Six<T>) -> T {
    six.iter().fold(T::ZERO, |sum, part| sum + *part * *part)
}

/// Lengths, and the mean of the diagonal with them.
struct Units<T> {
    spin: T,
    roll: T,
    size: T,
}

impl<T: Real> Units<T> {
    fn of(k: &Matrix3<T>, turns: &Matrix3<T>, radii: &Surface<T>) -> Self {
        let sliding = k.m22 + k.m33;
        let length = |is_there: bool, turning: T| {
            if is_there && turning > T::ZERO { (sliding / turning).sqrt_or_zero() } else { T::ZERO }
        };
        let (spin, roll) = (
            length(radii.torsion > T::ZERO, turns.m11 + turns.m11),
            length(radii.rolling > T::ZERO, turns.m22 + turns.m33),
        );
        let (mut sum, mut count) = (k.trace(), T::lit(3.0));
        if spin > T::ZERO {
            (sum, count) = (sum + turns.m11 * spin * spin, count + T::ONE);
        }
        if roll > T::ZERO {
            (sum, count) = (sum + (turns.m22 + turns.m33) * roll * roll, count + T::lit(2.0));
        }
        Units { spin, roll, size: sum / count }
    }

    fn law(&self, mu: T, radii: &Surface<T>, spin: T, roll: T) -> MomentLaw<T> {
        let over = |radius: T, length: T| if length > T::ZERO { radius / length } else { T::ZERO };
        let (torsion, rolling) = (over(radii.torsion, spin), over(radii.rolling, roll));
        MomentLaw { mu, torsion, rolling, preload: T::ZERO, is_joined: false }
    }

    fn velocity(&self, [n, t1, t2, s, r1, r2]: &Six<T>) -> Six<T> {
        [*n, *t1, *t2, *s * self.spin, *r1 * self.roll, *r2 * self.roll]
    }

    fn impulse(&self, [n, t1, t2, s, r1, r2]: &Six<T>) -> Six<T> {
        let over = |moment: T, length: T| if length > T::ZERO { moment / length } else { T::ZERO };
        [*n, *t1, *t2, over(*s, self.spin), over(*r1, self.roll), over(*r2, self.roll)]
    }
}
