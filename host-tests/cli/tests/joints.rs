//! Joints of scenes: their fields, what is rejected, and what the command prints and writes.

use serde_json::{Value, json};
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::joints::{AnchorEntry, AxisEntry, SceneJoint, WORLD};
use stiction_cli::rig::run::{Plan, run};
use stiction_cli::rig::scene::{Scene, SceneBody};
use stiction_cli::rig::scenes::{ALL, find};
use stiction_cli::rig::shape::Shape;
use stiction_cli::rig::simulation::{MOST_JOINTS, Precision, simulate};

use crate::tool::{answer, error, folder};

/// A scene of two balls, one above the other, with joints.
fn with(joints: &Value) -> String {
    let ball = |name: &str, z: f64| json!({ "name": name, "shape": { "sphere": { "radius": 0.1 } }, "mass": 1, "position": [0, 0, z] });
    let wall = json!({ "shape": { "box": { "half_extents": [1, 1, 1] } }, "fixed": true, "position": [5, 0, 0] });
    json!({ "seconds": 0.5, "bodies": [ball("upper", 2.0), ball("lower", 1.0), wall], "joints": joints }).to_string()
}

/// A joint between the balls with a field of a kind.
fn of_kind(kind: &str, fields: &Value) -> Value {
    json!([{ "a": "upper", "b": "lower", kind: fields }])
}

/// A hinge of the lower ball to the world with more fields.
fn hinge_with(more: Value) -> Value {
    let mut hinge = json!({ "anchor": [0, 0, 2], "axis": [0, 1, 0] });
    let (Value::Object(fields), Value::Object(more)) = (&mut hinge, more) else { panic!("objects") };
    fields.extend(more);
    json!([{ "a": "world", "b": "lower", "hinge": hinge }])
}

