//! Recordings: what they hold, replays, damaged and forged files.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nalgebra::{Matrix3, Vector3};
use rusqlite::types::Value;
use stiction::{Bodies, Body, Contact, Contacts, FlightRecorder, Hooks, Settings, SixRows, Solver, Surface, Tread};

use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::playback::{Playback, replay};
use stiction_cli::rig::reading::read;
use stiction_cli::rig::recording::Recorder;
use stiction_cli::rig::scenes::find;
use stiction_cli::rig::simulation::{Precision, on_large_stack, simulate};
use stiction_scenes::boxes::stack;
use stiction_testkit::effort;
use stiction_testkit::rng::Rng;

use crate::tool::{answer, error, folder, stiction};

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
fn a_flight_recorders_dump_becomes_a_recording_that_replays() {
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
    let shown = answer(&folder, &["inspect", "a.db"]);
    assert!(shown.starts_with("flight recorder, f32: ") && shown.contains("converged"), "{shown}");
    let last = answer(&folder, &["inspect", "a.db", "--frame", "20"]);
    assert!(last.contains("contact  island  bodies  state") && last.contains("stick"), "{last}");
    assert!(answer(&folder, &["replay", "a.db"]).ends_with("every bit the same\n"));
}

/// A body that slides and spins on a skate, a soft foot and a plain point, and its solver.
type OnSurfaces = (Bodies<f64, 2>, Contacts<f64, 6, SixRows>, Solver<f64, 2, 6, SixRows>);

fn solved_on_surfaces<const BYTES: usize>(recorder: &mut FlightRecorder<BYTES, SixRows>) -> OnSurfaces {
    let (mut bodies, mut contacts, mut solver) = (Bodies::new(), Contacts::empty(), Solver::empty());
    bodies.push(Body::fixed()).unwrap();
    let linear_velocity = Vector3::new(1.0, 0.5, -0.5);
    let moving =
        Body { linear_velocity, angular_velocity: Vector3::z() * 9.0, ..Body::from_mass(1.0, Matrix3::identity()) };
    bodies.push(moving).unwrap();
    let tread = Some(Tread { direction: Vector3::new(2.0, 1.0, 0.0), mu_across: 0.75 });
    let warm_moment = Vector3::z() * -0.125;
    let surfaces = [
        Surface { tread, ..Surface::default() },
        Surface::default(),
        Surface { torsion: 0.01, rolling: 0.25, is_joined: true, warm_moment, ..Surface::default() },
    ];
    for (x, surface) in [-0.5, 0.0, 0.5].into_iter().zip(surfaces) {
        let at = Vector3::new(x, 0.0, 0.0);
        contacts.push_on(Contact::new(0, 1, Vector3::z(), at, at, 0.25), surface).unwrap();
    }
    let hooks = Hooks::with_observer(recorder);
    solver.solve_with(&mut bodies, &contacts, &Settings::default(), 0.01, hooks).unwrap();
    (bodies, contacts, solver)
}

/// The rows of the table `surfaces`, written out by hand from what the library says.
fn surface_rows((_, contacts, solver): &OnSurfaces) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for contact in [0, 2] {
        let surface = contacts.surface(contact).unwrap();
        let mut row = vec![Value::Integer(2), Value::Integer(1), Value::Integer(contact as i64)];
        row.extend([Value::Real(surface.torsion), Value::Real(surface.rolling)]);
        row.push(Value::Integer(i64::from(surface.is_joined)));
        match surface.tread {
            Some(Tread { direction: d, mu_across }) => row.extend([d.x, d.y, d.z, mu_across].map(Value::Real)),
            None => row.extend([Value::Null, Value::Null, Value::Null, Value::Null]),
        }
        let moment = solver.moment(contact).unwrap();
        row.extend(surface.warm_moment.iter().chain(&moment).map(|x| Value::Real(*x)));
        row.extend(solver.reached(contact).unwrap().map(|is| Value::Integer(i64::from(is))));
        rows.push(row);
    }
    rows
}

