//! `stiction scenes` and `stiction run`.

use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{choice, number, precision, text};
use crate::json::one_line;
use crate::picture;
use crate::problem::LocalEntry;
use crate::problem::MethodEntry;
use crate::rig::frame::Detail;
use crate::rig::robot::{self, Planted};
use crate::rig::run::{Output, Plan, Progress};
use crate::rig::scene::Scene;
use crate::rig::scenes;
use crate::rig::simulation::Precision;
use crate::rig::summary::Summary;

/// `stiction scenes`.
pub(super) fn scenes(mut words: lexopt::Parser) -> Result<String, String> {
    if let Some(word) = words.next().map_err(|e| e.to_string())? {
        return Err(word.unexpected().to_string());
    }
    let mut out = String::new();
    for named in scenes::ALL {
        let _ = writeln!(out, "{:<22} {}", named.name, named.line);
    }
    Ok(out)
}

/// Bytes of the largest scene that is read.
const LARGEST_SCENE: u64 = 64 << 20;

/// The scene of a name or a file, and its title.
pub(super) fn scene_of(word: &str) -> Result<(String, Scene), String> {
    if let Some(scene) = scenes::find(word) {
        return Ok((word.to_string(), scene));
    }
    if !word.ends_with(".json") && !Path::new(word).exists() {
        return Err(format!("{word}: no such scene, 'stiction scenes' lists them"));
    }
    Ok((title_of(word), Scene::parse(&text_of(word)?)?))
}

/// The robot of a file as a scene, and its title. What is left out is printed, a line each.
fn robot_of(word: &str, hold: bool) -> Result<(String, Scene), String> {
    let Planted { scene, lines } = robot::parse(&text_of(word)?, hold)?;
    lines.iter().for_each(|line| eprintln!("{word}: {}", one_line(line)));
    Ok((title_of(word), scene))
}