fn summary_of(json: &str, name: &str) -> Value {
    let folder = folder(name);
    std::fs::write(folder.join("scene.json"), json).unwrap();
    answer(&folder, &["run", "scene.json", "--summary", "summary.json"]);
    serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn every_kind_runs_and_is_summarised() {
    let (above, below) = (json!([0, 0, 2]), json!([0, 0, 1]));
    let cases = [
        ("ball", json!({ "anchor": above }), 0.0),
        ("hinge", json!({ "anchor": above, "axis": [0, 1, 0] }), 0.0),
        ("slider", json!({ "anchor": above, "axis": [0, 0, 1], "limits": [-0.25, 1] }), -0.25),
        ("fixed", json!({ "anchor": above }), 0.0),
        ("distance", json!({ "anchor_a": above, "anchor_b": below }), 1.0),
        ("distance", json!({ "anchor_a": above, "anchor_b": below, "length": 1.0 }), 1.0),
        ("rope", json!({ "anchor_a": above, "anchor_b": below, "length": 1.5 }), 1.5),
        (
            "spring",
            json!({ "anchor_a": above, "anchor_b": below, "rest": 1, "stiffness": 9810, "damping": 500 }),
            1.001,
        ),
    ];
    for (kind, fields, position) in cases {
        let mut scene: Value =
            serde_json::from_str(&with(&json!([{ "name": "it", "a": "world", "b": "lower", kind: fields }]))).unwrap();
        scene["seconds"] = json!(3);
        let joint = &summary_of(&scene.to_string(), "every_kind")["joints"][0];
        assert_eq!(joint["name"], "it");
        assert!(joint["error"].as_f64().unwrap() < 1e-3, "{kind}: {joint}");
        assert!((joint["position"].as_f64().unwrap() - position).abs() < 2e-3, "{kind}: {joint}");
    }
}

#[test]
fn motors_springs_and_friction_act_on_the_axis() {
    let position = |more| summary_of(&with(&hinge_with(more)), "axis")["joints"][0]["position"].as_f64().unwrap();
    let off = position(json!({}));
    assert!(off.abs() < 1e-9, "{off}");
    assert!((position(json!({ "motor": { "speed": 2, "max": 1000 } })) - 1.0).abs() < 0.02);
    let servo = json!({ "motor": { "position": 0.5, "stiffness": 1e5, "damping": 1e4, "max": 1e4 } });
    assert!((position(servo) - 0.5).abs() < 0.02);
    assert!((position(json!({ "spring": { "rest": 0.5, "stiffness": 1e5, "damping": 1e4 } })) - 0.5).abs() < 0.02);
    let held = position(json!({ "motor": { "speed": 2, "max": 1 }, "friction": 5 }));
    assert!(held.abs() < 1e-6, "{held}");
}

#[test]
fn connected_bodies_touch_only_if_they_collide() {
    // A ball that a slider guides down on a fixed box.
    let contacts = |collide: bool| {
        let floor = json!({ "name": "floor", "shape": { "box": { "half_extents": [1, 1, 1] } }, "fixed": true });
        let ball = json!({ "shape": { "sphere": { "radius": 0.1 } }, "mass": 1, "position": [0, 0, 1.2] });
        let slider = json!({ "anchor": [0, 0, 1.2], "axis": [0, 0, 1] });
        let joint = json!({ "a": "floor", "b": "body 1", "slider": slider, "collide": collide });
        let scene = json!({ "seconds": 1, "bodies": [floor, ball], "joints": [joint] });
        summary_of(&scene.to_string(), "collide")["contacts"]["max"].as_u64().unwrap()
    };
    assert_eq!((contacts(false), contacts(true)), (0, 1));
}

fn bad_joints() -> Vec<(Value, &'static str)> {
    let hinge = json!({ "anchor": [0, 0, 2], "axis": [0, 1, 0] });
    let ball = json!({ "anchor": [0, 0, 2] });
    let line = |more: Value| {
        let mut fields = json!({ "anchor_a": [0, 0, 2], "anchor_b": [0, 0, 1] });
        let (Value::Object(all), Value::Object(more)) = (&mut fields, more) else { panic!("objects") };
        all.extend(more);
        fields
    };
    let servo = |damping: f64| json!({ "position": 1, "stiffness": 1, "damping": damping, "max": 1 });
    vec![
        (json!({}), "joints"),
        (json!([[]]), "joints[0]: must be an object"),
        (json!([{ "a": "upper", "b": "lower" }]), "joints[0]: must have one of ball, hinge"),
        (
            json!([{ "a": "upper", "b": "lower", "ball": ball, "hinge": hinge }]),
            "joints[0]: must have one of ball, hinge",
        ),
        (json!([{ "a": "upper", "b": "lower", "ball": ball, "ropes": 1 }]), "joints[0].ropes: unknown field `ropes`"),
        (json!([{ "a": "upper", "b": "lower", "screw": ball }]), "joints[0]: must have one of"),
        (json!([{ "a": "upper", "ball": ball }]), "joints[0]: missing field `b`"),
        (json!([{ "a": "uper", "b": "lower", "ball": ball }]), "joints[0].a: no body is named uper"),
        (json!([{ "a": "upper", "b": "body 3", "ball": ball }]), "joints[0].b: no body is named body 3"),
        (json!([{ "a": "upper", "b": "upper", "ball": ball }]), "joints[0].b: is the same body as a"),
        (json!([{ "a": "world", "b": "world", "ball": ball }]), "joints[0].b: is the same body as a"),
        (json!([{ "a": "world", "b": "body 2", "ball": ball }]), "joints[0]: neither body can move"),
        (json!([{ "a": "upper", "b": "lower", "ball": null }]), "joints[0].ball: must be an object"),
        (of_kind("ball", &json!([[0, 0, 2]])), "joints[0].ball: must be an object"),
        (of_kind("ball", &json!({})), "joints[0].ball: missing field `anchor`"),
        (of_kind("ball", &json!({ "anchor": [0, 0] })), "joints[0].ball.anchor"),
        (of_kind("ball", &json!({ "anchor": [0, 0, 1e300] })), "joints[0].ball.anchor: "),
        (
            of_kind("ball", &json!({ "anchor": [0, 0, 2], "axis": [0, 0, 1] })),
            "joints[0].ball.axis: unknown field `axis`",
        ),
        (of_kind("fixed", &json!({ "anchor": [0, "a", 0] })), "joints[0].fixed.anchor[1]"),
        (of_kind("slider", &json!({ "anchor": [0, 0, 2], "axis": [0, 0, 0] })), "joints[0].slider.axis: length 0"),
        (of_kind("distance", &line(json!({ "length": -1 }))), "joints[0].distance.length: -1 is below"),
        (
            of_kind("distance", &json!({ "anchor_a": [0, 0, 1], "anchor_b": [0, 0, 1] })),
            "joints[0].distance.length: 0 is below",
        ),
        (of_kind("rope", &line(json!({}))), "joints[0].rope: missing field `length`"),
        (of_kind("rope", &line(json!({ "length": -1 }))), "joints[0].rope.length: -1 is below 0"),
        (of_kind("spring", &line(json!({ "rest": -1, "stiffness": 1, "damping": 1 }))), "joints[0].spring.rest: "),
        (of_kind("spring", &line(json!({ "rest": 1, "stiffness": -1, "damping": 1 }))), "joints[0].spring.stiffness: "),
        (of_kind("spring", &line(json!({ "rest": 1, "stiffness": 1 }))), "joints[0].spring: missing field `damping`"),
        (hinge_with(json!({ "axis": [0, 2, 0] })), "joints[0].hinge.axis: length 2, must be 1"),
        (hinge_with(json!({ "axis": [0, 1e300, 0] })), "joints[0].hinge.axis: "),
        (hinge_with(json!({ "limits": [1, -1] })), "joints[0].hinge.limits: the lower one, 1, is above"),
        (hinge_with(json!({ "limits": [1] })), "joints[0].hinge.limits"),
        (hinge_with(json!({ "friction": -1 })), "joints[0].hinge.friction: -1 is below 0"),
        (hinge_with(json!({ "motor": { "speed": 1 } })), "joints[0].hinge.motor: missing field `max`"),
        (hinge_with(json!({ "motor": { "speed": 1, "max": -1 } })), "joints[0].hinge.motor.max: -1 is below 0"),
        (hinge_with(json!({ "motor": { "max": 1 } })), "joints[0].hinge.motor: must have speed"),
        (
            hinge_with(json!({ "motor": { "speed": 1, "position": 1, "max": 1 } })),
            "joints[0].hinge.motor: must have speed",
        ),
        (hinge_with(json!({ "motor": servo(-1.0) })), "joints[0].hinge.motor.damping: -1 is below 0"),
        (hinge_with(json!({ "motor": [1, 2] })), "joints[0].hinge.motor: must be an object"),
        (
            hinge_with(json!({ "spring": { "rest": 0, "stiffness": -1, "damping": 0 } })),
            "joints[0].hinge.spring.stiffness: ",
        ),
        (hinge_with(json!({ "spring": [0, 1, 0] })), "joints[0].hinge.spring: must be an object"),
    ]
}

#[test]
fn bad_joints_are_rejected_by_name_and_nothing_is_written() {
    let folder = folder("bad_joints");
    for (joints, expected) in bad_joints() {
        std::fs::write(folder.join("scene.json"), with(&joints)).expect("a writable folder");
        for precision in ["f32", "f64"] {
            let words = ["run", "scene.json", "--precision", precision, "--summary", "s.json", "--plot", "p.svg"];
            let line = error(&folder, &words);
            assert!(line.starts_with(expected), "{joints}: {line}");
        }
    }
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, 1, "an error left a file behind");
    // JSON has no NaN; a number that overflows is rejected where it is read.
    std::fs::write(folder.join("scene.json"), with(&hinge_with(json!({ "friction": 7.25 }))).replace("7.25", "1e999"))
        .unwrap();
    assert!(error(&folder, &["run", "scene.json"]).contains("out of range"));
    let mut scene = Scene::parse(&with(&hinge_with(json!({})))).unwrap();
    scene.joints[0].hinge.as_mut().unwrap().anchor[1] = f64::NAN;
    let line = simulate(&scene, Precision::Double).err().unwrap();
    assert_eq!(line, "joints[0].hinge.anchor: must be a finite number");
}

