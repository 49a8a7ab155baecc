//! Worlds that stay on a graphics processor and take many ticks in one launch: the legged robot and the jointed leg of
//! `stiction-scenes`, each from a start of its own. What they keep of their ticks is compared word by word with processors.
//!
//! ```
//! use stiction_gpu::{Gpu, WorldKind, worlds_on_processors};
//! use stiction_scenes::start::start_of;
//! use stiction_batch::Control;
//!
//! let (starts, control) = ([0, 1, 2].map(start_of), Control::default());
//! let expected = worlds_on_processors(WorldKind::Robot, &starts, 10, &control)?;
//! if let Ok(gpu) = Gpu::open() {
//!     let mut robots = gpu.worlds(WorldKind::Robot, &starts)?;
//!     robots.step(4, &control)?;
//!     robots.step(6, &control)?;
//!     assert_eq!(robots.read()?, expected);
//! }
//! assert_eq!(expected.course(2).unwrap().ticks, 10);
//! # Ok::<(), stiction_gpu::GpuError>(())
//! ```
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytemuck::{cast_slice, cast_slice_mut};
use stiction_batch::{BatchError, Control, Layout, run_all};
use stiction_batch_layout::words::{status_of, status_word};
use stiction_scenes::many::{COUNTS, Course, FactoredLeg, TRUNK, WORDS, words_after};
use stiction_scenes::robot::Robot;
use stiction_scenes::start::START;

use crate::batch::MOST;
use crate::code;
use crate::error::GpuError;
use crate::gpu::{Gpu, Threads};
use crate::memory::Buffer;
use crate::parameters::Parameter;
use crate::stream::Stream;

/// Ticks of a launch, at most, so that the caller hears of progress and can cancel.
pub const LAUNCH_TICKS: u32 = 50;

/// A kind of worlds that there is code for, in `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldKind {
    /// The legged robot: six bodies, contacts, a controller, a script of 2,000 ticks.
    Robot,
    /// The leg with three joints on a guide, whose servos turn it.
    Leg,
}

impl WorldKind {
    /// The places of its code: ticks, and the size of a state.
    fn codes(self) -> (usize, usize) {
        match self {
            WorldKind::Robot => (code::ROBOT_F32, code::ROBOT_F32_SIZE),
            WorldKind::Leg => (code::LEG_F32, code::LEG_F32_SIZE),
        }
    }
}

/// Where an array in blocks of worlds has a number of a world: as everywhere in a batch.
const BLOCKS: Layout = Layout::blocks(0, 0);

/// Worlds in the memory of a graphics processor, which is freed when this is dropped.
pub struct DeviceWorlds<'gpu> {
    gpu: &'gpu Gpu,
    kind: WorldKind,
    count: usize,
    /// Words of a state, as the graphics processor says.
    state_words: u32,
    starts: Buffer,
    states: Buffer,
    courses: Buffer,
}

impl std::fmt::Debug for DeviceWorlds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DeviceWorlds { kind, count, state_words, .. } = self;
        f.debug_struct("DeviceWorlds")
            .field("kind", kind)
            .field("count", count)
            .field("state_words", state_words)
            .finish_non_exhaustive()
    }
}

impl Gpu {
    /// Memory for a world of a kind for each start. Each is begun by the first launch.
    pub fn worlds(&self, kind: WorldKind, starts: &[[f32; START]]) -> Result<DeviceWorlds<'_>, GpuError> {
        let count = starts.len();
        if count > MOST {
            return Err(GpuError::Batch(BatchError::Capacity { what: "world", count, capacity: MOST }));
        }
        self.context.make_current()?;
        let state_words = self.state_words(kind)?;
        let bytes = |each: usize| size_of::<u32>() * BLOCKS.length(each, count);
        let starts = Buffer::of(&self.context, cast_slice(&in_blocks(starts)))?;
        let states = Buffer::new(&self.context, bytes(state_words as usize))?;
        let courses = Buffer::new(&self.context, bytes(WORDS))?;
        let stream = Stream::new(&self.context)?;
        // SAFETY: the stream is waited for, and nobody else has the array.
        let begun = unsafe { courses.begin_clear(bytes(WORDS), &stream) };
        let ended = stream.wait();
        begun.and(ended)?;
        self.context.wait()?;
        Ok(DeviceWorlds { gpu: self, kind, count, state_words, starts, states, courses })
    }

    /// Words of a state: two compilers may arrange a type in different ways, so the graphics processor is asked.
    fn state_words(&self, kind: WorldKind) -> Result<u32, GpuError> {
        let words = Buffer::new(&self.context, size_of::<u32>())?;
        // SAFETY: the entry writes one word; nobody else has it.
        unsafe { self.time((kind.codes().1, Threads::Even), 1, vec![vec![words.address().into()]])? };
        let mut answer = [0u32];
        words.read(cast_slice_mut(&mut answer))?;
        Ok(answer[0])
    }
}

