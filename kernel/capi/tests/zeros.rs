//! Objects are initialised with zero bytes: they must behave like those from the kernel's own constructors. Also run
//! under Miri, which detects invalid values: see `src/place.rs`.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use nalgebra::{Matrix3, Vector3};
use stiction::nalgebra;
use stiction::sweep::LANES_ARE_USED;
use stiction::{Bodies, Body, Contact, Contacts, Hooks, MethodChoice, Real, Settings, Solver};
use stiction_c::error::Error;
use stiction_c::input;
use stiction_c::place::ALIGNMENT;
use stiction_c::view::{View, ViewMut};
use stiction_c::{f32 as single, f64 as double};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level};

/// Memory filled with a garbage pattern.
struct Memory(*mut u8, Layout);

impl Memory {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, ALIGNMENT).unwrap();
        let memory = unsafe { alloc(layout) };
        unsafe { memory.write_bytes(0xa5, bytes) };
        Memory(memory, layout)
    }

    fn pointer(&self) -> *mut c_void {
        self.0.cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        unsafe { dealloc(self.0, self.1) }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct PlainBody<T> {
    inverse_mass: T,
    inverse_inertia: [T; 9],
    linear: [T; 3],
    angular: [T; 3],
}

fn plain_bodies<T: Real>() -> [PlainBody<T>; 2] {
    let zero = T::ZERO;
    let ground = PlainBody { inverse_mass: zero, inverse_inertia: [zero; 9], linear: [zero; 3], angular: [zero; 3] };
    let mut ball = PlainBody { inverse_mass: T::ONE, linear: [T::ONE, zero, T::lit(-2.0)], ..ground };
    for axis in [0, 4, 8] {
        ball.inverse_inertia[axis] = T::lit(2.5);
    }
    [ground, ball]
}

/// The kernel's result.
fn kernel_answer<T: Real>() -> [T; 6] {
    let mut bodies = Bodies::<T, 8>::new();
    for body in plain_bodies::<T>() {
        let inverse_inertia = Matrix3::from_column_slice(&body.inverse_inertia);
        let (linear, angular) = (body.linear.into(), body.angular.into());
        bodies
            .push(Body {
                inverse_mass: body.inverse_mass,
                inverse_inertia_world: inverse_inertia,
                linear_velocity: linear,
                angular_velocity: angular,
            })
            .unwrap();
    }
    let mut contacts = Contacts::<T, 16>::new();
    let arm = Vector3::new(T::ZERO, T::ZERO, -T::ONE);
    contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), arm, T::HALF)).unwrap();
    Solver::<T, 8, 16>::new().solve(&mut bodies, &contacts, &Settings::default(), T::lit(1.0 / 60.0)).unwrap();
    let (v, w) = (bodies.linear_velocities()[1], bodies.angular_velocities()[1]);
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

