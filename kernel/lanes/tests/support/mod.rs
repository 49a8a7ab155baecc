//! What tests of several kinds of lanes share.
use nalgebra::{Matrix3, Vector3};
use stiction::Real;
use stiction_testkit::rng::Rng;

/// A vector in the scalar of a test.
pub fn vector<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::lit)
}

/// An inertia of any shape: of a solid, of a rod, of a point.
pub fn inverse_inertia(rng: &mut Rng, inverse_mass: f64) -> Matrix3<f64> {
    let (rotation, size) = (rng.rotation(), rng.log_range(1e-2, 1e2));
    let by = |rng: &mut Rng| if rng.chance(0.1) { 0.0 } else { inverse_mass / size * rng.log_range(0.1, 10.0) };
    let diagonal = Vector3::new(by(rng), by(rng), by(rng));
    let inertia = rotation * Matrix3::from_diagonal(&diagonal) * rotation.transpose();
    (inertia + inertia.transpose()) * 0.5
}
