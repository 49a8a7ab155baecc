//! Accelerated sweeps: a nonsmooth nonlinear conjugate gradient method over Gauss–Seidel.
//!
//! One sweep maps impulses `x` to `g`; the step `f = g − x` plays the part of a steepest descent. With `d_c` a
//! contact's `tr K/3` and
//!
//! ```text
//! n = Σ d_c ‖f_c‖²,   β = n / n_before,   p ← β p + f,   x ← P_C(g + β p_before)
//! ```
//!
//! steps that go on in one direction are lengthened; where the step grew (β > 1) the direction is forgotten. Impulses
//! here are in velocity units, `impulse_scale` times N s, so `d_c‖f_c‖²` is `size ‖f‖² / impulse_scale`.
//!
//! Acceleration slows down sweeps that already converge fast. So it begins only when they converge slowly: from the
//! eighth sweep on, whenever four sweeps did not reduce the step to a quarter. Accelerated sweeps always run forward.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::SweepOrder;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::moment_row::{Role, rows_of, six};
use crate::sweep::rows::Rows;

/// Number of sweeps over which convergence is measured.
const WATCHED: u32 = 4;
/// Convergence is slow if these sweeps do not reduce the step to this fraction.
const SLOW: f64 = 0.25;

/// The first accelerated sweeps use the relaxation of plain ones, so that a solve that ends here is no worse.
const UNRELAXED: u32 = 4;

/// Steps below this many roundings of the impulses, 5e-4 of them in `f32`, are noise: plain sweeps go on.
const NOISE: f64 = 4096.0;

/// Watches sweeps and lengthens their steps where they converge slowly.
#[derive(Clone, Copy)]
pub(crate) struct Accelerator<T> {
    /// Whether sweeps may be accelerated.
    pub allowed: bool,
    /// Whether they are now.
    pub engaged: bool,
    /// `n` of the last accelerated sweep; 0 before the first.
    before: T,
    /// Whether any sweep was accelerated.
    was_used: bool,
    /// Accelerated sweeps so far.
    count: u32,
    /// The step four sweeps ago.
    watched: T,
}

impl<T: Real> Accelerator<T> {
    /// Not allowed.
    pub const IDLE: Self =
        Accelerator { allowed: false, engaged: false, was_used: false, before: T::ZERO, count: 0, watched: T::ZERO };

    /// Whether any sweep was accelerated.
    pub fn was_engaged(&self) -> bool {
        self.was_used
    }

    /// Starts again.
    pub fn forget(&mut self) {
        *self = Accelerator { allowed: self.allowed, was_used: self.was_used, ..Accelerator::IDLE };
    }

    /// Records a plain sweep: the number of sweeps so far, and the length of the step.
    fn watch(&mut self, sweeps: u32, change: T) {
        if sweeps.is_multiple_of(WATCHED) {
            self.engaged = sweeps > WATCHED && change > T::lit(SLOW) * self.watched;
            self.watched = change;
        }
    }

    /// How to sweep next; remembers where an accelerated sweep begins.
    #[inline(always)]
    pub fn begin<const NC: usize, R: ContactRows>(
        &mut self,
        plain: &Sweeper<T>,
        relaxation: T,
        rows: &mut Rows<T, NC, R>,
    ) -> Sweeper<T> {
        if self.engaged { self.begin_accelerated(plain, relaxation, rows) } else { *plain }
    }

    #[inline(never)]
    fn begin_accelerated<const NC: usize, R: ContactRows>(
        &mut self,
        plain: &Sweeper<T>,
        relaxation: T,
        rows: &mut Rows<T, NC, R>,
    ) -> Sweeper<T> {
        rows.starts_kept = false;
        for i in rows.window() {
            save_start(rows, i);
        }
        let relaxation = if self.count < UNRELAXED { plain.relaxation } else { relaxation };
        self.was_used = true;
        self.count = self.count.saturating_add(1);
        Sweeper { relaxation, order: SweepOrder::Forward, ..*plain }
    }

    /// Extrapolates or watches the last sweep. Returns the 2-norm of the whole impulse change, in m/s.
    #[inline(always)]
    pub fn end<const NC: usize, R: ContactRows>(
        &mut self,
        sweeps: u32,
        change: T,
        rows: &mut Rows<T, NC, R>,
        space: &mut impl ContactSpace<T>,
    ) -> T {
        if self.engaged {
            return self.extrapolate(rows, space);
        }
        if self.allowed {
            self.watch(sweeps, change);
        }
        change
    }

