//! Memory for lanes from C: solves use it, and have the same bits as without.

use std::ffi::c_void;
use std::ptr;

use stiction::sweep::LANES_ARE_USED;
use stiction_c::choices::IslandMode;
use stiction_c::error::Error;
use stiction_c::f32 as single;
use stiction_c::f64 as double;
use stiction_c::hooks::Hooks;
use stiction_c::input::{Bodies, Contacts};
use stiction_c::lanes::Lanes;
use stiction_c::view::{View, ViewMut};

const BALLS: usize = 30;
const COUNT: usize = BALLS + 1;

#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Line([u8; 32]);

/// Aligned memory with a garbage pattern.
fn memory(bytes: usize) -> Vec<Line> {
    vec![Line([0xa5; 32]); bytes.div_ceil(32)]
}

/// Velocities of balls that roll on the ground, after a solve with these hooks.
fn rolling_balls(hooks: *const Hooks<f32>) -> Result<[[f32; 6]; COUNT], Error> {
    let bytes = single::stiction_f32_solver_size(COUNT, BALLS);
    let mut space = memory(bytes);
    let mut solver = ptr::null_mut();
    let created = unsafe {
        single::stiction_f32_solver_init(space.as_mut_ptr().cast::<c_void>(), bytes, COUNT, BALLS, &mut solver)
    };
    assert_eq!(created, Error::Ok);
    let mut velocities = [[0.0f32; 6]; COUNT];
    let (mut inverse_mass, mut inverse_inertia) = ([0.0f32; COUNT], [[0.0f32; 9]; COUNT]);
    for ball in 1..COUNT {
        let speed = 0.1 * ball as f32;
        velocities[ball] = [speed, -0.5 * speed, -1.0, 0.3, speed, -0.2];
        inverse_mass[ball] = 1.0 / ball as f32;
        for axis in [0, 4, 8] {
            inverse_inertia[ball][axis] = 2.5 / ball as f32;
        }
    }
    let start = velocities.as_mut_ptr().cast::<f32>();
    let bodies = Bodies {
        count: COUNT,
        inverse_mass: View { data: inverse_mass.as_ptr(), stride: 4 },
        inverse_inertia_world: View { data: inverse_inertia.as_ptr().cast(), stride: 36 },
        linear_velocity: ViewMut { data: start, stride: 24 },
        angular_velocity: ViewMut { data: start.wrapping_add(3), stride: 24 },
        position: View::NONE,
    };
    let (ground, balls, mu) = (
        0u32,
        [(); BALLS].map({
            let mut next = 0;
            move |()| {
                next += 1;
                next
            }
        }),
        0.5f32,
    );
    let (up, down, origin) = ([0.0f32, 0.0, 1.0], [0.0f32, 0.0, -1.0], [0.0f32; 3]);
    let one = |data: &[f32; 3]| View { data: data.as_ptr(), stride: 0 };
    let contacts = Contacts {
        count: BALLS,
        a: View { data: &ground, stride: 0 },
        b: View { data: balls.as_ptr(), stride: 4 },
        normal: one(&up),
        r_a: one(&origin),
        r_b: one(&down),
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
    // All balls in one island: the ground does not join them.
    let mut settings = single::stiction_f32_settings();
    settings.islands = IslandMode::Together as u32;
    let (report, input_error) = (ptr::null_mut(), ptr::null_mut());
    let error = unsafe {
        single::stiction_f32_solve(solver, &bodies, &contacts, &settings, 0.01, ptr::null(), hooks, report, input_error)
    };
    if error == Error::Ok { Ok(velocities) } else { Err(error) }
}

fn hooks_with(lanes: *mut Lanes<f32>) -> Hooks<f32> {
    Hooks { user: ptr::null_mut(), should_stop: None, record: None, direct: ptr::null_mut(), lanes }
}

#[test]
fn a_solve_uses_the_lanes_and_has_the_same_bits() {
    let bytes = single::stiction_f32_lanes_size(COUNT, BALLS);
    assert_eq!(bytes > 0, LANES_ARE_USED);
    if !LANES_ARE_USED {
        return;
    }
    let mut space = memory(bytes);
    let start = space.as_mut_ptr().cast::<c_void>();
    let mut lanes = ptr::null_mut();
    assert_eq!(unsafe { single::stiction_f32_lanes_init(start, bytes, COUNT, BALLS, &mut lanes) }, Error::Ok);
    // Its first part is the head.
    let written = |space: &[Line]| space[1..].iter().flat_map(|line| line.0).filter(|byte| *byte != 0).count();
    let before = written(&space);
    let answer = rolling_balls(&hooks_with(lanes)).unwrap();
    assert_eq!(
        answer.map(|body| body.map(f32::to_bits)),
        rolling_balls(ptr::null()).unwrap().map(|body| body.map(f32::to_bits))
    );
    assert!(before <= 1 && written(&space) > 50 * BALLS, "{before} bytes before, {} after", written(&space));
}

#[test]
fn what_is_not_memory_for_lanes_is_rejected() {
    assert_eq!(single::stiction_f32_lanes_size(5000, 10), 0);
    if !LANES_ARE_USED {
        return;
    }
    let bytes = single::stiction_f32_lanes_size(16, 64);
    let mut space = memory(bytes.max(double::stiction_f64_lanes_size(16, 64)));
    let start = space.as_mut_ptr().cast::<c_void>();
    let mut lanes = ptr::null_mut();
    let init =
        |memory, bytes, bodies, handle| unsafe { single::stiction_f32_lanes_init(memory, bytes, bodies, 64, handle) };
    assert_eq!(init(start, bytes, 5000, &mut lanes), Error::NoCapacity);
    assert_eq!(init(start, bytes - 1, 16, &mut lanes), Error::MemoryTooSmall);
    assert_eq!(init(start.wrapping_byte_add(4), bytes, 16, &mut lanes), Error::Misaligned);
    assert_eq!(init(ptr::null_mut(), bytes, 16, &mut lanes), Error::NullPointer);
    assert_eq!(init(start, bytes, 16, ptr::null_mut()), Error::NullPointer);
    assert_eq!(rolling_balls(&hooks_with(start.cast())).unwrap_err(), Error::NotInitialised);
    let mut of_doubles = ptr::null_mut();
    let created = unsafe {
        double::stiction_f64_lanes_init(start, double::stiction_f64_lanes_size(16, 64), 16, 64, &mut of_doubles)
    };
    assert_eq!(created, Error::Ok);
    assert_eq!(rolling_balls(&hooks_with(of_doubles.cast())).unwrap_err(), Error::NotInitialised);
}
