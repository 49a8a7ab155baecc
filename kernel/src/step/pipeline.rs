//! From frame to frame: forces, contacts, cache, solve, motion, in `substeps` equal parts.
//!
//! ```text
//! manifolds → contacts → forces → warm start → islands → move → remember
//! ```
//!
//! Velocities first, then positions with the new velocities: semi-implicit Euler for bodies that contacts hold. Bodies
//! that fly move along the exact parabola of gravity and load. Contacts are made before forces act: a bounce happens at
//! the step's start, with the velocity that the body arrived with, and the step's forces act after the bounce. So a
//! ball keeps its energy to rounding in flight and in a bounce without loss, at any step length. The only error left:
//! the bounce is detected up to one step's motion away from the surface.
use crate::direct::memory::DirectView;
use crate::math::real::{Real, larger};
use crate::problem::bodies::Bodies;
use crate::problem::conditions::{DirectSize, IslandMode, SolveConditions};
use crate::problem::contacts::Contacts;
use crate::problem::error::InputError;
use crate::problem::observer::{BodyRecord, Observer};
use crate::problem::report::Report;
use crate::problem::stop_check::StopCheck;
use crate::problem::wrench::Twist;
use crate::solve::hooks::Hooks;
use crate::solve::notify::{notify_input, notify_outcome};
use crate::solve::solver::Solver;
use crate::solve::task::Task;
use crate::step::cache::ContactCache;
use crate::step::cache_bytes::CacheError;
use crate::step::contact_collector::{ContactCollector, Found};
use crate::step::forces::{accelerate_all, find_in_contact, let_forces_act_on_bounces, work_before_bounces};
use crate::step::integrate::{Motion, advance};
use crate::step::report::StepReport;
use crate::step::saved_step::SavedStep;
use crate::step::settings::StepSettings;
use crate::step::world::{State, World};

/// Collision-detection callback.
type Detector<'a, T, const NB: usize, const NC: usize> =
    dyn FnMut(&World<T, NB>, &mut ContactCollector<'_, T, NB, NC>) -> Result<(), InputError<T>> + 'a;

/// Without an observer no records are built.
type OptionalObserver<'a, T> = Option<&'a mut dyn Observer<T>>;

/// State between steps and scratch of a step, inline. `NP` contact points are cached, by default as many as there can
/// be contacts; with `NP` 0 every solve starts cold, which is the cacheless mode.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::PointId;
/// use stiction::{Manifold, ManifoldPoint, Material};
/// use stiction::{Pipeline, RigidBody, StepSettings, ContactCollector, World};
///
/// let rough = Material { mu: 0.5, restitution: 0.0 };
/// let mut world = World::<f64, 2>::new();
/// let ground = world.push(RigidBody { material: rough, ..RigidBody::fixed() })?;
/// let ball = world.push(RigidBody {
///     position: Vector3::new(0.0, 0.0, 1.5),
///     material: rough,
///     ..RigidBody::from_mass(1.0, Matrix3::identity() * 0.4)
/// })?;
///
/// let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// for _ in 0..120 {
///     let on_ground = |world: &World<f64, 2>, collector: &mut ContactCollector<'_, f64, 2, 1>| {
///         let center = world.positions()[ball];
///         let (on_a, on_b) = (Vector3::new(center.x, center.y, 0.0), center - Vector3::z());
///         let mut manifold = Manifold::new(ground, ball, Vector3::z());
///         manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(0) });
///         collector.push(&manifold)
///     };
///     pipeline.step(&mut world, on_ground, 1.0 / 60.0)?;
/// }
/// assert!((world.positions()[ball].z - 1.0).abs() < 0.02);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct Pipeline<T: Real, const NB: usize, const NC: usize, const NP: usize = NC> {
    /// May be changed between steps.
    pub settings: StepSettings<T>,
    solver: Solver<T, NB, NC>,
    found: Found<T, NC>,
    cache: ContactCache<T, NP>,
    /// Cache slot of each contact's point.
    cache_slots: [u32; NC],
    /// Bodies with a contact impulse beyond a bounce, or immovable, in the last substep.
    in_contact: [bool; NB],
    /// State at the start of the step, restored if a later substep is rejected.
    saved: SavedStep<T, NB, NP>,
    /// Length of a substep, s.
    dt: T,
    /// Kept here to save stack.
    report: StepReport<T>,
}

impl<T: Real, const NB: usize, const NC: usize, const NP: usize> Pipeline<T, NB, NC, NP> {
    /// A pipeline with an empty cache.
    pub const fn new(settings: StepSettings<T>) -> Self {
        Pipeline {
            dt: T::ONE,
            report: StepReport::EMPTY,
            settings,
            solver: Solver::new(),
            found: Found::new(),
            cache: ContactCache::new(),
            cache_slots: [0; NC],
            in_contact: [false; NB],
            saved: SavedStep::new(),
        }
    }

