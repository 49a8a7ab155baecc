//! A thread with a large stack: large values are built there before they move to the heap.

/// Runs `work` on a stack of `bytes`; the error is that there is not enough memory for it.
pub fn on_large_stack<R: Send>(bytes: usize, work: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
