//! The functions of the single-precision interface, one line each. `build.rs` generates those of double precision from
//! this file.

use core::ffi::{c_char, c_void};

use crate::body_surface::Surface;
use crate::choices::{Settings, StepSettings};
use crate::delassus::{
    self, DelassusAnswer, DelassusObject, DelassusProblem, DelassusSolver, DelassusSolverKind, DelassusSolvers,
    DelassusSolversWithMoments,
};
use crate::diagnostics::{self, ContactDiagnostics};
use crate::direct_memory::{DirectMemories, DirectMemory, DirectMemoryKind, DirectMemoryObject};
use crate::error::{Error, InputError};
use crate::hooks::Hooks;
use crate::input::{Bodies, Contacts};
use crate::joint::{Joint, JointState, JointWork};
use crate::kept::{self, ContactRecord, States};
use crate::kept_joints;
use crate::lanes::{self, Lanes};
use crate::manifold::{self, ContactCollector, Detect, Manifold};
use crate::output::Answer;
use crate::pipeline::{
    self, Pipeline, PipelineKind, PipelineObject, Pipelines, PipelinesWithJoints, PipelinesWithMoments, StepArguments,
};
use crate::place::{Capacity, Kind};
use crate::report::{DelassusReport, FrictionWork, Report, StepReport};
use crate::rungs::{enough, named, place_at};
use crate::solver::{
    self, Arguments, Solver, SolverKind, SolverObject, Solvers, SolversWithMoments, finish, write_wrench,
};
use crate::text;
use crate::view::{View, check_pointer, read};
use crate::world::RigidBody;

/// No output.
const NO_OUTPUT: (*mut (), &str) = (core::ptr::null_mut(), "");
/// No pointer to write an error to.
const NO_ERROR: *mut InputError<f32> = core::ptr::null_mut();

/// The error code of a call that writes no description of its error.
fn error_of<R>(result: Result<R, crate::error::Fault>) -> Error {
    result.map_or_else(|fault| fault.error, |_| Error::Ok)
}

/// Default settings: 50 sweeps, tolerance 1e-5 in single and 1e-9 in double precision, exact rule, no position
/// correction, 10 mm slop, bounces above 0.5 m/s, all islands together.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_settings() -> Settings<f32> {
    Settings::from_kernel(&stiction::Settings::default())
}

/// Default settings of a step: the settings of a solve with at least two sweeps and split impulse, gravity 9.81 m/s^2
/// down along z, one substep, 10 mm margin, 5 mm cells.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_step_settings() -> StepSettings<f32> {
    StepSettings::from_kernel(&stiction::StepSettings::default())
}

/// The same for bodies whose smallest extent is `length` metres: slop, margin and the cells of the contact cache are
/// fractions of it.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_step_settings_for_length(length: f32) -> StepSettings<f32> {
    StepSettings::from_kernel(&stiction::StepSettings::for_length(length))
}

/// A default body: it cannot move, is at the origin, and has no friction.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_fixed_body() -> RigidBody<f32> {
    RigidBody::fixed()
}

/// A body with mass, kg, and inertia about its centre of mass in body axes (9 numbers, kg m^2), at rest at the origin,
/// without friction. `inverse_mass` and `inverse_inertia_body` are also what an engine stores in its own bodies for
/// `stiction_f32_solve`, if the inertia is in world axes. If `inertia` is null, misaligned or has no inverse, the
/// inverse inertia is NaN, which is rejected when the body is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_body_from_mass(mass: f32, inertia: *const f32) -> RigidBody<f32> {
    // SAFETY: the caller's promise, stated in the header.
    let inertia = unsafe { read(inertia.cast(), "inertia") };
    RigidBody::from_mass(mass, inertia.ok())
}

/// Writes an error as a line, such as `contacts[3].mu: must be a finite number`, with at most `size` bytes, including
/// the terminating zero. Returns the length without that zero, which may be larger than `size`. If `out` is null,
/// returns the length only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_error_text(
    input_error: *const InputError<f32>,
    out: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { text::describe(input_error, out, size) }
}

// Solver: bodies and contacts in your own memory.

