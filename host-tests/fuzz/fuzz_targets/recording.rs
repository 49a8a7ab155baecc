//! Damaged SQLite recordings: reading and playing back give a one-line error or frames, and never panic. The solves
//! that are read are a prefix of the recorded ones, or playing back reports a difference. Other figures have no
//! checksum and are not verified.
//!
//! The input lists positions and values of damaged bytes, which are applied to one genuine recording made at the start:
//! most of a database's bytes are zeros, and mutating whole files would mostly change those. Solves are played back
//! with the recorded caps, so the blocks' checksums are not recomputed here; `recorder_bytes` tests the contents of
//! blocks.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::playback::{Playback, replay};
use stiction_cli::rig::reading::read;
use stiction_cli::rig::run::{Output, Plan, run};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::simulation::Precision;
use stiction_fuzz::Bytes;
use stiction_fuzz::dumps::damage;

/// A ball that falls on ground, for two frames.
const SCENE: &str = r#"{"dt": 0.01, "seconds": 0.02, "bodies": [
    {"shape": {"half_space": {"normal": [0, 0, 1]}}, "fixed": true},
    {"shape": {"sphere": {"radius": 0.5}}, "mass": 1.0, "position": [0, 0, 0.5], "linear": [1, 0, -1]}]}"#;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let mut file = genuine().clone();
    damage(&mut bytes, &mut file);
    let path = path_of("damaged");
    std::fs::write(&path, &file).expect("a writable file");
    let read = solves(&path);
    let other = read.as_ref().is_ok_and(|solves| !genuine_solves().starts_with(solves));
    // Playing back needs memory for the largest solves, which takes a hundred times as long as reading.
    let played = if other || bytes.below(64) == 63 { Some(replay(&path, |_| ())) } else { None };
    let reported = !matches!(played, Some(Ok(Playback::Identical { .. })));
    assert!(!other || reported, "solves that were never made are accepted");
    for line in [read.err(), played.and_then(Result::err)].into_iter().flatten() {
        assert!(!line.contains('\n'), "not one line: {line:?}");
    }
});

/// Every solve that is read: its blocks, and the velocities that it ended with.
type Solves = Vec<(Vec<u8>, Vec<u8>)>;

fn solves(path: &Path) -> Result<Solves, String> {
    let mut all = Vec::new();
    read(path, |_, _| (), |frame| all.extend(frame.solves.into_iter().map(|solve| (solve.blocks, solve.states))))?;
    Ok(all)
}

fn genuine_solves() -> &'static Solves {
    static SOLVES: OnceLock<Solves> = OnceLock::new();
    SOLVES.get_or_init(|| {
        let path = path_of("valid");
        std::fs::write(&path, genuine()).expect("a writable file");
        let solves = solves(&path).expect("a valid recording");
        std::fs::remove_file(path).expect("a file to remove");
        assert_eq!(solves.len(), 2);
        solves
    })
}

/// A path in a memory file system where there is one.
fn path_of(name: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("stiction-fuzz-{}-{name}", std::process::id()))
}

fn genuine() -> &'static Vec<u8> {
    static GENUINE: OnceLock<Vec<u8>> = OnceLock::new();
    GENUINE.get_or_init(|| {
        let path = path_of("genuine");
        let scene = Scene::parse(SCENE).expect("a scene");
        let title = "a ball".to_string();
        let plan = Plan {
            title,
            scene,
            precision: Precision::Double,
            record: Some(Output { path: path.clone(), has_history: false }),
        };
        run(&plan, Detail::Full, |_| ()).expect("a run");
        let bytes = std::fs::read(&path).expect("a recording");
        std::fs::remove_file(path).expect("a file to remove");
        bytes
    })
}
