//! The bytes of recorded solves, which a controller dumps and a host solves again. Little-endian throughout.
//!
//! A dump is a sequence of blocks. Every block:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `STFR` |
//! | 1 | version, [`VERSION`] |
//! | 1 | kind: 1 input, 2 outcome |
//! | 1 | bytes of a scalar `s`: 4 or 8 |
//! | 1 | 0 |
//! | 4 | length of the block, from its first byte to its last |
//! | 4 | number of the solve; its input and its outcome have the same |
//! | … | data, by kind |
//! | 4 | FNV-1a (32 bit) of all bytes of the block before this |
//!
//! *Input*, written before the solve:
//!
//! | bytes | content |
//! |---|---|
//! | 2, 2 | bodies, contacts |
//! | 4, 4 | contacts and blocks of the memory for direct methods; 0, 0 without |
//! | 1, 1, 1 | islands (0 together, 1 separate), local rule, bounce: each in the order of its type's variants |
//! | 1, 1, 1 | order, position correction, method: likewise |
//! | 2 | 0 |
//! | 4 × 4 | sweeps, minimal sweeps, normal sweeps, factorisations |
//! | 4 s | relaxation, accelerated relaxation, tolerance, restitution threshold |
//! | 4 s | dt, error reduction, slop, maximal correction speed |
//! | 13 s a body | inverse mass, inverse inertia (xx, yx, zx, yy, zy, zz), linear and angular velocity |
//! | 8 + 17 s a contact | a, b (2 each), 1 if a velocity before impact was recorded, 3 × 0; 17 scalars |
//!
//! The scalars of a contact are normal, r_a, r_b, μ, restitution, depth, the velocity before impact or 0, and the warm
//! start's normal and tangent impulse.
//!
//! *Outcome*, written after it, so that an input without one is a solve that never returned, or that was rejected:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | the call of `should_stop`, counted from 1, that first returned true; 0 for none |
//! | 8 | FNV-1a (64 bit) of all linear and angular velocities, body by body |
//!
//! A solve depends only on its input (and on that call), so solving a block again must have the digest of its outcome,
//! on any machine.
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::body::Body;
use crate::problem::conditions::IslandMode;
use crate::problem::contact::Contact;
use crate::problem::settings::Settings;
use crate::record::bytes::{FNV64_START, fnv64};

/// Version of the format that is written and read.
pub const VERSION: u8 = 2;

pub(crate) const MAGIC: [u8; 4] = *b"STFR";
pub(crate) const INPUT: u8 = 1;
pub(crate) const OUTCOME: u8 = 2;
/// Bytes of a block before and after its content.
pub(crate) const HEADER: usize = 16;
pub(crate) const CHECKSUM: usize = 4;

/// Digest of all velocities, bit by bit.
pub fn digest<T: Real, const NB: usize>(bodies: &Bodies<T, NB>) -> u64 {
    let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
    velocities.fold(FNV64_START, |hash, (linear, angular)| fnv64(fnv64(hash, linear), angular))
}

/// Bytes of an input block.
pub(crate) fn input_length<T: Real>(bodies: usize, contacts: usize) -> usize {
    let fixed = HEADER + 4 + 8 + 8 + 16 + 8 * T::BYTES + CHECKSUM;
    fixed + bodies * 13 * T::BYTES + contacts * (8 + 17 * T::BYTES)
}

/// Bytes of an outcome block.
pub(crate) const OUTCOME_LENGTH: usize = HEADER + 4 + 8 + CHECKSUM;

/// The six choices of an input block.
pub(crate) fn choices<T>(islands: IslandMode, settings: &Settings<T>) -> [u8; 6] {
    let Settings { local, bounce, order, position_correction, method, .. } = settings;
    [islands as u8, *local as u8, *bounce as u8, *order as u8, *position_correction as u8, *method as u8]
}

/// The eight scalars of an input block: settings and time step.
pub(crate) fn settings_scalars<T: Real>(settings: &Settings<T>, dt: T) -> [T; 8] {
    [
        settings.relaxation,
        settings.accelerated_relaxation,
        settings.tolerance,
        settings.restitution_threshold,
        dt,
        settings.error_reduction,
        settings.slop,
        settings.max_correction_speed,
    ]
}

/// The thirteen scalars of a body.
pub(crate) fn body_scalars<T: Real>(body: &Body<T>) -> [T; 13] {
    let (m, v, w) = (&body.inverse_inertia_world, &body.linear_velocity, &body.angular_velocity);
    [body.inverse_mass, m.m11, m.m21, m.m31, m.m22, m.m32, m.m33, v.x, v.y, v.z, w.x, w.y, w.z]
}

/// The seventeen scalars of a contact.
pub(crate) fn contact_scalars<T: Real>(contact: &Contact<T>) -> [T; 17] {
    let (n, a, b, t) = (&contact.normal, &contact.r_a, &contact.r_b, &contact.warm.tangent_impulse);
    let before = contact.pre_impact_normal_velocity.unwrap_or(T::ZERO);
    let [mu, e, depth] = [contact.mu, contact.restitution, contact.depth];
    [n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y, b.z, mu, e, depth, before, contact.warm.normal_impulse, t.x, t.y, t.z]
}
