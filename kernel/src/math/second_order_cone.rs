//! The second-order cone `z_0 ≥ ‖z_t‖` and its algebra, for interior points.
//!
//! ```text
//! det z = z_0² − ‖z_t‖²,    a∘b = (a·b, a_0 b_t + b_0 a_t)
//! ```
//!
//! For two interior points `z, w` there is one symmetric `Q` that maps the cone onto itself with `Qz = Q⁻¹w = λ`
//! (Nesterov and Todd). With `z̄ = z/√det z`, `w̄` alike, `J = diag(1, −1, −1)`, `γ = √((1 + z̄·w̄)/2)` and
//! `v = (w̄ + J z̄)/(2γ)`:
//!
//! ```text
//! Q = β [ v_0  v_tᵀ ; v_t  I + v_t v_tᵀ/(1 + v_0) ],    Q² = β² (2 v vᵀ − J),    β⁴ = det w / det z
//! ```
use nalgebra::{Matrix3, Vector3};

use crate::math::real::{Real, positive_part, smaller};
use crate::math::vector::{outer, tangent_length};

/// `√det`, 0 outside of the cone.
pub(crate) fn root_of_det<T: Real>(z: &Vector3<T>) -> T {
    let length = tangent_length(z);
    // As a product: the difference of squares would lose digits to cancellation.
    (positive_part(z.x - length) * positive_part(z.x + length)).sqrt_or_zero()
}

/// `a∘b`.
pub(crate) fn jordan<T: Real>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(a.dot(b), a.x * b.y + b.x * a.y, a.x * b.z + b.x * a.z)
}

/// The `x` with `λ∘x = r`.
pub(crate) fn jordan_divided<T: Real>(lambda: &Vector3<T>, r: &Vector3<T>) -> Vector3<T> {
    let root = root_of_det(lambda);
    let first = (lambda.x * r.x - lambda.y * r.y - lambda.z * r.z) / (root * root);
    Vector3::new(first, (r.y - first * lambda.y) / lambda.x, (r.z - first * lambda.z) / lambda.x)
}

/// The scaling of two interior points.
pub(crate) struct Scaling<T> {
    v: Vector3<T>,
    beta: T,
}

impl<T: Real> Scaling<T> {
    /// None where a point is not inside.
    pub fn new(z: &Vector3<T>, w: &Vector3<T>) -> Option<Self> {
        let (det_z, det_w) = (root_of_det(z), root_of_det(w));
        let (z, w) = (z / det_z, w / det_w);
        let gamma = ((T::ONE + z.dot(&w)) * T::HALF).sqrt_or_zero();
        let v = Vector3::new(w.x + z.x, w.y - z.y, w.z - z.z) / (gamma + gamma);
        let beta = (det_w / det_z).sqrt_or_zero();
        let valid = beta > T::ZERO && beta.is_finite() && v.iter().all(|part| part.is_finite());
        valid.then_some(Scaling { v, beta })
    }

    /// `Q`.
    pub fn matrix(&self) -> Matrix3<T> {
        Self::boost(&self.v) * self.beta
    }

    /// `Q⁻¹`.
    pub fn inverse(&self) -> Matrix3<T> {
        Self::boost(&Vector3::new(self.v.x, -self.v.y, -self.v.z)) / self.beta
    }

    /// `Q²`.
    pub fn square(&self) -> Matrix3<T> {
        let mut m = outer(&self.v) * T::lit(2.0);
        m.m11 -= T::ONE;
        m.m22 += T::ONE;
        m.m33 += T::ONE;
        m * (self.beta * self.beta)
    }

    fn boost(v: &Vector3<T>) -> Matrix3<T> {
        let s = T::ONE / (T::ONE + v.x);
        Matrix3::new(
            v.x,
            v.y,
            v.z, //
            v.y,
            T::ONE + v.y * v.y * s,
            v.y * v.z * s, //
            v.z,
            v.y * v.z * s,
            T::ONE + v.z * v.z * s,
        )
    }
}

/// The largest `α ≤ limit` for which `z + α step` stays in the cone; `z` is an interior point.
pub(crate) fn step_to_border<T: Real>(z: &Vector3<T>, step: &Vector3<T>, limit: T) -> T {
    let dot = |a: &Vector3<T>, b: &Vector3<T>| a.x * b.x - a.y * b.y - a.z * b.z;
    let root = root_of_det(z);
    // det(z + α step) = a α² + 2 b α + c.
    let (a, b, c) = (dot(step, step), dot(z, step), root * root);
    let discriminant = b * b - a * c;
    let mut max = limit;
    if discriminant >= T::ZERO {
        let r = discriminant.sqrt_or_zero();
        // The roots are c/(−b ± r), which cannot cancel for the sign that matters.
        for below in [r - b, -b - r] {
            if below > T::ZERO {
                max = smaller(max, c / below);
            }
        }
    }
    if step.x < T::ZERO {
        max = smaller(max, -z.x / step.x);
    }
    max
}

/// The smaller eigenvalue of the product of two interior points: `λ_−²`.
pub(crate) fn min_product<T: Real>(z: &Vector3<T>, w: &Vector3<T>) -> T {
    let (sum, root) = (z.dot(w), root_of_det(z) * root_of_det(w));
    let spread = positive_part(sum - root) * (sum + root);
    root * root / (sum + spread.sqrt_or_zero())
}
