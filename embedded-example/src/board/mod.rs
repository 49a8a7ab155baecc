//! Boards behind one interface: start, a counter, and a way to end.
//!
//! | feature | counter | output | end |
//! |---|---|---|---|
//! | `emulated` | instructions (TIM2 under `-icount`) | semihosting | exits QEMU |
//! | `f405`, `rp2350` | cycles (DWT) | RTT | waits for ever |

#[cfg(feature = "emulated")]
mod emulated;
#[cfg(feature = "emulated")]
pub use emulated::{Clock, TICKS_PER_MICROSECOND, end};

#[cfg(any(feature = "f405", feature = "rp2350"))]
mod chip;
#[cfg(any(feature = "f405", feature = "rp2350"))]
pub use chip::{Clock, end};

#[cfg(feature = "f405")]
mod f405;
#[cfg(feature = "f405")]
pub use f405::TICKS_PER_MICROSECOND;

#[cfg(feature = "rp2350")]
mod rp2350;
#[cfg(feature = "rp2350")]
pub use rp2350::TICKS_PER_MICROSECOND;

#[cfg(not(any(feature = "emulated", feature = "f405", feature = "rp2350")))]
compile_error!("choose a board: --features emulated, f405 or rp2350");

#[cfg(any(
    all(feature = "emulated", feature = "f405"),
    all(feature = "emulated", feature = "rp2350"),
    all(feature = "f405", feature = "rp2350")
))]
compile_error!("choose one board: --no-default-features --features …");