/// A file's name without its folder and its extension.
fn title_of(word: &str) -> String {
    Path::new(word).file_stem().map_or_else(|| word.to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// A file that is a scene or a robot.
fn text_of(word: &str) -> Result<String, String> {
    let mut text = Vec::new();
    let file = std::fs::File::open(word).map_err(|error| format!("{word}: {error}"))?;
    file.take(LARGEST_SCENE + 1).read_to_end(&mut text).map_err(|error| format!("{word}: {error}"))?;
    if text.len() as u64 > LARGEST_SCENE {
        return Err(format!("{word}: more than {} MiB, no scene", LARGEST_SCENE >> 20));
    }
    String::from_utf8(text).map_err(|_| format!("{word}: not UTF-8"))
}

/// Applies an option to a scene.
type Change = Box<dyn Fn(&mut Scene)>;

#[derive(Default)]
struct Options {
    precision: Option<Precision>,
    record: Option<PathBuf>,
    plot: Option<PathBuf>,
    summary: Option<PathBuf>,
    history: bool,
    scene_file: Option<PathBuf>,
    hold: bool,
}

/// `stiction run`.
pub(super) fn run(mut words: lexopt::Parser) -> Result<String, String> {
    use lexopt::prelude::*;
    let mut options = Options::default();
    let mut named = None;
    let mut changes: Vec<Change> = Vec::new();
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Long("precision") => options.precision = Some(precision(&text(&mut words)?)?),
            Long("seconds") => {
                let seconds: f64 = number("--seconds", &text(&mut words)?)?;
                changes.push(Box::new(move |scene| scene.seconds = seconds));
            }
            Long("dt") => {
                let dt: f64 = number("--dt", &text(&mut words)?)?;
                changes.push(Box::new(move |scene| (scene.dt, scene.settings.dt) = (dt, None)));
            }
            Long("sweeps") => {
                let sweeps: u32 = number("--sweeps", &text(&mut words)?)?;
                changes.push(Box::new(move |scene| scene.settings.sweeps = Some(sweeps)));
            }
            Long("local") => {
                let local: LocalEntry = choice("--local", &text(&mut words)?)?;
                changes.push(Box::new(move |scene| scene.settings.local = Some(local)));
            }
            Long("method") => {
                let method: MethodEntry = choice("--method", &text(&mut words)?)?;
                changes.push(Box::new(move |scene| scene.settings.method = Some(method)));
            }
            Long("record") => options.record = Some(text(&mut words)?.into()),
            Long("hold") => options.hold = true,
            Long("history") => options.history = true,
            Long("plot") => options.plot = Some(text(&mut words)?.into()),
            Long("summary") => options.summary = Some(text(&mut words)?.into()),
            Value(value) if named.is_none() => named = Some(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let named = named.ok_or("SCENE: none given, 'stiction scenes' lists them")?;
    let (title, mut scene) = if named.ends_with(".urdf") { robot_of(&named, options.hold)? } else { scene_of(&named)? };
    if options.hold && !named.ends_with(".urdf") {
        return Err("--hold: only with a robot, ROBOT.urdf".into());
    }
    options.scene_file = Some(named.into());
    changes.iter().for_each(|change| change(&mut scene));
    let precision = options.precision.unwrap_or(Precision::Double);
    if options.history && options.record.is_none() {
        return Err("--history: only with --record".into());
    }
    let record = options.record.clone().map(|path| Output { path, has_history: options.history });
    let plan = Plan { title, scene, precision, record };
    carry_out(&plan, &options)
}

fn carry_out(plan: &Plan, options: &Options) -> Result<String, String> {
    distinct_outputs(options)?;
    if plan.record.is_some() {
        plan.scene.validate_recordable()?;
    }
    // Outputs that cannot be written are rejected before the run.
    if let Some(path) = &options.plot {
        picture::check_writable(path)?;
    }
    if let Some(path) = &options.summary {
        picture::check_creatable(path).map_err(|line| format!("--summary: {line}"))?;
    }
    let (mut unsolved, mut left_out) = (0_u64, 0);
    let mut progress = Progress::new(plan.scene.frames()?);
    let mut film = picture::Film::new(&plan.title, &plan.scene);
    let detail = if options.plot.is_some() { Detail::Full } else { Detail::Figures };
    let summary = crate::rig::run::run(plan, detail, |frame| {
        if options.plot.is_some() {
            film.add(frame);
        }
        unsolved += u64::from(frame.report.status != stiction::Status::Converged);
        left_out += frame.report.contacts_left_out;
        progress.update(frame.number, || {
            format!("{:.2} s, {:.3} J, {} contacts", frame.time, frame.energy(), frame.report.contacts)
        });
    })?;
    if let Some(path) = &options.plot {
        film.write(path)?;
    }
    if let Some(path) = &options.summary {
        let json = serde_json::to_string_pretty(&summary).map_err(|error| error.to_string())?;
        std::fs::write(path, json + "\n").map_err(|error| format!("--summary: {}: {error}", path.display()))?;
    }
    if left_out > 0 {
        eprintln!("warning: {left_out} contacts did not fit and were left out, the shallowest ones");
    }
    let mut out = table(plan, &summary);
    let _ = writeln!(out, "unsolved      {unsolved} frames are not solved to the tolerance");
    Ok(out)
}

/// Rejects outputs that would overwrite each other or a recording.
fn distinct_outputs(options: &Options) -> Result<(), String> {
    let outputs: Vec<&PathBuf> = [&options.record, &options.plot, &options.summary].into_iter().flatten().collect();
    for (i, path) in outputs.iter().enumerate() {
        if outputs[..i].contains(path) {
            return Err(format!("{}: named for two outputs", path.display()));
        }
    }
    for path in [&options.plot, &options.summary].into_iter().flatten() {
        let mut head = [0; 15];
        let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
        if path.is_file() && read.is_ok() && head == *b"SQLite format 3" {
            return Err(format!("{}: is a database, and would be overwritten", path.display()));
        }
        if options.scene_file.as_ref() == Some(path) {
            return Err(format!("{}: is the scene, and would be overwritten", path.display()));
        }
    }
    Ok(())
}

/// The run in a few lines.
fn table(plan: &Plan, summary: &Summary) -> String {
    let mut out = String::new();
    let methods: Vec<String> = summary.methods.iter().map(|(name, count)| format!("{count} by {name}")).collect();
    let energy = &summary.energy;
    let _ =
        writeln!(out, "{}: {} frames, {:.3} s, {}", plan.title, summary.frames, summary.time, plan.precision.name());
    let _ = writeln!(
        out,
        "energy        {:.6} J to {:.6} J, largest gain in a step {:.1e} J",
        energy.initial, energy.last, energy.largest_gain_in_a_step
    );
    let _ = writeln!(
        out,
        "penetration   at most {:.3e} m, {:.3e} m in the end",
        summary.penetration.max, summary.penetration.last
    );
    let _ =
        writeln!(out, "sweeps        {:.1} a frame on average, {} at most", summary.sweeps.mean, summary.sweeps.max);
    let _ =
        writeln!(out, "residual      {:.1e} on average, {:.1e} at most", summary.residual.mean, summary.residual.max);
    let _ = writeln!(out, "contacts      {} at most, {} left out", summary.contacts.max, summary.contacts.left_out);
    if !summary.joints.is_empty() {
        let apart = summary.joints.iter().map(|joint| joint.error).fold(0.0, f64::max);
        let _ = writeln!(out, "joints        {}, at most {apart:.3e} m apart", summary.joints.len());
    }
    let _ = writeln!(out, "islands       {}", if methods.is_empty() { "none".into() } else { methods.join(", ") });
    let _ = writeln!(out, "digest        {}", summary.digest);
    out
}