/// Bytes of memory for a solver with this capacity; 0 if none is large enough. Links all compiled capacities: where
/// that matters, choose one by its kind.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_size(bodies: usize, contacts: usize) -> usize {
    Solvers::<f32>::fit(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates a solver in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
/// `stiction_f32_solver_size` returns. It uses nothing outside that memory: there is no call to free it, and a copy of
/// the memory is a copy of the solver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_init(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    solver: *mut *mut Solver<f32>,
) -> Error {
    let kind = enough(Solvers::<f32>::fit(Capacity { bodies, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// The kind of solver for 8 bodies and 16 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_8_16() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_8_16).cast()
}

/// The kind of solver for 16 bodies and 64 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_16_64() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_16_64).cast()
}

/// The kind of solver for 64 bodies and 256 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_64_256() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_64_256).cast()
}

/// The kind of solver for 256 bodies and 1024 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_256_1024() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_256_1024).cast()
}

/// The kind of solver for 1024 bodies and 4096 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_1024_4096() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_1024_4096).cast()
}

/// The kind of solver for 4096 bodies and 16384 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_4096_16384() -> *const SolverKind<f32> {
    core::ptr::from_ref(Solvers::<f32>::RUNG_4096_16384).cast()
}

/// Bytes of memory for a solver of a kind; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_kind_size(kind: *const SolverKind<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { named::<dyn SolverObject<f32>, _>(kind) }.map_or(0, Kind::bytes)
}

/// Creates a solver of a kind, like `stiction_f32_solver_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_init_kind(
    kind: *const SolverKind<f32>,
    memory: *mut c_void,
    bytes: usize,
    solver: *mut *mut Solver<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let kind = unsafe { named::<dyn SolverObject<f32>, _>(kind) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// The capacity of a solver in bodies and contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_capacity(solver: *const Solver<f32>, capacity: *mut Capacity) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let read = check_pointer(capacity, "capacity").and_then(|()| unsafe { solver::open(solver) });
    // SAFETY: the caller's promise, stated in the header.
    error_of(read.map(|solver| unsafe { capacity.write(solver.capacity()) }))
}

/// Rejects bodies, contacts and settings that `stiction_f32_solve` would reject, but does not solve. The results of the
/// last solve are lost. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_validate(
    solver: *mut Solver<f32>,
    bodies: *const Bodies<f32>,
    contacts: *const Contacts<f32>,
    settings: *const Settings<f32>,
    dt: f32,
    input_error: *mut InputError<f32>,
) -> Error {
    let call = Arguments { solver, bodies, contacts, settings, dt };
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || solver::validate(call)) }
}

/// Solves the contacts and writes the bodies' new velocities. `answer`, `hooks`, `report` and `input_error` may be
/// null. After an error only `input_error` is written, and the solver has no last solve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solve(
    solver: *mut Solver<f32>,
    bodies: *const Bodies<f32>,
    contacts: *const Contacts<f32>,
    settings: *const Settings<f32>,
    dt: f32,
    answer: *const Answer<f32>,
    hooks: *const Hooks<f32>,
    report: *mut Report<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    let call = Arguments { solver, bodies, contacts, settings, dt };
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (report, "report"), || solver::solve(call, answer, hooks)) }
}

/// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
/// over the last solved step. Either may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_wrench(
    solver: *const Solver<f32>,
    body: usize,
    force: *mut f32,
    torque: *mut f32,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let opened = unsafe { solver::open(solver) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(opened.and_then(|solver| unsafe { write_wrench(solver.wrench(body), force, torque) }))
}

/// Reads how strongly the normal and the friction of a contact of the last solve are coupled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_diagnostics(
    solver: *const Solver<f32>,
    index: usize,
    diagnostics: *mut ContactDiagnostics<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || diagnostics::of_solve(solver, index, diagnostics)) }
}

// Solver with moments: contacts may also have torsion, rolling friction, or friction that depends on the direction. All
// other calls are those of a solver.

