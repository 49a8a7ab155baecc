//! An island through a frame: which kind of substep it takes, and how well it is solved at the end.
use crate::direct::memory::DirectView;
use crate::math::real::{Real, infinity};
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::kept::{FactorState, IslandState};
use crate::problem::settings::{LocalRule, MethodChoice, Settings, SweepOrder};
use crate::problem::status::{Method, Status};
use crate::problem::stop_check::StopCheck;
use crate::solve::contact_phase::ContactPhase;
use crate::solve::small_steps::friction::Impulses;
use crate::solve::small_steps::guard::is_driven;
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::undivided::{Factored, Missing};
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::residual::measure;

/// Contacts of an island that is solved to the tolerance whatever the settings say, and the sweeps that its substeps
/// may take.
const SMALL_ISLAND: usize = 8;
const SMALL_ISLAND_SWEEPS: u32 = 16;
/// Sweeps from which on a contact phase counts as solved. With fewer, what they leave needs the soft pass.
pub(super) const SOLVED: u32 = 16;

/// Passes go forward, and by default solve each contact exactly.
pub(crate) fn exact_sweeper<T: Real>(rule: LocalRule) -> Sweeper<T> {
    Sweeper { rule, relaxation: T::ONE, order: SweepOrder::Forward }
}

/// Solves every contact of the island, one after another.
#[inline(never)]
pub(crate) fn exact_pass<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    rule: LocalRule,
) {
    exact_sweeper(rule).run(&mut work.rows, &mut BodySpace::new(&work.jacobians, &mut work.velocity), 0);
}

