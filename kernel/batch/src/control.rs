//! How a batch runs: threads, progress, cancellation.
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack of a thread.
const STACK_BYTES: usize = 32 << 20;

/// How a batch runs. Answers do not depend on it, except that a cancelled batch has none for some problems.
///
/// ```
/// use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
/// use stiction_batch::Control;
/// let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
/// let progress = |solved: usize| done.store(solved, Ordering::Relaxed);
/// let control = Control { progress: Some(&progress), cancel: Some(&stop), ..Control::on(2) };
/// assert!(control.threads.is_some());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// How many threads; one a core if this is `None`.
    pub threads: Option<NonZeroUsize>,
    /// Called with the number of problems that are done, from any thread, after every few thousand.
    pub progress: Option<&'a (dyn Fn(usize) + Sync)>,
    /// Set by the caller to stop: no further problem is begun.
    pub cancel: Option<&'a AtomicBool>,
}

impl Control<'_> {
    /// With a number of threads; 0 is one a core.
    pub fn on(threads: usize) -> Self {
        Control { threads: NonZeroUsize::new(threads), ..Control::default() }
    }

    /// Whether the caller has cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Runs work of so many parts on the threads. For a single part none is started: one that is there takes it.
    pub(crate) fn run<R: Send>(&self, parts: usize, work: impl FnOnce() -> R + Send) -> Result<R, BatchError> {
        match self.threads {
            Some(threads) if parts > 1 => Ok(pool(threads.get())?.install(work)),
            _ => Ok(shared_pool()?.install(work)),
        }
    }

    /// Reports that more problems are done.
    pub(crate) fn add_done(&self, sum: &AtomicUsize, more: usize) {
        let done = sum.fetch_add(more, Ordering::Relaxed) + more;
        if let Some(progress) = self.progress {
            progress(done);
        }
    }
}

/// One thread a core. Starting threads takes as long as many solves, so these stay.
fn shared_pool() -> Result<Arc<ThreadPool>, BatchError> {
    static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let (mut shared, process) = (SHARED.lock().unwrap_or_else(PoisonError::into_inner), std::process::id());
    if let Some((owner, pool)) = &*shared
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let made = Arc::new(pool(0)?);
    // A process that was forked has none of the threads of the pool that it was forked with.
    std::mem::forget(shared.replace((process, Arc::clone(&made))));
    Ok(made)
}

/// So many threads, or one a core. Their stacks hold what large capacities need while it is made.
fn pool(threads: usize) -> Result<ThreadPool, BatchError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
    pool.map_err(|error| BatchError::Threads(error.to_string()))
}

/// So many values for each of so many problems, or an error where there is no memory for them.
pub fn filled<V: Clone>(value: V, each: usize, problems: usize) -> Result<Vec<V>, BatchError> {
    let length = each.saturating_mul(problems);
    let asked = Vec::<V>::new().try_reserve_exact(length);
    let bytes = length.saturating_mul(size_of::<V>());
    asked.map_err(|_| BatchError::Memory { bytes })?;
    Ok(vec![value; length])
}

/// An error unless an array is as long as it must be.
pub(crate) fn check_length(array: &'static str, length: usize, expected: usize) -> Result<(), BatchError> {
    if length == expected { Ok(()) } else { Err(BatchError::Length { array, length, expected }) }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Why a batch did not start. Nothing has changed.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchError {
    /// A setting or the time step: the field and the reason.
    Settings(String),
    /// The problems do not fit the capacity that they are solved with.
    Capacity {
        /// What does not fit: `bodies`, `contacts`, or `problem` for an index.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many fit.
        capacity: usize,
    },
    /// An array of another length than the others ask for.
    Length {
        /// The array.
        array: &'static str,
        /// Its length.
        length: usize,
        /// The length it must have.
        expected: usize,
    },
    /// Threads could not be started.
    Threads(String),
    /// There is no memory for the answers.
    Memory {
        /// How much they need.
        bytes: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Settings(reason) => f.write_str(reason),
            BatchError::Capacity { what, count, capacity } => write!(f, "{what}: {count}, the capacity is {capacity}"),
            BatchError::Length { array, length, expected } => write!(f, "{array}: length {length}, must be {expected}"),
            BatchError::Threads(reason) => write!(f, "threads: {reason}"),
            BatchError::Memory { bytes } => write!(f, "memory: {bytes} bytes for the answers could not be had"),
        }
    }
}

impl std::error::Error for BatchError {}