/// Bytes of memory for a solver with moments; 0 if none is large enough. A contact with torsion or rolling takes two
/// places. Links all compiled capacities: where that matters, choose one by its kind.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_size_with_moments(bodies: usize, contacts: usize) -> usize {
    SolversWithMoments::<f32>::fit(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates a solver with moments, like `stiction_f32_solver_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_init_with_moments(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    solver: *mut *mut Solver<f32>,
) -> Error {
    let kind = enough(SolversWithMoments::<f32>::fit(Capacity { bodies, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// The kind of solver with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_8_16_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_8_16).cast()
}

/// The kind of solver with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_16_64_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_16_64).cast()
}

/// The kind of solver with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_64_256_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_64_256).cast()
}

/// The kind of solver with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_256_1024_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_256_1024).cast()
}

/// The kind of solver with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_1024_4096_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_1024_4096).cast()
}

/// The kind of solver with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_solver_kind_4096_16384_with_moments() -> *const SolverKind<f32> {
    core::ptr::from_ref(SolversWithMoments::<f32>::RUNG_4096_16384).cast()
}

/// Reads the work of friction in the last solve by what it resists; all 0 if there is no last solve. Their sum is the
/// report's `friction_work`. Needs a solver with moments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_solver_friction_work(
    solver: *const Solver<f32>,
    work: *mut FrictionWork<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { solver::write_friction_work(solver, work) })
}

// Memory for direct methods, passed to solves and steps by hooks.

/// The kind of direct memory for 16 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_kind_16() -> *const DirectMemoryKind<f32> {
    core::ptr::from_ref(DirectMemories::<f32>::RUNG_16).cast()
}

/// The kind of direct memory for 64 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_kind_64() -> *const DirectMemoryKind<f32> {
    core::ptr::from_ref(DirectMemories::<f32>::RUNG_64).cast()
}

/// The kind of direct memory for 512 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_kind_512() -> *const DirectMemoryKind<f32> {
    core::ptr::from_ref(DirectMemories::<f32>::RUNG_512).cast()
}

/// The kind of direct memory for 1024 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_kind_1024() -> *const DirectMemoryKind<f32> {
    core::ptr::from_ref(DirectMemories::<f32>::RUNG_1024).cast()
}

/// The kind of direct memory for 8192 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_kind_8192() -> *const DirectMemoryKind<f32> {
    core::ptr::from_ref(DirectMemories::<f32>::RUNG_8192).cast()
}

/// Bytes of memory for direct memory of a kind; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_direct_memory_kind_size(kind: *const DirectMemoryKind<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { named::<dyn DirectMemoryObject<f32>, _>(kind) }.map_or(0, Kind::bytes)
}

/// Creates direct memory of a kind, like `stiction_f32_direct_memory_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_direct_memory_init_kind(
    kind: *const DirectMemoryKind<f32>,
    memory: *mut c_void,
    bytes: usize,
    direct: *mut *mut DirectMemory<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let kind = unsafe { named::<dyn DirectMemoryObject<f32>, _>(kind) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, direct) }))
}

/// Bytes of direct memory for islands of this many contacts; 0 if none is large enough.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_direct_memory_size(contacts: usize) -> usize {
    DirectMemories::<f32>::fit(Capacity { bodies: 0, contacts }).map_or(0, Kind::bytes)
}

/// Creates direct memory in `memory`, which must be aligned to STICTION_ALIGNMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_direct_memory_init(
    memory: *mut c_void,
    bytes: usize,
    contacts: usize,
    direct: *mut *mut DirectMemory<f32>,
) -> Error {
    let kind = enough(DirectMemories::<f32>::fit(Capacity { bodies: 0, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, direct) }))
}

// Memory for sweeps over several contacts at once, passed to solves and steps by hooks.

/// Bytes of memory for lanes, for this many bodies of the whole problem or world, and contacts of the largest island; 0
/// if none is large enough, and on processors without lanes, such as microcontrollers. Islands with more contacts, or
/// with a body whose index is `bodies` or more, are swept without lanes.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_lanes_size(bodies: usize, contacts: usize) -> usize {
    lanes::fit::<f32>(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates memory for lanes in `memory`, which must be aligned to STICTION_ALIGNMENT. It uses AVX2 if this processor has
/// it. Solves have the same bits with and without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_lanes_init(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    lanes: *mut *mut Lanes<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { lanes::place(Capacity { bodies, contacts }, memory.cast(), bytes, lanes) })
}

// Pipeline: a world that is moved by steps.

