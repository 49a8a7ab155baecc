//! Passes what a step begins with, and where bodies are after it, to an observer.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::conditions::DirectSize;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::joint_record::JointRecord;
use crate::problem::kept::{FactorState, IslandState, KeptManifold};
use crate::problem::observer::{FoundContacts, Observer, StepInput, SurfaceRecord};
use crate::step::pipeline::Pipeline;
use crate::step::world::World;

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// Passes the input of a step to the observer. Factors are those of the step before if rows are still `aligned`.
    #[inline(never)]
    pub(crate) fn notify_step(
        &self,
        world: &World<T, NB, R>,
        dt: T,
        direct: DirectSize,
        aligned: bool,
        observer: &mut dyn Observer<T>,
    ) {
        let kept = self.cache();
        let rough = || (0..kept.len()).filter_map(|contact| Some((contact, kept.surface_of_contact(contact)?)));
        if R::HAS_MOMENTS && rough().next().is_some() {
            observer.surface(&SurfaceRecord::Count(rough().count()));
        }
        let joints = || world.joints().zip(kept.joints.part(0..R::JOINTS));
        if R::JOINTS > 0 && world.joint_len() > 0 {
            observer.joint(&JointRecord::Count(world.joint_len()));
        }
        observer.step(&StepInput {
            settings: &self.settings,
            dt,
            direct,
            factor_blocks: self.factor.blocks(),
            bodies: world.len(),
            manifolds: kept.list.len(),
            points: kept.points.len(),
            steps: kept.steps,
            found: FoundContacts {
                left_out: kept.left_out as u32,
                warm_started: self.report.warm_started as u16,
                kept: self.report.kept as u16,
            },
        });
        (0..world.len()).filter_map(|index| world.get(index)).for_each(|body| observer.step_body(&body));
        for manifold in &kept.list {
            let points = kept.points_of(manifold);
            if aligned && self.has_factor(manifold) {
                let island = IslandState { factor: FactorState::Made, ..manifold.island };
                observer.step_manifold(&KeptManifold { island, ..*manifold }, points);
            } else {
                observer.step_manifold(manifold, points);
            }
        }
        for (contact, surface) in rough() {
            observer.surface(&SurfaceRecord::Input { contact, surface: &surface });
        }
        for (index, (joint, kept)) in joints().enumerate() {
            observer.joint(&JointRecord::Input { index, joint, kept });
        }
        observer.solving();
    }

    /// Passes the contacts after a step to the observer.
    pub(crate) fn notify_contacts(&self, observer: &mut dyn Observer<T>) {
        for (index, contact) in self.contacts().enumerate() {
            observer.contact(&contact);
            if R::HAS_MOMENTS && self.cache().surface_of_contact(index).is_some() {
                let reached = self.reached_in_frame(index);
                let moment = self.moment_of(index).unwrap_or_else(Vector3::zeros);
                observer.surface(&SurfaceRecord::Outcome { contact: index, moment, reached });
            }
        }
    }

    /// Passes the joints after a step to the observer.
    pub(crate) fn notify_joints(&self, observer: &mut dyn Observer<T>) {
        for (index, kept) in self.kept_joints().iter().enumerate() {
            observer.joint(&JointRecord::Outcome { index, kept });
        }
    }

    /// Whether the factor of a manifold's island is made.
    fn has_factor(&self, manifold: &KeptManifold<T>) -> bool {
        let island = || self.solver.work.island_of(usize::from(manifold.first));
        manifold.island.factor != FactorState::None && island().is_some_and(|island| self.factor.is_made(island))
    }
}

/// Passes the bodies after a step to the observer.
#[inline(never)]
pub(crate) fn notify_bodies<T: Real, const NB: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    observer: &mut dyn Observer<T>,
) {
    (0..world.len()).filter_map(|body| world.record_of(body)).for_each(|record| observer.body(&record));
}