    #[inline(never)]
    fn extrapolate<const NC: usize, R: ContactRows>(
        &mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut impl ContactSpace<T>,
    ) -> T {
        let mut sizes = Vector3::zeros();
        for i in rows.window() {
            sizes = sizes.plus(&step_sizes(rows, i));
        }
        let (mut now, step, size) = (sizes.x, sizes.y, sizes.z);
        // Steps that consist mostly of rounding have no direction.
        if step <= T::lit(NOISE * NOISE) * T::EPSILON * T::EPSILON * size {
            now = T::ZERO;
            self.count = 0;
            self.engaged = false;
        }
        let first = !(self.before > T::ZERO);
        let grown = !(now <= self.before);
        let beta = if first || grown { T::ZERO } else { now / self.before };
        self.before = now;
        // A direction that was forgotten stays so for this sweep: its step is where the next begins.
        let kept = if first || !grown { T::ONE } else { T::ZERO };
        let mut change = T::ZERO;
        for i in rows.window() {
            change += match rows.role(i) {
                Role::Alone => extrapolate_contact(rows, space, i, beta, kept),
                Role::First => extrapolate_with_moments(rows, space, i, beta, kept),
                Role::Second => T::ZERO,
            };
        }
        change.sqrt_or_zero()
    }
}

/// Saves where a contact's sweep begins. Not inlined, like the next two: their loops would be unrolled.
#[inline(never)]
fn save_start<T: Real, const NC: usize, R: ContactRows>(rows: &mut Rows<T, NC, R>, i: usize) {
    if i < NC {
        rows.before[i] = rows.impulse[i];
    }
}

/// `d ‖f‖²`, `‖f‖²` and `‖x‖²` of a contact.
#[inline(never)]
fn step_sizes<T: Real, const NC: usize, R: ContactRows>(rows: &Rows<T, NC, R>, i: usize) -> Vector3<T> {
    if i >= NC {
        return Vector3::zeros();
    }
    let (x, f) = (rows.impulse[i], rows.impulse[i].minus(&rows.before[i]));
    let square = f.dot(&f);
    Vector3::new(square * rows.block[i].size() / rows.impulse_scale[i], square, x.dot(&x))
}

/// Extrapolates a contact's step by `β` times its direction, and stores the new direction times `kept`; returns the
/// square of the whole change.
#[inline(never)]
fn extrapolate_contact<T: Real, const NC: usize, R: ContactRows>(
    rows: &mut Rows<T, NC, R>,
    space: &mut impl ContactSpace<T>,
    i: usize,
    beta: T,
    kept: T,
) -> T {
    if i >= NC {
        return T::ZERO;
    }
    let (g, start) = (rows.impulse[i], rows.before[i]);
    // Directions of an earlier solve are not used.
    let along = if beta > T::ZERO { rows.direction[i].scaled(beta) } else { Vector3::zeros() };
    rows.direction[i] = along.plus(&g.minus(&start)).scaled(kept);
    let x = if beta > T::ZERO { rows.cone[i].project(&g.plus(&along)) } else { g };
    let delta = x.minus(&g);
    let square = delta.dot(&delta);
    if square > T::ZERO && square <= T::MAX {
        rows.impulse[i] = x;
        space.push(i, &delta);
    }
    let step = rows.impulse[i].minus(&start);
    step.dot(&step)
}

/// The same for both rows of a contact with moments.
#[inline(never)]
fn extrapolate_with_moments<T: Real, const NC: usize, R: ContactRows>(
    rows: &mut Rows<T, NC, R>,
    space: &mut impl ContactSpace<T>,
    i: usize,
    beta: T,
    kept: T,
) -> T {
    // The first condition makes the second one visible to the compiler: `i + 1` does not overflow.
    let (Some(law), true) = (rows.law(i), i < NC && i + 1 < NC) else { return T::ZERO };
    let mut x = rows.impulse_in_six(i);
    for row in [i, i + 1] {
        let along = if beta > T::ZERO { rows.direction[row].scaled(beta) } else { Vector3::zeros() };
        rows.direction[row] = along.plus(&rows.impulse[row].minus(&rows.before[row])).scaled(kept);
        let (first, second) = rows_of(x);
        x = if row == i { six(&first.plus(&along), &second) } else { six(&first, &second.plus(&along)) };
    }
    let x = if beta > T::ZERO { law.project(&x) } else { x };
    rows.replace_six(space, i, &x);
    let (first, second) = (rows.impulse[i].minus(&rows.before[i]), rows.impulse[i + 1].minus(&rows.before[i + 1]));
    first.dot(&first) + second.dot(&second)
}
