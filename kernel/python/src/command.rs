//! `solve`, `run` and `scenes`: what the command `stiction` does, with its bits and words.
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stiction_cli::answer::Answer;
use stiction_cli::problem::Problem;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::run::{Output, Plan, run_while};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes;
use stiction_cli::rig::simulation::Precision;
use stiction_lanes::scalar::LaneScalar;

use crate::background::{self, Waits, check_callable};
use crate::errors::{of_reader, type_error, value_error};
use crate::values::{python_of, text_of};

fn precision_of(word: &str) -> PyResult<Precision> {
    Precision::parse(word).ok_or_else(|| value_error(format!("precision: {word:?}, must be \"f32\" or \"f64\"")))
}

/// Solves one problem.
#[pyfunction]
#[pyo3(signature = (problem, precision))]
pub fn solve<'py>(problem: &Bound<'py, PyAny>, precision: &str) -> PyResult<Bound<'py, PyDict>> {
    let precision = precision_of(precision)?;
    let text = text_of("problem", problem)?;
    let py = problem.py();
    let read = Problem::parse(&text).map_err(of_reader)?;
    let answer = background::run(py, Waits::Watching(None), |_| match precision {
        Precision::Single => answer::<f32>(&read),
        Precision::Double => answer::<f64>(&read),
    })?;
    python_of(py, &answer.map_err(value_error)?)
}

fn answer<T: LaneScalar>(problem: &Problem) -> Result<String, String> {
    problem.check_precision::<T>()?;
    let solved = problem.solve::<T>()?;
    serde_json::to_string(&Answer::new(&solved)).map_err(|error| error.to_string())
}

/// The names of the built-in scenes.
#[pyfunction]
pub fn scene_names() -> Vec<&'static str> {
    scenes::ALL.iter().map(|named| named.name).collect()
}

/// Runs a scene; returns its summary.
#[pyfunction]
#[pyo3(signature = (scene, precision, seconds, record, progress))]
pub fn run<'py>(
    scene: &Bound<'py, PyAny>,
    precision: &str,
    seconds: Option<f64>,
    record: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let precision = precision_of(precision)?;
    check_callable(progress)?;
    let py = scene.py();
    let (title, mut scene) = scene_of(scene)?;
    scene.seconds = seconds.unwrap_or(scene.seconds);
    if record.is_some() {
        scene.validate_recordable().map_err(value_error)?;
    }
    let record = record.map(|path| Output { path, has_history: false });
    let plan = Plan { title, scene, precision, record };
    let ran = background::run(py, Waits::Watching(progress), |shared| {
        let summary = run_while(&plan, Detail::Figures, |frame| {
            shared.done.store(frame.number as usize, Ordering::Relaxed);
            !shared.cancel.load(Ordering::Relaxed)
        });
        summary.map(|summary| summary.map(|summary| serde_json::to_string(&summary).map_err(|error| error.to_string())))
    })?;
    let text = ran.map_err(value_error)?.ok_or_else(|| value_error("run: was ended"))?;
    python_of(py, &text.map_err(value_error)?)
}

/// A scene by its name, from a file or from a dict, and its title.
fn scene_of(scene: &Bound<'_, PyAny>) -> PyResult<(String, Scene)> {
    if scene.is_instance_of::<PyString>() || scene.hasattr("__fspath__")? {
        return scene_named(&scene.extract::<PathBuf>()?);
    }
    if scene.cast::<pyo3::types::PyMapping>().is_err() {
        return Err(type_error(format!("scene: must be a name, a path or a dict, not {}", scene.get_type().name()?)));
    }
    let scene = Scene::parse(&text_of("scene", scene)?).map_err(of_reader)?;
    Ok(("scene".into(), scene))
}

fn scene_named(path: &Path) -> PyResult<(String, Scene)> {
    let name = path.display().to_string();
    if let Some(scene) = scenes::find(&name) {
        return Ok((name, scene));
    }
    if !path.exists() {
        return Err(value_error(format!("scene: {name:?} is no scene, stiction.scenes() lists them, and no file")));
    }
    let text = std::fs::read_to_string(path)?;
    let title = path.file_stem().map_or(name, |stem| stem.to_string_lossy().into_owned());
    Ok((title, Scene::parse(&text).map_err(of_reader)?))
}
