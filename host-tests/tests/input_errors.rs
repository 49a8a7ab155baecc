//! Validation of the input of world and step: an error names the rejected field, and nothing changes; and the behaviour
//! beyond capacity.

use nalgebra::{Matrix3, Quaternion, Unit, UnitQuaternion, Vector3};
use stiction::PointId;
use stiction::{Manifold, ManifoldPoint, Material};
use stiction::{Pipeline, RigidBody, StepSettings, World, Wrench};
use stiction_scenes::boxes::*;

const DT: f64 = 1.0 / 60.0;

#[test]
fn a_load_that_would_exceed_the_speed_limit_fails_the_step() {
    let mut world = World::<f32, 8>::new();
    let load = Wrench { force: Vector3::new(1e15, 0.0, 0.0), torque: Vector3::zeros() };
    world.push(RigidBody { load, ..RigidBody::from_inverse(1e9, Matrix3::identity()) }).unwrap();
    let before = world.clone();
    let error = Pipeline::<f32, 8, 64>::new(StepSettings::default())
        .step(&mut world, stiction::manifolds(&[]), 1.0)
        .unwrap_err();
    assert!(error.to_string().starts_with("bodies[0].linear_velocity: "), "{error}");
    assert_eq!(world, before);
}

#[test]
fn a_rejected_manifold_fails_the_step_even_if_the_error_is_ignored() {
    let mut boxes = stack::<f64, 8, 64>(1);
    let before = boxes.world.clone();
    let ignore_error = |_: &World<f64, 8>, collector: &mut stiction::ContactCollector<'_, f64, 8, 64>| {
        let _ = collector.push(&Manifold { normal: Vector3::x(), ..Manifold::new(0, 9, Vector3::z()) });
        Ok(())
    };
    let error = boxes.pipeline.step(&mut boxes.world, ignore_error, DT).unwrap_err();
    assert_eq!(error.to_string(), "contacts[0].b: body 9 does not exist, there are 2");
    assert_eq!((&boxes.world, boxes.pipeline.contact_count()), (&before, 0));
}

#[test]
fn a_rejected_step_changes_nothing() {
    let mut boxes = stack::<f64, 2, 4>(1);
    boxes.step().unwrap();
    let (world, cache) = (boxes.world.clone(), boxes.pipeline.cache().clone());
    // The first manifold is recognised and keeps its four contacts.
    for bad_at in 0..4 {
        let mut asked = 0;
        let error = boxes
            .pipeline
            .step(
                &mut boxes.world,
                |_, collector| {
                    (0..4).try_for_each(|_| {
                        asked += 1;
                        let id = PointId::Proximity;
                        let depth = if asked > bad_at { f64::NAN } else { 0.0 };
                        let mut manifold = Manifold::new(0, 1, Vector3::z());
                        let (on_a, on_b) = (Vector3::zeros(), Vector3::zeros());
                        manifold.points.push(ManifoldPoint { on_a, on_b, depth, id });
                        collector.push(&manifold)
                    })
                },
                DT,
            )
            .unwrap_err();
        assert_eq!(error.to_string(), format!("contacts[{}].depth: must be a finite number", [0, 4, 4, 4][bad_at]));
        assert_eq!((asked, &boxes.world, boxes.pipeline.cache()), (bad_at + 1, &world, &cache));
    }
}

