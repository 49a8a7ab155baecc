//! Measures stack use: the stack is painted before and checked after.

use core::hint::black_box;

const PAINT: u32 = 0x5354_4943;
/// Painted words: more than any function here uses.
const WORDS: usize = 4096;

/// Runs `work` and gives its result and the bytes of stack below the caller that it used, its own frame included.
#[inline(never)]
pub fn measured<R>(work: impl FnOnce() -> R) -> (R, u32) {
    // This function's frame is above; all stack that `work` uses is below.
    let top = cortex_m::register::msp::read() as usize / 4;
    for word in top - WORDS..top {
        // SAFETY: below the stack pointer of the only thread, with nothing that could interrupt it; the linker puts the
        // stack at the end of 128 KiB of which the program uses less than half.
        unsafe { ((word * 4) as *mut u32).write_volatile(PAINT) };
    }
    let result = called(work);
    // SAFETY: as above.
    let untouched =
        (top - WORDS..top).take_while(|word| unsafe { ((word * 4) as *const u32).read_volatile() } == PAINT);
    let used = (WORDS - untouched.count()) * 4;
    (result, used as u32)
}

/// Keeps the frame of `work` out of the caller's.
#[inline(never)]
fn called<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// The measured use of a function that needs half a kilobyte: as much, and little more.
pub fn of_half_a_kilobyte() -> u32 {
    measured(|| {
        black_box(&mut [1_u8; 512]);
    })
    .1
}
