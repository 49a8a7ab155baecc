//! A contact's velocity without its own impulse, `û = u − Kx`, in the form that all local rules start from.
use nalgebra::{Vector2, Vector3};

use crate::local::block::Block;
use crate::local::cone::Cone;
use crate::math::real::Real;
use crate::math::vector::VectorOps;

/// A contact's velocity without its own impulse, as the local step needs it.
#[derive(Clone, Copy)]
pub(crate) struct Free<T> {
    /// `û_n/K_nn`: without friction, minus the normal impulse that brings the contact to rest.
    pub lift: T,
    /// `b`.
    pub b: Vector2<T>,
}

impl<T: Real> Free<T> {
    /// From a velocity `û`.
    pub fn new(block: &Block<T>, free: &Vector3<T>) -> Self {
        Free {
            lift: free.x * block.inverse_normal,
            b: Vector2::new(free.y - block.column.x * free.x, free.z - block.column.y * free.x),
        }
    }

    /// From the velocity `u` that the contact has with its impulse `x`: `û = u − Kx`.
    #[inline(always)]
    pub fn of(block: &Block<T>, u: &Vector3<T>, x: &Vector3<T>) -> Self {
        let with = Self::new(block, u);
        let schur = &block.schur;
        Free {
            lift: with.lift - (x.x + (block.row.x * x.y + block.row.y * x.z)),
            b: Vector2::new(
                with.b.x - (schur.m11 * x.y + schur.m12 * x.z),
                with.b.y - (schur.m21 * x.y + schur.m22 * x.z),
            ),
        }
    }

    /// Whether the contact opens with zero impulse: it does not approach and has no preload.
    #[inline(always)]
    pub fn opens(&self, cone: &Cone<T>) -> bool {
        !(cone.mu * cone.preload > T::ZERO) && !(self.lift < T::ZERO)
    }

    /// `û_t`.
    pub fn tangent(&self, block: &Block<T>) -> Vector2<T> {
        self.b.plus(&block.column.scaled(self.lift * block.normal))
    }
}
