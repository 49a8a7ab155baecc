//! The instructions of the processor. The standard library detects them, but this library does without it.

use stiction_lanes::Level;

/// The best instructions for lanes that this processor and its operating system have: AVX2 at most, as
/// `stiction_lanes::best_level` says.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub fn best_level() -> Level {
    if x86::has_avx2() {
        // SAFETY: the processor has the instructions of x86-64-v3, which are those that this level uses.
        Level::Avx2(unsafe { stiction_lanes::x86::Avx2::assume_supported() })
    } else {
        Level::baseline()
    }
}

/// The instructions that every processor of the target has: others have no wider ones.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub fn best_level() -> Level {
    Level::baseline()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    #[cfg(target_arch = "x86")]
    use core::arch::x86::{__cpuid, __cpuid_count, _XCR_XFEATURE_ENABLED_MASK, _xgetbv};
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::{__cpuid, __cpuid_count, _XCR_XFEATURE_ENABLED_MASK, _xgetbv};

    /// Leaf 1, ecx: FMA, CMPXCHG16B, MOVBE, POPCNT, XSAVE, its use by the operating system, AVX, F16C.
    const BASIC_C: u32 = 1 << 12 | 1 << 13 | 1 << 22 | 1 << 23 | 1 << 26 | 1 << 27 | 1 << 28 | 1 << 29;
    /// Leaf 1, edx: FXSR.
    const BASIC_D: u32 = 1 << 24;
    /// Leaf 7, ebx: BMI1, AVX2, BMI2.
    const EXTENDED_B: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    /// Leaf 0x8000_0001, ecx: LZCNT.
    const AMD_C: u32 = 1 << 5;
    /// The operating system keeps the registers of SSE and AVX.
    const KEPT_REGISTERS: u64 = 0b110;

    /// Whether a word has all of these bits.
    const fn has(word: u32, bits: u32) -> bool {
        word & bits == bits
    }

    /// Whether the processor has the instructions of x86-64-v3, and the operating system keeps their registers.
    #[allow(unused_unsafe, reason = "newer compilers know that this instruction is safe")]
    pub fn has_avx2() -> bool {
        // SAFETY: every processor with SSE2 has this instruction. Leaves above the greatest are not asked for.
        unsafe {
            if __cpuid(0).eax < 7 || __cpuid(0x8000_0000).eax < 0x8000_0001 {
                return false;
            }
            let (basic, extended, amd) = (__cpuid(1), __cpuid_count(7, 0), __cpuid(0x8000_0001));
            let processor = has(basic.ecx, BASIC_C) && has(basic.edx, BASIC_D);
            processor && has(extended.ebx, EXTENDED_B) && has(amd.ecx, AMD_C) && kept_registers()
        }
    }

    /// Whether the operating system keeps the registers of SSE and AVX.
    ///
    /// # Safety
    /// The processor has XSAVE, and the operating system uses it.
    #[target_feature(enable = "xsave")]
    unsafe fn kept_registers() -> bool {
        // SAFETY: the caller's promise.
        unsafe { _xgetbv(_XCR_XFEATURE_ENABLED_MASK) & KEPT_REGISTERS == KEPT_REGISTERS }
    }
}