/// Sweeps of a contact phase at the most. Small islands may have more than the settings say, unless they converge
/// slowly, or a tolerance of 0 asks for a fixed number.
pub(super) fn sweep_limit<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &SolverWorkspace<T, NB, NC, R>,
    settings: &Settings<T>,
    converges_slowly: bool,
) -> u32 {
    let is_small = work.rows.contacts() <= SMALL_ISLAND && settings.tolerance > T::ZERO && !converges_slowly;
    if is_small && settings.sweeps < SMALL_ISLAND_SWEEPS { SMALL_ISLAND_SWEEPS } else { settings.sweeps }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Takes the selected island through the frame. How well its last contact phase is solved is in `work.phase`.
    pub fn run<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        mut kept: Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> IslandFrame<T> {
        if self.select_joints(kept.island) {
            return self.run_jointed(work, task, &mut kept, stop);
        }
        let mut frame = IslandFrame::EMPTY;
        task.forget_lanes();
        work.phase.reset(Method::BlockPgs);
        work.driven = task.driven && is_driven(work, task.bodies);
        let restitution = self.restitution.get(work.rows.window()).unwrap_or(&[]);
        let bounces = restitution.iter().any(|restitution| *restitution > T::ZERO);
        self.sum_kicks(work);
        self.load_contact_velocities(work);
        let before = self.island.get(work.rows.window()).unwrap_or(&[]);
        let tries_rest = task.tries_rest || before.iter().any(|island| island.rested);
        frame.converges_slowly = before.iter().any(|island| island.converges_slowly);
        kept.is_stiff = before.iter().all(|island| island.stiff);
        let (mut factored, mut is_late) = (before.iter().any(|island| island.factor != FactorState::None), false);
        if tries_rest && !(bounces && self.may_bounce(work, task)) {
            let Settings { tolerance, method, .. } = *task.settings;
            // The factor knows sliding friction only.
            let may_factor = NF > 0 && tolerance > T::ZERO && method != MethodChoice::Sweeps && work.rows.are_plain();
            factored = may_factor && kept.factor.reserve(work, kept.island);
            frame.factor.memory_too_small = may_factor && !factored;
            let missing = if factored {
                self.undivided(work, task, &mut kept, stop, &mut frame)
            } else {
                Err(Missing::Impossible)
            };
            frame.rested = match missing {
                Ok(rested) => rested,
                Err(Missing::Late) => false,
                Err(Missing::Impossible) => self.rest(work, task, &mut frame),
            };
            is_late = matches!(missing, Err(Missing::Late));
        }
        if !frame.rested {
            self.take_substeps(work, task, bounces, stop, direct, &mut frame);
        }
        let factor = if factored { FactorState::Reserved } else { FactorState::None };
        // A factor that was late is made in the next frame.
        let IslandFrame { rested, converges_slowly, .. } = frame;
        let state = IslandState { rested: rested || is_late, converges_slowly, factor, stiff: kept.is_stiff };
        for i in work.rows.window() {
            self.island[i] = state;
        }
        frame
    }

    /// Whether a contact could bounce within the frame: forces alone make it approach fast enough.
    fn may_bounce(&self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) -> bool {
        let (threshold, count) = (task.settings.restitution_threshold, T::integer(task.division.substeps as i16));
        let mut may = false;
        for i in work.rows.window() {
            let forced = work.jacobians[i].normal_of(&self.forced[i]);
            may |= self.restitution[i] > T::ZERO && -(self.arrival_speed[i] + count * forced) > threshold;
        }
        may
    }

    /// Takes an island that moves through its substeps.
    fn take_substeps(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        bounces: bool,
        stop: &mut StopCheck<'_>,
        mut direct: Option<&mut DirectView<'_, T>>,
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        self.guard_warm_start(work, task.bodies);
        let is_solved = sweep_limit(work, task.settings, false) >= SOLVED;
        frame.books_substeps = is_solved || division.substeps == 1;
        for number in 0..division.substeps {
            let sweeps = sweep_limit(work, task.settings, frame.converges_slowly);
            self.move_driven(work, task.bodies, T::integer(number as i16) * division.h);
            let direct = direct.as_deref_mut();
            if stop.is_over() {
                frame.interrupted = true;
                self.coast(work, task, frame);
            } else if bounces && self.find_impacts(work, task) {
                self.impact_substep(work, task, stop, direct, frame);
            } else if sweeps >= SOLVED {
                self.solved_substep(work, task, (number, sweeps), stop, direct, frame);
            } else {
                self.begin(work, division);
                self.warm_start(work);
                self.soft_phase(work, task, number, stop, direct, frame);
            }
            self.add_impulses(work);
        }
        self.measure(work);
        if !frame.books_substeps {
            frame.friction_work = self.friction_work(work, task.bodies, Impulses::OfFrame);
        }
        if frame.interrupted {
            // Only an exact pass leaves every impulse in its cone.
            work.clamp_impulses();
        }
    }

    /// Scales down impulses of the last frame that would add energy in this one: loads may have changed since, and kept
    /// contacts may have been restored from bytes.
    fn guard_warm_start(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, bodies: &Bodies<T, NB>) {
        for body in work.islands.members() {
            self.arrival[body] = work.velocity[body];
            work.start[body] = work.velocity[body].plus(&self.force[body]);
            work.velocity[body] = work.start[body].plus(&self.kick[body]);
        }
        self.guard(work, bodies, &mut 0);
        for body in work.islands.members() {
            work.velocity[body] = self.arrival[body];
        }
    }

    /// A substep after the deadline: the impulses of the last one, without any pass.
    fn coast(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        frame: &mut IslandFrame<T>,
    ) {
        self.begin(work, &task.division);
        self.set_resting_targets(work, &task.division);
        self.set_start_speed(work);
        self.warm_start(work);
        self.guard_contacts(work, task, frame);
        self.advance(work, &task.division);
        self.end(work, &task.division);
    }

    /// Moves bodies that no impulse moves to where they are `time` seconds after the frame began.
    pub(super) fn move_driven(&mut self, work: &SolverWorkspace<T, NB, NC, R>, bodies: &Bodies<T, NB>, time: T) {
        if !work.driven {
            return;
        }
        for (body, (moved, velocity)) in self.moved.iter_mut().zip(&work.velocity).enumerate().take(bodies.len()) {
            if !bodies.is_movable(body) {
                *moved = velocity.scaled(time);
            }
        }
    }

    /// Adds a substep's impulses to the frame's.
    pub(super) fn add_impulses(&mut self, work: &SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            self.total[i] = self.total[i].plus(&work.rows.impulse[i]);
        }
    }

    /// A soft substep after its warm start: a soft pass, motion, an exact pass.
    #[inline(never)]
    pub(super) fn soft_phase(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        number: u32,
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        self.soft_pass(work, division);
        self.advance(work, division);
        self.move_driven(work, task.bodies, division.h * T::integer(number as i16 + 1));
        self.set_targets(work, division);
        frame.sweeps += 2;
        if task.settings.sweeps > 1 || number + 1 == division.substeps {
            self.set_start_speed(work);
            exact_pass(work, task.settings.local);
            self.sweep_on(work, task, task.settings.sweeps.saturating_sub(1), stop, direct, frame);
        } else {
            self.holding_pass(work, task.settings.local);
        }
        self.guard_contacts(work, task, frame);
        self.end(work, division);
    }

    /// Further sweeps of a contact phase, up to the tolerance and so many.
    #[inline(never)]
    pub(super) fn sweep_on(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        sweeps: u32,
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
        frame: &mut IslandFrame<T>,
    ) {
        // A single contact is solved by its first visit.
        if sweeps == 0 || work.rows.contacts() == 1 {
            return;
        }
        self.set_waiting_targets(work);
        let more = Settings { sweeps, ..*task.settings };
        let SolverWorkspace { rows, jacobians, velocity, start, phase, .. } = work;
        let mut space = BodySpace::new(jacobians, velocity);
        space.start = Some(&*start);
        let phase_of = ContactPhase::new(&more, self.start_speed, phase);
        task.lanes.set(phase_of.solve(rows, &mut space, stop, direct, task.lanes.take()));
        frame.sweeps += phase.sweeps;
        frame.interrupted |= phase.status == Status::Deadline;
    }

    /// Guards a contact phase, and books its work.
    #[inline(never)]
    pub(super) fn guard_contacts(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        frame: &mut IslandFrame<T>,
    ) {
        frame.contact_work += self.guard(work, task.bodies, &mut frame.guarded);
        if frame.books_substeps {
            frame.friction_work += self.friction_work(work, task.bodies, Impulses::OfRows(T::ONE));
        }
    }

    /// Measures how far the last contact phase is from solved.
    #[inline(never)]
    pub(super) fn measure(&self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        self.set_waiting_targets(work);
        let SolverWorkspace { rows, jacobians, velocity, phase, .. } = work;
        measure(rows, &BodySpace::new(jacobians, velocity), self.start_speed, infinity(), &mut phase.residual);
    }

    /// A contact that waits for its bounce asks for nothing yet, and its speed is not the scale of what others ask for.
    fn set_waiting_targets(&self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            let (a, b) = work.jacobians[i].bodies();
            let velocities = (work.velocity.get(a), work.velocity.get(b));
            if let (Some(a), Some(b), Impact::Waits) = (velocities.0, velocities.1, self.impact[i]) {
                let u = self.normal_velocity(i, a, b);
                work.rows.target[i] = u + T::lit(1.0 / 16.0) * u;
            }
        }
    }
}
