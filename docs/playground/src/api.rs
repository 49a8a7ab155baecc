//! The functions that the page's script calls: one scene at a time, numbers in, addresses of arrays out. A function
//! that can fail returns a code. NaN or infinity as input is rejected and does not panic.
//!
//! Bodies and joints come through an inbox of [`INBOX`] numbers:
//!
//! | body | | joint | |
//! |---|---|---|---|
//! | 0 to 2 | shape | 0, 1 | bodies A and B, in the order in which they were added; their number is the world |
//! | 3 | mass; immovable if 0 | 2 to 4, 5 to 7 | where it acts on A and on B, in the world |
//! | 4 to 6 | position | 8 to 10 | unit vector: the axis of a hinge or a slider |
//! | 7 to 10 | orientation: w, x, y, z | 11 | whether A and B may touch |
//! | 11 to 13, 14 to 16 | velocity, angular velocity | 12 to 14 | whether there are limits, and which |
//! | 17, 18 | friction, restitution | 15 | motor: none (0), to a speed (1), to a position (2) |
//! | 19, 20 | torsion, rolling | 16 to 19 | its speed or position, stiffness, damping, largest torque or force |
//! | 21 | friction across a direction | 20 | dry friction |
//! | 22 to 24 | this direction; 0 if there is none | 21 | whether there is a spring |
//! | | | 22 to 24 | its rest, stiffness, damping; 22 is also the length of a distance (0: as it is) or of a rope |

use std::cell::RefCell;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction::Material;
use stiction::{JointAxis, JointKind, LocalRule, MethodChoice, Motor, Spring, StepSettings, Surface, Tread};
use stiction_motion::solid::Solid;

use crate::draft::{BODIES, Draft, Link, Piece};
use crate::stage::Stage;

/// Numbers of a body or a joint.
pub const INBOX: usize = 25;

#[derive(Default)]
struct Page {
    inbox: [f64; INBOX],
    draft: Option<Draft>,
    stage: Option<Stage>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// Success.
pub const DONE: i32 = 0;
/// Rejected, and nothing changed.
pub const REJECTED: i32 = 1;

fn code(done: Option<()>) -> i32 {
    if done.is_some() { DONE } else { REJECTED }
}

fn with_stage<R>(otherwise: R, work: impl FnOnce(&mut Stage) -> R) -> R {
    PAGE.with_borrow_mut(|page| page.stage.as_mut().map_or(otherwise, work))
}

/// Address to which the script writes the numbers of a body or a joint.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn inbox() -> *mut f64 {
    PAGE.with_borrow_mut(|page| page.inbox.as_mut_ptr())
}

/// Opens a new scene with a time step of `dt` seconds and gravity in m/s². The running scene continues until `start`.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn open(dt: f64, gravity_x: f64, gravity_y: f64, gravity_z: f64) {
    let mut draft = Draft::new(dt);
    draft.settings.gravity = Vector3::new(gravity_x, gravity_y, gravity_z).map(|part| part as f32);
    PAGE.with_borrow_mut(|page| page.draft = Some(draft));
}

/// Adds the body in the inbox: a half-space by its normal (0), a box by its half extents (1), a ball by its radius (2),
/// or a capsule along z by its radius and half of its straight part (3).
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn body(kind: u32) -> i32 {
    PAGE.with_borrow_mut(|page| {
        let Page { inbox, draft, .. } = page;
        let added = draft.as_mut().zip(piece(kind, inbox)).and_then(|(draft, piece)| draft.add(piece));
        code(added)
    })
}

fn piece(kind: u32, numbers: &[f64; INBOX]) -> Option<Piece> {
    if !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let at = |first: usize| Vector3::new(numbers[first], numbers[first + 1], numbers[first + 2]);
    let size = at(0);
    let solid = match kind {
        0 if size.norm() > 0.0 => Solid::half_space(&(size / size.norm())),
        1 if size.iter().all(|half| *half > 0.0) => Solid::cuboid(size.into()),
        2 if size.x > 0.0 => Solid::ball(size.x),
        3 if size.x > 0.0 && size.y > 0.0 => Solid::capsule(size.y, size.x),
        _ => return None,
    };
    let orientation = Quaternion::new(numbers[7], numbers[8], numbers[9], numbers[10]);
    (orientation.norm() > 0.0).then(|| Piece {
        solid,
        endless: kind == 0,
        mass: (numbers[3] > 0.0).then_some(numbers[3]),
        position: at(4),
        orientation: UnitQuaternion::from_quaternion(orientation),
        linear: at(11),
        angular: at(14),
        material: Material { mu: numbers[17], restitution: numbers[18] },
        surface: surface(numbers),
    })
}

fn surface(numbers: &[f64; INBOX]) -> Surface<f32> {
    let [torsion, rolling, mu_across, x, y, z] = core::array::from_fn(|i| numbers[19 + i] as f32);
    let direction = Vector3::new(x, y, z);
    let tread = (direction != Vector3::zeros()).then_some(Tread { direction, mu_across });
    Surface { torsion, rolling, tread, ..Surface::default() }
}

/// Adds the joint in the inbox: a ball (0), a hinge (1), a slider (2), a fixed joint (3), a distance (4), a rope (5) or
/// a spring (6). What only the kernel can judge is rejected where the scene starts.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn joint(kind: u32) -> i32 {
    PAGE.with_borrow_mut(|page| {
        let Page { inbox, draft, .. } = page;
        code(draft.as_mut().zip(link(kind, inbox)).map(|(draft, link)| draft.connect(link)))
    })
}

