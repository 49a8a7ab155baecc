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

use crate::direct::contact_system::{ContactSystem, velocity_in_six};
use crate::direct::interior_cones::{Points, TO_BORDER, Target, centred, longest, mean_of, right_side};
use crate::direct::interior_moments::{self, GroupCone, impulse, largest_entry};
use crate::direct::newton;
use crate::direct::scales::Scales;
use crate::direct::workspace::{ContactScratch, Stop, Workspace, restore};
use crate::math::real::{Real, larger, smaller};
use crate::math::second_order_cone::Scaling;
use crate::math::vector::{product, tangent_length};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::Role;

/// Minimum centring.
const CENTRING: f64 = 0.1;
/// Maximum number of steps.
const STEPS: u32 = 40;
/// Steps within which the residual must halve.
const PATIENCE: u32 = 12;
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
    let is_joined = |i: usize| K::HAS_MOMENTS && problem.law(i).is_some_and(|law| law.is_one_group());
    let fits = |i: usize| !(problem.cone(i).preload > T::ZERO) && !is_joined(i);
    if !(0..problem.len()).all(fits) {
        return Stop::NoProgress;
    }
    let kappa = kappa::<T, K>(problem);
    let axis = Vector3::new(T::ONE, T::ZERO, T::ZERO);
    // Overwrites all data of an earlier solve: a solve depends only on its input.
    let fresh = ContactScratch { p: axis, u: axis, ..ContactScratch::EMPTY };
    work.scratch
        .iter_mut()
        .take(problem.len())
        .for_each(|entry| *entry = ContactScratch { best: entry.best, swept: entry.swept, ..fresh });
    for i in (0..problem.len()).filter(|_| K::HAS_MOMENTS) {
        if let (Some(law), Some([first, second, ..])) = (problem.law(i), work.scratch.get_mut(i..)) {
            interior_moments::start(&law, first, second);
        }
    }
    let (mut goal, mut patience, mut finish_below) = (T::MAX, PATIENCE, T::lit(NEAR));
    for _ in 0..STEPS {
        install::<T, K>(problem, work, kappa);
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
                Stop::NoProgress => install::<T, K>(problem, work, kappa),
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
fn kappa<T: Real, K: ContactRows>(problem: &mut dyn ContactSystem<T>) -> T {
    let mut largest = T::ZERO;
    problem.set_impulses(&|_| Vector3::zeros());
    for i in 0..problem.len() {
        let scales = Scales::new(problem, i, T::ONE);
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            if let Some(law) = problem.law(i) {
                largest = larger(largest, largest_entry(&law, &scales, &velocity_in_six(problem, i)));
            }
            continue;
        }
        let q = scales.of_velocity(&problem.velocity(i));
        largest = q.iter().fold(largest, |largest, part| larger(largest, part.abs()));
    }
    let kappa = T::ONE / largest;
    if kappa.is_finite() { kappa } else { T::ONE }
}

