//! What sweeps see of the mechanics: contact velocities, and what impulses do to them.
use nalgebra::Vector3;

use crate::math::real::Real;

/// Where contact velocities come from and where impulses go: bodies, or a Delassus matrix. The sweep has its own copies of
/// the two verbs, inlined; everybody else shares one of each.
pub(crate) trait ContactSpace<T: Real> {
    /// Velocity of a contact, B minus A, along `n, t1, t2`.
    fn velocity(&self, index: usize) -> Vector3<T>;
    /// Lets a change of a contact's impulse act.
    fn push(&mut self, index: usize, delta: &Vector3<T>);
    /// Whether sweeps see normals alone.
    fn normals_only(&self) -> bool;
    /// The sweep's `velocity`, less a target along the normal, in the space's own axes; none where there is no such contact.
    fn swept_velocity(&self, index: usize, target: T) -> Option<T::Lanes3>;
    /// Such a velocity along `n, t1, t2`.
    fn along(&self, index: usize, velocity: T::Lanes3) -> Vector3<T>;
    /// The sweep's `push`.
    fn swept_push(&mut self, index: usize, delta: T::Lanes3);
}
