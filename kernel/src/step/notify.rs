//! Passes what a step begins with, and where bodies are after it, to an observer.
use crate::math::real::Real;
use crate::problem::conditions::DirectSize;
use crate::problem::observer::{Observer, StepInput};
use crate::problem::step_settings::StepSettings;
use crate::step::kept::KeptContacts;
use crate::step::world::World;

/// Passes the input of a step to the observer.
#[inline(never)]
pub(crate) fn notify_step<T: Real, const NB: usize, const NC: usize>(
    world: &World<T, NB>,
    kept: &KeptContacts<T, NC>,
    settings: &StepSettings<T>,
    dt: T,
    (direct, factor_blocks): (DirectSize, u32),
    observer: &mut dyn Observer<T>,
) {
    let (bodies, manifolds, points) = (world.len(), kept.list.len(), kept.points.len());
    let steps = kept.steps;
    observer.step(&StepInput { settings, dt, direct, factor_blocks, bodies, manifolds, points, steps });
    (0..bodies).filter_map(|index| world.get(index)).for_each(|body| observer.step_body(&body));
    for manifold in &kept.list {
        observer.step_manifold(manifold, kept.points_of(manifold));
    }
    observer.solving();
}

/// Passes the bodies after a step to the observer.
#[inline(never)]
pub(crate) fn notify_bodies<T: Real, const NB: usize>(world: &World<T, NB>, observer: &mut dyn Observer<T>) {
    (0..world.len()).filter_map(|body| world.record_of(body)).for_each(|record| observer.body(&record));
}
