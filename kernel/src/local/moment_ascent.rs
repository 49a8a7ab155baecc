//! Friction at a given normal impulse, for the cases in which Newton's method alone does not converge.
//!
//! At fixed radii `R_g` friction minimises a convex function over balls. Its dual function, with `y = −M⁻¹ b`,
//!
//! ```text
//! ½ b·y − ½ Σ_g σ_g R_g²,     derivatives ½ (‖y_g‖² − R_g²)
//! ```
//!
//! is concave in the at most three `σ ≥ 0`. A pass moves one `σ` after another to its maximum, then all of them along a
//! Newton step as far as the function increases; Newton's method alone is tried in between. Descent on the impulses,
//! group by group, would be simpler, but strong coupling between the rows of different groups slows it down without
//! limit; here every `y` has that coupling in it.
use crate::local::moment_block::dot;
use crate::local::moment_newton::{Answer, Equation, Trial};
use crate::math::real::{Real, positive_part};

/// Passes, and passes between two attempts of Newton's method from where they lead.
const ASCENT_PASSES: u32 = 50;
const PASSES_BETWEEN: u32 = 5;
/// Newton steps for one group alone.
const BALANCE_STEPS: u32 = 30;
/// Halvings of a Newton step.
const CLIMB_STEPS: u32 = 10;

/// Friction at fixed radii. However it ends, every group is in its ball; `none` is returned if nothing is finite.
#[inline(never)]
pub(crate) fn ascent<T: Real>(equation: &Equation<'_, T>, none: Answer<T>, newton_steps: u32) -> Answer<T> {
    let mut sigma = [T::ZERO; 3];
    for pass in 1..ASCENT_PASSES + 1 {
        for group in 0..3 {
            if balance(equation, group, &mut sigma).is_none() {
                return none;
            }
        }
        climb(equation, &mut sigma);
        if pass % PASSES_BETWEEN == 0
            && let Some(found) = equation.solve(sigma, newton_steps)
        {
            return found;
        }
    }
    at(equation, sigma).unwrap_or(none)
}

/// Moves the `σ` of one group to where it is right at fixed radii and the `σ` of the others. With those fixed,
/// `1 − R/‖y_g‖` is convex and falls, so that Newton's method never passes the root from the left.
fn balance<T: Real>(equation: &Equation<'_, T>, group: usize, sigma: &mut [T; 3]) -> Option<()> {
    for _ in 0..BALANCE_STEPS {
        let mut trial = equation.trial(*sigma)?;
        let is_active = trial.is_active;
        trial.is_active = [0, 1, 2].map(|g| g == group && is_active[g]);
        trial.inverse_lengths = [0, 1, 2].map(|g| if g == group { trial.inverse_lengths[g] } else { T::ZERO });
        if trial.is_active == [false; 3] {
            sigma[group % 3] = T::ZERO;
            return Some(());
        }
        let step = equation.step(&trial)?;
        let (length, radius) = (trial.lengths[group % 3], trial.radii[group % 3]);
        let next = positive_part(sigma[group % 3] + step.sigma[group % 3]);
        let is_near = (length - radius).abs() <= T::lit(4.0) * T::EPSILON * length;
        sigma[group % 3] = next;
        if is_near {
            return Some(());
        }
    }
    Some(())
}

/// Moves all `σ` along a Newton step as far as the dual function increases.
fn climb<T: Real>(equation: &Equation<'_, T>, sigma: &mut [T; 3]) {
    let Some(trial) = equation.trial(*sigma) else { return };
    let Some(step) = equation.step(&trial) else { return };
    let height = dual(equation, *sigma, &trial);
    let mut part = T::ONE;
    for _ in 0..CLIMB_STEPS {
        let at = [0, 1, 2].map(|g| positive_part(sigma[g] + part * step.sigma[g]));
        if equation.trial(at).is_some_and(|trial| dual(equation, at, &trial) > height) {
            *sigma = at;
            return;
        }
        part *= T::HALF;
    }
}

fn dual<T: Real>(equation: &Equation<'_, T>, sigma: [T; 3], trial: &Trial<T>) -> T {
    let [a, b, c] = [0, 1, 2].map(|g| sigma[g] * trial.radii[g] * trial.radii[g]);
    dot(equation.b, &trial.y) - (a + b + c)
}

/// The impulse at a `σ`, each group shortened to its ball.
fn at<T: Real>(equation: &Equation<'_, T>, sigma: [T; 3]) -> Option<Answer<T>> {
    let Trial { y, normal, .. } = equation.trial(sigma)?;
    let [t1, t2, s, r1, r2] = y;
    let [normal, t1, t2, s, r1, r2] = equation.law.clamp(&[normal, t1, t2, s, r1, r2]);
    Some(Answer { normal, friction: [t1, t2, s, r1, r2], sigma, steps: 0 })
}