/// Bytes of memory for a pipeline with this capacity; 0 if none is large enough. Links all compiled capacities: where
/// that matters, choose one by its kind.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_size(bodies: usize, contacts: usize) -> usize {
    Pipelines::<f32>::fit(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates a pipeline without bodies and with default settings in `memory`, which must be aligned to STICTION_ALIGNMENT
/// and have the `bytes` that `stiction_f32_pipeline_size` returns. It uses nothing outside that memory: there is no
/// call to free it; to save it for rollback, copy the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_init(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    pipeline: *mut *mut Pipeline<f32>,
) -> Error {
    let kind = enough(Pipelines::<f32>::fit(Capacity { bodies, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { pipeline::init(kind, memory.cast(), bytes, pipeline) }))
}

/// The kind of pipeline for 8 bodies and 16 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_8_16() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_8_16).cast()
}

/// The kind of pipeline for 16 bodies and 64 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_16_64() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_16_64).cast()
}

/// The kind of pipeline for 64 bodies and 256 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_64_256() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_64_256).cast()
}

/// The kind of pipeline for 256 bodies and 1024 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_256_1024() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_256_1024).cast()
}

/// The kind of pipeline for 1024 bodies and 4096 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_1024_4096() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_1024_4096).cast()
}

/// The kind of pipeline for 4096 bodies and 16384 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_4096_16384() -> *const PipelineKind<f32> {
    core::ptr::from_ref(Pipelines::<f32>::RUNG_4096_16384).cast()
}

/// Bytes of memory for a pipeline of a kind; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_kind_size(kind: *const PipelineKind<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { named::<dyn PipelineObject<f32>, _>(kind) }.map_or(0, Kind::bytes)
}

/// Creates a pipeline of a kind, like `stiction_f32_pipeline_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_init_kind(
    kind: *const PipelineKind<f32>,
    memory: *mut c_void,
    bytes: usize,
    pipeline: *mut *mut Pipeline<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let kind = unsafe { named::<dyn PipelineObject<f32>, _>(kind) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { pipeline::init(kind, memory.cast(), bytes, pipeline) }))
}

/// The capacity of a pipeline in bodies and contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_capacity(
    pipeline: *const Pipeline<f32>,
    capacity: *mut Capacity,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let read = check_pointer(capacity, "capacity").and_then(|()| unsafe { pipeline::open(pipeline) });
    // SAFETY: the caller's promise, stated in the header.
    error_of(read.map(|pipeline| unsafe { capacity.write(pipeline.capacity()) }))
}

/// Reads the settings of a pipeline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_settings(
    pipeline: *const Pipeline<f32>,
    settings: *mut StepSettings<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let read = check_pointer(settings, "settings").and_then(|()| unsafe { pipeline::open(pipeline) });
    // SAFETY: the caller's promise, stated in the header.
    error_of(read.map(|mut pipeline| unsafe { settings.write(StepSettings::from_kernel(pipeline.settings())) }))
}

/// Replaces the settings of a pipeline. Choices are checked here, numbers by the next step. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_set_settings(
    pipeline: *mut Pipeline<f32>,
    settings: *const StepSettings<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || pipeline::set_settings(pipeline, settings)) }
}

/// Adds a body and writes its index, if `index` is not null. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_add_body(
    pipeline: *mut Pipeline<f32>,
    body: *const RigidBody<f32>,
    index: *mut usize,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (index, "index"), || kept::add_body(pipeline, body)) }
}

/// Reads a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_body(
    pipeline: *const Pipeline<f32>,
    index: usize,
    body: *mut RigidBody<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || kept::body(pipeline, index, body)) }
}

/// Replaces a body: position, orientation, velocities, mass and all other fields. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_set_body(
    pipeline: *mut Pipeline<f32>,
    index: usize,
    body: *const RigidBody<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept::set_body(pipeline, index, body)) }
}

/// Sets the external force (3 numbers, N) and torque (3 numbers, N m) of a body, which act in every step until changed.
/// `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_set_load(
    pipeline: *mut Pipeline<f32>,
    index: usize,
    force: *const f32,
    torque: *const f32,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept::set_load(pipeline, index, force, torque)) }
}

