//! The tool as users run it: runs, recordings, replays, pictures, and error messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use nalgebra::{UnitQuaternion, Vector3};
use stiction::{Hooks, PointId};

use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::playback::{Playback, replay};
use stiction_cli::rig::reading::read;
use stiction_cli::rig::recording::Recorder;
use stiction_cli::rig::scenes::find;
use stiction_cli::rig::simulation::on_large_stack;
use stiction_cli::rig::simulation::{Precision, simulate};
use stiction_motion::detector::{Detector, Part};
use stiction_motion::pairs;
use stiction_motion::solid::Solid;
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

/// The ids of the points of a box on a slab, and after it has turned by a right angle and moved by a fraction of its side.
fn ids_of_a_turning_box(side: f64, moved: f64) -> [Vec<PointId>; 2] {
    let part = |half_extents: [f64; 3], movable| Part { solid: Solid::cuboid(half_extents), movable, endless: false };
    let parts = vec![part([0.5 * side; 3], true), part([2.0 * side, 2.0 * side, 0.5 * side], false)];
    let mut detector = Detector::new(parts, pairs::any);
    [(0.0, 0.0), (moved * side, std::f64::consts::FRAC_PI_2)].map(|(x, angle)| {
        let centers = [Vector3::new(x, 0.0, side), Vector3::zeros()];
        let turns = [UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle), UnitQuaternion::identity()];
        let mut ids = Vec::new();
        let found = detector.manifolds::<f64>(&centers, &turns, 0.01 * side, |manifold| {
            ids.extend(manifold.points.iter().map(|point| point.id));
            Ok(())
        });
        found.unwrap();
        ids
    })
}

