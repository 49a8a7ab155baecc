//! The correctly rounded square root of a single-precision number, by the processor's own instruction where the target
//! has one that Rust's `core` does not use: hard-float Cortex-M. On all other targets it is `libm`'s.
//!
//! IEEE 754 defines every bit of a square root, so both give the same result; `cargo verify` compares them on the
//! board. This crate exists so that the kernel itself can forbid `unsafe`.

#![no_std]

/// √x, correctly rounded; NaN below 0.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(all(target_arch = "arm", target_abi = "eabihf"))]
    {
        let mut bits = x.to_bits();
        // SAFETY: computes in registers: s0 is declared overwritten, memory is not touched. The target's ABI
        // (`eabihf`) says that the floating-point unit is there.
        unsafe {
            core::arch::asm!(
                "vmov s0, {bits}",
                "vsqrt.f32 s0, s0",
                "vmov {bits}, s0",
                bits = inout(reg) bits,
                out("s0") _,
                options(pure, nomem, nostack)
            );
        }
        f32::from_bits(bits)
    }
    #[cfg(not(all(target_arch = "arm", target_abi = "eabihf")))]
    {
        libm::sqrtf(x)
    }
}
