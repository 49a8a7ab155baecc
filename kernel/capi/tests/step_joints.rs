//! Pipelines with joints by the C interface: the bits of the kernel from zeroed memory, with changed motors, saved contacts
//! and recordings; joints that are read back; and what a pipeline without joints rejects.

use std::ffi::{CStr, c_void};
use std::ptr;

use nalgebra::Vector3;
use stiction::nalgebra;
use stiction::record::{RecordedBlock, blocks};
use stiction::{Manifold, ManifoldPoint, Pipeline, PointId, Real, RigidBody, StepSettings, Surface, World};
use stiction_c::error::{Error, InputError};
use stiction_c::hooks::Hooks;
use stiction_c::joint::{self, JointState, JointWork};
use stiction_c::{body_surface, manifold, world};

use machine::{BODIES, Rows, changes, machine};

mod machine;

const CONTACTS: usize = 64;

mod single {
    pub use stiction_c::f32::{
        stiction_f32_add_body as add_body, stiction_f32_add_joint as add_joint, stiction_f32_body as body,
        stiction_f32_cache_clear as cache_clear, stiction_f32_cache_restore as cache_restore,
        stiction_f32_cache_save as cache_save, stiction_f32_cache_size as cache_size,
        stiction_f32_clear_bodies as clear_bodies, stiction_f32_clear_joints as clear_joints,
        stiction_f32_joint as joint, stiction_f32_joint_between as joint_between,
        stiction_f32_joint_count as joint_count, stiction_f32_joint_state as joint_state,
        stiction_f32_joint_work as joint_work, stiction_f32_pipeline_init_with_joints as init_with_joints,
        stiction_f32_pipeline_init_with_moments as init_with_moments,
        stiction_f32_pipeline_size_with_joints as size_with_joints,
        stiction_f32_pipeline_size_with_moments as size_with_moments, stiction_f32_set_joint as set_joint,
        stiction_f32_set_surface as set_surface, stiction_f32_step_manifolds as step_manifolds,
    };
}

mod double {
    pub use stiction_c::f64::{
        stiction_f64_add_body as add_body, stiction_f64_add_joint as add_joint, stiction_f64_body as body,
        stiction_f64_cache_clear as cache_clear, stiction_f64_cache_restore as cache_restore,
        stiction_f64_cache_save as cache_save, stiction_f64_cache_size as cache_size, stiction_f64_joint as joint,
        stiction_f64_joint_between as joint_between, stiction_f64_joint_count as joint_count,
        stiction_f64_joint_state as joint_state, stiction_f64_joint_work as joint_work,
        stiction_f64_pipeline_init_with_joints as init_with_joints,
        stiction_f64_pipeline_size_with_joints as size_with_joints, stiction_f64_set_joint as set_joint,
        stiction_f64_set_surface as set_surface, stiction_f64_step_manifolds as step_manifolds,
    };
}

#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Line([u8; 32]);

/// Aligned memory with a garbage pattern.
fn memory(bytes: usize) -> Vec<Line> {
    vec![Line([0xa5; 32]); bytes.div_ceil(32)]
}

/// All numbers as text that differs wherever bits do, also between zeros of either sign.
fn bits(numbers: &impl std::fmt::Debug) -> String {
    format!("{numbers:?}")
}

/// Where the ball touches the ground.
fn touch<T: Real>(center: Vector3<T>) -> Manifold<T> {
    let radius = T::lit(0.1);
    let mut found = Manifold::new(0, 8, Vector3::z());
    let on_a = Vector3::new(center.x, center.y, T::ZERO);
    let on_b = center - Vector3::z() * radius;
    found.points.push(ManifoldPoint { on_a, on_b, depth: radius - center.z, id: PointId::Feature(3) });
    found
}

fn c_manifold<T: Real>(from: &Manifold<T>) -> manifold::Manifold<T> {
    let point = from.points[0];
    let (on_a, on_b) = (point.on_a.into(), point.on_b.into());
    let point = manifold::ManifoldPoint { on_a, on_b, depth: point.depth, kind: 0, feature: 3 };
    let (a, b, normal) = (from.a as u32, from.b as u32, from.normal.into());
    let (mu, restitution) = (T::ZERO, T::ZERO);
    manifold::Manifold { a, b, normal, point_count: 1, has_material: false, mu, restitution, points: [point; 4] }
}

fn state_of<T: Real>(body: &RigidBody<T>) -> impl std::fmt::Debug + use<T> {
    (body.position, body.orientation, body.linear_velocity, body.angular_velocity)
}

