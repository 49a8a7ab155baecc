//! Worlds that are stepped: bodies and contact cache are in the caller's memory.

use core::ffi::c_void;

use stiction::record::ContactRecord;
use stiction::{CacheError, Coupling, FrictionWork, Sliding, Surface};
use stiction::{
    ContactCollector as KernelCollector, InputError, Jointed, Pipeline as KernelPipeline, Real,
    RigidBody as KernelBody, SixRows, StepReport, StepSettings, ThreeRows, World, Wrench,
};

use crate::body_surface::{Moment, StepRows};
use crate::choices;
use crate::error::{Ending, Error, Fault};
use crate::hooks::{Hooks, Lent};
use crate::jointed::Joints;
use crate::manifold::{self, CollectorObject, Detect, Manifold, WorldAndCollector, read_manifold};
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::report;
use crate::rungs::ladder_of_worlds;
use crate::view::{View, read};

/// A world of bodies, moved by steps. Opaque: made by `stiction_f32_pipeline_init`.
pub struct Pipeline<T>(core::marker::PhantomData<T>);

/// One capacity of pipelines. Opaque: there is a function for each compiled one.
pub struct PipelineKind<T>(core::marker::PhantomData<T>);

/// Collision detection of a step.
trait Detector<T: Real>: FnMut(&mut dyn CollectorObject<T>) -> Result<(), InputError<T>> {}

impl<T: Real, F: FnMut(&mut dyn CollectorObject<T>) -> Result<(), InputError<T>>> Detector<T> for F {}

/// A pipeline of any capacity.
pub trait PipelineObject<T: Real> {
    /// Settings, to read and change.
    fn settings(&mut self) -> &mut StepSettings<T>;
    /// Adds a body.
    fn push(&mut self, body: KernelBody<T>) -> Result<usize, InputError<T>>;
    /// A body.
    fn body(&self, index: usize) -> Option<KernelBody<T>>;
    /// Replaces a body.
    fn set_body(&mut self, index: usize, body: KernelBody<T>) -> Result<(), InputError<T>>;
    /// Replaces a body's load.
    fn set_load(&mut self, index: usize, load: Wrench<T>) -> Result<(), InputError<T>>;
    /// Number of bodies.
    fn bodies(&self) -> usize;
    /// Removes all bodies and forgets their contacts.
    fn clear(&mut self);
    /// Advances the world.
    fn step(&mut self, call: Step<'_, '_, T>) -> Result<StepReport<T>, InputError<T>>;
    /// Number of contacts of the last step.
    fn contacts(&self) -> usize;
    /// A contact of the last step.
    fn contact(&self, index: usize) -> Option<ContactRecord<T>>;
    /// How strongly a contact's normal and friction are coupled.
    fn coupling(&self, index: usize) -> Option<Coupling<T>>;
    /// For how long a contact has slid.
    fn sliding(&self, index: usize) -> Option<Sliding<T>>;
    /// Mean force and torque of contacts on a body.
    fn wrench(&self, body: usize) -> Option<Wrench<T>>;
    /// Bytes that the cache takes when saved.
    fn cache_bytes(&self) -> usize;
    /// Saves the cache.
    fn save_cache(&self, out: &mut [u8]) -> Option<usize>;
    /// Restores a saved cache.
    fn restore_cache(&mut self, bytes: &[u8]) -> Result<(), CacheError>;
    /// Forgets all contacts.
    fn clear_cache(&mut self);
    /// Sets a body's friction beyond sliding.
    fn set_surface(&mut self, index: usize, surface: Surface<T>) -> Result<(), Ending<T>>;
    /// A body's friction beyond sliding.
    fn surface(&self, index: usize) -> Result<Surface<T>, Fault>;
    /// A contact's moment in the last step, and the bounds that it has reached.
    fn moment(&self, index: usize) -> Result<Moment<T>, Fault>;
    /// Work of friction in the last step by what it resists.
    fn friction_work(&self) -> Result<FrictionWork<T>, Fault>;
    /// Joints of the world and of the last step; none where there can be none.
    fn jointed(&mut self) -> Option<Joints<'_, T>>;
}

/// Arguments of a step.
pub struct Step<'a, 'h, T: Real> {
    detect: &'a mut dyn Detector<T>,
    dt: T,
    lent: Lent<'h, T>,
}

/// A pipeline and its world.
pub struct Sized<T: Real, const NB: usize, const NC: usize, R: StepRows<T> = ThreeRows> {
    world: World<T, NB, R>,
    pipeline: KernelPipeline<T, NB, NC, NC, R>,
    /// Number of recorded steps.
    solves: u32,
}

