//! No substep adds kinetic energy.
//!
//! With `D = v − base` the velocity change by impulses, the kinetic energy changes by
//!
//! ```text
//! ΔK = A + Q/2,    A = ⟨base, D⟩_M,    Q = ⟨D, D⟩_M
//! ```
//!
//! sums over bodies. Velocities that no impulse can change do work `W = −Σ x·(J v)`, which is not the contacts' gain.
//! Where `ΔK > W`, impulses are scaled by `c = −2(A − W)/Q`, or dropped if every step along them gains: `v = base + c
//! D` is linear in the impulses, and cones are convex.
use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::{Real, smaller};
use crate::math::vector::is_zero;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::solve::joints::work::Allowed;
use crate::solve::small_steps::SmallSteps;
use crate::solve::workspace::SolverWorkspace;
use crate::space::jacobian::velocity_between;
use crate::space::velocity::{Velocity, unchangeable};

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Ends a phase without gain of energy, and counts where impulses were scaled down for that. Returns the change of
    /// kinetic energy, J.
    #[inline(never)]
    pub(super) fn guard(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        bodies: &Bodies<T, NB>,
        guarded: &mut u32,
    ) -> T {
        let gain = self.gain(work, bodies, Allowed::NONE);
        if gain.gains {
            *guarded += 1;
            self.scale_kicks(work, gain.scale);
        }
        gain.change()
    }

    /// What a phase did to the kinetic energy, and what has to become of its impulses. Joints may add some energy.
    #[inline(always)]
    pub(super) fn gain(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        bodies: &Bodies<T, NB>,
        allowed: Allowed<T>,
    ) -> Gain<T> {
        let (mut slope, mut square) = (T::ZERO, T::ZERO);
        for body in work.islands.members() {
            let base = &work.start[body];
            let kick = work.velocity[body].minus(base);
            self.kick[body] = kick;
            let [along, own] = products(self.mass[body], &self.inertia[body], &kick, base, &kick);
            slope += along;
            square += own;
        }
        let driven = if work.driven { driven_work(work, bodies) } else { T::ZERO };
        // Twice the gain.
        let (excess, curve) = (slope - driven - allowed.along, square - allowed.square);
        let gains = !(excess + excess + curve <= T::ZERO || self.is_rounding(work, excess + excess + curve, square));
        let scale = match gains {
            false => T::ONE,
            true if excess < T::ZERO => smaller(T::ONE, -(excess + excess) / curve),
            true => T::ZERO,
        };
        Gain { slope, square, scale, gains }
    }

    /// Scales velocity changes and impulses down.
    #[inline(always)]
    pub(super) fn scale_kicks(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, scale: T) {
        let SolverWorkspace { islands, velocity, start, .. } = work;
        for body in islands.members() {
            // 0·∞ is NaN: where squares overflow, nothing is left of the impulses.
            let kick = if scale > T::ZERO { self.kick[body].scaled(scale) } else { Velocity::ZERO };
            self.kick[body] = kick;
            velocity[body] = start[body].plus(&kick);
        }
        work.rows.scale_impulses(scale);
    }

    /// Whether twice a gain is no more than the rounding of twice the energies that it is the difference of.
    #[inline(never)]
    fn is_rounding(&self, work: &SolverWorkspace<T, NB, NC, R>, gain: T, square: T) -> bool {
        let mut energy = square;
        for body in work.islands.members() {
            let base = &work.start[body];
            let [own, _] = products(self.mass[body], &self.inertia[body], base, base, base);
            energy += own;
        }
        energy.is_finite() && gain <= T::lit(8.0) * T::EPSILON * energy
    }
}

/// A phase in the energies of the guard.
pub(super) struct Gain<T> {
    slope: T,
    square: T,
    /// Factor that ends the gain; 1 if there is none.
    pub scale: T,
    /// Whether it gains energy.
    pub gains: bool,
}

impl<T: Real> Gain<T> {
    /// Change of kinetic energy by the scaled impulses, J.
    #[inline(always)]
    pub fn change(&self) -> T {
        if self.gains {
            self.scale * (self.slope + T::HALF * self.scale * self.square)
        } else {
            self.slope + T::HALF * self.square
        }
    }
}

/// `⟨a, momentum⟩` and `⟨b, momentum⟩` with the momentum of a velocity.
#[inline(always)]
pub(super) fn products<T: Real>(
    mass: T,
    inertia: &[T; 10],
    velocity: &Velocity<T>,
    a: &Velocity<T>,
    b: &Velocity<T>,
) -> [T; 2] {
    let linear = velocity.linear.scaled(mass);
    let angular: T::Lanes3 = columns_times(inertia, 0, velocity.angular.xyz());
    [a, b].map(|other| {
        let [x, y, z] = other.linear.times(linear).plus(other.angular.times(angular)).xyz();
        x + y + z
    })
}

/// Whether a body that the island touches has a velocity that no impulse can change.
#[inline(never)]
pub(super) fn is_driven<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    bodies: &Bodies<T, NB>,
) -> bool {
    let moves = |body: usize| {
        let velocity = unchangeable(bodies, body);
        !is_zero(&velocity.linear()) || !is_zero(&velocity.angular())
    };
    let mut driven = false;
    for i in work.rows.window() {
        let (a, b) = work.jacobians[i].bodies();
        driven |= moves(a) || moves(b);
    }
    driven
}

/// Work that velocities do which no impulse can change.
#[inline(never)]
fn driven_work<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    bodies: &Bodies<T, NB>,
) -> T {
    let mut sum = T::ZERO;
    for i in work.rows.window() {
        let jacobian = &work.jacobians[i];
        let (a, b) = jacobian.bodies();
        let u = velocity_between(jacobian, &unchangeable(bodies, a), &unchangeable(bodies, b));
        sum -= work.rows.impulse[i].dot(&u) / work.rows.impulse_scale[i];
    }
    sum
}
