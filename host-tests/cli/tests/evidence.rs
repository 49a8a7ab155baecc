//! Frames of a scene that a test judges. If the test fails, the scene is run again and recorded, and the command that
//! opens the recording is printed.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::run::{Output, Plan, run};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::simulation::Precision;
use stiction_cli::rig::summary::Summary;

use crate::tool::answer;

/// The frames of a scene.
pub struct Frames {
    frames: Vec<Frame>,
    plan: Plan,
    /// Its number among all scenes of this process.
    number: usize,
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Frames {
    /// Runs a scene.
    pub fn of(title: &str, scene: Scene, precision: Precision) -> (Summary, Self) {
        let plan = Plan { title: title.into(), scene, precision, record: None };
        let mut frames = Vec::new();
        let summary = run(&plan, Detail::Full, |frame| frames.push(frame.clone())).expect("a valid scene");
        (summary, Frames { frames, plan, number: COUNT.fetch_add(1, Ordering::Relaxed) })
    }

    /// The recording that is left behind.
    fn path(&self) -> PathBuf {
        let Frames { plan: Plan { title, precision, .. }, number, .. } = self;
        let name = format!("stiction-failed-{}-{number}-{title}-{}.db", std::process::id(), precision.name());
        std::env::temp_dir().join(name)
    }

    /// The same frames again, recorded.
    fn record(&mut self) -> Result<PathBuf, String> {
        let path = self.path();
        let _ = std::fs::remove_file(&path);
        self.plan.record = Some(Output { path: path.clone(), has_history: false });
        run(&self.plan, Detail::Full, |_| ()).map(|_| path)
    }
}

impl Deref for Frames {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        &self.frames
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if std::thread::panicking() {
            match self.record() {
                Ok(path) => eprintln!("to see what happened: stiction inspect {}", path.display()),
                Err(line) => eprintln!("the failed scene could not be recorded: {line}"),
            }
        }
    }
}

#[test]
fn a_failing_scene_test_leaves_a_recording() {
    let scene = stiction_cli::rig::scenes::find("slide-45-slow").map(|scene| Scene { seconds: 0.1, ..scene });
    let (_, frames) = Frames::of("evidence", scene.expect("a built-in scene"), Precision::Single);
    let (path, count) = (frames.path(), frames.len());
    let failed = std::panic::catch_unwind(move || assert!(frames.is_empty(), "this failure is part of the test"));
    assert!(failed.is_err());
    let shown = answer(&std::env::temp_dir(), &["inspect", &path.display().to_string()]);
    assert!(shown.contains(&format!("evidence, f32: {count} frames")), "{shown}");
    std::fs::remove_file(path).expect("the recording is there");
}
