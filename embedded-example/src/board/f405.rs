//! A real STM32F405 at 168 MHz from its internal oscillator: no crystal, no wiring.

use defmt_rtt as _;
use panic_probe as _;
use stm32f4xx_hal::pac;
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;

use super::chip::{Clock, end};

/// At 168 MHz.
pub const TICKS_PER_MICROSECOND: u32 = 168;

impl Clock {
    /// Starts the board.
    pub fn start() -> Self {
        let (Some(device), Some(mut core)) = (pac::Peripherals::take(), cortex_m::Peripherals::take()) else {
            end(false)
        };
        let _ = device.RCC.freeze(Config::hsi().sysclk(168.MHz()));
        Clock::counting(&mut core.DCB, &mut core.DWT)
    }
}
