//! SQLite recordings, damaged: reading and playing back end in one line or in frames, and never in a panic. Solves that are read
//! are those that were made, as far as they go, or playing back tells; figures beside them are not sealed, and are believed.
//!
//! Damage is told as places and values, and done to one genuine recording that is made at the start: most of a database's
//! bytes are zeros, and mutating files as a whole would mostly find those. Solves are played back with the caps that were
//! recorded, so the blocks' checksums are left alone here; `recorder_bytes` is about what is inside of them.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::playback::{Playback, replay};
use stiction_cli::rig::reading::read;
use stiction_cli::rig::run::{Plan, run};
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
    let path = place("damaged");
    std::fs::write(&path, &file).expect("room for a file");
    let read = solves(&path);
    let other = read.as_ref().is_ok_and(|solves| !genuine_solves().starts_with(solves));
    // Playing back needs room for the largest solves, which takes a hundred times as long as reading.
    let played = if other || bytes.below(64) == 63 { Some(replay(&path, |_| ())) } else { None };
    let told = !matches!(played, Some(Ok(Playback::Identical { .. })));
    assert!(!other || told, "solves that were never made count as sound");
    for line in [read.err(), played.and_then(Result::err)].into_iter().flatten() {
        assert!(!line.contains('\n'), "not one line: {line:?}");
    }
});

/// Every solve that is read: its blocks, and the velocities that it ended with.
type Solves = Vec<(Vec<u8>, Vec<u8>)>;

fn solves(path: &Path) -> Result<Solves, String> {
    let mut all = Vec::new();
    read(path, |_, _| (), |frame| all.extend(frame.solves.into_iter().map(|solve| (solve.blocks, solve.velocities))))?;
    Ok(all)
}

fn genuine_solves() -> &'static Solves {
    static SOLVES: OnceLock<Solves> = OnceLock::new();
    SOLVES.get_or_init(|| {
        let path = place("sound");
        std::fs::write(&path, genuine()).expect("room for a file");
        let solves = solves(&path).expect("a sound recording");
        std::fs::remove_file(path).expect("a file to remove");
        assert_eq!(solves.len(), 2);
        solves
    })
}

/// In memory where there is a file system for that.
fn place(name: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("stiction-fuzz-{}-{name}", std::process::id()))
}

fn genuine() -> &'static Vec<u8> {
    static GENUINE: OnceLock<Vec<u8>> = OnceLock::new();
    GENUINE.get_or_init(|| {
        let path = place("genuine");
        let scene = Scene::parse(SCENE).expect("a scene");
        let title = "a ball".to_string();
        let plan = Plan { title, scene, precision: Precision::Double, record: Some(path.clone()) };
        run(&plan, Detail::Full, |_| ()).expect("a run");
        let bytes = std::fs::read(&path).expect("a recording");
        std::fs::remove_file(path).expect("a file to remove");
        bytes
    })
}