impl<T: Real, const NB: usize, const NC: usize, R: StepRows<T>> PipelineObject<T> for Sized<T, NB, NC, R> {
    fn settings(&mut self) -> &mut StepSettings<T> {
        &mut self.pipeline.settings
    }

    fn push(&mut self, body: KernelBody<T>) -> Result<usize, InputError<T>> {
        self.world.push(body)
    }

    fn body(&self, index: usize) -> Option<KernelBody<T>> {
        self.world.get(index)
    }

    fn set_body(&mut self, index: usize, body: KernelBody<T>) -> Result<(), InputError<T>> {
        self.world.set(index, body)
    }

    fn set_load(&mut self, index: usize, load: Wrench<T>) -> Result<(), InputError<T>> {
        self.world.set_load(index, load)
    }

    fn bodies(&self) -> usize {
        self.world.len()
    }

    fn clear(&mut self) {
        self.world.clear();
        self.pipeline.clear_cache();
    }

    fn step(&mut self, call: Step<'_, '_, T>) -> Result<StepReport<T>, InputError<T>> {
        let Step { detect, dt, lent } = call;
        let Sized { world, pipeline, solves } = self;
        let manifolds = |world: &World<T, NB, R>, collector: &mut KernelCollector<'_, T, NB, NC, R>| {
            detect(&mut WorldAndCollector { world, collector })
        };
        lent.recorded::<R, _>(solves, |hooks| pipeline.step_with(world, manifolds, dt, hooks))
    }

    fn contacts(&self) -> usize {
        self.pipeline.contact_count()
    }

    fn contact(&self, index: usize) -> Option<ContactRecord<T>> {
        self.pipeline.contact(index)
    }

    fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        self.pipeline.coupling(index)
    }

    fn sliding(&self, index: usize) -> Option<Sliding<T>> {
        self.pipeline.sliding(index)
    }

    fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        self.pipeline.wrench(body)
    }

    fn cache_bytes(&self) -> usize {
        self.pipeline.cache().saved_bytes()
    }

    fn save_cache(&self, out: &mut [u8]) -> Option<usize> {
        self.pipeline.cache().save(out)
    }

    fn restore_cache(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        self.pipeline.restore_cache(bytes)
    }

    fn clear_cache(&mut self) {
        self.pipeline.clear_cache();
    }

    fn set_surface(&mut self, index: usize, surface: Surface<T>) -> Result<(), Ending<T>> {
        R::set_surface(&mut self.world, index, surface)
    }

    fn surface(&self, index: usize) -> Result<Surface<T>, Fault> {
        R::surface(&self.world, index)
    }

    fn moment(&self, index: usize) -> Result<Moment<T>, Fault> {
        R::moment(&self.pipeline, index)
    }

    fn friction_work(&self) -> Result<FrictionWork<T>, Fault> {
        R::friction_work(&self.pipeline)
    }

    fn jointed(&mut self) -> Option<Joints<'_, T>> {
        R::joints(&mut self.world, &self.pipeline)
    }
}

// SAFETY: columns that are empty because their lengths are 0, numbers, `bool`s, enumerations whose first value has no
// data, and the kernel's pipeline (see `place`).
unsafe impl<T: Real, const NB: usize, const NC: usize, R: StepRows<T>> Zeroed<dyn PipelineObject<T>>
    for Sized<T, NB, NC, R>
{
    fn erased(object: *mut Self) -> *mut dyn PipelineObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_5030 + T::BYTES as u32
}

