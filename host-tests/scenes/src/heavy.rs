//! Four boxes on each other, the top one a thousand times heavier, after gravity acted for a sixtieth of a second.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, InputError, Real};

/// The ground and four boxes.
pub const BODIES: usize = 5;
/// Four corners each.
pub const CONTACTS: usize = 16;
/// Enough for any island of sixteen contacts.
pub const SLOTS: usize = 136;

/// Replaces the bodies and contacts by them.
pub fn heavy_stack<T: Real>(
    bodies: &mut Bodies<T, BODIES>,
    contacts: &mut Contacts<T, CONTACTS>,
) -> Result<(), InputError<T>> {
    bodies.clear();
    contacts.clear();
    let mut below = bodies.push(Body::fixed())?;
    let side = T::HALF;
    for number in 1..BODIES {
        let inverse_mass = if number + 1 == BODIES { T::lit(1e-3) } else { T::ONE };
        let linear = Vector3::new(T::ZERO, T::ZERO, T::lit(-9.81 / 60.0));
        let inverse_inertia = Matrix3::identity() * (T::lit(6.0) * inverse_mass);
        let body =
            bodies.push(Body { linear_velocity: linear, ..Body::from_inverse(inverse_mass, inverse_inertia) })?;
        for (x, y) in [(-side, -side), (side, -side), (-side, side), (side, side)] {
            let (on_lower, on_upper) = (Vector3::new(x, y, side), Vector3::new(x, y, -side));
            contacts.push(Contact::new(below, body, Vector3::z(), on_lower, on_upper, T::HALF))?;
        }
        below = body;
    }
    Ok(())
}
