//! Four boxes that rest on each other, the top one a thousand times heavier: what a frame at rest costs on a board.

use stiction::Real;

use crate::boxes::{Boxes, MASS, stack_with_top};

/// Boxes on each other.
pub const BOXES: usize = 4;
/// With the ground.
pub const BODIES: usize = BOXES + 1;
/// Four to a box.
pub const CONTACTS: usize = 4 * BOXES;
/// Blocks of the kept factor: what a pipeline has unless told otherwise.
pub const BLOCKS: usize = CONTACTS;
/// Frames after which they are at rest, and then frames that are counted.
pub const FRAMES: u32 = 60;

/// The boxes, just touching.
pub fn resting<T: Real, const NF: usize>() -> Boxes<T, BODIES, CONTACTS, NF> {
    stack_with_top(BOXES, 1000.0 * MASS)
}
