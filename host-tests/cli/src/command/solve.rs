//! `stiction solve`: one problem in, one answer out.

use std::path::{Path, PathBuf};

use stiction::{Real, Settings};

use super::{Form, choice, number, precision};
use crate::answer::{Answer, DelassusAnswer};
use crate::problem::{MethodEntry, OrderEntry, Problem};
use crate::rig::simulation::Precision;
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::capacity::{DelassusSolved, solve_delassus, solve_rolling};
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::rfc3d::Rfc3d;

#[derive(Debug, Default)]
struct SolveOptions {
    precision: Option<Precision>,
    sweeps: Option<u32>,
    tolerance: Option<f64>,
    order: Option<OrderEntry>,
    method: Option<MethodEntry>,
    impulses: Option<PathBuf>,
}

/// `stiction solve`.
pub(super) fn solve(words: lexopt::Parser) -> Result<String, String> {
    let (path, options) = solve_options(words)?;
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    match options.precision.unwrap_or(Precision::Double) {
        Precision::Single => answer::<f32>(&path, &bytes, &options),
        Precision::Double => answer::<f64>(&path, &bytes, &options),
    }
}

fn answer<T: LaneScalar>(path: &Path, bytes: &[u8], options: &SolveOptions) -> Result<String, String> {
    match Form::of(path, bytes) {
        Form::Delassus => answer_fc3d::<T>(bytes, options),
        Form::Rolling => answer_rfc3d::<T>(bytes, options),
        Form::Json => answer_json::<T>(bytes, options),
    }
}

fn solve_options(mut words: lexopt::Parser) -> Result<(PathBuf, SolveOptions), String> {
    use lexopt::prelude::*;
    let mut options = SolveOptions::default();
    let mut path = None;
    let text =
        |words: &mut lexopt::Parser| words.value().and_then(|value| value.string()).map_err(|error| error.to_string());
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Long("precision") => options.precision = Some(precision(&text(&mut words)?)?),
            Long("sweeps") => options.sweeps = Some(number("--sweeps", &text(&mut words)?)?),
            Long("tolerance") => options.tolerance = Some(number("--tolerance", &text(&mut words)?)?),
            Long("order") => options.order = Some(choice("--order", &text(&mut words)?)?),
            Long("method") => options.method = Some(choice("--method", &text(&mut words)?)?),
            Long("impulses") => options.impulses = Some(words.value().map_err(|e| e.to_string())?.into()),
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok((path.ok_or("PROBLEM: no file given")?, options))
}

fn answer_json<T: LaneScalar>(bytes: &[u8], options: &SolveOptions) -> Result<String, String> {
    if options.sweeps.is_some() || options.tolerance.is_some() || options.order.is_some() || options.impulses.is_some()
    {
        return Err(
            "--sweeps, --tolerance, --order, --impulses: only for .fc3d and .rfc3d; a JSON problem has settings".into(),
        );
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("problem: not UTF-8: {error}"))?;
    let mut problem = Problem::parse(text)?;
    problem.settings.method = options.method.or(problem.settings.method);
    problem.check_precision::<T>()?;
    let solved = problem.solve::<T>()?;
    print(&Answer::new(&solved))
}

fn answer_fc3d<T: Real>(bytes: &[u8], options: &SolveOptions) -> Result<String, String> {
    let problem = Fc3d::parse(bytes)?;
    let solved = solve_delassus(&problem, &options.settings::<T>()).map_err(|error| error.to_string())?;
    options.write_impulses(&solved)?;
    print(&DelassusAnswer::new(&problem, &solved))
}

fn answer_rfc3d<T: Real>(bytes: &[u8], options: &SolveOptions) -> Result<String, String> {
    let problem = Rfc3d::parse(bytes)?;
    let solved = solve_rolling(&problem, &options.settings::<T>()).map_err(|error| error.to_string())?;
    options.write_impulses(&solved)?;
    print(&DelassusAnswer::with_rolling(&problem, &solved))
}

impl SolveOptions {
    /// Settings of a problem in Delassus form.
    fn settings<T: Real>(&self) -> Settings<T> {
        let default = Settings::<T>::default();
        Settings {
            sweeps: self.sweeps.unwrap_or(default.sweeps),
            tolerance: self.tolerance.map_or(default.tolerance, T::lit),
            order: self.order.map_or(default.order, Into::into),
            method: self.method.map_or(default.method, Into::into),
            ..default
        }
    }

    /// Writes impulses contact by contact, if a file is given.
    fn write_impulses<T: Real, const ROWS: usize>(&self, solved: &DelassusSolved<T, ROWS>) -> Result<(), String> {
        match &self.impulses {
            Some(path) => write_impulses(path, solved.impulses.iter().flatten().map(|part| part.to_f64())),
            None => Ok(()),
        }
    }
}

fn write_impulses(path: &Path, values: impl Iterator<Item = f64>) -> Result<(), String> {
    let bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
    std::fs::write(path, bytes).map_err(|error| format!("--impulses: {}: {error}", path.display()))
}

fn print(answer: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map(|line| line + "\n").map_err(|error| error.to_string())
}
