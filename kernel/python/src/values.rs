//! Python's values as JSON, so that problems, scenes and settings are read by the command's own readers.
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};
use stiction_cli::json;
use stiction_cli::problem::SettingsEntry;

use crate::errors::{of_reader, type_error, value_error};

/// How deep values are nested, at most.
const DEEPEST: usize = 32;

/// A value as JSON; `path` is its place in messages.
pub fn json_of(path: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    nested(path, value, DEEPEST)
}

fn nested(path: &str, value: &Bound<'_, PyAny>, deepest: usize) -> PyResult<Value> {
    if deepest == 0 {
        return Err(value_error(format!("{path}: nested too deeply")));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str().map_err(|_| value_error(format!("{path}: not UTF-8")))?.into()));
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return number(path, value);
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return object(path, mapping, deepest);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let entry =
            |(i, entry): (usize, PyResult<Bound<'_, PyAny>>)| nested(&format!("{path}[{i}]"), &entry?, deepest - 1);
        return Ok(Value::Array(value.try_iter()?.enumerate().map(entry).collect::<PyResult<_>>()?));
    }
    // numpy's arrays and numbers.
    if value.hasattr("tolist")? {
        return nested(path, &value.call_method0("tolist")?, deepest - 1);
    }
    Err(type_error(format!("{path}: {} is no value of this format", value.get_type().name()?)))
}

fn number(path: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyInt>() {
        if let Ok(number) = value.extract::<i64>() {
            return Ok(Value::Number(number.into()));
        }
        if let Ok(number) = value.extract::<u64>() {
            return Ok(Value::Number(number.into()));
        }
    }
    let number = value.extract::<f64>().ok().and_then(Number::from_f64);
    number.map(Value::Number).ok_or_else(|| value_error(format!("{path}: must be a finite number")))
}

fn object(path: &str, mapping: &Bound<'_, PyMapping>, deepest: usize) -> PyResult<Value> {
    let mut object = Map::new();
    for key in mapping.keys()?.iter() {
        let name: String = key.extract().map_err(|_| type_error(format!("{path}: names must be strings")))?;
        let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        object.insert(name, nested(&place, &mapping.get_item(key)?, deepest - 1)?);
    }
    Ok(Value::Object(object))
}

/// Rejects what is no dict.
pub fn check_dict(whole: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.cast::<PyMapping>().is_ok() {
        return Ok(());
    }
    Err(type_error(format!("{whole}: must be a dict, not {}", value.get_type().name()?)))
}

/// A dict as the text of a JSON file.
pub fn text_of(whole: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    check_dict(whole, value)?;
    serde_json::to_string(&json_of("", value)?).map_err(|error| value_error(format!("{whole}: {error}")))
}

/// Settings as in a problem's file; without any, the defaults.
pub fn settings(given: Option<&Bound<'_, PyAny>>) -> PyResult<SettingsEntry> {
    let Some(given) = given else { return Ok(SettingsEntry::default()) };
    check_dict("settings", given)?;
    let text = json_of("settings", given)?.to_string();
    json::parse(&text, "settings", |_| Ok(()))
        .map_err(|line| of_reader(if line.starts_with("settings:") { line } else { format!("settings.{line}") }))
}

/// A JSON text as Python's values.
pub fn python_of<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    Ok(py.import("json")?.call_method1("loads", (text,))?.cast_into::<PyDict>()?)
}