macro_rules! a_zeroed_solver_solves_like_a_new_one {
    ($name:ident, $api:ident, $T:ty, $settings:ident, $kind:ident, $size:ident, $init:ident, $solve:ident) => {
        #[test]
        fn $name() {
            let kind = $api::$kind();
            let bytes = unsafe { $api::$size(kind) };
            let memory = Memory::new(bytes);
            let mut solver = ptr::null_mut();
            assert_eq!(unsafe { $api::$init(kind, memory.pointer(), bytes, &mut solver) }, Error::Ok);
            let mut plain = plain_bodies::<$T>();
            let stride = size_of::<PlainBody<$T>>();
            let base = plain.as_mut_ptr();
            let view = |data: *const $T| View { data, stride };
            let written = |data: *mut $T| ViewMut { data, stride };
            // One pointer to the whole array, so that all views may be used together.
            let bodies = unsafe {
                input::Bodies {
                    count: 2,
                    inverse_mass: view(&raw const (*base).inverse_mass),
                    inverse_inertia_world: view((&raw const (*base).inverse_inertia).cast()),
                    linear_velocity: written((&raw mut (*base).linear).cast()),
                    angular_velocity: written((&raw mut (*base).angular).cast()),
                    position: View::NONE,
                }
            };
            let (a, b, normal, arm, mu) = (0u32, 1u32, [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], 0.5);
            let origin = [0.0; 3];
            let one = |data: *const [$T; 3]| View { data: data.cast::<$T>(), stride: 0 };
            let contacts = input::Contacts {
                count: 1,
                a: View { data: &a, stride: 0 },
                b: View { data: &b, stride: 0 },
                normal: one(&normal),
                r_a: one(&origin),
                r_b: one(&arm),
                point: View::NONE,
                mu: View { data: &mu, stride: 0 },
                restitution: View::NONE,
                depth: View::NONE,
                pre_impact_normal_velocity: View::NONE,
                warm_normal_impulse: View::NONE,
                warm_tangent_impulse: View::NONE,
                torsion: View::NONE,
                rolling: View::NONE,
                mu_across: View::NONE,
                friction_direction: View::NONE,
                is_joined: View::NONE,
                warm_moment: View::NONE,
            };
            let settings = $api::$settings();
            let (no_answer, no_hooks, no_report, no_error) =
                (ptr::null(), ptr::null(), ptr::null_mut(), ptr::null_mut());
            let error = unsafe {
                $api::$solve(
                    solver,
                    &bodies,
                    &contacts,
                    &settings,
                    1.0 / 60.0,
                    no_answer,
                    no_hooks,
                    no_report,
                    no_error,
                )
            };
            assert_eq!(error, Error::Ok);
            let PlainBody { linear: [x, y, z], angular: [p, q, r], .. } = plain[1];
            assert_eq!([x, y, z, p, q, r], kernel_answer::<$T>());
        }
    };
}

a_zeroed_solver_solves_like_a_new_one!(
    a_zeroed_solver_in_single_precision_solves_like_a_new_one,
    single,
    f32,
    stiction_f32_settings,
    stiction_f32_solver_kind_8_16,
    stiction_f32_solver_kind_size,
    stiction_f32_solver_init_kind,
    stiction_f32_solve
);
a_zeroed_solver_solves_like_a_new_one!(
    a_zeroed_solver_in_double_precision_solves_like_a_new_one,
    double,
    f64,
    stiction_f64_settings,
    stiction_f64_solver_kind_8_16,
    stiction_f64_solver_kind_size,
    stiction_f64_solver_init_kind,
    stiction_f64_solve
);

#[test]
fn a_zeroed_pipeline_lets_a_ball_fall() {
    let kind = single::stiction_f32_pipeline_kind_8_16();
    let bytes = unsafe { single::stiction_f32_pipeline_kind_size(kind) };
    let memory = Memory::new(bytes);
    let mut pipeline = ptr::null_mut();
    unsafe {
        assert_eq!(single::stiction_f32_pipeline_init_kind(kind, memory.pointer(), bytes, &mut pipeline), Error::Ok);
        let ball = stiction_c::world::RigidBody { inverse_mass: 1.0, ..single::stiction_f32_fixed_body() };
        assert_eq!(single::stiction_f32_add_body(pipeline, &ball, ptr::null_mut(), ptr::null_mut()), Error::Ok);
        let (no_report, no_error) = (ptr::null_mut(), ptr::null_mut());
        let error =
            single::stiction_f32_step_manifolds(pipeline, ptr::null(), 0, 0, 0.5, ptr::null(), no_report, no_error);
        assert_eq!(error, Error::Ok);
        let mut after = ball;
        assert_eq!(single::stiction_f32_body(pipeline, 0, &mut after), Error::Ok);
        assert!((after.position[2] + 0.5 * 9.81 * 0.25).abs() < 1e-6, "{:?}", after.position);
    }
}

