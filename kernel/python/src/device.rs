//! Arrays on a graphics processor: what `stiction/_device.py` and `_on_device.py` cannot do themselves.
#![expect(unsafe_code, reason = "addresses and streams are those of other libraries; each block says why it holds")]
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use stiction::Settings;
use stiction_gpu::columns::{Column, Columns, FIELDS, Kind};
use stiction_gpu::device_memory::DeviceMemory as Memory;
use stiction_gpu::resident::{ResidentAnswers, ResidentMatrices, ResidentProblems};
use stiction_gpu::{Gpu, GpuError};

use crate::arrays::Precision;
use crate::capsule::{Received, capsule};
use crate::errors::{of_gpu, value_error};
use crate::input::Given;
use crate::on_gpu::gpu;
use crate::task::{DEFAULT_DT, Scalar};
use crate::values::settings;

/// Adds all functions and classes.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(no_gpu, module)?)?;
    module.add_function(wrap_pyfunction!(check_batch, module)?)?;
    module.add_function(wrap_pyfunction!(solve_resident, module)?)?;
    module.add_function(wrap_pyfunction!(solve_resident_matrices, module)?)?;
    module.add_function(wrap_pyfunction!(has_address, module)?)?;
    module.add_function(wrap_pyfunction!(read_device, module)?)?;
    module.add_function(wrap_pyfunction!(order_streams, module)?)?;
    module.add("DEVICE_FIELDS", FIELDS.to_vec())?;
    module.add_class::<DeviceMemory>()?;
    module.add_class::<Received>()
}

fn opened() -> PyResult<&'static Gpu> {
    gpu().as_ref().map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Why there is no graphics processor; None if there is one.
#[pyfunction]
fn no_gpu(py: Python<'_>) -> Option<String> {
    py.detach(|| gpu().as_ref().err().map(GpuError::to_string))
}

/// Checks names, types and shapes of a batch's arrays, whose entries nobody reads. Returns whether all floats are float32; problems,
/// bodies and contacts; whether contacts can have friction beyond sliding, and whether they can take two places.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple that Python unpacks at once")]
fn check_batch(
    bodies: &Bound<'_, PyAny>,
    contacts: &Bound<'_, PyAny>,
) -> PyResult<(bool, (usize, usize, usize), (bool, bool))> {
    let given = Given::new(bodies, contacts)?;
    let precision = given.precision()?;
    given.check()?;
    Ok((precision == Precision::Single, given.sizes(), given.has_surfaces()))
}

/// Memory of answers.
#[pyclass(frozen, module = "stiction._native")]
pub struct DeviceMemory(Arc<Memory>);

#[pymethods]
impl DeviceMemory {
    #[getter]
    fn address(&self) -> u64 {
        self.0.address()
    }

    /// What is begun in a stream from now on happens after it is filled.
    fn make_wait(&self, stream: u64) -> PyResult<()> {
        // SAFETY: the caller names one of its streams.
        unsafe { self.0.make_wait(stream) }.map_err(|error| of_gpu(&error))
    }

    /// A copy of bytes from a place on.
    fn read<'py>(&self, py: Python<'py>, from: usize, bytes: usize) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let read = py.detach(|| self.0.read(from, bytes));
        Ok(read.map_err(|error| of_gpu(&error))?.into_pyarray(py))
    }

    /// A capsule of DLPack for an array, row by row.
    fn capsule<'py>(
        &self,
        py: Python<'py>,
        from: usize,
        shape: Vec<usize>,
        kind: &str,
        is_versioned: bool,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let kind = match kind {
            "<f4" => Kind::Float(4),
            "<f8" => Kind::Float(8),
            _ => Kind::Integer,
        };
        capsule(py, stiction_gpu::dlpack::pass_on(&self.0, from, &shape, kind, is_versioned))
    }
}

/// What Python gives of an array: address, bytes of an entry, strides in bytes along four axes.
type Given4 = (u64, u32, [i64; 4]);

