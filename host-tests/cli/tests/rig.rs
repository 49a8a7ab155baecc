//! The tool as users run it: runs, pictures, and error messages.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::PointId;

use stiction_motion::detector::{Detector, Part};
use stiction_motion::pairs;
use stiction_motion::solid::Solid;

use crate::tool::{answer, error, folder};

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
        (&["replay", "newer.db"], "newer.db: recording of version 9, this build reads 5"),
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
