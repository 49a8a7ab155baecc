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
//! and `x(σ)` is continuous. What remains is the cone, one equation in one unknown:
//!
//! ```text
//! φ(σ) = ‖x_t(σ)‖ − μ (x_n(σ) + p)
//! ```
//!
//! If `φ(0) ≤ 0` the contact sticks. Otherwise it slides at a root of `φ`, and there is one, because `‖x_t‖ → 0` while
//! `x_n → max(0, −û_n/K_nn)` as `σ → ∞`: with `R∞` the radius there and `κ = ‖K_nt‖/K_nn`, `φ < 0` from
//! `σ = max(‖b‖, ‖û_t‖)(1 + μκ)/R∞` on. Newton's method runs on `ψ = 1 − R/‖x_t‖`, which has the same roots and is nearly linear,
//! inside a bracket that shrinks at every step; a step that leaves the bracket is replaced by bisection. The number of
//! steps is capped, every division is by a positive number, and whatever the last step gave is moved into the cone: the
//! result is finite and admissible for every finite input, but for lengths whose squares underflow (1e-19 m/s in `f32`), which
//! count as none. Where squares overflow (1.8e19 m/s in `f32`) it is admissible, and friction may be less than the law has it.
//!
//! Without preload a contact that is not approaching is open with `x = 0`, and one that is approaching is closed.
//!
//! # The others
//!
//! *Projection* solves `û + Kx = 0` and then shortens the tangent. While sliding it leaves `u_n = −K_nt·δ_t` with `δ_t`
//! the friction that the cone refused: the contact separates or sinks, the faster the slide the more, and energy can be
//! gained. *Hold and resolve* then solves the normal row again with that friction; *box* solves row after row with
//! `|x_t| ≤ μ (x_n + p)/√2` each. They are here to be compared with, and for the cheapest hardware.

use nalgebra::{Vector2, Vector3};

use crate::block::{Block, Factors2};
use crate::cone::{Cone, reaches};
use crate::real::{Real, larger, positive_part, smaller};
use crate::settings::LocalRule;
use crate::small::Entries;
use crate::triple::Triple;

/// Newton steps never exceed this. Bisection alone needs one step a bit of the bracket's exponent range and mantissa.
pub const MAX_NEWTON_STEPS: u32 = 60;

/// `ψ²` below this many `ε` is as good as 0: Newton's error is of second order, and `refined` takes one step more. With
/// preload there can be a kink, where the contact opens, between here and there; then it is not.
const NEARLY: f64 = 1.0 / 32.0;

/// Result of an exact local step.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::local::{Block, Cone, LocalSolution, exact};
/// let (block, _) = Block::new(&Matrix3::identity()); // its unit is 1
/// let free = Vector3::new(-1.0, 2.0, 0.0_f64); // approaches at 1 m/s, slides at 2 m/s
/// let LocalSolution { impulse, sigma, .. } = exact(&block, &Cone { mu: 0.5, preload: 0.0 }, &free);
/// assert!((impulse - Vector3::new(1.0, -0.5, 0.0)).norm() < 1e-9);
/// // It slides on at 1.5 m/s, against its friction of 0.5: that is what σ says.
/// let velocity = free + impulse;
/// assert!((velocity.y + sigma * impulse.y).abs() < 1e-9 && sigma > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalSolution<T> {
    /// The impulse, in the block's unit.
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

    /// Without a `σ` that is no number, which lengths whose squares vanish leave. Sweeps take it for no guess anyway.
    fn for_callers(self) -> Self {
        let sigma = if self.sigma.finite() { self.sigma } else { T::ZERO };
        LocalSolution { sigma, ..self }
    }
}

/// A contact's velocity without its own impulse, as the local step needs it.
#[derive(Clone, Copy)]
pub(crate) struct Free<T> {
    /// `û_n/K_nn`: without friction, what the normal impulse would have to take away.
    lift: T,
    /// `b`.
    b: Vector2<T>,
}