/// One step; false if it makes no progress.
fn step<T: Real, K: ContactRows>(problem: &dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, kappa: T) -> bool {
    let mean = mean_of::<T, K>(problem, work, T::ZERO);
    work.interior_steps = work.interior_steps.saturating_add(1);
    // Predictor: straight at the solution.
    if !aim::<T, K>(problem, work, kappa, None) || !work.equations.factor::<K>(problem) {
        return false;
    }
    solve_step::<T, K>(problem, work, kappa, None);
    let length = longest::<T, K>(problem, work);
    let ratio = mean_of::<T, K>(problem, work, length) / mean;
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
    for i in 0..problem.len() {
        match if K::HAS_MOMENTS { problem.role(i) } else { Role::Alone } {
            Role::Alone => {
                let Some(entry) = work.scratch.get_mut(i) else { break };
                entry.p += entry.dp * length;
                entry.u += entry.du * length;
            }
            Role::First => {
                if let Some([first, second, ..]) = work.scratch.get_mut(i..) {
                    interior_moments::advance(first, second, length);
                }
            }
            Role::Second => {}
        }
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
    if !aim::<T, K>(problem, work, kappa, Some(target)) {
        return None;
    }
    solve_step::<T, K>(problem, work, kappa, Some(target));
    let length = smaller(T::lit(TO_BORDER) * longest::<T, K>(problem, work), T::ONE);
    Some(centred::<T, K>(problem, work, length))
}

/// Writes every entry's equation: straight at the solution, or at a target.
fn aim<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    kappa: T,
    target: Option<&Target<T>>,
) -> bool {
    if K::HAS_MOMENTS && !aim_with_moments(problem, work, kappa, target) {
        return false;
    }
    let lines = work.equations.lines.iter_mut();
    for (i, (entry, line)) in work.scratch.iter_mut().zip(lines).enumerate().take(problem.len()) {
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            continue;
        }
        let Some(scaling) = Scaling::new(&entry.p, &entry.u) else { return false };
        let scales = Scales::new(problem, i, kappa);
        let shift = shift_matrix(&scales, &entry.u);
        let right = right_side(&Points::of(entry), &scaling, target);
        let soft = Matrix3::identity() * softness::<T>();
        *line = scales.equation(&(product(&shift, &scaling.square()) + soft), &(entry.gap + shift * right));
    }
    true
}

/// The multiple of the identity.
fn softness<T: Real>() -> T {
    T::lit(SOFTNESS) * T::NEWTON_REGULARISATION
}

/// The same for contacts with moments.
fn aim_with_moments<T: Real>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    kappa: T,
    target: Option<&Target<T>>,
) -> bool {
    for i in 0..problem.len() {
        let (Some(law), Some([first, second, ..])) = (problem.law(i), work.scratch.get(i..)) else { continue };
        let right = |cone: &GroupCone<T>, scaling: &Scaling<T>| right_side(&Points::in_group(cone), scaling, target);
        let scales = Scales::new(problem, i, kappa);
        let lines = interior_moments::equation(problem, i, &law, &scales, softness(), (first, second), right);
        match (lines, work.equations.lines.get_mut(i..)) {
            (Some(lines), Some([one, other, ..])) => [*one, *other] = lines,
            _ => return false,
        }
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
    for i in (0..problem.len()).filter(|_| K::HAS_MOMENTS) {
        let (Some(law), Some([first, second, ..])) = (problem.law(i), work.scratch.get_mut(i..)) else { continue };
        let Some([one, other, ..]) = work.equations.lines.get(i..) else { break };
        let right = |cone: &GroupCone<T>, scaling: &Scaling<T>| right_side(&Points::in_group(cone), scaling, target);
        let scales = Scales::new(problem, i, kappa);
        interior_moments::store_step(&law, &scales, (first, second), (&one.step, &other.step), right);
    }
    let lines = work.equations.lines.iter();
    for (i, (entry, line)) in work.scratch.iter_mut().zip(lines).enumerate().take(problem.len()) {
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            continue;
        }
        let Some(scaling) = Scaling::new(&entry.p, &entry.u) else { continue };
        let right = right_side(&Points::of(entry), &scaling, target);
        entry.dp = Scales::new(problem, i, kappa).of_impulse(&line.step);
        entry.du = right - scaling.square() * entry.dp;
    }
}

/// Sets the problem's impulses from the scratch, and stores the error of their velocities in the scratch.
fn install<T: Real, K: ContactRows>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, kappa: T) {
    for i in (0..problem.len()).filter(|_| K::HAS_MOMENTS) {
        if let (Some(law), Some([first, second, ..])) = (problem.law(i), work.scratch.get_mut(i..)) {
            (first.centre, second.centre) = impulse(&law, &Scales::new(problem, i, kappa), first, second);
        }
    }
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            continue;
        }
        // Inside the cone in exact arithmetic; rounding may move it out if friction is tiny relative to other impulses.
        entry.centre = problem.cone(i).clamp(&Scales::new(problem, i, kappa).impulse_of(&entry.p));
    }
    restore(problem, work.scratch, |entry| entry.centre);
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            continue;
        }
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
