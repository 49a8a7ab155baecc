//! Newton's method on one `σ` per group (derivation: [`moments`](mod@crate::local::moments)).
//!
//! With `M = S + diag(σ)`, `y = −M⁻¹ b`, `x_n = −lift − a·y` and `R_g = c_g (x_n + p)`, the groups that slide satisfy
//! `ψ_g = 1 − R_g/‖y_g‖ = 0`. In the unit vectors `e_g` along `y_g` and the unknowns `δ_g = ‖y_g‖ dσ_g`, which are
//! velocities, Newton's equations are
//!
//! ```text
//! Σ_h ( R_g/‖y_g‖ e_gᵀ M⁻¹ e_h + c_g aᵀ M⁻¹ e_h ) δ_h = ‖y_g‖ − R_g,     dy = −M⁻¹ Σ_h e_h δ_h
//! ```
//!
//! Every product with `M⁻¹` is one of `z = L⁻¹ e_g` and `L⁻¹ a`, weighted by `D⁻¹`; only `dy` takes a second
//! substitution. *Active* are the groups with `σ_g > 0` and those that stick beyond their ball. Once `dy` is below about
//! `√ε` of `y`, the impulse moves by `dy` instead of being computed again: its error is of second order, and `dy` has
//! the same rounding as `y`, while factors at a new `σ` have another, which may be larger than `dy`.
use crate::local::moment_block::dot;
use crate::local::moment_factors::{Factors5, Symmetric5};
use crate::local::moment_law::{Five, MomentLaw};
use crate::math::real::{Real, positive_part};

/// `‖dy_g‖²` up to this many `ε` of `‖y_g‖²` counts as small: the error that is left is its square.
const NEARLY: f64 = 1.0 / 8.0;

/// The equations of one contact: closed with its own `S` and `a`, or held at a given normal impulse.
pub(crate) struct Equation<'a, T> {
    pub law: &'a MomentLaw<T>,
    pub schur: &'a Symmetric5<T>,
    /// `a`.
    pub row: &'a Five<T>,
    pub lift: T,
    pub b: &'a Five<T>,
}

/// An impulse that solves the equations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<T> {
    pub normal: T,
    pub friction: Five<T>,
    pub sigma: [T; 3],
    pub steps: u32,
}

/// `y(σ)` and the quantities that Newton's equations need.
struct Trial<T> {
    factors: Factors5<T>,
    y: Five<T>,
    normal: T,
    radii: [T; 3],
    lengths: [T; 3],
    psi: [T; 3],
    is_active: [bool; 3],
}

/// A Newton step: `δ`, `dσ`, `dy` and `dx_n`.
struct Step<T> {
    sigma: [T; 3],
    y: Five<T>,
    normal: T,
}

