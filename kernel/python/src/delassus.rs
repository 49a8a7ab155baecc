//! `delassus_batch`: problems as matrices.
use nalgebra::Vector3;
use numpy::ndarray::IxDyn;
use numpy::{IntoPyArray, PyReadonlyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::Settings;
use stiction_batch::answers::REJECTED;
use stiction_batch::{BatchError, Control, DelassusAnswers, DelassusBatch, solve_delassus};
use stiction_cli::problem::SettingsEntry;
use stiction_testkit::merit::natural_map;

use crate::arrays::{Named, Precision, named, precision_of};
use crate::background::{Waits, check_callable, run_batch, threads_of};
use crate::batch::{OnError, raise_or_list};
use crate::errors::{format_names, of_batch, value_error};
use crate::on_gpu;
use crate::task::Scalar;
use crate::values::settings;

/// Contacts of the largest compiled capacity.
const LARGEST: usize = 256;

/// Solves many problems; returns arrays of the answers.
#[pyfunction]
#[pyo3(signature = (w, q, mu, warm, settings, threads, errors, progress, on_gpu))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, all named there")]
pub fn delassus_batch<'py>(
    w: &Bound<'py, PyAny>,
    q: &Bound<'py, PyAny>,
    mu: &Bound<'py, PyAny>,
    warm: Option<&Bound<'py, PyAny>>,
    settings: &Bound<'py, PyDict>,
    threads: Option<&Bound<'py, PyAny>>,
    errors: &str,
    progress: Option<&Bound<'py, PyAny>>,
    on_gpu: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = self::settings(Some(settings.as_any()))?;
    let (threads, errors) = (threads_of(threads)?, OnError::parse(errors)?);
    check_callable(progress)?;
    let given = Given::new(w, q, mu, warm)?;
    let call = Call { settings, threads, errors, progress, on_gpu };
    match precision_of(given.all())? {
        Precision::Single => call.solve::<f32>(w.py(), &given),
        Precision::Double => call.solve::<f64>(w.py(), &given),
    }
}

/// The arrays of a call, before their types are known.
struct Given<'py> {
    w: Named<'py>,
    q: Named<'py>,
    mu: Named<'py>,
    warm: Option<Named<'py>>,
    problems: usize,
    contacts: usize,
}

impl<'py> Given<'py> {
    fn new(
        w: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        mu: &Bound<'py, PyAny>,
        warm: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let (w, q, mu) = (named("W".into(), w)?, named("q".into(), q)?, named("mu".into(), mu)?);
        let warm = warm.map(|warm| named("warm".into(), warm)).transpose()?;
        let (problems, contacts) = mu.two("(problems, contacts)")?;
        if contacts > LARGEST {
            return Err(value_error(format!("mu: {contacts} contacts a problem, at most {LARGEST} fit")));
        }
        if contacts == 0 {
            return Err(mu.wrong_shape("(problems, contacts) with at least 1 contact"));
        }
        Ok(Given { w, q, mu, warm, problems, contacts })
    }

    fn all(&self) -> impl Iterator<Item = &Named<'py>> {
        [&self.w, &self.q, &self.mu].into_iter().chain(&self.warm)
    }
}

struct Call<'a, 'py> {
    settings: SettingsEntry,
    threads: usize,
    errors: OnError,
    progress: Option<&'a Bound<'py, PyAny>>,
    on_gpu: bool,
}

impl<'py> Call<'_, 'py> {
    fn solve<T: Scalar>(&self, py: Python<'py>, given: &Given<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.settings.settings::<T>(Settings::default());
        let (n, c) = (given.problems, given.contacts);
        let w = Flat::<T>::new(&given.w, &[n, 3 * c, 3 * c])?;
        let q = Flat::<T>::new(&given.q, &[n, 3 * c])?;
        let mu = Flat::<T>::new(&given.mu, &[n, c])?;
        let warm = given.warm.as_ref().map(|warm| Flat::<T>::new(warm, &[n, 3 * c])).transpose()?;
        let (q, mu) = (q.slice()?, mu.slice()?);
        let batch = DelassusBatch::new(c, w.slice()?, q, mu);
        let batch = match &warm {
            Some(warm) => {
                let warm = warm.slice()?;
                batch.and_then(|batch| batch.from_impulses(warm))
            }
            None => batch,
        };
        let batch = batch.map_err(|error| of_batch(&error))?;
        let waits = Waits::for_visits([n, c, settings.sweeps as usize], self.progress);
        let (mut reason, asked) = (None, self.on_gpu);
        let solved = run_batch(py, self.threads, waits, |control| {
            let there = asked.then(|| on_gpu::solved(|gpu| gpu.solve_delassus(&batch, &settings)));
            let solved = on_gpu::or_here(there, &mut reason, || solve(&batch, c, &settings, control));
            solved.map(|answers| {
                let DelassusAnswers { impulses, velocities, .. } = &answers;
                let residual =
                    residuals(c, &Vectors { impulses, velocities, q, mu }, |problem| answers.status(problem).is_some());
                (answers, residual)
            })
        })?;
        let (answers, residual) = solved.map_err(|error| of_batch(&error))?;
        // The kernel's blocks are those of `W`, and what it starts from is `warm`.
        let line = |line: String| format_names(&line).replacen("blocks[", "W.block[", 1).replacen("start[", "warm[", 1);
        let lines = answers.errors.iter().map(|(problem, error)| (*problem, line(error.to_string())));
        let errors = raise_or_list(py, self.errors, lines)?;
        let all = arrays_of(py, (n, c), answers, residual, errors)?;
        all.set_item("reason", reason)?;
        Ok(all)
    }
}

