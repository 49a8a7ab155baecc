//! One contact that resists sliding, spinning and rolling, solved while the others hold still.
//!
//! Given the block `K`, the velocity `û = u − Kx` without this contact's own impulse and the
//! [law](crate::local::moment_law), find `x = (x_n, y)`. All groups are solved *together*: solving the contact with
//! three rows and the moments by turns cycles on some contacts, because a moment can unload the contact that it needs.
//!
//! Fix one `σ_g ≥ 0` for each group. A closed contact, `u_n = 0`, then has, with the names of
//! [`moment_block`](crate::local::moment_block),
//!
//! ```text
//! y = −(S + diag(σ))⁻¹ b,     x_n = −lift − a·y,     lift = û_n/K_nn
//! ```
//!
//! and the law leaves, for each group, either `σ_g = 0` inside its ball or `‖y_g‖ = c_g (x_n + p)`. Newton's method
//! solves these at most three equations, from the `σ` of the last visit, from 0, or from an estimate that ignores
//! coupling. It has no guarantee, so behind it is a root in the normal impulse alone, of a continuous function that
//! has one (`moment_bracket`). Once that is nearly found Newton's method converges, and adds the last digits.
//!
//! The number of steps of each loop is capped, every pivot is positive, and the result is moved into the cone. Harder
//! cases are solved in a unit near the largest velocity, so that squares neither overflow nor underflow. An answer that
//! is not finite is replaced by the normal impulse without friction. So the result is finite and admissible for every
//! finite input.
//!
//! Without preload a contact that is not approaching is open with `x = 0`.
use crate::local::moment_block::{MomentBlock, MomentFree};
use crate::local::moment_bracket::{Held, NARROW_STEPS};
use crate::local::moment_law::{MomentLaw, Six};
use crate::local::moment_newton::{Answer, Equation};
use crate::math::real::{Real, larger, positive_part, smaller};

/// Newton steps from the `σ` of the last visit.
const WARM_STEPS: u32 = 8;
/// Newton steps from any other start.
const COLD_STEPS: u32 = 15;
/// Steps of the bracket between two attempts of Newton's method.
const STEPS_BETWEEN: u32 = 5;

/// Result of an exact local step with moments.
///
/// ```
/// use nalgebra::Matrix6;
/// use stiction::local::{MomentBlock, MomentLaw, MomentSolution, exact_with_moments};
/// let law = MomentLaw { mu: 0.5, torsion: 0.0, rolling: 0.1, preload: 0.0, is_joined: false };
/// let (block, _) = MomentBlock::new(&Matrix6::<f64>::identity(), &law); // its `impulse_scale` is 1
/// let free = [-1.0, 0.2, 0.0, 0.0, 0.6, 0.0]; // approaches, slides a little, rolls
/// let MomentSolution { impulse, sigma, .. } = exact_with_moments(&block, &law, &free);
/// // It sticks, and rolls on at 0.5; σ is the ratio of this speed to the moment of 0.1.
/// assert!((impulse[1] + 0.2).abs() < 1e-9 && (impulse[4] + 0.1).abs() < 1e-9);
/// assert!(sigma[0] == 0.0 && (sigma[2] - 5.0).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentSolution<T> {
    /// The impulse of the rows `n, t1, t2, s, r1, r2`, times the block's `impulse_scale`.
    pub impulse: [T; 6],
    /// `σ` of sliding, spinning and rolling; 0 for a group that sticks. A joined contact has one, that of spinning.
    pub sigma: [T; 3],
    /// Newton steps of the attempt that succeeded; 0 if all groups stick.
    pub steps: u32,
    /// Whether Newton's method alone did not succeed.
    pub by_bracket: bool,
}

impl<T: Real> MomentSolution<T> {
    fn of(answer: &Answer<T>, by_bracket: bool) -> Self {
        let [t1, t2, s, r1, r2] = answer.friction;
        let impulse = [answer.normal, t1, t2, s, r1, r2];
        MomentSolution { impulse, sigma: answer.sigma, steps: answer.steps, by_bracket }
    }

    fn without_friction(normal: T) -> Self {
        let z = T::ZERO;
        MomentSolution { impulse: [normal, z, z, z, z, z], sigma: [z; 3], steps: 0, by_bracket: false }
    }
}

