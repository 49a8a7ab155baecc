//! SQLite recordings, damaged: reading and playing back end in one line or in frames, and never in a panic.
//!
//! Damage is told as places and values, and done to one genuine recording that is made at the start: most of a database's
//! bytes are zeros, and mutating files as a whole would mostly find those. Solves are played back with the caps that were
//! recorded, so the blocks' checksums are left alone here; `recorder_bytes` is about what is inside of them.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use stiction_fuzz::Bytes;
use stiction_fuzz::dumps::damage;
use stiction_host::rig::frame::Detail;
use stiction_host::rig::playback::replay;
use stiction_host::rig::reading::read;
use stiction_host::rig::run::{Plan, run};
use stiction_host::rig::scene::Scene;
use stiction_host::rig::simulation::Precision;

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
    let read = read(&path, |_, _| (), |_| ()).map(|()| String::new());
    // Playing back needs room for the largest solves, which takes a hundred times as long as reading.
    let played = if bytes.below(64) == 63 { replay(&path, |_| ()).map(|_| String::new()) } else { Ok(String::new()) };
    for line in [read, played].into_iter().filter_map(Result::err) {
        assert!(!line.contains('\n'), "not one line: {line:?}");
    }
});

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
