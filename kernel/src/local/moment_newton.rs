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

/// The same if it does not get smaller: rounding of an ill-conditioned block.
const NOISE: f64 = 16.0;

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
pub(crate) struct Trial<T> {
    factors: Factors5<T>,
    pub y: Five<T>,
    pub normal: T,
    pub radii: [T; 3],
    /// `‖y_g‖` and its inverse; 0 for a group that is not active.
    pub lengths: [T; 3],
    pub inverse_lengths: [T; 3],
    pub is_active: [bool; 3],
}

/// One group of a trial.
struct GroupTrial<T> {
    length: T,
    inverse_length: T,
    is_active: bool,
}

impl<T: Real> GroupTrial<T> {
    #[inline(always)]
    fn new(sigma: T, square: T, radius: T) -> Self {
        let none = GroupTrial { length: T::ZERO, inverse_length: T::ZERO, is_active: false };
        // Fast path: a group that sticks needs no square root.
        let sticks = !(sigma > T::ZERO) && square <= radius * radius && radius >= T::ZERO;
        if sticks || !(square > T::ZERO) {
            return none;
        }
        let length = square.sqrt_or_zero();
        let is_active = sigma > T::ZERO || length - radius > T::lit(4.0) * T::EPSILON * length;
        if is_active { GroupTrial { length, inverse_length: T::ONE / length, is_active } } else { none }
    }
}

