//! The functions that the page's script calls: one scene at a time, numbers in, addresses of arrays out. A function
//! that can fail returns a code. NaN or infinity as input is rejected and does not panic.

use std::cell::RefCell;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction::Material;
use stiction::{LocalRule, MethodChoice, StepSettings, Surface, Tread};
use stiction_motion::solid::Solid;

use crate::stage::{Draft, Piece, Stage};

/// Numbers of a body in the inbox: shape (3), mass, position (3), orientation (w, x, y, z), velocities (6), friction,
/// restitution, torsion, rolling, friction across a direction and that direction (3), which is 0 if there is none.
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

/// Address to which the script writes a body's numbers.
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

/// Adds the body in the inbox: a half-space by its normal (0), a box by its half extents (1) or a ball by its radius
/// (2). With mass 0 it is immovable.
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
