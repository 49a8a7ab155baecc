//! The bytes of recorded solves and steps, which a controller dumps and a host computes again. Little-endian
//! throughout; everything is a multiple of four bytes.
//!
//! A dump is a sequence of blocks. Every block:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `STFR` |
//! | 1 | version: [`VERSION`], plus 1 with friction beyond sliding, plus 2 with joints |
//! | 1 | kind: 1 input of a solve, 2 outcome, 3 input of a step |
//! | 1 | bytes of a scalar `s`: 4 or 8 |
//! | 1 | 0 |
//! | 4 | length of the block, from its first byte to its last |
//! | 4 | number of the solve or step; its input and its outcome have the same |
//! | … | data, by kind |
//! | 4 | checksum of all words of the block before this: for each, `c ← rotate(16777619 (c ⊕ word), 13)` |
//!
//! *Settings*, in every input:
//!
//! | bytes | content |
//! |---|---|
//! | 4, 4 | contacts and blocks of the memory for direct methods; 0, 0 without |
//! | 1, 1, 1 | islands (0 together, 1 separate), local rule, bounce: each in the order of its type's variants |
//! | 1, 1, 1 | order, position correction, method: likewise |
//! | 2 | 0 |
//! | 4 × 4 | sweeps, minimal sweeps, normal sweeps, factorisations |
//! | 4 s | relaxation, accelerated relaxation, tolerance, restitution threshold |
//! | 4 s | dt, error reduction, slop, maximal correction speed |
//!
//! *Input of a solve*, written before it:
//!
//! | bytes | content |
//! |---|---|
//! | 2, 2 | bodies, contacts |
//! | | settings |
//! | 13 s a body | inverse mass, inverse inertia (xx, yx, zx, yy, zy, zz), linear and angular velocity |
//! | 8 + 17 s a contact | a, b (2 each), 1 if a velocity before impact was recorded, 3 × 0; 17 scalars |
//!
//! The scalars of a contact are normal, r_a, r_b, μ, restitution, depth, the velocity before impact or 0, and the warm
//! start's normal and tangent impulse.
//!
//! *Input of a step*, written when its contacts are known:
//!
//! | bytes | content |
//! |---|---|
//! | 2, 2, 2, 2 | bodies, manifolds, points, steps modulo 8 |
//! | 4, 2, 2 | contacts that did not fit, that were warm-started, that kept their rows |
//! | | settings |
//! | 4, 4 | substeps, blocks of memory for the kept factor |
//! | 5 s | gravity, contact margin, cache cell |
//! | 28 s a body | as in a solve, with the inertia in body axes, and position, orientation (x, y, z, w), force, torque, μ, restitution |
//! | 24 + 17 s a manifold | a, b, points, flags: 1 at rest, 2 converges slowly, 4 has memory for a factor, 8 for a stiff one, 16 it is made (2 each), digests of the two masses (8 each); normal, orientations of a and b, offset, extent, μ, restitution |
//! | 8 + 11 s a point, after its manifold | 1 with a feature and 0 without, plus 2 if open, 4 if it sticks, 6 if it slides, plus 256 for each step that it has slid; feature; anchors in a and b, depth, depth when built, impulse (normal, tangents) |
//!
//! *Outcome*, written after it, so that an input without one never returned, or was rejected:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | the call of `should_stop`, counted from 1, that first returned true; 0 for none |
//! | 8 | FNV-1a (64 bit, over words) of all linear and angular velocities, body by body; of a step, of position, orientation and both velocities |
//!
//! *Friction beyond sliding*. Where contacts of a solve have some, its blocks have version 7, which readers of version 6
//! alone reject. Where none has, they have version 6, whatever rows the program has. Its input has two parts more:
//!
//! | bytes | content |
//! |---|---|
//! | 4, after the numbers of bodies and contacts | contacts that have some, at least 1 |
//! | 4 + 9 s each, after the contacts | the contact (2), 1 with a tread plus 2 if sliding and torsion share a bound (2); torsion, rolling, direction and μ across it or 0, warm moment |
//!
//! They have the order of their contacts. The digest of the outcome goes on after the velocities, with the moment of
//! each of them (3 s) and a word for the bounds that it has reached: 1 sliding, plus 2 spinning, plus 4 rolling. The
//! input of a step has the same two parts, after its counts and at its end, for its points; the digest of a step is
//! that of its world.
//!
//! A recorder for contacts of three rows does not write such a solve; it counts as dropped.
//!
//! *Joints*. The blocks of a step with joints have a version that is larger by 2. Its input has two parts more, each
//! after the one of friction beyond sliding if it has that:
//!
//! | bytes | content |
//! |---|---|
//! | 4, after the counts | joints, at least 1 |
//! | 8 + 30 s each, at the end | bodies a, b (2 each); kind, flags (1 each), 0 (2); 30 scalars |
//!
//! Kinds are 0 ball, 1 hinge, 2 slider, 3 fixed, 4 distance, 5 rope, 6 spring. Flags are 1 if the bodies may touch, 2
//! with limits, 4 with a motor, 8 if it pulls to a position, 16 with a spring on the axis, 32 if a limit held. The
//! scalars are anchors in a and b, axis, orientation at position 0 (x, y, z, w); limits, or a length and 0; the motor's
//! target, stiffness, damping and strength; friction; the spring's rest position, stiffness, damping; impulse, angular
//! impulse and position of the step before. What a joint does not have is 0. The digest of a step is that of its world.
//!
//! A recorder without joints does not write such a step; it counts as dropped.
//!
//! Solves and steps depend only on their input (and on that call), so computing a block again must give the digest of
//! its outcome, on any machine.
use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::body::Body;
use crate::problem::conditions::IslandMode;
use crate::problem::contact::Contact;
use crate::problem::kept::{FactorState, Hold, IslandState, KeptManifold, KeptPoint};
use crate::problem::point_id::PointId;
use crate::problem::rigid_body::RigidBody;
use crate::problem::settings::Settings;
use crate::problem::step_settings::StepSettings;
use crate::record::bytes::{FNV64_START, fnv64};

