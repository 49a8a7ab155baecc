//! QEMU's `netduinoplus2`: an STM32F405 whose clock tree is not modelled, so it is not set up.

use cortex_m_semihosting::debug;
use defmt_semihosting as _;

/// As if the chip ran at 168 MHz and an instruction took one cycle.
pub const TICKS_PER_MICROSECOND: u32 = 168;

/// TIM2, free-running. Under `-icount shift=0` QEMU advances it by one an instruction.
pub struct Clock(());

const TIM2: usize = 0x4000_0000;
const CONTROL: usize = TIM2;
const EVENT: usize = TIM2 + 0x14;
const COUNT: usize = TIM2 + 0x24;
const PRESCALER: usize = TIM2 + 0x28;
const RELOAD: usize = TIM2 + 0x2c;

fn write(register: usize, value: u32) {
    // SAFETY: a register of TIM2, which nothing else in the program uses.
    unsafe { (register as *mut u32).write_volatile(value) }
}

impl Clock {
    /// Starts the board.
    pub fn start() -> Self {
        write(PRESCALER, 0);
        write(RELOAD, u32::MAX);
        write(EVENT, 1);
        write(CONTROL, 1);
        Clock(())
    }

    /// Ticks so far, modulo 2³².
    #[inline(always)]
    pub fn now(&self) -> u32 {
        // SAFETY: as above; reading has no side effect.
        unsafe { (COUNT as *const u32).read_volatile() }
    }
}

/// Ends the program.
pub fn end(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::nop();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    defmt::error!("panicked");
    end(false)
}

#[cortex_m_rt::exception]
unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
    defmt::error!("hard fault");
    end(false)
}
