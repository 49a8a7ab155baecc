//! One body's part in a joint, and arithmetic on the six numbers of a joint's rows.
use nalgebra::{Matrix3, Vector3};

use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::Real;
use crate::space::velocity::Velocity;

/// One body's part in a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointSide<T: Real> {
    pub body: u16,
    pub inverse_mass: T,
    /// In world axes by columns, and a number more (see `lanes`).
    inverse_inertia: [T; 10],
    /// From the centre of mass to the anchor.
    pub arm: T::Lanes3,
}

impl<T: Real> JointSide<T> {
    pub const NONE: Self =
        JointSide { body: 0, inverse_mass: T::ZERO, inverse_inertia: [T::ZERO; 10], arm: T::Lanes3::ZERO };

    pub fn new(body: usize, (inverse_mass, inertia): (T, &Matrix3<T>), arm: &Vector3<T>) -> Self {
        let m = inertia;
        let inverse_inertia = [m.m11, m.m21, m.m31, m.m12, m.m22, m.m32, m.m13, m.m23, m.m33, T::ZERO];
        JointSide { body: body as u16, inverse_mass, inverse_inertia, arm: T::Lanes3::of(arm) }
    }

    /// Whether impulses move the body.
    #[inline(always)]
    pub fn moves(&self) -> bool {
        self.inverse_mass > T::ZERO
    }

    /// Change of the body's velocity by an impulse on it at the anchor.
    #[inline(always)]
    pub fn change(&self, x: &Velocity<T>) -> Velocity<T> {
        let Velocity { linear, angular } = self.momentum(x);
        Velocity {
            linear: linear.scaled(self.inverse_mass),
            angular: columns_times(&self.inverse_inertia, 0, angular.xyz()),
        }
    }

    /// Momentum about the centre of mass by an impulse at the anchor.
    #[inline(always)]
    pub fn momentum(&self, x: &Velocity<T>) -> Velocity<T> {
        Velocity { linear: x.linear, angular: self.arm.cross_zxy(x.linear).yzx().plus(x.angular) }
    }

    /// Velocity at the anchor.
    #[inline(always)]
    pub fn at_anchor(&self, v: &Velocity<T>) -> Velocity<T> {
        Velocity { linear: v.linear.plus(v.angular.cross_zxy(self.arm).yzx()), angular: v.angular }
    }
}

/// `a·b` over six numbers.
#[inline(always)]
pub(crate) fn dot<T: Real>(a: &Velocity<T>, b: &Velocity<T>) -> T {
    let [x, y, z] = a.linear.times(b.linear).plus(a.angular.times(b.angular)).xyz();
    x + y + z
}

/// The `k`-th of six unit vectors.
pub(crate) fn unit<T: Real>(k: usize) -> Velocity<T> {
    let one = |at: usize| if at == k { T::ONE } else { T::ZERO };
    Velocity { linear: T::Lanes3::new(one(0), one(1), one(2)), angular: T::Lanes3::new(one(3), one(4), one(5)) }
}
