//! `stiction compare`: the local rules or the methods side by side on one scene, or the methods on one problem.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use stiction::Settings;

use super::run::scene_of;
use super::{Form, choice, text};
use crate::methods::{Course, Outcome, courses, table};
use crate::picture;
use crate::problem::{LocalEntry, MethodEntry, Problem};
use crate::rig::frame::Detail;
use crate::rig::run::{Plan, run};
use crate::rig::simulation::Precision;
use stiction_testkit::capacity::{DelassusSolved, solve_delassus, solve_rolling};
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::rfc3d::Rfc3d;

const RULES: [(LocalEntry, &str); 4] = [
    (LocalEntry::Exact, "exact"),
    (LocalEntry::HoldAndResolve, "hold_and_resolve"),
    (LocalEntry::Projection, "projection"),
    (LocalEntry::Box, "box"),
];

const METHODS: [(MethodEntry, &str); 4] = [
    (MethodEntry::Sweeps, "sweeps"),
    (MethodEntry::Accelerated, "accelerated"),
    (MethodEntry::Auto, "auto"),
    (MethodEntry::Direct, "direct"),
];

/// The choices that a scene is run with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    Rule,
    Method,
}

/// `stiction compare`.
pub(super) fn compare(mut words: lexopt::Parser) -> Result<String, String> {
    use lexopt::prelude::*;
    let (mut named, mut by, mut plot) = (None, None, None);
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Long("by") => by = Some(choice("--by", &text(&mut words)?)?),
            Long("plot") => plot = Some(PathBuf::from(text(&mut words)?)),
            Value(value) if named.is_none() => named = Some(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let named = named.ok_or("SCENE: none given, 'stiction scenes' lists them")?;
    if let Some(courses) = problem_courses(&named)? {
        if by.is_some() {
            return Err("--by: only for scenes; problems are compared by method".into());
        }
        if let Some(path) = &plot {
            picture::check_writable(path)?;
            let title = Path::new(&named).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            picture::save(&picture::courses(&title, &courses), path)?;
        }
        return Ok(table(&courses));
    }
    if plot.is_some() {
        return Err("--plot: only for problems; 'stiction run' draws scenes".into());
    }
    match by.unwrap_or(By::Rule) {
        By::Rule => compare_scene(&named, "local rule", &RULES.map(|(local, name)| (name, Change::Local(local)))),
        By::Method => compare_scene(&named, "method", &METHODS.map(|(method, name)| (name, Change::Method(method)))),
    }
}

/// Applies a choice to a scene.
#[derive(Debug, Clone, Copy)]
enum Change {
    Local(LocalEntry),
    Method(MethodEntry),
}

/// The methods on a problem, if it is one.
fn problem_courses(named: &str) -> Result<Option<Vec<Course>>, String> {
    let path = Path::new(named);
    let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
    match Form::of(path, &bytes) {
        Form::Delassus => {
            let problem = Fc3d::parse(&bytes)?;
            let solve = |settings: &Settings<f64>| {
                let solved = solve_delassus(&problem, settings).map_err(|error| error.to_string())?;
                let (natural, unit) = problem.published_residuals(&solved.impulses);
                Ok(outcome(&solved, natural.max(unit)))
            };
            courses(solve).map(Some)
        }
        Form::Rolling => {
            let problem = Rfc3d::parse(&bytes)?;
            let solve = |settings: &Settings<f64>| {
                let solved = solve_rolling(&problem, settings).map_err(|error| error.to_string())?;
                let residuals = problem.published_residuals(&solved.impulses);
                Ok(outcome(&solved, residuals.natural_rel_q.max(residuals.unit_rel_q)))
            };
            courses(solve).map(Some)
        }
        Form::Json => json_courses(&bytes),
    }
}

fn outcome<const ROWS: usize>(solved: &DelassusSolved<f64, ROWS>, residual: f64) -> Outcome {
    let report = &solved.report;
    let counts = [report.sweeps, report.direct.newton_steps, report.direct.interior_steps];
    Outcome { residual, counts, method: report.method, status: report.status }
}

/// The methods on bodies and contacts; none where the file is a scene.
fn json_courses(bytes: &[u8]) -> Result<Option<Vec<Course>>, String> {
    let is_problem =
        serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|json| json.get("contacts").is_some());
    if !is_problem {
        return Ok(None);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("problem: not UTF-8: {error}"))?;
    let problem = Problem::parse(text)?;
    let chosen = problem.settings.settings::<f64>(Settings::default());
    let solve = |settings: &Settings<f64>| {
        let Settings { method, sweeps, tolerance, .. } = *settings;
        let settings = Settings { method, sweeps, tolerance, ..chosen };
        let report = problem.solve_with(&settings)?.report;
        let counts = [report.sweeps, report.direct.newton_steps, report.direct.interior_steps];
        Ok(Outcome { residual: report.residual.natural, counts, method: report.method, status: report.status })
    };
    courses(solve).map(Some)
}

fn compare_scene(named: &str, what: &str, changes: &[(&str, Change)]) -> Result<String, String> {
    let (title, scene) = scene_of(named)?;
    let mut out = format!("{title}: {} frames by each {what}\n\n", scene.frames()?);
    line(&mut out, [what, "energy at the end", "largest gain", "fastest rise", "approach left", "drift", "sweeps"]);
    for (name, change) in changes {
        let mut scene = scene.clone();
        match change {
            Change::Local(local) => scene.settings.local = Some(*local),
            Change::Method(method) => scene.settings.method = Some(*method),
        }
        let plan = Plan { title: title.clone(), scene, precision: Precision::Double, record: None };
        let mut seen = Seen::default();
        let summary = run(&plan, Detail::Figures, |frame| {
            seen.approach = seen.approach.max(frame.report.closing_speed);
            seen.rise = frame.bodies.iter().map(|body| body.linear.z).fold(seen.rise, f64::max);
            let start = plan.scene.bodies.iter().map(|body| Vector3::from_column_slice(&body.position));
            let ways = frame.bodies.iter().zip(start).map(|(body, start)| (body.position - start).norm());
            seen.drift = ways.fold(0.0, f64::max);
        })?;
        line(
            &mut out,
            [
                name,
                &format!("{:.4} J", summary.energy.last),
                &format!("{:.1e} J", summary.energy.largest_gain_in_a_step),
                &format!("{:.1e} m/s", seen.rise),
                &format!("{:.1e} m/s", seen.approach),
                &format!("{:.4} m", seen.drift),
                &format!("{:.1}", summary.sweeps.mean),
            ],
        );
    }
    out.push_str("\nFastest rise: largest upward velocity of any body. Drift: farthest way of any body.\n");
    Ok(out)
}

/// Figures that the summary does not have.
#[derive(Default)]
struct Seen {
    approach: f64,
    rise: f64,
    drift: f64,
}

fn line(out: &mut String, cells: [&str; 7]) {
    let [rule, energy, gain, rise, approach, drift, sweeps] = cells;
    let _ = writeln!(out, "{rule:<17} {energy:>17}  {gain:>12}  {rise:>12}  {approach:>13}  {drift:>11}  {sweeps:>7}");
}
