//! Names of instruction sets, and those that this machine has.
use fearless_simd::Level;

/// The name of a level.
///
/// ```
/// assert!(!stiction_lanes::level_name(stiction_lanes::Level::baseline()).is_empty());
/// ```
pub fn level_name(level: Level) -> &'static str {
    match level {
        #[cfg(target_arch = "aarch64")]
        Level::Neon(_) => "NEON",
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::WasmSimd128(_) => "SIMD128",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx512(_) => "AVX-512",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx2(_) => "AVX2",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Sse4_2(_) => "SSE4.2",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Sse2(_) => "SSE2",
        _ => "none",
    }
}

/// The instructions that `Lanes::new` and `Worlds::new` use: the widest of the processor, AVX2 at most, as in C.
///
/// A group fills registers of 256 bits, so AVX-512 adds none. Measured beside AVX2 it made no difference in sweeps in
/// `f32`; sweeps in `f64` took about a tenth less, and `Worlds` a little less. `with_level(Level::new())` uses it.
///
/// ```
/// assert_ne!(stiction_lanes::level_name(stiction_lanes::best_level()), "AVX-512");
/// ```
#[cfg(feature = "std")]
pub fn best_level() -> Level {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = level.as_avx2() {
        return Level::Avx2(avx2);
    }
    level
}

/// All levels that this machine has, the widest first: for tests, which compare them.
///
/// ```
/// assert!(stiction_lanes::levels().count() > 0);
/// ```
#[cfg(feature = "std")]
pub fn levels() -> impl Iterator<Item = Level> {
    let best = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let below = [best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2), best.as_sse2().map(Level::Sse2)];
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let below: [Option<Level>; 0] = [];
    let is_other = move |level: &Level| level_name(*level) != level_name(best);
    core::iter::once(best).chain(below.into_iter().flatten().filter(is_other))
}
