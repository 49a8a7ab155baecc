//! Passes what a step begins with, and where bodies are after it, to an observer.
use crate::math::real::Real;
use crate::problem::conditions::DirectSize;
use crate::problem::kept::FactorState;
use crate::problem::observer::{FoundContacts, Observer, StepInput};
use crate::problem::step_settings::StepSettings;
use crate::step::kept::KeptContacts;
use crate::step::world::World;

/// Passes the input of a step to the observer. `has_factor` says whether the factor of a contact's island is made.
#[inline(never)]
pub(crate) fn notify_step<T: Real, const NB: usize, const NC: usize>(
    world: &World<T, NB>,
    kept: &KeptContacts<T, NC>,
    settings: &StepSettings<T>,
    dt: T,
    (direct, factor_blocks): (DirectSize, u32),
    found: FoundContacts,
    has_factor: &dyn Fn(usize) -> bool,
    observer: &mut dyn Observer<T>,
) {
    let (bodies, manifolds, points) = (world.len(), kept.list.len(), kept.points.len());
    let steps = kept.steps;
    observer.step(&StepInput { settings, dt, direct, factor_blocks, bodies, manifolds, points, steps, found });
    (0..bodies).filter_map(|index| world.get(index)).for_each(|body| observer.step_body(&body));
    for manifold in &kept.list {
        let mut recorded = *manifold;
        if manifold.island.factor != FactorState::None {
            let is_made = has_factor(usize::from(manifold.first));
            recorded.island.factor = if is_made { FactorState::Made } else { FactorState::Reserved };
        }
        observer.step_manifold(&recorded, kept.points_of(manifold));
    }
    observer.solving();
}

/// Passes the bodies after a step to the observer.
#[inline(never)]
pub(crate) fn notify_bodies<T: Real, const NB: usize>(world: &World<T, NB>, observer: &mut dyn Observer<T>) {
    (0..world.len()).filter_map(|body| world.record_of(body)).for_each(|record| observer.body(&record));
}
