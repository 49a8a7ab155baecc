//! Published problems: time to a residual, beside the times that Siconos needs on the same problems.

use std::path::PathBuf;
use stiction::Hooks;

use stiction::{DelassusReport, DelassusSolver};
use stiction::{Real, Settings, SweepOrder};
use stiction_testkit::capacity::AnyDirectMemory;
use stiction_testkit::capacity::direct_memory_for;
use stiction_testkit::fc3d::{Columns, Fc3d};

use crate::race::race;

/// A problem's name and Siconos' milliseconds to 1e-4, as published with it.
pub const PUBLISHED: [(&str, f64); 12] = [
    ("Capsules-i100-889", 1.5),
    ("Capsules-i122-1617", 1.8),
    ("BoxesStack1-i100000-32", 41.0),
    ("Box_Stacks-i0122-82-5", 0.7),
    ("Confeti-ex03-Fc3D-SBM", 1.0),
    ("OneObject-i1028-138", 1.7),
    ("OneObject-i100000-316", 1.4),
    ("Spheres-i099-356-679", 12.0),
    ("rockfall_14_25792", 0.15),
    ("gen_boxst-s00030-415", 116.0),
    ("gen_vault-s00300-151", 533.0),
    ("gen_ncubes-s01200-68", 0.5),
];

/// Contacts that fit every problem.
const CONTACTS: usize = 512;

/// The result of a problem.
pub struct Outcome {
    /// Milliseconds.
    pub milliseconds: f64,
    /// Sweeps and factorisations.
    pub work: (u32, u32),
    /// The published residual, relative to `q`.
    pub residual: f64,
}

/// The folder of published problems, if there is one.
pub fn folder() -> Option<std::path::PathBuf> {
    stiction_testkit::fc3d::published_folder(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// Siconos' own times here, by problem, if it is installed: `peers/siconos.py`; the error says why not.
pub fn siconos() -> Result<Vec<(String, f64)>, String> {
    let folder = folder().ok_or("no published problems")?;
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/siconos.py");
    let python = std::env::var("STICTION_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = std::process::Command::new(&python).arg(script).arg(folder).output();
    let output = output.map_err(|error| format!("{python}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    let line = |line: &str| {
        let mut cells = line.split(',');
        Some((cells.next()?.to_string(), cells.nth(1)?.parse().ok()?))
    };
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(line).collect())
}

/// A problem rounded to a precision, with its solver.
pub struct Posed<T: Real> {
    /// As published.
    pub problem: Fc3d,
    columns: Columns<T>,
    solver: Box<DelassusSolver<T, CONTACTS>>,
    direct_memory: Box<dyn AnyDirectMemory<T>>,
}

impl<T: Real> Posed<T> {
    /// Reads it.
    pub fn read(name: &str) -> Result<Self, String> {
        let folder = folder().ok_or("no published problems beside the project")?;
        let path = folder.join(format!("{name}.fc3d"));
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let problem = Fc3d::parse(&bytes)?;
        let columns = problem.columns::<T>();
        let direct_memory = direct_memory_for::<T>(CONTACTS).map_err(|error| error.to_string())?;
        Ok(Posed { problem, columns, solver: Box::new(DelassusSolver::new()), direct_memory })
    }

    /// Solves it to a tolerance, as often as `race` calls, with as many sweeps as needed and memory for direct methods.
    /// Returns the last report.
    pub fn race(&mut self, tolerance: f64, race: impl FnOnce(&mut dyn FnMut())) -> Result<DelassusReport<T>, String> {
        // The order of Siconos.
        let order = SweepOrder::Forward;
        let settings = Settings { tolerance: T::lit(tolerance), sweeps: 10_000, order, ..Settings::default() };
        let w = self.problem.problem(&self.columns).map_err(|error| error.to_string())?;
        let mut report = None;
        race(&mut || {
            report = self.solver.solve_with(&w, &settings, &[], Hooks::with_direct(self.direct_memory.view())).ok()
        });
        report.ok_or_else(|| "our kernel rejected it".into())
    }
}

/// Solves a problem in double precision to a tolerance.
pub fn solve(name: &str, tolerance: f64, rounds: usize) -> Result<(Fc3d, Outcome), String> {
    let mut posed = Posed::<f64>::read(name)?;
    let mut fastest = 0.0;
    let report = posed.race(tolerance, |solve| [fastest] = race(rounds, [solve]))?;
    let work = (report.sweeps, report.direct.newton_steps + report.direct.interior_steps);
    Ok((posed.problem, Outcome { milliseconds: fastest * 1e-6, work, residual: report.natural_rel_q }))
}
