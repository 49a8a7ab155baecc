//! Every bit of every state of every scene in one number: equal on every machine with equal arithmetic.

use nalgebra::Vector3;
use stiction::DirectMemory;
use stiction::Hooks;
use stiction::Material;
use stiction::{
    Bodies, ContactRows, Contacts, InputError, Pipeline, Real, RigidBody, Settings, Solver, StepReport, World,
};

use crate::boxes::{Boxes, slide, stack};
use crate::heavy;
use crate::leg::{self, Leg};
use crate::robot::{BODIES, CONTACTS, Robot, TICKS};

/// FNV-1a over bytes, 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds a number.
    pub fn add<T: Real>(&mut self, value: T) {
        for byte in value.to_le_padded().into_iter().take(T::BYTES) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the positions and velocities of bodies.
    pub fn add_world<T: Real, const NB: usize, R: ContactRows>(&mut self, world: &World<T, NB, R>) {
        for position in world.positions() {
            position.iter().for_each(|value| self.add(*value));
        }
        for orientation in world.orientations() {
            orientation.quaternion().coords.iter().for_each(|value| self.add(*value));
        }
        for velocity in world.bodies().linear_velocities().iter().chain(world.bodies().angular_velocities()) {
            velocity.iter().for_each(|value| self.add(*value));
        }
    }

    /// Adds all results of a step: the world, the residual, the work of contacts, and every contact's impulse.
    pub fn add_step<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
        &mut self,
        world: &World<T, NB, R>,
        pipeline: &Pipeline<T, NB, NC, NF, R>,
        report: &StepReport<T>,
    ) {
        self.add_world(world);
        self.add(report.residual);
        self.add(report.ledger.work());
        for contact in pipeline.contacts() {
            self.add(contact.bounce_impulse);
            self.add(contact.normal_impulse);
            self.add(contact.t1_impulse);
            self.add(contact.t2_impulse);
        }
    }

    /// Adds all results of a step of a leg: those of every step, and impulses and positions of joints.
    pub fn add_leg<T: Real, const NF: usize>(&mut self, leg: &Leg<T, NF>, report: &StepReport<T>) {
        self.add_step(&leg.world, &leg.pipeline, report);
        for kept in (0..leg::JOINTS).filter_map(|joint| leg.pipeline.joint(joint)) {
            kept.linear.iter().chain(kept.angular.iter()).for_each(|value| self.add(*value));
            self.add(kept.position);
        }
    }
}

/// The result of [`of_everything`] on every target, in single and in double precision. A new value means that answers
/// changed: see the changelog.
pub const PINNED: [u64; 2] = [0xa008_edf3_d182_c602, 0xc790_db54_32b8_ace0];

/// The result of [`of_joints`] on every target, likewise.
pub const PINNED_JOINTS: [u64; 2] = [0xb81e_9d61_c557_4cc9, 0xebdb_5acf_0b2d_4e4c];

/// The result of [`of_robot`] in single precision on every target: the one that the board prints.
pub const PINNED_ROBOT: u64 = 0xbd98_1996_7efd_ad5b;

/// Frames of the scenes with boxes.
pub const FRAMES: u32 = 60;

/// Runs boxes for a second and adds every frame.
pub fn of_boxes<T: Real, const NB: usize, const NC: usize, const NF: usize>(
    boxes: &mut Boxes<T, NB, NC, NF>,
) -> Result<Digest, InputError<T>> {
    let mut digest = Digest::default();
    for _ in 0..FRAMES {
        let report = boxes.step()?;
        digest.add_step(&boxes.world, &boxes.pipeline, &report);
    }
    Ok(digest)
}

/// Boxes that fall on one another, bounce and have no friction: cases that the other scenes do not have.
fn make_smooth_and_bouncy<T: Real>(boxes: &mut Boxes<T, BODIES, CONTACTS>) {
    for index in 0..boxes.world.len() {
        let Some(body) = boxes.world.get(index) else { break };
        let lifted = body.position + Vector3::z() * (T::lit(0.3) * T::integer(index as i16));
        let surface = Material { mu: T::ZERO, restitution: T::HALF };
        // Valid bodies with another surface are valid bodies.
        let _ = boxes.world.set(index, RigidBody { position: lifted, material: surface, ..body });
    }
}