const fn kind<T: Real, const NB: usize, const NC: usize>() -> Kind<dyn PipelineObject<T>> {
    Kind::of::<Sized<T, NB, NC>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

const fn kind_with_moments<T: Real, const NB: usize, const NC: usize>() -> Kind<dyn PipelineObject<T>> {
    Kind::of::<Sized<T, NB, NC, SixRows>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

const fn kind_with_joints<T: Real, const NB: usize, const NC: usize>() -> Kind<dyn PipelineObject<T>> {
    Kind::of::<Sized<T, NB, NC, Jointed<NB, SixRows>>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

ladder_of_worlds! {
    /// The compiled pipelines: bodies, contacts.
    Pipelines, PipelineObject, kind
}

ladder_of_worlds! {
    /// The compiled pipelines with moments: bodies, contacts; a contact with moments takes two places.
    PipelinesWithMoments, PipelineObject, kind_with_moments
}

ladder_of_worlds! {
    /// The compiled pipelines with joints: bodies and as many joints, contacts. They have moments, too.
    PipelinesWithJoints, PipelineObject, kind_with_joints
}

/// Opens a pipeline.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(pipeline: *const Pipeline<T>) -> Result<Open<'a, dyn PipelineObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(pipeline, magic::<T>(), "pipeline") }
}

/// Makes a pipeline with default settings.
///
/// # Safety
/// `memory` is null or points to `bytes` writable bytes; `pipeline` is null or can be written.
pub unsafe fn init<T: Real>(
    kind: &'static Kind<dyn PipelineObject<T>>,
    memory: *mut u8,
    bytes: usize,
    pipeline: *mut *mut Pipeline<T>,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise; an object that was placed can be opened.
    unsafe {
        crate::rungs::place_at(kind, memory, bytes, pipeline)?;
        *open(pipeline.read())?.settings() = StepSettings::default();
    }
    Ok(())
}

/// Replaces the settings; an error changes nothing. Numbers are checked by the next step.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn set_settings<T: Real>(
    pipeline: *mut Pipeline<T>,
    settings: *const choices::StepSettings<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(pipeline)?;
        *pipeline.settings() = read(settings, "settings")?.to_kernel()?;
    }
    Ok(())
}

/// Arguments of a step called from C.
pub struct StepArguments<T: Real> {
    /// The pipeline.
    pub pipeline: *mut Pipeline<T>,
    /// Seconds.
    pub dt: T,
    /// Optional hooks.
    pub hooks: *const Hooks<T>,
}

/// Steps with manifolds that were found before the call.
///
/// # Safety
/// Pointers are null or point to valid objects of their types; `manifolds` describes `count` of them.
pub unsafe fn step_manifolds<T: Real>(
    call: StepArguments<T>,
    manifolds: View<Manifold<T>>,
    count: usize,
) -> Result<report::StepReport<T>, Ending<T>> {
    // Checked as a column with one manifold per element; read field by field. Stride 0 is rejected: it would repeat one
    // manifold.
    manifolds.column::<1>(count, "manifolds")?;
    if count > 1 && manifolds.stride == 0 {
        return Err(Fault::new(Error::BadStride, "manifolds").into());
    }
    let mut wrong = None;
    let mut detect = |collector: &mut dyn CollectorObject<T>| {
        for index in 0..count {
            // SAFETY: within the column that was checked, readable by the caller's promise.
            let manifold = unsafe { read_manifold(manifolds.data.byte_add(index * manifolds.stride)) };
            match manifold.and_then(|manifold| manifold.to_kernel()) {
                Ok(manifold) => collector.push(&manifold)?,
                Err(fault) => {
                    wrong = Some(fault);
                    return Err(gave_up());
                }
            }
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    let report = unsafe { run(call, &mut detect) };
    wrong.map_or(report, |fault| Err(fault.into()))
}

/// Steps with a function that finds contacts.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn step<T: Real>(
    call: StepArguments<T>,
    detect: Detect<T>,
    user: *mut c_void,
) -> Result<report::StepReport<T>, Ending<T>> {
    let detect = detect.ok_or(Fault::new(Error::NullPointer, "detect"))?;
    let mut wrong = None;
    let mut ask = |collector: &mut dyn CollectorObject<T>| {
        // SAFETY: the caller's promise.
        wrong = unsafe { manifold::call(detect, user, collector) }.err();
        if wrong.is_some() { Err(gave_up()) } else { Ok(()) }
    };
    // SAFETY: the caller's promise.
    let report = unsafe { run(call, &mut ask) };
    wrong.map_or(report, Err)
}

/// Stops a step whose contacts could not be found; the caller gets the actual reason.
fn gave_up<T: Real>() -> InputError<T> {
    InputError { field: stiction::InputField::Setting("detect"), kind: stiction::ErrorKind::BadStructure }
}

/// # Safety
/// Pointers are null or point to valid objects of their types.
unsafe fn run<T: Real>(
    call: StepArguments<T>,
    detect: &mut dyn Detector<T>,
) -> Result<report::StepReport<T>, Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pipeline = open(call.pipeline)?;
        let hooks = Hooks::read(call.hooks)?;
        let report = hooks.lend(|lent| Ok(pipeline.step(Step { detect, dt: call.dt, lent })?))?;
        Ok(report::StepReport::from_kernel(&report))
    }
}
