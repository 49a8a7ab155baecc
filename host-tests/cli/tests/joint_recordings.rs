//! Recordings of scenes with joints: what they hold, replays, forged rows, dumps, and what is shown of them.

use std::path::Path;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use stiction::record::{JointRecord, RecordedBlock, blocks};
use stiction::{
    FlightRecorder, Hooks, Joint, JointAxis, JointKind, JointWork, Jointed, KeptJoint, Motor, Observer, Pipeline, Real,
    RigidBody, SixRows, StepSettings, Surface, World, manifolds,
};
use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::reading::read;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::simulation::{LARGEST, Precision, simulate};
use stiction_testkit::capacity::direct_memory_for;

use crate::tool::{answer, folder, stiction};

/// Every kind of joint in a scene, and what can act along an axis. A box falls beside them and bounces, so that frames
/// have several parts.
fn every_kind() -> String {
    let ball = |name: &str, x: f64, z: f64| json!({ "name": name, "shape": { "sphere": { "radius": 0.1 } }, "mass": 1, "position": [x, 0, z] });
    let up = |x: f64| json!([x, 0, 2]);
    let at = |x: f64| json!([x, 0, 1]);
    let joint = |name: &str, b: &str, kind: &str, fields: serde_json::Value| json!({ "name": name, "a": "world", "b": b, kind: fields });
    let floor = json!({ "name": "floor", "fixed": true, "shape": { "half_space": { "normal": [0, 0, 1] } } });
    let dropped = json!({ "name": "dropped", "shape": { "box": { "half_extents": [0.1, 0.1, 0.1] } }, "mass": 1,
        "position": [-2, 0, 0.3], "restitution": 0.5, "linear": [0, 0, -1] });
    let mut bodies = vec![floor, dropped];
    bodies.extend(BODIES.iter().enumerate().map(|(i, name)| ball(name, i as f64, 1.0)));
    let servo = json!({ "position": 0.5, "stiffness": 50, "damping": 5, "max": 20 });
    let speed = json!({ "speed": 3, "max": 12 });
    let joints = json!([
        joint("ball", "balled", "ball", json!({ "anchor": [0.3, 0, 1.5] })),
        joint(
            "hinge",
            "turned",
            "hinge",
            json!({ "anchor": [1.3, 0, 1], "axis": [0, 1, 0], "limits": [-0.5, 0.25], "friction": 0.1, "motor": servo })
        ),
        joint(
            "crank",
            "driven",
            "hinge",
            json!({ "anchor": up(2.0), "axis": [0, 1, 0], "motor": speed, "spring": { "rest": 0.1, "stiffness": 2, "damping": 0.1 } })
        ),
        joint("slider", "slid", "slider", json!({ "anchor": at(3.0), "axis": [0, 0, 1], "limits": [-0.2, 1] })),
        joint("fixed", "held", "fixed", json!({ "anchor": up(4.0) })),
        joint("distance", "rod", "distance", json!({ "anchor_a": [5.5, 0, 1.5], "anchor_b": at(5.0) })),
        joint("rope", "roped", "rope", json!({ "anchor_a": up(6.0), "anchor_b": at(6.0), "length": 1.1 })),
        joint(
            "",
            "sprung",
            "spring",
            json!({ "anchor_a": up(7.0), "anchor_b": at(7.0), "rest": 0.9, "stiffness": 100, "damping": 1 })
        ),
    ]);
    json!({ "seconds": 0.5, "bodies": bodies, "joints": joints }).to_string()
}

/// The kinds of all joints there, and the bodies that they connect to the world.
const KINDS: [&str; 8] = ["ball", "hinge", "hinge", "slider", "fixed", "distance", "rope", "spring"];
const BODIES: [&str; 8] = ["balled", "turned", "driven", "slid", "held", "rod", "roped", "sprung"];

fn count(connection: &Connection, what: &str) -> usize {
    connection.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0)).unwrap()
}

/// Records a scene of a file or a name, and replays it; returns the database.
fn recorded(folder: &Path, scene: &str, more: &[&str], file: &str) -> Connection {
    answer(folder, &[&["run", scene, "--record", file], more].concat());
    let line = answer(folder, &["replay", file]);
    assert!(line.ends_with("solves, every bit the same\n"), "{scene}: {line}");
    Connection::open(folder.join(file)).unwrap()
}

