//! A step: where bodies touch, once; then small steps; then motion.
//!
//! ```text
//! manifolds → rows, kept where bodies rest → n small steps, island by island → move → remember
//! ```
//!
//! Small steps are described in `small_steps`, kept rows in [`kept`](crate::step::kept), motion and its energies in
//! [`motion`](crate::step::motion).
use arrayvec::ArrayVec;

use crate::direct::memory::DirectView;
use crate::local::block::Coupling;
use crate::math::real::{Real, larger};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::error::InputError;
use crate::problem::observer::{ContactRecord, FoundContacts, Observer};
use crate::problem::step_settings::StepSettings;
use crate::problem::stop_check::StopCheck;
use crate::problem::wrench::Wrench;
use crate::solve::hooks::Hooks;
use crate::solve::kept_factor::KeptFactor;
use crate::solve::small_steps::SmallSteps;
use crate::solve::solver::Solver;
use crate::step::arrange::NO_ROW;
use crate::step::cache::Sliding;
use crate::step::cache_bytes::CacheError;
use crate::step::contact_collector::ContactCollector;
use crate::step::detector::Detector;
use crate::step::kept::{Generations, KeptContacts};
use crate::step::masses::BodyMass;
use crate::step::report::StepReport;
use crate::step::world::World;
use crate::sweep::lent_lanes::LentLanes;

/// Without an observer no records are built.
pub(crate) type OptionalObserver<'a, T> = Option<&'a mut dyn Observer<T>>;

/// What the caller adds to a step.
pub(crate) struct Added<'a, T: Real> {
    pub observer: OptionalObserver<'a, T>,
    pub lanes: LentLanes<'a, T>,
}

impl<'a, T: Real> Added<'a, T> {
    /// An observer only.
    #[inline(always)]
    pub fn observer(observer: OptionalObserver<'a, T>) -> Self {
        Added { observer, lanes: LentLanes::default() }
    }
}

/// State between steps and scratch of a step, inline.
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
pub struct Pipeline<T: Real, const NB: usize, const NC: usize, const NF: usize = NC, R: ContactRows = ThreeRows> {
    /// May be changed between steps.
    pub settings: StepSettings<T>,
    pub(crate) solver: Solver<T, NB, NC, R>,
    pub(crate) small: SmallSteps<T, NB, NC, R>,
    pub(crate) factor: KeptFactor<T, NF>,
    pub(crate) kept: Generations<T, NC, R>,
    /// The row of each contact in the step before, if it keeps it.
    pub(crate) sources: ArrayVec<u16, NC>,
    /// Whether the solver's rows are those of the kept contacts.
    pub(crate) rows_hold: bool,
    /// Whether the last step was taken.
    pub(crate) stepped: bool,
    pub(crate) masses: [BodyMass<T>; NB],
    /// Which bodies have contacts.
    pub(crate) in_island: [bool; NB],
    /// Joints of the last step.
    pub(crate) joint_count: R::IfJoints<u16, 1>,
    /// Length of the last step, s.
    pub(crate) dt: T,
    /// Kept here to save stack.
    pub(crate) report: StepReport<T>,
}