#[test]
fn names_of_bodies_must_be_clear() {
    let folder = folder("joint_names");
    let scene = |names: [&str; 2], a: &str| {
        let ball = |name: &str, z: f64| json!({ "name": name, "shape": { "sphere": { "radius": 0.1 } }, "mass": 1, "position": [0, 0, z] });
        let joint = json!({ "a": a, "b": "body 2", "ball": { "anchor": [0, 0, 0] } });
        json!({ "bodies": [ball(names[0], 1.0), ball(names[1], 2.0), ball("", 3.0)], "joints": [joint], "seconds": 0.1 }).to_string()
    };
    for (names, a, expected) in [
        (["x", "x"], "x", "joints[0].a: 2 bodies are named x"),
        (["x", "world"], "world", "bodies[1].name: world is the name of the immovable body that joints have"),
        (["x", "y"], "z\ny", "joints[0].a: no body is named z y"),
    ] {
        std::fs::write(folder.join("scene.json"), scene(names, a)).unwrap();
        assert_eq!(error(&folder, &["run", "scene.json"]), expected);
    }
    // Names that no joint uses do not matter, and a body without a name is called by its number.
    std::fs::write(folder.join("scene.json"), scene(["world", "y"], "y")).unwrap();
    answer(&folder, &["run", "scene.json"]);
}

/// Where the ball of `ball-rolls-out` is at the end of the scene.
fn rolled(scene: &Scene) -> [f64; 3] {
    let plan = Plan { title: String::new(), scene: scene.clone(), precision: Precision::Double, record: None };
    let summary = run(&plan, Detail::Figures, |_| ()).unwrap();
    summary.bodies.iter().find(|body| body.name == "ball").unwrap().position
}