#[test]
fn a_scene_with_every_kind_is_recorded_and_replays_to_the_bit() {
    let folder = folder("every-kind-recorded");
    std::fs::write(folder.join("scene.json"), every_kind()).unwrap();
    for precision in ["f32", "f64"] {
        let more = ["--history", "--precision", precision];
        let connection = recorded(&folder, "scene.json", &more, &format!("{precision}.db"));
        let (solves, joints) = (count(&connection, "solves"), count(&connection, "joints"));
        // The box bounces, which begins another part of a frame.
        assert!(solves > 30 && joints == 8 * solves, "{solves} {joints}");
        for (joint, kind) in KINDS.iter().enumerate() {
            assert_eq!(count(&connection, &format!("joints WHERE joint = {joint} AND kind = '{kind}'")), solves);
        }
        assert_eq!(count(&connection, "joint_names"), 8);
        assert_eq!(count(&connection, "joint_names WHERE joint = 7 AND name = 'joint 7'"), 1);
        // Hinge and slider reach a limit, the rope is tight, and no other kind has one.
        for joint in [1, 3, 6] {
            assert!(count(&connection, &format!("joints WHERE joint = {joint} AND at_limit = 1")) > 0, "{joint}");
        }
        assert_eq!(count(&connection, "joints WHERE at_limit = 1 AND joint NOT IN (1, 3, 6)"), 0);
        assert!(
            count(&connection, "frames WHERE motor_work > 0 AND joint_friction_work < 0 AND spring_energy > 0") > 0
        );
        assert!(count(&connection, "history") >= solves);
        assert_eq!(count(&connection, "pragma_foreign_key_check"), 0);
        assert_eq!(count(&connection, "bodies"), 10 * 30);
    }
}

#[test]
fn built_in_scenes_with_joints_replay_to_the_bit() {
    let folder = folder("joint-replays");
    // Bodies of an island at rest that an arm reaches have a factor before; the ragdoll lands after 0.6 s.
    for (scene, seconds) in [("ragdoll", "1.2"), ("bridge", "0.5"), ("arm", "0.5"), ("chain", "0.25")] {
        for precision in ["f32", "f64"] {
            let file = format!("{scene}-{precision}.db");
            let connection = recorded(&folder, scene, &["--seconds", seconds, "--precision", precision], &file);
            let each = count(&connection, "joint_names");
            assert_eq!(count(&connection, "joints"), each * count(&connection, "solves"), "{scene}");
            assert!(each >= 3 && (scene == "chain" || count(&connection, "contacts") > 0), "{scene}");
        }
    }
}

#[test]
fn joints_are_read_back_as_they_were_in_the_run() {
    let folder = folder("joints-read");
    std::fs::write(folder.join("scene.json"), every_kind()).unwrap();
    recorded(&folder, "scene.json", &[], "a.db");
    let mut frames: Vec<Frame> = Vec::new();
    read(&folder.join("a.db"), |_, _| (), |frame| frames.push(frame)).unwrap();
    let mut run = simulate(&Scene::parse(&every_kind()).unwrap(), Precision::Double).unwrap();
    assert_eq!(frames.len(), 30);
    for read in &frames {
        let now = run.step(Detail::Full).unwrap();
        assert_eq!(read.joints, now.joints, "frame {}", now.number);
        assert_eq!(read.joints.len(), 8);
        // What a frame began with is not recorded.
        let stored_before = read.joint_work.stored_before;
        assert_eq!(read.joint_work, JointWork { stored_before, ..now.joint_work });
        for (read, now) in read.solves.iter().zip(&now.solves) {
            assert_eq!(read.joints, now.joints);
        }
    }
}

/// What the library tells an observer of a step's joints.
struct Told<T: Real>(Vec<Joint<T>>, Vec<KeptJoint<T>>);

