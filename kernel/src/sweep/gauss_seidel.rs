//! One Gauss–Seidel sweep: every contact once, each solved with the newest impulses of the others.
//!
//! A sweep sees rows and a contact space; it knows neither bodies nor settings beyond its own three choices.
use nalgebra::Vector3;

use crate::local::approximate::approximate;
use crate::local::exact::exact_again;
use crate::local::free_velocity::Free;
use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::settings::{LocalRule, SweepOrder};
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::moment_row::Role;
use crate::sweep::rows::Rows;

/// How a sweep steps.
#[derive(Clone, Copy)]
pub(crate) struct Sweeper<T> {
    pub rule: LocalRule,
    pub relaxation: T,
    pub order: SweepOrder,
}

impl<T: Real> Sweeper<T> {
    /// Sweeps once and returns the 2-norm of the impulse change, in m/s. `number` counts sweeps from 0.
    #[cfg_attr(target_os = "none", inline(never))]
    pub fn run<const NC: usize, R: ContactRows>(
        &self,
        rows: &mut Rows<T, NC, R>,
        space: &mut impl ContactSpace<T>,
        number: u32,
    ) -> T {
        let backward = self.is_backward(number);
        let plain = self.is_plain() && !space.normals_only();
        let mut change = T::ZERO;
        let window = rows.window();
        // One on, or one back from the end.
        let (mut index, step) = if backward { (window.end.wrapping_sub(1), usize::MAX) } else { (window.start, 1) };
        for _ in window {
            change += self.visit(rows, space, index, plain);
            index = index.wrapping_add(step);
        }
        change.sqrt_or_zero()
    }

    /// Solves one contact exactly.
    #[inline(always)]
    pub fn visit_one<const NC: usize, R: ContactRows>(
        &self,
        rows: &mut Rows<T, NC, R>,
        space: &mut impl ContactSpace<T>,
        index: usize,
    ) {
        self.visit(rows, space, index, true);
    }

    /// Whether a sweep goes from the last contact to the first.
    #[inline(always)]
    pub fn is_backward(&self, number: u32) -> bool {
        self.order == SweepOrder::Alternating && number % 2 == 1
    }

    /// Solves one contact and returns the square of its impulse change.
    #[inline(always)]
    pub fn visit<const NC: usize, R: ContactRows>(
        &self,
        rows: &mut Rows<T, NC, R>,
        space: &mut impl ContactSpace<T>,
        index: usize,
        plain: bool,
    ) -> T {
        if index >= NC {
            return T::ZERO;
        }
        if R::HAS_MOMENTS {
            match rows.role(index) {
                Role::Alone => {}
                Role::First => return rows.visit_with_moments(space, index, self.relaxation),
                Role::Second => return T::ZERO,
            }
        }
        let Some(velocity) = space.swept_velocity(index, rows.target[index]) else { return T::ZERO };
        let before = T::Lanes3::of(&rows.impulse[index]);
        // The impulse at which the contact comes to rest.
        let mut after = before.minus(columns_times(&rows.inverse_in_axes[index], 0, velocity.xyz()));
        if !(plain && rows.cone[index].holds(after.xyz())) {
            let u = space.along(index, velocity);
            after = self.solve(rows, index, &u);
        }
        let delta = after.minus(before);
        let [x, y, z] = delta.xyz();
        let square = x * x + y * y + z * z;
        // A matrix that is no Delassus matrix can make impulses overflow; they stop before that.
        if !(square > T::ZERO && square <= T::MAX) {
            return T::ZERO;
        }
        rows.impulse[index] = after.vector();
        space.swept_push(index, delta);
        square
    }

    /// Whether the impulse of a sticking contact can be used without change: exact rule, no relaxation.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.rule == LocalRule::Exact && self.relaxation == T::ONE
    }

    /// All cases except sticking: sliding, opening, the other rules, relaxation.
    #[inline(always)]
    fn solve<const NC: usize, R: ContactRows>(
        &self,
        rows: &mut Rows<T, NC, R>,
        index: usize,
        u: &Vector3<T>,
    ) -> T::Lanes3 {
        if index >= NC {
            return T::Lanes3::ZERO;
        }
        let (block, cone, before) = (&rows.block[index], &rows.cone[index], rows.impulse[index]);
        let free = Free::of(block, u, &before);
        // Component by component: a whole struct would be stored and reloaded.
        let mut after = if self.rule == LocalRule::Exact {
            exact_again(block, cone, &free, &mut rows.sigma[index]).xyz()
        } else {
            T::Lanes3::of(&approximate(self.rule, block, cone, &free, &before)).xyz()
        };
        if self.relaxation != T::ONE {
            let [x, y, z] = after;
            let towards = Vector3::new(x, y, z).minus(&before).scaled(self.relaxation);
            after = T::Lanes3::of(&cone.clamp(&before.plus(&towards))).xyz();
        }
        let [x, y, z] = after;
        T::Lanes3::new(x, y, z)
    }
}
