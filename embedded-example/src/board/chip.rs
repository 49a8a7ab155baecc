//! Common parts of the real chips: a cycle counter and the end of the program.

use cortex_m::peripheral::{DCB, DWT};

/// The cycle counter.
pub struct Clock(());

impl Clock {
    /// Starts the counter.
    pub(super) fn counting(dcb: &mut DCB, dwt: &mut DWT) -> Self {
        dcb.enable_trace();
        dwt.enable_cycle_counter();
        Clock(())
    }

    /// Cycles so far, modulo 2³².
    #[inline(always)]
    pub fn now(&self) -> u32 {
        DWT::cycle_count()
    }
}

/// Ends the program.
pub fn end(success: bool) -> ! {
    defmt::info!("end, {}", if success { "success" } else { "failure" });
    loop {
        cortex_m::asm::wfi();
    }
}