/// Number of bodies; 0 if the handle is not a pipeline or is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_body_count(pipeline: *const Pipeline<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { pipeline::open(pipeline) }.map_or(0, |pipeline| pipeline.bodies())
}

/// Removes all bodies and forgets their contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_clear_bodies(pipeline: *mut Pipeline<f32>) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { pipeline::open(pipeline) }.map(|mut pipeline| pipeline.clear()))
}

/// Writes positions, orientations and velocities of all bodies to your own arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_states(pipeline: *const Pipeline<f32>, states: *const States<f32>) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || kept::states(pipeline, states)) }
}

/// Advances the world by `dt` seconds with manifolds that you found before: `count` of them, with a spacing of `stride`
/// bytes. All substeps use the same manifolds. `hooks`, `report` and `input_error` may be null. A rejected step changes
/// neither bodies nor cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_step_manifolds(
    pipeline: *mut Pipeline<f32>,
    manifolds: *const Manifold<f32>,
    count: usize,
    stride: usize,
    dt: f32,
    hooks: *const Hooks<f32>,
    report: *mut StepReport<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    let manifolds = View { data: manifolds, stride };
    let call = StepArguments { pipeline, dt, hooks };
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (report, "report"), || pipeline::step_manifolds(call, manifolds, count)) }
}

/// Advances the world by `dt` seconds. `detect` is called in every substep to find the contacts. It adds them by
/// `stiction_f32_collect`, may read bodies by `stiction_f32_collector_body`, and must call nothing else on this
/// pipeline. `hooks`, `report` and `input_error` may be null. A rejected step changes neither bodies nor cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_step(
    pipeline: *mut Pipeline<f32>,
    detect: Detect<f32>,
    user: *mut c_void,
    dt: f32,
    hooks: *const Hooks<f32>,
    report: *mut StepReport<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    let call = StepArguments { pipeline, dt, hooks };
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (report, "report"), || pipeline::step(call, detect, user)) }
}

/// Adds a manifold to the current substep. An invalid manifold is not added, and the step is rejected. `input_error`
/// may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_collect(
    collector: *mut ContactCollector<f32>,
    manifold: *const Manifold<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || manifold::collect(collector, manifold)) }
}

/// Reads the state of a body in the current substep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_collector_body(
    collector: *const ContactCollector<f32>,
    index: usize,
    body: *mut RigidBody<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || manifold::body(collector, index, body)) }
}

/// Number of contacts of the last substep; 0 if the handle is not a pipeline or is in use, and after a rejected step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_contact_count(pipeline: *const Pipeline<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { pipeline::open(pipeline) }.map_or(0, |pipeline| pipeline.contacts())
}

/// Reads a contact of the last substep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_contact(
    pipeline: *const Pipeline<f32>,
    index: usize,
    contact: *mut ContactRecord<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || kept::contact(pipeline, index, contact)) }
}

/// Reads how strongly the normal and the friction of a contact of the last step are coupled, and for how long it has slid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_contact_diagnostics(
    pipeline: *const Pipeline<f32>,
    index: usize,
    diagnostics: *mut ContactDiagnostics<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(NO_ERROR, NO_OUTPUT, || diagnostics::of_step(pipeline, index, diagnostics)) }
}

/// Mean force (3 numbers, N) and torque about the centre of mass (3 numbers, N m) of all contacts on a body
/// over the last substep. Either may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_wrench(
    pipeline: *const Pipeline<f32>,
    body: usize,
    force: *mut f32,
    torque: *mut f32,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let opened = unsafe { pipeline::open(pipeline) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(opened.and_then(|pipeline| unsafe { write_wrench(pipeline.wrench(body), force, torque) }))
}

/// Bytes that the contact cache takes if saved now; 0 if the handle is not a pipeline or is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_cache_size(pipeline: *const Pipeline<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { pipeline::open(pipeline) }.map_or(0, |pipeline| pipeline.cache_bytes())
}

/// Saves the contact cache in a portable format, and writes the number of bytes to `count`. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_cache_save(
    pipeline: *const Pipeline<f32>,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (count, "count"), || kept::save_cache(pipeline, bytes, capacity)) }
}

