//! An open graphics processor, and batches on it.
//!
//! A batch is copied there, solved one problem a thread and copied back, a million problems at a time, so that the memory that is
//! needed does not grow with the batch. Problems of such a share are neighbours in every array, because blocks of problems are.
use std::sync::Arc;
use std::time::Duration;

use stiction::{Bodies, Contacts, Settings, Solver};
use stiction_batch::{Answers, BatchError, Layout, Packed};
use stiction_batch_layout::SettingsNumbers;

use crate::context::Context;
use crate::error::GpuError;
use crate::memory::Buffer;
use crate::module::{Module, Parameters};
use crate::rejected;
use crate::rungs::fitting;
use crate::timer::Timer;

/// Problems that are on the graphics processor at a time: whole blocks.
const SHARE: usize = 1 << 20;

/// How code runs. Answers do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// Threads of a block: a multiple of 32 up to 1024.
    pub block: u32,
    /// Registers of a thread, at most; 0 leaves that to the driver.
    pub registers: u32,
}

impl Default for Choices {
    fn default() -> Self {
        Choices { block: 128, registers: 0 }
    }
}

/// How long a batch took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// The solves alone, by the graphics processor's clock.
    pub kernel: Duration,
    /// Copies to the graphics processor and back, by the host's clock.
    pub copies: Duration,
}

/// A graphics processor with the kernel's code. Any thread can use it; batches of several threads are solved one after
/// another.
pub struct Gpu {
    module: Module,
    choices: Choices,
    name: String,
    version: i32,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Gpu { choices, name, version, .. } = self;
        f.debug_struct("Gpu").field("name", name).field("version", version).field("choices", choices).finish()
    }
}

impl Gpu {
    /// The first graphics processor. Takes some seconds where the driver has not compiled the code before.
    pub fn open() -> Result<Self, GpuError> {
        Gpu::open_with(Choices::default())
    }

    /// The same with other choices.
    pub fn open_with(choices: Choices) -> Result<Self, GpuError> {
        check_block(choices.block)?;
        let context = Arc::new(Context::open()?);
        context.make_current()?;
        let (name, version) = (context.name()?, context.driver.version()?);
        Ok(Gpu { module: Module::load(context, choices.registers)?, choices, name, version })
    }

    /// Sets the threads of a block.
    pub fn set_block(&mut self, block: u32) -> Result<(), GpuError> {
        check_block(block)?;
        self.choices.block = block;
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The newest version of CUDA that its driver knows: 1000 times the first number and 10 times the second.
    pub fn driver_version(&self) -> i32 {
        self.version
    }

    /// Solves all problems for a step of `dt` seconds, each with the bits of [`Solver::solve`]. Problems are in blocks
    /// ([`Layout::blocks`]) and fit the largest of [`RUNGS`](crate::RUNGS); answers are in blocks as well.
    pub fn solve_all(
        &self,
        problems: &Packed<f32>,
        settings: &Settings<f32>,
        dt: f32,
    ) -> Result<Answers<f32>, GpuError> {
        self.solve_all_timed(problems, settings, dt).map(|(answers, _)| answers)
    }

    /// The same, and how long it took.
    pub fn solve_all_timed(
        &self,
        problems: &Packed<f32>,
        settings: &Settings<f32>,
        dt: f32,
    ) -> Result<(Answers<f32>, Times), GpuError> {
        let rung = rung_for(&problems.layout())?;
        Solver::<f32, 1, 1>::validate(&Bodies::new(), &Contacts::new(), settings, dt)
            .map_err(|error| BatchError::Settings(error.to_string()))?;
        self.module.context.make_current()?;
        let (scalars, words, times) = self.solve_shares(rung, problems, settings, dt)?;
        let errors = rejected::errors(rung, problems, &words, settings, dt)?;
        let answers = Answers::from_arrays(problems.layout(), problems.len(), (scalars, words), errors)?;
        Ok((answers, times))
    }

    /// Scalars and words of all answers.
    fn solve_shares(
        &self,
        rung: usize,
        problems: &Packed<f32>,
        settings: &Settings<f32>,
        dt: f32,
    ) -> Result<(Vec<f32>, Vec<u32>, Times), GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        let (given_scalars, given_words) = problems.arrays();
        let mut scalars = vec![0.0; layout.length(layout.answer_scalars(), count)];
        let mut words = vec![0; layout.length(layout.answer_words(), count)];
        let arrays = Arrays::new(&self.module.context, &layout, count.min(SHARE), settings)?;
        let mut times = Times::default();
        for first in (0..count).step_by(SHARE) {
            let share = first..count.min(first + SHARE);
            let numbers = |each: usize| layout.length(each, share.start)..layout.length(each, share.end);
            let given = (&given_scalars[numbers(layout.input_scalars())], &given_words[numbers(layout.input_words())]);
            let answers = (&mut scalars[numbers(layout.answer_scalars())], &mut words[numbers(layout.answer_words())]);
            self.solve_share(rung, (&layout, share.len(), dt), &arrays, given, answers, &mut times)?;
        }
        Ok((scalars, words, times))
    }

