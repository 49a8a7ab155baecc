//! The digests as functions of a WebAssembly module.

#![no_std]

/// The digest of all scenes in single precision.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn digest_f32() -> u64 {
    stiction_scenes::digest::of_everything::<f32>()
}

/// The digest of all scenes in double precision.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn digest_f64() -> u64 {
    stiction_scenes::digest::of_everything::<f64>()
}

/// The digest of the jointed leg in single precision.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn digest_joints_f32() -> u64 {
    stiction_scenes::digest::of_joints::<f32>()
}

/// The digest of the jointed leg in double precision.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn digest_joints_f64() -> u64 {
    stiction_scenes::digest::of_joints::<f64>()
}

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