#[test]
fn errors_of_world_and_step_name_the_invalid_field() {
    let mut world = World::<f64, 8>::new();
    let body = RigidBody::from_inverse(1.0, Matrix3::identity());
    let half: UnitQuaternion<f64> = Unit::new_unchecked(Quaternion::new(0.5, 0.0, 0.0, 0.0));
    let heavy = Wrench { force: Vector3::zeros(), torque: Vector3::new(0.0, f64::INFINITY, 0.0) };
    let cases = [
        (RigidBody { orientation: half, ..body }, "bodies[0].orientation: length 0.5, must be 1 within 1e-3"),
        (
            RigidBody { position: Vector3::new(f64::NAN, 0.0, 0.0), ..body },
            "bodies[0].position: must be a finite number",
        ),
        (RigidBody { load: heavy, ..body }, "bodies[0].load.torque: must be a finite number"),
        (
            RigidBody { material: Material { mu: -1.0, restitution: 0.0 }, ..body },
            "bodies[0].material.mu: -1 is below 0",
        ),
        (RigidBody { inverse_mass: 0.0, ..body }, "bodies[0].inverse_inertia_body: must be 0 where inverse_mass is 0"),
    ];
    for (body, line) in cases {
        assert_eq!(world.push(body).unwrap_err().to_string(), line);
    }
    world.push(body).unwrap();
    let mut full = World::<f64, 1>::new();
    full.push(body).unwrap();
    assert_eq!(full.push(body).unwrap_err().to_string(), "bodies[1]: full, the capacity is 1");
    assert_eq!(
        world.set_load(3, Wrench::NONE).unwrap_err().to_string(),
        "bodies[3]: body 3 does not exist, there are 1"
    );
    let before = world.clone();
    let rejection = |settings: StepSettings<f64>, dt: f64, world: &mut World<f64, 8>| {
        let mut pipeline = Pipeline::<f64, 8, 64>::new(settings);
        pipeline.step(world, stiction::manifolds(&[]), dt).unwrap_err().to_string()
    };
    let default = StepSettings::default();
    assert_eq!(rejection(default, f64::NAN, &mut world), "dt: must be a finite number");
    assert_eq!(rejection(default, 0.0, &mut world), "dt: 0 is below 0.000000001");
    assert_eq!(
        rejection(StepSettings { substeps: 0, ..default }, DT, &mut world),
        "settings.substeps: must be 1 to 1000"
    );
    let infinite = Vector3::new(0.0, f64::NEG_INFINITY, 0.0);
    assert_eq!(
        rejection(StepSettings { gravity: infinite, ..default }, DT, &mut world),
        "settings.gravity: must be a finite number"
    );
    assert_eq!(world, before);
}

#[test]
fn invalid_manifolds_are_rejected_by_name() {
    let mut boxes = stack::<f64, 8, 64>(1);
    boxes.add(RigidBody::fixed(), [0.0; 3]);
    let mut rejection = |manifold: Manifold<f64>| {
        boxes.pipeline.step(&mut boxes.world, stiction::manifolds(&[manifold]), DT).unwrap_err().to_string()
    };
    let touching = |a, b, normal| {
        let mut manifold = Manifold::new(a, b, normal);
        let (on_a, on_b) = (Vector3::zeros(), Vector3::zeros());
        manifold.points.push(ManifoldPoint { on_a, on_b, depth: 0.0, id: PointId::Proximity });
        manifold
    };
    assert_eq!(rejection(touching(0, 7, Vector3::z())), "contacts[0].b: body 7 does not exist, there are 3");
    assert_eq!(rejection(touching(0, 2, Vector3::z())), "contacts[0]: neither body can move");
    assert_eq!(rejection(touching(1, 1, Vector3::z())), "contacts[0].b: is the same body as a");
    assert_eq!(rejection(touching(0, 1, Vector3::zeros())), "contacts[0].normal: length 0, must be 1 within 1e-3");
    let own = Some(Material { mu: 0.5, restitution: 2.0 });
    let odd = Manifold { material: own, ..touching(0, 1, Vector3::z()) };
    assert_eq!(rejection(odd), "contacts[0].material.restitution: 2 is above 1");
}

#[test]
fn too_many_contacts_keep_the_deepest_and_report_how_many_were_dropped() {
    let mut world = World::<f64, 2>::new();
    world.push(RigidBody::fixed()).unwrap();
    world.push(RigidBody { position: Vector3::z(), ..RigidBody::from_inverse(1.0, Matrix3::identity()) }).unwrap();
    let mut pipeline = Pipeline::<f64, 2, 3>::new(StepSettings::default());
    let mut manifolds = Vec::new();
    for depths in [[0.001, 0.004], [0.003, 0.003], [0.002, 0.005]] {
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        for (i, depth) in depths.into_iter().enumerate() {
            let at = Vector3::new(i as f64, manifolds.len() as f64, 0.0);
            manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth, id: PointId::Proximity });
        }
        manifolds.push(manifold);
    }
    let report = pipeline.step(&mut world, stiction::manifolds(&manifolds), DT).unwrap();
    assert_eq!((report.contacts, report.contacts_left_out), (3, 3));
    let mut kept: Vec<f64> = pipeline.contacts().map(|contact| contact.depth).collect();
    kept.sort_by(f64::total_cmp);
    assert_eq!(kept, [0.003, 0.004, 0.005]);
}
