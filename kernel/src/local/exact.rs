//! One contact, solved while the others hold still.
//!
//! Given the block `K`, the velocity `û = u − Kx` without this contact's own impulse, the friction coefficient `μ` and
//! the preload `p ≥ 0`, find `x = (x_n, x_t)`:
//!
//! ```text
//! 0 ≤ x_n  ⟂  u_n = û_n + (Kx)_n ≥ 0
//! ‖x_t‖ ≤ μ (x_n + p)
//! u_t = −σ x_t  with σ ≥ 0, and σ = 0 wherever ‖x_t‖ < μ (x_n + p)
//! ```
//!
//! # Exact
//!
//! Fix `σ ≥ 0` and solve the first and the last line only. The contact is either *closed*, `u_n = 0`:
//!
//! ```text
//! x_t = −(A + σI)⁻¹ b,   b = û_t − K_tn û_n / K_nn,   x_n = −(û_n + K_nt·x_t)/K_nn ≥ 0
//! ```
//!
//! with `A` the Schur complement of `K_nn`, or *open*, `x_n = 0`, `x_t = −(K_tt + σI)⁻¹ û_t`, exactly one of the two,
//! and `x(σ)` is continuous. The cone then leaves one equation in one unknown:
//!
//! ```text
//! φ(σ) = ‖x_t(σ)‖ − μ (x_n(σ) + p)
//! ```
//!
//! If `φ(0) ≤ 0` the contact sticks. Otherwise it slides at a root of `φ`, and there is one, because `‖x_t‖ → 0` while
//! `x_n → max(0, −û_n/K_nn)` as `σ → ∞`: with `R∞` the radius there and `κ = ‖K_nt‖/K_nn`, `φ < 0` from
//! `σ = max(‖b‖, ‖û_t‖)(1 + μκ)/R∞` on. Newton's method runs on `ψ = 1 − R/‖x_t‖`, which has the same roots and is
//! nearly linear, inside a bracket that shrinks at every step; a step that leaves the bracket is replaced by bisection.
//! The number of steps is capped, every division is by a positive number, and the result of the last step is moved into
//! the cone. So the result is finite and admissible for every finite input. Lengths whose squares underflow (1e-19 m/s
//! in `f32`) count as 0. Where squares overflow (1.8e19 m/s in `f32`) the result is admissible, but friction may be
//! less than Coulomb's law requires.
//!
//! Without preload a contact that is not approaching is open with `x = 0`, and one that is approaching is closed.
use nalgebra::{Vector2, Vector3};

use crate::local::block::Block;
use crate::local::cone::Cone;
use crate::local::free_velocity::Free;
pub use crate::local::secular::{LocalSolution, MAX_NEWTON_STEPS};
use crate::local::secular::{Secular, bracketed};
use crate::math::lanes::Lanes3;
use crate::math::real::{Real, positive_part};

/// `ψ²` below this many `ε` counts as 0: Newton's error is of second order, and `refined` takes one more step. With
/// preload this does not hold, because the contact may open in between, which makes a kink.
pub(crate) const NEARLY: f64 = 1.0 / 32.0;

/// Solves one contact exactly. `free` is `û`; impulses and preload are multiplied by the block's `impulse_scale`.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::local::{Block, Cone, exact};
/// let (block, impulse_scale) = Block::new(&Matrix3::<f64>::identity());
/// let cone = Cone { mu: 0.5, preload: 0.0 };
/// let x = exact(&block, &cone, &Vector3::new(-1.0, 3.0, 0.0)).impulse / impulse_scale;
/// assert!((x - Vector3::new(1.0, -0.5, 0.0)).norm() < 1e-14);
/// ```
pub fn exact<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>) -> LocalSolution<T> {
    exact_bracketed(block, cone, &Free::new(block, free), T::ZERO).for_callers()
}

/// The same, starting from a guess of `σ`; 0 means no guess. The guess affects only the number of steps, and rounding.
pub fn exact_near<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>, guess: T) -> LocalSolution<T> {
    let free = &Free::new(block, free);
    // Near the overflow of squares, the last step may overflow; sweeps do not use such an impulse.
    let quick = slides_near(block, cone, free, guess).filter(|solution| solution.impulse.iter().all(|x| x.is_finite()));
    quick.unwrap_or_else(|| exact_bracketed(block, cone, free, guess)).for_callers()
}

