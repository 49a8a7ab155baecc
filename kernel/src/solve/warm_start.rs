//! Warm start: the contact phase begins with the stored impulses of the contacts.
//!
//! They are moved into the present cones, and scaled down if together they would add energy (see `passivity`). An
//! impulse whose rounding would exceed the speeds at hand is not used.
use crate::math::real::Real;
use crate::math::vector::{VectorOps, is_zero};
use crate::solve::passivity::limit_warm_start;
use crate::solve::task::Task;
use crate::solve::workspace::SolverWorkspace;
use crate::sweep::contact_space::ContactSpace;

/// Starts from the contacts' warm-start impulses. `q_norm` is the speed norm at the start of the phase.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn warm_start<T: Real, const NB: usize, const NC: usize>(
    work: &mut SolverWorkspace<T, NB, NC>,
    task: &Task<'_, '_, T, NB, NC>,
    q_norm: T,
) {
    let largest = q_norm * T::lit(0.1) / T::EPSILON;
    let mut warm = false;
    for i in work.rows.window() {
        let warm_start = task.contacts.warm(work.islands.contact_of(i));
        if warm_start.is_cold() {
            continue;
        }
        let mut x = work.jacobians[i].frame().components(&warm_start.tangent_impulse);
        x.x = warm_start.normal_impulse;
        let x = work.rows.cone[i].clamp(&x.scaled(work.rows.impulse_scale[i]));
        let useful = x.iter().all(|part| part.abs() <= largest);
        if useful && !is_zero(&x) {
            warm = true;
            work.rows.impulse[i] = x;
            work.space().push(i, &x);
        }
    }
    if warm {
        limit_warm_start(work);
    }
}
