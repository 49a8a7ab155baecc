//! Interface of the mechanics for sweeps: contact velocities, and the effect of impulses on them.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::velocity::Velocity;
use crate::sweep::lane_memory::{MovableBodies, at};

/// Where contact velocities come from and where impulses go: bodies, or a Delassus matrix. `swept_velocity` and
/// `swept_push` are inlined into the sweep; all other callers share `velocity` and `push`.
pub(crate) trait ContactSpace<T: Real> {
    /// Whether contacts can be swept in lanes.
    const HAS_LANES: bool = false;
    /// Velocity of a contact, B minus A, along `n, t1, t2`.
    fn velocity(&self, index: usize) -> Vector3<T>;
    /// Applies a change of a contact's impulse.
    fn push(&mut self, index: usize, delta: &Vector3<T>);
    /// Whether sweeps use normals only.
    fn normals_only(&self) -> bool;
    /// The sweep's `velocity`, less a target along the normal, in the space's own axes; `None` if there is no such
    /// contact.
    fn swept_velocity(&self, index: usize, target: T) -> Option<T::Lanes3>;
    /// Such a velocity along `n, t1, t2`.
    fn along(&self, index: usize, velocity: T::Lanes3) -> Vector3<T>;
    /// The sweep's `push`.
    fn swept_push(&mut self, index: usize, delta: T::Lanes3);
    /// The movable bodies of a contact.
    fn movable_bodies(&self, _index: usize) -> MovableBodies {
        [None; 2]
    }
    /// The bodies and the first numbers of a contact that is swept in lanes; none if that is not possible.
    fn packed(&self, _index: usize) -> Option<([u16; 2], &[T; at::INVERSE])> {
        None
    }
    /// Restores the velocities of a contact's immovable bodies, in case a fault has changed them.
    fn restore_immovable(&mut self, _index: usize) {}
    /// The velocities of bodies.
    fn velocities(&mut self) -> &mut [Velocity<T>] {
        &mut []
    }
}
