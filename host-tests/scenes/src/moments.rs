//! Four rods on one another, each on two feet that resist twisting or rolling, after gravity acted for a sixtieth of a
//! second.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, InputError, Real, SixRows, Surface};

/// The ground and four rods.
pub const BODIES: usize = 5;
/// Two feet each.
pub const CONTACTS: usize = 8;
/// Every contact takes two places.
pub const PLACES: usize = 2 * CONTACTS;

/// Torsion and rolling radius, m, of feet that slide.
pub const SLIDING: f64 = 0.05;
/// The same of feet that hold everything: more than the rods' half length.
pub const HOLDING: f64 = 2.0;

/// A surface with this radius by the number of rows that contacts have: 4, 5 or 6.
pub fn surface<T: Real>(rows: usize, radius: f64) -> Surface<T> {
    let radius = |has: bool| if has { T::lit(radius) } else { T::ZERO };
    Surface { torsion: radius(rows != 5), rolling: radius(rows != 4), ..Surface::default() }
}

/// Replaces the bodies and contacts by them. Each rod is faster sideways than the one below by `speed`, and spins.
pub fn rods<T: Real>(
    bodies: &mut Bodies<T, BODIES>,
    contacts: &mut Contacts<T, PLACES, SixRows>,
    speed: T,
    surface: Surface<T>,
) -> Result<(), InputError<T>> {
    bodies.clear();
    contacts.clear();
    let mut below = bodies.push(Body::fixed())?;
    let mut faster = speed;
    for _ in 1..BODIES {
        let rod = bodies.push(Body {
            linear_velocity: Vector3::new(faster, T::HALF * faster, T::lit(-9.81 / 60.0)),
            angular_velocity: Vector3::new(T::ZERO, T::ZERO, T::lit(0.2) * faster),
            ..Body::from_inverse(T::ONE, Matrix3::identity() * T::lit(6.0))
        })?;
        for x in [-T::HALF, T::HALF] {
            let (on_lower, on_upper) =
                (Vector3::new(x, T::ZERO, T::lit(0.25)), Vector3::new(x, T::ZERO, T::lit(-0.25)));
            contacts.push_on(Contact::new(below, rod, Vector3::z(), on_lower, on_upper, T::lit(0.6)), surface)?;
        }
        below = rod;
        faster += speed;
    }
    Ok(())
}