fn link(kind: u32, numbers: &[f64; INBOX]) -> Option<Link> {
    if !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let single: [f32; INBOX] = numbers.map(|number| number as f32);
    let at = |first: usize| Vector3::new(single[first], single[first + 1], single[first + 2]);
    let apart = || Vector3::from_fn(|i, _| numbers[5 + i] - numbers[2 + i]).norm() as f32;
    let spring = Spring { rest: single[22], stiffness: single[23], damping: single[24] };
    let kind = match kind {
        0 => JointKind::Ball,
        1 => JointKind::Hinge(axis(&single, spring)?),
        2 => JointKind::Slider(axis(&single, spring)?),
        3 => JointKind::Fixed,
        4 => JointKind::Distance { length: if single[22] == 0.0 { apart() } else { single[22] } },
        5 => JointKind::Rope { length: single[22] },
        6 => JointKind::Spring(spring),
        _ => return None,
    };
    let bodies = [place(numbers[0])?, place(numbers[1])?];
    Some(Link { bodies, kind, anchors: [at(2), at(5)], axis: at(8), collide: single[11] != 0.0 })
}

/// The place of a body in its scene.
fn place(number: f64) -> Option<usize> {
    (number >= 0.0 && number <= BODIES as f64 && number.fract() == 0.0).then_some(number as usize)
}

/// What acts along an axis.
fn axis(numbers: &[f32; INBOX], spring: Spring<f32>) -> Option<JointAxis<f32>> {
    let [has_limits, low, high, motor, target, stiffness, damping, max, friction, has_spring] =
        core::array::from_fn(|i| numbers[12 + i]);
    let motor = match motor {
        0.0 => None,
        1.0 => Some(Motor::Speed { speed: target, max }),
        2.0 => Some(Motor::Position { position: target, stiffness, damping, max }),
        _ => return None,
    };
    let limits = (has_limits != 0.0).then_some([low, high]);
    Some(JointAxis { limits, motor, friction, spring: (has_spring != 0.0).then_some(spring) })
}

/// Starts the opened scene.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn start() -> i32 {
    PAGE.with_borrow_mut(|page| {
        let started = page.draft.take().and_then(|draft| Stage::new(draft).ok());
        let done = started.is_some().then_some(());
        page.stage = started.or(page.stage.take());
        code(done)
    })
}

/// Changes the setting with this number.
fn set_in(settings: &mut StepSettings<f32>, which: u32, value: f64) -> Option<()> {
    let solver = &mut settings.solver;
    match which {
        0 => solver.sweeps = value as u32,
        1 => solver.tolerance = value as f32,
        2 => solver.local = *LOCAL_RULES.get(value as usize)?,
        3 => solver.method = if value == 0.0 { MethodChoice::Sweeps } else { MethodChoice::Auto },
        4 => settings.substeps = value as u32,
        _ => return None,
    }
    settings.solver.validate().ok()
}

/// In the order of the page's list.
const LOCAL_RULES: [LocalRule; 4] =
    [LocalRule::Exact, LocalRule::Projection, LocalRule::HoldAndResolve, LocalRule::Box];

/// Changes a setting of the opened scene, or of the running one: sweeps (0), tolerance (1), local rule (2), whether
/// direct methods are used (3); substeps (4) only of an opened scene.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn set(which: u32, value: f64) -> i32 {
    PAGE.with_borrow_mut(|page| {
        let settings = match (&mut page.draft, &mut page.stage) {
            (Some(draft), _) => Some(&mut draft.settings),
            (None, Some(stage)) if which != 4 => Some(stage.settings()),
            _ => None,
        };
        code(settings.and_then(|settings| {
            let mut changed = *settings;
            set_in(&mut changed, which, value)?;
            *settings = changed;
            Some(())
        }))
    })
}

/// One time step.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn step() -> i32 {
    with_stage(REJECTED, |stage| code(stage.step().ok()))
}

/// Sets friction and restitution of every surface.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn material(mu: f64, restitution: f64) -> i32 {
    let material = Material { mu: mu as f32, restitution: restitution as f32 };
    with_stage(REJECTED, |stage| code(stage.set_material(material).ok()))
}

/// Grabs a body at a point in world coordinates, m.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn grab(body: u32, x: f64, y: f64, z: f64) {
    with_stage((), |stage| stage.grab(body as usize, Vector3::new(x, y, z).map(|part| part as f32)));
}

/// Pulls the grabbed body towards a point in world coordinates, m.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn pull(x: f64, y: f64, z: f64) {
    with_stage((), |stage| stage.pull(Vector3::new(x, y, z).map(|part| part as f32)));
}

/// Releases the grabbed body.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn release() -> i32 {
    with_stage(REJECTED, |stage| code(stage.release().ok()))
}

/// Number of bodies.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn body_count() -> u32 {
    with_stage(0, |stage| (stage.poses.len() / crate::stage::POSE) as u32)
}

/// Address of their poses.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn poses() -> *const f32 {
    with_stage(std::ptr::null(), |stage| stage.poses.as_ptr())
}

/// Number of joints.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn joint_count() -> u32 {
    with_stage(0, |stage| (stage.joints.len() / crate::stage::JOINT) as u32)
}

/// Address of where they are.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn joints() -> *const f32 {
    with_stage(std::ptr::null(), |stage| stage.joints.as_ptr())
}

/// Number of contacts of the last solve.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn contact_count() -> u32 {
    with_stage(0, |stage| (stage.contacts.len() / crate::stage::CONTACT) as u32)
}

/// Address of these contacts.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn contacts() -> *const f32 {
    with_stage(std::ptr::null(), |stage| stage.contacts.as_ptr())
}

/// Address of the figures of the last step.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn figures() -> *const f64 {
    with_stage(std::ptr::null(), |stage| stage.figures.as_ptr())
}

/// Digest of every bit of every body.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn digest() -> u64 {
    with_stage(0, |stage| stage.digest())
}
