//! The contacts of a step after it: impulses, forces, records.
use nalgebra::Vector3;

use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows, Element, MomentRows};
use crate::problem::observer::ContactRecord;
use crate::problem::surface::FrictionWork;
use crate::problem::wrench::Wrench;
use crate::step::pipeline::Pipeline;

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// A contact of the last step.
    pub(crate) fn record_of(&self, index: usize) -> Option<ContactRecord<T>> {
        let kept = self.cache();
        let point = kept.points.get(index)?;
        let manifold = kept.list.get(usize::from(point.manifold))?;
        let (work, row) = (&self.solver.work, self.solver.work.row(index));
        let impulse = work.impulse_to_keep(row, &manifold.normal, &self.small.total);
        let (r_a, r_b) = manifold.arms(point);
        let frame = Frame::on(&manifold.normal);
        let rubs = manifold.material.mu > T::ZERO || !work.rows.is_plain(row);
        let tangent = |t: Vector3<T>| if rubs { t } else { Vector3::zeros() };
        Some(ContactRecord {
            contact: index,
            island: work.island_of(index)?,
            id: point.id,
            a: usize::from(manifold.a),
            b: usize::from(manifold.b),
            normal: manifold.normal,
            r_a,
            r_b,
            depth: point.depth,
            restitution: manifold.material.restitution,
            pre_impact_normal_velocity: Some(self.small.arrival_speed[row]),
            t1: tangent(frame.t1),
            t2: tangent(frame.t2),
            mu: manifold.material.mu,
            normal_impulse: impulse.x,
            bounce_impulse: self.small.bounce[row],
            t1_impulse: impulse.y,
            t2_impulse: impulse.z,
            state: work.rows.state(row),
        })
    }

    /// A contact's moment on B over the last step, as a world vector, N m s.
    pub(crate) fn moment_of(&self, index: usize) -> Option<Vector3<T>> {
        self.cache().points.get(index)?;
        let work = &self.solver.work;
        Some(work.moment_to_keep(work.row(index), &self.small.total).unwrap_or_else(Vector3::zeros))
    }

    /// Which bounds a contact has reached where the last step ended: of sliding, spinning and rolling.
    pub(crate) fn reached_in_frame(&self, index: usize) -> [bool; 3] {
        self.solver.work.reached(index).unwrap_or([false; 3])
    }

    /// Mean force and torque on a body over a step of `dt` seconds.
    pub(crate) fn mean_wrench(&self, body: usize, dt: T) -> Option<Wrench<T>> {
        let work = &self.solver.work;
        if body >= work.bodies {
            return None;
        }
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..work.rows.len() {
            let mut impulse = self.small.total[i].divided(work.rows.impulse_scale[i]);
            impulse.x += self.small.bounce[i];
            let [on_a, on_b] = work.jacobians[i].wrenches(&impulse);
            let (a, b) = work.jacobians[i].bodies();
            for (index, part) in [(a, on_a), (b, on_b)] {
                if index == body {
                    force = force.plus(&part.0);
                    torque = torque.plus(&part.1);
                }
            }
        }
        Some(Wrench { force: force.divided(dt), torque: torque.divided(dt) })
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: MomentRows> Pipeline<T, NB, NC, NF, R> {
    /// A contact's moment on B over the last step, as a world vector, N m s: torsion along the normal, and rolling
    /// friction across it.
    pub fn moment(&self, index: usize) -> Option<Vector3<T>> {
        if self.report().is_some() { self.moment_of(index) } else { None }
    }

    /// Which bounds a contact has reached where the last step ended: of sliding, spinning and rolling.
    pub fn reached(&self, index: usize) -> Option<[bool; 3]> {
        (index < self.contact_count()).then(|| self.reached_in_frame(index))
    }

    /// Work of friction in the last step by what it resists; the ledger has the sum.
    pub fn friction_work(&self) -> FrictionWork<T> {
        let work = self.solver.work.friction_work.at(0).filter(|_| self.report().is_some());
        work.copied().unwrap_or(FrictionWork::PLAIN)
    }
}
