//! The law of a contact that resists sliding, spinning and rolling, and the impulses that it admits.
//!
//! The rows of such a contact are `n, t1, t2, s, r1, r2`: normal, two tangents, spin about the normal, rolling about
//! the tangents. The caller has scaled the moment rows to velocities, so that all coefficients are numbers without unit.
//! Friction has up to three *groups* `g`, each with its own ball, and `p ≥ 0` is the preload:
//!
//! ```text
//! C = { x : x_n ≥ 0,  ‖x_g‖ ≤ c_g (x_n + p) for g = t, s, r }
//! 0 ≤ x_n ⟂ u_n ≥ 0,   u_g = −σ_g x_g,  σ_g ≥ 0,  and σ_g = 0 where ‖x_g‖ < c_g (x_n + p)
//! ```
//!
//! A limit surface has sliding and spin as one group of three rows, its coefficient `mu`.
//!
//! # Projection
//!
//! With `ℓ_g = ‖z_g‖`, the normal part `N` of the nearest point of `C` is the root of
//!
//! ```text
//! h(N) = N − z_n − Σ_g c_g max(0, ℓ_g − c_g (N + p))
//! ```
//!
//! or 0 if `h(0) ≥ 0`; each group is then shortened to its ball. `h` increases, is concave and has a kink for each
//! group, so Newton's method from the left, `N = max(0, z_n)`, never passes the root and is there after one step more
//! than there are kinks: no sorting.
//!
//! The natural map is `x − P_C(x − ρ (u + Σ_g c_g‖u_g‖ n))`, with De Saxcé's shift of every group. It vanishes exactly
//! at solutions.
use crate::math::real::{Real, larger, positive_part};

/// Impulses or velocities of the rows `n, t1, t2, s, r1, r2`.
pub(crate) type Six<T> = [T; 6];

/// The friction rows `t1, t2, s, r1, r2`.
pub(crate) type Five<T> = [T; 5];

/// Coefficients and preload of a contact with moments. A coefficient of 0 means that the contact lacks the group.
///
/// ```
/// use stiction::local::MomentLaw;
/// let law = MomentLaw { mu: 0.5_f64, torsion: 0.1, rolling: 0.2, preload: 0.0, is_joined: false };
/// assert_eq!(law.radii(10.0), [5.0, 1.0, 2.0]);
/// let wanted = [10.0, 3.0, 4.0, -2.0, 1.0, 0.0]; // normal, two tangents, spin, two of rolling
/// assert_eq!(law.clamp(&wanted), [10.0, 3.0, 4.0, -1.0, 1.0, 0.0]);
/// assert_eq!(law.on_rim(&law.clamp(&wanted)), [true, true, false]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentLaw<T> {
    /// Coefficient of sliding friction.
    pub mu: T,
    /// Coefficient of torsion, against spin about the normal. If `is_joined`, any positive number: the row exists.
    pub torsion: T,
    /// Coefficient of rolling friction.
    pub rolling: T,
    /// Normal impulse of the bounce, in the unit of the impulses.
    pub preload: T,
    /// Whether sliding and torsion are one group with the coefficient `mu`.
    pub is_joined: bool,
}

impl<T: Real> MomentLaw<T> {
    /// Without friction.
    pub(crate) const EMPTY: Self =
        MomentLaw { mu: T::ZERO, torsion: T::ZERO, rolling: T::ZERO, preload: T::ZERO, is_joined: false };

    /// Whether `t` and `s` are one group: the row `s` exists, and is joined.
    #[inline(always)]
    pub(crate) fn is_one_group(&self) -> bool {
        self.is_joined && self.torsion > T::ZERO
    }

    /// `c_t, c_s, c_r`. A joined contact has all of its sliding and torsion in the group `s`, and none in `t`.
    #[inline(always)]
    pub(crate) fn coefficients(&self) -> [T; 3] {
        [self.mu, if self.is_one_group() { self.mu } else { self.torsion }, self.rolling]
    }

    /// Largest impulse of each group at a normal impulse.
    #[inline(always)]
    pub fn radii(&self, normal: T) -> [T; 3] {
        let pressed = normal + self.preload;
        let [slide, spin, roll] = self.coefficients();
        [slide * pressed, spin * pressed, roll * pressed]
    }

    /// `‖y_g‖²` of each group.
    #[inline(always)]
    pub(crate) fn squares(&self, [t1, t2, s, r1, r2]: &Five<T>) -> [T; 3] {
        let (slide, spin) = (*t1 * *t1 + *t2 * *t2, *s * *s);
        let (slide, spin) = if self.is_one_group() { (T::ZERO, slide + spin) } else { (slide, spin) };
        [slide, spin, *r1 * *r1 + *r2 * *r2]
    }

    /// `‖y_g‖` of each group, also if squares overflow or underflow.
    pub(crate) fn lengths(&self, y: &Five<T>) -> [T; 3] {
        let ([slide, spin, roll], [t1, t2, s, r1, r2]) = (self.squares(y), *y);
        let roll = length3(roll, r1, r2, T::ZERO);
        if self.is_one_group() {
            [T::ZERO, length3(spin, t1, t2, s), roll]
        } else {
            [length3(slide, t1, t2, T::ZERO), s.abs(), roll]
        }
    }