impl<T: Real> Free<T> {
    /// Of a velocity `û`.
    fn new(block: &Block<T>, free: &Vector3<T>) -> Self {
        Free {
            lift: free.x * block.inverse_normal,
            b: Vector2::new(free.y - block.column.x * free.x, free.z - block.column.y * free.x),
        }
    }

    /// Of a velocity `u` that the contact has with its impulse `x`: `û = u − Kx`.
    #[inline(always)]
    pub(crate) fn of(block: &Block<T>, u: &Vector3<T>, x: &Vector3<T>) -> Self {
        let with = Self::new(block, u);
        let schur = &block.schur;
        Free {
            lift: with.lift - (x.x + (block.row.x * x.y + block.row.y * x.z)),
            b: Vector2::new(
                with.b.x - (schur.m11 * x.y + schur.m12 * x.z),
                with.b.y - (schur.m21 * x.y + schur.m22 * x.z),
            ),
        }
    }

    /// Whether the contact opens, with no impulse at all: it does not approach, and nothing was put through it before.
    #[inline(always)]
    fn opens(&self, cone: &Cone<T>) -> bool {
        !(cone.mu * cone.preload > T::ZERO) && !(self.lift < T::ZERO)
    }

    /// `û_t`.
    fn tangent(&self, block: &Block<T>) -> Vector2<T> {
        self.b.plus(&block.column.by(self.lift * block.normal))
    }
}

/// One local step by one of the rules that are not exact. `previous` is the contact's impulse before the step.
#[inline(never)]
pub(crate) fn approximate<T: Real>(
    rule: LocalRule,
    block: &Block<T>,
    cone: &Cone<T>,
    free: &Free<T>,
    previous: &Vector3<T>,
) -> Vector3<T> {
    match rule {
        LocalRule::Exact => exact_bracketed(block, cone, free, T::ZERO).impulse,
        LocalRule::HoldAndResolve => hold_and_resolve(block, cone, free),
        LocalRule::Projection => cone.clamp(&unconstrained(block, free)),
        LocalRule::Box => boxed(block, cone, free, previous),
    }
}

/// Solves one contact exactly. `free` is `û`; impulses and preload are in the block's unit.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::local::{Block, Cone, exact};
/// let (block, unit) = Block::new(&Matrix3::<f64>::identity());
/// let cone = Cone { mu: 0.5, preload: 0.0 };
/// let x = exact(&block, &cone, &Vector3::new(-1.0, 3.0, 0.0)).impulse / unit;
/// assert!((x - Vector3::new(1.0, -0.5, 0.0)).norm() < 1e-14);
/// ```
pub fn exact<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>) -> LocalSolution<T> {
    exact_bracketed(block, cone, &Free::new(block, free), T::ZERO).for_callers()
}

/// The same, beginning with a guess of `σ`; 0 is none. The guess changes how many steps it takes and nothing but rounding.
pub fn exact_near<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Vector3<T>, guess: T) -> LocalSolution<T> {
    let free = &Free::new(block, free);
    // Just below where squares overflow, the last step's may; sweeps leave such an impulse alone.
    let quick = slides_near(block, cone, free, guess).filter(|solution| solution.impulse.iter().all(|x| x.finite()));
    quick.unwrap_or_else(|| exact_bracketed(block, cone, free, guess)).for_callers()
}

/// The same for a velocity in the block's own terms, and for contacts that are visited again and again: from the `σ` of the
/// last visit, which is then that of this one, or from an estimate.
#[inline(always)]
pub(crate) fn exact_again<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, sigma: &mut T) -> T::Triple {
    // Most approach; of those there is no more to ask.
    if !(free.lift < T::ZERO) && free.opens(cone) {
        *sigma = T::ZERO;
        return T::Triple::ZERO;
    }
    let guess = if *sigma > T::ZERO { *sigma } else { Secular { block, cone, free }.estimate() };
    // Number by number: a whole would go through memory, twice.
    let ([x, y, z], found) = match slides_near(block, cone, free, guess) {
        Some(LocalSolution { impulse, sigma, .. }) => ([impulse.x, impulse.y, impulse.z], sigma),
        None => {
            let LocalSolution { impulse, sigma, .. } = exact_bracketed(block, cone, free, positive_part(guess));
            ([impulse.x, impulse.y, impulse.z], sigma)
        }
    };
    *sigma = found;
    T::Triple::new(x, y, z)
}

