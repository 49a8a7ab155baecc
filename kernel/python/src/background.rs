//! Work without the interpreter's lock, which signals can end.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use stiction_batch::Control;

use crate::errors::{type_error, value_error};

/// How often signals are looked for.
const WAIT: Duration = Duration::from_millis(50);
/// Stack of a thread: solvers are made there before they move to the heap.
const STACK_BYTES: usize = 32 << 20;
/// Visits of contacts that take some milliseconds.
const FEW_VISITS: usize = 20_000;
/// Threads of a call, at most.
const MOST_THREADS: usize = 1024;

/// A number of threads; 0 is one a core.
pub fn threads_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(threads) = threads else { return Ok(0) };
    let wrong = || type_error("threads: must be an integer or None");
    if threads.is_instance_of::<pyo3::types::PyBool>() {
        return Err(wrong());
    }
    let index = threads.call_method0("__index__").map_err(|_| wrong())?;
    match index.extract::<usize>() {
        Ok(count) if (1..=MOST_THREADS).contains(&count) => Ok(count),
        _ => Err(value_error(format!("threads: {index}, must be 1 to {MOST_THREADS}"))),
    }
}

/// Rejects what cannot be called.
pub fn check_callable(progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match progress {
        Some(progress) if !progress.is_callable() => Err(type_error("progress: must be callable or None")),
        _ => Ok(()),
    }
}

/// What work and the thread that waits for it share.
pub struct Shared {
    /// Set to end the work.
    pub cancel: AtomicBool,
    /// How much is done.
    pub done: AtomicUsize,
}

/// What the caller does meanwhile.
#[derive(Clone, Copy)]
pub enum Waits<'a, 'py> {
    /// Nothing: the work takes milliseconds, and little stack.
    Idle,
    /// Looks for signals, and calls `progress` with what is done. An exception of either cancels the work.
    Watching(Option<&'a Bound<'py, PyAny>>),
}

impl<'a, 'py> Waits<'a, 'py> {
    /// For at most problems × contacts × sweeps visits, each at least 1. A thread takes as long to start as many of them.
    pub fn for_visits(factors: [usize; 3], progress: Option<&'a Bound<'py, PyAny>>) -> Self {
        let visits = factors.into_iter().fold(1usize, |visits, factor| visits.saturating_mul(factor.max(1)));
        if visits <= FEW_VISITS && progress.is_none() { Waits::Idle } else { Waits::Watching(progress) }
    }
}

/// Runs work: on another thread if the caller watches.
pub fn run<R: Send>(py: Python<'_>, waits: Waits<'_, '_>, work: impl FnOnce(&Shared) -> R + Send) -> PyResult<R> {
    let shared = Shared { cancel: AtomicBool::new(false), done: AtomicUsize::new(0) };
    let progress = match waits {
        Waits::Idle => {
            let answer = py.detach(|| work(&shared));
            py.check_signals()?;
            return Ok(answer);
        }
        Waits::Watching(progress) => progress.map(|progress| progress.clone().unbind()),
    };
    let answer = py.detach(|| {
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            let shared = &shared;
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let spawned = thread.spawn_scoped(scope, move || send.send(work(shared)));
            spawned.map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))?;
            wait(&receive, shared, progress.as_ref())
        })
    })?;
    look(py, &shared, progress.as_ref())?;
    Ok(answer)
}

/// Waits for the answer. After an exception, until the work has ended.
fn wait<R>(receive: &Receiver<R>, shared: &Shared, progress: Option<&Py<PyAny>>) -> PyResult<R> {
    let mut raised = None;
    loop {
        match receive.recv_timeout(WAIT) {
            Ok(answer) => return raised.map_or(Ok(answer), Err),
            Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                raised = Python::attach(|py| look(py, shared, progress)).err();
                shared.cancel.store(raised.is_some(), Ordering::Relaxed);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The thread's own panic follows when the scope ends.
            Err(RecvTimeoutError::Disconnected) => return Err(value_error("the work ended without an answer")),
        }
    }
}

fn look(py: Python<'_>, shared: &Shared, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        progress.call1(py, (shared.done.load(Ordering::Relaxed),))?;
    }
    Ok(())
}

/// Runs a batch.
pub fn run_batch<R: Send>(
    py: Python<'_>,
    threads: usize,
    waits: Waits<'_, '_>,
    batch: impl FnOnce(&Control<'_>) -> R + Send,
) -> PyResult<R> {
    run(py, waits, |shared| {
        let told = |done: usize| {
            shared.done.fetch_max(done, Ordering::Relaxed);
        };
        batch(&Control { progress: Some(&told), cancel: Some(&shared.cancel), ..Control::on(threads) })
    })
}