    /// The rows of friction, each multiplied by its group's factor.
    #[inline(always)]
    pub(crate) fn shortened(&self, [t1, t2, s, r1, r2]: &Five<T>, [slide, spin, roll]: [T; 3]) -> Five<T> {
        let slide = if self.is_one_group() { spin } else { slide };
        [*t1 * slide, *t2 * slide, *s * spin, *r1 * roll, *r2 * roll]
    }

    /// Whether an impulse is admissible; no group may be beyond its ball even by rounding.
    #[inline(always)]
    pub fn is_inside(&self, [normal, y @ ..]: &Six<T>) -> bool {
        let ([a, b, c], [x, y, z]) = (self.radii(*normal), self.squares(y));
        let excess = larger(larger(x - a * a, y - b * b), z - c * c);
        *normal >= T::ZERO && excess <= T::ZERO
    }

    /// Moves an impulse inside by raising a negative normal part to 0, then shortening each group.
    #[inline(never)]
    pub fn clamp(&self, [normal, y @ ..]: &Six<T>) -> Six<T> {
        self.within(positive_part(*normal), y, self.lengths(y))
    }

    /// A normal part, and the rows of friction with these lengths, each group shortened to what the normal part allows.
    #[inline(always)]
    fn within(&self, normal: T, y: &Five<T>, [l, m, n]: [T; 3]) -> Six<T> {
        let [a, b, c] = self.radii(normal);
        let [t1, t2, s, r1, r2] = self.shortened(y, [factor(a, l), factor(b, m), factor(c, n)]);
        [normal, t1, t2, s, r1, r2]
    }

    /// Nearest impulse of the cone.
    pub fn project(&self, [normal, y @ ..]: &Six<T>) -> Six<T> {
        let (lengths, coefficients) = (self.lengths(y), self.coefficients());
        let mut nearest = positive_part(*normal);
        // Newton's method; one step more than there are groups.
        for _ in 0..4 {
            let (mut sum, mut slope) = (*normal, T::ONE);
            for (length, c) in lengths.iter().zip(coefficients) {
                if *length > c * (nearest + self.preload) {
                    sum += c * (*length - c * self.preload);
                    slope += c * c;
                }
            }
            let before = nearest;
            nearest = positive_part(sum / slope);
            if nearest == before {
                break;
            }
        }
        self.within(nearest, y, lengths)
    }

    /// The natural map at step `rho`; zero where the impulse and the velocity satisfy the law.
    pub fn natural_map(&self, impulse: &Six<T>, velocity: &Six<T>, rho: T) -> Six<T> {
        let [normal, sliding @ ..] = velocity;
        let ([a, b, c], [l, m, n]) = (self.coefficients(), self.lengths(sliding));
        let shift = a * l + b * m + c * n;
        let [_, t1, t2, s, r1, r2] = *velocity;
        let shifted = [*normal + shift, t1, t2, s, r1, r2];
        let [x0, x1, x2, x3, x4, x5] = *impulse;
        let [v0, v1, v2, v3, v4, v5] = shifted.map(|v| v * rho);
        let [p0, p1, p2, p3, p4, p5] = self.project(&[x0 - v0, x1 - v1, x2 - v2, x3 - v3, x4 - v4, x5 - v5]);
        [x0 - p0, x1 - p1, x2 - p2, x3 - p3, x4 - p4, x5 - p5]
    }

    /// How far the group that is farthest beyond its ball reaches beyond it.
    pub fn excess(&self, [normal, y @ ..]: &Six<T>) -> T {
        let ([a, b, c], [l, m, n]) = (self.radii(*normal), self.lengths(y));
        positive_part(larger(larger(l - a, m - b), n - c))
    }

    /// Which groups are on their rim: they slide, spin, roll. None of an open contact is. A joined contact slides and
    /// spins together.
    pub fn on_rim(&self, [normal, y @ ..]: &Six<T>) -> [bool; 3] {
        let nearly = T::ONE - T::lit(16.0) * T::EPSILON;
        let ([a, b, c], [l, m, n]) = (self.radii(*normal), self.lengths(y));
        let l = if self.is_one_group() { m } else { l };
        [(a, l), (b, m), (c, n)].map(|(radius, length)| radius > T::ZERO && length >= radius * nearly)
    }
}

/// The factor that shortens a length to a radius; 0 if there is no direction left.
fn factor<T: Real>(radius: T, length: T) -> T {
    if length <= radius {
        return T::ONE;
    }
    let factor = radius / length;
    // Subnormal factors have lost digits, and may round up.
    if factor > T::ZERO && factor < T::ONE && factor * T::EPSILON > T::ZERO { factor } else { T::ZERO }
}

/// Length of a vector with its square, which may have overflowed or underflowed.
#[inline(always)]
fn length3<T: Real>(square: T, x: T, y: T, z: T) -> T {
    let limit = T::LINEAR_SPEED_LIMIT * T::LINEAR_SPEED_LIMIT;
    if square < limit && square * limit > T::ONE {
        return square.sqrt_or_zero();
    }
    let size = larger(larger(x.abs(), y.abs()), z.abs());
    if !(size > T::ZERO && size.is_finite()) {
        return size;
    }
    let (x, y, z) = (x / size, y / size, z / size);
    size * (x * x + y * y + z * z).sqrt_or_zero()
}
