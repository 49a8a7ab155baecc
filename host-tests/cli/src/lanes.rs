//! Memory for sweeps over several contacts at once, on the heap. Answers are the same without it, to the bit.

use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level, best_level};
use stiction_testkit::capacity::{BoxedLanes, LARGEST};
use stiction_testkit::large_stack::on_large_stack;

/// Stack size that is enough to build the largest memory before it moves to the heap.
const STACK_BYTES: usize = 64 << 20;

/// The instructions that solves and scenes use.
pub fn default_level() -> Option<Level> {
    Some(best_level())
}

/// Memory for so many bodies in all, and for islands of as many contacts: pass the larger of both numbers. There are as
/// many groups as can be visited in lanes: those of three contacts or more.
pub fn lanes_for<T: LaneScalar>(most: usize, level: Level) -> std::io::Result<BoxedLanes<T>> {
    on_large_stack(STACK_BYTES, move || -> BoxedLanes<T> {
        match most {
            0..=64 => Box::new(Lanes::<T, 64, 64, 22>::with_level(level)),
            65..=512 => Box::new(Lanes::<T, 512, 512, 171>::with_level(level)),
            513..=1024 => Box::new(Lanes::<T, 1024, 1024, 342>::with_level(level)),
            1025..=4096 => Box::new(Lanes::<T, 4096, 4096, 1366>::with_level(level)),
            _ => Box::new(Lanes::<T, LARGEST, LARGEST, 2731>::with_level(level)),
        }
    })
}
