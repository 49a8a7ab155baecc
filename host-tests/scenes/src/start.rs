//! Where worlds begin of which there are many: a few numbers move a scene from where its script begins.

use nalgebra::Vector3;
use stiction::{ContactRows, InputError, Real, World};

/// Numbers that a world begins with: metres above where its script begins; linear velocity, m/s; angular velocity about the
/// centre of the trunk, rad/s. With zeros it is the world of its script.
pub const START: usize = 7;

/// Where the world with a number begins: 0 is that of its script, others are up to 10 cm higher, with velocities up to 0.3 m/s and
/// 0.5 rad/s along each axis, as if at random.
pub fn start_of(number: u64) -> [f32; START] {
    let most = [0.1, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5];
    core::array::from_fn(|k| {
        // 24 bits, which `f32` has.
        let fraction = (mixed(number * START as u64 + k as u64) >> 40) as f32 / (1 << 24) as f32;
        match (number, k) {
            (0, _) => 0.0,
            (_, 0) => most[0] * fraction,
            _ => most[k] * (fraction * 2.0 - 1.0),
        }
    })
}

/// Bits that look random: the finalizer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Moves a body of a world as a part of a rigid whole: up, and with its velocities about a centre. A point, whose inverse inertia
/// is 0, does not turn.
pub(crate) fn perturb<T: Real, const NB: usize, R: ContactRows>(
    world: &mut World<T, NB, R>,
    body: usize,
    center: &Vector3<T>,
    start: &[T; START],
) -> Result<(), InputError<T>> {
    let Some(mut state) = world.get(body) else { return Ok(()) };
    let [up, x, y, z, turn_x, turn_y, turn_z] = *start;
    let angular = Vector3::new(turn_x, turn_y, turn_z);
    state.linear_velocity += Vector3::new(x, y, z) + angular.cross(&(state.position - center));
    state.position.z += up;
    if state.inverse_inertia_body.iter().any(|number| *number != T::ZERO) {
        state.angular_velocity += angular;
    }
    world.set(body, state)
}