#[test]
fn points_of_a_small_body_are_told_apart_like_those_of_a_large_one() {
    // Corners that turn into each other's places are the same points; corners that also move far are not.
    let (near, far) = (ids_of_a_turning_box(1.0, 0.01), ids_of_a_turning_box(1.0, 0.25));
    assert_eq!((near[0].len(), near[1].len()), (4, 4));
    assert_ne!(near[1], far[1]);
    for side in [1.0 / 128.0, 1.0 / 8.0] {
        assert_eq!(ids_of_a_turning_box(side, 0.01), near, "side {side} m");
        assert_eq!(ids_of_a_turning_box(side, 0.25), far, "side {side} m");
    }
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stiction-rig-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn stiction(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(folder).args(words).output().expect("the tool runs")
}

/// The answer of a command that must succeed.
fn answer(folder: &Path, words: &[&str]) -> String {
    let output = stiction(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The one-line error of a command that must be rejected.
fn error(folder: &Path, words: &[&str]) -> String {
    let output = stiction(folder, words);
    let line = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{words:?}: {line}");
    assert!(output.stdout.is_empty());
    assert_eq!(line.trim_end().lines().count(), 1, "{line}");
    line.trim_end().to_string()
}

#[test]
fn a_recorded_run_replays_to_the_bit_in_both_precisions() {
    let folder = folder("replay");
    for precision in ["f32", "f64"] {
        let file = format!("{precision}.db");
        answer(&folder, &["run", "cluster-drop-32", "--seconds", "1", "--precision", precision, "--record", &file]);
        let line = answer(&folder, &["replay", &file]);
        // Frames in which boxes land are solved in parts.
        let solves = line.strip_prefix(&format!("{file}: 60 frames, ")).and_then(|rest| rest.split_once(' '));
        let (solves, rest) = solves.expect("a count of solves");
        assert!((60..=480).contains(&solves.parse::<u32>().unwrap()), "{line}");
        assert_eq!(rest, "solves, every bit the same\n");
    }
}

#[test]
fn a_changed_bit_is_found_and_named() {
    let folder = folder("bit");
    answer(&folder, &["run", "stack-4", "--seconds", "0.5", "--record", "a.db"]);
    let database = rusqlite::Connection::open(folder.join("a.db")).unwrap();
    let mut states: Vec<u8> =
        database.query_row("SELECT states FROM solves WHERE frame = 7", [], |row| row.get(0)).unwrap();
    // Body 2 is "box 2"; its fifth scalar is angular.y.
    states[(2 * 13 + 11) * 8] ^= 1 << 3;
    database.execute("UPDATE solves SET states = ?1 WHERE frame = 7", [states]).unwrap();
    drop(database);
    let output = stiction(&folder, &["replay", "a.db"]);
    assert_eq!(output.status.code(), Some(1));
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(line, "a.db: frame 7, substep 1: differs first in angular.y of box 2, bit 3\n");
}

#[test]
fn a_run_that_is_killed_leaves_a_recording_that_reads_and_replays() {
    let folder = folder("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .current_dir(&folder)
        .args(["run", "cluster-drop-32", "--seconds", "1000", "--record", "a.db"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the tool runs");
    let start = Instant::now();
    let size = || std::fs::metadata(folder.join("a.db")).map_or(0, |file| file.len());
    while size() < 4_000_000 {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing was recorded in two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed by signal");
    child.wait().expect("gone");
    let line = answer(&folder, &["replay", "a.db"]);
    println!("{line}");
    assert!(line.ends_with("every bit the same\n"));
    // Complete batches, so complete frames: every frame has all its bodies and its solve.
    let database = rusqlite::Connection::open(folder.join("a.db")).unwrap();
    let count = |query: &str| -> u64 { database.query_row(query, [], |row| row.get(0)).unwrap() };
    let frames = count("SELECT count(*) FROM frames");
    assert!(frames >= 30 && frames % 30 == 0, "{frames}");
    assert_eq!(count("SELECT count(*) FROM bodies"), 33 * frames);
    assert_eq!(count("SELECT count(DISTINCT frame) FROM solves"), frames);
}

#[test]
fn impossible_requests_are_rejected_in_one_line() {
    let folder = folder("rejected");
    answer(&folder, &["run", "stack-4", "--seconds", "0.5", "--record", "good.db"]);
    std::fs::write(folder.join("text.db"), "this is no database at all, whatever its name says\n".repeat(30)).unwrap();
    rusqlite::Connection::open(folder.join("foreign.db")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    std::fs::copy(folder.join("good.db"), folder.join("newer.db")).unwrap();
    rusqlite::Connection::open(folder.join("newer.db")).unwrap().execute_batch("PRAGMA user_version = 9").unwrap();
    let whole = std::fs::read(folder.join("good.db")).unwrap();
    std::fs::write(folder.join("cut.db"), &whole[..whole.len() / 3]).unwrap();
    let dump: Vec<u8> = rusqlite::Connection::open(folder.join("good.db"))
        .and_then(|database| database.query_row("SELECT blocks FROM solves WHERE frame = 1", [], |row| row.get(0)))
        .unwrap();
    std::fs::write(folder.join("once"), &dump).unwrap();
    std::fs::write(folder.join("twice"), [&dump[..], &dump[..]].concat()).unwrap();
    answer(&folder, &["import", "once", "imported.db"]);
    for (words, says) in [
        (&["run", "no-such-scene"][..], "no-such-scene: no such scene"),
        (&["run", "missing.json"], "missing.json: "),
        (&["run"], "SCENE: none given"),
        (&["run", "stack-4", "--sweeps", "many"], "--sweeps: many is not a valid number"),
        (&["run", "stack-4", "--local", "magic"], "--local: unknown variant `magic`"),
        (&["run", "stack-4", "--dt", "0"], "dt: 0e0, must be 1e-6 to 10"),
        (&["run", "stack-4", "--seconds", "-1"], "seconds: -1e0, must be 0 to 1e6"),
        (&["run", "stack-4", "--record", "good.db"], "good.db: is there already"),
        (&["run", "stack-4", "--record", "no/such/folder/a.db"], "no/such/folder/a.db: "),
        (&["run", "stack-4", "--seconds", "0.1", "--summary", "no/such/a.json"], "--summary: no/such/a.json: "),
        (&["run", "stack-4", "--plot", "no/such/a.svg"], "no/such/a.svg: "),
        (&["run", "stack-4", "--plot", "a.jpeg"], "a.jpeg: pictures are .svg or .png"),
        (&["run", "/dev/zero"], "/dev/zero: more than 64 MiB"),
        (&["replay"], "FILE.db: no file given"),
        (&["replay", "."], ".: is a folder"),
        (&["import", "twice", "new.db"], "dump: solve 1 is in it twice"),
        (&["plot", "imported.db"], "imported.db: no frames in it"),
        (&["replay", "missing.db"], "missing.db: no such file"),
        (&["replay", "text.db"], "text.db: "),
        (&["replay", "foreign.db"], "foreign.db: a database, but no recording of stiction"),
        (&["replay", "newer.db"], "newer.db: recording of version 9, this build reads 2"),
        (&["replay", "cut.db"], "cut.db: "),
        (&["plot", "foreign.db"], "foreign.db: a database, but no recording of stiction"),
        (&["import", "text.db", "new.db"], "dump: no block of a flight recorder begins here"),
        (&["compare", "no-such-scene"], "no-such-scene: no such scene"),
        (&["scenes", "all"], "unexpected argument"),
    ] {
        let line = error(&folder, words);
        assert!(line.starts_with(says), "{words:?} says: {line}");
    }
    assert_eq!(std::fs::read(folder.join("good.db")).unwrap(), whole, "an error changed a recording");
    assert!(!folder.join("new.db").exists(), "an error left a file behind");
}

#[test]
fn bad_scenes_are_rejected_by_field() {
    let folder = folder("bad-scenes");
    let floor = r#"{ "shape": { "half_space": { "normal": [0,0,1] } }, "fixed": true }"#;
    let cases = [
        ("{}", "bodies"),
        ("[]", "scene: must be an object"),
        (r#"{ "bodies": [], "gravty": [0,0,0] }"#, "gravty"),
        (r#"{ "bodies": [ { "shape": { "cube": {} }, "mass": 1 } ] }"#, "bodies[0].shape"),
        (
            r#"{ "bodies": [ { "shape": { "sphere": { "radius": -1 } }, "mass": 1 } ] }"#,
            "bodies[0].shape.sphere.radius: -1e0",
        ),
        (r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } } } ] }"#, "bodies[0].mass: missing"),
        (r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 0 } ] }"#, "bodies[0].mass: 0e0"),
        (r#"{ "bodies": [ { "shape": { "half_space": { "normal": [0,0,1] } }, "mass": 1 } ] }"#, "bodies[0].fixed"),
        (
            r#"{ "bodies": [ { "shape": { "half_space": { "normal": [0,0,0] } }, "fixed": true } ] }"#,
            "bodies[0].shape.half_space.normal",
        ),
        (
            r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 1, "orientation": [1,1,0,0] } ] }"#,
            "bodies[0].orientation",
        ),
        (r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 1, "mu": -1 } ] }"#, "bodies[0].mu: -1"),
        (
            r#"{ "bodies": [ { "shape": { "convex": { "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] } }, "mass": 1 } ] }"#,
            "bodies[0].shape.convex.points",
        ),
        (
            r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 1, "inertia": [[1,0,0],[0,-1,0],[0,0,1]] } ] }"#,
            "bodies[0].inertia",
        ),
        (
            r#"{ "bodies": [ { "shape": {}, "mass": 1 } ] }"#,
            "bodies[0].shape: must be an object with one of half_space",
        ),
        (
            r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 1, "position": [1,2,3,4] } ] }"#,
            "bodies[0].position: too many",
        ),
        (
            r#"{ "bodies": [ { "shape": { "sphere": { "radius": 1 } }, "mass": 1, "inertia": [[3,0,0],[0,1,0],[0,0,1]] } ] }"#,
            "bodies[0].inertia: no body has it",
        ),
        (r#"{ "dt": -1, "bodies": [] }"#, "dt: -1e0"),
        (r#"{ "substeps": 0, "bodies": [] }"#, "substeps: must be"),
        (r#"{ "settings": { "tolerance": 7 }, "bodies": [] }"#, "settings.tolerance"),
        (r#"{ "settings": { "method": "magic" }, "bodies": [] }"#, "settings.method"),
    ];
    for (json, says) in cases {
        std::fs::write(folder.join("a.json"), json).unwrap();
        let line = error(&folder, &["run", "a.json"]);
        assert!(line.contains(says), "{json} says: {line}");
    }
    // Every shape, and a fixed body that is no half-space.
    let good = format!(
        r#"{{ "seconds": 0.2, "bodies": [ {floor},
        {{ "shape": {{ "box": {{ "half_extents": [1,1,0.1] }} }}, "fixed": true, "position": [5,0,1] }},
        {{ "shape": {{ "capsule": {{ "half_height": 0, "radius": 0.2 }} }}, "mass": 1, "position": [0,0,1] }},
        {{ "shape": {{ "convex": {{ "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] }} }}, "mass": 1, "position": [3,0,0.2] }},
        {{ "shape": {{ "sphere": {{ "radius": 0.3 }} }}, "mass": 1, "position": [5,0,1.4], "linear": [0,0,-1] }} ] }}"#
    );
    std::fs::write(folder.join("good.json"), good).unwrap();
    answer(&folder, &["run", "good.json", "--summary", "s.json"]);
    let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("s.json")).unwrap()).unwrap();
    let has = |path: &str| assert!(summary.pointer(path).is_some(), "{path} is missing: {summary}");
    for path in [
        "/frames",
        "/time",
        "/bodies/0/name",
        "/bodies/4/position/2",
        "/bodies/4/orientation/3",
        "/bodies/4/linear/0",
        "/bodies/4/angular/0",
        "/penetration/max",
        "/penetration/final",
        "/energy/initial",
        "/energy/final",
        "/energy/largest_gain_in_a_step",
        "/sweeps/mean",
        "/sweeps/max",
        "/residual/mean",
        "/residual/max",
        "/contacts/max",
        "/contacts/left_out",
        "/methods/block_pgs",
        "/digest",
    ] {
        has(path);
    }
    assert_eq!((summary["frames"].as_u64(), summary["time"].as_f64()), (Some(12), Some(0.2)));
    // A convex body's position is that of its own origin, not of its centre of mass.
    assert!((summary["bodies"][3]["position"][0].as_f64().unwrap() - 3.0).abs() < 0.3);
}

#[test]
fn a_full_disk_ends_the_run_in_one_line_and_keeps_what_was_there() {
    let folder = folder("full");
    let path = folder.join("a.db");
    let scene = find("cluster-drop-32").unwrap();
    let mut simulation = simulate(&scene, Precision::Double).unwrap();
    let mut recorder = Recorder::create(&path, "full", &scene, Precision::Double).unwrap();
    recorder.limit_pages(800).unwrap();
    let error = (0..300)
        .find_map(|_| recorder.add(&simulation.step(Detail::Full).unwrap()).err())
        .expect("no disk is that large");
    println!("{error}");
    assert!(error.contains("disk is full") && error.contains("frames are in it") && error.lines().count() == 1);
    drop(recorder);
    let line = answer(&folder, &["replay", "a.db"]);
    assert!(line.ends_with("every bit the same\n") && !line.contains(": 0 frames"), "{line}");
}

#[test]
fn pictures_come_from_runs_and_from_recordings() {
    let folder = folder("pictures");
    answer(&folder, &["run", "bounce-then-slide", "--record", "a.db", "--plot", "a.svg"]);
    assert_eq!(answer(&folder, &["plot", "a.db"]).trim_end(), "a.svg");
    assert_eq!(answer(&folder, &["plot", "a.db", "b.png"]).trim_end(), "b.png");
    let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    for words in ["Energy, J", "lost to friction", "Friction used", "relative residual", "bounce-then-slide"] {
        assert!(svg.contains(words), "{words} is not in the picture");
    }
    assert!(svg.matches("<polygon").count() >= 6, "the cube is in every moment");
    let png = std::fs::read(folder.join("b.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 20_000);
}

#[test]
fn a_flight_recorders_dump_becomes_a_recording_that_replays() {
    use stiction::FlightRecorder;
    use stiction_scenes::boxes::stack;
    let folder = folder("import");
    let mut boxes = stack::<f32, 5, 16>(4);
    let mut recorder = FlightRecorder::<20_000>::new();
    for _ in 0..20 {
        boxes.step_with(Hooks::with_observer(&mut recorder)).unwrap();
    }
    let (first, second) = recorder.pieces();
    std::fs::write(folder.join("dump"), [first, second].concat()).unwrap();
    let line = answer(&folder, &["import", "dump", "a.db"]);
    println!("{line}");
    assert!(line.contains("0 that never ended, 0 that end differently here"));
    assert!(answer(&folder, &["replay", "a.db"]).ends_with("every bit the same\n"));
}

#[test]
fn scenes_are_listed_and_compared() {
    let folder = folder("compare");
    let list = answer(&folder, &["scenes"]);
    assert!(list.lines().count() >= 28 && list.lines().all(|line| line.split_whitespace().count() > 2));
    let table = answer(&folder, &["compare", "slide-45-fast"]);
    let row = |rule: &str| table.lines().find(|line| line.starts_with(rule)).unwrap().to_string();
    let rise = |rule: &str| row(rule).split_whitespace().nth(5).unwrap().parse::<f64>().unwrap();
    assert!(rise("projection") > 1.0 && rise("exact") < 1e-3, "{table}");
}

#[test]
fn damaged_recordings_are_distinguished_from_valid_ones() {
    let folder = folder("damaged");
    answer(&folder, &["run", "stack-4", "--seconds", "0.5", "--record", "good.db"]);
    for (change, command, says) in [
        ("UPDATE contacts SET body_b = 99", "plot", "is damaged"),
        ("DELETE FROM bodies WHERE frame = 5", "plot", "frame 5 is damaged"),
        ("DELETE FROM solves WHERE frame = 5", "replay", "it is damaged"),
        ("DELETE FROM solves", "replay", "it is damaged"),
        ("UPDATE solves SET states = x'00'", "replay", "the number of velocities"),
        ("UPDATE solves SET states = x''", "replay", "the number of velocities"),
    ] {
        std::fs::copy(folder.join("good.db"), folder.join("bad.db")).unwrap();
        let connection = rusqlite::Connection::open(folder.join("bad.db")).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        let output = stiction(&folder, &[command, "bad.db"]);
        let reported = [output.stdout, output.stderr].concat();
        let reported = String::from_utf8(reported).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)) && reported.contains(says), "{change}: {reported}");
    }
}

/// The frames of a recording that could be read, and the error after them.
fn frames_of(path: &Path) -> (Vec<Frame>, Option<String>) {
    let mut frames = Vec::new();
    let reported = read(path, |_, _| (), |frame| frames.push(frame)).err();
    assert!(reported.as_ref().is_none_or(|line| !line.contains('\n')), "not one line: {reported:?}");
    (frames, reported)
}

/// The difference or error that playing back reports; `None` if every bit is the same.
fn reported_by_replay(path: &Path) -> Option<String> {
    // As the command does: large solvers pass through the stack.
    match on_large_stack(|| replay(path, |_| ())) {
        Ok(Playback::Identical { .. }) => None,
        Ok(Playback::Differs { place, .. }) => Some(place),
        Err(line) => Some(line),
    }
}

#[test]
fn truncated_recordings_are_reported_and_give_only_genuine_frames() {
    let folder = folder("cut");
    answer(&folder, &["run", "stack-4", "--seconds", "0.5", "--record", "good.db"]);
    let (good, path) = (std::fs::read(folder.join("good.db")).unwrap(), folder.join("cut.db"));
    let (genuine, none) = frames_of(&folder.join("good.db"));
    assert!(genuine.len() == 30 && none.is_none());
    let mut read_part = 0;
    for part in 0..64 {
        // At page boundaries, where SQLite sees whole pages, and between them.
        for off in [0, 1, 700] {
            let length = (good.len() / 4096 * part / 64) * 4096 + off;
            std::fs::write(&path, &good[..length]).unwrap();
            let (frames, reported) = frames_of(&path);
            assert!(frames.len() <= genuine.len() && frames[..] == genuine[..frames.len()], "cut at {length}");
            assert!(
                reported.is_some() || reported_by_replay(&path).is_some(),
                "cut at {length}: {} frames",
                frames.len()
            );
            read_part += usize::from(!frames.is_empty());
        }
    }
    println!("{read_part} of 192 cut recordings were read in part");
}

/// Flips random bits of a database: if neither reading nor playing back reports an error, every solve is as recorded.
/// Only solves have checksums; other figures, such as a body's position, are not verified.
#[test]
fn recordings_with_flipped_bits_are_reported_or_keep_their_solves() {
    let folder = folder("flipped");
    answer(&folder, &["run", "stack-4", "--seconds", "0.1", "--record", "good.db"]);
    let (good, path) = (std::fs::read(folder.join("good.db")).unwrap(), folder.join("flipped.db"));
    let (genuine, _) = frames_of(&folder.join("good.db"));
    let solves = |frames: &[Frame]| -> Vec<(Vec<u8>, Vec<u8>)> {
        let all = frames.iter().flat_map(|frame| &frame.solves);
        all.map(|solve| (solve.blocks.clone(), solve.states.clone())).collect()
    };
    let (mut rng, mut reported, mut same, mut unverified) = (Rng::new(41), 0, 0, 0);
    for _ in 0..effort::cases(300, 1_000) {
        let (mut file, at) = (good.clone(), rng.below(good.len()));
        file[at] ^= 1 << rng.below(8);
        std::fs::write(&path, &file).unwrap();
        let (frames, line) = frames_of(&path);
        if line.is_some() || reported_by_replay(&path).is_some() {
            reported += 1;
            continue;
        }
        assert_eq!(solves(&frames), solves(&genuine), "byte {at} of {}", good.len());
        same += usize::from(frames == genuine);
        unverified += usize::from(frames != genuine);
    }
    println!("{reported} flips reported, {same} in bytes that are not read, {unverified} not verified");
    assert!(reported > 10 && same > 10);
}

#[test]
fn outputs_overwrite_neither_each_other_nor_recordings_nor_the_scene() {
    let folder = folder("outputs");
    answer(&folder, &["run", "slide-45-slow", "--seconds", "0.1", "--record", "old.db"]);
    std::fs::write(folder.join("a.json"), r#"{ "seconds": 0.1, "bodies": [] }"#).unwrap();
    for (words, says) in [
        (&["run", "a.json", "--record", "x.db", "--summary", "x.db"][..], "x.db: named for two outputs"),
        (&["run", "a.json", "--summary", "old.db"], "old.db: is a database"),
        (&["run", "a.json", "--summary", "a.json"], "a.json: is the scene"),
        (&["run", "a.json", "--record", ""], ": "),
    ] {
        assert!(error(&folder, words).starts_with(says), "{words:?}");
    }
    // A name that SQLite would interpret as an in-memory database is an ordinary file.
    answer(&folder, &["run", "slide-45-slow", "--seconds", "0.1", "--record", ":memory:"]);
    assert!(folder.join(":memory:").is_file());
    assert!(answer(&folder, &["replay", "old.db"]).ends_with("every bit the same\n"));
    assert!(!folder.join("old.db-wal").exists(), "a finished recording is one file");
}

/// A forged value in any column of any table is reported by a replay, with its frame, table and column.
#[test]
fn forged_tables_are_reported_with_frame_and_column() {
    let folder = folder("forged");
    for precision in ["f32", "f64"] {
        let good = format!("{precision}.db");
        let run = ["run", "slide-45-fast", "--seconds", "0.4", "--precision", precision, "--record", &good];
        answer(&folder, &run);
        assert!(answer(&folder, &["replay", &good]).contains("every bit the same"));
        let connection = rusqlite::Connection::open(folder.join(&good)).unwrap();
        let mut forged = 0;
        for table in ["frames", "bodies", "contacts", "reports"] {
            let statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
            for column in statement.column_names() {
                // Keys: their rows would be those of another frame.
                let is_key = ["frame", "substep", "body", "contact"].contains(&column);
                if is_key || (table, column) == ("reports", "island") {
                    continue;
                }
                std::fs::copy(folder.join(&good), folder.join("bad.db")).unwrap();
                forge(&folder.join("bad.db"), table, column);
                let output = stiction(&folder, &["replay", "bad.db"]);
                let line = String::from_utf8(output.stdout).unwrap();
                let place = format!("differs first in {table}, row ");
                let named =
                    line.contains("frame 24, ") && line.contains(&place) && line.contains(&format!(", {column}: "));
                assert!(output.status.code() == Some(1) && named, "{precision} {table}.{column}: {line}");
                forged += 1;
            }
        }
        assert_eq!(forged, 16 + 13 + 28 + 13, "{precision}");
    }
}

/// Changes one value of a table, in all rows of the last frame.
fn forge(path: &Path, table: &str, column: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let last = format!("SELECT {column} FROM {table} ORDER BY frame DESC LIMIT 1");
    let value: rusqlite::types::Value = connection.query_row(&last, [], |row| row.get(0)).unwrap();
    let other = match value {
        rusqlite::types::Value::Integer(value) => rusqlite::types::Value::Integer(value + 1000),
        rusqlite::types::Value::Real(value) => rusqlite::types::Value::Real(value + 1.0),
        rusqlite::types::Value::Null => rusqlite::types::Value::Integer(7),
        _ => rusqlite::types::Value::Text("magic".into()),
    };
    let rows = format!("frame = (SELECT max(frame) FROM {table})");
    let changed = connection.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {rows}"), [other]);
    assert!(changed.is_ok_and(|rows| rows > 0), "{table}.{column}");
}

/// A row that is added or removed is reported as well.
#[test]
fn rows_that_are_missing_or_too_many_are_reported() {
    let folder = folder("rows");
    answer(&folder, &["run", "stack-4", "--seconds", "0.2", "--record", "good.db"]);
    for (change, says) in [
        (
            "DELETE FROM contacts WHERE frame = 3 AND contact = 15",
            "frame 3, substep 1: differs first in contacts: row 15 is missing",
        ),
        (
            "DELETE FROM bodies WHERE frame = 4 AND body = 4",
            "frame 4, substep 1: differs first in bodies: row 4 is missing",
        ),
        ("DELETE FROM reports WHERE frame = 5", "frame 5, substep 1: differs first in reports: row 0 is missing"),
        ("DELETE FROM frames WHERE frame = 6", "frame 6, substep 1: differs first in frames: row 0 is missing"),
        (
            "INSERT INTO bodies SELECT frame, 9, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz FROM bodies WHERE frame = 7 AND body = 1",
            "frame 7, substep 1: differs first in bodies: a row too many",
        ),
    ] {
        std::fs::copy(folder.join("good.db"), folder.join("bad.db")).unwrap();
        let connection = rusqlite::Connection::open(folder.join("bad.db")).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        let line = String::from_utf8(stiction(&folder, &["replay", "bad.db"]).stdout).unwrap();
        assert!(line.contains(says), "{change}: {line}");
    }
}

/// Rows belong to frames, bodies and solves that are there.
#[test]
fn a_recording_has_foreign_keys() {
    let folder = folder("keys");
    answer(&folder, &["run", "stack-4", "--seconds", "0.1", "--record", "keys.db"]);
    let connection = rusqlite::Connection::open(folder.join("keys.db")).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    let broken: u32 =
        connection.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
    assert_eq!(broken, 0);
    for orphan in [
        "UPDATE bodies SET frame = 99 WHERE frame = 1",
        "UPDATE bodies SET body = 99 WHERE body = 1 AND frame = 1",
        "UPDATE contacts SET frame = 99 WHERE frame = 1",
        "UPDATE reports SET substep = 9 WHERE frame = 1",
        "DELETE FROM frames WHERE frame = 1",
        "DELETE FROM solves WHERE frame = 1",
    ] {
        let error = connection.execute_batch(orphan).unwrap_err().to_string();
        assert!(error.contains("FOREIGN KEY"), "{orphan}: {error}");
    }
}