/// Solves problems whose arrays are those of `DEVICE_FIELDS`, or None.
#[pyfunction]
fn solve_resident<'py>(
    py: Python<'py>,
    arrays: Vec<Option<Given4>>,
    sizes: (usize, usize, usize),
    how: (bool, bool, usize),
    settings: Option<&Bound<'py, PyAny>>,
    stream: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let ((count, bodies, contacts), (is_single, has_surfaces, places)) = (sizes, how);
    let columns: Vec<_> = arrays
        .into_iter()
        .map(|array| array.map(|(address, bytes, strides)| Column { address, bytes, strides }))
        .collect();
    let columns = Columns::try_from(columns).map_err(|_| value_error("arrays: not those of all fields"))?;
    let problems = ResidentProblems { count, bodies, contacts, has_surfaces, places, columns };
    let settings = self::settings(settings)?;
    let (gpu, dt) = (opened()?, settings.dt.unwrap_or(DEFAULT_DT));
    let solved = py.detach(|| {
        let (single, double) = (settings.settings::<f32>(Settings::default()), settings.settings(Settings::default()));
        // SAFETY: `_on_device.py` has checked every array's type, shape and device, and that its owner says that it is there; it
        // holds the arrays until the stream has come that far. The stream is the caller's.
        unsafe {
            match is_single {
                true => gpu.solve_resident::<f32>(&problems, &single, dt as f32, stream),
                false => gpu.solve_resident::<f64>(&problems, &double, dt, stream),
            }
        }
    });
    answers_of(py, solved)
}

/// Solves problems in Delassus form: addresses of W, q, mu, and of impulses to start from, or None.
#[pyfunction]
fn solve_resident_matrices<'py>(
    py: Python<'py>,
    arrays: [u64; 3],
    warm: Option<u64>,
    sizes: (usize, usize),
    is_single: bool,
    settings: &Bound<'py, PyAny>,
    stream: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let problems = ResidentMatrices { count: sizes.0, contacts: sizes.1, arrays, warm };
    let (gpu, entry) = (opened()?, self::settings(Some(settings))?);
    fn solve<T: Scalar>(
        gpu: &Gpu,
        problems: &ResidentMatrices,
        settings: Settings<T>,
        stream: u64,
    ) -> Result<ResidentAnswers, GpuError> {
        // SAFETY: as above; the arrays are row by row.
        unsafe { gpu.solve_resident_matrices::<T>(problems, &settings, stream) }
    }
    let solved = py.detach(|| match is_single {
        true => solve::<f32>(gpu, &problems, entry.settings(Settings::default()), stream),
        false => solve::<f64>(gpu, &problems, entry.settings(Settings::default()), stream),
    });
    answers_of(py, solved)
}

/// The memory, and for each array its name, type, shape and place in it.
fn answers_of(py: Python<'_>, solved: Result<ResidentAnswers, GpuError>) -> PyResult<Bound<'_, PyDict>> {
    let answers = solved.map_err(|error| of_gpu(&error))?;
    let all = PyDict::new(py);
    for array in answers.arrays {
        let kind = match array.kind {
            Kind::Float(bytes) => format!("<f{bytes}"),
            Kind::Integer => "<i4".to_string(),
        };
        all.set_item(array.name, (kind, array.shape, array.offset))?;
    }
    all.set_item("memory", DeviceMemory(answers.memory))?;
    Ok(all)
}

/// Whether the graphics processor has an address.
#[pyfunction]
fn has_address(address: u64) -> PyResult<bool> {
    Ok(opened()?.has(address))
}

/// A copy of bytes of an array of the caller's.
#[pyfunction]
fn read_device(py: Python<'_>, address: u64, bytes: usize) -> PyResult<Bound<'_, PyArray1<u8>>> {
    let gpu = opened()?;
    // SAFETY: `_device.py` asks for bytes of an array that its owner says is there, and holds it.
    let read = py.detach(|| unsafe { gpu.read(address, bytes) });
    Ok(read.map_err(|error| of_gpu(&error))?.into_pyarray(py))
}

/// What is begun in the second stream from now on happens after what was begun in the first one.
#[pyfunction]
fn order_streams(first: u64, second: u64) -> PyResult<()> {
    // SAFETY: the callers name their own streams.
    unsafe { opened()?.order(first, second) }.map_err(|error| of_gpu(&error))
}
