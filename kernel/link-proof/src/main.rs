//! All functions that a controller calls, reached from one entry point of a program whose panic handler does not exist.
//!
//! The handler calls `a_panic_is_reachable`, which nobody defines. Dead code is collected before symbols are resolved,
//! so the linker complains if and only if some panic survived optimisation. Inputs come in through pointers that the
//! optimiser knows nothing about.

#![no_std]
#![no_main]

use stiction::Manifold;
use stiction::SixRows;
use stiction::local::{Block, Cone, exact};
use stiction::nalgebra::{Matrix3, SMatrix, Vector3};
use stiction::record::{BodyRecord, ContactRecord};
use stiction::record::{LoadError, RecordedBlock, blocks};
use stiction::step::manifold::{Side, contacts_of};
use stiction::{
    Bodies, Body, Contact, ContactCollector, ContactConstraint, ContactOutcome, ContactState, Contacts, Coupling,
    FlightRecorder, InputError, Joint, JointWork, Jointed, KeptJoint, Pipeline, Report, RigidBody, Settings, Solver,
    StepReport, Twist, WarmStart, World, Wrench,
};
use stiction::{ContactCache, KeptContacts, PointId, Sliding};
use stiction::{Delassus, DelassusReport, DelassusSolver};
use stiction::{DirectMemory, Hooks, Observer};

#[cfg(feature = "f64")]
type Scalar = f64;
#[cfg(not(feature = "f64"))]
type Scalar = f32;

const NB: usize = 5;
const NC: usize = 8;
const NF: usize = 12;

/// Joints, and friction beyond sliding.
type Rows = Jointed<3, SixRows>;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_panic_is_reachable() -> !;
    }
    // SAFETY: never called. If it could be, the program would not link.
    unsafe { a_panic_is_reachable() }
}

/// Inputs of the caller.
pub struct Input<'a> {
    body: Body<Scalar>,
    contact: Contact<Scalar>,
    warm: WarmStart<Scalar>,
    settings: Settings<Scalar>,
    index: usize,
    deadline: &'a mut dyn FnMut() -> bool,
    sides: [Side<'a, Scalar>; 2],
    manifold: Manifold<Scalar>,
    manifolds: &'a [Manifold<Scalar>],
    geometry: &'a mut dyn FnMut(
        &World<Scalar, NB>,
        &mut ContactCollector<'_, Scalar, NB, NC>,
    ) -> Result<(), InputError<Scalar>>,
    rigid: RigidBody<Scalar>,
    joint: Joint<Scalar>,
    on_surfaces: &'a mut dyn FnMut(
        &World<Scalar, NB, Rows>,
        &mut ContactCollector<'_, Scalar, NB, NC, Rows>,
    ) -> Result<(), InputError<Scalar>>,
    buffer: &'a mut [u8],
    dt: Scalar,
    blocks: &'a [Matrix3<Scalar>],
    starts: &'a [u32],
    columns: &'a [u32],
    q: &'a [Vector3<Scalar>],
    mu: &'a [Scalar],
    ids: &'a [PointId],
}

/// Working memory and results.
pub struct State {
    bodies: Bodies<Scalar, NB>,
    contacts: Contacts<Scalar, NC>,
    solver: Solver<Scalar, NB, NC>,
    cache: ContactCache<Scalar, NC>,
    world: World<Scalar, NB>,
    pipeline: Pipeline<Scalar, NB, NC>,
    kept: KeptContacts<Scalar, NC>,
    jointed: World<Scalar, NB, Rows>,
    stepper: Pipeline<Scalar, NB, NC, NF, Rows>,
    joint: Option<KeptJoint<Scalar>>,
    joint_work: JointWork<Scalar>,
    recorder: FlightRecorder<4096>,
    direct_memory: DirectMemory<Scalar, NC, 36>,
    listener: Listener,
    step: Result<StepReport<Scalar>, InputError<Scalar>>,
    replayed: Result<u64, LoadError<Scalar>>,
    dumped: usize,
    found: usize,
    left_out: usize,
    sliding: Option<Sliding<Scalar>>,
    delassus: DelassusSolver<Scalar, NC>,
    result: Result<Report<Scalar>, InputError<Scalar>>,
    islands: Result<Report<Scalar>, InputError<Scalar>>,
    island: Option<usize>,
    second: Result<DelassusReport<Scalar>, InputError<Scalar>>,
    third: Result<DelassusReport<Scalar>, InputError<Scalar>>,
    rejected: Option<InputError<Scalar>>,
    outcome: Option<ContactOutcome<Scalar>>,
    coupling: Option<Coupling<Scalar>>,
    wrench: Option<Wrench<Scalar>>,
    correction: Option<Twist<Scalar>>,
    jacobian: SMatrix<Scalar, 3, 12>,
    row: SMatrix<Scalar, 1, 12>,
    impulse: Option<Vector3<Scalar>>,
    energy: Scalar,
    warm: Option<WarmStart<Scalar>>,
    alone: Vector3<Scalar>,
    contact_state: Option<ContactState>,
}

