//! One Gauss–Seidel sweep: every contact once, each solved with the newest impulses of the others.
//!
//! A sweep sees rows and a contact space; it knows neither bodies nor settings beyond its own three choices.

use nalgebra::Vector3;

use crate::block::Block;
use crate::cone::Cone;
use crate::local_step;
use crate::real::Real;
use crate::rows::{ContactSpace, Rows};
use crate::settings::{LocalRule, SweepOrder};

/// How a sweep steps.
#[derive(Clone, Copy)]
pub(crate) struct Sweeper<T> {
    pub rule: LocalRule,
    pub relaxation: T,
    pub order: SweepOrder,
}

impl<T: Real> Sweeper<T> {
    /// Sweeps once and gives the 2-norm of the impulse change, in m/s. `number` counts sweeps from 0.
    pub fn run<const NC: usize>(&self, rows: &mut Rows<T, NC>, space: &mut impl ContactSpace<T>, number: u32) -> T {
        let backward = self.order == SweepOrder::Alternating && number % 2 == 1;
        let mut change = T::ZERO;
        let window = rows.window();
        for k in window.clone() {
            // Mirrored in the window when going backward.
            let index = if backward { (window.end - 1) - (k - window.start) } else { k };
            change += self.visit(rows, space, index);
        }
        change.root()
    }

    /// Solves one contact and gives the square of its impulse change.
    #[inline(always)]
    fn visit<const NC: usize>(&self, rows: &mut Rows<T, NC>, space: &mut impl ContactSpace<T>, index: usize) -> T {
        if index >= NC {
            return T::ZERO;
        }
        let mut u = space.swept_velocity(index);
        u.x -= rows.target[index];
        let (block, cone, before) = (&rows.block[index], &rows.cone[index], rows.impulse[index]);
        let sticks = if self.is_plain() { local_step::sticks(block, cone, &u, &before) } else { None };
        let after = match sticks {
            Some(after) => after,
            None => self.solve(block, cone, &u, &before, &mut rows.sigma[index]),
        };
        let delta = after - before;
        let square = delta.dot(&delta);
        // A matrix that is no Delassus matrix can drive its impulses beyond all numbers; they stop before that.
        if !(square > T::ZERO && square <= T::LARGEST) {
            return T::ZERO;
        }
        rows.impulse[index] = after;
        space.swept_push(index, &delta);
        square
    }

    /// Whether a contact that sticks may be left at what sticking alone asks for.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.rule == LocalRule::Exact && self.relaxation == T::ONE
    }

    /// What sticking does not settle: sliding, opening, the other rules, relaxation.
    #[inline(never)]
    fn solve(
        &self,
        block: &Block<T>,
        cone: &Cone<T>,
        u: &Vector3<T>,
        before: &Vector3<T>,
        sigma: &mut T,
    ) -> Vector3<T> {
        let free = block.free_velocity(u, before);
        let after = if self.rule == LocalRule::Exact {
            // Near the last sweep's answer one step is mostly enough.
            let solution = local_step::exact_near(block, cone, &free, *sigma);
            *sigma = solution.sigma;
            solution.impulse
        } else {
            local_step::approximate(self.rule, block, cone, &free, before)
        };
        if self.relaxation == T::ONE {
            return after;
        }
        cone.clamp(&(before + (after - before) * self.relaxation))
    }
}
