//! The root of `φ(σ)` by Newton's method inside a bracket (derivation: [`exact`](mod@crate::local::exact)).
use nalgebra::{Vector2, Vector3};

use crate::local::block::{Block, Factors2};
use crate::local::cone::{Cone, reaches};
use crate::local::free_velocity::Free;
use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::VectorOps;

/// Maximum number of Newton steps. Bisection alone needs one step per bit of the bracket's exponent range and mantissa.
pub const MAX_NEWTON_STEPS: u32 = 60;

/// Result of an exact local step.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::local::{Block, Cone, LocalSolution, exact};
/// let (block, _) = Block::new(&Matrix3::identity()); // its `impulse_scale` is 1
/// let free = Vector3::new(-1.0, 2.0, 0.0_f64); // approaches at 1 m/s, slides at 2 m/s
/// let LocalSolution { impulse, sigma, .. } = exact(&block, &Cone { mu: 0.5, preload: 0.0 }, &free);
/// assert!((impulse - Vector3::new(1.0, -0.5, 0.0)).norm() < 1e-9);
/// // It slides on at 1.5 m/s; σ is the ratio of this speed to the friction of 0.5.
/// let velocity = free + impulse;
/// assert!((velocity.y + sigma * impulse.y).abs() < 1e-9 && sigma > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalSolution<T> {
    /// The impulse, times the block's `impulse_scale`.
    pub impulse: Vector3<T>,
    /// Newton steps taken; 0 for an open or sticking contact.
    pub steps: u32,
    /// `σ` of a sliding contact, 0 otherwise.
    pub sigma: T,
}

impl<T: Real> LocalSolution<T> {
    /// An open or sticking contact.
    fn at_once(impulse: Vector3<T>) -> Self {
        LocalSolution { impulse, steps: 0, sigma: T::ZERO }
    }

    /// Replaces a NaN `σ` (left by underflow) with 0. Sweeps already treat NaN as "no guess".
    pub(crate) fn for_callers(self) -> Self {
        let sigma = if self.sigma.is_finite() { self.sigma } else { T::ZERO };
        LocalSolution { sigma, ..self }
    }
}

/// As `exact`, up to rounding: a sliding impulse may be slightly off the rim.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn bracketed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, guess: T) -> LocalSolution<T> {
    if free.opens(cone) {
        return LocalSolution::at_once(Vector3::zeros());
    }
    let normal_at_infinity = positive_part(-free.lift);
    let radius_at_infinity = cone.radius(normal_at_infinity);
    if !(radius_at_infinity > T::ZERO) {
        return LocalSolution::at_once(Vector3::new(normal_at_infinity, T::ZERO, T::ZERO));
    }
    Secular { block, cone, free }.solve(radius_at_infinity, guess)
}

/// The functions of `σ` of `exact`.
pub(crate) struct Secular<'a, T> {
    pub block: &'a Block<T>,
    pub cone: &'a Cone<T>,
    pub free: &'a Free<T>,
}

/// `x(σ)` and its derivative.
#[derive(Clone, Copy)]
pub(crate) struct Trial<T> {
    normal: T,
    tangent: Vector2<T>,
    tangent_slope: Vector2<T>,
    normal_slope: T,
}

impl<T: Real> Trial<T> {
    pub fn impulse(&self) -> Vector3<T> {
        Vector3::new(self.normal, self.tangent.x, self.tangent.y)
    }

    fn is_inside(&self, cone: &Cone<T>) -> bool {
        let radius = cone.radius(self.normal);
        reaches(radius, self.tangent.dot(&self.tangent)) && radius >= T::ZERO
    }

    /// The impulse after one more Newton step, taken along the tangent of the curve `x(σ)` instead of at a new `σ`.
    ///
    /// Where `A + σI` is nearly singular its factors carry more rounding than neighbouring numbers `σ` differ by, so
    /// that `ψ = 0` has no solution in floating point. The tangent comes from the same factors as the point and has no
    /// such limit.
    fn refined(&self, decrement: T) -> Vector3<T> {
        let (x, slope) = (self.tangent, self.tangent_slope);
        let step = slope.scaled(decrement);
        if !(step.dot(&step) < T::lit(0.01) * x.dot(&x)) {
            return self.impulse();
        }
        let tangent = x.minus(&step);
        Vector3::new(self.normal - self.normal_slope * decrement, tangent.x, tangent.y)
    }

    /// `ψ`, `ψ/ψ'` (the Newton decrement), and `1/‖x_t‖`.
    #[inline(always)]
    fn newton(&self, cone: &Cone<T>) -> (T, T, T) {
        let inverse_length = T::ONE / self.tangent.dot(&self.tangent).sqrt_or_zero();
        let ratio = cone.radius(self.normal) * inverse_length;
        let psi = T::ONE - ratio;
        let growth = self.tangent.dot(&self.tangent_slope) * inverse_length;
        (psi, psi / ((ratio * growth - cone.mu * self.normal_slope) * inverse_length), inverse_length)
    }
}