unsafe extern "C" fn record(user: *mut c_void, bytes: *const u8, count: usize) {
    let piece = unsafe { std::slice::from_raw_parts(bytes, count) };
    unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(piece) };
}

/// Takes all recorded steps again with the kernel; gives the number of them.
fn taken_again<T: Real>(dump: &[u8]) -> usize {
    let mut world = Box::new(World::<T, BODIES, Rows>::empty());
    let settings = StepSettings::default();
    let mut pipeline = Box::new(Pipeline::<T, BODIES, CONTACTS, CONTACTS, Rows>::with_factor_memory(settings));
    let (mut steps, mut digest) = (0, 0);
    for block in blocks(dump) {
        match block.unwrap() {
            RecordedBlock::Step(step) => {
                steps += 1;
                digest = step.step(None, &mut world, &mut pipeline, None, None).unwrap();
            }
            RecordedBlock::Outcome(outcome) => assert_eq!(outcome.digest, digest),
            RecordedBlock::Input(_) => panic!("no solve was recorded"),
        }
    }
    steps
}

macro_rules! worlds_with_joints_have_the_kernels_bits {
    ($name:ident, $api:ident, $T:ty) => {
        #[test]
        fn $name() {
            let (bodies, joints) = machine::<$T>();
            let settings = StepSettings::default();
            let mut world = Box::new(World::<$T, BODIES, Rows>::empty());
            let mut kernel = Box::new(Pipeline::<$T, BODIES, CONTACTS, CONTACTS, Rows>::with_factor_memory(settings));
            let bytes = $api::size_with_joints(9, CONTACTS);
            let mut space = memory(bytes);
            let (start, mut pipeline, no_error) =
                (space.as_mut_ptr().cast::<c_void>(), ptr::null_mut(), ptr::null_mut());
            assert_eq!(unsafe { $api::init_with_joints(start, bytes, 9, CONTACTS, &mut pipeline) }, Error::Ok);
            for body in &bodies {
                world.push(*body).unwrap();
                let body = world::RigidBody::from_kernel(body);
                assert_eq!(unsafe { $api::add_body(pipeline, &body, ptr::null_mut(), no_error) }, Error::Ok);
            }
            for (index, (joint, on, axis)) in joints.iter().enumerate() {
                world.push_joint(*joint).unwrap();
                let whole = joint::Joint::from_kernel(joint);
                let zero = joint::Joint::<$T>::ZERO;
                let mut made = joint::Joint {
                    anchor_a: zero.anchor_a,
                    anchor_b: zero.anchor_b,
                    axis: zero.axis,
                    rest: zero.rest,
                    ..whole
                };
                let (mut at, mut read) = (99, zero);
                unsafe {
                    let on_b = if on[0] == on[1] { ptr::null() } else { on[1].as_ptr() };
                    let (on_a, axis) = (on[0].as_ptr(), axis.as_ptr());
                    assert_eq!($api::joint_between(pipeline, on_a, on_b, axis, &mut made, no_error), Error::Ok);
                    assert_eq!(bits(&made), bits(&whole));
                    assert_eq!($api::add_joint(pipeline, &made, &mut at, no_error), Error::Ok);
                    assert_eq!((at, $api::joint_count(pipeline)), (index, index + 1));
                    assert_eq!($api::joint(pipeline, index, &mut read), Error::Ok);
                }
                // What a kind does not have is not read.
                let mut kept = joint::Joint::from_kernel(world.joint(index).unwrap());
                kept.axis = if matches!(kept.kind, 1 | 2) { kept.axis } else { read.axis };
                kept.rest = if (1..4).contains(&kept.kind) { kept.rest } else { read.rest };
                assert_eq!(bits(&read), bits(&kept));
            }
            let surface = Surface { rolling: 0.01, ..Surface::default() };
            world.set_surface(8, surface).unwrap();
            let surface = body_surface::Surface::from_kernel(&surface);
            assert_eq!(unsafe { $api::set_surface(pipeline, 8, &surface, no_error) }, Error::Ok);
            let mut dump = Vec::<u8>::new();
            let hooks = Hooks::<$T> {
                user: (&raw mut dump).cast(),
                should_stop: None,
                record: Some(record),
                direct: ptr::null_mut(),
                lanes: ptr::null_mut(),
            };
            let (mut at_limits, mut worked) = (0, false);
            // Less of it under Miri, which takes long.
            let steps = if cfg!(miri) { 3 } else { 100 };
            for step in 0..steps {
                if let Some((index, joint)) = changes(step, &joints) {
                    world.set_joint(index, joint).unwrap();
                    let joint = joint::Joint::from_kernel(&joint);
                    assert_eq!(unsafe { $api::set_joint(pipeline, index, &joint, no_error) }, Error::Ok);
                }
                let found = touch(world.positions()[8]);
                kernel.step(&mut world, stiction::manifolds(std::slice::from_ref(&found)), 1.0 / 60.0).unwrap();
                let (found, stride) = (c_manifold(&found), size_of::<manifold::Manifold<$T>>());
                let no_report = ptr::null_mut();
                let error = unsafe {
                    $api::step_manifolds(pipeline, &found, 1, stride, 1.0 / 60.0, &hooks, no_report, no_error)
                };
                assert_eq!(error, Error::Ok);
                for index in 0..bodies.len() {
                    let mut body = world::RigidBody::<$T>::fixed();
                    assert_eq!(unsafe { $api::body(pipeline, index, &mut body) }, Error::Ok);
                    let wanted = world.get(index).unwrap();
                    assert_eq!(bits(&state_of(&body.to_kernel())), bits(&state_of(&wanted)), "step {step}");
                }
                for index in 0..joints.len() {
                    let mut state =
                        JointState { linear: [9.0; 3], angular: [9.0; 3], position: 9.0, is_at_limit: false };
                    assert_eq!(unsafe { $api::joint_state(pipeline, index, &mut state) }, Error::Ok);
                    assert_eq!(bits(&state), bits(&JointState::from_kernel(kernel.joint(index).unwrap())));
                    at_limits += usize::from(state.is_at_limit);
                }
                let mut work =
                    JointWork { motor: 9.0, spring: 9.0, friction: 9.0, stored_before: 9.0, stored_after: 9.0 };
                assert_eq!(unsafe { $api::joint_work(pipeline, &mut work) }, Error::Ok);
                assert_eq!(bits(&work), bits(&JointWork::from_kernel(&kernel.joint_work())));
                worked |= work.motor != 0.0 && work.spring != 0.0 && work.friction != 0.0;
                if step % 20 == 1 {
                    let mut count = unsafe { $api::cache_size(pipeline) };
                    let mut saved = vec![0; count];
                    unsafe {
                        let (to, most) = (saved.as_mut_ptr(), count);
                        assert_eq!($api::cache_save(pipeline, to, most, &mut count, no_error), Error::Ok);
                        assert_eq!($api::cache_clear(pipeline), Error::Ok);
                        assert_eq!($api::cache_restore(pipeline, saved.as_ptr(), count, no_error), Error::Ok);
                    }
                }
            }
            assert_eq!(taken_again::<$T>(&dump), steps);
            assert!(cfg!(miri) || at_limits > 0 && worked, "{at_limits} limits held, {worked}");
        }
    };
}

