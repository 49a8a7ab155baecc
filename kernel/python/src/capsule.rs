//! Capsules of DLPack: pointers that Python carries from one library to another, with a name that says what they are and whether
//! somebody has taken them.
#![expect(unsafe_code, reason = "capsules carry pointers; each block says why it holds")]
use std::ffi::CStr;
use std::ptr::NonNull;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use stiction_gpu::dlpack::{Managed, Received as Array};

use crate::errors::{type_error, value_error};

/// Names of capsules of version 0 and 1, before and after somebody has taken them.
const NAMES: [(&CStr, &CStr); 2] =
    [(c"dltensor", c"used_dltensor"), (c"dltensor_versioned", c"used_dltensor_versioned")];

/// An array that another library passed on; given back when collected.
#[pyclass(frozen, module = "stiction._native")]
pub struct Received(Array);

#[pymethods]
impl Received {
    /// Takes over what a capsule carries.
    #[new]
    fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| type_error("__dlpack__: returned no capsule"))?;
        for (is_versioned, (name, used)) in NAMES.into_iter().enumerate() {
            if !capsule.is_valid_checked(Some(name)) {
                continue;
            }
            let pointer = capsule.pointer_checked(Some(name))?;
            // SAFETY: the object is a capsule, and the name lives for ever. With its new name it is this one's.
            if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
                return Err(PyErr::fetch(capsule.py()));
            }
            // SAFETY: a capsule with that name has a valid struct of that kind, which nobody has taken.
            let taken = unsafe { Array::take(Managed::of(pointer.as_ptr(), is_versioned == 1)) };
            return taken.map(Received).map_err(value_error);
        }
        Err(type_error("__dlpack__: returned a capsule that was used already, or of another kind"))
    }

    /// Address of the first entry; kind and number of the device; code and bits of an entry's type; shape; strides in entries.
    #[expect(clippy::type_complexity, reason = "a tuple that Python unpacks at once")]
    fn array(&self) -> (u64, (i32, i32), (u8, u8), Vec<i64>, Vec<i64>) {
        let Array { address, device, kind, shape, strides, .. } = &self.0;
        (*address, *device, *kind, shape.clone(), strides.clone())
    }
}

/// A capsule that carries an array to another library.
pub fn capsule(py: Python<'_>, managed: Managed) -> PyResult<Bound<'_, PyCapsule>> {
    let is_versioned = matches!(managed, Managed::Versioned(_));
    let (name, _) = NAMES[usize::from(is_versioned)];
    let pointer = NonNull::new(managed.pointer()).ok_or_else(|| PyBufferError::new_err("no array"))?;
    // SAFETY: the struct is valid until it is released, by whoever takes it or by `forget`.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, name, Some(forget)) }
}

/// Called when a capsule is collected: releases what nobody has taken.
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    for (is_versioned, (name, _)) in NAMES.into_iter().enumerate() {
        // SAFETY: the object is a capsule that `capsule` made. With this name nobody has taken the struct.
        unsafe {
            if ffi::PyCapsule_IsValid(capsule, name.as_ptr()) == 1 {
                let pointer = ffi::PyCapsule_GetPointer(capsule, name.as_ptr());
                Managed::of(pointer, is_versioned == 1).release();
            }
        }
    }
}