#[test]
fn a_dump_with_friction_beyond_sliding_is_imported_shown_and_replayed() {
    let folder = folder("surfaces");
    let mut recorder = FlightRecorder::<20_000, SixRows>::empty();
    stack::<f64, 5, 16>(4).step_with(Hooks::with_observer(&mut recorder)).unwrap();
    let solved = solved_on_surfaces(&mut recorder);
    assert!(solved.2.moment(2).unwrap().norm() > 0.0 && solved.2.reached(2) != Some([false; 3]));
    let dump = [recorder.pieces().0, recorder.pieces().1].concat();
    std::fs::write(folder.join("dump"), &dump).unwrap();
    let line = answer(&folder, &["import", "dump", "a.db"]);
    assert!(line.contains("2 solves, 0 that never ended, 0 that end differently here"), "{line}");
    assert!(answer(&folder, &["replay", "a.db"]).ends_with("2 solves, every bit the same\n"));
    let shown = answer(&folder, &["inspect", "a.db", "--frame", "2"]);
    assert!(shown.contains("moment, N m s") && shown.contains("0.75000"), "{shown}");
    let shown = answer(&folder, &["inspect", "a.db", "--frame", "1"]);
    assert!(!shown.contains("moment, N m s"), "{shown}");

    let connection = rusqlite::Connection::open(folder.join("a.db")).unwrap();
    let mut statement = connection.prepare("SELECT * FROM surfaces").unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>());
    let rows: Vec<Vec<Value>> = rows.unwrap().map(Result::unwrap).collect();
    assert_eq!(rows, surface_rows(&solved));

    for (change, says) in [
        ("UPDATE surfaces SET moment_z = moment_z + 1e-9 WHERE contact = 2", "surfaces, row 1, moment_z"),
        ("UPDATE surfaces SET spins = 1 - spins WHERE contact = 2", "surfaces, row 1, spins"),
        ("UPDATE surfaces SET mu_across = NULL", "surfaces, row 0, mu_across"),
        ("DELETE FROM surfaces WHERE contact = 2", "surfaces: row 1 is missing"),
    ] {
        std::fs::copy(folder.join("a.db"), folder.join("b.db")).unwrap();
        rusqlite::Connection::open(folder.join("b.db")).unwrap().execute_batch(change).unwrap();
        let output = stiction(&folder, &["replay", "b.db"]);
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(1) && told.contains(says), "{change}: {told}");
    }
}