/// The same for contacts that are visited repeatedly. Starts from the `σ` of the last visit, or from an estimate, and
/// stores the new `σ`.
#[inline(always)]
pub(crate) fn exact_again<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, sigma: &mut T) -> T::Lanes3 {
    // Fast path: an approaching contact is closed.
    if !(free.lift < T::ZERO) && free.opens(cone) {
        *sigma = T::ZERO;
        return T::Lanes3::ZERO;
    }
    let guess = if *sigma > T::ZERO { *sigma } else { Secular { block, cone, free }.estimate() };
    // Component by component: a whole struct would be stored and reloaded.
    let ([x, y, z], found) = match slides_near(block, cone, free, guess) {
        Some(LocalSolution { impulse, sigma, .. }) => ([impulse.x, impulse.y, impulse.z], sigma),
        None => {
            let LocalSolution { impulse, sigma, .. } = exact_bracketed(block, cone, free, positive_part(guess));
            ([impulse.x, impulse.y, impulse.z], sigma)
        }
    };
    *sigma = found;
    T::Lanes3::new(x, y, z)
}

/// The same by brackets, for all cases that are harder than sliding near a guess.
#[cfg_attr(target_os = "none", inline(always))]
#[cfg_attr(not(target_os = "none"), inline(never))]
pub(crate) fn exact_bracketed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, guess: T) -> LocalSolution<T> {
    let mut solution = bracketed(block, cone, free, guess);
    // Not in `bracketed`, so that the two are not on the stack together.
    if solution.steps > 0 {
        solution.impulse = cone.clamp(&solution.impulse);
    }
    solution
}

/// Newton steps from a guess before brackets are worth setting up.
pub(crate) const QUICK_STEPS: u32 = 8;

/// The answer for a contact that slides without preload, if a few Newton steps from a guess lead there.
///
/// In the principal axes of `A`, where it is `diag(a)`, every part of `x_t` has its own `d = 1/(a + σ)`: `x = −b d`,
/// and derivatives are products with `−d`. With `S = ‖x_t‖²`, `g = R/S`, `q = R²/S` and `Q = Σ x² d`, Newton's step on
/// `ψ = 1 − √q` is
///
/// ```text
/// σ ← σ + (1 − q) 2√q/(1 + √q) / (2 g (g Q + R')),     2√q/(1 + √q) ≈ 2 (1 + q)/(3 + q) near q = 1
/// ```
///
/// so a step has no square root and at most four divisions, three of them independent of each other.
#[inline(always)]
fn slides_near<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, guess: T) -> Option<LocalSolution<T>> {
    let axes = &block.principal;
    if !axes.are_known() || !(free.lift < T::ZERO) || cone.preload > T::ZERO {
        return None;
    }
    let (b, row) = (axes.components(&free.b), axes.components(&block.row));
    let mut sigma = guess;
    // Not `..=`, which carries a flag through the loop.
    for steps in 1..QUICK_STEPS + 1 {
        if !(sigma > T::ZERO) {
            break;
        }
        let (d1, d2) = (T::ONE / (axes.first + sigma), T::ONE / (axes.last + sigma));
        let (x1, x2) = (-b.x * d1, -b.y * d2);
        let (pull_1, pull_2) = (row.x * x1, row.y * x2);
        let normal = -free.lift - (pull_1 + pull_2);
        let normal_slope = pull_1 * d1 + pull_2 * d2;
        let (square_1, square_2) = (x1 * x1, x2 * x2);
        let radius = cone.mu * normal;
        if !(radius > T::ZERO) {
            break;
        }
        let inverse_square = T::ONE / (square_1 + square_2);
        let g = radius * inverse_square;
        let q = radius * g;
        let growth = g * (square_1 * d1 + square_2 * d2) + cone.mu * normal_slope;
        let step = (T::ONE - q) * (T::ONE + q) / (g * growth * (T::lit(3.0) + q));
        let far = T::ONE - q;
        // Usually the second step converges. Skipping the test after the first step saves more than an occasional
        // unnecessary step costs. A long step, or NaN, is left to the brackets: along the tangent it would miss the rim
        // by more than the first order that it is shortened by.
        let near = far * far <= T::lit(4.0 * NEARLY) * T::EPSILON && step.abs() * (d1 + d2) < T::CUBE_ROOT_EPSILON;
        if steps > 1 && near {
            // One more step, along the tangent of the curve, and onto the rim.
            let normal = positive_part(normal + normal_slope * step);
            let x = axes.back(&Vector2::new(x1 - x1 * (d1 * step), x2 - x2 * (d2 * step)));
            let radius = cone.mu * normal;
            let shorten = T::ONE - T::HALF * positive_part((x.dot(&x) - radius * radius) * inverse_square);
            let impulse = Vector3::new(normal, x.x * shorten, x.y * shorten);
            return Some(LocalSolution { impulse, steps, sigma: sigma + step });
        }
        sigma += step;
    }
    None
}