/// The same by brackets, for all that is harder than sliding near a guess.
#[cfg_attr(target_os = "none", inline(always))]
#[cfg_attr(not(target_os = "none"), inline(never))]
fn exact_bracketed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, guess: T) -> LocalSolution<T> {
    let mut solution = bracketed(block, cone, free, guess);
    // Here, not within: so the two are not on the stack together.
    if solution.steps > 0 {
        solution.impulse = cone.clamp(&solution.impulse);
    }
    solution
}

/// The same up to rounding, which may leave a sliding impulse beside the rim.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn bracketed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, guess: T) -> LocalSolution<T> {
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

/// Newton steps from a guess before brackets are worth setting up.
const QUICK_STEPS: u32 = 8;

/// The answer for a contact that slides without preload, if a few Newton steps from a guess lead there.
///
/// In the principal axes of `A`, where it is `diag(a)`, every part of `x_t` has its own `d = 1/(a + σ)`: `x = −b d`, and
/// derivatives are products with `−d`. With `S = ‖x_t‖²`, `g = R/S`, `q = R²/S` and `Q = Σ x² d`, Newton's step on
/// `ψ = 1 − √q` is
///
/// ```text
/// σ ← σ + (1 − q) 2√q/(1 + √q) / (2 g (g Q + R')),     2√q/(1 + √q) ≈ 2 (1 + q)/(3 + q) near q = 1
/// ```
///
/// so that neither a square root nor more than four divisions, three of them side by side, stand in a step.
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
        // Mostly the second step is the one: not to look after the first saves more than a step that was not needed costs.
        // A long step, or one that is no number, is left to the brackets: along the tangent it would miss the rim by more than
        // the first order that it is shortened by.
        let near = far * far <= T::lit(4.0 * NEARLY) * T::EPSILON && step.abs() * (d1 + d2) < T::RIM;
        if steps > 1 && near {
            // One step more, along the tangent of the curve, and onto the rim.
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

/// The functions of `σ` above.
struct Secular<'a, T> {
    block: &'a Block<T>,
    cone: &'a Cone<T>,
    free: &'a Free<T>,
}

/// `x(σ)` and its derivative.
#[derive(Clone, Copy)]
struct Trial<T> {
    normal: T,
    tangent: Vector2<T>,
    tangent_slope: Vector2<T>,
    normal_slope: T,
}

impl<T: Real> Trial<T> {
    fn impulse(&self) -> Vector3<T> {
        Vector3::new(self.normal, self.tangent.x, self.tangent.y)
    }

    fn is_inside(&self, cone: &Cone<T>) -> bool {
        let radius = cone.radius(self.normal);
        reaches(radius, self.tangent.dot(&self.tangent)) && radius >= T::ZERO
    }

    /// The impulse after one more Newton step, taken along the tangent of the curve `x(σ)` instead of at a new `σ`.
    ///
    /// Where `A + σI` is nearly singular its factors carry more rounding than neighbouring numbers `σ` differ by, so that
    /// no `σ` gives `ψ = 0`. The tangent comes from the same factors as the point and has no such floor.
    fn refined(&self, decrement: T) -> Vector3<T> {
        let (x, slope) = (self.tangent, self.tangent_slope);
        let step = slope.by(decrement);
        if !(step.dot(&step) < T::lit(0.01) * x.dot(&x)) {
            return self.impulse();
        }
        let tangent = x.minus(&step);
        Vector3::new(self.normal - self.normal_slope * decrement, tangent.x, tangent.y)
    }

