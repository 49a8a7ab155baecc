//! Solvers with moments by the C interface: the bits of the kernel, from zeroed memory and after other problems, and
//! recordings that the kernel solves again.

use std::ffi::c_void;
use std::ptr;

use stiction::record::{RecordedBlock, blocks};
use stiction::{Bodies, Contacts, DirectMemory, Real, SixRows, Solver};

use mixed::{Dice, JOINED, OwnBody, OwnContact, OwnOutcome, ROLLING, TORSION, TREADS, WARM};
use stiction_c::error::Error;
use stiction_c::view::{View, ViewMut};
use stiction_c::{delassus, hooks, input, output, report};

mod mixed;

mod single {
    pub use stiction_c::f32::{
        stiction_f32_delassus_solve as delassus_solve,
        stiction_f32_delassus_solver_init_with_moments as delassus_solver_init_with_moments,
        stiction_f32_delassus_solver_size_with_moments as delassus_solver_size_with_moments,
        stiction_f32_direct_memory_init as direct_memory_init, stiction_f32_direct_memory_size as direct_memory_size,
        stiction_f32_settings as settings, stiction_f32_solve as solve,
        stiction_f32_solver_friction_work as solver_friction_work, stiction_f32_solver_init_kind as solver_init_kind,
        stiction_f32_solver_kind_16_64_with_moments as solver_kind_16_64_with_moments,
        stiction_f32_solver_kind_size as solver_kind_size,
    };
}

mod double {
    pub use stiction_c::f64::{
        stiction_f64_delassus_solve as delassus_solve,
        stiction_f64_delassus_solver_init_with_moments as delassus_solver_init_with_moments,
        stiction_f64_delassus_solver_size_with_moments as delassus_solver_size_with_moments,
        stiction_f64_direct_memory_init as direct_memory_init, stiction_f64_direct_memory_size as direct_memory_size,
        stiction_f64_settings as settings, stiction_f64_solve as solve,
        stiction_f64_solver_friction_work as solver_friction_work, stiction_f64_solver_init_kind as solver_init_kind,
        stiction_f64_solver_kind_16_64_with_moments as solver_kind_16_64_with_moments,
        stiction_f64_solver_kind_size as solver_kind_size,
    };
}

const PROBLEMS: usize = if cfg!(miri) { 2 } else { 25 };

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

/// A view of a field, for reading.
macro_rules! view {
    ($array:expr, $field:ident) => {
        View { data: unsafe { (&raw const (*$array).$field).cast() }, stride: stride_of($array) }
    };
    ($array:expr, $field:ident, if $given:expr) => {
        if $given { view!($array, $field) } else { View::NONE }
    };
}

/// A view of a field, for writing.
macro_rules! written {
    ($array:expr, $field:ident) => {
        ViewMut { data: unsafe { (&raw mut (*$array).$field).cast() }, stride: stride_of($array) }
    };
}

fn stride_of<E>(_: *const E) -> usize {
    size_of::<E>()
}

unsafe extern "C" fn record(user: *mut c_void, bytes: *const u8, count: usize) {
    let piece = unsafe { std::slice::from_raw_parts(bytes, count) };
    unsafe { (*user.cast::<Vec<u8>>()).extend_from_slice(piece) };
}

/// Solves all recorded problems again with the kernel; gives the number of them and of their surfaces.
fn solved_again<T: Real>(dump: &[u8]) -> (usize, usize) {
    let (mut bodies, mut contacts) = (Bodies::<T, 16>::new(), Contacts::<T, 64, SixRows>::empty());
    let mut solver = Box::new(Solver::<T, 16, 64, SixRows>::empty());
    let mut direct = Box::new(DirectMemory::<T, 64, 4096>::new());
    let (mut solves, mut surfaces, mut digest) = (0, 0, 0);
    for block in blocks(dump) {
        match block.unwrap() {
            RecordedBlock::Input(input) => {
                solves += 1;
                surfaces += usize::from(input.surfaces);
                let memory = Some(direct.view());
                digest = input.solve(None, &mut bodies, &mut contacts, &mut solver, memory, None).unwrap();
            }
            RecordedBlock::Outcome(outcome) => assert_eq!(outcome.digest, digest, "solve {solves}"),
            RecordedBlock::Step(_) => panic!("no step was recorded"),
        }
    }
    (solves, surfaces)
}

