//! What is committed beside the PTX: the digest of its sources, its compiler, and what each entry needs, so that a change of the
//! kernel that needs more memory on a graphics processor is a line in its difference.
use crate::{calls, text};

/// Local memory that a thread can have at most, on every graphics processor that the PTX is for.
const MOST_LOCAL_BYTES: usize = 512 << 10;

/// The record of texts that pass all checks: each the name of an entry and its PTX.
pub fn of(texts: &[(String, String)], digest: &str, compiler: &str) -> Result<String, String> {
    Ok(format!("sources: {digest}\ncompiler: {compiler}\n{}", figures(texts)?))
}

/// Checks committed texts and their record against the digest of the present sources.
pub fn check(texts: &[(String, String)], record: &str, digest: &str) -> Result<(), String> {
    let figures = figures(texts)?;
    if !record.lines().any(|line| line == format!("sources: {digest}")) {
        return Err("the PTX is stale: its sources have changed; `cargo ptx` compiles it".to_string());
    }
    // After the lines of sources and compiler.
    if !record.lines().skip(2).eq(figures.lines()) {
        return Err(format!("the PTX is not the one that was recorded; it has\n{figures}"));
    }
    Ok(())
}

/// What all entries need, if they say nothing that they must not.
fn figures(texts: &[(String, String)]) -> Result<String, String> {
    texts.iter().map(|(name, ptx)| line(name, ptx).map_err(|fault| format!("{name}: {fault}"))).collect()
}

fn line(name: &str, ptx: &str) -> Result<String, String> {
    text::check(ptx)?;
    let calls::Entry { local_bytes, functions, indirect, .. } = match &calls::entries(ptx)?[..] {
        [entry] if entry.name == name => entry.clone(),
        others => return Err(format!("it has the entries {others:?}")),
    };
    if local_bytes > MOST_LOCAL_BYTES {
        return Err(format!("needs {local_bytes} bytes of local memory, a thread has {MOST_LOCAL_BYTES}"));
    }
    let (bytes, digest) = (ptx.len(), crate::sources::digest_of_text(ptx));
    Ok(format!(
        "{name}: {local_bytes} bytes of local memory, {functions} functions, {indirect} indirect calls; \
         {bytes} bytes of text with the digest {digest}\n"
    ))
}
