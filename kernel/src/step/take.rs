//! A step from the contacts that were found. It cannot fail.
use core::cell::Cell;

use nalgebra::Vector3;

use crate::direct::memory::DirectView;
use crate::math::real::{Real, larger};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::Report;
use crate::problem::stop_check::StopCheck;
use crate::solve::small_steps::undivided::Factored;
use crate::solve::small_steps::{Division, FrameTask, IslandFrame, SmallSteps};
use crate::solve::solver::Solver;
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::{Velocity, kinetic_energy};
use crate::step::kept::KeptContacts;
use crate::step::motion::{Ways, advance_in_contact, advance_jointed, fly};
use crate::step::notify::notify_bodies;
use crate::step::pipeline::{Added, OptionalObserver, Pipeline};
use crate::step::report::{StepReport, island_report};
use crate::step::world::World;
use crate::sweep::lent_lanes::LentLanes;

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// Takes the step.
    pub(crate) fn take(
        &mut self,
        world: &mut World<T, NB, R>,
        (dt, h): (T, T),
        aligned: bool,
        stop: &mut StopCheck<'_>,
        Added { mut observer, lanes }: Added<'_, T>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> StepReport<T> {
        self.load_joints(world);
        if let Some(observer) = &mut observer {
            self.notify_step(world, dt, DirectView::size_of(direct.as_deref()), aligned, *observer);
        }
        self.prepare(world, h, aligned);
        self.open_report();
        stop.start_counting();
        self.solve(world, h, stop, &mut observer, lanes, direct);
        self.book_joints();
        self.advance(world, dt);
        self.remember(h);
        self.remember_joints();
        (self.dt, self.rows_hold, self.stepped) = (dt, true, true);
        if let Some(observer) = observer {
            self.notify_contacts(observer);
            self.notify_joints(observer);
            notify_bodies(world, observer);
            observer.solved(stop.stopped_at());
        }
        self.report
    }

    /// Reports what was found.
    #[inline(never)]
    fn open_report(&mut self) {
        let kept = self.kept.now();
        self.report.contacts = kept.len();
        self.report.contacts_left_out = kept.left_out;
        self.report.islands = self.solver.work.islands.count();
        for point in &kept.points {
            self.report.depth = larger(self.report.depth, point.depth);
        }
    }

    /// Takes every island through its small steps.
    #[inline(never)]
    fn solve(
        &mut self,
        world: &World<T, NB, R>,
        h: T,
        stop: &mut StopCheck<'_>,
        observer: &mut OptionalObserver<'_, T>,
        lanes: LentLanes<'_, T>,
        mut direct: Option<&mut DirectView<'_, T>>,
    ) {
        let Pipeline { solver: Solver { work }, small, factor, settings, report, kept, masses, .. } = self;
        let division = Division::new(settings, h);
        let kept = kept.now();
        let task = FrameTask {
            bodies: world.bodies(),
            settings: &settings.solver,
            division,
            driven: work.driven,
            tries_rest: kept.steps == 1,
            contact_margin: settings.contact_margin,
            mass_of: &|body| kept.mass_where_built(masses, body),
            lanes: Cell::new(lanes.shortened()),
        };
        for island in 0..work.islands.count() {
            work.select(island);
            let frame: IslandFrame<T> =
                small.run(work, &task, Factored { factor, island, is_stiff: false }, stop, direct.as_deref_mut());
            let mut solved: Report<T> = island_report(work, &frame, settings.solver.tolerance);
            report.take(&solved, &frame.factor);
            if let Some(observer) = observer {
                solved.energy_after = kinetic_energy(task.bodies, work.islands.bodies(), &work.velocity).value;
                solved.energy_before = solved.energy_after - (solved.bounce_work + solved.contact_work);
                observer.report(island, &solved);
            }
        }
    }

    /// Moves bodies, and books their energies.
    #[inline(never)]
    fn advance(&mut self, world: &mut World<T, NB, R>, dt: T) {
        let substeps = T::integer(self.settings.substeps as i16);
        let (gravity, ledger) = (&self.settings.gravity, &mut self.report.ledger);
        for body in 0..NB {
            if body >= world.len() {
                break;
            }
            let mass = &self.masses[body];
            if let Some(pose) = self.small.jointed_pose(body) {
                let ways = ways_of(&self.solver.work, &self.small, body);
                advance_jointed(world, body, &ways, pose, gravity, dt, ledger);
            } else if self.in_island[body] {
                let ways = ways_of(&self.solver.work, &self.small, body);
                advance_in_contact(world, body, &ways, mass, gravity, dt, ledger);
            } else {
                fly(world, body, &self.small.force[body].scaled(substeps), dt, ledger);
            }
            if let Some(state) = world.state(body) {
                ledger.kinetic_after += mass.kinetic_energy(&state);
                ledger.potential_after += mass.potential_energy(&state, gravity);
            }
        }
    }

    /// Keeps the impulses that the next step begins with.
    fn remember(&mut self, h: T) {
        let work = &self.solver.work;
        let KeptContacts { list, points, surfaces, substep, .. } = self.kept.now_mut();
        *substep = h;
        for (contact, point) in points.iter_mut().enumerate() {
            let row = work.row(contact);
            point.impulse = work.rows.impulse[row].divided(work.rows.impulse_scale[row]);
            if R::HAS_MOMENTS
                && let Some(manifold) = list.get(usize::from(point.manifold))
            {
                point.impulse = work.impulse_to_keep(row, &manifold.normal, &work.rows.impulse);
                surfaces
                    .set_moment(contact, &work.moment_to_keep(row, &work.rows.impulse).unwrap_or_else(Vector3::zeros));
            }
            point.hold = self.factor.hold.get(row).copied().unwrap_or_default();
            point.sliding = if work.rows.slides(row) { point.sliding.saturating_add(1) } else { 0 };
        }
        for manifold in list {
            manifold.island = self.small.island[work.row(usize::from(manifold.first))];
        }
    }
}

/// What small steps did to a body.
#[inline(always)]
fn ways_of<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    small: &SmallSteps<T, NB, NC, R>,
    body: usize,
) -> Ways<T> {
    let at = |column: &[Velocity<T>; NB]| column.get(body).copied().unwrap_or(Velocity::ZERO);
    Ways {
        velocity: at(&work.velocity),
        moved: at(&small.moved),
        passive: at(&small.passive_way),
        forced: at(&small.forced_way),
    }
}