worlds_with_joints_have_the_kernels_bits!(joints_in_single_precision_have_the_kernels_bits, single, f32);
worlds_with_joints_have_the_kernels_bits!(joints_in_double_precision_have_the_kernels_bits, double, f64);

/// The name of the field that was rejected.
fn field(error: &InputError<f32>) -> &str {
    unsafe { CStr::from_ptr(error.field.as_ptr()) }.to_str().unwrap()
}

fn no_fault() -> InputError<f32> {
    stiction_c::error::Ending::<f32>::from(stiction_c::error::Fault::new(Error::Ok, "")).input_error()
}

/// A pipeline in new memory, with a fixed body and one that moves.
fn with_two_bodies(has_joints: bool) -> (Vec<Line>, *mut stiction_c::pipeline::Pipeline<f32>) {
    let bytes = if has_joints { single::size_with_joints(2, 4) } else { single::size_with_moments(2, 4) };
    let mut space = memory(bytes);
    let (start, mut pipeline) = (space.as_mut_ptr().cast(), ptr::null_mut());
    let init = if has_joints { single::init_with_joints } else { single::init_with_moments };
    assert_eq!(unsafe { init(start, bytes, 2, 4, &mut pipeline) }, Error::Ok);
    let fixed = world::RigidBody::fixed();
    for body in [fixed, world::RigidBody { inverse_mass: 1.0, position: [0.0, 0.0, -1.0], ..fixed }] {
        assert_eq!(unsafe { single::add_body(pipeline, &body, ptr::null_mut(), ptr::null_mut()) }, Error::Ok);
    }
    (space, pipeline)
}

/// A ball joint that holds the body 1 m below the origin.
const HANGING: joint::Joint<f32> = joint::Joint { b: 1, anchor_b: [0.0, 0.0, 1.0], ..joint::Joint::ZERO };

