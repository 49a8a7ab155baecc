//! A real STM32F405 at 168 MHz from its internal oscillator: no crystal, no wiring.

use defmt_rtt as _;
use panic_probe as _;
use stm32f4xx_hal::pac;
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;

/// At 168 MHz.
pub const TICKS_PER_MICROSECOND: u32 = 168;

/// The cycle counter.
pub struct Clock(());

impl Clock {
    /// Starts the board.
    pub fn start() -> Self {
        if let (Some(device), Some(mut core)) = (pac::Peripherals::take(), cortex_m::Peripherals::take()) {
            let _ = device.RCC.freeze(Config::hsi().sysclk(168.MHz()));
            core.DCB.enable_trace();
            core.DWT.enable_cycle_counter();
        }
        Clock(())
    }

    /// Cycles so far, modulo 2³².
    #[inline(always)]
    pub fn now(&self) -> u32 {
        cortex_m::peripheral::DWT::cycle_count()
    }
}

/// Ends the program.
pub fn end(success: bool) -> ! {
    defmt::info!("end, {}", if success { "success" } else { "failure" });
    loop {
        cortex_m::asm::wfi();
    }
}
