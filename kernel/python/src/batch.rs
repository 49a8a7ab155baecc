//! `solve_batch`: bodies with contacts.
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stiction::Settings;
use stiction_batch::layout::{COUNTS, FIGURES};
use stiction_batch::{Answers, BatchError, Layout, solve_all_on_surfaces_with_direct, solve_all_with_direct};
use stiction_cli::problem::SettingsEntry;

use crate::arrays::Precision;
use crate::background::{Waits, check_callable, run_batch, threads_of};
use crate::errors::{array_names, of_batch, value_error};
use crate::input::{Given, Input};
use crate::on_gpu;
use crate::task::{DEFAULT_DT, Scalar, Task};
use crate::values::settings;

/// Bodies and contacts of the largest compiled capacity.
const LARGEST: (usize, usize) = (64, 256);
/// Bodies and contacts of the largest one for contacts that take two places.
const LARGEST_WITH_MOMENTS: (usize, usize) = (64, 128);

/// What becomes of problems that are rejected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// The first one is raised.
    Raise,
    /// They are marked in the answers.
    Mark,
}

impl OnError {
    /// By its word.
    pub fn parse(word: &str) -> PyResult<Self> {
        match word {
            "raise" => Ok(OnError::Raise),
            "mark" => Ok(OnError::Mark),
            _ => Err(value_error(format!("errors: {word:?}, must be \"raise\" or \"mark\""))),
        }
    }
}

/// Solves many problems; returns the arrays of the answers and where everything is in them.
#[pyfunction]
#[pyo3(signature = (bodies, contacts, settings, threads, errors, progress, on_gpu))]
pub fn solve_batch<'py>(
    bodies: &Bound<'py, PyAny>,
    contacts: &Bound<'py, PyAny>,
    settings: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    errors: &str,
    progress: Option<&Bound<'py, PyAny>>,
    on_gpu: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let call = Call {
        settings: self::settings(settings)?,
        threads: threads_of(threads)?,
        errors: OnError::parse(errors)?,
        progress,
        on_gpu,
    };
    check_callable(progress)?;
    let given = Given::new(bodies, contacts)?;
    match given.precision()? {
        Precision::Single => call.solve::<f32>(bodies.py(), &given),
        Precision::Double => call.solve::<f64>(bodies.py(), &given),
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
        let dt = T::lit(self.settings.dt.unwrap_or(DEFAULT_DT));
        let held = given.read::<T>()?;
        let input = held.input();
        input.check_counts().map_err(value_error)?;
        check_sizes(&input).map_err(value_error)?;
        let (problems, _, contacts) = input.sizes;
        let waits = Waits::for_visits([problems, contacts, settings.sweeps as usize], self.progress);
        let (mut reason, asked) = (None, self.on_gpu);
        let solved = run_batch(py, self.threads, waits, |control| {
            let task = Task { input: &input, settings: &settings, dt, control };
            let there = asked.then(|| on_gpu::solved(|gpu| on_gpu::solve(gpu, &task)));
            on_gpu::or_here(there, &mut reason, || solve(task))
        })?;
        let answers = solved.map_err(|error| of_batch(&error))?;
        let lines = answers.errors().iter().map(|(problem, error)| (*problem, array_names(&error.to_string())));
        let lines = raise_or_list(py, self.errors, lines)?;
        let all = arrays_of(py, answers, lines)?;
        all.set_item("reason", reason)?;
        Ok(all)
    }
}

/// Raises the first line, or lists all by the number of the problem.
pub fn raise_or_list<'py>(
    py: Python<'py>,
    errors: OnError,
    lines: impl Iterator<Item = (usize, String)>,
) -> PyResult<Bound<'py, PyDict>> {
    let list = PyDict::new(py);
    for (problem, line) in lines {
        if errors == OnError::Raise {
            return Err(value_error(format!("problem {problem}: {line}")));
        }
        list.set_item(problem, line)?;
    }
    Ok(list)
}

/// Rejects problems that are larger than the largest capacity.
fn check_sizes<T: Scalar>(input: &Input<'_, T>) -> Result<(), String> {
    let (_, bodies, contacts) = input.sizes;
    let largest = if input.has_moments() { LARGEST_WITH_MOMENTS } else { LARGEST };
    for (what, count, most) in [("bodies", bodies, largest.0), ("contacts", contacts, largest.1)] {
        if count > most {
            let kind = if input.has_moments() { " with torsion or rolling" } else { "" };
            return Err(format!("{what}: {count} a problem, at most {most} fit{kind}"));
        }
    }
    Ok(())
}

/// Returns the answers of the first capacity that is large enough, with memory for direct methods on all of it.
macro_rules! first_that_fits {
    ($solve:ident, $bodies:ident, $places:ident, $call:expr; $(($nb:literal, $nc:literal)),+) => {
        $(
            if $bodies <= $nb && $places <= $nc {
                let Task { input, settings, dt, control } = $call;
                return $solve::<T, $nb, $nc, { $nc * ($nc + 1) / 2 }>(input, settings, dt, control);
            }
        )+
    };
}

fn solve<T: Scalar>(task: Task<'_, '_, T>) -> Result<Answers<T>, BatchError> {
    let (_, bodies, contacts) = task.input.sizes;
    if task.input.has_surfaces {
        let places = if task.input.has_moments() { 2 * contacts } else { contacts };
        first_that_fits!(solve_all_on_surfaces_with_direct, bodies, places, task; (8, 16), (16, 64), (64, 256));
    } else {
        first_that_fits!(solve_all_with_direct, bodies, contacts, task; (5, 8), (8, 16), (16, 64), (64, 256));
    }
    Err(BatchError::Capacity { what: "contacts", count: contacts, capacity: LARGEST.1 })
}

/// The arrays of the answers, unshaped, and where everything is within a problem.
fn arrays_of<'py, T: Scalar>(
    py: Python<'py>,
    answers: Answers<T>,
    errors: Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (layout, problems) = (answers.layout(), answers.len());
    let (scalars, words) = answers.into_arrays();
    let all = PyDict::new(py);
    all.set_item("scalars", scalars.into_pyarray(py).call_method1("reshape", ((problems, layout.answer_scalars()),))?)?;
    all.set_item("words", words.into_pyarray(py).call_method1("reshape", ((problems, layout.answer_words()),))?)?;
    all.set_item("fields", places(py, &layout)?)?;
    all.set_item("bodies", layout.bodies)?;
    all.set_item("contacts", layout.contacts)?;
    all.set_item("errors", errors)?;
    Ok(all)
}

/// The first and the end of every field among the scalars or words of a problem.
fn places<'py>(py: Python<'py>, layout: &Layout) -> PyResult<Bound<'py, PyDict>> {
    let places = PyDict::new(py);
    let ranges = [
        ("linear", layout.linear()),
        ("angular", layout.angular()),
        ("normal", layout.normal()),
        ("tangent", layout.tangent()),
        ("bounce", layout.bounce()),
        ("moment", layout.moment()),
    ];
    for (name, range) in ranges {
        places.set_item(PyString::intern(py, name), (range.start, range.end))?;
    }
    for (at, name) in FIGURES.iter().enumerate() {
        places.set_item(*name, layout.figures_at() + at)?;
    }
    for (at, name) in COUNTS.iter().enumerate() {
        places.set_item(*name, at)?;
    }
    places.set_item("states", COUNTS.len())?;
    Ok(places)
}