/// Height of the body after a step.
fn height_after_step(pipeline: *mut stiction_c::pipeline::Pipeline<f32>) -> f32 {
    let (no_hooks, no_report, no_error) = (ptr::null(), ptr::null_mut(), ptr::null_mut());
    let mut body = world::RigidBody::fixed();
    unsafe {
        let error = single::step_manifolds(pipeline, ptr::null(), 0, 0, 0.01, no_hooks, no_report, no_error);
        assert_eq!(error, Error::Ok);
        assert_eq!(single::body(pipeline, 1, &mut body), Error::Ok);
    }
    body.position[2]
}

#[test]
fn joints_hold_until_they_are_cleared() {
    let (_space, pipeline) = with_two_bodies(true);
    let mut state = JointState { linear: [0.0; 3], angular: [0.0; 3], position: 0.0, is_at_limit: false };
    unsafe {
        assert_eq!(single::add_joint(pipeline, &HANGING, ptr::null_mut(), ptr::null_mut()), Error::Ok);
        assert_eq!(single::joint_state(pipeline, 0, &mut state), Error::NoSuchJoint, "no step yet");
    }
    assert!((height_after_step(pipeline) + 1.0).abs() < 1e-6);
    unsafe {
        assert_eq!(single::joint_state(pipeline, 0, &mut state), Error::Ok);
        assert!(state.linear[2] > 0.0);
        assert_eq!(single::clear_joints(pipeline), Error::Ok);
        assert_eq!(single::joint_count(pipeline), 0);
    }
    assert!(height_after_step(pipeline) < -1.0 - 1e-4);
    unsafe {
        assert_eq!(single::joint_state(pipeline, 0, &mut state), Error::NoSuchJoint);
        assert_eq!(single::add_joint(pipeline, &HANGING, ptr::null_mut(), ptr::null_mut()), Error::Ok);
        assert_eq!(single::clear_bodies(pipeline), Error::Ok);
        assert_eq!(single::joint_count(pipeline), 0);
    }
}

#[test]
fn pipelines_without_joints_name_what_they_reject() {
    let (_space, pipeline) = with_two_bodies(false);
    let mut error = no_fault();
    let (mut read, mut at) = (HANGING, 7);
    let mut state = JointState { linear: [1.0; 3], angular: [1.0; 3], position: 1.0, is_at_limit: true };
    let mut work = JointWork { motor: 1.0, spring: 1.0, friction: 1.0, stored_before: 1.0, stored_after: 1.0 };
    unsafe {
        assert_eq!(single::add_joint(pipeline, &HANGING, &mut at, &mut error), Error::WithoutJoints);
        assert_eq!((field(&error), at), ("joint", 7));
        assert_eq!(single::set_joint(pipeline, 0, &HANGING, &mut error), Error::WithoutJoints);
        assert_eq!(single::joint(pipeline, 0, &mut read), Error::WithoutJoints);
        let on = [0.0f32; 3];
        let (on_a, none) = (on.as_ptr(), ptr::null());
        assert_eq!(single::joint_between(pipeline, on_a, none, none, &mut read, &mut error), Error::WithoutJoints);
        assert_eq!(single::clear_joints(pipeline), Error::WithoutJoints);
        assert_eq!(single::joint_state(pipeline, 0, &mut state), Error::WithoutJoints);
        assert_eq!(single::joint_work(pipeline, &mut work), Error::WithoutJoints);
        assert_eq!(single::joint_count(pipeline), 0);
    }
    assert_eq!((read, state.position, work.motor), (HANGING, 1.0, 1.0));
}

#[test]
fn saved_joints_need_a_pipeline_with_joints() {
    let saved = [false, true].map(|has_joints| {
        let (_space, pipeline) = with_two_bodies(has_joints);
        height_after_step(pipeline);
        unsafe {
            let mut count = single::cache_size(pipeline);
            let mut bytes = vec![0; count];
            let error = single::cache_save(pipeline, bytes.as_mut_ptr(), bytes.len(), &mut count, ptr::null_mut());
            assert_eq!(error, Error::Ok);
            bytes
        }
    });
    let mut error = no_fault();
    for (to, from, wanted) in [(0, 0, Error::Ok), (0, 1, Error::WithoutJoints), (1, 0, Error::Ok), (1, 1, Error::Ok)] {
        let (_space, pipeline) = with_two_bodies(to == 1);
        let bytes: &[u8] = &saved[from];
        let restored = unsafe { single::cache_restore(pipeline, bytes.as_ptr(), bytes.len(), &mut error) };
        assert_eq!(restored, wanted, "from {from} to {to}");
        if wanted != Error::Ok {
            assert_eq!(field(&error), "bytes");
        }
    }
}
