//! Coulomb's law, evaluated in double precision and written independently of the kernel.

use nalgebra::{Matrix3, Vector3};

/// Nearest point of `{ x : x_n ≥ 0, ‖x_t‖ ≤ μ (x_n + p) }`: the foot on the rim where that is admissible, else on the
/// edge.
///
/// Not the nearer of the two by distance: just above the edge their distances differ by less than rounding.
pub fn project(x: &Vector3<f64>, mu: f64, preload: f64) -> Vector3<f64> {
    let t = x.y.hypot(x.z);
    let at = |n: f64, radius: f64| {
        let s = if t > 0.0 { radius / t } else { 0.0 };
        Vector3::new(n, x.y * s, x.z * s)
    };
    let inside = |n: f64, r: f64| n >= 0.0 && r <= mu * (n + preload) * (1.0 + 1e-15) + 1e-300;
    if inside(x.x, t) {
        return *x;
    }
    let rim = (x.x + mu * (t - mu * preload)) / (1.0 + mu * mu);
    if rim > 0.0 { at(rim, mu * (rim + preload)) } else { at(0.0, t.min(mu * preload)) }
}

/// Natural map of one contact at `rho`.
pub fn natural_map(x: &Vector3<f64>, u: &Vector3<f64>, mu: f64, preload: f64, rho: f64) -> Vector3<f64> {
    let shifted = Vector3::new(u.x + mu * u.y.hypot(u.z), u.y, u.z);
    x - project(&(x - shifted * rho), mu, preload)
}

/// Violation of the one-contact problem in velocity units: `d·natural_map` at `ρ = 1/d`, `d = tr K/3`.
pub fn violation(k: &Matrix3<f64>, free: &Vector3<f64>, x: &Vector3<f64>, mu: f64, preload: f64) -> f64 {
    let d = k.trace() / 3.0;
    natural_map(x, &(free + k * x), mu, preload, 1.0 / d).norm() * d
}

/// Ratio of the largest to the smallest eigenvalue of a symmetric matrix.
pub fn condition(k: &Matrix3<f64>) -> f64 {
    let eigenvalues = k.symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}
