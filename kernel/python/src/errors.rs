//! Errors as Python's: a wrong value is a `ValueError`, a wrong type a `TypeError`.
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use stiction_batch::BatchError;
use stiction_gpu::GpuError;

/// A wrong shape, index or value.
pub fn value_error(line: impl Into<String>) -> PyErr {
    PyValueError::new_err(line.into())
}

/// A wrong type.
pub fn type_error(line: impl Into<String>) -> PyErr {
    PyTypeError::new_err(line.into())
}

/// A line of a reader of JSON, which says where types are wrong.
pub fn of_reader(line: String) -> PyErr {
    if line.contains("invalid type") || line.contains("must be an object") {
        type_error(line)
    } else {
        value_error(line)
    }
}

/// A kernel's line in the names of the formats.
pub fn format_names(line: &str) -> String {
    let names = [
        ("linear_velocity:", "linear:"),
        ("angular_velocity:", "angular:"),
        ("_world:", ":"),
        ("_impulse:", ":"),
        ("settings.min_sweeps", "settings.least_sweeps"),
    ];
    let line = names.iter().fold(line.to_string(), |line, (kernel, format)| line.replacen(kernel, format, 1));
    if line.starts_with("dt:") { format!("settings.{line}") } else { line }
}

/// The same in the names of arrays.
pub fn array_names(line: &str) -> String {
    format_names(line).replacen(".warm.", ".warm_", 1)
}

/// Why a graphics processor solved nothing.
pub fn of_gpu(error: &GpuError) -> PyErr {
    match error {
        GpuError::Batch(error) => of_batch(error),
        GpuError::Memory { .. } | GpuError::HostMemory { .. } => PyMemoryError::new_err(error.to_string()),
        GpuError::TooLarge { .. } | GpuError::Array { .. } => value_error(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Why a batch did not start.
pub fn of_batch(error: &BatchError) -> PyErr {
    let line = format_names(&error.to_string());
    match error {
        BatchError::Memory { .. } => PyMemoryError::new_err(line),
        BatchError::Threads(_) => PyRuntimeError::new_err(line),
        _ => value_error(line),
    }
}
