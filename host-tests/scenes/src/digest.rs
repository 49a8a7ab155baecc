//! Every bit of every state of every scene in one number: equal where the arithmetic is equal, whatever the machine.

use stiction::{Real, Refusal, World};

use crate::boxes::{Boxes, sliding_cube, stack};
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
    /// Takes a number in.
    pub fn add<T: Real>(&mut self, value: T) {
        for byte in value.to_le_padded().into_iter().take(T::BYTES) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Takes in where bodies are and how they move.
    pub fn add_world<T: Real, const NB: usize>(&mut self, world: &World<T, NB>) {
        for position in world.positions() {
            position.iter().for_each(|value| self.add(*value));
        }
        for orientation in world.orientations() {
            orientation.quaternion().coords.iter().for_each(|value| self.add(*value));
        }
        for velocity in world.bodies().linear().iter().chain(world.bodies().angular()) {
            velocity.iter().for_each(|value| self.add(*value));
        }
    }
}

/// Frames of the scenes with boxes.
pub const FRAMES: u32 = 60;

/// Runs boxes for a second and takes every frame in.
pub fn of_boxes<T: Real, const NB: usize, const NC: usize>(boxes: &mut Boxes<T, NB, NC>) -> Result<Digest, Refusal<T>> {
    let mut digest = Digest::default();
    for _ in 0..FRAMES {
        let report = boxes.step()?;
        digest.add_world(&boxes.world);
        digest.add(report.residual);
        digest.add(report.ledger.work());
    }
    Ok(digest)
}

/// Runs the robot's script and takes every step in.
pub fn of_robot<T: Real>(robot: &mut Robot<T>) -> Result<Digest, Refusal<T>> {
    let mut digest = Digest::default();
    for _ in 0..TICKS {
        let report = robot.step(|| false, &mut ())?;
        digest.add_world(&robot.world);
        digest.add(report.residual);
        digest.add(report.ledger.work());
    }
    Ok(digest)
}

/// All scenes in one; 0 if one of them is refused, which none is.
pub fn of_everything<T: Real>() -> u64 {
    let parts = || {
        let cube = of_boxes(&mut sliding_cube::<T, BODIES, CONTACTS>())?;
        let boxes = of_boxes(&mut stack::<T, BODIES, CONTACTS>(4))?;
        let robot = of_robot(&mut Robot::<T>::new()?)?;
        Ok::<_, Refusal<T>>([cube, boxes, robot])
    };
    let combine = |all: u64, part: Digest| (all ^ part.0).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    parts().map_or(0, |parts| parts.into_iter().fold(0, combine))
}