/// Runs the robot's script and adds every step.
pub fn of_robot<T: Real>(robot: &mut Robot<T>) -> Result<Digest, InputError<T>> {
    let mut digest = Digest::default();
    for _ in 0..TICKS {
        let report = robot.step(Hooks::default())?;
        digest.add_step(&robot.world, &robot.pipeline, &report);
    }
    Ok(digest)
}

/// Runs the leg's script and adds every step, with what it keeps of joints.
pub fn of_leg<T: Real, const NF: usize>(leg: &mut Leg<T, NF>) -> Result<Digest, InputError<T>> {
    let mut digest = Digest::default();
    for _ in 0..leg::TICKS {
        let report = leg.step()?;
        digest.add_leg(leg, &report);
    }
    Ok(digest)
}

/// Solves a stack directly on which sweeps do not converge.
#[inline(never)]
pub fn of_direct<T: Real>() -> Result<Digest, InputError<T>> {
    let (mut bodies, mut contacts) = (Bodies::<T, { heavy::BODIES }>::new(), Contacts::<T, { heavy::CONTACTS }>::new());
    heavy::heavy_stack(&mut bodies, &mut contacts)?;
    // Sideways as well, so that the interior-point method is needed.
    let pushed = Vector3::new(T::lit(0.3), T::lit(0.1), T::lit(-0.2));
    bodies.set_velocity(heavy::BODIES - 2, pushed, pushed)?;
    let mut solver = Solver::<T, { heavy::BODIES }, { heavy::CONTACTS }>::new();
    let mut direct_memory = DirectMemory::<T, { heavy::CONTACTS }, { heavy::SLOTS }>::new();
    solver.solve_with(
        &mut bodies,
        &contacts,
        &Settings::default(),
        T::lit(1.0 / 60.0),
        Hooks::with_direct(direct_memory.view()),
    )?;
    let mut digest = Digest::default();
    for (linear, angular) in bodies.linear_velocities().iter().zip(bodies.angular_velocities()) {
        linear.iter().chain(angular.iter()).for_each(|value| digest.add(*value));
    }
    Ok(digest)
}

/// The digest of a stack of so many cubes, made into another scene. Not inlined: on boards the stack has space for one
/// scene at a time.
#[inline(never)]
fn of_scene<T: Real>(count: usize, change: fn(&mut Boxes<T, BODIES, CONTACTS>)) -> Result<Digest, InputError<T>> {
    let mut boxes = stack(count);
    change(&mut boxes);
    of_boxes(&mut boxes)
}

/// The digest of the robot's script, likewise.
#[inline(never)]
fn of_new_robot<T: Real>() -> Result<Digest, InputError<T>> {
    of_robot(&mut Robot::new()?)
}

/// The digest of all scenes; 0 if one of them is rejected, which does not happen.
pub fn of_everything<T: Real>() -> u64 {
    let parts = || {
        let cube = of_scene(1, slide)?;
        let boxes = of_scene::<T>(4, |_| {})?;
        let bounces = of_scene(3, make_smooth_and_bouncy::<T>)?;
        let robot = of_new_robot::<T>()?;
        Ok::<_, InputError<T>>([cube, boxes, bounces, robot, of_direct::<T>()?])
    };
    let combine = |all: u64, part: Digest| (all ^ part.0).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    parts().map_or(0, |parts| parts.into_iter().fold(0, combine))
}

/// The digest of the leg with a factor of all joints; 0 if it is rejected, which does not happen. By itself, so that the
/// digest of scenes without joints stays what it is.
#[inline(never)]
pub fn of_joints<T: Real>() -> u64 {
    let digest = || of_leg(&mut Leg::<T, { leg::BLOCKS }>::new(false)?);
    digest().map_or(0, |digest| digest.0)
}
