//! Friction of a contact beyond sliding: torsion, rolling, and friction that depends on the direction.
use nalgebra::Vector3;

use crate::math::real::{Real, larger};
use crate::math::vector::{VectorOps, zero3};
use crate::problem::contact_rows::Element;
use crate::problem::error::{ErrorKind, InputError, flaw_of_number, flaw_of_vector};

/// Friction of one contact beyond sliding. All bounds grow with the normal impulse; each dissipates as much as it can.
///
/// ```
/// use stiction::Surface;
/// // A soft foot: a patch of about 3 cm resists twisting.
/// let foot = Surface { torsion: 0.02, ..Surface::default() };
/// // A tyre of radius 0.3 m with a rolling resistance coefficient of 0.01.
/// let tyre = Surface { rolling: 0.01 * 0.3, ..Surface::default() };
/// assert!(foot.torsion > 0.0 && tyre.rolling < 0.004_f64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface<T> {
    /// Largest moment about the normal, over the normal impulse, m.
    pub torsion: T,
    /// Largest moment against rolling, over the normal impulse, m.
    pub rolling: T,
    /// Friction that depends on the direction of sliding; the contact's own coefficient is that along it.
    pub tread: Option<Tread<T>>,
    /// Whether torsion and sliding share one bound, as under a disc that slides and spins; otherwise each has its own.
    pub is_joined: bool,
    /// Moment on B that the solve starts from, as a world vector, N m s.
    pub warm_moment: Vector3<T>,
}

/// A direction along which friction differs from that across it.
///
/// ```
/// # use nalgebra::Vector3;
/// use stiction::Tread;
/// // A skate: hardly any friction along the blade, much across it. The contact's `mu` is the one along it.
/// let skate = Tread { direction: Vector3::x(), mu_across: 0.8_f32 };
/// assert_eq!(skate.direction.norm(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tread<T> {
    /// World vector of any length. Its part at right angles to the normal is used.
    pub direction: Vector3<T>,
    /// Friction coefficient across it.
    pub mu_across: T,
}

impl<T: Real> Element for Surface<T> {
    const PLAIN: Self =
        Surface { torsion: T::ZERO, rolling: T::ZERO, tread: None, is_joined: false, warm_moment: zero3() };
}

impl<T: Real> Default for Surface<T> {
    /// Sliding friction only.
    fn default() -> Self {
        Self::PLAIN
    }
}

/// Work of friction in a solve, J, by what it resists; negative where it takes energy out, which becomes heat.
///
/// ```
/// use stiction::FrictionWork;
/// let braking = FrictionWork { sliding: -3.0, spinning: -0.5, rolling: -0.25 };
/// assert_eq!(braking.total(), -3.75_f64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionWork<T> {
    /// By tangential impulses.
    pub sliding: T,
    /// By moments about the normal.
    pub spinning: T,
    /// By moments against rolling.
    pub rolling: T,
}

impl<T: Real> FrictionWork<T> {
    /// The sum.
    pub fn total(&self) -> T {
        self.sliding + self.spinning + self.rolling
    }
}

impl<T: Real> Element for FrictionWork<T> {
    const PLAIN: Self = FrictionWork { sliding: T::ZERO, spinning: T::ZERO, rolling: T::ZERO };
}

/// A direction closer to the normal than this, relative to its length, has no part across it.
const ALONG_THE_NORMAL: f64 = 1e-3;

impl<T: Real> Surface<T> {
    /// Whether it has moments: such a contact takes two places among the contacts.
    pub fn has_moments(&self) -> bool {
        self.torsion > T::ZERO || self.rolling > T::ZERO
    }

    /// The largest friction coefficient of all directions, with `mu` along the tread.
    pub(crate) fn largest_friction(&self, mu: T) -> T {
        self.tread.map_or(mu, |tread| larger(mu, tread.mu_across))
    }

    /// Validates it for a contact with this normal.
    pub(crate) fn validate(&self, index: usize, normal: &Vector3<T>) -> Result<(), InputError<T>> {
        let is_along = self.tread.is_some_and(|tread| across(&tread.direction, normal).is_none());
        let broken = self.flaw().or_else(|| is_along.then_some(("friction_direction", ErrorKind::AlongTheNormal)));
        broken.map_or(Ok(()), |(field, flaw)| Err(InputError::contact(index, field, flaw)))
    }

    /// The first field with a value that no contact can have, whatever its normal, and why.
    pub(crate) fn flaw(&self) -> Option<(&'static str, ErrorKind<T>)> {
        let range = |field, value, limit| (field, flaw_of_number(value, T::ZERO, limit));
        let tread = self.tread.as_ref();
        let flaws = [
            range("torsion", self.torsion, T::LENGTH_LIMIT),
            range("rolling", self.rolling, T::LENGTH_LIMIT),
            range("mu_across", tread.map_or(T::ZERO, |tread| tread.mu_across), T::FRICTION_LIMIT),
            ("friction_direction", tread.and_then(|tread| flaw_of_vector(&tread.direction, T::LENGTH_LIMIT))),
            ("warm.moment", flaw_of_vector(&self.warm_moment, T::IMPULSE_LIMIT)),
        ];
        flaws.into_iter().find_map(|(field, flaw)| flaw.map(|flaw| (field, flaw)))
    }
}

/// The part of a direction at right angles to a unit normal, with length 1; none if there is hardly any.
pub(crate) fn across<T: Real>(direction: &Vector3<T>, normal: &Vector3<T>) -> Option<Vector3<T>> {
    // Scaled first: squares of very short or long vectors underflow or overflow.
    let largest =
        direction.iter().fold(T::ZERO, |largest, part| if part.abs() > largest { part.abs() } else { largest });
    if !(largest > T::ZERO) {
        return None;
    }
    let scaled = direction.divided(largest);
    let part = scaled.minus(&normal.scaled(normal.dot(&scaled)));
    let (length, whole) = (part.dot(&part).sqrt_or_zero(), scaled.dot(&scaled).sqrt_or_zero());
    (length > T::lit(ALONG_THE_NORMAL) * whole).then(|| part.divided(length))
}
