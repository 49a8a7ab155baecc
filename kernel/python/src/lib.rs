//! The native module of the Python package `stiction`. Its functions take all arguments by position; the package's own
//! modules have the names, the defaults and the documentation.
//!
//! All `unsafe` code is in `device` and `capsule`, which pass on addresses that other libraries gave; each block says why it holds.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod arrays;
mod background;
mod batch;
mod capsule;
mod command;
mod delassus;
mod device;
mod errors;
mod input;
mod on_gpu;
mod places;
mod rows;
mod stepper;
mod task;
mod values;
mod world;

use pyo3::prelude::*;
use stiction_batch::answers::{NOT_BEGUN, REJECTED, method_word, status_word};
use stiction_cli::words::{METHODS, STATES, STATUSES, status_name};

/// Native part of `stiction`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(batch::solve_batch, module)?)?;
    module.add_function(wrap_pyfunction!(delassus::delassus_batch, module)?)?;
    module.add_function(wrap_pyfunction!(command::solve, module)?)?;
    module.add_function(wrap_pyfunction!(command::run, module)?)?;
    module.add_function(wrap_pyfunction!(command::scene_names, module)?)?;
    module.add_function(wrap_pyfunction!(delassus::delassus_residual, module)?)?;
    device::add_to(module)?;
    module.add_class::<world::World>()?;
    let (statuses, reasons) = status_words();
    module.add("STATUS_WORDS", statuses)?;
    module.add("REASON_WORDS", reasons)?;
    module.add("METHOD_WORDS", method_words())?;
    module.add("STATE_WORDS", STATES.map(|(_, word)| word).to_vec())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

/// The words of statuses in answers, as in a problem's file, and in recordings, which have more.
fn status_words() -> (Vec<&'static str>, Vec<&'static str>) {
    let mut words = vec![("", ""); 1 + REJECTED.max(NOT_BEGUN) as usize];
    for (status, reason) in STATUSES {
        words[status_word(Some(status)) as usize] = (status_name(status), reason);
    }
    words[REJECTED as usize] = ("rejected", "rejected");
    words[NOT_BEGUN as usize] = ("not_begun", "not_begun");
    words.into_iter().unzip()
}

fn method_words() -> Vec<&'static str> {
    let mut words = vec![""; METHODS.len()];
    for (method, word) in METHODS {
        words[method_word(method) as usize] = word;
    }
    words
}
