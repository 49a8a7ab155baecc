//! Prints the digests of all scenes by semihosting and exits.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use stiction_scenes::digest::{of_everything, of_joints};

#[entry]
fn main() -> ! {
    hprintln!("f32 {:016x}", of_everything::<f32>());
    hprintln!("f64 {:016x}", of_everything::<f64>());
    hprintln!("joints_f32 {:016x}", of_joints::<f32>());
    hprintln!("joints_f64 {:016x}", of_joints::<f64>());
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::nop();
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    debug::exit(debug::EXIT_FAILURE);
    loop {
        cortex_m::asm::nop();
    }
}

#[cortex_m_rt::exception]
unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
    debug::exit(debug::EXIT_FAILURE);
    loop {
        cortex_m::asm::nop();
    }
}
