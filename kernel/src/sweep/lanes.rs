//! Sweeps in lanes, in memory that the caller provides (see `lane_memory`), and single visits where they are not
//! worthwhile.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::lane_memory::{LaneRow, Loaded};
use crate::sweep::lent_lanes::LentLanes;
use crate::sweep::rows::Rows;

/// Rows and sweeps from which on lanes may be worthwhile: loading takes as long as some sweeps.
const LEAST_ROWS: usize = 24;
const LEAST_SWEEPS: u32 = 4;

/// Without memory.
impl<T: Real> Default for LentLanes<'_, T> {
    #[inline(always)]
    fn default() -> Self {
        LentLanes::new(None)
    }
}

/// Sweeps in lanes, if there is memory for them and they are worthwhile.
pub(crate) struct LaneSweeps<'a, T: Real> {
    lanes: LentLanes<'a, T>,
    is_worthwhile: bool,
}

impl<'a, T: Real> LaneSweeps<'a, T> {
    /// For up to so many sweeps.
    pub fn new(lanes: LentLanes<'a, T>, sweeps: u32) -> Self {
        let is_worthwhile = sweeps >= LEAST_SWEEPS && lanes.view().is_some();
        LaneSweeps { lanes, is_worthwhile }
    }

    /// Plans and loads what is missing; finds out whether that is worthwhile.
    #[inline(never)]
    fn load<S: ContactSpace<T>, const NC: usize, R: ContactRows>(
        &mut self,
        sweeper: &Sweeper<T>,
        rows: &Rows<T, NC, R>,
        space: &S,
    ) {
        let loaded = self.lanes.loaded();
        let Some(memory) = self.lanes.get() else { return };
        let (first, count) = (rows.window().start, rows.window().len());
        // Lanes visit three rows of a contact, with unit tangents.
        let can = sweeper.is_plain() && !space.normals_only() && count >= LEAST_ROWS && rows.are_plain();
        if can && loaded == Loaded::Constants {
            memory.reload(&|row| rows.changing(first + row));
        } else if can && memory.plan(count, &|row| space.movable_bodies(first + row)) {
            memory.load(&|row, lane: &mut LaneRow<T>| match space.packed(first + row) {
                Some((bodies, jacobian)) => {
                    lane.bodies = bodies;
                    rows.fill_lane(first + row, jacobian, &mut lane.numbers).is_some()
                }
                None => false,
            });
        } else {
            self.is_worthwhile = false;
            return;
        }
        self.lanes.set_loaded(Loaded::Everything);
    }

    /// One sweep, as [`Sweeper::run`].
    #[inline(always)]
    pub fn run<S: ContactSpace<T>, const NC: usize, R: ContactRows>(
        &mut self,
        sweeper: &Sweeper<T>,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        number: u32,
    ) -> T {
        let in_lanes =
            if S::HAS_LANES && self.is_worthwhile { self.run_in_lanes(sweeper, rows, space, number) } else { None };
        in_lanes.unwrap_or_else(|| sweeper.run(rows, space, number))
    }

    /// None if lanes are not worthwhile.
    #[inline(never)]
    fn run_in_lanes<S: ContactSpace<T>, const NC: usize, R: ContactRows>(
        &mut self,
        sweeper: &Sweeper<T>,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        number: u32,
    ) -> Option<T> {
        if self.lanes.loaded() != Loaded::Everything {
            self.load(sweeper, rows, space);
        }
        let memory = self.lanes.get().filter(|_| self.is_worthwhile)?;
        let (window, is_backward, runs) = (rows.window(), sweeper.is_backward(number), memory.runs());
        for at in 0..runs {
            let run = if is_backward { runs - 1 - at } else { at };
            if memory.is_in_lanes(run) {
                memory.visit(run, is_backward, space.velocities());
            } else {
                memory.visit_alone(run, is_backward, &mut |row| match row < window.len() {
                    true => sweeper.visit(rows, space, window.start + row, true),
                    false => T::ZERO,
                });
            }
        }
        Some(memory.sum_of_squares(is_backward).sqrt_or_zero())
    }

    /// Brings the rows up to date. What a flipped bit in the memory has made impossible is not taken: impulses outside
    /// their cones, and velocities of immovable bodies.
    pub fn store<S: ContactSpace<T>, const NC: usize, R: ContactRows>(&self, rows: &mut Rows<T, NC, R>, space: &mut S) {
        if let Some(memory) = self.lanes.view().filter(|_| self.lanes.loaded() == Loaded::Everything) {
            let window = rows.window();
            window.clone().for_each(|row| space.restore_immovable(row));
            memory.store(&mut |row, [x, y, z], sigma| {
                let (row, given) = (window.start.saturating_add(row), Vector3::new(x, y, z));
                if row >= window.end || !rows.is_admissible(row, &given) {
                    return;
                }
                if let (Some(impulse), Some(found)) = (rows.impulse.get_mut(row), rows.sigma.get_mut(row)) {
                    (*impulse, *found) = (given, sigma);
                }
            });
        }
    }

    /// Impulses may change: they are loaded again before the next sweep.
    pub fn release(&mut self) {
        if self.lanes.loaded() == Loaded::Everything {
            self.lanes.set_loaded(Loaded::Constants);
        }
    }

    /// Gives the memory back.
    pub fn into_lanes(self) -> LentLanes<'a, T> {
        self.lanes
    }
}