/// Solves one contact exactly. `free` is `û`; impulses and preload are multiplied by the block's `impulse_scale`.
///
/// ```
/// use nalgebra::Matrix6;
/// use stiction::local::{MomentBlock, MomentLaw, exact_with_moments};
/// // The moment unloads the contact that it needs: solving them by turns would cycle.
/// let mut k = Matrix6::identity();
/// (k[(0, 4)], k[(4, 0)]) = (0.9, 0.9);
/// let law = MomentLaw { mu: 0.5, torsion: 0.0, rolling: 2.0, preload: 0.0, is_joined: false };
/// let (block, impulse_scale) = MomentBlock::new(&k, &law);
/// let x = exact_with_moments(&block, &law, &[-1.0, 0.0, 0.0, 0.0, -2.0, 0.0]).impulse.map(|x| x / impulse_scale);
/// assert!((x[0] - 1.0 / 2.8_f64).abs() < 1e-14 && (x[4] - 2.0 / 2.8).abs() < 1e-14);
/// ```
pub fn exact_with_moments<T: Real>(block: &MomentBlock<T>, law: &MomentLaw<T>, free: &[T; 6]) -> MomentSolution<T> {
    exact_with_moments_near(block, law, free, &[T::ZERO; 3])
}

/// The same, starting from a guess of `σ`; 0 means no guess. With several solutions the guess may choose one.
pub fn exact_with_moments_near<T: Real>(
    block: &MomentBlock<T>,
    law: &MomentLaw<T>,
    free: &[T; 6],
    guess: &[T; 3],
) -> MomentSolution<T> {
    solve(block, law, &MomentFree::new(block, free), guess)
}

/// The same for contacts that are visited repeatedly. Starts from the `σ` of the last visit and stores the new `σ`.
#[inline(always)]
pub(crate) fn exact_with_moments_again<T: Real>(
    block: &MomentBlock<T>,
    law: &MomentLaw<T>,
    free: &MomentFree<T>,
    sigma: &mut [T; 3],
) -> Six<T> {
    let solution = solve(block, law, free, sigma);
    *sigma = solution.sigma;
    solution.impulse
}

#[inline]
fn solve<T: Real>(
    block: &MomentBlock<T>,
    law: &MomentLaw<T>,
    free: &MomentFree<T>,
    guess: &[T; 3],
) -> MomentSolution<T> {
    if !(law.preload > T::ZERO) && free.lift >= T::ZERO {
        return MomentSolution::without_friction(T::ZERO);
    }
    let size = free.size();
    // Fast path, where squares neither overflow nor underflow.
    if size < T::LINEAR_SPEED_LIMIT && size * T::LINEAR_SPEED_LIMIT > T::ONE {
        let equation = Equation { law, schur: &block.schur, row: &block.row, lift: free.lift, b: &free.b };
        let [slide, spin, roll] = *guess;
        let start = [positive_part(slide), positive_part(spin), positive_part(roll)];
        let is_warm = slide > T::ZERO || spin > T::ZERO || roll > T::ZERO;
        let quick = equation.solve(start, if is_warm { WARM_STEPS } else { 1 });
        if let Some(answer) = quick.filter(|answer| has_ordinary_radii(law, answer.normal)) {
            return MomentSolution::of(&answer, false);
        }
    }
    thorough(block, law, free, guess)
}

/// Whether squares of the radii are far from underflow.
#[inline(always)]
fn has_ordinary_radii<T: Real>(law: &MomentLaw<T>, normal: T) -> bool {
    let is_ordinary = |radius: T, c: T| radius * T::IMPULSE_LIMIT > T::ONE || !(c > T::ZERO);
    let ([a, b, c], [slide, spin, roll]) = (law.radii(normal), law.coefficients());
    is_ordinary(a, slide) && is_ordinary(b, spin) && is_ordinary(c, roll)
}

