//! Ordinary differential equations to rounding, by Gragg's extrapolation.
//!
//! The explicit midpoint rule `z₁ = z₀ + h f(z₀)`, `zₘ₊₁ = zₘ₋₁ + 2 h f(zₘ)` with an even number `n` of substeps
//! `h = H/n` has an error with only even powers of `h`. So the results of `n = 2, 4, …, 2k` are values of a polynomial
//! in `h²`. Neville's scheme extrapolates it to `h = 0` and leaves an error of order `2k`. The method is an explicit
//! Runge–Kutta method, but no coefficient is taken from a table.

use nalgebra::DVector;

/// Rates of change of a state, per second.
pub type Rates<'a> = &'a dyn Fn(&DVector<f64>) -> DVector<f64>;

/// How [`advanced`] integrates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Columns of the extrapolation, two or more: half the order.
    pub columns: usize,
    /// Bound of the estimated error of one step, relative to `1 + |state|`. The estimate is the error of the last column
    /// but one; the error of the result is smaller.
    pub tolerance: f64,
}

impl Accuracy {
    /// Order 16, to rounding.
    pub const FINE: Self = Accuracy { columns: 8, tolerance: 1e-13 };
    /// Another method with other steps, almost as accurate: how far its result is from that of [`Self::FINE`] says how
    /// far both can be trusted.
    pub const OTHER: Self = Accuracy { columns: 7, tolerance: 3e-13 };
}

/// Steps of [`advanced`] before it gives up.
const MOST_STEPS: usize = 10_000_000;

/// The midpoint rule over `step` seconds with so many substeps.
fn midpoint(rates: Rates, state: &DVector<f64>, step: f64, substeps: usize) -> DVector<f64> {
    let h = step / substeps as f64;
    let (mut before, mut now) = (state.clone(), state + rates(state) * h);
    for _ in 1..substeps {
        before += rates(&now) * (2.0 * h);
        std::mem::swap(&mut before, &mut now);
    }
    now
}

/// One step of `step` seconds with so many columns: the new state, and the estimated error of its worst component,
/// relative to `1 + |state|`. The order is twice the number of columns.
pub fn step(rates: Rates, state: &DVector<f64>, step: f64, columns: usize) -> (DVector<f64>, f64) {
    let mut row: Vec<DVector<f64>> = Vec::new();
    for j in 1..=columns {
        let mut next = vec![midpoint(rates, state, step, 2 * j)];
        for (k, above) in row.iter().enumerate() {
            let ratio = j as f64 / (j - k - 1) as f64;
            let gain = (&next[k] - above) / (ratio * ratio - 1.0);
            next.push(&next[k] + gain);
        }
        row = next;
    }
    let result = row.pop().expect("one column or more");
    let error = row.last().map_or(f64::INFINITY, |lower| {
        let parts = result.iter().zip(lower.iter());
        parts.map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max)
    });
    (result, error)
}

/// The state after `time` seconds in so many equal steps.
pub fn equal_steps(rates: Rates, state: &DVector<f64>, time: f64, steps: usize, columns: usize) -> DVector<f64> {
    (0..steps).fold(state.clone(), |state, _| step(rates, &state, time / steps as f64, columns).0)
}

/// The state after `time` seconds in steps of the length that `accuracy` allows.
///
/// # Panics
/// When the state is not finite, or after ten million steps.
pub fn advanced(rates: Rates, state: &DVector<f64>, time: f64, accuracy: Accuracy) -> DVector<f64> {
    let Accuracy { columns, tolerance } = accuracy;
    let (mut now, mut state, mut length) = (0.0, state.clone(), 0.01_f64.min(time));
    for _ in 0..MOST_STEPS {
        let left = time - now;
        if left <= 0.0 {
            return state;
        }
        let taken = length.min(left);
        let (next, error) = step(rates, &state, taken, columns);
        let wanted = 0.9 * (tolerance / error.max(1e-300)).powf(1.0 / (2 * columns - 1) as f64);
        if error <= tolerance {
            assert!(next.iter().all(|part| part.is_finite()), "a state that is not finite");
            state = next;
            // The last step ends on time without rounding.
            now = if taken < left { now + taken } else { time };
        }
        length = taken * if wanted.is_nan() { 0.2 } else { wanted.clamp(0.2, 2.0) };
        assert!(length > 1e-12 * time, "steps shorter than rounding");
    }
    panic!("{MOST_STEPS} steps did not suffice");
}
