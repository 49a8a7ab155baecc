//! Arrays of a call: checked for type and shape, converted where they have to be, borrowed otherwise.
use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, PyArray, PyReadonlyArray, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors::{type_error, value_error};

/// Scalars of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// float32.
    Single,
    /// float64.
    Double,
}

/// An array with its name in messages.
#[derive(Clone)]
pub struct Named<'py> {
    name: String,
    array: Bound<'py, PyUntypedArray>,
}

/// What `numpy.asarray` makes of a value.
pub fn named<'py>(name: String, value: &Bound<'py, PyAny>) -> PyResult<Named<'py>> {
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| value_error(format!("{name}: {error}")))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    Ok(Named { name, array })
}

/// The named arrays of a dict. Names that are not among the known ones are rejected.
pub fn fields<'py>(whole: &str, given: &Bound<'py, PyAny>, known: &[&str]) -> PyResult<Vec<Option<Named<'py>>>> {
    let Ok(given) = given.cast::<PyMapping>() else {
        return Err(type_error(format!("{whole}: must be a dict of arrays, not {}", given.get_type().name()?)));
    };
    for key in given.keys()?.iter() {
        let key: String = key.extract().map_err(|_| type_error(format!("{whole}: names must be strings")))?;
        if !known.contains(&key.as_str()) {
            return Err(value_error(format!("{whole}.{key}: unknown field, expected one of {}", known.join(", "))));
        }
    }
    let field = |name: &&str| -> PyResult<Option<Named<'py>>> {
        if !given.contains(*name)? {
            return Ok(None);
        }
        let value = given.get_item(*name)?;
        if value.is_none() { Ok(None) } else { self::named(format!("{whole}.{name}"), &value).map(Some) }
    };
    known.iter().map(field).collect()
}

/// float32 if all arrays of floats have it, float64 otherwise.
pub fn precision_of<'a, 'py: 'a>(arrays: impl Iterator<Item = &'a Named<'py>>) -> PyResult<Precision> {
    let mut found = None;
    for named in arrays {
        let (kind, size) = named.kind()?;
        match kind {
            'f' if size == 4 => found = found.or(Some(Precision::Single)),
            'f' => return Ok(Precision::Double),
            _ => {}
        }
    }
    Ok(found.unwrap_or(Precision::Double))
}

impl<'py> Named<'py> {
    /// The letter of its type, and the bytes of an entry.
    fn kind(&self) -> PyResult<(char, usize)> {
        let dtype = self.array.dtype();
        Ok((dtype.getattr("kind")?.extract()?, dtype.getattr("itemsize")?.extract()?))
    }

    /// Its type is not what it must be.
    fn wrong_type(&self, must: &str) -> PyErr {
        type_error(format!("{}: dtype {}, must be {must}", self.name, self.array.dtype()))
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// Its shape is not what it must be.
    pub fn wrong_shape(&self, must: &str) -> PyErr {
        value_error(format!("{}: shape {}, must be {must}", self.name, shape_text(self.shape())))
    }

    /// Its first two lengths, if it has no others.
    pub fn two(&self, must: &str) -> PyResult<(usize, usize)> {
        match *self.shape() {
            [first, second] => Ok((first, second)),
            _ => Err(self.wrong_shape(must)),
        }
    }

    /// Its entries as floats; borrowed where they have the type already.
    pub fn floats<T: Element, D: Dimension>(&self, shape: &[usize]) -> PyResult<PyReadonlyArray<'py, T, D>> {
        self.check_floats(shape)?;
        self.read()
    }

    /// Rejects another type than numbers, and another shape.
    pub fn check_floats(&self, shape: &[usize]) -> PyResult<()> {
        match self.kind()? {
            ('f' | 'i' | 'u', _) => self.check_shape(shape),
            _ => Err(self.wrong_type("floats")),
        }
    }

    /// The same one after the other in C order; copied where they are not.
    pub fn floats_in_order<T: Element, D: Dimension>(&self, shape: &[usize]) -> PyResult<PyReadonlyArray<'py, T, D>> {
        let numpy = self.array.py().import("numpy")?;
        let array = numpy.call_method1("ascontiguousarray", (&self.array,))?.cast_into()?;
        Named { name: self.name.clone(), array }.floats(shape)
    }

    /// Its entries as integers.
    pub fn integers<D: Dimension>(&self, shape: &[usize]) -> PyResult<PyReadonlyArray<'py, i64, D>> {
        self.check_integers(shape)?;
        self.read()
    }

    /// Rejects another type than integers, and another shape.
    pub fn check_integers(&self, shape: &[usize]) -> PyResult<()> {
        match self.kind()? {
            ('i' | 'u', _) => self.check_shape(shape),
            _ if self.array.is_empty() => self.check_shape(shape),
            _ => Err(self.wrong_type("integers")),
        }
    }

    fn check_shape(&self, shape: &[usize]) -> PyResult<()> {
        if self.shape() == shape { Ok(()) } else { Err(self.wrong_shape(&shape_text(shape))) }
    }

    fn read<T: Element, D: Dimension>(&self) -> PyResult<PyReadonlyArray<'py, T, D>> {
        let py = self.array.py();
        let given = (&self.array, T::get_dtype(py), ["ALIGNED"]);
        let array = py.import("numpy")?.call_method1("require", given)?;
        let array = array.cast_into::<PyArray<T, D>>()?;
        Ok(numpy::PyArrayMethods::try_readonly(&array)?)
    }
}

/// A shape as Python prints it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A view of an array that may be absent.
pub fn view<'a, T: Element, D: Dimension>(array: &'a Option<PyReadonlyArray<'_, T, D>>) -> Option<ArrayView<'a, T, D>> {
    array.as_ref().map(PyReadonlyArray::as_array)
}