/// Restores a saved contact cache. Bytes that are damaged, of another version or precision, or too many are rejected;
/// the cache then stays unchanged. A pipeline with moments also restores what one without them saved, but not the other
/// way round. The same is true of joints; impulses and positions of joints are restored by the kind that saved them.
/// `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_cache_restore(
    pipeline: *mut Pipeline<f32>,
    bytes: *const u8,
    count: usize,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept::restore_cache(pipeline, bytes, count)) }
}

/// Clears the contact cache: the next step has no warm start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_cache_clear(pipeline: *mut Pipeline<f32>) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { pipeline::open(pipeline) }.map(|mut pipeline| pipeline.clear_cache()))
}

// Pipeline with moments: bodies and manifolds may also have torsion, rolling friction, or friction that depends on the
// direction. All other calls are those of a pipeline.

/// Bytes of memory for a pipeline with moments; 0 if none is large enough. A contact with torsion or rolling takes two
/// places. Links all compiled capacities: where that matters, choose one by its kind.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_size_with_moments(bodies: usize, contacts: usize) -> usize {
    PipelinesWithMoments::<f32>::fit(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates a pipeline with moments, like `stiction_f32_pipeline_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_init_with_moments(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    pipeline: *mut *mut Pipeline<f32>,
) -> Error {
    let kind = enough(PipelinesWithMoments::<f32>::fit(Capacity { bodies, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { pipeline::init(kind, memory.cast(), bytes, pipeline) }))
}

/// The kind of pipeline with moments for 8 bodies and 16 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_8_16_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_8_16).cast()
}

/// The kind of pipeline with moments for 16 bodies and 64 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_16_64_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_16_64).cast()
}

/// The kind of pipeline with moments for 64 bodies and 256 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_64_256_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_64_256).cast()
}

/// The kind of pipeline with moments for 256 bodies and 1024 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_256_1024_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_256_1024).cast()
}

/// The kind of pipeline with moments for 1024 bodies and 4096 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_1024_4096_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_1024_4096).cast()
}

/// The kind of pipeline with moments for 4096 bodies and 16384 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_4096_16384_with_moments() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithMoments::<f32>::RUNG_4096_16384).cast()
}

/// Sets a body's friction beyond sliding; that of a new body is none. The manifolds of a pair of bodies get it from both,
/// in `stiction_f32_step_manifolds`, too. Needs a pipeline with moments. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_set_surface(
    pipeline: *mut Pipeline<f32>,
    index: usize,
    surface: *const Surface<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept::set_surface(pipeline, index, surface)) }
}

/// Reads a body's friction beyond sliding. Needs a pipeline with moments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_surface(
    pipeline: *const Pipeline<f32>,
    index: usize,
    surface: *mut Surface<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept::surface(pipeline, index, surface) })
}

/// Adds a manifold like `stiction_f32_collect`, with friction beyond sliding of its own instead of that of its bodies.
/// Needs a pipeline with moments. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_collect_on(
    collector: *mut ContactCollector<f32>,
    manifold: *const Manifold<f32>,
    surface: *const Surface<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || manifold::collect_on(collector, manifold, surface)) }
}

/// Reads the moment on B of a contact of the last step, as a world vector (3 numbers, N m s), and which bounds it had
/// reached at its end: a sum of StictionReached. Torsion is the moment's part along the normal, rolling friction the
/// rest. Either may be null. Needs a pipeline with moments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_contact_moment(
    pipeline: *const Pipeline<f32>,
    index: usize,
    moment: *mut f32,
    reached: *mut u32,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept::moment(pipeline, index, moment, reached) })
}

/// Reads the work of friction in the last step by what it resists; all 0 if there is no last step. Their sum is the
/// report's `friction_work`. Needs a pipeline with moments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_friction_work(
    pipeline: *const Pipeline<f32>,
    work: *mut FrictionWork<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept::friction_work(pipeline, work) })
}

// Pipeline with joints: bodies can be connected, and have friction beyond sliding, too. All other calls are those of a
// pipeline with moments.

/// Bytes of memory for a pipeline with joints; 0 if none is large enough. It holds as many joints as bodies. A contact with
/// torsion or rolling takes two places. Links all compiled capacities: where that matters, choose one by its kind.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_size_with_joints(bodies: usize, contacts: usize) -> usize {
    PipelinesWithJoints::<f32>::fit(Capacity { bodies, contacts }).map_or(0, Kind::bytes)
}

/// Creates a pipeline with joints, like `stiction_f32_pipeline_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_pipeline_init_with_joints(
    memory: *mut c_void,
    bytes: usize,
    bodies: usize,
    contacts: usize,
    pipeline: *mut *mut Pipeline<f32>,
) -> Error {
    let kind = enough(PipelinesWithJoints::<f32>::fit(Capacity { bodies, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { pipeline::init(kind, memory.cast(), bytes, pipeline) }))
}

/// The kind of pipeline with joints for 8 bodies, 8 joints and 16 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_8_16_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_8_16).cast()
}

/// The kind of pipeline with joints for 16 bodies, 16 joints and 64 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_16_64_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_16_64).cast()
}

