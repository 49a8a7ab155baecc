//! An interior-point method for the whole contact problem, for cases in which sweeps fail; mostly five to twenty factorisations.
//!
//! With `d = tr K/3`, `G = diag(1/μ, 1, 1)` and impulses `p` in N s, let
//!
//! ```text
//! z = κ √d G⁻¹ p,    w = κ G (u + μ‖u_t‖n)/√d
//! ```
//!
//! Coulomb's law says that `z` and `w` are in the second-order cone and orthogonal, and velocities follow impulses:
//!
//! ```text
//! F = w − κ G u(p)/√d − ‖w_t‖ e_0 = 0
//! ```
//!
//! (`κ` brings the largest entry at `p = 0` to 1; without friction `G = diag(1, 0, 0)` and there is no shift.) Newton's
//! method on `F = 0, z∘w = σm e` with the scaling of Nesterov and Todd (`second_order_cone`), predictor and corrector
//! of Mehrotra. The shift is differentiated as `w_t/w_0` instead of `w_t/‖w_t‖`: smooth inside, and the same in the
//! limit, where sliding has `w_0 = ‖w_t‖`. With `A = I − e_0 (w_t/w_0)ᵀ` and `r` the right side of complementarity in
//! scaled terms
//!
//! ```text
//! (W̃ + A Q²) dz = F + A Q r,    dw = Q r − Q² dz,    r = λ \ (σ m e − λ∘λ − (Q⁻¹dw_a)∘(Q dz_a))
//! ```
//!
//! `W̃` of redundant contacts is singular. A multiple of the identity is added to it, which moves the step and not the
//! solution. `z` and `w` are `p` and `u` in the scratch.
//!
//! There is no proof that it converges: the shift makes the problem not convex, and the path to a solution may turn
//! back. Where it stops, the caller goes on with proximal points from the best impulses found.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::ContactSystem;
use crate::direct::newton;
use crate::direct::scales::Scales;
use crate::direct::workspace::{ContactScratch, Stop, Workspace, mean_product, restore};
use crate::math::real::{Real, larger, smaller};
use crate::math::second_order_cone::{Scaling, jordan, jordan_divided, min_product, step_to_border};
use crate::math::vector::{product, tangent_length};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::Role;

/// No contact's smallest product may fall below this fraction of the mean.
const CENTRED: f64 = 0.01;
/// Minimum centring.
const CENTRING: f64 = 0.1;
/// Maximum number of steps.
const STEPS: u32 = 40;
/// Steps within which the residual must halve.
const PATIENCE: u32 = 12;
/// Fraction of the distance to the border.
const TO_BORDER: f64 = 0.95;
/// Steps shorter than this are tried again without the second-order term.
const SHORT: f64 = 0.1;
/// The multiple of the identity that is added to `W̃`, in regularisations of Newton's method.
const SOFTNESS: f64 = 10.0;
/// From this residual on, sweeps and Newton's method may finish.
const NEAR: f64 = 1e-2;

