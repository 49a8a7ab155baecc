//! Pipelines with moments by the C interface: the bits of the kernel, from zeroed memory, with saved contacts; recordings
//! that the kernel takes again; and what a pipeline without moments rejects.

use std::ffi::{CStr, c_void};
use std::ptr;

use stiction::record::{RecordedBlock, blocks};
use stiction::{Manifold, PointId, Real, SixRows, StepSettings, Surface, World};
use stiction_c::error::{Error, InputError};
use stiction_c::hooks::Hooks;
use stiction_c::manifold::ContactCollector;
use stiction_c::{body_surface, manifold, report, world};
use worlds::Touch;

mod worlds;

mod single {
    pub use stiction_c::f32::{
        stiction_f32_add_body as add_body, stiction_f32_body as body, stiction_f32_cache_restore as cache_restore,
        stiction_f32_cache_save as cache_save, stiction_f32_cache_size as cache_size, stiction_f32_collect as collect,
        stiction_f32_collect_on as collect_on, stiction_f32_contact_count as contact_count,
        stiction_f32_contact_moment as contact_moment, stiction_f32_pipeline_friction_work as friction_work,
        stiction_f32_pipeline_init as init, stiction_f32_pipeline_init_with_moments as init_with_moments,
        stiction_f32_pipeline_size as size, stiction_f32_pipeline_size_with_moments as size_with_moments,
        stiction_f32_set_surface as set_surface, stiction_f32_step as step,
        stiction_f32_step_manifolds as step_manifolds, stiction_f32_surface as surface,
    };
}

