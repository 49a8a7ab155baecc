//! An open graphics processor, and batches on it.
//!
//! A batch is divided into shares of problems that follow each other, which are neighbours in every array because blocks of
//! problems are. A few threads take shares, each by a channel of its own, so the memory that is needed on the graphics
//! processor does not grow with the batch.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stiction::{Bodies, Contacts, Settings, Solver};
use stiction_batch::{Answers, BatchError, Layout, Packed};

use crate::arrays::{Arrays, SettingsArrays};
use crate::channel::{Channel, SHARE, Share, Work};
use crate::context::Context;
use crate::driver::Driver;
use crate::error::GpuError;
use crate::module::Module;
use crate::rejected;
use crate::rungs::fitting;
use crate::stream::Stream;
use crate::timer::Timer;

/// Threads that copy, at most. Copies within the host, most of all into memory that the system has yet to find, take longer than
/// those over the bus: on an H200's host with 16 cores, 4 threads carry 8 million problems of ten sweeps a second, 8 of them 13
/// million and 16 of them 19 million.
const CHANNELS: usize = 16;

/// Threads that run together.
const WARP: u32 = 32;

/// How code runs. Answers do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// Threads of a block: a multiple of 32 up to 1024. Fewer where the graphics processor has no registers for so many.
    pub block: u32,
    /// Registers of a thread, at most; 0 leaves that to the driver.
    pub registers: u32,
}

impl Default for Choices {
    /// Measured on an H200 with small problems of three kinds: registers as its driver chooses are up to a third slower than 64 to
    /// 128, and blocks of 512 threads with 128 registers are fastest where problems differ from each other, and within a tenth of
    /// the fastest elsewhere. Other graphics processors were not measured.
    fn default() -> Self {
        Choices { block: 512, registers: 128 }
    }
}

/// A graphics processor with the kernel's code. Any thread can use it.
pub struct Gpu {
    /// Those that are idle.
    channels: Mutex<Vec<Channel>>,
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
        Gpu::on(Driver::open()?, choices)
    }

    /// The same with a driver.
    pub(crate) fn on(driver: Driver, choices: Choices) -> Result<Self, GpuError> {
        let context = Arc::new(Context::open(driver)?);
        context.make_current()?;
        let (name, version) = (context.name()?, context.driver.version()?);
        let module = Module::load(context, choices.registers)?;
        let mut gpu = Gpu { channels: Mutex::default(), module, choices, name, version };
        gpu.set_block(choices.block)?;
        Ok(gpu)
    }

    /// Sets the threads of a block.
    pub fn set_block(&mut self, block: u32) -> Result<(), GpuError> {
        check_block(block)?;
        self.module.context.make_current()?;
        self.choices.block = possible_block(block, self.module.most_threads()?);
        Ok(())
    }

    /// How code runs: with as many threads a block as are possible.
    pub fn choices(&self) -> Choices {
        self.choices
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
    ///
    /// The first batch of a layout allocates memory that later ones use again, on both sides what 16,384 problems need times the
    /// number of threads that copy, 16 at most. It is given back by a batch of another layout and with the last of this.
    pub fn solve_all(
        &self,
        problems: &Packed<f32>,
        settings: &Settings<f32>,
        dt: f32,
    ) -> Result<Answers<f32>, GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        let rung = checked(&layout, settings, dt)?;
        self.module.context.make_current()?;
        let settings_arrays = SettingsArrays::new(&self.module.context, settings)?;
        let work = Work { module: &self.module, rung, block: self.choices.block, settings: &settings_arrays, dt };
        let mut scalars = vec![0.0; layout.length(layout.answer_scalars(), count)];
        let mut words = vec![0; layout.length(layout.answer_words(), count)];
        self.solve_shares(layout, &work, shares(problems, &mut scalars, &mut words))?;
        let errors = rejected::errors(rung, problems, &words, settings, dt)?;
        Ok(Answers::from_arrays(layout, count, (scalars, words), errors)?)
    }

    /// Solves all shares, on as many threads as are of use.
    fn solve_shares(&self, layout: Layout, work: &Work<'_>, shares: Vec<Share<'_>>) -> Result<(), GpuError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = shares.len().min(CHANNELS).min(cores);
        let left = Mutex::new(shares);
        let solve = || {
            let solved = self.solve_some(layout, work, &left);
            if solved.is_err() {
                // The other threads stop.
                locked(&left).clear();
            }
            solved
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(solve)).collect();
            let first = solve();
            others.into_iter().fold(first, |all, other| {
                let ended = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.and(ended)
            })
        })
    }

    /// Solves shares until none is left.
    fn solve_some(&self, layout: Layout, work: &Work<'_>, left: &Mutex<Vec<Share<'_>>>) -> Result<(), GpuError> {
        self.module.context.make_current()?;
        let mut channel = None;
        while let Some(share) = pop(left) {
            let channel = match &mut channel {
                Some(channel) => channel,
                none => none.insert(self.channel(layout)?),
            };
            channel.solve(work, share)?;
        }
        locked(&self.channels).extend(channel);
        Ok(())
    }

    /// A channel that is idle, or a new one. Idle ones of other layouts are given back.
    fn channel(&self, layout: Layout) -> Result<Channel, GpuError> {
        let mut idle = locked(&self.channels);
        idle.retain(|channel| channel.layout() == layout);
        let found = idle.pop();
        drop(idle);
        found.map_or_else(|| Channel::new(&self.module.context, layout), Ok)
    }

    /// How long the solves of a batch take, by the graphics processor's clock, if the problems are there already: in one launch,
    /// whose answers nobody reads.
    pub fn kernel_time(&self, problems: &Packed<f32>, settings: &Settings<f32>, dt: f32) -> Result<Duration, GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        let (rung, context) = (checked(&layout, settings, dt)?, &self.module.context);
        if count > u32::MAX as usize / 2 {
            return Err(GpuError::Batch(BatchError::Capacity {
                what: "problem",
                count,
                capacity: u32::MAX as usize / 2,
            }));
        }
        context.make_current()?;
        let (settings, stream) = (SettingsArrays::new(context, settings)?, Stream::new(context)?);
        let arrays = Arrays::new(context, layout, count)?;
        let (scalars, words) = problems.arrays();
        arrays.scalars.write(scalars)?;
        arrays.words.write(words)?;
        context.wait()?;
        let parameters = arrays.parameters(&settings, count, dt);
        let timer = Timer::start(&stream)?;
        // SAFETY: arrays were made for so many problems of this layout, which the rung fits, and nothing else uses them; freeing
        // them waits for what was begun.
        unsafe { self.module.launch((rung, self.choices.block), &parameters, &stream)? }
        timer.stop()
    }
}

