//! The rows of a step's contacts: in their order, those that hold as they were, the others built.
use nalgebra::Matrix3;

use crate::local::block::Block;
use crate::math::quaternion::{matrix, rotated_tensor};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, times, without_noise};
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::kept::{FactorState, KeptManifold, KeptPoint};
use crate::problem::surface::Surface;
use crate::solve::moments::prepare_surface;
use crate::solve::small_steps::SmallSteps;
use crate::solve::workspace::SolverWorkspace;
use crate::step::arrange::{NO_ROW, order, rearrange, sources};
use crate::step::joints::{JointIslands, sort_joints};
use crate::step::pipeline::Pipeline;
use crate::step::world::World;
use crate::sweep::moment_row::MomentRow;

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// Prepares rows and the bodies of islands for substeps of `h` seconds. `aligned` rows are in their order.
    #[inline(never)]
    pub(crate) fn prepare(&mut self, world: &World<T, NB, R>, h: T, aligned: bool) {
        if !aligned {
            self.arrange(world);
            self.factor.clear();
        }
        self.prepare_rows(world, h);
        self.prepare_bodies(world);
        self.prepare_factors();
    }

    /// Orders rows, and moves those that there are to their new places.
    #[inline(never)]
    fn arrange(&mut self, world: &World<T, NB, R>) {
        let Pipeline { solver, small, sources: rows, kept, .. } = self;
        let (now, work) = (kept.now(), &mut solver.work);
        let rows_before = work.rows.len();
        order(world, now, &mut work.islands, &mut JointIslands::new(world, &mut small.joints));
        sort_joints::<T, R>(&mut small.joints);
        let count = if rows_before > now.rows() { rows_before } else { now.rows() };
        let source = sources(rows, &work.islands, |contact| now.has_moments(contact));
        rearrange(&source, count, |one, other| {
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
    fn prepare_rows(&mut self, world: &World<T, NB, R>, h: T) {
        let Pipeline { solver, small, factor, sources: rows, kept, .. } = self;
        let (now, work) = (kept.now(), &mut solver.work);
        work.bodies = world.len();
        work.dt = h;
        work.rows.resize(now.rows());
        work.set_second_rows(now.surfaces.second_rows());
        for (index, manifold) in now.list.iter().enumerate() {
            let mut built: Option<Built<'_, T>> = None;
            for (at, point) in now.points_of(manifold).iter().enumerate() {
                let contact = usize::from(manifold.first) + at;
                let row = work.row(contact);
                if rows.get(contact).is_none_or(|source| *source == NO_ROW) {
                    let axes = built.get_or_insert_with(|| Built::new(world, manifold));
                    axes.build_row(work, small, point, row);
                    if R::HAS_MOMENTS {
                        axes.build_surface(work, small, (point, &now.surfaces.of(index)), row);
                    }
                }
                small.load_row(row, point.depth, manifold.material.restitution, manifold.island);
                if let Some(hold) = factor.hold.get_mut(row) {
                    *hold = point.hold;
                }
                work.rows.sigma[row] = T::ZERO;
                work.rows.impulse[row] = point.impulse.scaled(work.rows.impulse_scale[row]);
                if R::HAS_MOMENTS {
                    small.load_second_row(work, row, manifold.island);
                    work.load_on_surface(row, &manifold.normal, &point.impulse, &now.surfaces.moment(contact));
                }
            }
        }
    }

    /// Gives memory to the islands that have a factor: before others, so that all who had it get it back. An island that
    /// joints have become part of gets memory for them, too, and so not here.
    fn prepare_factors(&mut self) {
        if NF == 0 {
            return;
        }
        let Pipeline { solver, small, factor, .. } = self;
        let work = &mut solver.work;
        for island in 0..work.islands.count() {
            work.select(island);
            let has_joints = small.select_joints(island);
            let states = small.island.get(work.rows.window()).unwrap_or(&[]);
            if !has_joints && states.iter().any(|state| state.factor != FactorState::None) {
                factor.reserve(work, island);
            }
        }
    }

    /// Makes the factors that a recorded step began with.
    pub(crate) fn restore_factors(&mut self) {
        let Pipeline { solver, small, factor, kept, masses, .. } = self;
        let (work, kept) = (&mut solver.work, kept.now());
        for island in 0..work.islands.count() {
            work.select(island);
            if small.select_joints(island) {
                continue;
            }
            let Some(state) = small.island.get(work.rows.window()).and_then(<[_]>::first) else { continue };
            if state.factor == FactorState::Made && factor.reserve(work, island) {
                factor.make(work, island, state.stiff, &|body| kept.mass_where_built(masses, body));
            }
        }
    }

    /// Loads the masses of bodies that have contacts.
    #[inline(never)]
    fn prepare_bodies(&mut self, world: &World<T, NB, R>) {
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

/// The bodies of a manifold where it was built: the same rows follow whenever they are built.
struct Built<'a, T: Real> {
    manifold: &'a KeptManifold<T>,
    axes: [Matrix3<T>; 2],
    inverse_masses: [T; 2],
    inverse_inertias: [Matrix3<T>; 2],
}

impl<'a, T: Real> Built<'a, T> {
    fn new<const NB: usize, R: ContactRows>(world: &World<T, NB, R>, manifold: &'a KeptManifold<T>) -> Self {
        let bodies = [usize::from(manifold.a), usize::from(manifold.b)];
        let axes = [matrix(&manifold.orientation_a), matrix(&manifold.orientation_b)];
        let inverse_inertia = |body: usize, axes: &Matrix3<T>| {
            world.own_inverse_inertia(body).map_or_else(Matrix3::zeros, |own| rotated_tensor(axes, own))
        };
        let inverse_inertias = [inverse_inertia(bodies[0], &axes[0]), inverse_inertia(bodies[1], &axes[1])];
        let inverse_masses = bodies.map(|body| world.bodies().inverse_mass(body));
        Built { manifold, axes, inverse_masses, inverse_inertias }
    }

    /// Builds the row of a point.
    fn build_row<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        small: &mut SmallSteps<T, NB, NC, R>,
        point: &KeptPoint<T>,
        row: usize,
    ) {
        if row >= NC {
            return;
        }
        let r_a = without_noise(&times(&self.axes[0], &point.anchor_a));
        let r_b = without_noise(&times(&self.axes[1], &point.anchor_b));
        let (slot, site) = (&mut work.jacobians[row], self.manifold.site(&r_a, &r_b));
        let ([mass_a, mass_b], [inertia_a, inertia_b]) = (self.inverse_masses, &self.inverse_inertias);
        let (k, is_replaced) = slot.pack(&site, (mass_a, inertia_a), (mass_b, inertia_b));
        let (block, impulse_scale) = Block::new(&k);
        slot.set_impulse_scale(impulse_scale);
        let frame = slot.frame();
        small.set_block(row, &block, &frame, &site);
        work.rows.set(row, block, impulse_scale, self.manifold.material.mu, &frame);
        work.rows.note_replaced(row, is_replaced);
        work.rows.cone[row].preload = T::ZERO;
    }

    /// Builds the rows of a point again if its surface has friction beyond sliding.
    fn build_surface<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        small: &mut SmallSteps<T, NB, NC, R>,
        (point, surface): (&KeptPoint<T>, &Surface<T>),
        row: usize,
    ) {
        if let Some(slot) = work.rows.moments.at_mut(row) {
            *slot = MomentRow::PLAIN;
        }
        if row >= NC || *surface == Surface::PLAIN {
            return;
        }
        let r_a = without_noise(&times(&self.axes[0], &point.anchor_a));
        let r_b = without_noise(&times(&self.axes[1], &point.anchor_b));
        let ([mass_a, mass_b], [inertia_a, inertia_b]) = (self.inverse_masses, &self.inverse_inertias);
        let masses = ((mass_a, inertia_a), (mass_b, inertia_b));
        let (mu, site) = (self.manifold.material.mu, self.manifold.site(&r_a, &r_b));
        prepare_surface(row, mu, surface, &site, masses, &mut work.jacobians, &mut work.rows);
        let (block, frame) = (work.rows.block[row], work.jacobians[row].frame());
        small.set_block(row, &block, &frame, &site);
        small.clear_block(row + 1, work.rows.role(row));
    }
}