macro_rules! problems_have_the_kernels_bits {
    ($name:ident, $api:ident, $T:ty) => {
        #[test]
        fn $name() {
            let kind = $api::solver_kind_16_64_with_moments();
            let bytes = unsafe { $api::solver_kind_size(kind) };
            let mut spaces = [memory(bytes), memory($api::direct_memory_size(64))];
            let [of_solver, of_direct] = spaces.each_mut().map(|space| space.as_mut_ptr().cast::<c_void>());
            let (mut solver, mut direct) = (ptr::null_mut(), ptr::null_mut());
            unsafe {
                assert_eq!($api::solver_init_kind(kind, of_solver, bytes, &mut solver), Error::Ok);
                let bytes = $api::direct_memory_size(64);
                assert_eq!($api::direct_memory_init(of_direct, bytes, 64, &mut direct), Error::Ok);
            }
            let (mut dice, mut seen, mut dump) = (Dice(0x2545_f491_4f6c_dd1d), 0, Vec::<u8>::new());
            for index in 0..PROBLEMS {
                let mut problem = mixed::problem::<$T>(&mut dice);
                let wanted = problem.answer();
                let given = |flag| problem.given & flag != 0;
                let own: *mut OwnBody<$T> = problem.bodies.as_mut_ptr();
                let bodies = input::Bodies {
                    count: problem.bodies.len(),
                    inverse_mass: view!(own, inverse_mass),
                    inverse_inertia_world: view!(own, inverse_inertia),
                    linear_velocity: written!(own, linear),
                    angular_velocity: written!(own, angular),
                    position: View::NONE,
                };
                let own: *const OwnContact<$T> = problem.contacts.as_ptr();
                let contacts = input::Contacts {
                    count: problem.contacts.len(),
                    a: view!(own, a),
                    b: view!(own, b),
                    normal: view!(own, normal),
                    r_a: view!(own, r_a),
                    r_b: view!(own, r_b),
                    point: View::NONE,
                    mu: view!(own, mu),
                    restitution: view!(own, restitution),
                    depth: view!(own, depth),
                    pre_impact_normal_velocity: View::NONE,
                    warm_normal_impulse: view!(own, warm_normal, if given(WARM)),
                    warm_tangent_impulse: view!(own, warm_tangent, if given(WARM)),
                    torsion: view!(own, torsion, if given(TORSION)),
                    rolling: view!(own, rolling, if given(ROLLING)),
                    mu_across: view!(own, mu_across, if given(TREADS)),
                    friction_direction: view!(own, direction, if given(TREADS)),
                    is_joined: view!(own, is_joined, if given(JOINED)),
                    warm_moment: view!(own, warm_moment, if given(WARM)),
                };
                let (state, reached, zero) = (9, 9, [9.0; 3]);
                let nothing =
                    OwnOutcome::<$T> { state, reached, normal: 9.0, tangent: zero, bounce: 9.0, moment: zero };
                let mut outcomes = vec![nothing; problem.contacts.len()];
                let own = outcomes.as_mut_ptr();
                let answer = output::Answer {
                    normal_impulse: written!(own, normal),
                    tangent_impulse: written!(own, tangent),
                    bounce_impulse: written!(own, bounce),
                    state: written!(own, state),
                    correction_linear: ViewMut::NONE,
                    correction_angular: ViewMut::NONE,
                    moment: written!(own, moment),
                    reached: written!(own, reached),
                };
                let hooks = hooks::Hooks {
                    user: (&raw mut dump).cast(),
                    should_stop: None,
                    record: Some(record),
                    direct: if problem.direct { direct } else { ptr::null_mut() },
                    lanes: ptr::null_mut(),
                };
                let mut settings = stiction_c::choices::Settings::from_kernel(&problem.settings());
                settings.islands = problem.islands as u32;
                let (dt, no_report, no_error) = (mixed::DT as $T, ptr::null_mut(), ptr::null_mut());
                let error = unsafe {
                    $api::solve(
                        solver, &bodies, &contacts, &settings, dt, &answer, &hooks, no_report, no_error,
                    )
                };
                assert_eq!(error, Error::Ok);
                let velocities = problem.bodies.iter().map(|body| (body.linear, body.angular));
                let velocities: Vec<[$T; 6]> =
                    velocities.map(|([x, y, z], [p, q, r])| [x, y, z, p, q, r]).collect();
                assert_eq!(bits(&velocities), bits(&wanted.velocities), "problem {index}");
                assert_eq!(bits(&outcomes), bits(&wanted.contacts), "problem {index}");
                seen |= outcomes.iter().fold(0, |seen, outcome| seen | outcome.reached);
                let mut work = report::FrictionWork { sliding: 9.0, spinning: 9.0, rolling: 9.0 };
                assert_eq!(unsafe { $api::solver_friction_work(solver, &mut work) }, Error::Ok);
                let work = [work.sliding, work.spinning, work.rolling];
                assert_eq!(bits(&work), bits(&wanted.friction_work), "problem {index}");
            }
            assert!(cfg!(miri) || seen == 7, "not every bound was reached: {seen}");
            let (solves, surfaces) = solved_again::<$T>(&dump);
            assert!(solves == PROBLEMS && surfaces > PROBLEMS, "{solves} solves, {surfaces} surfaces");
        }
    };
}