/// Steps until solved or stuck. The problem keeps the last impulses tried; the best ones are in the scratch.
pub(crate) fn solve<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
) -> Stop {
    // A preloaded cone is truncated at its apex, which this algebra does not cover.
    let is_plain = |i: usize| !K::HAS_MOMENTS || problem.role(i) == Role::Alone;
    let fits = |i: usize| !(problem.cone(i).preload > T::ZERO) && is_plain(i);
    if !(0..problem.len()).all(fits) {
        return Stop::NoProgress;
    }
    let kappa = kappa(problem);
    let axis = Vector3::new(T::ONE, T::ZERO, T::ZERO);
    // Overwrites all data of an earlier solve: a solve depends only on its input.
    let fresh = ContactScratch { p: axis, u: axis, ..ContactScratch::EMPTY };
    work.scratch
        .iter_mut()
        .take(problem.len())
        .for_each(|entry| *entry = ContactScratch { best: entry.best, swept: entry.swept, ..fresh });
    let (mut goal, mut patience, mut finish_below) = (T::MAX, PATIENCE, T::lit(NEAR));
    for _ in 0..STEPS {
        install(problem, work, kappa);
        let residual = problem.residual();
        work.keep(problem);
        if residual.is_below(work.tolerance) {
            return Stop::Solved;
        }
        let worst = residual.worst();
        if worst <= T::HALF * goal {
            (goal, patience) = (worst, PATIENCE);
        } else if patience == 0 {
            return Stop::NoProgress;
        } else {
            patience -= 1;
        }
        if worst < finish_below {
            finish_below = worst * T::lit(0.1);
            match finish::<T, K>(problem, work) {
                Stop::NoProgress => install(problem, work, kappa),
                end => return end,
            }
        }
        if work.out_of_factorisations() {
            return Stop::NoProgress;
        }
        if work.deadline_passed() {
            return Stop::Deadline;
        }
        if !step::<T, K>(problem, work, kappa) {
            return Stop::NoProgress;
        }
    }
    Stop::NoProgress
}

/// The factor that scales the largest entry at `p = 0` to 1.
fn kappa<T: Real>(problem: &mut dyn ContactSystem<T>) -> T {
    let mut largest = T::ZERO;
    problem.set_impulses(&|_| Vector3::zeros());
    for i in 0..problem.len() {
        let q = Scales::new(problem, i, T::ONE).of_velocity(&problem.velocity(i));
        largest = q.iter().fold(largest, |largest, part| larger(largest, part.abs()));
    }
    let kappa = T::ONE / largest;
    if kappa.is_finite() { kappa } else { T::ONE }
}

/// One step; false if it makes no progress.
fn step<T: Real, K: ContactRows>(problem: &dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, kappa: T) -> bool {
    let count = problem.len();
    let mean = mean_product(work, count, T::ZERO);
    work.interior_steps = work.interior_steps.saturating_add(1);
    // Predictor: straight at the solution.
    if !aim(problem, work, kappa, None) || !work.equations.factor::<K>(problem) {
        return false;
    }
    solve_step::<T, K>(problem, work, kappa, None);
    let length = longest(work, count);
    let ratio = mean_product(work, count, length) / mean;
    let sigma = smaller(larger(T::lit(CENTRING), ratio * ratio * ratio), T::ONE);
    // Corrector: adds the second-order error of the predictor, if that helps.
    let product = sigma * mean;
    let corrected = corrector::<T, K>(problem, work, kappa, &Target { product, second_order: T::ONE });
    let Some(mut length) = corrected else { return false };
    if !(length >= T::lit(SHORT)) {
        let corrected = corrector::<T, K>(problem, work, kappa, &Target { product, second_order: T::ZERO });
        let Some(without) = corrected else { return false };
        length = without;
    }
    if !(length > T::lit(1e-6)) {
        return false;
    }
    for entry in work.scratch.iter_mut().take(count) {
        entry.p += entry.dp * length;
        entry.u += entry.du * length;
    }
    true
}

/// A step towards a target: returns the length that keeps the iterate inside its cones and centred.
fn corrector<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    kappa: T,
    target: &Target<T>,
) -> Option<T> {
    if !aim(problem, work, kappa, Some(target)) {
        return None;
    }
    solve_step::<T, K>(problem, work, kappa, Some(target));
    let count = problem.len();
    let length = smaller(T::lit(TO_BORDER) * longest(work, count), T::ONE);
    Some(centred(work, count, length))
}

/// Writes every entry's equation: straight at the solution, or at a target.
fn aim<T: Real>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    kappa: T,
    target: Option<&Target<T>>,
) -> bool {
    let lines = work.equations.lines.iter_mut();
    for (i, (entry, line)) in work.scratch.iter_mut().zip(lines).enumerate().take(problem.len()) {
        let Some(scaling) = Scaling::new(&entry.p, &entry.u) else { return false };
        let scales = Scales::new(problem, i, kappa);
        let shift = shift_matrix(&scales, &entry.u);
        let right = right_side(entry, &scaling, target);
        let soft = Matrix3::identity() * T::lit(SOFTNESS) * T::NEWTON_REGULARISATION;
        *line = scales.equation(&(product(&shift, &scaling.square()) + soft), &(entry.gap + shift * right));
    }
    true
}

