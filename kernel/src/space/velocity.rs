//! Velocities of bodies as sweeps hold them.
use nalgebra::Vector3;

use crate::math::ldlt3::{Energy, Ldlt3};
use crate::math::real::Real;
use crate::math::vector::is_zero;
use crate::problem::bodies::Bodies;
use crate::problem::body::energy_of;
use crate::problem::contact_rows::Element;

pub(crate) use crate::math::velocity::Velocity;

impl<T: Real> Element for Velocity<T> {
    const PLAIN: Self = Velocity::ZERO;
}

/// Not inlined: its loop would be unrolled.
#[inline(never)]
fn load_velocity<T: Real>(slot: &mut Velocity<T>, linear: &Vector3<T>, angular: &Vector3<T>) {
    *slot = Velocity::new(linear, angular);
}

/// Copies the bodies' velocities into a solve's scratch.
pub(crate) fn load_velocities<T: Real, const NB: usize>(bodies: &Bodies<T, NB>, out: &mut [Velocity<T>; NB]) {
    for ((slot, linear), angular) in out.iter_mut().zip(bodies.linear_velocities()).zip(bodies.angular_velocities()) {
        load_velocity(slot, linear, angular);
    }
}

/// Copies a body's velocity, or rest. Not inlined on boards: loops would be unrolled.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn copy_velocity<T: Real>(from: Option<&[Velocity<T>]>, to: &mut [Velocity<T>], body: usize) {
    if let Some(slot) = to.get_mut(body) {
        *slot = from.and_then(|from| from.get(body)).copied().unwrap_or(Velocity::ZERO);
    }
}

/// Copies the velocities of some bodies.
#[inline(never)]
pub(crate) fn copy_velocities<T: Real, const NB: usize>(
    members: &[u16],
    from: &[Velocity<T>; NB],
    to: &mut [Velocity<T>; NB],
) {
    for index in members.iter().map(|index| usize::from(*index)) {
        copy_velocity(Some(from), to, index);
    }
}

/// The part of a body's velocity that no impulse can change. Taken from the input, not from the velocity after the
/// bounce, whose change is only rounding.
#[inline(never)]
pub(crate) fn unchangeable<T: Real, const NB: usize>(bodies: &Bodies<T, NB>, index: usize) -> Velocity<T> {
    let Some((inverse_mass, inverse_inertia)) = bodies.mass_properties(index) else { return Velocity::ZERO };
    let Some((linear, angular)) = bodies.linear_velocities().get(index).zip(bodies.angular_velocities().get(index))
    else {
        return Velocity::ZERO;
    };
    let linear = if inverse_mass > T::ZERO { Vector3::zeros() } else { *linear };
    Velocity::new(&linear, &Ldlt3::new(inverse_inertia).unchangeable(angular))
}

/// Whether some body has a velocity that no impulse can change.
pub(crate) fn is_driven<T: Real, const NB: usize>(bodies: &Bodies<T, NB>) -> bool {
    let mut driven = false;
    for (index, (linear, angular)) in bodies.linear_velocities().iter().zip(bodies.angular_velocities()).enumerate() {
        // Fast path: a movable body without spin, or an immovable body at rest, needs no factor.
        let free = is_zero(angular) && (bodies.is_movable(index) || is_zero(linear));
        driven |= !free && !unchangeable(bodies, index).is_zero();
    }
    driven
}

/// Kinetic energy of some bodies at the given velocities.
#[inline(never)]
pub(crate) fn kinetic_energy<T: Real, const NB: usize>(
    bodies: &Bodies<T, NB>,
    members: &[u16],
    velocity: &[Velocity<T>; NB],
) -> Energy<T> {
    let mut total = Energy { value: T::ZERO, uncertainty: T::ZERO };
    for index in members.iter().map(|index| usize::from(*index)) {
        let (Some((inverse_mass, inverse_inertia)), Some(v)) = (bodies.mass_properties(index), velocity.get(index))
        else {
            break;
        };
        let energy = energy_of(inverse_mass, inverse_inertia, &v.linear(), &v.angular());
        total.value += energy.value;
        total.uncertainty += energy.uncertainty;
    }
    total
}
