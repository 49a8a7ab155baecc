//! `stiction solve`: one problem in, one answer out.

use std::path::{Path, PathBuf};

use stiction::{Real, Settings};

use super::{choice, number, precision};
use crate::answer::{Answer, DelassusAnswer};
use crate::problem::{MethodEntry, OrderEntry, Problem};
use crate::rig::simulation::Precision;
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::capacity::solve_delassus;
use stiction_testkit::fc3d::Fc3d;

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
    let delassus = path.extension().is_some_and(|e| e == "fc3d") || bytes.starts_with(b"FC3D");
    match (delassus, options.precision.unwrap_or(Precision::Double)) {
        (true, Precision::Single) => answer_fc3d::<f32>(&bytes, &options),
        (true, Precision::Double) => answer_fc3d::<f64>(&bytes, &options),
        (false, Precision::Single) => answer_json::<f32>(&bytes, &options),
        (false, Precision::Double) => answer_json::<f64>(&bytes, &options),
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
        return Err("--sweeps, --tolerance, --order, --impulses: only for .fc3d; a JSON problem has settings".into());
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
    let default = Settings::<T>::default();
    let settings = Settings {
        sweeps: options.sweeps.unwrap_or(default.sweeps),
        tolerance: options.tolerance.map_or(default.tolerance, T::lit),
        order: options.order.map_or(default.order, Into::into),
        method: options.method.map_or(default.method, Into::into),
        ..default
    };
    let solved = solve_delassus(&problem, &settings).map_err(|error| error.to_string())?;
    if let Some(path) = &options.impulses {
        write_impulses(path, solved.impulses.iter().flat_map(|x| [x.x, x.y, x.z]).map(T::to_f64))?;
    }
    print(&DelassusAnswer::new(&problem, &solved))
}

fn write_impulses(path: &Path, values: impl Iterator<Item = f64>) -> Result<(), String> {
    let bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
    std::fs::write(path, bytes).map_err(|error| format!("--impulses: {}: {error}", path.display()))
}

fn print(answer: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map(|line| line + "\n").map_err(|error| error.to_string())
}
