//! How deep the stack was: painted before, looked at after.

const PAINT: u32 = 0x5354_4943;
/// Words that are painted: more than anything here uses.
const WORDS: usize = 4096;
/// Words right below the stack pointer that painting itself may use.
const SPARE: usize = 32;

/// Runs `work` and gives its result and the bytes of stack that it used, to 4 bytes.
pub fn measured<R>(work: impl FnOnce() -> R) -> (R, u32) {
    let ((), nothing) = looked_at(|| ());
    let (result, used) = looked_at(work);
    (result, used.saturating_sub(nothing))
}

#[inline(never)]
fn looked_at<R>(work: impl FnOnce() -> R) -> (R, u32) {
    let top = cortex_m::register::msp::read() as usize / 4 - SPARE;
    for word in top - WORDS..top {
        // SAFETY: below the stack pointer of the only thread, with nothing that could interrupt it; the linker puts the
        // stack at the end of 128 KiB of which the program uses less than half.
        unsafe { ((word * 4) as *mut u32).write_volatile(PAINT) };
    }
    let result = work();
    // SAFETY: as above.
    let untouched =
        (top - WORDS..top).take_while(|word| unsafe { ((word * 4) as *const u32).read_volatile() } == PAINT);
    let used = (WORDS - untouched.count() + SPARE) * 4;
    (result, used as u32)
}