    /// Moves the world on by `dt` seconds. `detect` is called in every substep and collects where bodies touch; for
    /// manifolds that were found before, pass [`manifolds`](crate::manifolds). An error of `detect` or of the collector
    /// rejects the step, and a rejected step changes neither world nor cache. (An observer may have received substeps
    /// before the rejected one.)
    pub fn step(
        &mut self,
        world: &mut World<T, NB>,
        mut detect: impl FnMut(&World<T, NB>, &mut ContactCollector<'_, T, NB, NC>) -> Result<(), InputError<T>>,
        dt: T,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.step_dynamic(world, &mut detect, dt, &mut StopCheck::new(None), None, None)
    }

    /// Steps like [`Pipeline::step`], with hooks. `should_stop` ends the solve, not the step: the step is taken either
    /// way, and the report says that the deadline passed. Finishing each solve and moving the bodies follows: keep time
    /// for that in reserve.
    #[inline(always)]
    pub fn step_with(
        &mut self,
        world: &mut World<T, NB>,
        mut detect: impl FnMut(&World<T, NB>, &mut ContactCollector<'_, T, NB, NC>) -> Result<(), InputError<T>>,
        dt: T,
        hooks: Hooks<'_, T>,
    ) -> Result<StepReport<T>, InputError<T>> {
        let Hooks { should_stop, mut direct, observer } = hooks;
        self.step_dynamic(world, &mut detect, dt, &mut StopCheck::new(should_stop), observer, direct.as_mut())
    }

    /// Not generic in the detector and the hooks: one copy of the code serves all callers.
    #[inline(never)]
    fn step_dynamic(
        &mut self,
        world: &mut World<T, NB>,
        detect: &mut Detector<'_, T, NB, NC>,
        dt: T,
        stop: &mut StopCheck<'_>,
        mut observer: OptionalObserver<'_, T>,
        mut direct: Option<&mut DirectView<'_, T>>,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.open(world, dt)?;
        for _ in 0..self.settings.substeps {
            let taken =
                self.find(world, detect).and_then(|()| self.substep(world, stop, &mut observer, direct.as_deref_mut()));
            if let Err(error) = taken {
                self.saved.restore(world, &mut self.cache, self.settings.substeps);
                self.found.clear();
                return Err(error);
            }
        }
        self.close(world, &mut observer);
        Ok(self.report)
    }

    /// Validates settings and states, and saves the start of the step.
    #[inline(never)]
    fn open(&mut self, world: &World<T, NB>, dt: T) -> Result<(), InputError<T>> {
        self.dt = self.settings.validate(dt)?;
        world.validate_states()?;
        self.cache.set_cell(self.settings.cache_cell);
        self.report = StepReport::open(world, &self.settings.gravity);
        self.saved.save(world, &self.cache, self.settings.substeps);
        Ok(())
    }

    /// Records the end of the step.
    #[inline(never)]
    fn close(&mut self, world: &World<T, NB>, observer: &mut OptionalObserver<'_, T>) {
        self.report.ledger.kinetic_after = world.kinetic_energy();
        self.report.ledger.potential_after = world.potential_energy(&self.settings.gravity);
        if let Some(observer) = observer {
            notify_bodies(world, *observer);
        }
    }

    /// The contact cache. Copy it with the world to save the state for rollback.
    pub fn cache(&self) -> &ContactCache<T, NP> {
        &self.cache
    }

    /// Restores a saved cache.
    pub fn set_cache(&mut self, cache: ContactCache<T, NP>) {
        self.cache = cache;
    }

    /// Restores a cache that was saved as bytes. Rejected bytes change nothing.
    pub fn restore_cache(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        self.cache.restore(bytes)
    }

    /// Clears the cache: the next step starts cold.
    pub fn clear_cache(&mut self) {
        self.cache.clear();
    }

    /// The contacts of the last substep, as they were solved; none after a rejected step.
    pub fn contacts(&self) -> &Contacts<T, NC> {
        &self.found.contacts
    }

    /// The solver after the last substep: impulses and forces.
    pub fn solver(&self) -> &Solver<T, NB, NC> {
        &self.solver
    }

    #[inline(never)]
    fn find(&mut self, world: &World<T, NB>, detect: &mut Detector<'_, T, NB, NC>) -> Result<(), InputError<T>> {
        self.found.clear();
        let rest_threshold = self.settings.solver.restitution_threshold;
        let margin = self.settings.contact_margin;
        let mut collector = ContactCollector { world, found: &mut self.found, rest_threshold, margin, rejected: None };
        detect(world, &mut collector)?;
        collector.rejected.map_or(Ok(()), Err)
    }

    #[inline(never)]
    fn substep(
        &mut self,
        world: &mut World<T, NB>,
        stop: &mut StopCheck<'_>,
        observer: &mut OptionalObserver<'_, T>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Result<(), InputError<T>> {
        accelerate_all(world, &self.settings.gravity, self.dt, &mut self.report);
        // Loads and gravity within their limits can still make this mass too fast in one step.
        world.validate_states()?;
        self.before_solve(world.bodies(), DirectView::size_of(direct.as_deref()), observer);
        let stopped_at = self.solve(world.bodies_mut(), stop, observer, direct);
        if let Some(observer) = observer {
            let Found { contacts, ids, .. } = &self.found;
            notify_outcome(world.bodies(), contacts, ids, &self.solver.work, stopped_at, *observer);
        }
        self.after_solve(world);
        world.validate_states()?;
        let Found { contacts, ids, .. } = &self.found;
        self.report.not_cached += self.cache.remember_at(contacts, ids, &self.solver, Some(&self.cache_slots));
        Ok(())
    }

    /// Prepares the contacts: effect of forces on bounces, warm start, report, observer.
    #[inline(never)]
    fn before_solve(&mut self, bodies: &Bodies<T, NB>, direct: DirectSize, observer: &mut OptionalObserver<'_, T>) {
        let (report, Found { contacts, ids, left_out }) = (&mut self.report, &mut self.found);
        let_forces_act_on_bounces(bodies, contacts);
        let cache_slots = &mut self.cache_slots;
        report.warm_started = self.cache.warm_start_noting(contacts, ids, |contact, cache_slot| {
            if let Some(slot) = cache_slots.get_mut(contact) {
                *slot = cache_slot;
            }
        });
        report.contacts = contacts.len();
        report.contacts_left_out += *left_out;
        for index in 0..contacts.len() {
            report.depth = larger(report.depth, contacts.depth(index));
        }
        if let Some(observer) = observer {
            let conditions = SolveConditions { islands: IslandMode::Separate, direct };
            notify_input(bodies, contacts, &self.settings.solver, self.dt, conditions, *observer);
        }
    }

    /// The solve itself. Returns the call of `should_stop` that first returned true.
    #[inline(never)]
    fn solve(
        &mut self,
        bodies: &mut Bodies<T, NB>,
        stop: &mut StopCheck<'_>,
        observer: &mut OptionalObserver<'_, T>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Option<u32> {
        let mut sweeps = 0;
        let Pipeline { solver, found: Found { contacts, .. }, settings, dt, report, .. } = self;
        let each = &mut |island: usize, solved: &Report<T>| {
            if let Some(observer) = observer {
                observer.report(island, solved);
            }
            sweeps = if solved.sweeps > sweeps { solved.sweeps } else { sweeps };
            report.take(solved);
        };
        stop.start_counting();
        let task = &mut Task { bodies, contacts, settings: &settings.solver, stop: &mut *stop };
        solver.solve_separately(task, *dt, direct, each);
        report.islands = solver.islands();
        report.sweeps = report.sweeps.saturating_add(sweeps);
        stop.stopped_at()
    }

    /// Moves bodies.
    #[inline(never)]
    fn after_solve(&mut self, world: &mut World<T, NB>) {
        let (gravity, dt, report) = (self.settings.gravity, self.dt, &mut self.report);
        let contacts = &self.found.contacts;
        find_in_contact(world.bodies(), contacts, &self.solver, &mut self.in_contact);
        let [of_gravity, of_loads] = work_before_bounces(contacts, &self.solver, &self.in_contact, world, &gravity, dt);
        report.ledger.bounce += of_gravity + of_loads;
        report.ledger.integration -= of_gravity;
        report.ledger.load -= of_loads;
        for (index, in_contact) in self.in_contact.iter().enumerate().take(world.len()) {
            let correction = self.solver.position_correction(index).unwrap_or(Twist::ZERO);
            let motion = Motion { correction, in_contact: *in_contact };
            advance(world, index, &motion, &gravity, dt, &mut report.ledger);
        }
    }
}

#[inline(never)]
fn notify_bodies<T: Real, const NB: usize>(world: &World<T, NB>, observer: &mut dyn Observer<T>) {
    for body in 0..world.len() {
        if let Some(State { position, orientation, linear, angular }) = world.state(body) {
            observer.body(&BodyRecord { body, position, orientation, linear, angular });
        }
    }
}
