//! Running a scene from its first frame to its last, with optional outputs.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use super::frame::{Detail, Frame};
use super::recording::Recorder;
use super::scene::Scene;
use super::simulation::{Precision, simulate};
use super::summary::{Summary, Tally};

/// A scene to run and its outputs.
pub struct Plan {
    /// The scene's title.
    pub title: String,
    /// The scene, options applied.
    pub scene: Scene,
    /// Scalars.
    pub precision: Precision,
    /// The recording to write.
    pub record: Option<Output>,
}

/// A recording to write.
pub struct Output {
    /// Its file.
    pub path: PathBuf,
    /// Whether it has the history of every step: how it converged.
    pub has_history: bool,
}

/// Runs it; `each` sees every frame. The error is one line.
pub fn run(plan: &Plan, detail: Detail, mut each: impl FnMut(&Frame)) -> Result<Summary, String> {
    let run = run_while(plan, detail, |frame| {
        each(frame);
        true
    })?;
    run.ok_or_else(|| "run: was ended".into())
}

/// The same until `each` returns false. Such a run has no summary; its recording has the frames until then.
pub fn run_while(plan: &Plan, detail: Detail, mut each: impl FnMut(&Frame) -> bool) -> Result<Option<Summary>, String> {
    let frames = plan.scene.frames()?;
    let mut simulation = simulate(&plan.scene, plan.precision)?;
    let mut recorder = match &plan.record {
        Some(output) => Some(Recorder::create_for(output, &plan.title, &plan.scene, plan.precision)?),
        None => None,
    };
    let detail = if recorder.is_some() { Detail::Full } else { detail };
    let mut tally = Tally::new(&*simulation);
    let mut is_whole = true;
    for _ in 0..frames {
        let frame = match simulation.step(detail) {
            Ok(frame) => frame,
            Err(line) => {
                // The frames before the error are kept.
                if let Some(recorder) = recorder {
                    recorder.finish()?;
                }
                return Err(format!("frame {}: {line}", tally.frames() + 1));
            }
        };
        tally.add(&frame);
        if let Some(recorder) = &mut recorder {
            recorder.add(&frame)?;
        }
        is_whole = each(&frame);
        if !is_whole {
            break;
        }
    }
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    Ok(is_whole.then(|| tally.summary(&plan.scene, &*simulation)))
}

/// Progress of a long run: a bar on a terminal, a line every tenth in a pipe, both on standard error.
pub struct Progress {
    total: u64,
    shown: u64,
    terminal: bool,
}

impl Progress {
    /// For a number of frames.
    pub fn new(total: u64) -> Self {
        Progress { total, shown: 0, terminal: std::io::stderr().is_terminal() }
    }

    /// Shows that `done` frames are done, followed by `figures`.
    pub fn update(&mut self, done: u64, figures: impl FnOnce() -> String) {
        let parts = if self.terminal { 100 } else { 10 };
        let part = (done * parts).checked_div(self.total).unwrap_or(parts);
        if part <= self.shown && done < self.total {
            return;
        }
        self.shown = part;
        let mut out = std::io::stderr().lock();
        // A closed standard error does not stop the run.
        let _ = if self.terminal {
            let filled = (part * 30 / parts) as usize;
            let end = if done >= self.total { "\n" } else { "" };
            write!(
                out,
                "\r[{}{}] {done}/{} {}\x1b[K{end}",
                "█".repeat(filled),
                "·".repeat(30 - filled),
                self.total,
                figures()
            )
        } else {
            writeln!(out, "{done}/{} {}", self.total, figures())
        };
        let _ = out.flush();
    }
}