#[test]
fn bodies_with_joints_have_friction_beyond_sliding() {
    let free = find("ball-rolls-out").unwrap();
    let far = rolled(&free);
    let with = |other: SceneBody, joint: SceneJoint| {
        let mut scene = free.clone();
        scene.bodies.push(other);
        scene.joints.push(joint);
        rolled(&scene)
    };
    let pendulum = find("pendulum").unwrap();
    // A pendulum elsewhere changes no bit. It is as thick as the ball: settings follow the smallest extent.
    let bob = SceneBody { shape: Shape::Box { half_extents: [0.5; 3] }, ..pendulum.bodies[0].clone() };
    assert_eq!(with(bob, pendulum.joints[0].clone()), far);
    // A ball with a light body on its axle rolls as far as alone; without rolling friction it would be elsewhere.
    let ball = free.bodies.iter().find(|body| body.name == "ball").unwrap();
    let rider = SceneBody { name: "rider".into(), mass: Some(1e-4), rolling: 0.0, ..ball.clone() };
    let axle = AxisEntry { anchor: ball.position, axis: [0.0, 1.0, 0.0], ..AxisEntry::default() };
    let hinge = SceneJoint { hinge: Some(axle), ..SceneJoint::between("axle", "ball", "rider") };
    let carried = with(rider, hinge);
    let apart = (0..3).map(|k| (carried[k] - far[k]).abs()).fold(0.0, f64::max);
    println!("alone {far:?} m, with a rider {apart:.1e} m from there");
    assert!(apart < 1e-2, "{apart}");
}

#[test]
fn too_many_joints_or_bodies_are_rejected() {
    let mut scene = find("pendulum").unwrap();
    let joint = scene.joints[0].clone();
    scene.joints = vec![joint; MOST_JOINTS + 1];
    assert_eq!(simulate(&scene, Precision::Double).err().unwrap(), "joints: 257, at most 256 fit");
    let mut scene = find("pendulum").unwrap();
    let body = scene.bodies[0].clone();
    scene.bodies.resize(512, stiction_cli::rig::scene::SceneBody { name: String::new(), ..body });
    assert_eq!(
        simulate(&scene, Precision::Double).err().unwrap(),
        "bodies: 512 and joints to the world, at most 511 fit"
    );
}

#[test]
fn summaries_have_joints_only_where_the_scene_has_some() {
    for named in ALL {
        let mut scene = named.scene();
        scene.seconds = 0.05;
        let mut run = simulate(&scene, Precision::Single).unwrap();
        run.step(Detail::Figures).unwrap();
        assert_eq!(run.joints().len(), scene.joints.len(), "{}", named.name);
        assert_eq!(run.bodies().len(), scene.bodies.len(), "{}", named.name);
    }
    let folder = folder("joint_keys");
    for (name, count) in [("stack-4", None), ("car", Some(4))] {
        let printed = answer(&folder, &["run", name, "--seconds", "0.1", "--summary", "s.json"]);
        let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("s.json")).unwrap()).unwrap();
        assert_eq!(summary.get("joints").map(|joints| joints.as_array().unwrap().len()), count);
        assert_eq!(printed.contains("\njoints        4, at most "), count.is_some(), "{printed}");
    }
}

#[test]
fn scenes_with_joints_have_the_same_bits_when_run_again_and_survive_json() {
    for name in ["chain", "car"] {
        for precision in [Precision::Single, Precision::Double] {
            let scene = find(name).unwrap();
            let again = Scene::parse(&serde_json::to_string(&scene).unwrap()).unwrap();
            assert_eq!(again, scene);
            let digests = [scene, again].map(|scene| {
                let mut run = simulate(&scene, precision).unwrap();
                (0..30).for_each(|_| drop(run.step(Detail::Figures).unwrap()));
                run.digest()
            });
            assert_eq!(digests[0], digests[1], "{name}");
        }
    }
}

#[test]
fn pictures_show_joints() {
    let folder = folder("joint_pictures");
    answer(&folder, &["run", "chain", "--seconds", "0.5", "--plot", "a.svg"]);
    let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    // Ten joints in six moments.
    assert!(svg.matches("r=\"2.50\"").count() >= 60, "{}", svg.matches("r=\"2.50\"").count());
}

#[test]
fn a_joint_made_in_rust_needs_exactly_one_kind() {
    let mut scene = find("pendulum").unwrap();
    scene.joints = vec![SceneJoint::between("none", WORLD, "rod")];
    let expected = "joints[0]: must have one of ball, hinge, slider, fixed, distance, rope, spring";
    assert_eq!(simulate(&scene, Precision::Single).err().unwrap(), expected);
    scene.joints[0].ball = Some(AnchorEntry { anchor: [0.0; 3] });
    scene.joints[0].hinge = Some(AxisEntry { axis: [0.0, 0.0, 1.0], ..AxisEntry::default() });
    assert_eq!(simulate(&scene, Precision::Single).err().unwrap(), expected);
}