impl<T: Real, const NB: usize, const NC: usize> Pipeline<T, NB, NC> {
    /// A pipeline without kept contacts.
    pub const fn new(settings: StepSettings<T>) -> Self {
        Self::with_factor_memory(settings)
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// The same with memory for a kept factor of `NF` blocks of 6×6 numbers: one for every body at rest and one for
    /// every pair that touches, and some more where pairs form loops. `NC` blocks, the default, are enough for bodies
    /// that touch at several points; `n` balls in a column need `2 n − 1`. Islands that do not fit are stepped without
    /// it, and the report says so. 0 leaves out the factor and its code.
    pub const fn with_factor_memory(settings: StepSettings<T>) -> Self {
        const { assert!(NF <= u16::MAX as usize, "indices are 16 bits wide") };
        Pipeline {
            settings,
            solver: Solver::empty(),
            small: SmallSteps::new(),
            factor: KeptFactor::new(),
            kept: Generations::new(),
            sources: ArrayVec::new_const(),
            rows_hold: false,
            stepped: false,
            masses: [BodyMass::NONE; NB],
            in_island: [false; NB],
            joint_count: R::IfJoints::PLAIN,
            dt: T::ONE,
            report: StepReport::EMPTY,
        }
    }

    /// Moves the world on by `dt` seconds. `detect` is called once and collects where bodies touch, or may touch within
    /// the step (see [`Pipeline::search_margin`]); for manifolds that were found before, pass
    /// [`manifolds`](crate::manifolds). An error of `detect` or of the collector rejects the step, and a rejected step
    /// changes neither world nor kept contacts.
    pub fn step(
        &mut self,
        world: &mut World<T, NB, R>,
        mut detect: impl FnMut(&World<T, NB, R>, &mut ContactCollector<'_, T, NB, NC, R>) -> Result<(), InputError<T>>,
        dt: T,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.step_dynamic(world, &mut detect, dt, &mut StopCheck::new(None), Added::observer(None), None)
    }

    /// Steps like [`Pipeline::step`], with hooks. `should_stop` ends the solve, not the step: the step is taken either
    /// way, with the impulses that there are, and the report says that the deadline passed. It is asked before every
    /// substep of an island, within those that are solved as in a single solve, and in a frame without substeps before
    /// a kept factor is made and before every round after the first. Direct methods take part in solved substeps if
    /// there is memory for them.
    #[inline(always)]
    pub fn step_with(
        &mut self,
        world: &mut World<T, NB, R>,
        mut detect: impl FnMut(&World<T, NB, R>, &mut ContactCollector<'_, T, NB, NC, R>) -> Result<(), InputError<T>>,
        dt: T,
        hooks: Hooks<'_, T>,
    ) -> Result<StepReport<T>, InputError<T>> {
        let Hooks { should_stop, mut direct, observer, lanes } = hooks;
        let (stop, added) = (&mut StopCheck::new(should_stop), Added { observer, lanes: LentLanes::new(lanes) });
        self.step_dynamic(world, &mut detect, dt, stop, added, direct.as_mut())
    }

    /// Gap up to which a detector should look for contacts, m: the contact margin, twice the way of the fastest body
    /// within the step, and what gravity adds. A body that is long and spins fast needs more: add its length times its
    /// angular velocity times `dt`. A body that another one sets in motion within the step meets a third one in the
    /// next step.
    pub fn search_margin(&self, world: &World<T, NB, R>, dt: T) -> T {
        let mut fastest = T::ZERO;
        for (body, v) in world.bodies().linear_velocities().iter().enumerate() {
            let half_push = world.bodies().inverse_mass(body) * dt * T::HALF;
            let mean = world.load(body).map_or(*v, |load| v.plus(&load.force.scaled(half_push)));
            fastest = larger(fastest, larger(v.dot(v), mean.dot(&mean)));
        }
        self.settings.contact_margin + T::lit(2.0) * fastest.sqrt_or_zero() * dt + self.fall(dt)
    }

    /// The contacts that the next step takes over. Copy them with the world to save the state for rollback.
    pub fn cache(&self) -> &KeptContacts<T, NC, R> {
        self.kept.now()
    }

    /// Restores saved contacts; the world that they were saved with goes with them.
    pub fn set_cache(&mut self, contacts: KeptContacts<T, NC, R>) {
        *self.kept.now_mut() = contacts;
        self.forget_rows();
    }

    /// Restores contacts that were saved as bytes. Rejected bytes change nothing.
    pub fn restore_cache(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        self.kept.now_mut().restore(bytes)?;
        self.forget_rows();
        Ok(())
    }

    /// Forgets all contacts: the next step starts cold.
    pub fn clear_cache(&mut self) {
        self.kept.now_mut().clear();
        self.forget_rows();
    }

    /// The report of the last step; `None` after a rejected step.
    pub fn report(&self) -> Option<&StepReport<T>> {
        self.stepped.then_some(&self.report)
    }

    /// How many contacts the last step had; none after a rejected step.
    pub fn contact_count(&self) -> usize {
        if self.stepped { self.cache().len() } else { 0 }
    }

    /// A contact of the last step, with its impulses over the whole step.
    pub fn contact(&self, index: usize) -> Option<ContactRecord<T>> {
        if self.stepped { self.record_of(index) } else { None }
    }

    /// All contacts of the last step.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRecord<T>> + '_ {
        (0..self.contact_count()).filter_map(|index| self.contact(index))
    }

    /// How strongly a contact's normal and friction are coupled in the last step.
    pub fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        if self.stepped { self.solver.coupling(index) } else { None }
    }

    /// For how many steps in a row a contact has slid, and in which direction. Zero without friction: there, sliding
    /// and rest cannot be distinguished.
    pub fn sliding(&self, index: usize) -> Option<Sliding<T>> {
        let ContactRecord { t1, t2, t1_impulse, t2_impulse, .. } = self.contact(index)?;
        let frames = self.cache().points.get(index)?.sliding;
        Some(Sliding::of_friction(&t1.scaled(t1_impulse).plus(&t2.scaled(t2_impulse)), frames))
    }

    /// Mean force and torque of contacts on a body over the last step.
    pub fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        if self.stepped { self.mean_wrench(body, self.dt) } else { None }
    }