    /// `ψ`, `ψ/ψ'` (the Newton decrement), and `1/‖x_t‖`.
    #[inline(always)]
    fn newton(&self, cone: &Cone<T>) -> (T, T, T) {
        let inverse_length = T::ONE / self.tangent.dot(&self.tangent).root();
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

    /// `x(σ)` and what belongs to it.
    #[inline]
    fn at(&self, sigma: T) -> Trial<T> {
        let trial = self.closed(&Factors2::new(&self.block.schur, sigma));
        if trial.normal < T::ZERO && self.cone.preload > T::ZERO { self.open(sigma) } else { trial }
    }

    /// The closed branch, from the factors of `A + σI`.
    #[inline(always)]
    fn closed(&self, factors: &Factors2<T>) -> Trial<T> {
        let tangent = factors.solve(&self.free.b).opposite();
        let normal = -self.free.lift - self.normal_pull(&tangent);
        let tangent_slope = factors.solve(&tangent).opposite();
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
        let tangent = factors.solve(&self.free.tangent(self.block)).opposite();
        Trial { normal: T::ZERO, tangent, tangent_slope: factors.solve(&tangent).opposite(), normal_slope: T::ZERO }
    }

    /// Sticks, or finds the root of `φ` to the right of 0; slides beside the rim by rounding.
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

    /// `σ` as it would be if friction did not feel the normal and `A` were the same in all directions.
    #[inline(always)]
    fn estimate(&self) -> T {
        let (radius, b) = (self.cone.radius(-self.free.lift), &self.free.b);
        b.dot(b).root() / radius - (self.block.schur.m11 + self.block.schur.m22) * T::HALF
    }

    /// `max(‖b‖, ‖û_t‖)(1 + μκ)` or a little more: sums of magnitudes for lengths.
    fn bound(&self) -> T {
        let kappa = self.block.row.x.abs() + self.block.row.y.abs();
        let (b, free) = (&self.free.b, self.free.tangent(self.block));
        let speed = larger(b.x.abs() + b.y.abs(), free.x.abs() + free.y.abs());
        speed * (T::ONE + self.cone.mu * kappa)
    }
}

/// Beyond 1/ε friction is below rounding: where even this much damping slides, its direction is all that counts.
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
        (low * high).root()
    } else if low > T::ZERO {
        T::HALF * (low + high)
    } else {
        high * T::lit(1.0 / 64.0)
    }
}

/// `−K⁻¹ û`.
fn unconstrained<T: Real>(block: &Block<T>, free: &Free<T>) -> Vector3<T> {
    let cone = Cone { mu: T::ZERO, preload: T::ZERO };
    Secular { block, cone: &cone, free }.at(T::ZERO).impulse()
}

fn hold_and_resolve<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>) -> Vector3<T> {
    let wanted = unconstrained(block, free);
    let held = cone.clamp(&wanted);
    if held == wanted {
        return held;
    }
    let normal = normal_given_tangent(block, free, held.y, held.z);
    cone.clamp(&Vector3::new(normal, held.y, held.z))
}

fn boxed<T: Real>(block: &Block<T>, cone: &Cone<T>, free: &Free<T>, previous: &Vector3<T>) -> Vector3<T> {
    let (k, column, u) = (block.tangential(), block.column.by(block.normal), free.tangent(block));
    let normal = positive_part(normal_given_tangent(block, free, previous.y, previous.z));
    let bound = cone.radius(normal) * T::lit(core::f64::consts::FRAC_1_SQRT_2);
    let within = |value: T| larger(-bound, smaller(bound, value));
    let t1 = within(-(u.x + column.x * normal + k.m12 * previous.z) / k.m11);
    let t2 = within(-(u.y + column.y * normal + k.m21 * t1) / k.m22);
    Vector3::new(normal, t1, t2)
}

/// The normal impulse at which `u_n = 0`, with the friction as it is.
#[inline(always)]
fn normal_given_tangent<T: Real>(block: &Block<T>, free: &Free<T>, t1: T, t2: T) -> T {
    -(free.lift + block.row.x * t1 + block.row.y * t2)
}