impl<T: Real> Secular<'_, T> {
    /// `K_nt·x_t / K_nn`.
    #[inline(always)]
    fn normal_pull(&self, tangent: &Vector2<T>) -> T {
        self.block.row.x * tangent.x + self.block.row.y * tangent.y
    }

    /// `x(σ)` and its derivative.
    #[inline]
    pub fn at(&self, sigma: T) -> Trial<T> {
        let trial = self.closed(&Factors2::new(&self.block.schur, sigma));
        if trial.normal < T::ZERO && self.cone.preload > T::ZERO { self.open(sigma) } else { trial }
    }

    /// The closed branch, from the factors of `A + σI`.
    #[inline(always)]
    fn closed(&self, factors: &Factors2<T>) -> Trial<T> {
        let tangent = factors.solve(&self.free.b).negated();
        let normal = -self.free.lift - self.normal_pull(&tangent);
        let tangent_slope = factors.solve(&tangent).negated();
        let normal_slope = -self.normal_pull(&tangent_slope);
        Trial { normal, tangent, tangent_slope, normal_slope }
    }

    /// The size of `ψ` that rounding of a trial explains: that of its length, and of the sum that its radius is.
    fn noise(&self, trial: &Trial<T>, inverse_length: T) -> T {
        let sum = self.free.lift.abs() + self.normal_pull(&trial.tangent).abs();
        T::lit(2.0) * T::EPSILON * (T::ONE + self.cone.radius(sum) * inverse_length)
    }

    fn open(&self, sigma: T) -> Trial<T> {
        let factors = Factors2::new(&self.block.tangential(), sigma);
        let tangent = factors.solve(&self.free.tangent(self.block)).negated();
        Trial { normal: T::ZERO, tangent, tangent_slope: factors.solve(&tangent).negated(), normal_slope: T::ZERO }
    }

    /// Sticks, or finds the root `σ > 0` of `φ`; a sliding impulse may be slightly off the rim by rounding.
    #[inline(always)]
    fn solve(&self, radius_at_infinity: T, guess: T) -> LocalSolution<T> {
        let mut low = T::ZERO;
        let mut high = self.bound() / radius_at_infinity;
        let mut sigma = guess;
        let mut zero_is_known = false;
        let mut solution = LocalSolution::at_once(Vector3::zeros());
        for _ in 0..=MAX_NEWTON_STEPS {
            if !(sigma > low && sigma < high) {
                sigma = if zero_is_known { between(low, high) } else { T::ZERO };
            }
            let trial = self.at(sigma);
            let (psi, decrement, inverse_length) = trial.newton(self.cone);
            if !(sigma > T::ZERO) {
                if trial.is_inside(self.cone) {
                    return LocalSolution::at_once(trial.impulse());
                }
                zero_is_known = true;
                sigma -= decrement;
                continue;
            }
            let steps = solution.steps + 1;
            solution = LocalSolution { impulse: trial.refined(decrement), steps, sigma: sigma - decrement };
            if psi > T::ZERO {
                low = sigma;
            } else {
                high = sigma;
            }
            if psi.abs() <= self.noise(&trial, inverse_length) || low >= faint() || !(high - low > T::EPSILON * high) {
                break;
            }
            sigma -= decrement;
        }
        solution
    }

    /// `σ` for a block without coupling between normal and friction and with an isotropic `A`.
    #[inline(always)]
    pub fn estimate(&self) -> T {
        let (radius, b) = (self.cone.radius(-self.free.lift), &self.free.b);
        b.dot(b).sqrt_or_zero() / radius - (self.block.schur.m11 + self.block.schur.m22) * T::HALF
    }

    /// `max(‖b‖, ‖û_t‖)(1 + μκ)` or a little more: sums of magnitudes for lengths.
    fn bound(&self) -> T {
        let kappa = self.block.row.x.abs() + self.block.row.y.abs();
        let (b, free) = (&self.free.b, self.free.tangent(self.block));
        let speed = larger(b.x.abs() + b.y.abs(), free.x.abs() + free.y.abs());
        speed * (T::ONE + self.cone.mu * kappa)
    }
}

/// Beyond 1/ε friction is below rounding: if the contact slides even with this damping, only the direction of friction
/// matters.
fn faint<T: Real>() -> T {
    T::ONE / T::EPSILON
}

/// A point inside a bracket; by its exponent while that is uncertain.
#[cold]
#[inline(never)]
fn between<T: Real>(low: T, high: T) -> T {
    if !(high < faint()) {
        faint()
    } else if low > T::ZERO && high > T::lit(4.0) * low {
        (low * high).sqrt_or_zero()
    } else if low > T::ZERO {
        T::HALF * (low + high)
    } else {
        high * T::lit(1.0 / 64.0)
    }
}