/// A Newton step: `δ`, `dσ`, `dy` and `dx_n`.
pub(crate) struct Step<T> {
    pub sigma: [T; 3],
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
                if sigma == [T::ZERO; 3] {
                    return self.resting(&trial, steps);
                }
                sigma = [T::ZERO; 3];
                continue;
            }
            if !(trial.normal + self.law.preload > T::ZERO) {
                sigma = self.stronger(sigma);
                continue;
            }
            let step = self.step(&trial)?;
            let change = largest_change(self.law, &trial, &step);
            small += u32::from(change <= T::lit(NOISE) * T::EPSILON);
            if (change <= T::lit(NEARLY) * T::EPSILON || small > 2)
                && let Some(answer) = self.moved(&trial, &step, sigma)
            {
                return Some(Answer { steps: steps + 1, ..answer });
            }
            sigma = self.updated(&trial, &step, sigma, steps);
        }
        None
    }

    /// The shift of each group's rows: a joined contact has one `σ` for `t` and `s`.
    #[inline(always)]
    fn shifts(&self, [slide, spin, roll]: [T; 3]) -> [T; 3] {
        [if self.law.is_one_group() { spin } else { slide }, spin, roll]
    }

    #[inline(always)]
    pub fn trial(&self, sigma: [T; 3]) -> Option<Trial<T>> {
        let factors = Factors5::new(self.schur, self.shifts(sigma));
        let y = factors.solve_negated(self.b);
        let normal = -self.lift - dot(self.row, &y);
        let (radii, squares) = (self.law.radii(normal), self.law.squares(&y));
        let [a, b, c] = squares;
        if !(a + b + c <= T::MAX) {
            return None;
        }
        let slide = GroupTrial::new(sigma[0], a, radii[0]);
        let spin = GroupTrial::new(sigma[1], b, radii[1]);
        let roll = GroupTrial::new(sigma[2], c, radii[2]);
        Some(Trial {
            factors,
            y,
            normal,
            radii,
            lengths: [slide.length, spin.length, roll.length],
            inverse_lengths: [slide.inverse_length, spin.inverse_length, roll.inverse_length],
            is_active: [slide.is_active, spin.is_active, roll.is_active],
        })
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

    /// Newton's equations, from vectors that have only the rows that are not zero.
    #[inline(always)]
    pub fn step(&self, trial: &Trial<T>) -> Option<Step<T>> {
        let Trial { factors, y: [t1, t2, s, r1, r2], inverse_lengths, is_active: [slides, spins, rolls], .. } = trial;
        let [it, is, ir] = *inverse_lengths;
        let ([c_t, c_s, c_r], zero) = (self.law.coefficients(), T::ZERO);
        let [d1, d2, _, d4, d5] = factors.inverse;
        let [a1, a2, a3, a4, a5] = factors.forward(self.row);
        // `L⁻¹ e` and `D⁻¹ L⁻¹ e` of sliding and rolling, zero if they are not active.
        let [u1, u2] = factors.forward_slide(*t1 * it, *t2 * it);
        let (v1, v2) = (u1 * d1, u2 * d2);
        let [x1, x2, x4, x5] = factors.forward_roll(*r1 * ir, *r2 * ir);
        let (y1, y2, y4, y5) = (x1 * d1, x2 * d2, x4 * d4, x5 * d5);
        let (m_t, m_r) = (a1 * v1 + a2 * v2, (a1 * y1 + a2 * y2) + (a4 * y4 + a5 * y5));
        let (k_t, k_r) = (if *slides { c_t } else { zero }, if *rolls { c_r } else { zero });
        let [q_t, q_s, q_r] = [trial.radii[0] * it, trial.radii[1] * is, trial.radii[2] * ir];
        let g_tr = u1 * y1 + u2 * y2;
        let tt = if *slides { q_t * (u1 * v1 + u2 * v2) + k_t * m_t } else { T::ONE };
        let g_rr = (x1 * y1 + x2 * y2) + (x4 * y4 + x5 * y5);
        let rr = if *rolls { q_r * g_rr + k_r * m_r } else { T::ONE };
        let (tr, rt) = (q_t * g_tr + k_t * m_r, q_r * g_tr + k_r * m_t);
        let (right_t, right_r) = (trial.lengths[0] - q_t * trial.lengths[0], trial.lengths[2] - q_r * trial.lengths[2]);
        let (slide, spin, roll, along);
        if *spins {
            let (w1, w2) = if self.law.is_one_group() { (*t1 * is, *t2 * is) } else { (zero, zero) };
            let z = factors.forward(&[w1, w2, *s * is, zero, zero]);
            let w = factors.divided(&z);
            let (g_ts, m_s) = (u1 * w[0] + u2 * w[1], dot(&[a1, a2, a3, a4, a5], &w));
            let g_sr = (x1 * w[0] + x2 * w[1]) + (x4 * w[3] + x5 * w[4]);
            let ss = q_s * dot(&z, &w) + c_s * m_s;
            let matrix = [
                [tt, q_t * g_ts + k_t * m_s, tr],
                [q_s * g_ts + c_s * m_t, ss, q_s * g_sr + c_s * m_r],
                [rt, q_r * g_sr + k_r * m_s, rr],
            ];
            [slide, spin, roll] = solve3(&matrix, &[right_t, trial.lengths[1] - trial.radii[1], right_r]);
            along = w.map(|part| part * spin);
        } else {
            let inverse = T::ONE / (tt * rr - tr * rt);
            (slide, roll) = ((right_t * rr - tr * right_r) * inverse, (tt * right_r - right_t * rt) * inverse);
            (spin, along) = (zero, [zero; 5]);
        }
        if !(slide.abs() + spin.abs() + roll.abs() <= T::MAX) {
            return None;
        }
        let y = factors.backward(&[
            -((v1 * slide + y1 * roll) + along[0]),
            -((v2 * slide + y2 * roll) + along[1]),
            -along[2],
            -(y4 * roll + along[3]),
            -(y5 * roll + along[4]),
        ]);
        Some(Step { sigma: [slide * it, spin * is, roll * ir], y, normal: -dot(self.row, &y) })
    }

    /// The answer one step further, if it satisfies the law.
    fn moved(&self, trial: &Trial<T>, step: &Step<T>, sigma: [T; 3]) -> Option<Answer<T>> {
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
            } else if excess > T::lit(32.0) * T::EPSILON * squares[g] || sigma[g] > T::ZERO {
                // It slides, or a σ that was much too large made its square underflow.
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
            } else if trial.lengths[g] > trial.radii[g] {
                let psi = T::ONE - trial.radii[g] * trial.inverse_lengths[g];
                if sigma[g] > T::ZERO { sigma[g] * T::HALF } else { psi * self.sizes()[g] }
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
        let change = moved[g] * (trial.inverse_lengths[g] * trial.inverse_lengths[g]);
        // Not `larger`: NaN must not pass for small.
        if trial.is_active[g] && !(change <= largest) {
            largest = change;
        }
    }
    largest
}

/// Cramer's rule. Its rounding only affects how far a step goes.
#[inline(always)]
fn solve3<T: Real>([[a, b, c], [d, e, f], [g, h, i]]: &[[T; 3]; 3], [x, y, z]: &[T; 3]) -> [T; 3] {
    let (a, b, c, d, e, f, g, h, i) = (*a, *b, *c, *d, *e, *f, *g, *h, *i);
    let (x, y, z) = (*x, *y, *z);
    let (k1, k2, k3) = (e * i - f * h, f * g - d * i, d * h - e * g);
    let inverse = T::ONE / (a * k1 + b * k2 + c * k3);
    [
        (x * k1 + y * (c * h - b * i) + z * (b * f - c * e)) * inverse,
        (x * k2 + y * (a * i - c * g) + z * (c * d - a * f)) * inverse,
        (x * k3 + y * (b * g - a * h) + z * (a * e - b * d)) * inverse,
    ]
}