    fn forget_rows(&mut self) {
        (self.rows_hold, self.stepped) = (false, false);
    }

    /// Way of a fall from rest within a step, m.
    fn fall(&self, dt: T) -> T {
        self.settings.gravity.dot(&self.settings.gravity).sqrt_or_zero() * dt * dt * T::HALF
    }

    /// Not generic in the detector and the hooks: one copy of the code serves all callers.
    #[inline(never)]
    fn step_dynamic(
        &mut self,
        world: &mut World<T, NB, R>,
        detect: &mut Detector<'_, T, NB, NC, R>,
        dt: T,
        stop: &mut StopCheck<'_>,
        added: Added<'_, T>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.stepped = false;
        let h = self.settings.validate(dt)?;
        self.load_bodies(world, (dt, h))?;
        let aligned = self.find(world, detect, (dt, h))? && !self.joints_changed(world);
        Ok(self.take(world, (dt, h), aligned, stop, added, direct))
    }

    /// Takes a step again: the pipeline's contacts are those that it began with.
    pub(crate) fn step_again(
        &mut self,
        world: &mut World<T, NB, R>,
        (dt, found): (T, FoundContacts),
        stop: &mut StopCheck<'_>,
        observer: OptionalObserver<'_, T>,
        direct: Option<&mut DirectView<'_, T>>,
    ) -> Result<StepReport<T>, InputError<T>> {
        self.forget_rows();
        let h = self.settings.validate(dt)?;
        self.load_bodies(world, (dt, h))?;
        self.sources.clear();
        self.prepare(world, h, false);
        self.restore_factors();
        self.kept.now_mut().forget_factors();
        (self.report.warm_started, self.report.kept) = (usize::from(found.warm_started), usize::from(found.kept));
        Ok(self.take(world, (dt, h), true, stop, Added::observer(observer), direct))
    }

    /// Finds where bodies touch; returns whether every contact has the row that it had.
    #[inline(never)]
    fn find(
        &mut self,
        world: &World<T, NB, R>,
        detect: &mut Detector<'_, T, NB, NC, R>,
        (dt, h): (T, T),
    ) -> Result<bool, InputError<T>> {
        let fall = self.fall(dt);
        self.sources.clear();
        let (now, before) = self.kept.advance();
        now.take_over_joints(before, h);
        let mut collector = ContactCollector {
            world,
            now,
            before,
            rows_before: self.rows_hold.then_some(&self.solver.work.islands),
            sources: &mut self.sources,
            masses: &self.masses,
            search_from: 0,
            claimed: [false; NC],
            margin: self.settings.contact_margin,
            cell: self.settings.cache_cell,
            dt,
            fall,
            forces: &self.small.force,
            half_substeps: T::integer(self.settings.substeps as i16) * T::HALF,
            rescaling: before.rescaling(h),
            aligned: self.rows_hold,
            warm_started: 0,
            rejected: None,
        };
        let detected = detect(world, &mut collector).and(collector.rejected.map_or(Ok(()), Err));
        let aligned = collector.aligned && collector.now.left_out == 0 && collector.before.left_out == 0;
        self.report.warm_started = collector.warm_started;
        self.report.kept = self.sources.iter().filter(|row| **row != NO_ROW).count();
        if let Err(error) = detected {
            // The contacts of the step before are the last ones still.
            self.kept.go_back();
            return Err(error);
        }
        Ok(aligned && self.kept.are_as_many())
    }
}