/// The kind of pipeline with joints for 64 bodies, 64 joints and 256 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_64_256_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_64_256).cast()
}

/// The kind of pipeline with joints for 256 bodies, 256 joints and 1024 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_256_1024_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_256_1024).cast()
}

/// The kind of pipeline with joints for 1024 bodies, 1024 joints and 4096 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_1024_4096_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_1024_4096).cast()
}

/// The kind of pipeline with joints for 4096 bodies, 4096 joints and 16384 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_pipeline_kind_4096_16384_with_joints() -> *const PipelineKind<f32> {
    core::ptr::from_ref(PipelinesWithJoints::<f32>::RUNG_4096_16384).cast()
}

/// Computes where a joint acts from world coordinates: reads its bodies and its kind, and writes its `anchor_a`, `anchor_b`,
/// `axis` and `rest`, so that its position is 0 where bodies are now. `on_a` and `on_b` are points, 3 numbers,
/// m; if `on_b` is null, both are the same. `axis` is a unit vector, 3 numbers; it may be null for kinds without an axis.
/// Numbers are checked when the joint is added. Needs a pipeline with joints. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_joint_between(
    pipeline: *const Pipeline<f32>,
    on_a: *const f32,
    on_b: *const f32,
    axis: *const f32,
    joint: *mut Joint<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept_joints::between(pipeline, on_a, on_b, axis, joint)) }
}

/// Adds a joint, and writes its index to `index`. Its bodies do not collide unless it says so. Needs a pipeline with
/// joints. `index` and `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_add_joint(
    pipeline: *mut Pipeline<f32>,
    joint: *const Joint<f32>,
    index: *mut usize,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (index, "index"), || kept_joints::add(pipeline, joint)) }
}

/// Replaces a joint: another speed of its motor, other limits. Needs a pipeline with joints. `input_error` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_set_joint(
    pipeline: *mut Pipeline<f32>,
    index: usize,
    joint: *const Joint<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, NO_OUTPUT, || kept_joints::set(pipeline, index, joint)) }
}

/// Reads a joint; what its kind does not have is 0. Needs a pipeline with joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_joint(
    pipeline: *const Pipeline<f32>,
    index: usize,
    joint: *mut Joint<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept_joints::get(pipeline, index, joint) })
}

/// Number of joints; 0 if the handle is not a pipeline with joints or is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_joint_count(pipeline: *const Pipeline<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { kept_joints::count(pipeline) }
}

/// Removes all joints. `stiction_f32_clear_bodies` does, too. Needs a pipeline with joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_clear_joints(pipeline: *mut Pipeline<f32>) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept_joints::clear(pipeline) })
}

/// Reads the impulse and the position of a joint after the last step. Needs a pipeline with joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_joint_state(
    pipeline: *const Pipeline<f32>,
    index: usize,
    state: *mut JointState<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept_joints::state(pipeline, index, state) })
}

/// Reads the work of joints in the last step; all 0 if there is no last step. Needs a pipeline with joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_joint_work(pipeline: *const Pipeline<f32>, work: *mut JointWork<f32>) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    error_of(unsafe { kept_joints::work(pipeline, work) })
}

// Delassus form: problems whose matrix you provide.