/// An observer that keeps the last of every record.
pub struct Listener {
    contact: Option<ContactRecord<Scalar>>,
    body: Option<BodyRecord<Scalar>>,
}

impl Observer<Scalar> for Listener {
    fn contact(&mut self, contact: &ContactRecord<Scalar>) {
        self.contact = Some(*contact);
    }
    fn body(&mut self, body: &BodyRecord<Scalar>) {
        self.body = Some(*body);
    }
}

/// The step in all its forms, records and replay.
#[unsafe(no_mangle)]
pub extern "C" fn frames(input: &mut Input<'_>, state: &mut State) {
    state.rejected = frame(input, state).err();
    state.kept.clone_from(state.pipeline.cache());
    state.found = state.kept.save(input.buffer).unwrap_or(state.pipeline.contact_count());
    state.found += usize::from(state.pipeline.restore_cache(input.buffer).is_ok());
    state.pipeline.set_cache(state.kept.clone());
    state.listener.contact = state.pipeline.contact(input.index);
    state.wrench = state.pipeline.wrench(input.index);
    state.energy = state.world.kinetic_energy() + state.world.potential_energy(&input.rigid.position);
    state.dumped = state.recorder.pieces().0.len();
    let dump = state.recorder.copy_to(input.buffer).unwrap_or(&[]);
    for block in blocks(dump) {
        let (direct, observer) =
            (Some(state.direct_memory.view()), Some(&mut state.listener as &mut dyn Observer<Scalar>));
        match block {
            Ok(RecordedBlock::Input(block)) => {
                let (bodies, contacts, solver) = (&mut state.bodies, &mut state.contacts, &mut state.solver);
                state.replayed = block.solve(Some(block.number), bodies, contacts, solver, direct, observer);
            }
            Ok(RecordedBlock::Step(block)) => {
                let (world, pipeline) = (&mut state.world, &mut state.pipeline);
                state.replayed = block.step(Some(block.number), world, pipeline, direct, observer);
            }
            Ok(RecordedBlock::Outcome(_)) | Err(_) => {}
        }
    }
}

fn frame(input: &mut Input<'_>, state: &mut State) -> Result<(), InputError<Scalar>> {
    let body = state.world.push(input.rigid)?;
    state.world.set(body, input.rigid)?;
    state.world.set_load(input.index, input.rigid.load)?;
    let (world, pipeline, dt) = (&mut state.world, &mut state.pipeline, input.dt);
    state.step = pipeline.step(world, &mut *input.geometry, dt);
    let touch =
        |_: &World<Scalar, NB>, collector: &mut ContactCollector<'_, Scalar, NB, NC>| collector.push(&input.manifold);
    let hooks = Hooks {
        should_stop: Some(&mut *input.deadline),
        direct: Some(state.direct_memory.view()),
        observer: Some(&mut state.listener),
        lanes: None,
    };
    state.step = pipeline.step_with(world, touch, dt, hooks);
    state.step = pipeline.step_with(world, touch, dt, Hooks::with_observer(&mut state.recorder));
    state.step = pipeline.step(world, stiction::manifolds(input.manifolds), dt);
    jointed_frame(input, state)
}

/// Joints and friction beyond sliding in a step.
fn jointed_frame(input: &mut Input<'_>, state: &mut State) -> Result<(), InputError<Scalar>> {
    let (world, stepper, dt) = (&mut state.jointed, &mut state.stepper, input.dt);
    let body = world.push(input.rigid)?;
    let [a, b] = [input.rigid.position, input.rigid.linear_velocity];
    let between = world.joint_between(input.index, body, input.joint.kind, [a, b], input.joint.axis);
    world.push_joint(between)?;
    world.set_joint(input.index, input.joint)?;
    let hooks = Hooks {
        should_stop: Some(&mut *input.deadline),
        direct: Some(state.direct_memory.view()),
        observer: Some(&mut state.recorder),
        lanes: None,
    };
    state.step = stepper.step_with(world, &mut *input.on_surfaces, dt, hooks);
    state.joint = stepper.joint(input.index).copied();
    state.joint_work = stepper.joint_work();
    state.found += stepper.cache().save(input.buffer).unwrap_or(world.joints().count());
    state.found += usize::from(stepper.restore_cache(input.buffer).is_ok());
    Ok(())
}