mod double {
    pub use stiction_c::f64::{
        stiction_f64_add_body as add_body, stiction_f64_body as body, stiction_f64_cache_restore as cache_restore,
        stiction_f64_cache_save as cache_save, stiction_f64_cache_size as cache_size, stiction_f64_collect as collect,
        stiction_f64_collect_on as collect_on, stiction_f64_contact_count as contact_count,
        stiction_f64_contact_moment as contact_moment, stiction_f64_pipeline_friction_work as friction_work,
        stiction_f64_pipeline_init_with_moments as init_with_moments,
        stiction_f64_pipeline_size_with_moments as size_with_moments, stiction_f64_set_surface as set_surface,
        stiction_f64_step as step, stiction_f64_step_manifolds as step_manifolds, stiction_f64_surface as surface,
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

fn c_surface<T: Real>(surface: &Surface<T>) -> body_surface::Surface<T> {
    let tread = surface.tread;
    body_surface::Surface {
        torsion: surface.torsion,
        rolling: surface.rolling,
        // Not read without a direction.
        mu_across: tread.map_or(T::lit(f64::NAN), |tread| tread.mu_across),
        friction_direction: tread.map_or([T::ZERO; 3], |tread| tread.direction.into()),
        is_joined: surface.is_joined,
    }
}

fn c_manifold<T: Real>(from: &Manifold<T>) -> manifold::Manifold<T> {
    let none = manifold::ManifoldPoint { on_a: [T::ZERO; 3], on_b: [T::ZERO; 3], depth: T::ZERO, kind: 0, feature: 0 };
    let mut points = [none; 4];
    for (to, point) in points.iter_mut().zip(&from.points) {
        let PointId::Feature(feature) = point.id else { panic!("a point without a feature") };
        let (on_a, on_b) = (point.on_a.into(), point.on_b.into());
        *to = manifold::ManifoldPoint { on_a, on_b, depth: point.depth, kind: 0, feature };
    }
    manifold::Manifold {
        a: from.a as u32,
        b: from.b as u32,
        normal: from.normal.into(),
        point_count: from.points.len() as u32,
        has_material: from.material.is_some(),
        mu: from.material.map_or(T::ZERO, |material| material.mu),
        restitution: from.material.map_or(T::ZERO, |material| material.restitution),
        points,
    }
}

unsafe extern "C" fn record(user: *mut c_void, bytes: *const u8, count: usize) {
    let piece = unsafe { std::slice::from_raw_parts(bytes, count) };
    unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(piece) };
}

fn recording<T: Real>(dump: *mut Vec<u8>) -> Hooks<T> {
    let (direct, lanes) = (ptr::null_mut(), ptr::null_mut());
    Hooks { user: dump.cast(), should_stop: None, record: Some(record), direct, lanes }
}

/// Takes all recorded steps again with the kernel; gives the number of them and of their surfaces.
fn taken_again<T: Real>(dump: &[u8]) -> (usize, usize) {
    let mut world = Box::new(World::<T, 16, SixRows>::empty());
    let settings = StepSettings::default();
    let mut pipeline = Box::new(stiction::Pipeline::<T, 16, 64, 64, SixRows>::with_factor_memory(settings));
    let (mut steps, mut surfaces, mut digest) = (0, 0, 0);
    for block in blocks(dump) {
        match block.unwrap() {
            RecordedBlock::Step(step) => {
                steps += 1;
                surfaces += usize::from(step.surfaces);
                digest = step.step(None, &mut world, &mut pipeline, None, None).unwrap();
            }
            RecordedBlock::Outcome(outcome) => assert_eq!(outcome.digest, digest),
            RecordedBlock::Input(_) => panic!("no solve was recorded"),
        }
    }
    (steps, surfaces)
}

macro_rules! worlds_have_the_kernels_bits {
    ($name:ident, $api:ident, $T:ty) => {
        #[test]
        fn $name() {
            unsafe extern "C" fn detect(user: *mut c_void, collector: *mut ContactCollector<$T>) -> bool {
                let touches = unsafe { &*user.cast::<Vec<Touch<$T>>>() };
                touches.iter().all(|touch| {
                    let (manifold, no_error) = (c_manifold(&touch.manifold), ptr::null_mut());
                    let own = touch.own.as_ref().map(c_surface);
                    let error = match &own {
                        Some(surface) => unsafe { $api::collect_on(collector, &manifold, surface, no_error) },
                        None => unsafe { $api::collect(collector, &manifold, no_error) },
                    };
                    error == Error::Ok
                })
            }

            let (no_error, dt) = (ptr::null_mut(), worlds::DT as $T);
            let (mut seen, mut moved) = (0, false);
            let stories = worlds::stories::<$T>();
            // Less of it under Miri, which takes long.
            for story in stories.iter().take(if cfg!(miri) { 1 } else { usize::MAX }) {
                let bytes = $api::size_with_moments(16, 64);
                let mut space = memory(bytes);
                let (start, mut pipeline) = (space.as_mut_ptr().cast::<c_void>(), ptr::null_mut());
                assert_eq!(unsafe { $api::init_with_moments(start, bytes, 16, 64, &mut pipeline) }, Error::Ok);
                for (index, start) in story.starts.iter().enumerate() {
                    let (body, surface) = (world::RigidBody::from_kernel(&start.body), c_surface(&start.surface));
                    let mut read = surface;
                    unsafe {
                        assert_eq!($api::add_body(pipeline, &body, ptr::null_mut(), no_error), Error::Ok);
                        assert_eq!($api::set_surface(pipeline, index, &surface, no_error), Error::Ok);
                        assert_eq!($api::surface(pipeline, index, &mut read), Error::Ok);
                    }
                    let mu_across = if read.friction_direction == [0.0; 3] { 0.0 } else { surface.mu_across };
                    assert_eq!(read, body_surface::Surface { mu_across, ..surface });
                }
                let mut dump = Vec::new();
                let hooks = recording::<$T>(&raw mut dump);
                for (index, step) in story.steps.iter().take(if cfg!(miri) { 9 } else { usize::MAX }).enumerate() {
                    let no_report = ptr::null_mut();
                    let has_own = step.touches.iter().any(|touch| touch.own.is_some());
                    let error = if has_own || index % 2 == 0 {
                        let user = (&raw const step.touches).cast_mut().cast();
                        unsafe { $api::step(pipeline, Some(detect), user, dt, &hooks, no_report, no_error) }
                    } else {
                        let all: Vec<_> = step.touches.iter().map(|touch| c_manifold(&touch.manifold)).collect();
                        let (count, stride) = (all.len(), size_of::<manifold::Manifold<$T>>());
                        let first = all.as_ptr();
                        unsafe { $api::step_manifolds(pipeline, first, count, stride, dt, &hooks, no_report, no_error) }
                    };
                    assert_eq!(error, Error::Ok);
                    for (index, wanted) in step.states.iter().enumerate() {
                        let mut body = world::RigidBody::<$T>::fixed();
                        assert_eq!(unsafe { $api::body(pipeline, index, &mut body) }, Error::Ok);
                        assert_eq!(bits(&worlds::state_of(&body.to_kernel())), bits(wanted));
                    }
                    assert_eq!(unsafe { $api::contact_count(pipeline) }, step.contacts.len());
                    for (index, wanted) in step.contacts.iter().enumerate() {
                        let (mut moment, mut reached) = ([9.0 as $T; 3], 9);
                        let first = moment.as_mut_ptr();
                        let error = unsafe { $api::contact_moment(pipeline, index, first, &mut reached) };
                        assert_eq!((error, bits(&(moment, reached))), (Error::Ok, bits(wanted)));
                        seen |= reached;
                        moved |= moment != [0.0; 3];
                    }
                    let mut work = report::FrictionWork { sliding: 9.0, spinning: 9.0, rolling: 9.0 };
                    assert_eq!(unsafe { $api::friction_work(pipeline, &mut work) }, Error::Ok);
                    assert_eq!(bits(&[work.sliding, work.spinning, work.rolling]), bits(&step.friction_work));
                    if (index + 1) % worlds::SAVED_EVERY == 0 {
                        let mut count = unsafe { $api::cache_size(pipeline) };
                        let mut saved = vec![0; count];
                        unsafe {
                            let (to, most) = (saved.as_mut_ptr(), count);
                            assert_eq!($api::cache_save(pipeline, to, most, &mut count, no_error), Error::Ok);
                            assert_eq!($api::cache_restore(pipeline, saved.as_ptr(), count, no_error), Error::Ok);
                        }
                    }
                }
                let (steps, surfaces) = taken_again::<$T>(&dump);
                assert!(cfg!(miri) || steps == story.steps.len() && surfaces > 0, "{steps} steps, {surfaces} surfaces");
            }
            assert!(cfg!(miri) || seen == 7 && moved, "not every bound was reached: {seen}");
        }
    };
}

worlds_have_the_kernels_bits!(worlds_in_single_precision_have_the_kernels_bits, single, f32);
worlds_have_the_kernels_bits!(worlds_in_double_precision_have_the_kernels_bits, double, f64);

/// The name of the field that was rejected.
fn field(error: &InputError<f32>) -> &str {
    unsafe { CStr::from_ptr(error.field.as_ptr()) }.to_str().unwrap()
}

const PLAIN: body_surface::Surface<f32> = body_surface::Surface {
    torsion: 0.0,
    rolling: 0.0,
    mu_across: 0.0,
    friction_direction: [0.0; 3],
    is_joined: false,
};

/// A pipeline in new memory, with a fixed body and one that moves.
fn with_two_bodies(has_moments: bool) -> (Vec<Line>, *mut stiction_c::pipeline::Pipeline<f32>) {
    let bytes = if has_moments { single::size_with_moments(2, 4) } else { single::size(2, 4) };
    let mut space = memory(bytes);
    let (start, mut pipeline) = (space.as_mut_ptr().cast(), ptr::null_mut());
    let init = if has_moments { single::init_with_moments } else { single::init };
    assert_eq!(unsafe { init(start, bytes, 2, 4, &mut pipeline) }, Error::Ok);
    let fixed = world::RigidBody { mu: 0.5, ..world::RigidBody::fixed() };
    for body in [fixed, world::RigidBody { inverse_mass: 1.0, ..fixed }] {
        assert_eq!(unsafe { single::add_body(pipeline, &body, ptr::null_mut(), ptr::null_mut()) }, Error::Ok);
    }
    (space, pipeline)
}

/// A point at which the two bodies touch.
fn touching() -> manifold::Manifold<f32> {
    let point = manifold::ManifoldPoint { on_a: [0.0; 3], on_b: [0.0; 3], depth: 0.0, kind: 0, feature: 0 };
    let (normal, points) = ([0.0, 0.0, 1.0], [point; 4]);
    manifold::Manifold { a: 0, b: 1, normal, point_count: 1, has_material: false, mu: 0.0, restitution: 0.0, points }
}

#[test]
fn pipelines_without_moments_name_what_they_reject() {
    unsafe extern "C" fn detect(_: *mut c_void, collector: *mut ContactCollector<f32>) -> bool {
        let error = unsafe { single::collect_on(collector, &touching(), &PLAIN, ptr::null_mut()) };
        error == Error::WithoutMoments
    }
    let (_space, pipeline) = with_two_bodies(false);
    let mut error = stiction_c::error::Ending::<f32>::from(stiction_c::error::Fault::new(Error::Ok, "")).input_error();
    let (no_user, no_hooks, no_report) = (ptr::null_mut(), ptr::null(), ptr::null_mut());
    let (mut surface, mut moment, mut reached) = (PLAIN, [1.0; 3], 9);
    let mut work = report::FrictionWork { sliding: 1.0, spinning: 1.0, rolling: 1.0 };
    unsafe {
        assert_eq!(single::set_surface(pipeline, 1, &PLAIN, &mut error), Error::WithoutMoments);
        assert_eq!(field(&error), "surface");
        assert_eq!(single::surface(pipeline, 1, &mut surface), Error::WithoutMoments);
        let step = single::step(pipeline, Some(detect), no_user, 0.01, no_hooks, no_report, &mut error);
        assert_eq!((step, field(&error)), (Error::WithoutMoments, "surface"));
        let first = moment.as_mut_ptr();
        assert_eq!(single::contact_moment(pipeline, 0, first, &mut reached), Error::WithoutMoments);
        assert_eq!(single::friction_work(pipeline, &mut work), Error::WithoutMoments);
    }
    assert_eq!((moment, reached, work.sliding), ([1.0; 3], 9, 1.0));
}

#[test]
fn bad_surfaces_are_rejected_by_name_and_change_nothing() {
    let (_space, pipeline) = with_two_bodies(true);
    let mut error = stiction_c::error::Ending::<f32>::from(stiction_c::error::Fault::new(Error::Ok, "")).input_error();
    let good = body_surface::Surface { torsion: 0.5, ..PLAIN };
    unsafe { assert_eq!(single::set_surface(pipeline, 1, &good, ptr::null_mut()), Error::Ok) };
    let treaded = body_surface::Surface { friction_direction: [1.0, 0.0, 0.0], ..PLAIN };
    for (surface, reason, name) in [
        (body_surface::Surface { torsion: -1e-3, ..PLAIN }, Error::BelowLimit, "torsion"),
        (body_surface::Surface { rolling: f32::NAN, ..PLAIN }, Error::NotFinite, "rolling"),
        (body_surface::Surface { mu_across: -0.1, ..treaded }, Error::BelowLimit, "mu_across"),
        (
            body_surface::Surface { friction_direction: [f32::NAN, 0.0, 0.0], ..PLAIN },
            Error::NotFinite,
            "friction_direction",
        ),
    ] {
        assert_eq!(unsafe { single::set_surface(pipeline, 1, &surface, &mut error) }, reason);
        assert_eq!((field(&error), error.index), (name, 1));
    }
    let mut kept = PLAIN;
    unsafe {
        assert_eq!(single::set_surface(pipeline, 1, ptr::null(), &mut error), Error::NullPointer);
        assert_eq!(single::set_surface(pipeline, 2, &good, &mut error), Error::NoSuchBody);
        assert_eq!(single::surface(pipeline, 2, &mut kept), Error::NoSuchBody);
        assert_eq!(single::contact_moment(pipeline, 0, ptr::null_mut(), ptr::null_mut()), Error::NoSuchContact);
        assert_eq!(single::surface(pipeline, 1, &mut kept), Error::Ok);
    }
    assert_eq!(kept, good);
}

#[test]
fn saved_contacts_with_moments_need_a_pipeline_with_moments() {
    let saved = [false, true].map(|has_moments| {
        let (_space, pipeline) = with_two_bodies(has_moments);
        let (stride, no_hooks, no_error) = (size_of::<manifold::Manifold<f32>>(), ptr::null(), ptr::null_mut());
        let no_report = ptr::null_mut();
        unsafe {
            let touching = touching();
            let step = single::step_manifolds(pipeline, &touching, 1, stride, 0.01, no_hooks, no_report, no_error);
            assert_eq!(step, Error::Ok);
            let mut count = single::cache_size(pipeline);
            let mut bytes = vec![0; count];
            assert_eq!(single::cache_save(pipeline, bytes.as_mut_ptr(), bytes.len(), &mut count, no_error), Error::Ok);
            bytes
        }
    });
    let mut error = stiction_c::error::Ending::<f32>::from(stiction_c::error::Fault::new(Error::Ok, "")).input_error();
    for (to, from, wanted) in [(0, 0, Error::Ok), (0, 1, Error::WithoutMoments), (1, 0, Error::Ok), (1, 1, Error::Ok)] {
        let (_space, pipeline) = with_two_bodies(to == 1);
        let bytes: &[u8] = &saved[from];
        let restored = unsafe { single::cache_restore(pipeline, bytes.as_ptr(), bytes.len(), &mut error) };
        assert_eq!(restored, wanted, "from {from} to {to}");
        let mut damaged = bytes.to_vec();
        damaged[20] ^= 1;
        let restored = unsafe { single::cache_restore(pipeline, damaged.as_ptr(), damaged.len(), &mut error) };
        assert_eq!(restored, if wanted == Error::Ok { Error::BadBytes } else { wanted });
        assert_eq!(field(&error), "bytes");
    }
}