impl<T: Real> Observer<T> for Told<T> {
    fn joint(&mut self, record: &JointRecord<'_, T>) {
        match record {
            JointRecord::Count(_) => (),
            JointRecord::Input { joint, .. } => self.0.push(**joint),
            JointRecord::Outcome { kept, .. } => self.1.push(**kept),
        }
    }
}

type Rows = Jointed<8, SixRows>;

/// The columns of `joints` that the library gives as they are.
fn columns_of<T: Real>(joint: &Joint<T>, kept: &KeptJoint<T>) -> Vec<(&'static str, Value)> {
    let real = |value: T| Value::Real(value.to_f64());
    let ([x, y, z], [rx, ry, rz]) = (kept.linear.into(), kept.angular.into());
    let mut columns = vec![
        ("kind", Value::Text(joint.kind.name().into())),
        ("body_a", Value::Integer(joint.a as i64)),
        ("body_b", Value::Integer(joint.b as i64)),
        ("at_limit", Value::Integer(i64::from(kept.is_at_limit))),
        ("impulse_x", real(x)),
        ("impulse_y", real(y)),
        ("impulse_z", real(z)),
        ("angular_x", real(rx)),
        ("angular_y", real(ry)),
        ("angular_z", real(rz)),
    ];
    if joint.kind.axis().is_some() {
        columns.push(("position", real(kept.position)));
    }
    columns
}

/// Anchors, position and distance of a joint by hand, from where the library has its bodies.
fn by_hand<T: Real, const NB: usize>(world: &World<T, NB, Rows>, joint: &Joint<T>, turned: f64) -> [f64; 8] {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    let turn = |body: usize| {
        let q = world.orientations()[body].quaternion().coords.map(T::to_f64);
        UnitQuaternion::from_quaternion(nalgebra::Quaternion::from_vector(q))
    };
    let on_a = wide(&world.positions()[joint.a]) + turn(joint.a) * wide(&joint.anchor_a);
    let on_b = wide(&world.positions()[joint.b]) + turn(joint.b) * wide(&joint.anchor_b);
    let way = on_b - on_a;
    let along = way.dot(&(turn(joint.a) * wide(&joint.axis)));
    let (position, apart) = match joint.kind {
        JointKind::Ball | JointKind::Fixed => (0.0, way.norm()),
        JointKind::Hinge(_) => (turned, way.norm()),
        JointKind::Slider(_) => (along, (way.norm_squared() - along * along).max(0.0).sqrt()),
        JointKind::Distance { length } => (way.norm(), (way.norm() - length.to_f64()).abs()),
        JointKind::Rope { length } => (way.norm(), (way.norm() - length.to_f64()).max(0.0)),
        JointKind::Spring(_) => (way.norm(), 0.0),
    };
    [on_a.x, on_a.y, on_a.z, on_b.x, on_b.y, on_b.z, position, apart]
}