/// The entry point.
#[unsafe(no_mangle)]
pub extern "C" fn proof(input: &mut Input<'_>, state: &mut State) {
    state.rejected = fill(input, state).err();
    frames(input, state);
    state.result = state.solver.solve(&mut state.bodies, &state.contacts, &input.settings, 1.0 / 60.0);
    let hooks = Hooks {
        should_stop: Some(&mut *input.deadline),
        direct: Some(state.direct_memory.view()),
        observer: Some(&mut state.recorder),
        lanes: None,
    };
    state.result = state.solver.solve_with(&mut state.bodies, &state.contacts, &input.settings, 1.0 / 60.0, hooks);
    let hooks = Hooks {
        should_stop: Some(&mut *input.deadline),
        direct: Some(state.direct_memory.view()),
        observer: Some(&mut state.listener),
        lanes: None,
    };
    state.islands = state.solver.solve_islands(&mut state.bodies, &state.contacts, &input.settings, 1.0 / 60.0, hooks);
    state.found = state.solver.islands();
    state.island = state.solver.island_of(input.index);
    state.outcome = state.solver.contact(input.index);
    state.coupling = state.solver.coupling(input.index);
    state.coupling = state.pipeline.coupling(input.index).or(state.coupling);
    state.sliding = state.pipeline.sliding(input.index);
    state.wrench = state.solver.wrench(input.index);
    state.correction = state.solver.position_correction(input.index);
    state.energy = state.bodies.kinetic_energy();
    state.found = state.cache.warm_start(&mut state.contacts, input.ids);
    state.left_out = state.cache.remember(&state.contacts, input.ids, &state.solver);
    state.sliding = state.cache.sliding(&input.contact, PointId::Proximity);
    let Ok(constraint) = ContactConstraint::opposing(&input.contact, &input.body.linear_velocity) else { return };
    state.jacobian = constraint.jacobian();
    state.row = constraint.normal_jacobian();
    state.warm = state.solver.warm(input.index);
    let (block, unit) = Block::new(&constraint.effective_mass(
        (input.body.inverse_mass, &input.body.inverse_inertia_world),
        (input.warm.normal_impulse, &input.body.inverse_inertia_world),
    ));
    let cone = Cone { mu: input.contact.mu, preload: unit };
    let x = exact(&block, &cone, &input.body.linear_velocity).impulse;
    state.alone = cone.project(&x) + cone.natural_map(&x, &input.body.angular_velocity, unit);
    state.second = Delassus::new(input.blocks, input.starts, input.columns, input.q, input.mu)
        .and_then(|problem| state.delassus.solve(&problem, &input.settings));
    let hooks = Hooks {
        should_stop: Some(&mut *input.deadline),
        direct: Some(state.direct_memory.view()),
        observer: None,
        lanes: None,
    };
    state.second = Delassus::new(input.blocks, input.starts, input.columns, input.q, input.mu)
        .and_then(|problem| state.delassus.solve_with(&problem, &input.settings, input.q, hooks));
    state.impulse = state.delassus.impulse(input.index);
    state.contact_state = state.delassus.state(input.index);
    state.third = Delassus::dense(input.mu, input.q, input.mu)
        .and_then(|problem| state.delassus.solve(&problem, &input.settings));
    #[cfg(feature = "control")]
    {
        state.energy = input.mu[input.index];
    }
}

fn fill(input: &Input<'_>, state: &mut State) -> Result<(), InputError<Scalar>> {
    let body = state.bodies.push(input.body)?;
    state.bodies.set_velocity(body, input.body.linear_velocity, input.body.angular_velocity)?;
    let contact = state.contacts.push(input.contact)?;
    state.contacts.set_warm(contact, input.warm)?;
    let [a, b] = &input.sides;
    for (contact, _) in contacts_of(&input.manifold, a, b, input.settings.restitution_threshold) {
        state.contacts.push(contact)?;
    }
    Ok(())
}