/// Version of the format that is written and read.
pub const VERSION: u8 = 6;
/// What it is larger by where contacts have friction beyond sliding.
pub(crate) const WITH_SURFACES: u8 = 1;
/// What it is larger by where there are joints.
pub(crate) const WITH_JOINTS: u8 = 2;

pub(crate) const MAGIC: [u8; 4] = *b"STFR";
pub(crate) const INPUT: u8 = 1;
pub(crate) const OUTCOME: u8 = 2;
pub(crate) const STEP: u8 = 3;
/// Bytes of a block before and after its content.
pub(crate) const HEADER: usize = 16;
pub(crate) const CHECKSUM: usize = 4;

/// Digest of all velocities, bit by bit.
pub fn digest<T: Real, const NB: usize>(bodies: &Bodies<T, NB>) -> u64 {
    let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
    velocities.fold(FNV64_START, |hash, (linear, angular)| fnv64(fnv64(hash, linear.as_slice()), angular.as_slice()))
}

/// Bytes of an input block.
pub(crate) fn input_length<T: Real>(bodies: usize, contacts: usize) -> usize {
    let fixed = HEADER + 4 + 8 + 8 + 16 + 8 * T::BYTES + CHECKSUM;
    fixed + bodies * 13 * T::BYTES + contacts * contact_length::<T>()
}

/// Bytes of a contact in it.
pub(crate) fn contact_length<T: Real>() -> usize {
    8 + 17 * T::BYTES
}

/// Bytes of the input block of a step.
pub(crate) fn step_length<T: Real>(bodies: usize, manifolds: usize, points: usize) -> usize {
    let fixed = HEADER + 8 + 8 + 8 + 8 + 16 + 8 + (8 + 5) * T::BYTES + CHECKSUM;
    fixed + bodies * 28 * T::BYTES + manifolds * (24 + 17 * T::BYTES) + points * (8 + 11 * T::BYTES)
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

/// The scalars of a step's settings beside those of its solves.
pub(crate) fn step_scalars<T: Real>(settings: &StepSettings<T>) -> [T; 5] {
    let g = &settings.gravity;
    [g.x, g.y, g.z, settings.contact_margin, settings.cache_cell]
}

/// The twenty-eight scalars of a body of a step, in two parts.
pub(crate) fn rigid_body_scalars<T: Real>(body: &RigidBody<T>) -> ([T; 13], [T; 15]) {
    let own = Body {
        inverse_mass: body.inverse_mass,
        inverse_inertia_world: body.inverse_inertia_body,
        linear_velocity: body.linear_velocity,
        angular_velocity: body.angular_velocity,
    };
    let (p, q) = (&body.position, &body.orientation.quaternion().coords);
    let (f, t, m) = (&body.load.force, &body.load.torque, &body.material);
    let pose = [p.x, p.y, p.z, q.x, q.y, q.z, q.w, f.x, f.y, f.z, t.x, t.y, t.z, m.mu, m.restitution];
    (body_scalars(&own), pose)
}

/// The seventeen scalars of a manifold.
pub(crate) fn manifold_scalars<T: Real>(manifold: &KeptManifold<T>) -> [T; 17] {
    let (n, o, m) = (&manifold.normal, &manifold.offset, &manifold.material);
    let (a, b) = (&manifold.orientation_a.quaternion().coords, &manifold.orientation_b.quaternion().coords);
    let [extent, mu, e] = [manifold.extent, m.mu, m.restitution];
    [n.x, n.y, n.z, a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, o.x, o.y, o.z, extent, mu, e]
}

/// The words of a manifold: bodies, number of points, digests of the masses.
pub(crate) fn manifold_words<T: Real>(manifold: &KeptManifold<T>) -> [u32; 6] {
    let KeptManifold { a, b, count, island, masses: [one, other], .. } = manifold;
    let IslandState { rested, converges_slowly, factor, stiff } = *island;
    let flags = [rested, converges_slowly, factor != FactorState::None, stiff, factor == FactorState::Made];
    let flags = flags.iter().rev().fold(0, |bits, flag| (bits << 1) | u32::from(*flag));
    let bodies = u32::from(*a) | (u32::from(*b) << 16);
    [bodies, u32::from(*count) | (flags << 16), *one as u32, (*one >> 32) as u32, *other as u32, (*other >> 32) as u32]
}

/// The eleven scalars of a manifold's point.
pub(crate) fn point_scalars<T: Real>(point: &KeptPoint<T>) -> [T; 11] {
    let (a, b, x) = (&point.anchor_a, &point.anchor_b, &point.impulse);
    [a.x, a.y, a.z, b.x, b.y, b.z, point.depth, point.depth_built, x.x, x.y, x.z]
}

/// The words of a point: what kind of identity it has and how it is held, and its feature.
pub(crate) fn point_words<T: Real>(point: &KeptPoint<T>) -> [u32; 2] {
    let hold = match point.hold {
        Hold::Unknown => 0,
        Hold::Open => 1,
        Hold::Sticks => 2,
        Hold::Slides => 3,
    };
    let state = (hold << 1) | (u32::from(point.sliding) << 8);
    match point.id {
        PointId::Feature(feature) => [1 | state, feature],
        PointId::Proximity => [state, 0],
    }
}