#[test]
fn zeroed_direct_memory_and_delassus_solver_solve_a_problem() {
    let memory = [
        Memory::new(double::stiction_f64_direct_memory_size(16)),
        Memory::new(double::stiction_f64_delassus_solver_size(16)),
    ];
    let (mut direct, mut solver) = (ptr::null_mut(), ptr::null_mut());
    unsafe {
        let bytes = double::stiction_f64_direct_memory_size(16);
        assert_eq!(double::stiction_f64_direct_memory_init(memory[0].pointer(), bytes, 16, &mut direct), Error::Ok);
        let bytes = double::stiction_f64_delassus_solver_size(16);
        assert_eq!(double::stiction_f64_delassus_solver_init(memory[1].pointer(), bytes, 16, &mut solver), Error::Ok);
    }
    let w: [f64; 9] = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let (q, mu, mut x) = ([-1.0, 0.2, 0.0], 0.5, [0.0; 3]);
    let problem = stiction_c::delassus::DelassusProblem {
        contacts: 1,
        w: w.as_ptr(),
        blocks: 0,
        row_starts: ptr::null(),
        columns: ptr::null(),
        q: View { data: q.as_ptr(), stride: 24 },
        mu: View { data: &mu, stride: 8 },
        start: View::NONE,
        torsion: View::NONE,
        rolling: View::NONE,
        is_joined: View::NONE,
    };
    let answer = stiction_c::delassus::DelassusAnswer {
        impulse: ViewMut { data: x.as_mut_ptr(), stride: 24 },
        state: ViewMut::NONE,
    };
    let hooks = stiction_c::hooks::Hooks {
        user: ptr::null_mut(),
        should_stop: None,
        record: None,
        direct,
        lanes: ptr::null_mut(),
    };
    let settings = double::stiction_f64_settings();
    let (no_report, no_error) = (ptr::null_mut(), ptr::null_mut());
    let error = unsafe {
        double::stiction_f64_delassus_solve(solver, &problem, &settings, &answer, &hooks, no_report, no_error)
    };
    assert_eq!(error, Error::Ok);
    assert!((x[0] - 0.5).abs() < 1e-9 && (x[1] + 0.2).abs() < 1e-9, "{x:?}");
}

/// Velocities of balls that land on the ground, in this memory for lanes.
fn landed<T: LaneScalar>(lanes: &mut Lanes<T, 40, 64, 22>) -> Vec<[T; 6]> {
    let (mut bodies, mut contacts) = (Bodies::<T, 40>::new(), Contacts::<T, 64>::new());
    let ground = bodies.push(Body::fixed()).unwrap();
    for i in 0..32 {
        let mut ball = Body::from_inverse(T::ONE, Matrix3::identity() * T::lit(2.5));
        ball.linear_velocity = Vector3::new(T::lit(0.1 * f64::from(i)), T::ZERO, -T::ONE);
        let ball = bodies.push(ball).unwrap();
        contacts.push(Contact::new(ground, ball, Vector3::z(), Vector3::zeros(), -Vector3::z(), T::HALF)).unwrap();
    }
    let settings = Settings { method: MethodChoice::Sweeps, ..Settings::default() };
    let mut solver = Box::new(Solver::<T, 40, 64>::new());
    solver.solve_with(&mut bodies, &contacts, &settings, T::lit(1.0 / 60.0), Hooks::with_lanes(lanes)).unwrap();
    let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
    velocities.map(|(v, w)| [v.x, v.y, v.z, w.x, w.y, w.z]).collect()
}

fn compare_zeroed_lanes<T: LaneScalar>() {
    let mut zeroed: Box<Lanes<T, 40, 64, 22>> = Box::new(unsafe { MaybeUninit::zeroed().assume_init() });
    let mut new = Box::new(Lanes::baseline());
    assert_eq!((zeroed.level(), zeroed.in_lanes()), (new.level(), (0, 0)));
    assert_eq!(landed(&mut zeroed), landed(&mut new));
    assert_eq!(zeroed.in_lanes(), new.in_lanes());
    assert_eq!(zeroed.in_lanes().0 > 0, LANES_ARE_USED);
}

#[test]
fn zeroed_lanes_sweep_like_new_ones() {
    compare_zeroed_lanes::<f32>();
    compare_zeroed_lanes::<f64>();
}

#[test]
fn zero_bytes_are_the_level_of_every_processor() {
    let baseline = Level::baseline();
    let bytes = unsafe { std::slice::from_raw_parts((&raw const baseline).cast::<u8>(), size_of::<Level>()) };
    assert!(bytes.iter().all(|byte| *byte == 0), "{bytes:?}");
}
