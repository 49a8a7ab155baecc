//! Warm start: the contact phase begins with the stored impulses of the contacts.
//!
//! They are moved into the present cones, and scaled down if together they would add energy (see `passivity`). An
//! impulse whose rounding would exceed the speeds at hand is not used.
use nalgebra::Vector3;

use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::math::vector::{VectorOps, is_zero};
use crate::problem::contact::WarmStart;
use crate::problem::contact_rows::ContactRows;
use crate::solve::passivity::limit_warm_start;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::moment_row::{Role, six};

/// Starts from the contacts' warm-start impulses. `q_norm` is the speed norm at the start of the phase.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn warm_start<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
    q_norm: T,
) {
    let largest = largest_useful(q_norm);
    let mut warm = false;
    for i in work.rows.window() {
        if R::HAS_MOMENTS && work.rows.role(i) != Role::Alone {
            warm |= start_with_moments(work, task, i, largest);
            continue;
        }
        let contact = work.islands.contact_of(i);
        let warm_start = task.contacts.warm(contact);
        if warm_start.is_cold() {
            continue;
        }
        let (mut frame, scale) = (work.jacobians[i].frame(), work.rows.impulse_scale[i]);
        if !work.rows.is_plain(i) {
            frame = frame.dual();
        }
        if let Some(x) = useful_impulse(&warm_start, &frame, &work.rows.cone[i], scale, largest) {
            warm = true;
            work.rows.impulse[i] = x;
            work.space().push(i, &x);
        }
    }
    if warm {
        limit_warm_start(work);
    }
}

/// Starts a contact with moments, in its first row; returns whether it has an impulse then.
fn start_with_moments<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    task: &Task<'_, '_, T, NB, NC, R>,
    row: usize,
    largest: T,
) -> bool {
    let contact = work.islands.contact_of(row);
    let (Some(law), Some(surface), true) = (work.rows.law(row), task.contacts.surface(contact), row + 1 < NC) else {
        return false;
    };
    let (warm, scale) = (task.contacts.warm(contact), work.rows.impulse_scale[row]);
    let mut first = work.jacobians[row].frame().dual().components(&warm.tangent_impulse);
    first.x = warm.normal_impulse;
    let second = work.jacobians[row + 1].frame().dual().components(&surface.warm_moment);
    let x = law.clamp(&six(&first.scaled(scale), &second.scaled(scale)));
    let is_useful = x.iter().all(|part| part.abs() <= largest);
    let SolverWorkspace { rows, jacobians, velocity, .. } = work;
    is_useful && rows.replace_six(&mut BodySpace::new(jacobians, velocity), row, &x) > T::ZERO
}

/// An impulse up to here is useful: its rounding is below a tenth of the speeds.
#[inline(always)]
pub(crate) fn largest_useful<T: Real>(q_norm: T) -> T {
    q_norm * T::lit(0.1) / T::EPSILON
}

/// A stored impulse moved into its present cone, in velocity units; none if it is not useful there.
#[inline(always)]
pub(crate) fn useful_impulse<T: Real>(
    warm: &WarmStart<T>,
    frame: &Frame<T>,
    cone: &Cone<T>,
    impulse_scale: T,
    largest: T,
) -> Option<Vector3<T>> {
    let mut x = frame.components(&warm.tangent_impulse);
    x.x = warm.normal_impulse;
    let x = cone.clamp(&x.scaled(impulse_scale));
    let useful = x.iter().all(|part| part.abs() <= largest);
    (useful && !is_zero(&x)).then_some(x)
}