/// All problems and the places of their answers, in shares.
fn shares<'a>(problems: &'a Packed<f32>, scalars: &'a mut [f32], words: &'a mut [u32]) -> Vec<Share<'a>> {
    let (layout, count) = (problems.layout(), problems.len());
    let (given_scalars, given_words) = problems.arrays();
    let answers = scalars
        .chunks_mut(layout.length(layout.answer_scalars(), SHARE))
        .zip(words.chunks_mut(layout.length(layout.answer_words(), SHARE)));
    let share = |(number, (answer_scalars, answer_words)): (usize, (&'a mut [f32], &'a mut [u32]))| {
        let (first, end) = (number * SHARE, count.min((number + 1) * SHARE));
        let numbers = |each: usize| layout.length(each, first)..layout.length(each, end);
        Share {
            count: end - first,
            scalars: &given_scalars[numbers(layout.input_scalars())],
            words: &given_words[numbers(layout.input_words())],
            answer_scalars,
            answer_words,
        }
    };
    answers.enumerate().map(share).collect()
}

fn locked<V>(mutex: &Mutex<V>) -> std::sync::MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pop<'a>(left: &Mutex<Vec<Share<'a>>>) -> Option<Share<'a>> {
    locked(left).pop()
}

fn check_block(threads: u32) -> Result<(), GpuError> {
    let is_possible = (WARP..=1024).contains(&threads) && threads.is_multiple_of(WARP);
    if is_possible { Ok(()) } else { Err(GpuError::Block { threads }) }
}

/// As many whole warps as were asked for, or as there is room for.
fn possible_block(asked: u32, most: u32) -> u32 {
    asked.min(most / WARP * WARP).max(WARP)
}

/// The place of the rung for problems of a layout, if settings and time step are valid.
fn checked(layout: &Layout, settings: &Settings<f32>, dt: f32) -> Result<usize, GpuError> {
    let rung = rung_for(layout)?;
    Solver::<f32, 1, 1>::validate(&Bodies::new(), &Contacts::new(), settings, dt)
        .map_err(|error| BatchError::Settings(error.to_string()))?;
    Ok(rung)
}

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
        assert_eq!([1024, 384, 250, 7].map(|most| possible_block(512, most)), [512, 384, 224, 32]);
    }

    #[test]
    fn shares_have_all_problems_and_all_places_of_answers() {
        for (layout, count) in
            [(Layout::blocks(1, 1), 2 * SHARE + 7), (Layout::blocks(0, 0), 5), (Layout::blocks(1, 1), 0)]
        {
            let problems = Packed::new(layout, count);
            let mut scalars = vec![0.0; layout.length(layout.answer_scalars(), count)];
            let mut words = vec![0; layout.length(layout.answer_words(), count)];
            let lengths = (problems.arrays().0.len(), problems.arrays().1.len(), scalars.len(), words.len());
            let found = shares(&problems, &mut scalars, &mut words).into_iter().fold((0, 0, 0, 0, 0), |sum, share| {
                let Share { count, scalars, words, answer_scalars, answer_words } = share;
                let (a, b) = (sum.1 + scalars.len(), sum.2 + words.len());
                (sum.0 + count, a, b, sum.3 + answer_scalars.len(), sum.4 + answer_words.len())
            });
            assert_eq!(found, (count, lengths.0, lengths.1, lengths.2, lengths.3));
        }
    }
}
