//! An open graphics processor.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stiction::Settings;

use crate::channel::Channel;
use crate::code::CODES;
use crate::context::Context;
use crate::driver::Driver;
use crate::error::GpuError;
use crate::module::Module;
use crate::parameters::Parameter;
use crate::rungs::Scalar;
use crate::stream::Stream;
use crate::timer::Timer;

/// Threads that run together.
const WARP: u32 = 32;

/// Threads of a block where all need the same number of sweeps, and where they do not: then more threads that run the same
/// instructions share them. Measured on an H200 with small problems of three kinds; so were the registers.
const EVEN_BLOCK: u32 = 256;
const UNEVEN_BLOCK: u32 = 512;
const REGISTERS: u32 = 128;

/// How code runs. Answers do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// Threads of a block: a multiple of 32 up to 1024, or 0 for what is fastest with the settings. Fewer where the graphics
    /// processor has no registers for so many.
    pub block: u32,
    /// Registers of a thread, at most; 0 leaves that to the driver, whose choice is up to a third slower.
    pub registers: u32,
}

impl Default for Choices {
    fn default() -> Self {
        Choices { block: 0, registers: REGISTERS }
    }
}

/// Whether threads of a launch need about the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    Even,
    Uneven,
}

impl Threads {
    /// Of problems that are solved with these settings.
    pub fn with<T: Scalar>(settings: &Settings<T>) -> Self {
        if settings.tolerance > T::ZERO { Threads::Uneven } else { Threads::Even }
    }
}

/// A graphics processor. Any thread can use it.
pub struct Gpu {
    /// Those that are idle.
    pub(crate) channels: Mutex<Vec<Channel>>,
    /// Codes that were compiled, by their place.
    modules: Mutex<Vec<Option<Arc<Module>>>>,
    pub(crate) context: Arc<Context>,
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
    /// The first graphics processor. Code is compiled when it is first needed, which takes some seconds where the driver has not
    /// done it before.
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
        let (name, version) = (context.name()?, context.driver.version()?);
        let modules = Mutex::new(CODES.iter().map(|_| None).collect());
        Ok(Gpu { channels: Mutex::default(), modules, context, choices, name, version })
    }

    /// Sets the threads of a block.
    pub fn set_block(&mut self, block: u32) -> Result<(), GpuError> {
        check_block(block)?;
        self.choices.block = block;
        Ok(())
    }

    /// How code runs. A block has fewer threads where there are no registers for so many.
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

    /// The code at a place of [`CODES`], compiled, and how many threads its blocks have. The context is the current one.
    pub(crate) fn module(&self, code: usize, threads: Threads) -> Result<(Arc<Module>, u32), GpuError> {
        let mut modules = locked(&self.modules);
        let module = match &modules[code] {
            Some(module) => Arc::clone(module),
            None => {
                let module = Arc::new(Module::load(&self.context, &CODES[code], self.choices.registers)?);
                modules[code].insert(module).clone()
            }
        };
        drop(modules);
        let asked = match (self.choices.block, threads) {
            (0, Threads::Even) => EVEN_BLOCK,
            (0, Threads::Uneven) => UNEVEN_BLOCK,
            (block, _) => block,
        };
        let block = possible_block(asked, module.most_threads()?);
        Ok((module, block))
    }

    /// How long launches take, one after the other, by the graphics processor's clock. The context is the current one.
    ///
    /// # Safety
    ///
    /// The parameters are those of the entry of the code, and what it asks for holds until this returns.
    pub(crate) unsafe fn time(
        &self,
        (code, kind): (usize, Threads),
        threads: u32,
        launches: Vec<Vec<Parameter>>,
    ) -> Result<Duration, GpuError> {
        let ((module, block), stream) = (self.module(code, kind)?, Stream::new(&self.context)?);
        let timer = Timer::start(&stream)?;
        // SAFETY: the caller's promise; the timer waits for whatever was begun.
        let mut launch =
            |mut parameters: Vec<Parameter>| unsafe { module.launch((threads, block), &mut parameters, &stream) };
        let launched = launches.into_iter().try_for_each(&mut launch);
        let time = timer.stop();
        launched.and(time)
    }
}

pub(crate) fn locked<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check_block(threads: u32) -> Result<(), GpuError> {
    let is_possible = threads <= 1024 && threads.is_multiple_of(WARP);
    if is_possible { Ok(()) } else { Err(GpuError::Block { threads }) }
}

/// As many whole warps as were asked for, or as there is room for.
fn possible_block(asked: u32, most: u32) -> u32 {
    asked.min(most / WARP * WARP).max(WARP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_threads_are_whole_warps() {
        for threads in [0, 32, 96, 1024] {
            assert_eq!(check_block(threads), Ok(()));
        }
        for threads in [16, 33, 1056] {
            assert_eq!(check_block(threads), Err(GpuError::Block { threads }));
        }
        assert_eq!([1024, 384, 250, 7].map(|most| possible_block(512, most)), [512, 384, 224, 32]);
    }
}
