//! Interface of the contacts for direct methods: cones, impulses, velocities, and how they act on each other.
//!
//! It hides whether the contacts belong to bodies or to a matrix, and the capacity: one copy of the code serves all.
use nalgebra::{Matrix3, Vector3};

use crate::local::cone::Cone;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::{Real, infinity};
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::Residual;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::mechanics::{BodyRows, Mechanics};
use crate::sweep::moment_row::{Role, six};
use crate::sweep::rows::Rows;

/// Contacts from 0 to `len`.
pub(crate) trait ContactSystem<T: Real> {
    fn len(&self) -> usize;
    fn cone(&self, index: usize) -> Cone<T>;
    /// `tr K/3` over `impulse_scale`, and `impulse_scale`.
    fn scales(&self, index: usize) -> (T, T);
    fn impulse(&self, index: usize) -> Vector3<T>;
    /// Sets the impulse of every contact. Velocities are computed from those at the start of the phase, not from the
    /// present ones: discarded trial impulses leave no rounding.
    fn set_impulses(&mut self, impulse: &dyn Fn(usize) -> Vector3<T>);
    /// Velocity minus target.
    fn velocity(&self, index: usize) -> Vector3<T>;
    fn residual(&self) -> Residual<T>;
    /// Sweeps once.
    fn sweep(&mut self);
    fn touch(&self, one: usize, other: usize) -> bool;
    fn coupling(&self, at: usize, from: usize) -> Matrix3<T>;
    fn body_rows(&self, index: usize, side: usize) -> Option<BodyRows<T>>;
    /// What a row is.
    fn role(&self, index: usize) -> Role;
    /// The law of a contact with moments, by its first row.
    fn law(&self, index: usize) -> Option<MomentLaw<T>>;
}

/// A contact's impulse in both rows.
pub(crate) fn impulse_in_six<T: Real>(problem: &dyn ContactSystem<T>, index: usize) -> Six<T> {
    six(&problem.impulse(index), &problem.impulse(index + 1))
}

/// A contact's velocity in both rows.
pub(crate) fn velocity_in_six<T: Real>(problem: &dyn ContactSystem<T>, index: usize) -> Six<T> {
    six(&problem.velocity(index), &problem.velocity(index + 1))
}

/// The window of rows in a space.
pub(crate) struct IslandSystem<'a, T: Real, S, const NC: usize, R: ContactRows> {
    pub rows: &'a mut Rows<T, NC, R>,
    pub space: &'a mut S,
    pub q_norm: T,
    pub sweeper: Sweeper<T>,
}

impl<T: Real, S, const NC: usize, R: ContactRows> IslandSystem<'_, T, S, NC, R> {
    fn row(&self, index: usize) -> usize {
        self.rows.window().start + index
    }
}

impl<T: Real, S: Mechanics<T>, const NC: usize, R: ContactRows> ContactSystem<T> for IslandSystem<'_, T, S, NC, R> {
    fn len(&self) -> usize {
        self.rows.window().len()
    }

    fn cone(&self, index: usize) -> Cone<T> {
        self.rows.cone.get(self.row(index)).copied().unwrap_or(Cone::EMPTY)
    }

    fn scales(&self, index: usize) -> (T, T) {
        let row = self.row(index);
        let scales = self.rows.block.get(row).zip(self.rows.impulse_scale.get(row));
        scales.map_or((T::ONE, T::ONE), |(block, impulse_scale)| (block.size(), *impulse_scale))
    }

    fn impulse(&self, index: usize) -> Vector3<T> {
        self.rows.impulse.get(self.row(index)).copied().unwrap_or_else(Vector3::zeros)
    }

    fn set_impulses(&mut self, impulse: &dyn Fn(usize) -> Vector3<T>) {
        self.space.reset(self.rows.window());
        for (index, row) in self.rows.window().enumerate() {
            let mut x = impulse(index);
            // An impulse whose square overflows is not used.
            if !(x.dot(&x) <= T::MAX) {
                x = Vector3::zeros();
            }
            if let Some(slot) = self.rows.impulse.get_mut(row) {
                *slot = x;
            }
            self.space.push(row, &x);
        }
    }

    fn velocity(&self, index: usize) -> Vector3<T> {
        self.rows.relative_velocity(&*self.space, self.row(index))
    }

    fn residual(&self) -> Residual<T> {
        let mut residual = Residual::SOLVED;
        self.space.measure(self.rows, self.q_norm, infinity(), &mut residual);
        residual
    }

    fn sweep(&mut self) {
        self.sweeper.run(self.rows, self.space, 0);
    }

    fn touch(&self, one: usize, other: usize) -> bool {
        self.space.touch(self.row(one), self.row(other))
    }

    fn coupling(&self, at: usize, from: usize) -> Matrix3<T> {
        self.space.coupling(self.row(at), self.row(from))
    }

    fn body_rows(&self, index: usize, side: usize) -> Option<BodyRows<T>> {
        self.space.body_rows(self.row(index), side)
    }

    fn role(&self, index: usize) -> Role {
        self.rows.role(self.row(index))
    }

    fn law(&self, index: usize) -> Option<MomentLaw<T>> {
        self.rows.law(self.row(index))
    }
}
