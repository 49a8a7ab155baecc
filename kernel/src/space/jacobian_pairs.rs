//! How two contacts act on each other through their bodies, and a contact's rows for each body.
use nalgebra::{Matrix3, Vector3};

use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::space::jacobian::{
    ContactJacobian, FRAME, INV_INERTIA_ARM_A, INV_INERTIA_ARM_B, INV_MASS_A, INV_MASS_B, R_A, R_B,
};
use crate::sweep::mechanics::BodyRows;

impl<T: Real, R: ContactRows> ContactJacobian<T, R> {
    /// A contact's side: its body, sign, inverse mass over `impulse_scale`, lever arm, and `I⁻¹(r×d)` over
    /// `impulse_scale`.
    #[inline(never)]
    fn side(&self, side: usize) -> Side<T> {
        if side == 0 {
            let (inv_mass, arm, inv_inertia_arm) =
                (self.packed[INV_MASS_A], self.vector(R_A), self.frame_at(INV_INERTIA_ARM_A));
            Side { body: self.a, sign: -T::ONE, inv_mass, arm, inv_inertia_arm }
        } else {
            let (inv_mass, arm, inv_inertia_arm) =
                (self.packed[INV_MASS_B], self.vector(R_B), self.frame_at(INV_INERTIA_ARM_B));
            Side { body: self.b, sign: T::ONE, inv_mass, arm, inv_inertia_arm }
        }
    }

    /// Whether an impulse of this contact can change the velocity of another.
    pub fn touches(&self, other: &Self) -> bool {
        let moves = |inv_mass: T, body: u16| inv_mass > T::ZERO && (body == other.a || body == other.b);
        moves(self.packed[INV_MASS_A], self.a) || moves(self.packed[INV_MASS_B], self.b)
    }

    /// Velocity of this contact per impulse of another, in the other's impulse unit.
    pub fn coupling(&self, from: &Self) -> Matrix3<T> {
        let mut sum = Matrix3::zeros();
        let (frame, pushed) = (self.frame(), from.frame());
        let (at_angular, from_angular) = (self.is_angular(), from.is_angular());
        for at in [self.side(0), self.side(1)] {
            for from in [from.side(0), from.side(1)] {
                if at.body == from.body {
                    let along = |d: &Vector3<T>, turn: &Vector3<T>| {
                        let sign = at.sign * from.sign;
                        let linear = if from_angular { Vector3::zeros() } else { d.scaled(from.inv_mass) };
                        let w = if at_angular { *turn } else { linear.plus(&turn.cross(&at.arm)) };
                        frame.components(&w.scaled(sign))
                    };
                    let (n, t1, t2) = (
                        along(&pushed.n, &from.inv_inertia_arm.n),
                        along(&pushed.t1, &from.inv_inertia_arm.t1),
                        along(&pushed.t2, &from.inv_inertia_arm.t2),
                    );
                    sum += Matrix3::new(n.x, t1.x, t2.x, n.y, t1.y, t2.y, n.z, t1.z, t2.z);
                }
            }
        }
        sum
    }

    /// Normal velocity of this contact per normal impulse of another, in the other's impulse unit.
    pub fn normal_coupling(&self, from: &Self) -> T {
        let mut sum = T::ZERO;
        if self.is_angular() || from.is_angular() {
            return sum;
        }
        let (normal, pushed) = (self.vector(FRAME), from.vector(FRAME));
        for (body, sign, arm) in [(self.a, -T::ONE, R_A), (self.b, T::ONE, R_B)] {
            let (inv_mass_a, inv_mass_b) = (from.packed[INV_MASS_A], from.packed[INV_MASS_B]);
            for (moved, signed, inv_mass, inv_inertia_arm) in
                [(from.a, -sign, inv_mass_a, INV_INERTIA_ARM_A), (from.b, sign, inv_mass_b, INV_INERTIA_ARM_B)]
            {
                if body == moved {
                    let rotation_part = from.vector(inv_inertia_arm).cross(&self.vector(arm));
                    sum += normal.dot(&pushed.scaled(inv_mass).plus(&rotation_part)) * signed;
                }
            }
        }
        sum
    }

    /// A moving body's rows of `J` and `J M⁻¹`; none for a body that does not move.
    pub fn body_rows(&self, side: usize) -> Option<BodyRows<T>> {
        let Side { body, sign, inv_mass, arm, inv_inertia_arm } = self.side(side);
        let is_angular = self.is_angular();
        let row = |d: &Vector3<T>, rotation_part: &Vector3<T>, scale: T| {
            let scale = if is_angular { T::ZERO } else { scale };
            let (linear, angular) = (d.scaled(sign * scale), rotation_part.scaled(sign));
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        };
        let Frame { n, t1, t2 } = self.frame();
        let jacobian_row = |d: &Vector3<T>| row(d, &if is_angular { *d } else { arm.cross(d) }, T::ONE);
        (inv_mass > T::ZERO).then(|| BodyRows {
            body: usize::from(body),
            jacobian: [jacobian_row(&n), jacobian_row(&t1), jacobian_row(&t2)],
            inv_mass_jacobian: [
                row(&n, &inv_inertia_arm.n, inv_mass),
                row(&t1, &inv_inertia_arm.t1, inv_mass),
                row(&t2, &inv_inertia_arm.t2, inv_mass),
            ],
        })
    }
}

/// One body's part in a contact.
struct Side<T> {
    body: u16,
    sign: T,
    inv_mass: T,
    arm: Vector3<T>,
    inv_inertia_arm: Frame<T>,
}
