//! Benchmarks of stiction; see `benches/`.
