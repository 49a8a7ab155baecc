//! Sweeps in lanes, in memory that the caller provides (see `lane_memory`), and single visits where they are not
//! worthwhile.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::lane_memory::{LaneMemory, LaneRow};
use crate::sweep::rows::Rows;

/// Whether there are lanes at all: boards and plain WebAssembly have none, and link nothing of this.
const HAS_LANES: bool = !cfg!(any(target_os = "none", all(target_arch = "wasm32", not(target_feature = "simd128"))));

/// Rows from which on lanes may be worthwhile.
const LEAST_ROWS: usize = 24;

/// Sweeps in lanes, if there is memory for them and they are worthwhile.
pub(crate) struct LaneSweeps<'a, T: Real> {
    memory: Option<&'a mut dyn LaneMemory<T>>,
    is_loaded: bool,
}

impl<'a, T: Real> LaneSweeps<'a, T> {
    pub fn new(memory: Option<&'a mut dyn LaneMemory<T>>) -> Self {
        LaneSweeps { memory, is_loaded: false }
    }

    /// Plans and loads, unless that is done. Where lanes are not worthwhile, the memory is dropped.
    #[inline(never)]
    fn load<S: ContactSpace<T>, const NC: usize>(&mut self, sweeper: &Sweeper<T>, rows: &Rows<T, NC>, space: &S) {
        let Some(memory) = self.memory.as_deref_mut() else { return };
        let (first, count) = (rows.window().start, rows.window().len());
        let can = sweeper.is_plain() && !space.normals_only() && count >= LEAST_ROWS;
        if can && memory.plan(count, &|row| space.movable_bodies(first + row)) {
            memory.load(&|row| {
                let (bodies, jacobian) = space.packed(first + row)?;
                Some(LaneRow { bodies, numbers: rows.lane_numbers(first + row, jacobian)? })
            });
            self.is_loaded = true;
        } else {
            self.memory = None;
        }
    }

    /// One sweep, as [`Sweeper::run`].
    #[inline(always)]
    pub fn run<S: ContactSpace<T>, const NC: usize>(
        &mut self,
        sweeper: &Sweeper<T>,
        rows: &mut Rows<T, NC>,
        space: &mut S,
        number: u32,
    ) -> T {
        if !(HAS_LANES && S::HAS_LANES) || self.memory.is_none() {
            return sweeper.run(rows, space, number);
        }
        if !self.is_loaded {
            self.load(sweeper, rows, space);
        }
        let Some(memory) = self.memory.as_deref_mut() else { return sweeper.run(rows, space, number) };
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
        memory.sum_of_squares(is_backward).sqrt_or_zero()
    }

    /// Brings the rows up to date. What a flipped bit in the memory has made impossible is not taken: impulses outside
    /// their cones, and velocities of immovable bodies.
    pub fn store<S: ContactSpace<T>, const NC: usize>(&self, rows: &mut Rows<T, NC>, space: &mut S) {
        if let Some(memory) = self.memory.as_deref().filter(|_| HAS_LANES && self.is_loaded) {
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

    /// Rows may change: they are loaded again before the next sweep.
    pub fn forget(&mut self) {
        self.is_loaded = false;
    }
}
