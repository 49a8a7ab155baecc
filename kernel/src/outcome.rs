//! What the last solve left behind, contact by contact and body by body, back in SI units.

use nalgebra::Vector3;

use crate::block::Coupling;
use crate::contact::WarmStart;
use crate::real::Real;
use crate::report::{ContactOutcome, Wrench};
use crate::small::Entries;
use crate::workspace::Solver;

/// What the last solve left behind.
impl<T: Real, const NB: usize, const NC: usize> Solver<T, NB, NC> {
    /// The row of a contact, visibly within capacity.
    fn row(&self, contact: usize) -> usize {
        let row = self.islands.row_of(contact);
        if row < NC { row } else { 0 }
    }

    /// A contact's part in the answer.
    pub fn contact(&self, index: usize) -> Option<ContactOutcome<T>> {
        if index >= self.rows.len() {
            return None;
        }
        let index = self.row(index);
        let unit = self.rows.unit[index];
        let impulse = self.rows.impulse[index];
        let tangent = Vector3::new(T::ZERO, impulse.y / unit, impulse.z / unit);
        Some(ContactOutcome {
            bounce: self.rows.cone[index].preload / unit,
            normal: impulse.x / unit,
            tangent: self.links[index].frame().world(&tangent),
            state: self.rows.state(index),
        })
    }

    /// A contact's normal impulse of the contact phase, N s; 0 if there is none.
    pub(crate) fn normal_impulse_of(&self, index: usize) -> T {
        if index >= self.rows.len() {
            return T::ZERO;
        }
        let index = self.row(index);
        self.rows.impulse[index].x / self.rows.unit[index]
    }

    /// What a contact should start from next time: its contact-phase impulse, without the bounce.
    pub fn warm(&self, index: usize) -> Option<WarmStart<T>> {
        self.contact(index).map(|outcome| WarmStart { normal: outcome.normal, tangent: outcome.tangent })
    }

    /// How strongly a contact's normal and friction are coupled.
    pub fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        (index < self.rows.len()).then(|| self.rows.block[self.row(index)].coupling())
    }

    /// Mean force and torque on a body over the step, `Jᵀ(bounce + contact)/dt`.
    pub fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        if body >= self.bodies {
            return None;
        }
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..self.rows.len() {
            let mut total = self.rows.impulse[i];
            total.x += self.rows.cone[i].preload;
            let link = &self.links[i];
            let [on_a, on_b] = link.wrenches(&total.over(self.rows.unit[i]));
            let (a, b) = link.bodies();
            for (index, part) in [(a, on_a), (b, on_b)] {
                if index == body {
                    force = force.plus(&part.0);
                    torque = torque.plus(&part.1);
                }
            }
        }
        Some(Wrench { force: force.over(self.dt), torque: torque.over(self.dt) })
    }

    /// The split impulse's velocity of a body, linear in m/s and angular in rad/s, to be integrated once and forgotten.
    /// Zero unless the settings chose split impulse.
    pub fn correction(&self, body: usize) -> Option<(Vector3<T>, Vector3<T>)> {
        let velocity = self.start.get(body).filter(|_| body < self.bodies)?;
        Some((velocity.linear(), velocity.angular()))
    }
}