/// An array in C order, copied if it was not.
struct Flat<'py, T: Scalar>(PyReadonlyArray<'py, T, IxDyn>);

impl<'py, T: Scalar> Flat<'py, T> {
    fn new(array: &Named<'py>, shape: &[usize]) -> PyResult<Self> {
        array.floats_in_order(shape).map(Flat)
    }

    fn slice(&self) -> PyResult<&[T]> {
        Ok(self.0.as_slice()?)
    }
}

/// Solves with the first capacity that is large enough, and memory for direct methods.
fn solve<T: Scalar>(
    batch: &DelassusBatch<'_, T>,
    contacts: usize,
    settings: &Settings<T>,
    control: &Control<'_>,
) -> Result<DelassusAnswers<T>, BatchError> {
    match contacts {
        0..=8 => solve_delassus::<T, 8, 36>(batch, settings, control),
        9..=32 => solve_delassus::<T, 32, 528>(batch, settings, control),
        33..=128 => solve_delassus::<T, 128, 8256>(batch, settings, control),
        _ => solve_delassus::<T, LARGEST, 32_896>(batch, settings, control),
    }
}

/// Vectors of all problems, one after the other.
struct Vectors<'a, T> {
    impulses: &'a [T],
    velocities: &'a [T],
    q: &'a [T],
    mu: &'a [T],
}

/// Natural map relative to `q` of every answer.
fn residuals<T: Scalar>(contacts: usize, of: &Vectors<'_, T>, is_solved: impl Fn(usize) -> bool) -> Vec<T> {
    let each = 3 * contacts;
    let vector = |from: &[T]| Vector3::new(from[0], from[1], from[2]).map(|entry| entry.to_f64());
    let residual = |problem: usize| {
        let [x, u, q] = [of.impulses, of.velocities, of.q].map(|all| &all[each * problem..][..each]);
        let entries = x.chunks(3).zip(u.chunks(3)).zip(q.chunks(3)).zip(&of.mu[contacts * problem..]);
        let (mut map, mut free) = (0.0, 0.0);
        for (((x, u), q), mu) in entries {
            map += natural_map(&vector(x), &vector(u), mu.to_f64(), 0.0, 1.0).norm_squared();
            free += vector(q).norm_squared();
        }
        if map > 0.0 { (map / free).sqrt() } else { 0.0 }
    };
    let solved = |problem: usize| if is_solved(problem) { residual(problem) } else { 0.0 };
    (0..of.mu.len() / contacts).map(|problem| T::lit(solved(problem))).collect()
}

/// The same of answers that came from a graphics processor: q, mu, impulses, velocities, and the words of statuses.
#[pyfunction]
pub fn delassus_residual<'py>(
    q: &Bound<'py, PyAny>,
    mu: &Bound<'py, PyAny>,
    impulses: &Bound<'py, PyAny>,
    velocities: &Bound<'py, PyAny>,
    status: Vec<u32>,
) -> PyResult<Bound<'py, PyAny>> {
    let all = [("q", q), ("mu", mu), ("impulses", impulses), ("velocities", velocities)];
    let [q, mu, impulses, velocities] = all.map(|(name, array)| named(name.into(), array));
    let (q, mu, impulses, velocities) = (q?, mu?, impulses?, velocities?);
    match precision_of([&q, &impulses].into_iter())? {
        Precision::Single => residual_of::<f32>([&q, &impulses, &velocities], &mu, &status),
        Precision::Double => residual_of::<f64>([&q, &impulses, &velocities], &mu, &status),
    }
}

fn residual_of<'py, T: Scalar>(
    vectors: [&Named<'py>; 3],
    mu: &Named<'py>,
    status: &[u32],
) -> PyResult<Bound<'py, PyAny>> {
    let (n, c) = mu.two("(problems, contacts)")?;
    let [q, impulses, velocities] = vectors.map(|array| Flat::<T>::new(array, &[n, 3 * c]));
    let (q, impulses, velocities, mu) = (q?, impulses?, velocities?, Flat::<T>::new(mu, &[n, c])?);
    let of = Vectors { impulses: impulses.slice()?, velocities: velocities.slice()?, q: q.slice()?, mu: mu.slice()? };
    let is_solved = |problem: usize| status.get(problem).is_some_and(|word| *word < REJECTED);
    Ok(residuals(c, &of, is_solved).into_pyarray(q.0.py()).into_any())
}

fn arrays_of<'py, T: Scalar>(
    py: Python<'py>,
    (problems, contacts): (usize, usize),
    answers: DelassusAnswers<T>,
    residual: Vec<T>,
    errors: Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let shaped = |vectors: Vec<T>| vectors.into_pyarray(py).call_method1("reshape", ((problems, 3 * contacts),));
    let count = |name: &str| -> Vec<u32> {
        (0..problems).map(|problem| answers.count_of(problem, name).unwrap_or(0)).collect()
    };
    for name in ["status", "method", "sweeps", "newton_steps"] {
        all.set_item(name, count(name).into_pyarray(py))?;
    }
    all.set_item("residual", residual.into_pyarray(py))?;
    all.set_item("impulses", shaped(answers.impulses)?)?;
    all.set_item("velocities", shaped(answers.velocities)?)?;
    all.set_item("errors", errors)?;
    Ok(all)
}
