//! Passes input and results of a solve to an observer.
use nalgebra::Vector3;

use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::conditions::SolveConditions;
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::observer::{ContactRecord, Observer, SurfaceRecord};
use crate::problem::point_id::PointId;
use crate::problem::settings::Settings;
use crate::solve::workspace::SolverWorkspace;

/// Passes the input of a solve to the observer.
#[inline(never)]
pub(crate) fn notify_input<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
    settings: &Settings<T>,
    dt: T,
    conditions: SolveConditions,
    observer: &mut dyn Observer<T>,
) {
    let beyond_sliding = |index: &usize| contacts.surface_beyond_sliding(*index).is_some();
    let surfaces = if R::HAS_MOMENTS { (0..contacts.len()).filter(beyond_sliding).count() } else { 0 };
    if surfaces > 0 {
        observer.surface(&SurfaceRecord::Count(surfaces));
    }
    observer.input(settings, dt, &conditions, bodies.len(), contacts.len());
    for body in (0..bodies.len()).filter_map(|index| bodies.get(index)) {
        observer.input_body(&body);
    }
    for contact in (0..contacts.len()).filter_map(|index| contacts.get(index)) {
        observer.input_contact(&contact);
    }
    for index in 0..contacts.len() {
        if let Some(surface) = contacts.surface_beyond_sliding(index) {
            observer.surface(&SurfaceRecord::Input { contact: index, surface });
        }
    }
    observer.solving();
}

/// Passes the results of the last solve to the observer, after its reports. `stopped_at` is the call of `should_stop`,
/// counted from 1, that first returned true.
#[inline(never)]
pub(crate) fn notify_outcome<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
    ids: &[PointId],
    work: &SolverWorkspace<T, NB, NC, R>,
    stopped_at: Option<u32>,
    observer: &mut dyn Observer<T>,
) {
    for (index, (linear, angular)) in bodies.linear_velocities().iter().zip(bodies.angular_velocities()).enumerate() {
        observer.velocity(index, linear, angular);
    }
    for index in 0..contacts.len() {
        if let Some(record) = record_of(contacts, ids, work, index) {
            observer.contact(&record);
        }
        if contacts.surface_beyond_sliding(index).is_some()
            && let (Some(moment), Some(reached)) = (work.moment(index), work.reached(index))
        {
            observer.surface(&SurfaceRecord::Outcome { contact: index, moment, reached });
        }
    }
    observer.solved(stopped_at);
}

fn record_of<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    contacts: &Contacts<T, NC, R>,
    ids: &[PointId],
    work: &SolverWorkspace<T, NB, NC, R>,
    index: usize,
) -> Option<ContactRecord<T>> {
    let contact = contacts.get(index)?;
    let outcome = work.outcome(index)?;
    let frame = Frame::on(&contact.normal);
    let tangent = |t: Vector3<T>| if contact.mu > T::ZERO { t } else { Vector3::zeros() };
    Some(ContactRecord {
        contact: index,
        island: work.island_of(index)?,
        id: ids.get(index).copied().unwrap_or(PointId::Proximity),
        a: contact.a,
        b: contact.b,
        normal: contact.normal,
        r_a: contact.r_a,
        r_b: contact.r_b,
        depth: contact.depth,
        restitution: contact.restitution,
        pre_impact_normal_velocity: contact.pre_impact_normal_velocity,
        t1: tangent(frame.t1),
        t2: tangent(frame.t2),
        mu: contact.mu,
        normal_impulse: outcome.normal_impulse,
        bounce_impulse: outcome.bounce_impulse,
        t1_impulse: frame.t1.dot(&outcome.tangent_impulse),
        t2_impulse: frame.t2.dot(&outcome.tangent_impulse),
        state: outcome.state,
    })
}
