//! The rows of a step's contacts: in their order, those that hold as they were, the others built.
use nalgebra::Matrix3;

use crate::local::block::Block;
use crate::math::quaternion::{matrix, rotated_tensor};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, without_noise};
use crate::problem::kept::{KeptManifold, KeptPoint};
use crate::solve::small_steps::SmallSteps;
use crate::solve::workspace::SolverWorkspace;
use crate::step::arrange::{NO_ROW, order, rearrange, sources};
use crate::step::pipeline::Pipeline;
use crate::step::world::World;

impl<T: Real, const NB: usize, const NC: usize> Pipeline<T, NB, NC> {
    /// Prepares rows and the bodies of islands for substeps of `h` seconds. `aligned` rows are in their order.
    #[inline(never)]
    pub(crate) fn prepare(&mut self, world: &World<T, NB>, h: T, aligned: bool) {
        if !aligned {
            self.arrange(world);
        }
        self.prepare_rows(world, h);
        self.prepare_bodies(world);
    }

    /// Orders rows, and moves those that there are to their new places.
    #[inline(never)]
    fn arrange(&mut self, world: &World<T, NB>) {
        let Pipeline { solver, small, sources: rows, kept, .. } = self;
        let (now, work) = (kept.now(), &mut solver.work);
        let rows_before = work.rows.len();
        order(world, now, &mut work.islands);
        let count = if rows_before > now.len() { rows_before } else { now.len() };
        rearrange(&sources(rows, &work.islands), count, |one, other| {
            if one >= NC || other >= NC {
                return;
            }
            work.rows.swap(one, other);
            work.jacobians.swap(one, other);
            small.swap_rows(one, other);
        });
    }

    /// Builds the rows that are new, and loads depths and impulses.
    #[inline(never)]
    fn prepare_rows(&mut self, world: &World<T, NB>, h: T) {
        let Pipeline { solver, small, sources: rows, kept, .. } = self;
        let (now, work) = (kept.now(), &mut solver.work);
        work.bodies = world.len();
        work.dt = h;
        work.rows.resize(now.len());
        for manifold in &now.list {
            for (at, point) in now.points_of(manifold).iter().enumerate() {
                let contact = usize::from(manifold.first) + at;
                let row = work.row(contact);
                if rows.get(contact).is_none_or(|source| *source == NO_ROW) {
                    build_row(work, small, world, (manifold, point), row);
                }
                small.load_row(row, point.depth, manifold.material.restitution, manifold.island);
                work.rows.sigma[row] = T::ZERO;
                work.rows.impulse[row] = point.impulse.scaled(work.rows.impulse_scale[row]);
            }
        }
    }

    /// Loads the masses of bodies that have contacts.
    #[inline(never)]
    fn prepare_bodies(&mut self, world: &World<T, NB>) {
        self.in_island = [false; NB];
        let islands = &mut self.solver.work.islands;
        for island in 0..islands.count() {
            islands.select(island);
            for index in islands.members() {
                let (mass, orientation) = (&self.masses[index], world.orientations().get(index));
                let inertia = orientation.map_or_else(Matrix3::zeros, |at| mass.inertia_in_world(at));
                self.small.load_body(index, T::ONE / mass.inverse_mass, &inertia);
                self.in_island[index] = true;
            }
        }
    }
}

/// Builds the row of a manifold's point from what is kept: the same row whenever it is built.
fn build_row<T: Real, const NB: usize, const NC: usize>(
    work: &mut SolverWorkspace<T, NB, NC>,
    small: &mut SmallSteps<T, NB, NC>,
    world: &World<T, NB>,
    (manifold, point): (&KeptManifold<T>, &KeptPoint<T>),
    row: usize,
) {
    let inverse_inertia = |body: u16, orientation| {
        let own = world.own_inverse_inertia(usize::from(body));
        own.map_or_else(Matrix3::zeros, |own| rotated_tensor(&matrix(orientation), own))
    };
    let inertia_a = inverse_inertia(manifold.a, &manifold.orientation_a);
    let inertia_b = inverse_inertia(manifold.b, &manifold.orientation_b);
    let inverse_mass = |body: u16| world.bodies().inverse_mass(usize::from(body));
    let (r_a, r_b) = manifold.arms(point);
    let (r_a, r_b) = (without_noise(&r_a), without_noise(&r_b));
    let (slot, site) = (&mut work.jacobians[row], manifold.site(&r_a, &r_b));
    let (a, b) = ((inverse_mass(manifold.a), &inertia_a), (inverse_mass(manifold.b), &inertia_b));
    let (block, impulse_scale) = Block::new(&slot.pack(&site, a, b));
    slot.set_impulse_scale(impulse_scale);
    let frame = slot.frame();
    small.set_block(row, &block, &frame, &site);
    work.rows.set(row, block, impulse_scale, manifold.material.mu, &frame);
    work.rows.cone[row].preload = T::ZERO;
}
