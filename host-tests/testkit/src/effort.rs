//! How much work a study does: few cases in a daily run, all of them where `STICTION_TESTS=all` is set.

/// The environment variable that asks for long studies.
pub const VARIABLE: &str = "STICTION_TESTS";

/// Whether long studies were asked for.
///
/// # Panics
/// If the variable is set to anything but `all` or `quick`: a misspelt word must not pass for a long run.
pub fn all() -> bool {
    match std::env::var(VARIABLE).as_deref() {
        Err(_) | Ok("quick") => false,
        Ok("all") => true,
        Ok(other) => panic!("{VARIABLE}: '{other}' is neither 'quick' nor 'all'"),
    }
}

/// The quick number of cases, or the full one in a long run.
pub fn cases<N>(quick: N, full: N) -> N {
    if all() { full } else { quick }
}