impl DeviceWorlds<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of the state of a world.
    pub fn state_bytes(&self) -> usize {
        size_of::<u32>() * self.state_words as usize
    }

    /// Bytes of local memory that a thread has while it steps a world.
    pub fn local_bytes(&self) -> Result<u32, GpuError> {
        self.gpu.context.make_current()?;
        self.gpu.module(self.kind.codes().0, Threads::Uneven)?.0.local_bytes()
    }

    /// Lets every world take so many ticks, each with the bits of processors, in launches of [`LAUNCH_TICKS`] at most. A world of which
    /// a tick is rejected stays as it is. Returns how long launches took by the graphics processor's clock.
    ///
    /// After each launch `control.progress` hears how many ticks each world has taken in this call; no further launch begins once
    /// `control.cancel` is set.
    pub fn step(&mut self, ticks: u32, control: &Control<'_>) -> Result<Duration, GpuError> {
        self.gpu.context.make_current()?;
        let (mut done, mut time) = (0, Duration::ZERO);
        while !control.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            // Possibly none: a launch begins worlds.
            let now = LAUNCH_TICKS.min(ticks - done);
            time += self.launch(now)?;
            done += now;
            if let Some(progress) = control.progress {
                progress(done as usize);
            }
            if done == ticks {
                break;
            }
        }
        Ok(time)
    }

    /// One launch.
    fn launch(&mut self, ticks: u32) -> Result<Duration, GpuError> {
        let count = self.count as u32;
        let numbers = [count, ticks, self.state_words].map(Parameter::from);
        let arrays = [&self.starts, &self.states, &self.courses].map(|array| Parameter::from(array.address()));
        let parameters: Vec<Parameter> = numbers.into_iter().chain(arrays).collect();
        // SAFETY: parameters are those of the entry (`kernel/gpu/device`: `worlds::Arguments`), and arrays were made for so many worlds
        // of this kind and are borrowed exclusively. Courses were 0 before the first launch.
        unsafe { self.gpu.time((self.kind.codes().0, Threads::Uneven), count, vec![parameters]) }
    }

    /// What all worlds have kept so far.
    pub fn read(&self) -> Result<WorldAnswers, GpuError> {
        self.gpu.context.make_current()?;
        let mut words = vec![0u32; BLOCKS.length(WORDS, self.count)];
        self.courses.read(cast_slice_mut(&mut words))?;
        let word = |world: usize, k: usize| words[BLOCKS.at(WORDS, world, k)];
        let words = (0..self.count).map(|world| std::array::from_fn(|k| word(world, k))).collect();
        Ok(WorldAnswers { words })
    }
}

/// Starts in blocks of worlds side by side.
fn in_blocks(starts: &[[f32; START]]) -> Vec<f32> {
    let mut numbers = vec![0.0; BLOCKS.length(START, starts.len())];
    for (world, start) in starts.iter().enumerate() {
        start.iter().enumerate().for_each(|(k, number)| numbers[BLOCKS.at(START, world, k)] = *number);
    }
    numbers
}

/// What worlds have kept of their ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldAnswers {
    words: Vec<[u32; WORDS]>,
}

impl WorldAnswers {
    /// How many worlds there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words of each world: [`COUNTS`], then the bits of its trunk's numbers.
    pub fn words(&self) -> &[[u32; WORDS]] {
        &self.words
    }

    /// The ticks of a world; none if it was not begun.
    pub fn course(&self, world: usize) -> Option<Course> {
        Course::of_words(self.words.get(world)?, status_of)
    }

    /// Position, orientation (i, j, k, real part), linear and angular velocity of a world's trunk; zeros if its start was
    /// rejected. None if it was not begun.
    pub fn trunk(&self, world: usize) -> Option<[f32; TRUNK]> {
        self.course(world)?;
        let words = &self.words.get(world)?[COUNTS.len()..];
        Some(std::array::from_fn(|k| f32::from_bits(words[k])))
    }
}

/// The same without a graphics processor: begins a world for each start and lets it take so many ticks, on all cores. Worlds that were
/// not begun because the caller cancelled have no course.
pub fn worlds_on_processors(
    kind: WorldKind,
    starts: &[[f32; START]],
    ticks: u32,
    control: &Control<'_>,
) -> Result<WorldAnswers, BatchError> {
    let mut starts = starts.to_vec();
    let words = run_all(&mut starts, control, |_, start| match kind {
        WorldKind::Robot => words_after::<Robot<f32>>(start, ticks, status_word),
        WorldKind::Leg => words_after::<FactoredLeg>(start, ticks, status_word),
    })?;
    Ok(WorldAnswers { words: words.into_iter().map(|words| words.unwrap_or([0; WORDS])).collect() })
}