impl<T: Real> Equation<'_, T> {
    /// Solves from a start; `None` if that does not converge within some steps, or to a normal impulse below zero.
    #[inline]
    pub fn solve(&self, start: [T; 3], most_steps: u32) -> Option<Answer<T>> {
        let mut sigma = start;
        let mut small = 0;
        for steps in 0..most_steps {
            let trial = self.trial(sigma)?;
            if trial.is_active == [false; 3] {
                return self.resting(&trial, steps);
            }
            if !(trial.normal + self.law.preload > T::ZERO) {
                sigma = self.stronger(sigma);
                continue;
            }
            let step = self.step(&trial)?;
            let change = largest_change(self.law, &trial, &step);
            if change <= T::CUBE_ROOT_EPSILON * T::CUBE_ROOT_EPSILON {
                small += 1;
                let is_last = small > 2;
                if change <= T::lit(NEARLY) * T::EPSILON || is_last {
                    if let Some(answer) = self.moved(&trial, &step, sigma, is_last) {
                        return Some(Answer { steps: steps + 1, ..answer });
                    }
                }
            }
            sigma = self.updated(&trial, &step, sigma, steps);
        }
        None
    }

    /// The shift of each group's rows: a joined contact has one `σ` for `t` and `s`.
    #[inline(always)]
    fn shifts(&self, [slide, spin, roll]: [T; 3]) -> [T; 3] {
        [slide, if self.law.is_joined { slide } else { spin }, roll]
    }

    #[inline(always)]
    fn trial(&self, sigma: [T; 3]) -> Option<Trial<T>> {
        let factors = Factors5::new(self.schur, self.shifts(sigma));
        let y = factors.backward(&factors.divided(&factors.forward(self.b))).map(|part| -part);
        let normal = -self.lift - dot(self.row, &y);
        let (radii, squares) = (self.law.radii(normal), self.law.squares(&y));
        let [a, b, c] = squares;
        if !(a + b + c).is_finite() {
            return None;
        }
        let tolerance = T::lit(4.0) * T::EPSILON;
        let mut trial =
            Trial { factors, y, normal, radii, lengths: [T::ZERO; 3], psi: [T::ZERO; 3], is_active: [false; 3] };
        for g in 0..3 {
            let (square, radius) = (squares[g], radii[g]);
            // Fast path: a group that sticks needs no square root.
            if !(sigma[g] > T::ZERO) && square <= radius * radius && radius >= T::ZERO || !(square > T::ZERO) {
                continue;
            }
            let length = square.sqrt_or_zero();
            let psi = T::ONE - radius / length;
            trial.lengths[g] = length;
            trial.psi[g] = psi;
            trial.is_active[g] = sigma[g] > T::ZERO || psi > tolerance;
        }
        Some(trial)
    }

    /// The answer if no group is active: all stick.
    #[inline(always)]
    fn resting(&self, trial: &Trial<T>, steps: u32) -> Option<Answer<T>> {
        if !(trial.normal >= T::ZERO) {
            return None;
        }
        Some(Answer { normal: trial.normal, friction: trial.y, sigma: [T::ZERO; 3], steps })
    }

    /// Larger `σ`, for a contact that friction would open: with less friction it closes.
    fn stronger(&self, [slide, spin, roll]: [T; 3]) -> [T; 3] {
        let [t, s, r] = self.sizes();
        let four = T::lit(4.0);
        [four * slide + t, four * spin + s, four * roll + r]
    }

    /// Typical size of each group's diagonal.
    pub fn sizes(&self) -> [T; 3] {
        let m = self.schur;
        [(m.t11 + m.t22) * T::HALF, m.ss, (m.r11 + m.r22) * T::HALF]
    }

    #[inline(always)]
    fn step(&self, trial: &Trial<T>) -> Option<Step<T>> {
        let Trial { factors, y, lengths, radii, is_active, .. } = trial;
        let row = factors.forward(self.row);
        let c = self.law.coefficients();
        // `L⁻¹ e_g`, and the same weighted.
        let mut z = [[T::ZERO; 5]; 3];
        let mut weighted = z;
        let mut inverse_lengths = [T::ZERO; 3];
        let [t1, t2, s, r1, r2] = *y;
        let (with_slide, alone) = if self.law.is_joined { (s, T::ZERO) } else { (T::ZERO, s) };
        let groups = [
            [t1, t2, with_slide, T::ZERO, T::ZERO],
            [T::ZERO, T::ZERO, alone, T::ZERO, T::ZERO],
            [T::ZERO, T::ZERO, T::ZERO, r1, r2],
        ];
        for g in 0..3 {
            if is_active[g] {
                inverse_lengths[g] = T::ONE / lengths[g];
                z[g] = factors.forward(&groups[g].map(|part| part * inverse_lengths[g]));
                weighted[g] = factors.divided(&z[g]);
            }
        }
        let mut matrix = [[T::ZERO; 3]; 3];
        let mut right = [T::ZERO; 3];
        for g in 0..3 {
            if !is_active[g] {
                matrix[g][g] = T::ONE;
                continue;
            }
            let ratio = radii[g] * inverse_lengths[g];
            right[g] = lengths[g] - radii[g];
            for h in 0..3 {
                if is_active[h] {
                    matrix[g][h] = ratio * dot(&z[g], &weighted[h]) + c[g] * dot(&row, &weighted[h]);
                }
            }
        }
        let [d1, d2, d3] = solve3(&matrix, &right)?;
        let [w1, w2, w3] = weighted;
        let mut along = [T::ZERO; 5];
        for i in 0..5 {
            along[i] = -(w1[i] * d1 + (w2[i] * d2 + w3[i] * d3));
        }
        let y = factors.backward(&along);
        let [i1, i2, i3] = inverse_lengths;
        Some(Step { sigma: [d1 * i1, d2 * i2, d3 * i3], y, normal: -dot(self.row, &y) })
    }

    /// The answer one step further, if no condition speaks against it; the last time rounding may.
    fn moved(&self, trial: &Trial<T>, step: &Step<T>, sigma: [T; 3], is_last: bool) -> Option<Answer<T>> {
        let noise = T::lit(8.0) * T::EPSILON * (self.lift.abs() + self.b.iter().fold(T::ZERO, |sum, b| sum + b.abs()));
        let mut y = trial.y;
        y.iter_mut().zip(step.y).for_each(|(y, step)| *y += step);
        let normal = trial.normal + step.normal;
        let (radii, squares) = (self.law.radii(normal), self.law.squares(&y));
        let mut factors = [T::ONE; 3];
        let mut found = [T::ZERO; 3];
        for g in 0..3 {
            let excess = squares[g] - radii[g] * radii[g];
            if trial.is_active[g] {
                found[g] = positive_part(sigma[g] + step.sigma[g]);
                // A group whose σ falls below zero sticks.
                if (found[g] - (sigma[g] + step.sigma[g])) * trial.lengths[g] > noise {
                    return None;
                }
            } else if !is_last && excess > T::lit(32.0) * T::EPSILON * squares[g] {
                return None;
            }
            if excess > T::ZERO {
                let h = excess / squares[g];
                let is_tiny = h < T::CUBE_ROOT_EPSILON;
                // √(1 − h)
                factors[g] =
                    if is_tiny { T::ONE - h * (T::HALF + T::lit(0.125) * h) } else { (T::ONE - h).sqrt_or_zero() };
            }
        }
        if !(normal >= T::ZERO) {
            return None;
        }
        Some(Answer { normal, friction: self.law.shortened(&y, factors), sigma: found, steps: 0 })
    }

    /// `σ` of the next step. A group whose `σ` would fall below zero is let go slowly at first.
    #[inline(always)]
    fn updated(&self, trial: &Trial<T>, step: &Step<T>, sigma: [T; 3], steps: u32) -> [T; 3] {
        let mut next = sigma;
        for g in 0..3 {
            let wanted = sigma[g] + step.sigma[g];
            next[g] = if !trial.is_active[g] {
                T::ZERO
            } else if wanted > T::ZERO {
                wanted
            } else if trial.psi[g] > T::ZERO {
                if sigma[g] > T::ZERO { sigma[g] * T::HALF } else { trial.psi[g] * self.sizes()[g] }
            } else if steps < 3 {
                sigma[g] * T::lit(0.1)
            } else {
                T::ZERO
            };
        }
        next
    }
}