/// Takes every recorded step again with the library alone, and compares all columns of joints and of their work.
fn compare_all<T: Real>(connection: &Connection, precision: f64) -> usize {
    let mut statement =
        connection.prepare("SELECT frame, substep, blocks FROM solves ORDER BY frame, substep").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let steps: Vec<(u64, u64, Vec<u8>)> = rows.collect::<Result<_, _>>().unwrap();
    let mut world = Box::new(World::<T, 16, Rows>::empty());
    let mut pipeline = Box::new(Pipeline::<T, 16, 32, 64, Rows>::with_factor_memory(StepSettings::default()));
    let mut memory = direct_memory_for::<T>(LARGEST.1).unwrap();
    let (mut values, mut sum) = (0, [0.0; 4]);
    for (at, (frame, substep, bytes)) in steps.iter().enumerate() {
        let Some(Ok(RecordedBlock::Step(step))) = blocks(bytes).next() else { panic!("frame {frame}: no step") };
        let mut told = Told(Vec::new(), Vec::new());
        step.step(None, &mut world, &mut pipeline, Some(memory.view()), Some(&mut told)).unwrap();
        let mut statement =
            connection.prepare_cached("SELECT * FROM joints WHERE frame = ?1 AND substep = ?2").unwrap();
        let names: Vec<String> = statement.column_names().map(ToString::to_string).collect();
        assert_eq!(names.len(), 22);
        let mut rows = statement.query([frame, substep]).unwrap();
        for (index, (joint, kept)) in told.0.iter().zip(&told.1).enumerate() {
            let row = rows.next().unwrap().expect("a row for each joint");
            assert_eq!(row.get::<_, usize>("joint").unwrap(), index);
            for (name, value) in columns_of(joint, kept) {
                let is = row.get::<_, Value>(name).unwrap();
                let is_zero = |value: &Value| *value == Value::Real(0.0);
                assert!(is == value || is_zero(&is) && is_zero(&value), "{frame}, {index}, {name}: {is:?} {value:?}");
                values += 1;
            }
            let expected = by_hand(&world, joint, kept.position.to_f64());
            for (name, value) in ["ax", "ay", "az", "bx", "by", "bz", "position", "apart"].into_iter().zip(expected) {
                let is: f64 = row.get(name).unwrap();
                assert!((is - value).abs() < precision, "{frame}, {index}, {name}: {is:e} {value:e}");
                values += 1;
            }
        }
        assert!(rows.next().unwrap().is_none());
        let JointWork { motor, spring, friction, stored_after, .. } = pipeline.joint_work();
        let [motors, springs, frictions, _] = sum;
        sum =
            [motors + motor.to_f64(), springs + spring.to_f64(), frictions + friction.to_f64(), stored_after.to_f64()];
        if steps.get(at + 1).is_none_or(|(next, ..)| next != frame) {
            let query =
                "SELECT motor_work, spring_work, joint_friction_work, spring_energy FROM frames WHERE frame = ?1";
            let is = connection.query_row(query, [frame], |row| {
                Ok::<[f64; 4], _>([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
            });
            assert_eq!(is.unwrap(), sum, "frame {frame}");
            (sum, values) = ([0.0; 4], values + 4);
        }
    }
    // Parts of a frame divide it, and each has eight substeps at most.
    let of_frame = "(SELECT DISTINCT frame, substep, seconds FROM joints)";
    let longest: f64 =
        connection.query_row(&format!("SELECT max(seconds) FROM {of_frame}"), [], |row| row.get(0)).unwrap();
    assert!((longest * 60.0 * 8.0 - 1.0).abs() < 1e-6, "{longest}");
    values
}

#[test]
fn every_column_of_joints_has_the_value_that_the_library_gives() {
    let folder = folder("joint-columns");
    std::fs::write(folder.join("scene.json"), every_kind()).unwrap();
    for precision in ["f32", "f64"] {
        let file = format!("{precision}.db");
        let connection = recorded(&folder, "scene.json", &["--precision", precision], &file);
        let values = if precision == "f32" {
            compare_all::<f32>(&connection, 1e-6)
        } else {
            compare_all::<f64>(&connection, 1e-12)
        };
        println!("{precision}: {values} values");
        assert!(values > 30 * 8 * 18, "{values}");
    }
}

/// The answer of a replay of a database that was changed.
fn told_of(folder: &Path, good: &str, change: impl FnOnce(&Connection)) -> String {
    std::fs::copy(folder.join(good), folder.join("bad.db")).unwrap();
    let connection = Connection::open(folder.join("bad.db")).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    change(&connection);
    drop(connection);
    let output = stiction(folder, &["replay", "bad.db"]);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// One bit more or less, or another word.
fn with_a_bit_flipped(value: Value) -> Value {
    match value {
        Value::Integer(value) => Value::Integer(value ^ 1),
        Value::Real(value) => Value::Real(f64::from_bits(value.to_bits() ^ 1)),
        _ => Value::Text("rope".into()),
    }
}

#[test]
fn a_flipped_bit_in_a_row_of_joints_is_found_with_table_row_and_column() {
    let folder = folder("joint-bits");
    std::fs::write(folder.join("scene.json"), every_kind()).unwrap();
    for precision in ["f32", "f64"] {
        let good = format!("{precision}.db");
        let connection = recorded(&folder, "scene.json", &["--seconds", "0.1", "--precision", precision], &good);
        let statement = connection.prepare("SELECT * FROM joints").unwrap();
        let names: Vec<String> = statement.column_names().map(ToString::to_string).collect();
        for column in names.iter().skip(3) {
            let told = told_of(&folder, &good, |connection| {
                let of = "frame = 4 AND substep = 1 AND joint = 2";
                let query = format!("SELECT {column} FROM joints WHERE {of}");
                let value: Value = connection.query_row(&query, [], |row| row.get(0)).unwrap();
                let update = format!("UPDATE joints SET {column} = ?1 WHERE {of}");
                assert_eq!(connection.execute(&update, [with_a_bit_flipped(value)]).unwrap(), 1);
            });
            let place = format!("frame 4, substep 1: differs first in joints, row 2, {column}: recorded ");
            assert!(told.contains(&place), "{column}: {told}");
        }
        for (change, says) in [
            (
                "DELETE FROM joints WHERE frame = 3 AND joint = 7",
                "frame 3, substep 1: differs first in joints: row 7 is missing",
            ),
            (
                "UPDATE joints SET joint = 9 WHERE frame = 3 AND joint = 7; INSERT INTO joints SELECT frame, substep, 7, kind, body_a, body_b, ax, ay, az, bx, by, bz, position, apart, at_limit, impulse_x, impulse_y, impulse_z, angular_x, angular_y, angular_z, seconds FROM joints WHERE joint = 9",
                "frame 3, substep 1: differs first in joints: a row too many",
            ),
            (
                "INSERT INTO joints SELECT 99, substep, joint, kind, body_a, body_b, ax, ay, az, bx, by, bz, position, apart, at_limit, impulse_x, impulse_y, impulse_z, angular_x, angular_y, angular_z, seconds FROM joints WHERE frame = 1 AND joint = 1",
                "joints has rows that belong to no solve",
            ),
            (
                "UPDATE joint_names SET name = 'x' WHERE joint = 4",
                "joint_names, row 4, name: recorded x, computed fixed",
            ),
            ("DELETE FROM joint_names WHERE joint = 7", "joint_names: row 7 is missing"),
            (
                "UPDATE frames SET motor_work = motor_work + 1 WHERE frame = 5",
                "differs first in frames, row 0, motor_work: ",
            ),
            ("UPDATE frames SET spring_work = spring_work + 1 WHERE frame = 5", "frames, row 0, spring_work: "),
            ("UPDATE frames SET joint_friction_work = 1 WHERE frame = 5", "frames, row 0, joint_friction_work: "),
            ("UPDATE frames SET spring_energy = 0 WHERE frame = 5", "frames, row 0, spring_energy: "),
            (
                "UPDATE about SET value = replace(value, '\"max\":12', '\"max\":13') WHERE key = 'scene'",
                "frame 1, substep 1: differs first in joints that the step begins with",
            ),
        ] {
            let told = told_of(&folder, &good, |connection| connection.execute_batch(change).unwrap());
            assert!(told.contains(says), "{change}: {told}");
        }
    }
}

/// The checksum of a block of words.
fn seal(block: &mut [u8]) {
    let end = block.len() - 4;
    let words = block[..end].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let sum = words.fold(0x811c_9dc5_u32, |h, word| (h ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
    block[end..].copy_from_slice(&sum.to_le_bytes());
}

/// Steps are a chain: each begins with the impulses and positions of joints of the one before.
#[test]
fn a_step_with_other_impulses_of_joints_than_those_before_is_found() {
    let folder = folder("joint-chain");
    for (precision, bytes) in [("f32", 4), ("f64", 8)] {
        let good = format!("{precision}.db");
        recorded(&folder, "chain", &["--seconds", "0.2", "--precision", precision], &good);
        let told = told_of(&folder, &good, |connection| {
            let query = "SELECT blocks FROM solves WHERE frame = 7";
            let mut blocks: Vec<u8> = connection.query_row(query, [], |row| row.get(0)).unwrap();
            let length = u32::from_le_bytes(blocks[8..12].try_into().unwrap()) as usize;
            // The last numbers of the input are the impulse, the angular impulse and the position of the last joint.
            blocks[length - 4 - 7 * bytes] ^= 1;
            seal(&mut blocks[..length]);
            connection.execute("UPDATE solves SET blocks = ?1 WHERE frame = 7", [blocks]).unwrap();
        });
        let says = "frame 7, substep 1: differs first in what the step begins with: impulse or position of joint 10";
        assert!(told.contains(says), "{told}");
    }
}

/// The cells of a joint's line in what is shown of a frame.
fn shown_joint<'a>(shown: &'a str, name: &str) -> Vec<&'a str> {
    let lines = shown.lines().map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()));
    let cells = lines.map(Iterator::collect).find(|cells: &Vec<&str>| cells.len() == 8 && cells[0] == name);
    cells.unwrap_or_else(|| panic!("{name} is not in: {shown}"))
}

/// Two links on the ground, the first one driven, on a rough ground.
fn steps_of_two_links<T: Real, const BYTES: usize>(recorder: &mut FlightRecorder<BYTES, Jointed<2, SixRows>>) {
    let mut world = World::<T, 3, Jointed<2, SixRows>>::empty();
    let vector = |x: f64, y: f64, z: f64| Vector3::new(x, y, z).map(T::lit);
    world.push(RigidBody::fixed()).unwrap();
    for x in [0.5, 1.5] {
        let body = RigidBody::from_mass(T::ONE, Matrix3::identity() * T::lit(0.1));
        world.push(RigidBody { position: vector(x, 0.0, 0.1), ..body }).unwrap();
    }
    let motor = Some(Motor::Speed { speed: T::ONE, max: T::lit(30.0) });
    let hinge = JointKind::Hinge(JointAxis { motor, ..JointAxis::FREE });
    let at = |x: f64| [vector(x, 0.0, 0.1); 2];
    world.push_joint(world.joint_between(0, 1, hinge, at(0.0), Vector3::z())).unwrap();
    world.push_joint(world.joint_between(1, 2, JointKind::Ball, at(1.0), Vector3::z())).unwrap();
    let surface = Surface { torsion: T::lit(0.02), ..Surface::default() };
    let mut pipeline = Pipeline::<T, 3, 8, 24, Jointed<2, SixRows>>::with_factor_memory(StepSettings::default());
    for _ in 0..5 {
        let mut ground = stiction::Manifold::new(0, 2, Vector3::z());
        let on_b = world.positions()[2] - Vector3::z() * T::lit(0.1);
        let on_a = Vector3::new(on_b.x, on_b.y, T::ZERO);
        let id = stiction::PointId::Feature(0);
        ground.points.push(stiction::ManifoldPoint { on_a, on_b, depth: -on_b.z, id });
        ground.material = Some(stiction::Material { mu: T::lit(0.5), restitution: T::ZERO });
        let hooks = Hooks::with_observer(recorder);
        let dt = T::lit(1.0 / 60.0);
        pipeline.step_with(&mut world, |_, collector| collector.push_on(&ground, &surface), dt, hooks).unwrap();
    }
    // A step without contacts.
    pipeline.step_with(&mut world, manifolds(&[]), T::lit(1.0 / 60.0), Hooks::with_observer(recorder)).unwrap();
}

#[test]
fn a_dump_with_joints_is_imported_shown_and_replayed() {
    let folder = folder("joint-dump");
    for precision in ["f32", "f64"] {
        let mut recorder = Box::new(FlightRecorder::<40_000, Jointed<2, SixRows>>::empty());
        if precision == "f32" {
            steps_of_two_links::<f32, 40_000>(&mut recorder);
        } else {
            steps_of_two_links::<f64, 40_000>(&mut recorder);
        }
        let dump = [recorder.pieces().0, recorder.pieces().1].concat();
        assert_eq!(recorder.dropped(), 0);
        std::fs::write(folder.join("dump"), dump).unwrap();
        let file = format!("{precision}.db");
        let line = answer(&folder, &["import", "dump", &file]);
        assert!(line.contains("6 solves, 0 that never ended, 0 that end differently here"), "{line}");
        assert!(answer(&folder, &["replay", &file]).ends_with("6 solves, every bit the same\n"));
        let connection = Connection::open(folder.join(&file)).unwrap();
        assert_eq!((count(&connection, "joints"), count(&connection, "joint_names")), (12, 0));
        assert_eq!(count(&connection, "surfaces"), 5);
        for (frame, has_contacts) in [("5", true), ("6", false)] {
            let shown = answer(&folder, &["inspect", &file, "--frame", frame]);
            assert_eq!(shown.contains("of its cone"), has_contacts, "{shown}");
            let hinge = shown_joint(&shown, "joint 0");
            assert_eq!(hinge[..3], ["joint 0", "hinge", "0, 1"], "{shown}");
            assert!((0.04..0.2).contains(&hinge[3].parse::<f64>().unwrap()), "{shown}");
            assert_eq!(shown_joint(&shown, "joint 1")[..3], ["joint 1", "ball", "1, 2"], "{shown}");
        }
        let told = told_of(&folder, &file, |connection| {
            connection
                .execute_batch("UPDATE joints SET position = position * 2 WHERE joint = 0 AND frame = 2")
                .unwrap();
        });
        assert!(told.contains("frame 2, substep 1: differs first in joints, row 0, position: "), "{told}");
    }
}

#[test]
fn joints_of_a_recorded_frame_are_shown_and_drawn() {
    let folder = folder("joint-inspect");
    std::fs::write(folder.join("scene.json"), every_kind()).unwrap();
    let connection = recorded(&folder, "scene.json", &[], "a.db");
    let shown = answer(&folder, &["inspect", "a.db", "--frame", "20", "--svg", "a.svg"]);
    let header = ["joint", "kind", "bodies", "position, rad or m", "at limit", "impulse, N s a substep"];
    assert_eq!(shown_joint(&shown, "joint")[..6], header, "{shown}");
    for (joint, kind) in KINDS.into_iter().enumerate() {
        let query = "SELECT name, position, at_limit, impulse_x, impulse_y, impulse_z, apart FROM joints JOIN joint_names \
            USING (joint) WHERE frame = 20 AND joint = ?1 ORDER BY substep DESC";
        let mut statement = connection.prepare_cached(query).unwrap();
        let mut rows = statement.query([joint]).unwrap();
        let row = rows.next().unwrap().unwrap();
        let number = |column: &str| row.get::<_, f64>(column).unwrap();
        let name: String = row.get("name").unwrap();
        let cells = shown_joint(&shown, &name);
        let body = BODIES[joint];
        let at_limit = if row.get("at_limit").unwrap() { "yes" } else { "-" };
        assert_eq!([cells[0], cells[1], cells[2], cells[4]], [&name, kind, &format!("world, {body}"), at_limit]);
        let impulse = Vector3::new(number("impulse_x"), number("impulse_y"), number("impulse_z")).norm();
        for (at, value) in [(3, number("position")), (5, impulse), (7, number("apart"))] {
            let shown: f64 = cells[at].parse().unwrap();
            assert!((shown - value).abs() <= 6e-3 * value.abs(), "{name}, {at}: {shown:e} {value:e}");
        }
    }
    assert!(shown.contains("\nof joints   motors "), "{shown}");
    // Islands of joints alone have a history, too.
    assert!(shown.contains("impulse change, N s"), "{shown}");
    assert!(!answer(&folder, &["inspect", "a.db"]).contains("joint"));
    // A dot at each anchor.
    assert!(std::fs::read_to_string(folder.join("a.svg")).unwrap().matches("r=\"2.50\"").count() >= 8);
    answer(&folder, &["plot", "a.db", "b.svg"]);
    let svg = std::fs::read_to_string(folder.join("b.svg")).unwrap();
    assert!(svg.matches("r=\"2.50\"").count() >= 6 * 8 && svg.contains("The hardest step"), "{svg}");
}

#[test]
fn recordings_without_joints_show_nothing_of_them() {
    let folder = folder("no-joints");
    let connection = recorded(&folder, "stack-4", &["--seconds", "0.1"], "a.db");
    assert_eq!((count(&connection, "joints"), count(&connection, "joint_names")), (0, 0));
    assert_eq!(count(&connection, "frames WHERE motor_work = 0 AND spring_energy = 0"), 6);
    assert!(!answer(&folder, &["inspect", "a.db", "--frame", "3"]).contains("joint"));
}
