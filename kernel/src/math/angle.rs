//! The angle of a rotation about an axis, without trigonometry of the platform: square roots and a short series.
//!
//! A rotation by `φ` has the quaternion `(cos φ/2, sin φ/2)`. With `t = tan(φ/4) = s/(w + √(w² + s²))`, which is never
//! above 1, and `tan(x/2) = t/(1 + √(1 + t²))` three times, `|tan(φ/32)| < 0.1`, where nine terms of the series of the
//! arc tangent are enough.
use crate::math::real::Real;

/// Terms of the series.
const TERMS: i16 = 9;

/// The angle in `−π..=π` of a rotation whose quaternion has `w` and, along the axis, `s`, of any common length.
pub(crate) fn angle_of<T: Real>(w: T, s: T) -> T {
    let (w, s) = if w < T::ZERO { (-w, -s) } else { (w, s) };
    let length = (w * w + s * s).sqrt_or_zero();
    if !(length > T::ZERO) {
        return T::ZERO;
    }
    let mut t = s / (w + length);
    for _ in 0..3 {
        t /= T::ONE + (T::ONE + t * t).sqrt_or_zero();
    }
    let square = t * t;
    let mut sum = T::ZERO;
    for k in (0..TERMS).rev() {
        sum = T::ONE / T::integer(2 * k + 1) - square * sum;
    }
    T::integer(32) * t * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::real::{larger, smaller};

    #[test]
    fn angles_are_those_of_the_arc_tangent() {
        let (mut worst, mut worst_f32) = (0.0_f64, 0.0_f64);
        for k in -4000..=4000 {
            let angle = f64::from(k) * core::f64::consts::PI / 4000.0;
            let (s, w) = ((angle / 2.0).sin(), (angle / 2.0).cos());
            let expected = 2.0 * s.atan2(w);
            worst = larger(worst, (angle_of(w, s) - expected).abs());
            let (w32, s32) = (w as f32, s as f32);
            let rounded = 2.0 * f64::from(s32).atan2(f64::from(w32));
            let difference = (f64::from(angle_of(w32, s32)) - rounded).abs();
            // Half a revolution has two names.
            worst_f32 = larger(worst_f32, smaller(difference, (difference - 2.0 * core::f64::consts::PI).abs()));
            // The other quaternion of the same rotation, and another length.
            assert_eq!(angle_of(-w, -s), angle_of(w, s));
            assert!((angle_of(2.0 * w, 2.0 * s) - expected).abs() < 4e-15);
        }
        // Four roundings of the largest angle, π.
        let allowed = |epsilon: f64| 4.0 * epsilon * core::f64::consts::PI;
        assert!(worst < allowed(f64::EPSILON) && worst_f32 < allowed(f64::from(f32::EPSILON)), "{worst} {worst_f32}");
        assert_eq!(angle_of(0.0, 0.0), 0.0);
    }
}
