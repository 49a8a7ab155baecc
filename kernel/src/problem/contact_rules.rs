//! The rules for a contact, in one list: the fast test combines them, the error names the first that is broken.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::error::{
    ErrorKind, InputError, NORMALISED_TOLERANCE, UNIT_TOLERANCE, flaw_of_number, flaw_of_vector, is_within,
};

/// A contact that was validated, as it is stored.
pub(crate) struct ContactRow<T> {
    pub pair: (u16, u16),
    pub normal: Vector3<T>,
    pub r_a: Vector3<T>,
    pub r_b: Vector3<T>,
    pub mu: T,
    pub restitution: T,
    pub depth: T,
    pub pre_impact_normal_velocity: Option<T>,
    pub warm: WarmStart<T>,
}

impl<T: Real> ContactRow<T> {
    /// A valid contact as it is stored.
    #[inline(always)]
    pub fn of_valid(contact: &Contact<T>) -> Self {
        ContactRow {
            pair: (contact.a as u16, contact.b as u16),
            normal: normalised(&contact.normal),
            r_a: contact.r_a,
            r_b: contact.r_b,
            mu: contact.mu,
            restitution: contact.restitution,
            depth: contact.depth,
            pre_impact_normal_velocity: contact.pre_impact_normal_velocity,
            warm: contact.warm,
        }
    }
}

/// Condition on a field. NaN fails every comparison.
enum Rule<'a, T> {
    /// Indices are 16 bits wide.
    BodyIndex(usize),
    Different(usize, usize),
    UnitLength(&'a Vector3<T>),
    /// Components up to a limit.
    Vector(&'a Vector3<T>, T),
    Range(T, T, T),
}

impl<T: Real> Rule<'_, T> {
    #[inline(always)]
    fn holds(&self) -> bool {
        match *self {
            Rule::BodyIndex(index) => index <= usize::from(u16::MAX),
            Rule::Different(a, b) => a != b,
            Rule::UnitLength(vector) => (length(vector) - T::ONE).abs() <= T::lit(NORMALISED_TOLERANCE),
            Rule::Vector(vector, limit) => is_within(vector, limit),
            Rule::Range(value, min, max) => (value >= min) & (value <= max),
        }
    }

    fn broken(&self) -> Option<ErrorKind<T>> {
        match *self {
            _ if self.holds() => None,
            Rule::BodyIndex(index) => Some(ErrorKind::NoSuchBody { index, bodies: usize::from(u16::MAX) }),
            Rule::Different(..) => Some(ErrorKind::SameBody),
            Rule::UnitLength(vector) => Some(ErrorKind::NotUnit { length: length(vector) }),
            Rule::Vector(vector, limit) => flaw_of_vector(vector, limit),
            Rule::Range(value, min, max) => flaw_of_number(value, min, max),
        }
    }
}

/// Why a vector does not count as a unit vector, if it does not.
pub(crate) fn flaw_of_unit<T: Real>(vector: &Vector3<T>) -> Option<ErrorKind<T>> {
    Rule::Vector(vector, T::lit(2.0))
        .broken()
        .filter(|flaw| *flaw == ErrorKind::NotFinite)
        .or_else(|| Rule::UnitLength(vector).broken())
}

/// Hands every rule of a contact to `check`, with the field that it is about.
#[inline(always)]
fn for_each_rule<'a, T: Real>(contact: &'a Contact<T>, mut check: impl FnMut(&'static str, Rule<'a, T>)) {
    let speed = T::LINEAR_SPEED_LIMIT;
    check("a", Rule::BodyIndex(contact.a));
    check("b", Rule::BodyIndex(contact.b));
    check("b", Rule::Different(contact.a, contact.b));
    check("normal", Rule::Vector(&contact.normal, T::lit(2.0)));
    check("normal", Rule::UnitLength(&contact.normal));
    check("r_a", Rule::Vector(&contact.r_a, T::LENGTH_LIMIT));
    check("r_b", Rule::Vector(&contact.r_b, T::LENGTH_LIMIT));
    check("mu", Rule::Range(contact.mu, T::ZERO, T::FRICTION_LIMIT));
    check("restitution", Rule::Range(contact.restitution, T::ZERO, T::ONE));
    check("depth", Rule::Range(contact.depth, -T::LENGTH_LIMIT, T::LENGTH_LIMIT));
    let velocity = contact.pre_impact_normal_velocity.unwrap_or(T::ZERO);
    check("pre_impact_normal_velocity", Rule::Range(velocity, -speed, speed));
    for_each_warm_rule(&contact.warm, check);
}

#[inline(always)]
fn for_each_warm_rule<'a, T: Real>(warm: &'a WarmStart<T>, mut check: impl FnMut(&'static str, Rule<'a, T>)) {
    check("warm.normal_impulse", Rule::Range(warm.normal_impulse, -T::IMPULSE_LIMIT, T::IMPULSE_LIMIT));
    check("warm.tangent_impulse", Rule::Vector(&warm.tangent_impulse, T::IMPULSE_LIMIT));
}

/// Validates a contact.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn validate_contact<T: Real>(index: usize, contact: &Contact<T>) -> Result<(), InputError<T>> {
    let mut valid = true;
    for_each_rule(contact, |_, rule| valid &= rule.holds());
    if valid { Ok(()) } else { Err(error_of(index, contact)) }
}

/// Validates a warm start.
pub(crate) fn validate_warm_start<T: Real>(index: usize, warm: &WarmStart<T>) -> Result<(), InputError<T>> {
    let mut error = None;
    for_each_warm_rule(warm, |field, rule| keep_first(&mut error, index, field, &rule));
    error.map_or(Ok(()), Err)
}

#[inline(always)]
pub(crate) fn warm_start_is_valid<T: Real>(warm: &WarmStart<T>) -> bool {
    let mut valid = true;
    for_each_warm_rule(warm, |_, rule| valid &= rule.holds());
    valid
}

/// The first broken rule of an invalid contact.
#[cold]
#[inline(never)]
fn error_of<T: Real>(index: usize, contact: &Contact<T>) -> InputError<T> {
    let mut error = None;
    for_each_rule(contact, |field, rule| keep_first(&mut error, index, field, &rule));
    error.unwrap_or(InputError::contact(index, "", ErrorKind::NotFinite))
}

fn keep_first<T: Real>(error: &mut Option<InputError<T>>, index: usize, field: &'static str, rule: &Rule<'_, T>) {
    if error.is_none() {
        *error = rule.broken().map(|reason| InputError::contact(index, field, reason));
    }
}

#[inline(always)]
fn length<T: Real>(vector: &Vector3<T>) -> T {
    vector.dot(vector).sqrt_or_zero()
}

/// Normalises a normal close to unit length. One that has unit length up to rounding keeps its bits.
#[inline(always)]
pub(crate) fn normalised<T: Real>(normal: &Vector3<T>) -> Vector3<T> {
    let length = length(normal);
    let error = (length - T::ONE).abs();
    if error > T::lit(UNIT_TOLERANCE) && error <= T::lit(NORMALISED_TOLERANCE) {
        normal.divided(length)
    } else {
        *normal
    }
}
