//! The root in the normal impulse, behind Newton's method (derivation: [`moments`](mod@crate::local::moments)).
//!
//! At a given normal impulse `N` the balls are fixed, and friction minimises `½ yᵀK_yy y + (û_y + K_yn N)·y` over them:
//! a convex problem whose answer `y(N)` is unique and continuous in `N`. So is
//!
//! ```text
//! f(N) = (û_n + K_nn N + K_ny·y(N)) / K_nn = N + lift + a·y(N)
//! ```
//!
//! If `f(0) ≥ 0` the contact is open. Otherwise `f` has a root: it is positive for large `N`, because
//! `y(N)·K_yn ≥ −N K_ny K_yy⁻¹ K_yn − const` and `K` is positive definite.
use crate::local::moment_ascent::ascent;
use crate::local::moment_block::{MomentBlock, MomentFree, dot};
use crate::local::moment_factors::{Factors5, Symmetric5};
use crate::local::moment_law::MomentLaw;
use crate::local::moment_newton::{Answer, Equation};
use crate::math::real::{Real, larger, positive_part, smaller};

/// Evaluations that widen the bracket, and that narrow it.
const WIDEN_STEPS: u32 = 60;
pub(crate) const NARROW_STEPS: u32 = 100;
/// Newton steps at a given normal impulse.
const HELD_STEPS: u32 = 20;

/// One contact as a convex problem for each normal impulse.
pub(crate) struct Held<'a, T> {
    law: &'a MomentLaw<T>,
    block: &'a MomentBlock<T>,
    free: &'a MomentFree<T>,
    /// `K_yy`.
    friction: Symmetric5<T>,
}

/// A bracket of the root: `f` is negative at `low` and not at `high`.
pub(crate) struct Bracket<T> {
    low: T,
    f_low: T,
    high: T,
    f_high: T,
    /// The last evaluation.
    pub answer: Answer<T>,
    pub is_narrow: bool,
}

impl<'a, T: Real> Held<'a, T> {
    pub fn new(block: &'a MomentBlock<T>, law: &'a MomentLaw<T>, free: &'a MomentFree<T>) -> Self {
        Held { law, block, free, friction: block.friction_block() }
    }

    /// Friction at a normal impulse, from the `σ` of another, and `f`.
    pub fn at(&self, normal: T, guess: [T; 3]) -> (Answer<T>, T) {
        let answer = self.friction_at(normal, guess);
        (answer, (normal + self.free.lift) + self.block.pull(&answer.friction))
    }

    fn friction_at(&self, normal: T, guess: [T; 3]) -> Answer<T> {
        let none = Answer { normal, friction: [T::ZERO; 5], sigma: [T::ZERO; 3], steps: 0 };
        if !(normal + self.law.preload > T::ZERO) {
            return none;
        }
        let factor = self.block.normal * (self.free.lift + normal);
        let mut b = self.free.b;
        b.iter_mut().zip(self.block.row).for_each(|(b, a)| *b += a * factor);
        let equation = Equation { law: self.law, schur: &self.friction, row: &[T::ZERO; 5], lift: -normal, b: &b };
        let direct = equation.solve(guess, HELD_STEPS).or_else(|| equation.solve([T::ZERO; 3], HELD_STEPS));
        direct.unwrap_or_else(|| ascent(&equation, none, HELD_STEPS))
    }

    /// A normal impulse at which `f` is positive: with `h` the entry of `K⁻¹` for the normal, `h (|û_n| + √(K_nn q))` and
    /// `q = û_y K_yy⁻¹ û_y`.
    fn limit(&self) -> T {
        let factors = Factors5::new(&self.block.schur, [T::ZERO; 3]);
        let row = factors.forward(&self.block.row);
        let inverse = self.block.inverse_normal + dot(&row, &factors.divided(&row));
        let normal = self.block.normal * self.free.lift;
        let mut speeds = self.free.b;
        speeds.iter_mut().zip(self.block.row).for_each(|(b, a)| *b += a * normal);
        let factors = Factors5::new(&self.friction, [T::ZERO; 3]);
        let speeds = factors.forward(&speeds);
        let q = dot(&speeds, &factors.divided(&speeds));
        T::lit(1.01) * inverse * (normal.abs() + (self.block.normal * q).sqrt_or_zero())
    }

    /// A bracket, if `f(0)` is negative; else the answer of the open contact.
    pub fn bracket(&self, guess: [T; 3]) -> Result<Bracket<T>, Answer<T>> {
        let (open, f_low) = self.at(T::ZERO, guess);
        if f_low >= T::ZERO {
            return Err(open);
        }
        let mut found = Bracket { low: T::ZERO, f_low, high: T::ZERO, f_high: T::ZERO, answer: open, is_narrow: false };
        let limit = self.limit();
        let mut high = larger(-self.free.lift, -f_low);
        for _ in 0..WIDEN_STEPS {
            let (answer, f) = self.at(high, found.answer.sigma);
            found.answer = answer;
            if !(f < T::ZERO) {
                (found.high, found.f_high) = (high, f);
                break;
            }
            (found.low, found.f_low) = (high, f);
            if !(high < limit) {
                break;
            }
            high = smaller(T::lit(4.0) * high, limit);
        }
        // If rounding hides the sign, the last point is as good as any.
        found.is_narrow = !(found.high > found.low);
        Ok(found)
    }

    /// Narrows a bracket by some steps: Illinois' rule, and bisection every fourth time.
    pub fn narrow(&self, bracket: &mut Bracket<T>, steps: u32) {
        let mut weight = T::ONE;
        let mut last_was_low = None;
        for step in 0..steps {
            let Bracket { low, f_low, high, f_high, .. } = *bracket;
            if bracket.is_narrow {
                return;
            }
            let middle =
                if step % 4 == 3 { between(low, high) } else { secant(low, f_low, high, f_high, weight, last_was_low) };
            let normal = if middle > low && middle < high { middle } else { T::HALF * (low + high) };
            let (answer, f) = self.at(normal, bracket.answer.sigma);
            bracket.answer = answer;
            let is_low = f < T::ZERO;
            weight = if last_was_low == Some(is_low) { weight * T::HALF } else { T::ONE };
            last_was_low = Some(is_low);
            if is_low {
                (bracket.low, bracket.f_low) = (normal, f);
            } else {
                (bracket.high, bracket.f_high) = (normal, f);
            }
            let size = normal + self.free.lift.abs();
            let is_root = f.abs() <= T::HALF * T::EPSILON * size;
            bracket.is_narrow = is_root || !(bracket.high - bracket.low > T::EPSILON * bracket.high);
        }
    }
}

/// The root of the chord; the end that stayed twice counts for less.
fn secant<T: Real>(low: T, f_low: T, high: T, f_high: T, weight: T, last_was_low: Option<bool>) -> T {
    let (f_low, f_high) = match last_was_low {
        Some(true) => (f_low, f_high * weight),
        Some(false) => (f_low * weight, f_high),
        None => (f_low, f_high),
    };
    low + (high - low) * (positive_part(-f_low) / (f_high - f_low))
}

/// A point inside a bracket; by its exponent while that is uncertain.
fn between<T: Real>(low: T, high: T) -> T {
    if low > T::ZERO && high > T::lit(4.0) * low {
        (low * high).sqrt_or_zero()
    } else if low > T::ZERO {
        T::HALF * (low + high)
    } else {
        high * T::lit(1.0 / 64.0)
    }
}
