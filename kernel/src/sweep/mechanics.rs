//! Further interface of the mechanics for direct methods: how contacts act on each other, and the residual.
use core::ops::Range;

use nalgebra::Matrix3;

use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::Residual;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::rows::Rows;

/// How impulses of contacts act on each other, in addition to `velocity` and `push`.
pub(crate) trait Mechanics<T: Real>: ContactSpace<T> {
    /// Measures the residual (see `residual::measure`).
    fn measure<const NC: usize, K: ContactRows>(
        &self,
        rows: &Rows<T, NC, K>,
        q_norm: T,
        limit: T,
        out: &mut Residual<T>,
    );
    /// Whether an impulse of one can change the velocity of the other.
    fn touch(&self, one: usize, other: usize) -> bool;
    /// Velocity of a contact per impulse of another.
    fn coupling(&self, at: usize, from: usize) -> Matrix3<T>;
    /// Removes all impulses of these contacts: velocities are those at the start of the phase, to the bit.
    fn reset(&mut self, rows: Range<usize>);
    /// The body that moves at one side of a contact, if there are bodies and this one moves.
    fn body_rows(&self, index: usize, side: usize) -> Option<BodyRows<T>>;
}

/// A contact's part in a body: rows of `J`, and rows of `J M⁻¹` in units of impulses, along `n, t1, t2`.
pub(crate) struct BodyRows<T> {
    pub body: usize,
    pub jacobian: [[T; 6]; 3],
    pub inv_mass_jacobian: [[T; 6]; 3],
}
