//! Contacts acting on bodies: a column of jacobians, and the velocities that sweeps move.
use core::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::problem::contact_rows::{ContactRows, ThreeRows};
use crate::problem::report::Residual;
use crate::space::jacobian::{ContactJacobian, velocity_between};
use crate::space::velocity::{Velocity, copy_velocity};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::lane_memory::{MovableBodies, at};
use crate::sweep::mechanics::{BodyRows, Mechanics};
use crate::sweep::residual::measure;
use crate::sweep::rows::Rows;

/// Contacts acting on bodies: jacobians in a column, and the velocities that sweeps move.
pub(crate) struct BodySpace<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    pub jacobians: &'a [ContactJacobian<T, R>; NC],
    pub velocity: &'a mut [Velocity<T>; NB],
    /// Velocities at the start of the phase, if the phase can be undone.
    pub start: Option<&'a [Velocity<T>; NB]>,
    /// Whether sweeps use normals only, which is sufficient for frictionless contacts.
    pub normals_only: bool,
}

/// `u` of one contact at the given body velocities.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn contact_velocity<T: Real, R: ContactRows>(
    jacobians: &[ContactJacobian<T, R>],
    velocity: &[Velocity<T>],
    index: usize,
) -> Vector3<T> {
    let Some(jacobian) = jacobians.get(index) else { return Vector3::zeros() };
    let (a, b) = jacobian.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => velocity_between(jacobian, a, b),
        _ => Vector3::zeros(),
    }
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn contact_normal_velocity<T: Real, R: ContactRows>(
    jacobians: &[ContactJacobian<T, R>],
    velocity: &[Velocity<T>],
    index: usize,
) -> T {
    let Some(jacobian) = jacobians.get(index) else { return T::ZERO };
    let (a, b) = jacobian.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => jacobian.normal_velocity(a, b),
        _ => T::ZERO,
    }
}