/// `A = I − e_0 (w_t/w_0)ᵀ`.
fn shift_matrix<T: Real>(scales: &Scales<T>, w: &Vector3<T>) -> Matrix3<T> {
    let mut shift = Matrix3::identity();
    let share = scales.tangent / w.x;
    shift.m12 = -share * w.y;
    shift.m13 = -share * w.z;
    shift
}

/// Solves for every entry's step.
fn solve_step<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    kappa: T,
    target: Option<&Target<T>>,
) {
    work.equations.solve::<K>(problem);
    let lines = work.equations.lines.iter();
    for (i, (entry, line)) in work.scratch.iter_mut().zip(lines).enumerate().take(problem.len()) {
        let Some(scaling) = Scaling::new(&entry.p, &entry.u) else { continue };
        let right = right_side(entry, &scaling, target);
        entry.dp = Scales::new(problem, i, kappa).of_impulse(&line.step);
        entry.du = right - scaling.square() * entry.dp;
    }
}

/// Shortens a step until every contact's product is near the mean.
fn centred<T: Real>(work: &Workspace<'_, '_, T>, count: usize, length: T) -> T {
    let mut length = length;
    for _ in 0..16 {
        let min = T::lit(CENTRED) * mean_product(work, count, length);
        let behind = |entry: &ContactScratch<T>| {
            min_product(&(entry.p + entry.dp * length), &(entry.u + entry.du * length)) < min
        };
        if !work.scratch.iter().take(count).any(behind) {
            break;
        }
        length *= T::lit(0.8);
    }
    length
}

/// Target of the complementarity products.
struct Target<T> {
    product: T,
    second_order: T,
}

/// `Q r`.
fn right_side<T: Real>(entry: &ContactScratch<T>, scaling: &Scaling<T>, target: Option<&Target<T>>) -> Vector3<T> {
    let Some(target) = target else { return -entry.u };
    let (q, inverse) = (scaling.matrix(), scaling.inverse());
    let lambda = q * entry.p;
    let second = jordan(&(inverse * entry.du), &(q * entry.dp)) * target.second_order;
    let mut r = -jordan(&lambda, &lambda) - second;
    r.x += target.product;
    q * jordan_divided(&lambda, &r)
}

/// The longest step that stays in all cones, at most `1/TO_BORDER`.
fn longest<T: Real>(work: &Workspace<'_, '_, T>, count: usize) -> T {
    let limit = T::ONE / T::lit(TO_BORDER);
    work.scratch.iter().take(count).fold(limit, |limit, entry| {
        let limit = step_to_border(&entry.p, &entry.dp, limit);
        step_to_border(&entry.u, &entry.du, limit)
    })
}

/// Sets the problem's impulses from the scratch, and stores the error of their velocities in the scratch.
fn install<T: Real>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, kappa: T) {
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        // Inside the cone in exact arithmetic; rounding may move it out if friction is tiny relative to other impulses.
        entry.centre = problem.cone(i).clamp(&Scales::new(problem, i, kappa).impulse_of(&entry.p));
    }
    restore(problem, work.scratch, |entry| entry.centre);
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        let scales = Scales::new(problem, i, kappa);
        entry.gap = entry.u - scales.of_velocity(&problem.velocity(i));
        entry.gap.x -= tangent_length(&entry.u) * scales.tangent;
    }
}

/// Three sweeps, then Newton steps.
fn finish<T: Real, K: ContactRows>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>) -> Stop {
    for _ in 0..3 {
        problem.sweep();
    }
    let end = newton::polish::<T, K>(problem, work);
    work.keep(problem);
    end
}
