//! What is committed beside the PTX: the digest of its sources, its compiler, and what each entry needs, so that a change of the
//! kernel that needs more memory on a graphics processor is a line in its difference.
use crate::{calls, text};

/// Local memory that a thread can have at most, on every graphics processor that the PTX is for.
const MOST_LOCAL_BYTES: usize = 512 << 10;

/// The record of a PTX that passes all checks.
pub fn of(ptx: &str, digest: &str, compiler: &str) -> Result<String, String> {
    Ok(format!("sources: {digest}\ncompiler: {compiler}\n{}", figures(ptx)?))
}

/// Checks a committed PTX and its record against the digest of the present sources.
pub fn check(ptx: &str, record: &str, digest: &str) -> Result<(), String> {
    let figures = figures(ptx)?;
    if !record.lines().any(|line| line == format!("sources: {digest}")) {
        return Err("the PTX is stale: its sources have changed; `cargo ptx` compiles it".to_string());
    }
    if !record.ends_with(&figures) {
        return Err(format!("the PTX is not the one that was recorded; it has\n{figures}"));
    }
    Ok(())
}

/// What a PTX needs, if it says nothing that it must not.
fn figures(ptx: &str) -> Result<String, String> {
    text::check(ptx)?;
    let mut lines = format!("bytes: {}\n", ptx.len());
    for calls::Entry { name, local_bytes, functions, indirect } in calls::entries(ptx)? {
        if local_bytes > MOST_LOCAL_BYTES {
            return Err(format!("{name} needs {local_bytes} bytes of local memory, a thread has {MOST_LOCAL_BYTES}"));
        }
        lines +=
            &format!("{name}: {local_bytes} bytes of local memory, {functions} functions, {indirect} indirect calls\n");
    }
    Ok(lines)
}