    /// Solves problems that are on the graphics processor at once.
    fn solve_share(
        &self,
        rung: usize,
        (layout, count, dt): (&Layout, usize, f32),
        arrays: &Arrays<'_>,
        given: (&[f32], &[u32]),
        answers: (&mut [f32], &mut [u32]),
        times: &mut Times,
    ) -> Result<(), GpuError> {
        let began = std::time::Instant::now();
        arrays.scalars.write(given.0)?;
        arrays.words.write(given.1)?;
        times.copies += began.elapsed();
        arrays.answer_scalars.clear(answers.0.len())?;
        arrays.answer_words.clear(answers.1.len())?;
        let parameters = arrays.parameters(layout, count, dt);
        let timer = Timer::start(&self.module.context)?;
        // SAFETY: arrays were made for this layout and at least so many problems, and freeing them waits for launches; the layout
        // fits the rung.
        unsafe { self.module.launch(rung, self.choices.block, &parameters)? }
        times.kernel += timer.stop()?;
        let began = std::time::Instant::now();
        arrays.answer_scalars.read(answers.0)?;
        arrays.answer_words.read(answers.1)?;
        times.copies += began.elapsed();
        Ok(())
    }
}

/// Everything that a launch reads and writes.
struct Arrays<'a> {
    settings_scalars: Buffer<'a, f32>,
    settings_words: Buffer<'a, u32>,
    scalars: Buffer<'a, f32>,
    words: Buffer<'a, u32>,
    answer_scalars: Buffer<'a, f32>,
    answer_words: Buffer<'a, u32>,
}

impl<'a> Arrays<'a> {
    /// For so many problems.
    fn new(context: &'a Context, layout: &Layout, count: usize, settings: &Settings<f32>) -> Result<Self, GpuError> {
        let numbers = SettingsNumbers::of(settings);
        Ok(Arrays {
            settings_scalars: Buffer::holding(context, &numbers.scalars)?,
            settings_words: Buffer::holding(context, &numbers.words)?,
            scalars: Buffer::new(context, layout.length(layout.input_scalars(), count))?,
            words: Buffer::new(context, layout.length(layout.input_words(), count))?,
            answer_scalars: Buffer::new(context, layout.length(layout.answer_scalars(), count))?,
            answer_words: Buffer::new(context, layout.length(layout.answer_words(), count))?,
        })
    }

    fn parameters(&self, layout: &Layout, count: usize, dt: f32) -> Parameters {
        Parameters {
            // At most a share, and at most the largest rung.
            count: count as u32,
            bodies: layout.bodies as u32,
            contacts: layout.contacts as u32,
            dt,
            arrays: [
                self.settings_scalars.address(),
                self.settings_words.address(),
                self.scalars.address(),
                self.words.address(),
                self.answer_scalars.address(),
                self.answer_words.address(),
            ],
        }
    }
}

fn check_block(threads: u32) -> Result<(), GpuError> {
    let is_possible = (32..=1024).contains(&threads) && threads.is_multiple_of(32);
    if is_possible { Ok(()) } else { Err(GpuError::Block { threads }) }
}

/// The place of the rung for a layout.
fn rung_for(layout: &Layout) -> Result<usize, GpuError> {
    if layout.has_surfaces {
        return Err(GpuError::Surfaces);
    }
    if *layout != Layout::blocks(layout.bodies, layout.contacts) {
        return Err(GpuError::Rows);
    }
    let Layout { bodies, contacts, .. } = *layout;
    fitting(layout).ok_or(GpuError::TooLarge { bodies, contacts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_without_code_are_refused_with_a_reason() {
        assert_eq!(rung_for(&Layout::blocks(5, 8)), Ok(0));
        assert_eq!(rung_for(&Layout::rows(5, 8)), Err(GpuError::Rows));
        assert_eq!(rung_for(&Layout::blocks(5, 8).with_surfaces()), Err(GpuError::Surfaces));
        assert_eq!(rung_for(&Layout::blocks(5, 9)), Err(GpuError::TooLarge { bodies: 5, contacts: 9 }));
    }

    #[test]
    fn blocks_of_threads_are_whole_warps() {
        for threads in [32, 96, 1024] {
            assert_eq!(check_block(threads), Ok(()));
        }
        for threads in [0, 16, 33, 1056] {
            assert_eq!(check_block(threads), Err(GpuError::Block { threads }));
        }
    }

    #[test]
    fn a_share_is_whole_blocks_and_fits_the_parameters() {
        assert!(SHARE.is_multiple_of(stiction_batch::layout::BLOCK) && u32::try_from(SHARE).is_ok());
    }
}