#[cfg_attr(not(target_os = "none"), inline(always))]
fn push_contact<T: Real, R: ContactRows>(
    jacobians: &[ContactJacobian<T, R>],
    velocity: &mut [Velocity<T>],
    index: usize,
    delta: &Vector3<T>,
) {
    if let Some(jacobian) = jacobians.get(index) {
        jacobian.push(velocity, T::Lanes3::of(delta));
    }
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn push_contact_normal<T: Real, R: ContactRows>(
    jacobians: &[ContactJacobian<T, R>],
    velocity: &mut [Velocity<T>],
    index: usize,
    delta: T,
) {
    if let Some(jacobian) = jacobians.get(index) {
        jacobian.push_normal(velocity, delta);
    }
}

impl<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows> BodySpace<'a, T, NB, NC, R> {
    /// With all three rows of every contact.
    #[inline(always)]
    pub fn new(jacobians: &'a [ContactJacobian<T, R>; NC], velocity: &'a mut [Velocity<T>; NB]) -> Self {
        BodySpace { jacobians, velocity, start: None, normals_only: false }
    }

    #[inline(always)]
    pub fn normal_velocity(&self, index: usize) -> T {
        contact_normal_velocity(self.jacobians, &*self.velocity, index)
    }

    #[inline(always)]
    pub fn push_normal(&mut self, index: usize, delta: T) {
        push_contact_normal(self.jacobians, self.velocity, index, delta);
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> ContactSpace<T> for BodySpace<'_, T, NB, NC, R> {
    const HAS_LANES: bool = true;

    #[inline(always)]
    fn velocity(&self, index: usize) -> Vector3<T> {
        if self.normals_only {
            return Vector3::new(self.normal_velocity(index), T::ZERO, T::ZERO);
        }
        contact_velocity(self.jacobians, &*self.velocity, index)
    }

    #[inline(always)]
    fn push(&mut self, index: usize, delta: &Vector3<T>) {
        push_contact(self.jacobians, self.velocity, index, delta);
    }

    #[inline(always)]
    fn normals_only(&self) -> bool {
        self.normals_only
    }

    #[inline(always)]
    fn swept_velocity(&self, index: usize, target: T) -> Option<T::Lanes3> {
        if self.normals_only {
            return Some(T::Lanes3::new(self.normal_velocity(index) - target, T::ZERO, T::ZERO));
        }
        let jacobian = self.jacobians.get(index)?;
        let (a, b) = jacobian.bodies();
        let w = jacobian.approach(self.velocity.get(a)?, self.velocity.get(b)?);
        Some(if target == T::ZERO { w } else { w.minus(jacobian.normal().scaled(target)) })
    }

    #[inline(always)]
    fn along(&self, index: usize, velocity: T::Lanes3) -> Vector3<T> {
        match self.jacobians.get(index) {
            Some(jacobian) if !self.normals_only => jacobian.along(&velocity.vector()),
            _ => velocity.vector(),
        }
    }

    #[inline(always)]
    fn swept_push(&mut self, index: usize, delta: T::Lanes3) {
        if self.normals_only {
            let [normal, ..] = delta.xyz();
            return self.push_normal(index, normal);
        }
        if let Some(jacobian) = self.jacobians.get(index) {
            jacobian.push(&mut *self.velocity, delta);
        }
    }

    fn movable_bodies(&self, index: usize) -> MovableBodies {
        let Some(jacobian) = self.jacobians.get(index) else { return [None; 2] };
        let ((a, b), (a_moves, b_moves)) = (jacobian.bodies(), jacobian.moves());
        [a_moves.then_some(a as u16), b_moves.then_some(b as u16)]
    }

    fn packed(&self, index: usize) -> Option<([u16; 2], &[T; at::INVERSE])> {
        let jacobian = self.jacobians.get(index)?;
        let (a, b) = jacobian.bodies();
        Some(([a as u16, b as u16], &jacobian.packed))
    }

    fn restore_immovable(&mut self, index: usize) {
        let (Some(start), Some(jacobian)) = (self.start, self.jacobians.get(index)) else { return };
        let ((a, b), (a_moves, b_moves)) = (jacobian.bodies(), jacobian.moves());
        for body in [(a, a_moves), (b, b_moves)].into_iter().filter(|(_, moves)| !moves).map(|(body, _)| body) {
            if let (Some(velocity), Some(start)) = (self.velocity.get_mut(body), start.get(body)) {
                *velocity = *start;
            }
        }
    }

    fn velocities(&mut self) -> &mut [Velocity<T>] {
        self.velocity
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Mechanics<T> for BodySpace<'_, T, NB, NC, R> {
    fn measure<const N: usize, K: ContactRows>(
        &self,
        rows: &Rows<T, N, K>,
        q_norm: T,
        limit: T,
        out: &mut Residual<T>,
    ) {
        measure(rows, self, q_norm, limit, out);
    }

    fn touch(&self, one: usize, other: usize) -> bool {
        self.jacobians.get(one).zip(self.jacobians.get(other)).is_some_and(|(one, other)| one.touches(other))
    }

    fn coupling(&self, at: usize, from: usize) -> Matrix3<T> {
        self.jacobians.get(at).zip(self.jacobians.get(from)).map_or_else(Matrix3::zeros, |(at, from)| at.coupling(from))
    }

    fn reset(&mut self, rows: Range<usize>) {
        if let Some(start) = self.start {
            restore_start_velocities(self.jacobians, rows, start, self.velocity);
        }
    }

    fn body_rows(&self, index: usize, side: usize) -> Option<BodyRows<T>> {
        self.jacobians.get(index)?.body_rows(side)
    }
}

/// Restores the velocities at the start of the phase. Immovable bodies too: 0·∞ may have written NaN into them, and
/// islands share them.
#[inline(never)]
pub(crate) fn restore_start_velocities<T: Real, R: ContactRows>(
    jacobians: &[ContactJacobian<T, R>],
    rows: Range<usize>,
    start: &[Velocity<T>],
    velocity: &mut [Velocity<T>],
) {
    for jacobian in jacobians.get(rows).into_iter().flatten() {
        let (a, b) = jacobian.bodies();
        copy_velocity(Some(start), velocity, a);
        copy_velocity(Some(start), velocity, b);
    }
}

/// Normal velocity of contact `i` per normal impulse of contact `j`, in `j`'s impulse unit.
pub(crate) fn normal_coupling<T: Real, R: ContactRows>(jacobians: &[ContactJacobian<T, R>], i: usize, j: usize) -> T {
    jacobians.get(i).zip(jacobians.get(j)).map_or(T::ZERO, |(at, from)| at.normal_coupling(from))
}