/// The largest `‖dy_g‖²/‖y_g‖²` of an active group.
#[inline(always)]
fn largest_change<T: Real>(law: &MomentLaw<T>, trial: &Trial<T>, step: &Step<T>) -> T {
    let moved = law.squares(&step.y);
    let mut largest = T::ZERO;
    for g in 0..3 {
        let change = moved[g] / (trial.lengths[g] * trial.lengths[g]);
        // Not `larger`: NaN must not pass for small.
        if trial.is_active[g] && !(change <= largest) {
            largest = change;
        }
    }
    largest
}

/// Cramer's rule; `None` without a finite answer. Its rounding only affects how far a step goes.
#[inline(always)]
fn solve3<T: Real>([[a, b, c], [d, e, f], [g, h, i]]: &[[T; 3]; 3], [x, y, z]: &[T; 3]) -> Option<[T; 3]> {
    let (a, b, c, d, e, f, g, h, i) = (*a, *b, *c, *d, *e, *f, *g, *h, *i);
    let (x, y, z) = (*x, *y, *z);
    let (k1, k2, k3) = (e * i - f * h, f * g - d * i, d * h - e * g);
    let inverse = T::ONE / (a * k1 + b * k2 + c * k3);
    let first = (x * k1 + y * (c * h - b * i) + z * (b * f - c * e)) * inverse;
    let second = (x * k2 + y * (a * i - c * g) + z * (c * d - a * f)) * inverse;
    let third = (x * k3 + y * (b * g - a * h) + z * (a * e - b * d)) * inverse;
    (first + second + third).is_finite().then_some([first, second, third])
}
