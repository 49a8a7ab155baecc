//! A real RP2350 (Raspberry Pi Pico 2) at 150 MHz from its 12 MHz crystal.

use defmt_rtt as _;
use panic_probe as _;
use rp235x_hal as hal;

/// What the boot ROM looks for.
#[unsafe(link_section = ".start_block")]
#[used]
static IMAGE: hal::block::ImageDef = hal::block::ImageDef::secure_exe();

/// At 150 MHz.
pub const TICKS_PER_MICROSECOND: u32 = 150;

/// The cycle counter.
pub struct Clock(());

impl Clock {
    /// Starts the board.
    pub fn start() -> Self {
        if let (Some(mut device), Some(mut core)) = (hal::pac::Peripherals::take(), cortex_m::Peripherals::take()) {
            let mut watchdog = hal::Watchdog::new(device.WATCHDOG);
            let clocks = hal::clocks::init_clocks_and_plls(
                12_000_000,
                device.XOSC,
                device.CLOCKS,
                device.PLL_SYS,
                device.PLL_USB,
                &mut device.RESETS,
                &mut watchdog,
            );
            if clocks.is_err() {
                defmt::error!("the clocks did not start");
                end(false);
            }
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
