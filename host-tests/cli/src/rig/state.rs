//! The states of bodies as bytes: scalars of a precision, little-endian.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::scene::Scene;
use super::world::BodyState;

/// The scalars of a body after a step; the last six are those after a solve.
pub(super) const STATE: [&str; 13] = [
    "position.x",
    "position.y",
    "position.z",
    "orientation.x",
    "orientation.y",
    "orientation.z",
    "orientation.w",
    "linear.x",
    "linear.y",
    "linear.z",
    "angular.x",
    "angular.y",
    "angular.z",
];

/// The first bit that differs: a scalar of a body, by its name. A scalar has so many bytes, and a body these scalars.
pub(super) fn first_difference(
    recorded: &[u8],
    computed: &[u8],
    (bytes, parts): &(usize, &'static [&'static str]),
    name: &dyn Fn(usize) -> String,
) -> Option<String> {
    if recorded.len() != computed.len() {
        return Some("the number of velocities".into());
    }
    let pairs = recorded.chunks(*bytes).zip(computed.chunks(*bytes));
    let (at, (then, now)) = pairs.enumerate().find(|(_, (then, now))| then != now)?;
    let bit = then.iter().zip(now).enumerate().find_map(|(byte, (a, b))| {
        let difference = a ^ b;
        (difference != 0).then(|| 8 * byte + difference.trailing_zeros() as usize)
    })?;
    let (part, body) = (parts[at % parts.len()], at / parts.len());
    Some(format!("{part} of {}, bit {bit}", name(body)))
}

/// Bodies as the scene sees them, from the 13 scalars of each; the immovable one that joints have is none of them.
/// Without a scene, all bodies, with the positions of centres of mass.
pub fn bodies(scene: &Scene, states: &[u8], scalar_bytes: usize) -> Vec<BodyState> {
    let scalars: Vec<f64> = states.chunks_exact(scalar_bytes).map(scalar).collect();
    let of = |(body, s): (usize, &[f64])| {
        let solid = scene.bodies.get(body).and_then(|entry| entry.solid().ok());
        let centre = solid.map_or_else(Vector3::zeros, |solid| solid.center);
        let orientation = UnitQuaternion::new_unchecked(Quaternion::new(s[6], s[3], s[4], s[5]));
        BodyState {
            position: Vector3::new(s[0], s[1], s[2]) + orientation * -centre,
            orientation,
            linear: Vector3::new(s[7], s[8], s[9]),
            angular: Vector3::new(s[10], s[11], s[12]),
        }
    };
    let most = if scene.bodies.is_empty() { usize::MAX } else { scene.bodies.len() };
    scalars.chunks_exact(STATE.len()).take(most).enumerate().map(of).collect()
}

fn scalar(bytes: &[u8]) -> f64 {
    match bytes.try_into() {
        Ok(single) => f64::from(f32::from_le_bytes(single)),
        Err(_) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
    }
}