/// The kind of solver in Delassus form for 16 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_16() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolvers::<f32>::RUNG_16).cast()
}

/// The kind of solver in Delassus form for 128 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_128() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolvers::<f32>::RUNG_128).cast()
}

/// The kind of solver in Delassus form for 1024 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_1024() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolvers::<f32>::RUNG_1024).cast()
}

/// The kind of solver in Delassus form for 8192 contacts.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_8192() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolvers::<f32>::RUNG_8192).cast()
}

/// Bytes of memory for a solver in Delassus form of a kind; 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_delassus_solver_kind_size(kind: *const DelassusSolverKind<f32>) -> usize {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { named::<dyn DelassusObject<f32>, _>(kind) }.map_or(0, Kind::bytes)
}

/// Creates a solver in Delassus form of a kind, like `stiction_f32_delassus_solver_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_delassus_solver_init_kind(
    kind: *const DelassusSolverKind<f32>,
    memory: *mut c_void,
    bytes: usize,
    solver: *mut *mut DelassusSolver<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    let kind = unsafe { named::<dyn DelassusObject<f32>, _>(kind) };
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// Bytes of memory for a solver in Delassus form for this many contacts; 0 if none is large enough.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_size(contacts: usize) -> usize {
    DelassusSolvers::<f32>::fit(Capacity { bodies: 0, contacts }).map_or(0, Kind::bytes)
}

/// Creates a solver in Delassus form in `memory`, which must be aligned to STICTION_ALIGNMENT and have the `bytes` that
/// `stiction_f32_delassus_solver_size` returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_delassus_solver_init(
    memory: *mut c_void,
    bytes: usize,
    contacts: usize,
    solver: *mut *mut DelassusSolver<f32>,
) -> Error {
    let kind = enough(DelassusSolvers::<f32>::fit(Capacity { bodies: 0, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// The kind of solver in Delassus form with moments for 16 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_16_with_moments() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolversWithMoments::<f32>::RUNG_16).cast()
}

/// The kind of solver in Delassus form with moments for 128 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_128_with_moments() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolversWithMoments::<f32>::RUNG_128).cast()
}

/// The kind of solver in Delassus form with moments for 1024 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_1024_with_moments() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolversWithMoments::<f32>::RUNG_1024).cast()
}

/// The kind of solver in Delassus form with moments for 8192 contacts, those with torsion or rolling counted twice.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_kind_8192_with_moments() -> *const DelassusSolverKind<f32> {
    core::ptr::from_ref(DelassusSolversWithMoments::<f32>::RUNG_8192).cast()
}

/// Bytes of memory for a solver in Delassus form with moments; 0 if none is large enough. A contact with torsion or
/// rolling counts as two.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_f32_delassus_solver_size_with_moments(contacts: usize) -> usize {
    DelassusSolversWithMoments::<f32>::fit(Capacity { bodies: 0, contacts }).map_or(0, Kind::bytes)
}

/// Creates a solver in Delassus form with moments, like `stiction_f32_delassus_solver_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_delassus_solver_init_with_moments(
    memory: *mut c_void,
    bytes: usize,
    contacts: usize,
    solver: *mut *mut DelassusSolver<f32>,
) -> Error {
    let kind = enough(DelassusSolversWithMoments::<f32>::fit(Capacity { bodies: 0, contacts }));
    // SAFETY: the caller's promise, stated in the header.
    error_of(kind.and_then(|kind| unsafe { place_at(kind, memory.cast(), bytes, solver) }))
}

/// Solves a problem in Delassus form. `answer`, `hooks`, `report` and `input_error` may be null. The `record` hook is
/// not called for this form. After an error only `input_error` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stiction_f32_delassus_solve(
    solver: *mut DelassusSolver<f32>,
    problem: *const DelassusProblem<f32>,
    settings: *const Settings<f32>,
    answer: *const DelassusAnswer<f32>,
    hooks: *const Hooks<f32>,
    report: *mut DelassusReport<f32>,
    input_error: *mut InputError<f32>,
) -> Error {
    // SAFETY: the caller's promise, stated in the header.
    unsafe { finish(input_error, (report, "report"), || delassus::solve(solver, problem, settings, answer, hooks)) }
}
