//! When the residual of a contact phase is measured.
//!
//! It costs as much as a sweep, and a sweep with a large change has not solved the problem. So the residual is evaluated only after
//! sweeps whose change is near the tolerance, and then only when the change has halved or some sweeps have passed.
use crate::math::real::Real;
use crate::problem::report::Residual;

/// Sweeps whose change exceeds this many tolerances are not worth a residual.
const GATE: f64 = 32.0;
/// Sweeps after which the residual is measured again even if their change has not decreased. Odd: forward and backward
/// sweeps leave different residuals.
const MEASURES_AGAIN: u32 = 3;

/// When a residual is worth its cost.
#[derive(Clone, Copy)]
pub(crate) struct ResidualWatch<T> {
    /// The change of the sweep after which the residual was measured last.
    change_at_last_residual: T,
    sweeps_since_residual: u32,
}

impl<T: Real> ResidualWatch<T> {
    /// Before the first sweep.
    pub const NEW: Self = ResidualWatch { change_at_last_residual: T::MAX, sweeps_since_residual: 0 };

    /// Whether the residual is worthwhile after a sweep over `rows` contacts that changed the impulses by `change`.
    #[inline(always)]
    pub fn is_due(&mut self, change: T, rows: usize, last: &Residual<T>, tolerance: T) -> bool {
        let near = T::lit(GATE) * tolerance * last.scale;
        self.sweeps_since_residual += 1;
        let worth = change <= near
            && (change <= T::HALF * self.change_at_last_residual || self.sweeps_since_residual >= MEASURES_AGAIN);
        // A single contact is solved by its first visit.
        let is_due = (rows == 1 || worth) && tolerance > T::ZERO;
        if is_due {
            (self.change_at_last_residual, self.sweeps_since_residual) = (change, 0);
        }
        is_due
    }
}
