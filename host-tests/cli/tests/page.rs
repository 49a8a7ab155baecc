//! The page in a browser shows the tool's scenes and ends with the same bits. The scenes and digests that it fetches
//! are written here.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use parry3d_f64::shape::SharedShape;
use serde_json::{Value, json};
use stiction::Material;
use stiction_cli::rig::joints::{Connection, bodies_of};
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::{ALL, Named};
use stiction_cli::rig::shape::Shape;
use stiction_cli::rig::simulation::{Precision, simulate};
use stiction_motion::pairs;
use stiction_motion::solid::{Form, Solid, to_parry};
use stiction_playground::draft::{Draft, Link, Piece};
use stiction_playground::stage::Stage;
use stiction_testkit::rng::Rng;

/// Steps after which bits are compared; shorter scenes are compared at their end.
const STEPS: u64 = 120;

/// Scenes with shapes that the page supports.
fn shown() -> impl Iterator<Item = (&'static Named, Scene)> {
    let known = |shape: &Shape| !matches!(shape, Shape::Convex { .. } | Shape::Cylinder { .. });
    ALL.iter()
        .map(|named| (named, named.scene()))
        .filter(move |(_, scene)| scene.bodies.iter().all(|body| known(&body.shape)))
}

fn steps(scene: &Scene) -> u64 {
    scene.frames().unwrap().min(STEPS)
}

/// The final digest of the `stiction` command.
fn command_digest(scene: &Scene) -> u64 {
    let mut run = simulate(scene, Precision::Single).unwrap();
    for _ in 0..steps(scene) {
        run.step(stiction_cli::rig::frame::Detail::Figures).unwrap();
    }
    run.digest()
}

/// The scene in the form that the page's script passes.
fn draft(scene: &Scene) -> Draft {
    let mut draft = Draft::new(scene.dt);
    draft.settings.gravity = Vector3::from(scene.gravity.map(|part| part as f32));
    draft.settings.substeps = scene.substeps;
    let settings = &mut draft.settings.solver;
    settings.sweeps = scene.settings.sweeps.unwrap_or(settings.sweeps);
    settings.tolerance = scene.settings.tolerance.map_or(settings.tolerance, |tolerance| tolerance as f32);
    for body in &scene.bodies {
        let [w, x, y, z] = body.orientation;
        let piece = Piece {
            solid: body.shape.solid().unwrap(),
            endless: body.shape.is_endless(),
            mass: body.mass,
            position: Vector3::from(body.position),
            orientation: UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)),
            linear: Vector3::from(body.linear),
            angular: Vector3::from(body.angular),
            material: Material { mu: body.mu, restitution: body.restitution },
            surface: body.surface().unwrap(),
        };
        draft.add(piece).unwrap();
    }
    for (joint, bodies) in scene.joints.iter().zip(bodies_of(scene).unwrap()) {
        let Connection { kind, anchors, axis } = joint.connection().unwrap();
        draft.connect(Link { bodies, kind, anchors, axis, collide: joint.collide });
    }
    draft
}

#[test]
fn the_page_ends_with_the_bits_of_the_command() {
    stiction_testkit::large_stack::on_large_stack(64 << 20, || {
        for (named, scene) in shown() {
            let mut stage = Stage::new(draft(&scene)).unwrap();
            for _ in 0..steps(&scene) {
                stage.step().unwrap();
            }
            assert_eq!(stage.digest(), command_digest(&scene), "{}", named.name);
        }
    })
    .unwrap();
}

#[test]
fn the_page_has_the_scenes_of_the_command() {
    let only_known = |scene: &Scene| {
        let mut others = scene.settings.clone();
        (others.sweeps, others.tolerance) = (None, None);
        others == Default::default()
    };
    let entries: Vec<Value> = shown()
        .map(|(named, scene)| {
            assert!(only_known(&scene), "{}: the page does not know a setting", named.name);
            let settings = json!({ "sweeps": scene.settings.sweeps, "tolerance": scene.settings.tolerance });
            let mut plain = serde_json::to_value(&scene).unwrap();
            plain["settings"] = settings;
            let check = json!({ "frames": steps(&scene), "digest": format!("{:016x}", command_digest(&scene)) });
            json!({ "name": named.name, "line": named.line, "scene": plain, "check": check })
        })
        .collect();
    let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    stiction_repo_checks::whole("docs/playground/page/scenes.json", &text);
}

fn random_turn(rng: &mut Rng) -> UnitQuaternion<f64> {
    let mut part = || rng.range(-1.0, 1.0);
    UnitQuaternion::from_quaternion(Quaternion::new(part(), part(), part(), part()))
}

#[test]
fn the_pages_collision_detection_has_the_bits_of_the_tools() {
    let mut rng = Rng::new(5);
    let forms = |rng: &mut Rng| -> [Form; 4] {
        let mut length = || rng.range(0.2, 1.2);
        let (extents, radius) = ([length(), length(), length()], length());
        let capsule = Solid::capsule(length(), 0.5 * length());
        [Solid::half_space(&Vector3::z()), Solid::cuboid(extents), Solid::ball(radius), capsule].map(|solid| solid.form)
    };
    let mut points = 0;
    for _ in 0..20_000 {
        let (a, b) = (forms(&mut rng), forms(&mut rng));
        let offset = rng.direction() * rng.range(0.0, 2.5);
        let q = random_turn(&mut rng).into_inner();
        let rotation = parry3d_f64::math::Rotation::from_xyzw(q.i, q.j, q.k, q.w);
        let pose = parry3d_f64::math::Pose::from_parts(to_parry(&offset), rotation);
        for (i, first) in a.iter().enumerate() {
            for second in b.iter().skip(usize::from(i == 0)) {
                let (all, few) = (pairs::any(&pose, first, second, 0.05), pairs::simple(&pose, first, second, 0.05));
                assert_eq!(format!("{all:?}"), format!("{few:?}"));
                points += few.iter().map(|manifold| manifold.points.len()).sum::<usize>();
            }
        }
    }
    assert!(points > 50_000, "{points} points");
}

#[test]
fn a_capsule_has_the_inertia_that_the_detector_integrates() {
    for (half_height, radius) in [(0.05, 0.3), (0.2, 0.07), (1.0, 1.0)] {
        let properties = SharedShape::capsule_z(half_height, radius).mass_properties(1.0);
        let expected = properties.reconstruct_inertia_matrix().to_cols_array();
        let expected = Matrix3::from_column_slice(&expected) / properties.mass();
        let found = Solid::capsule(half_height, radius).inertia;
        let difference = (found - expected).norm() / expected.norm();
        assert!(difference < 1e-14, "{difference:e}");
    }
}
