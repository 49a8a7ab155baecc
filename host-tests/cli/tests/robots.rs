//! Robots in URDF.

use serde_json::Value;
use stiction_cli::rig::robot::parse;
use stiction_cli::rig::shape::Shape;

use crate::tool::{error, folder, stiction};

const ARM: &str = include_str!("robots/arm.urdf");

#[test]
fn a_robot_becomes_bodies_and_joints_where_its_file_says() {
    let robot = parse(ARM, false).unwrap();
    let scene = &robot.scene;
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["base", "upper", "lower", "finger", "floor"]);
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near(scene.bodies[1].position, [0.0, 0.0, 0.26]), "{:?}", scene.bodies[1]);
    assert!(near(scene.bodies[1].center.unwrap(), [0.0, 0.0, -0.05]), "{:?}", scene.bodies[1]);
    assert!(
        matches!(&scene.bodies[0].shape, Shape::Cylinder { half_height, radius } if (*half_height, *radius) == (0.05, 0.15))
    );
    // The elbow at 0.41 m is tilted by 0.3 rad; the lower link's shape is 0.12 m from it.
    let (s, c) = 0.3f64.sin_cos();
    assert!(near(scene.bodies[2].position, [0.12 * s, 0.0, 0.41 + 0.12 * c]), "{:?}", scene.bodies[2]);
    // Its inertia is turned back by the half radian of the shape.
    let i = scene.bodies[2].inertia.unwrap();
    assert!((i[0][0] - 0.002).abs() < 1e-15 && (i[2][2] - 0.0003).abs() < 1e-15, "{i:?}");
    let [turntable, elbow, grip] = &scene.joints[..] else { panic!("{:?}", scene.joints) };
    let axis = turntable.hinge.as_ref().unwrap();
    assert_eq!((axis.limits, axis.friction, axis.spring.as_ref().unwrap().damping), (None, 0.2, 0.1));
    assert_eq!(elbow.hinge.as_ref().unwrap().limits, Some([-0.5, 1.2]));
    let slide = grip.slider.as_ref().unwrap();
    assert!(near(slide.axis, [s, 0.0, c]) && slide.motor.is_none() && slide.limits == Some([0.0, 0.05]));
    assert_eq!(
        robot.lines,
        [
            "link upper: 1 shapes after its first one are left out",
            "link finger: a mesh is left out",
            "link finger: has no shape, it touches with a ball of 0.001 m",
            "link tip: has no mass, it is a part of finger",
            "joint grip: mimic is left out, it moves on its own",
            "velocity of limit: 3 left out",
        ]
    );
    let held = parse(ARM, true).unwrap().scene;
    let motor = held.joints[1].hinge.as_ref().unwrap().motor.as_ref().unwrap();
    assert_eq!((motor.position, motor.max), (Some(0.0), 10.0));
}

#[test]
fn a_robot_runs_and_holds_its_joints_where_they_are() {
    let folder = folder("robots");
    std::fs::write(folder.join("arm.urdf"), ARM).unwrap();
    let words = ["run", "arm.urdf", "--hold", "--seconds", "2", "--summary", "s.json", "--plot", "a.svg"];
    let output = stiction(&folder, &words);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("arm.urdf: link finger: a mesh is left out\n"), "{printed}");
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("s.json")).unwrap()).unwrap();
    for joint in summary["joints"].as_array().unwrap() {
        assert!(joint["error"].as_f64().unwrap() < 1e-4, "{joint}");
        assert!(joint["position"].as_f64().unwrap().abs() < 0.02, "{joint}");
    }
    // The lower link pulls the elbow by 0.4 N m; without motors it falls to its limit.
    let output = stiction(&folder, &["run", "arm.urdf", "--seconds", "3", "--summary", "s.json"]);
    assert!(output.status.success());
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("s.json")).unwrap()).unwrap();
    let elbow = &summary["joints"][1];
    assert!((elbow["position"].as_f64().unwrap() - 1.2).abs() < 1e-3, "{elbow}");
}

#[test]
fn robots_that_cannot_be_read_are_rejected_in_one_line() {
    let folder = folder("bad-robots");
    let link = r#"<link name="x"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"#;
    let fixed = r#"<joint name="j" type="fixed"><parent link="x"/><child link="y"/></joint>"#;
    let moved = fixed.replace("fixed", "continuous");
    for (xml, expected) in [
        ("no robot".to_string(), "robot: "),
        ("<robot name=\"r\"></robot>".into(), "robot: no link is the first one"),
        (
            format!("<robot name=\"r\">{link}{}</robot>", link.replace("\"x\"", "\"y\"")),
            "robot: links x and y are both",
        ),
        (
            format!("<robot name=\"r\">{link}<link name=\"y\"/>{moved}</robot>"),
            "link y: has no mass, and joint j moves it",
        ),
        (format!("<robot name=\"r\">{link}{fixed}</robot>"), "joint j: no link is named y"),
        (ARM.replace("axis xyz=\"0 1 0\"", "axis xyz=\"0 0 0\""), "joint elbow: axis: must have a direction"),
        (ARM.replace("lower=\"-0.5\"", "lower=\"3\""), "joints[1].hinge.limits: the lower one, 3, is above"),
        (ARM.replace("<mass value=\"1\"/>", "<mass value=\"NaN\"/>"), "link upper: has no mass"),
    ] {
        std::fs::write(folder.join("r.urdf"), &xml).unwrap();
        let output = stiction(&folder, &["run", "r.urdf"]);
        let lines = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{lines}");
        // Lines about what was left out may come before the last one.
        assert!(lines.trim_end().lines().last().unwrap().starts_with(expected), "{lines}");
    }
    std::fs::write(folder.join("arm.urdf"), ARM).unwrap();
    let output = stiction(&folder, &["run", "arm.urdf", "--record", "a.db"]);
    assert!(output.status.code() == Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().ends_with("--record: a robot cannot be recorded yet\n"));
    assert!(!folder.join("a.db").exists());
    assert_eq!(error(&folder, &["run", "stack-4", "--hold"]), "--hold: only with a robot, ROBOT.urdf");
}

#[test]
fn elements_that_nobody_reads_are_counted_by_kind() {
    let xml = r#"<robot name="r">
        <material name="grey"/>
        <link name="base_link"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
        <link name="floor">
            <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
            <visual><geometry><box size="1 1 1"/></geometry></visual>
            <visual><geometry><box size="1 1 1"/></geometry></visual>
            <collision><geometry><sphere radius="0.1"/></geometry></collision>
        </link>
        <joint name="lift" type="prismatic">
            <parent link="base_link"/><child link="floor"/><axis xyz="0 0 1"/>
            <limit lower="0" upper="1" effort="5" velocity="1"/><calibration rising="0"/>
        </joint>
        <transmission name="t"/><gazebo reference="floor"/><gazebo/>
    </robot>"#;
    let robot = parse(xml, false).unwrap();
    assert_eq!(
        robot.lines,
        [
            "link base_link: has no mass, its shapes are left out",
            "link base_link: has no mass and no parent, it does not move",
            "calibration: 1 left out",
            "gazebo: 2 left out",
            "transmission: 1 left out",
            "velocity of limit: 1 left out",
            "visual: 2 left out",
        ]
    );
    let names: Vec<&str> = robot.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["floor", "floor_"]);
}
