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
