//! Problems with rolling friction: our time to a residual, beside the solvers of Siconos on the same problems.

use std::path::{Path, PathBuf};

use nalgebra::Vector5;
use stiction::{DelassusReport, DelassusSolver, Hooks, Settings, SixRows};
use stiction_testkit::capacity::direct_memory_for;
use stiction_testkit::rfc3d::{Rfc3d, published_folder};

use crate::race::race;

/// Block rows that fit every problem; a contact with rolling friction has two.
const ROWS: usize = 512;

/// The folder of problems, if there is one.
pub fn folder() -> Option<PathBuf> {
    published_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// The files of a folder, by name.
pub fn problems(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "rfc3d")).collect();
    paths.sort();
    paths
}

/// The result of one solver on one problem.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its name.
    pub solver: String,
    /// Milliseconds, iterations and `unit_rel_q`; none if it was ended before it had them.
    pub figures: Option<(f64, u32, f64)>,
}

/// What the solvers of Siconos need here, by problem, if it is installed: `peers/siconos_rolling.py`; the error says why
/// not.
pub fn siconos(folder: &Path) -> Result<Vec<(String, Outcome)>, String> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/siconos_rolling.py");
    let python = std::env::var("STICTION_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = std::process::Command::new(&python).arg(script).arg(folder).output();
    let output = output.map_err(|error| format!("{python}: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(words.trim().to_string());
    }
    print!("{words}");
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [problem, _, solver, time, iterations, left, _] = cells[..] else { return None };
        let figures = || Some((time.parse().ok()?, iterations.parse().ok()?, left.parse().ok()?));
        Some((problem.to_string(), Outcome { solver: solver.to_string(), figures: figures() }))
    };
    Ok(String::from_utf8_lossy(&output.stdout).lines().skip(1).filter_map(line).collect())
}

/// Solves a problem in double precision with memory for direct methods, as `stiction solve` does. Returns the report, the
/// milliseconds of the solve alone, fastest of so many, and the residual of the impulses.
pub fn solve(
    problem: &Rfc3d,
    settings: &Settings<f64>,
    rounds: usize,
) -> Result<(DelassusReport<f64>, f64, f64), String> {
    let rows = problem.block_rows::<f64>();
    let mut solver = Box::new(DelassusSolver::<f64, ROWS, SixRows>::empty());
    let mut memory = direct_memory_for::<f64>(ROWS).map_err(|error| error.to_string())?;
    let w = rows.problem().map_err(|error| error.to_string())?;
    let mut report = None;
    let [nanoseconds] =
        race(rounds, [&mut || report = solver.solve_with(&w, settings, &[], Hooks::with_direct(memory.view())).ok()]);
    let report = report.ok_or("our kernel rejected it")?;
    let impulses: Vec<Vector5<f64>> = rows.joined(|row| solver.impulse(row));
    Ok((report, nanoseconds * 1e-6, problem.published_residuals(&impulses).unit_rel_q))
}
