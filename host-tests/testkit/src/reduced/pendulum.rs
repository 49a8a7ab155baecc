//! One pendulum in closed form.
//!
//! `θ̈ = −ω² sin θ`, where `ω² = g/l` for a point at length `l`, and `ω² = m g d/I` for a body with moment of inertia `I`
//! about its pivot and its centre of mass at distance `d`. Released at rest from amplitude `α`, with `k = sin(α/2)`:
//!
//! * the period is `4 K(k)/ω`, and the complete elliptic integral is `K(k) = π/(2 agm(1, cos(α/2)))` (Gauss);
//! * the angle is `θ(t) = 2 asin(k cd(ω t, k))` with Jacobi's function `cd = cn/dn`, which the descending Landen
//!   transformation gives from the same means (Abramowitz and Stegun 16.4).

use std::f64::consts::TAU;

/// Means after which nothing changes any more: the number of digits doubles with each.
const MEANS: usize = 12;

/// The means `aₙ` and the half differences `cₙ` from `a₀ = 1`, `b₀`.
fn means(b: f64) -> ([f64; MEANS], [f64; MEANS]) {
    let (mut a, mut c) = ([1.0; MEANS], [0.0; MEANS]);
    let mut b = b;
    for n in 1..MEANS {
        c[n] = 0.5 * (a[n - 1] - b);
        a[n] = 0.5 * (a[n - 1] + b);
        b = (a[n - 1] * b).sqrt();
    }
    (a, c)
}

/// The period in s of a body that swings with amplitude `amplitude` in rad, below π. `frequency` is `√(m g d/I)` in
/// rad/s, the angular frequency of small swings.
pub fn physical_pendulum_period(frequency: f64, amplitude: f64) -> f64 {
    let (a, _) = means((0.5 * amplitude).cos());
    TAU / (frequency * a[MEANS - 1])
}

/// The period in s of a point at `length` m under `gravity` m/s² that swings with amplitude `amplitude` in rad, below π.
pub fn pendulum_period(length: f64, gravity: f64, amplitude: f64) -> f64 {
    physical_pendulum_period((gravity / length).sqrt(), amplitude)
}

/// The angle in rad at `time` s of a body that was released at rest from `amplitude` in rad, below π. `frequency` is as
/// in [`physical_pendulum_period`].
pub fn pendulum_angle(frequency: f64, amplitude: f64, time: f64) -> f64 {
    let (k, rest) = (0.5 * amplitude).sin_cos();
    let (a, c) = means(rest);
    let mut phase = frequency * time * a[MEANS - 1] * (1_u32 << (MEANS - 1)) as f64;
    for n in (1..MEANS).rev() {
        phase = 0.5 * (phase + (c[n] / a[n] * phase.sin()).asin());
    }
    let cn = phase.cos();
    2.0 * (k * cn / (rest * rest + k * k * cn * cn).sqrt()).asin()
}