macro_rules! delassus_problems_have_the_kernels_bits {
    ($name:ident, $api:ident, $T:ty) => {
        #[test]
        fn $name() {
            let bytes = $api::delassus_solver_size_with_moments(16);
            let mut space = memory(bytes);
            let mut solver = ptr::null_mut();
            let start = space.as_mut_ptr().cast::<c_void>();
            let created = unsafe { $api::delassus_solver_init_with_moments(start, bytes, 16, &mut solver) };
            assert_eq!(created, Error::Ok);
            let mut dice = Dice(0x2545_f491_4f6c_dd1d);
            for index in 0..PROBLEMS {
                let own = mixed::delassus::<$T>(&mut dice);
                let (row_starts, columns) = own.structure();
                let structure = |array: &[u32]| if own.is_dense { ptr::null() } else { array.as_ptr() };
                let number = |array: &[$T]| View { data: array.as_ptr(), stride: size_of::<$T>() };
                let vector = |array: &[[$T; 3]]| View { data: array.as_ptr().cast(), stride: size_of::<[$T; 3]>() };
                let problem = delassus::DelassusProblem {
                    contacts: own.rows,
                    w: own.w.as_ptr(),
                    blocks: columns.len(),
                    row_starts: structure(&row_starts),
                    columns: structure(&columns),
                    q: vector(&own.q),
                    mu: number(&own.mu),
                    start: if own.start.is_empty() { View::NONE } else { vector(&own.start) },
                    torsion: number(&own.torsion),
                    rolling: number(&own.rolling),
                    is_joined: View { data: own.is_joined.as_ptr(), stride: 4 },
                };
                let (mut impulses, mut states) = (vec![[9.0 as $T; 3]; own.rows], vec![9_u32; own.rows]);
                let answer = delassus::DelassusAnswer {
                    impulse: ViewMut { data: impulses.as_mut_ptr().cast(), stride: size_of::<[$T; 3]>() },
                    state: ViewMut { data: states.as_mut_ptr(), stride: 4 },
                };
                let settings = $api::settings();
                let (no_hooks, no_report, no_error) = (ptr::null(), ptr::null_mut(), ptr::null_mut());
                let error = unsafe {
                    $api::delassus_solve(solver, &problem, &settings, &answer, no_hooks, no_report, no_error)
                };
                assert_eq!(error, Error::Ok);
                let found: Vec<_> = impulses.into_iter().zip(states).collect();
                assert_eq!(bits(&found), bits(&own.answer()), "problem {index}");
            }
        }
    };
}

problems_have_the_kernels_bits!(problems_in_single_precision_have_the_kernels_bits, single, f32);
problems_have_the_kernels_bits!(problems_in_double_precision_have_the_kernels_bits, double, f64);
delassus_problems_have_the_kernels_bits!(delassus_problems_in_single_precision_have_the_kernels_bits, single, f32);
delassus_problems_have_the_kernels_bits!(delassus_problems_in_double_precision_have_the_kernels_bits, double, f64);