/// The same from all starts, in a unit near the largest velocity.
#[cold]
#[inline(never)]
fn thorough<T: Real>(
    block: &MomentBlock<T>,
    law: &MomentLaw<T>,
    free: &MomentFree<T>,
    guess: &[T; 3],
) -> MomentSolution<T> {
    let limited = |x: T| if x < T::MAX { larger(x, -T::MAX) } else { T::MAX };
    let (lift, b) = (limited(free.lift), free.b.map(limited));
    let frictionless = MomentSolution::without_friction(positive_part(-lift));
    let size = b.iter().fold(larger(lift.abs(), law.preload), |size, part| larger(size, part.abs()));
    let unit = size.power_of_two_below();
    if !(unit > T::ZERO && unit.is_finite()) {
        return frictionless;
    }
    let scaled_law = MomentLaw { preload: law.preload / unit, ..*law };
    let scaled = MomentFree { lift: lift / unit, b: b.map(|part| part / unit) };
    let MomentSolution { impulse, sigma, steps, by_bracket } = from_all_starts(block, &scaled_law, &scaled, guess);
    let impulse = law.clamp(&impulse.map(|part| part * unit));
    if impulse.iter().chain(&sigma).all(|part| part.is_finite()) {
        MomentSolution { impulse, sigma, steps, by_bracket }
    } else {
        frictionless
    }
}

/// The answer if all friction is within rounding of the velocities: each group against its velocity.
fn faint<T: Real>(block: &MomentBlock<T>, equation: &Equation<'_, T>) -> Option<MomentSolution<T>> {
    let Equation { law, lift, b, .. } = equation;
    let normal = positive_part(-*lift);
    let [slide, spin, roll] = law.coefficients();
    let pull = block.row.iter().fold(T::ONE, |sum, a| sum + a.abs());
    let reach = (T::ONE + slide + spin + roll) * pull * (normal + law.preload);
    if !(reach <= T::EPSILON * T::lit(1.0 / 16.0)) {
        return None;
    }
    let [t1, t2, s, r1, r2] = law.shortened(b, equation.sizes().map(|size| -T::ONE / size));
    let impulse = law.clamp(&[normal, t1, t2, s, r1, r2]);
    Some(MomentSolution { impulse, ..MomentSolution::without_friction(normal) })
}

/// Newton's method from an estimate and from zero, then the bracket.
fn from_all_starts<T: Real>(
    block: &MomentBlock<T>,
    law: &MomentLaw<T>,
    free: &MomentFree<T>,
    guess: &[T; 3],
) -> MomentSolution<T> {
    let equation = Equation { law, schur: &block.schur, row: &block.row, lift: free.lift, b: &free.b };
    if let Some(solution) = faint(block, &equation) {
        return solution;
    }
    let held = Held::new(block, law, free);
    if free.lift >= T::ZERO {
        // Only with preload, and then the contact is probably open.
        let (open, f) = held.at(T::ZERO, guess.map(positive_part));
        if f >= T::ZERO {
            return MomentSolution::of(&open, false);
        }
    }
    let by_newton = |start: [T; 3], steps: u32| equation.solve(start, steps);
    let direct = by_newton(estimate(&equation), COLD_STEPS).or_else(|| by_newton([T::ZERO; 3], COLD_STEPS));
    if let Some(answer) = direct {
        return MomentSolution::of(&answer, false);
    }
    let mut bracket = match held.bracket([T::ZERO; 3]) {
        Ok(bracket) => bracket,
        Err(open) => return MomentSolution::of(&open, false),
    };
    for _ in 0..NARROW_STEPS / STEPS_BETWEEN {
        held.narrow(&mut bracket, STEPS_BETWEEN);
        if let Some(answer) = by_newton(bracket.answer.sigma, WARM_STEPS) {
            return MomentSolution::of(&answer, true);
        }
        if bracket.is_narrow {
            break;
        }
    }
    MomentSolution::of(&bracket.answer, true)
}

/// `σ` for a block without coupling, isotropic in each group: friction at the frictionless normal impulse.
fn estimate<T: Real>(equation: &Equation<'_, T>) -> [T; 3] {
    let Equation { law, lift, b, .. } = equation;
    let (radii, squares, sizes) = (law.radii(-*lift), law.squares(b), equation.sizes());
    let mut sigma = [T::ZERO; 3];
    for g in 0..3 {
        let wanted = squares[g].sqrt_or_zero() / radii[g] - sizes[g];
        sigma[g] = smaller(positive_part(wanted), T::ONE / (T::EPSILON * T::EPSILON));
    }
    sigma
}
