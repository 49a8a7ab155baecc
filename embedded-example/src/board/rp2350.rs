//! A real RP2350 (Raspberry Pi Pico 2) at 150 MHz from its 12 MHz crystal.

use defmt_rtt as _;
use panic_probe as _;
use rp235x_hal as hal;

use super::chip::{Clock, end};

/// At 150 MHz.
pub const TICKS_PER_MICROSECOND: u32 = 150;

/// The block that the boot ROM looks for.
#[unsafe(link_section = ".start_block")]
#[used]
static IMAGE: hal::block::ImageDef = hal::block::ImageDef::secure_exe();

impl Clock {
    /// Starts the board.
    pub fn start() -> Self {
        let (Some(mut device), Some(mut core)) = (hal::pac::Peripherals::take(), cortex_m::Peripherals::take()) else {
            end(false)
        };
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
        Clock::counting(&mut core.DCB, &mut core.DWT)
    }
}
