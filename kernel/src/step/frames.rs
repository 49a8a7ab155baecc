//! A frame: manifolds once, kept where bodies rest, then small steps (see `small_steps`), then motion.
use nalgebra::{Matrix3, Vector3};

use crate::local::block::Block;
use crate::math::real::{Real, larger};
use crate::math::vector::{VectorOps, times, without_noise};
use crate::problem::bodies::Bodies;
use crate::problem::body::{Body, validate_velocities};
use crate::problem::error::InputError;
use crate::problem::stop_check::StopCheck;
use crate::solve::small_steps::{Division, SmallSteps};
use crate::solve::solver::Solver;
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::{Velocity, load_velocities};
use crate::step::arrange::{order, rearrange, sources};
pub use crate::step::frame_collector::FrameCollector;
use crate::step::kept::{KeptManifold, KeptManifolds, KeptPoint, NO_ROW};
use crate::step::masses::BodyMass;
use crate::step::motion::{Ways, advance_in_contact, fly};
use crate::step::report::StepReport;
use crate::step::settings::StepSettings;
use crate::step::world::World;

/// Who finds out where bodies touch.
type Detector<'a, T, const NB: usize, const NC: usize> =
    dyn FnMut(&World<T, NB>, &mut FrameCollector<'_, T, NB, NC>) -> Result<(), InputError<T>> + 'a;

/// A pipeline of frames in small steps.
#[doc(hidden)]
pub struct Frames<T: Real, const NB: usize, const NC: usize> {
    /// May be changed between frames.
    pub settings: StepSettings<T>,
    solver: Solver<T, NB, NC>,
    small: SmallSteps<T, NB, NC>,
    /// This frame's manifolds and those of the frame before.
    manifolds: [KeptManifolds<T, NC>; 2],
    current: usize,
    /// Rows of the last frame.
    rows: usize,
    masses: [BodyMass<T>; NB],
    /// Rows that were kept in the last frame.
    pub kept_rows: usize,
    /// Substeps of the last frame in which the guard acted.
    pub guarded: u32,
    report: StepReport<T>,
}

impl<T: Real, const NB: usize, const NC: usize> Frames<T, NB, NC> {
    /// Nothing kept yet.
    pub const fn new(settings: StepSettings<T>) -> Self {
        Frames {
            settings,
            solver: Solver::new(),
            small: SmallSteps::new(),
            manifolds: [KeptManifolds::new(), KeptManifolds::new()],
            current: 0,
            rows: 0,
            masses: [BodyMass::NONE; NB],
            kept_rows: 0,
            guarded: 0,
            report: StepReport::EMPTY,
        }
    }

    /// Margin that a detector should search with, m.
    pub fn search_margin(&self, world: &World<T, NB>, dt: T) -> T {
        let mut fastest = T::ZERO;
        for v in world.bodies().linear_velocities() {
            fastest = larger(fastest, v.dot(v));
        }
        let g = self.settings.gravity.dot(&self.settings.gravity).sqrt_or_zero();
        self.settings.contact_margin + T::lit(2.0) * fastest.sqrt_or_zero() * dt + g * dt * dt * T::HALF
    }

    /// Moves the world on by `dt` seconds.
    pub fn step(
        &mut self,
        world: &mut World<T, NB>,
        mut detect: impl FnMut(&World<T, NB>, &mut FrameCollector<'_, T, NB, NC>) -> Result<(), InputError<T>>,
        dt: T,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.step_until(world, &mut detect, dt, &mut StopCheck::new(None))
    }

    /// The same with a deadline: once `should_stop` returns true, no contact is visited any more, and the frame ends
    /// with the impulses that there are.
    pub fn step_with(
        &mut self,
        world: &mut World<T, NB>,
        mut detect: impl FnMut(&World<T, NB>, &mut FrameCollector<'_, T, NB, NC>) -> Result<(), InputError<T>>,
        dt: T,
        should_stop: &mut dyn FnMut() -> bool,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.step_until(world, &mut detect, dt, &mut StopCheck::new(Some(should_stop)))
    }

    fn step_until(
        &mut self,
        world: &mut World<T, NB>,
        detect: &mut Detector<'_, T, NB, NC>,
        dt: T,
        stop: &mut StopCheck<'_>,
    ) -> Result<StepReport<T>, InputError<T>> {
        let h = self.settings.validate(dt)?;
        world.validate_states()?;
        validate_forces(world, &self.settings.gravity, dt)?;
        for (body, mass) in self.masses.iter_mut().enumerate().take(world.len()) {
            mass.update(world, body);
        }
        let aligned = self.find(world, detect, dt)?;
        if !aligned {
            self.arrange(world);
        }
        self.prepare_rows(world.bodies(), h);
        self.prepare_bodies(world, h);
        self.masses.iter_mut().for_each(|mass| mass.changed = false);
        let division = Division { substeps: self.settings.substeps, h, inverse_h: T::ONE / h };
        self.report = StepReport::EMPTY;
        (self.report.ledger.kinetic_before, self.report.ledger.potential_before) = self.energies(world);
        self.guarded = 0;
        for island in 0..self.solver.work.islands.count() {
            self.solver.work.select(island);
            let frame = self.small.run(&mut self.solver.work, world.bodies(), &self.settings.solver, &division, stop);
            self.guarded += frame.guarded;
            let residual = self.small.measure(&mut self.solver.work);
            self.report.take_island(&frame, &residual, self.settings.solver.tolerance);
        }
        self.advance(world, dt);
        let report = &mut self.report;
        report.contacts = self.rows;
        report.contacts_left_out = self.manifolds[self.current].left_out;
        report.islands = self.solver.work.islands.count();
        report.sweeps = 2 * self.settings.substeps;
        for point in &self.manifolds[self.current].points {
            report.depth = larger(report.depth, point.depth);
        }
        (self.report.ledger.kinetic_after, self.report.ledger.potential_after) = self.energies(world);
        Ok(self.report)
    }

    /// Impulse that the contacts of the last frame gave a body, bounces included, N s.
    pub fn impulse_on(&self, body: usize) -> Vector3<T> {
        let mut sum = Vector3::zeros();
        let work = &self.solver.work;
        for i in 0..work.rows.len() {
            let mut impulse = self.small.total[i].divided(work.rows.impulse_scale[i]);
            impulse.x += self.small.bounce[i];
            let [on_a, on_b] = work.jacobians[i].wrenches(&impulse);
            let (a, b) = work.jacobians[i].bodies();
            for (index, part) in [(a, on_a), (b, on_b)] {
                if index == body {
                    sum = sum.plus(&part.0);
                }
            }
        }
        sum
    }

    /// Kinetic and potential energy of the world, J.
    fn energies(&self, world: &World<T, NB>) -> (T, T) {
        let states =
            self.masses.iter().enumerate().filter_map(|(body, mass)| Some(mass.kinetic_energy(&world.state(body)?)));
        (states.fold(T::ZERO, |sum, energy| sum + energy), world.potential_energy(&self.settings.gravity))
    }

    #[inline(never)]
    fn find(
        &mut self,
        world: &World<T, NB>,
        detect: &mut Detector<'_, T, NB, NC>,
        dt: T,
    ) -> Result<bool, InputError<T>> {
        self.current = 1 - self.current;
        let [first, second] = &mut self.manifolds;
        let (now, before) = if self.current == 0 { (first, second) } else { (second, first) };
        now.clear();
        let g = self.settings.gravity.dot(&self.settings.gravity).sqrt_or_zero();
        let mut collector = FrameCollector {
            world,
            now,
            before,
            rows_before: &self.solver.work,
            masses: &self.masses,
            search_from: 0,
            claimed: [false; NC],
            margin: self.settings.contact_margin,
            cell: self.settings.cache_cell,
            dt,
            fall: g * dt * dt * T::HALF,
            aligned: true,
            rejected: None,
        };
        let detected = detect(world, &mut collector).and(collector.rejected.map_or(Ok(()), Err));
        let aligned = collector.aligned && collector.now.left_out == 0 && collector.before.left_out == 0;
        if let Err(error) = detected {
            // The frame before is the last one still.
            self.current = 1 - self.current;
            return Err(error);
        }
        Ok(aligned && self.manifolds[0].list.len() == self.manifolds[1].list.len())
    }

    /// Orders rows, and moves those that there are to their new places.
    #[inline(never)]
    fn arrange(&mut self, world: &World<T, NB>) {
        let (now, work, small) = (&self.manifolds[self.current], &mut self.solver.work, &mut self.small);
        order(world, now, &mut work.islands);
        let rows = if self.rows > now.points.len() { self.rows } else { now.points.len() };
        rearrange(&sources(now, &work.islands), rows, |one, other| {
            work.rows.swap(one, other);
            work.jacobians.swap(one, other);
            small.swap_rows(one, other);
        });
    }

    /// Builds the rows that are new, and loads depths.
    #[inline(never)]
    fn prepare_rows(&mut self, bodies: &Bodies<T, NB>, h: T) {
        let (now, work) = (&self.manifolds[self.current], &mut self.solver.work);
        work.bodies = bodies.len();
        work.dt = h;
        work.rows.resize(now.points.len());
        self.rows = now.points.len();
        self.kept_rows = 0;
        for manifold in &now.list {
            for (at, point) in now.points_of(manifold).iter().enumerate() {
                let row = work.islands.row_of(usize::from(manifold.first) + at);
                self.small.load_row(row, point.depth, manifold.material.restitution);
                if manifold.kept {
                    self.kept_rows += 1;
                } else {
                    build_row(work, &mut self.small, bodies, (manifold, point), row);
                }
            }
        }
    }

    /// Loads velocities, masses and forces.
    #[inline(never)]
    fn prepare_bodies(&mut self, world: &World<T, NB>, h: T) {
        let (work, bodies) = (&mut self.solver.work, world.bodies());
        load_velocities(bodies, &mut work.velocity);
        work.driven = false;
        for index in 0..bodies.len() {
            let Some(body) = bodies.get(index) else { break };
            work.driven |= self.masses[index].is_driven(&body.linear_velocity, &body.angular_velocity);
            if body.inverse_mass > T::ZERO {
                let (load, gravity) = (world.load(index), &self.settings.gravity);
                let (linear, angular) = acceleration(&body, &load.force, &load.torque, gravity);
                let Some(orientation) = world.orientations().get(index) else { break };
                let inertia = self.masses[index].inertia_in_world(orientation);
                let force = Velocity::new(&linear.scaled(h), &angular.scaled(h));
                self.small.load_body(index, T::ONE / body.inverse_mass, &inertia, force);
            } else {
                // Bodies that no impulse moves go on as they are.
                work.start[index] = work.velocity[index];
                self.small.load_body(index, T::ZERO, &Matrix3::zeros(), Velocity::ZERO);
            }
        }
    }

    /// Moves bodies.
    #[inline(never)]
    fn advance(&mut self, world: &mut World<T, NB>, dt: T) {
        let mut in_island = [false; NB];
        let work = &mut self.solver.work;
        for island in 0..work.islands.count() {
            work.islands.select(island);
            for body in work.islands.members() {
                in_island[body] = true;
            }
        }
        let substeps = T::integer(self.settings.substeps as i16);
        let (gravity, ledger) = (&self.settings.gravity, &mut self.report.ledger);
        for (body, in_island) in in_island.into_iter().enumerate().take(world.len()) {
            if in_island {
                let ways = Ways {
                    velocity: work.velocity[body],
                    moved: self.small.moved[body],
                    passive: self.small.passive_way[body],
                    forced: self.small.forced_way[body],
                };
                advance_in_contact(world, body, &ways, &self.masses[body], gravity, dt, ledger);
            } else {
                fly(world, body, &self.small.force[body].scaled(substeps), dt, ledger);
            }
        }
    }
}

/// Builds the row of a manifold's point. The impulse that the row had, if it had one, goes over as a vector in the world.
fn build_row<T: Real, const NB: usize, const NC: usize>(
    work: &mut SolverWorkspace<T, NB, NC>,
    small: &mut SmallSteps<T, NB, NC>,
    bodies: &Bodies<T, NB>,
    (manifold, point): (&KeptManifold<T>, &KeptPoint<T>),
    row: usize,
) {
    let pair = (bodies.mass_properties(usize::from(manifold.a)), bodies.mass_properties(usize::from(manifold.b)));
    let (Some(a), Some(b), true) = (pair.0, pair.1, row < NC) else { return };
    let old = if point.row == NO_ROW {
        Vector3::zeros()
    } else {
        work.jacobians[row].frame().to_world(&work.rows.impulse[row]).divided(work.rows.impulse_scale[row])
    };
    let (r_a, r_b) = manifold.arms(point);
    let (r_a, r_b) = (without_noise(&r_a), without_noise(&r_b));
    let (slot, site) = (&mut work.jacobians[row], manifold.site(&r_a, &r_b));
    let (block, impulse_scale) = Block::new(&slot.pack(&site, a, b));
    slot.set_impulse_scale(impulse_scale);
    let frame = slot.frame();
    small.set_block(row, &block, &frame, &site);
    work.rows.set(row, block, impulse_scale, manifold.material.mu, &frame);
    work.rows.sigma[row] = T::ZERO;
    work.rows.impulse[row] = work.rows.cone[row].clamp(&frame.components(&old).scaled(impulse_scale));
}

fn acceleration<T: Real>(
    body: &Body<T>,
    force: &Vector3<T>,
    torque: &Vector3<T>,
    gravity: &Vector3<T>,
) -> (Vector3<T>, Vector3<T>) {
    (gravity.plus(&force.scaled(body.inverse_mass)), times(&body.inverse_inertia_world, torque))
}

/// Rejects forces that would make a body too fast within the frame.
fn validate_forces<T: Real, const NB: usize>(
    world: &World<T, NB>,
    gravity: &Vector3<T>,
    dt: T,
) -> Result<(), InputError<T>> {
    for index in 0..world.len() {
        let Some(body) = world.bodies().get(index).filter(|body| body.inverse_mass > T::ZERO) else { continue };
        let load = world.load(index);
        let (linear, angular) = acceleration(&body, &load.force, &load.torque, gravity);
        let (linear, angular) =
            (body.linear_velocity.plus(&linear.scaled(dt)), body.angular_velocity.plus(&angular.scaled(dt)));
        validate_velocities(index, &linear, &angular)?;
    }
    Ok(())
}