/// An outcome's digest has the moments: one that was changed on the way is noticed.
#[test]
fn a_dump_with_another_digest_of_moments_ends_differently() {
    let folder = folder("moments-digest");
    let mut recorder = FlightRecorder::<20_000, SixRows>::empty();
    let (bodies, ..) = solved_on_surfaces(&mut recorder);
    let mut dump = recorder.pieces().0.to_vec();
    let outcome = dump.len() - 32;
    // The digest of the velocities alone, as an outcome without moments has it.
    dump[outcome + 20..outcome + 28].copy_from_slice(&stiction::record::digest(&bodies).to_le_bytes());
    let words = dump[outcome..outcome + 28].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let sum = words.fold(0x811c_9dc5_u32, |h, word| (h ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
    dump[outcome + 28..].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(folder.join("dump"), &dump).unwrap();
    let line = answer(&folder, &["import", "dump", "a.db"]);
    assert!(line.contains("1 solves, 0 that never ended, 1 that end differently here"), "{line}");
    let output = stiction(&folder, &["replay", "a.db"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && told.contains("the digest of all velocities and moments"), "{told}");
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

/// Flips random bits of a database: if neither reading nor playing back reports an error, every figure is as recorded.
#[test]
fn recordings_with_flipped_bits_are_reported_or_keep_their_figures() {
    let folder = folder("flipped");
    answer(&folder, &["run", "stack-4", "--seconds", "0.1", "--record", "good.db"]);
    let (good, path) = (std::fs::read(folder.join("good.db")).unwrap(), folder.join("flipped.db"));
    let (genuine, _) = frames_of(&folder.join("good.db"));
    let (mut rng, mut reported, mut same) = (Rng::new(41), 0, 0);
    for _ in 0..effort::cases(300, 1_000) {
        let (mut file, at) = (good.clone(), rng.below(good.len()));
        file[at] ^= 1 << rng.below(8);
        std::fs::write(&path, &file).unwrap();
        let (frames, line) = frames_of(&path);
        if line.is_some() || reported_by_replay(&path).is_some() {
            reported += 1;
            continue;
        }
        assert!(frames == genuine, "byte {at} of {}", good.len());
        same += 1;
    }
    println!("{reported} flips reported, {same} in bytes that are not read");
    assert!(reported > 10 && same > 10);
}

/// A forged value in any column of the tables of frames is reported by a replay, with its frame, table and column.
#[test]
fn forged_tables_are_reported_with_frame_and_column() {
    let folder = folder("forged");
    for precision in ["f32", "f64"] {
        let good = format!("{precision}.db");
        let run =
            ["run", "slide-45-fast", "--seconds", "0.4", "--precision", precision, "--history", "--record", &good];
        answer(&folder, &run);
        assert!(answer(&folder, &["replay", &good]).contains("every bit the same"));
        let connection = rusqlite::Connection::open(folder.join(&good)).unwrap();
        let mut forged = 0;
        for table in ["frames", "bodies", "contacts", "reports", "history"] {
            let statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
            for column in statement.column_names() {
                // Keys: their rows would be those of another frame.
                let is_key = ["frame", "substep", "body", "contact", "stop"].contains(&column);
                if is_key || (column == "island" && table != "contacts") {
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
        assert_eq!(forged, 33 + 13 + 35 + 22 + 4, "{precision}");
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

/// A frame in the terminal and as a picture; a dump as well.
#[test]
fn frames_of_a_recording_are_shown() {
    let folder = folder("inspect");
    answer(&folder, &["run", "bounce-then-slide", "--seconds", "0.5", "--record", "a.db"]);
    let all = answer(&folder, &["inspect", "a.db"]);
    assert!(all.starts_with("bounce-then-slide, f64: 30 frames\n"), "{all}");
    // A heading, a line for each frame, and what to look at.
    assert!(all.lines().filter(|line| line.contains("converged")).count() == 30, "{all}");
    let most = all.lines().find_map(|line| line.strip_prefix("most sweeps: frame ")).expect("the hardest frame");
    let hardest = most.split(',').next().expect("a number");
    let shown = answer(&folder, &["inspect", "a.db", "--frame", hardest, "--svg", "a.svg"]);
    println!("{shown}");
    // The worst frame is the impact; it has the cube's four corners, and its history ends where its report does.
    let connection = rusqlite::Connection::open(folder.join("a.db")).unwrap();
    let query = format!("SELECT residual, sweeps FROM frames WHERE frame = {hardest}");
    let (residual, sweeps): (f64, u32) =
        connection.query_row(&query, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for words in [
        format!("frame {hardest} of 30"),
        "work, J     load 0".into(),
        "K_nt/K_nn".into(),
        "floor, cube  slide".into(),
        "impulse change, N s".into(),
        format!("  {sweeps}  {residual:.2e}  "),
    ] {
        assert!(shown.contains(&words), "{words} is not in: {shown}");
    }
    let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    for words in ["Impulse of each contact", "Relative residual", "frictionless"] {
        assert!(svg.contains(words), "{words} is not in the picture");
    }
    for (words, says) in [
        (&["inspect", "a.db", "--frame", "31"][..], "--frame: 31, a.db has frames 1 to 30"),
        (&["inspect", "a.db", "--frame", "0"], "--frame: 0, a.db has frames 1 to 30"),
        (&["inspect", "a.db", "--svg", "x.svg"], "--svg: only with --frame"),
        (&["inspect", "a.db", "--frame", "1", "--svg", "x.txt"], "x.txt: pictures are .svg or .png"),
        (&["inspect"], "FILE.db: no file given"),
        (&["inspect", "none.db"], "none.db: no such file"),
        (&["run", "stack-4", "--history"], "--history: only with --record"),
    ] {
        assert_eq!(error(&folder, words), says);
    }
}

/// Changes that leave every single row as it could be: other orders, other scenes, other kinds of recording.
#[test]
fn forged_runs_are_reported() {
    let folder = folder("forged-runs");
    for (file, scene, precision) in
        [("run.db", "stack-4", "f64"), ("single.db", "stack-4", "f32"), ("slide.db", "slide-45-slow", "f64")]
    {
        answer(&folder, &["run", scene, "--seconds", "0.5", "--precision", precision, "--record", file]);
    }
    let swapped: String = ["frames", "bodies", "solves", "contacts", "reports"]
        .map(|table| {
            let update = |from: i32, to: i32| format!("UPDATE {table} SET frame = {to} WHERE frame = {from};");
            update(5, 99) + &update(20, 5) + &update(99, 20)
        })
        .concat()
        + "UPDATE frames SET time = frame / 60.0;";
    for (change, says) in [
        // A step in another precision, so that reports cannot be added.
        (
            "INSERT INTO solves SELECT frame, 2, blocks, states FROM single.solves WHERE frame = 10; UPDATE frames SET kinetic = -777 WHERE frame = 10",
            "frame 10, substep 2: not a step of this run",
        ),
        ("UPDATE about SET value = 'dump' WHERE key = 'kind'", "rows that belong to no solve"),
        (
            "UPDATE about SET value = 'dump' WHERE key = 'kind'; DELETE FROM frames; DELETE FROM body_names; UPDATE bodies SET x = x + 100",
            "body_names: row 0 is missing",
        ),
        (&swapped, "what the step begins with: position."),
        (
            "UPDATE about SET value = (SELECT value FROM slide.about WHERE key = 'scene') WHERE key = 'scene'",
            "body_names, row 1, name: recorded box 1, computed cube",
        ),
        (
            "UPDATE about SET value = replace(value, '\"mu\":0.5', '\"mu\":0.4') WHERE key = 'scene'",
            "masses, loads or surfaces",
        ),
        (
            "UPDATE about SET value = replace(value, '\"gravity\":[0.0,0.0,-9.81]', '\"gravity\":[0.0,0.0,-9.0]') WHERE key = 'scene'",
            "the settings that the step begins with",
        ),
        ("UPDATE about SET value = 'f32' WHERE key = 'precision'", "not a step of this run"),
        ("UPDATE about SET value = '4' WHERE key = 'substeps'", "about, substeps: recorded 4, computed"),
        (
            "UPDATE about SET value = '1' WHERE key = 'dt'; UPDATE frames SET time = frame",
            "about, dt: recorded 1, computed",
        ),
        ("UPDATE body_names SET name = 'x' WHERE body = 1", "body_names, row 1, name: recorded x"),
        ("UPDATE body_names SET inverse_mass = 9 WHERE body = 1", "body_names, row 1, inverse_mass: recorded 9"),
        ("UPDATE body_names SET cx = 1; UPDATE bodies SET x = x - 1", "body_names, row 0, cx: recorded 1"),
        (
            "INSERT INTO contacts SELECT frame, 2, contact, island, feature, body_a, body_b, nx, ny, nz, rax, ray, raz, rbx, rby, rbz, t1x, t1y, t1z, t2x, t2y, t2z, depth, restitution, mu, 99999, bounce_impulse, t1_impulse, t2_impulse, pre_impact_normal_velocity, state, coupling, condition, block_replaced, sliding_x, sliding_y, sliding_z, sliding_frames FROM contacts",
            "contacts has rows that belong to no solve",
        ),
        (
            "INSERT INTO bodies SELECT 31, body, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz FROM bodies WHERE frame = 30",
            "bodies has rows that belong to no solve",
        ),
        (
            "DELETE FROM frames; DELETE FROM bodies; DELETE FROM solves; DELETE FROM contacts; DELETE FROM reports",
            "no solve in it",
        ),
        (
            "UPDATE solves SET blocks = CAST(blocks || (SELECT blocks FROM solves WHERE frame = 3) AS BLOB) WHERE frame = 4",
            "not one input",
        ),
        (
            "UPDATE solves SET blocks = CAST(substr(blocks, 1, length(blocks) - 32) || (SELECT substr(blocks, length(blocks) - 31) FROM solves WHERE frame = 3) AS BLOB) WHERE frame = 4",
            "frame 4, substep 1: differs first in the digest",
        ),
        ("UPDATE solves SET frame = 0 WHERE frame = 1", "solves are missing"),
    ] {
        std::fs::copy(folder.join("run.db"), folder.join("bad.db")).unwrap();
        let connection = rusqlite::Connection::open(folder.join("bad.db")).unwrap();
        for other in ["single", "slide"] {
            let path = folder.join(format!("{other}.db"));
            connection.execute(&format!("ATTACH ?1 AS {other}"), [path.to_str().unwrap()]).unwrap();
        }
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        drop(connection);
        let output = stiction(&folder, &["replay", "bad.db"]);
        let reported = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)) && reported.contains(says), "{change}: {reported}");
    }
    // What a killed run leaves: a shorter run, and the replay says so.
    let connection = rusqlite::Connection::open(folder.join("run.db")).unwrap();
    for table in ["bodies", "contacts", "reports", "solves", "frames"] {
        connection.execute(&format!("DELETE FROM {table} WHERE frame > 10"), []).unwrap();
    }
    let line = answer(&folder, &["replay", "run.db"]);
    assert_eq!(line, "run.db: 10 of 30 planned frames, 10 solves, every bit the same\n");
}
