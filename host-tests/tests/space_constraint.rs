//! One contact as a constraint: frame, value, Jacobian, activity, and validation.

use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use proptest::prelude::*;
use stiction::{Body, Contact, ContactConstraint, Contacts, ErrorKind, Frame, InputError, InputField, Settings};
use stiction_testkit::strategies::{Shape, check, contact, direction, vector};

fn touching(mu: f64) -> Contact<f64> {
    let normal = Vector3::new(1.0, 2.0, -2.0) / 3.0;
    Contact::new(0, 1, normal, Vector3::new(0.3, -0.2, 0.5), Vector3::new(-0.1, 0.4, 0.6), mu)
}

fn assert_orthonormal(frame: &Frame<f64>, tolerance: f64) {
    let f = Matrix3::from_columns(&[frame.n(), frame.t1(), frame.t2()]);
    assert!((f.transpose() * f - Matrix3::identity()).amax() <= tolerance, "{frame:?}");
    assert!((frame.n().cross(&frame.t1()) - frame.t2()).amax() <= tolerance, "left-handed: {frame:?}");
}

#[test]
fn frames_on_all_coordinate_axes_are_orthonormal_and_right_handed() {
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        for normal in [axis, -axis] {
            let frame = Frame::from_normal(&normal).unwrap();
            assert_orthonormal(&frame, 0.0);
            assert!([frame.t1(), frame.t2()].iter().all(|t| t.iter().all(|x| x.is_finite())));
        }
    }
}

#[test]
fn frames_on_random_normals_are_orthonormal() {
    check(10_000, direction(), |normal| {
        assert_orthonormal(&Frame::from_normal(&normal).unwrap(), 1e-14);
        Ok(())
    });
}

#[test]
fn the_same_normal_gives_the_same_frame() {
    check(1000, direction(), |normal| {
        prop_assert_eq!(Frame::from_normal(&normal).unwrap(), Frame::from_normal(&normal).unwrap());
        Ok(())
    });
}

#[test]
fn the_frame_is_continuous_in_the_normal_on_each_side_of_the_equator() {
    check(10_000, (direction(), vector(1.0)), |(normal, nudge)| {
        let rotated = (normal + nudge * 1e-4).normalize();
        prop_assume!((rotated.z < 0.0) == (normal.z < 0.0));
        let moved = (rotated - normal).norm();
        let (a, b) = (Frame::from_normal(&normal).unwrap(), Frame::from_normal(&rotated).unwrap());
        // The tangents move at most √2 times as far as the normal, most at the equator: less than twice as far.
        let most = std::f64::consts::SQRT_2 * (1.0 + 1e-6) * moved + 1e-15;
        prop_assert!((a.t1() - b.t1()).norm() <= most && (a.t2() - b.t2()).norm() <= most);
        Ok(())
    });
}

#[test]
fn a_normal_within_tolerance_is_normalised() {
    let frame = Frame::from_normal(&(Vector3::new(0.6, 0.0, 0.8) * (1.0 + 9e-7))).unwrap();
    // One Newton step squares the error of 9e-7.
    assert_orthonormal(&frame, 5e-12);
}

#[test]
fn a_frame_can_oppose_a_direction_of_sliding() {
    let normal = Vector3::new(0.0, 0.6, 0.8);
    let sliding = Vector3::new(1.0, 2.0, -0.5);
    let frame = Frame::opposing(&normal, &sliding).unwrap();
    for sliding in [sliding, Vector3::new(3.0, -0.2, 0.7), Vector3::new(-0.1, 5.0, 0.4)] {
        let frame = Frame::opposing(&normal, &sliding).unwrap();
        assert_orthonormal(&frame, 1e-15);
        let along = sliding - normal * normal.dot(&sliding);
        assert!((frame.t1() + along.normalize()).norm() <= 1e-15);
    }
    assert_eq!(Frame::opposing(&normal, &normal.scale(0.0)).unwrap(), Frame::from_normal(&normal).unwrap());
    let constraint = ContactConstraint::opposing(&Contact { normal, ..touching(0.5) }, &sliding).unwrap();
    assert_eq!(*constraint.frame(), frame);
}

#[test]
fn a_contact_has_one_row_without_friction_and_three_with() {
    let smooth = ContactConstraint::new(&touching(0.0)).unwrap();
    assert_eq!((smooth.dimension(), smooth.has_friction()), (1, false));
    let rough = ContactConstraint::new(&touching(0.4)).unwrap();
    assert_eq!((rough.dimension(), rough.has_friction()), (3, true));
}

#[test]
fn the_gap_is_negative_inside_positive_apart_and_zero_when_touching() {
    let constraint = ContactConstraint::new(&touching(0.0)).unwrap();
    let contact = touching(0.0);
    let x_a = Vector3::new(2.0, -1.0, 0.5);
    let touching_at = x_a + contact.r_a - contact.r_b;
    for gap in [-0.2, 0.0, 0.3] {
        let x_b = touching_at + contact.normal * gap;
        assert!((constraint.gap(&x_a, &x_b) - gap).abs() <= 1e-15);
    }
}

#[test]
fn a_contact_is_active_while_penetrating_or_nearly_touching() {
    let contact = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.0);
    let constraint = ContactConstraint::<f64>::new(&contact).unwrap();
    let at = |height: f64| constraint.is_active(&Vector3::zeros(), &Vector3::new(0.0, 0.0, height));
    assert!(at(-0.1) && at(0.0) && at(0.009));
    assert!(!at(0.011) && !at(5.0));
}

#[test]
fn friction_acts_only_with_a_coefficient_and_a_normal_impulse() {
    assert!(ContactConstraint::new(&touching(0.5)).unwrap().friction_is_active(1.0));
    assert!(!ContactConstraint::new(&touching(0.0)).unwrap().friction_is_active(1.0));
    assert!(!ContactConstraint::new(&touching(0.5)).unwrap().friction_is_active(0.0));
}

#[test]
fn the_box_bound_is_the_square_inside_the_cone_at_the_normal_impulse() {
    let constraint = ContactConstraint::new(&touching(0.5)).unwrap();
    assert_eq!(constraint.box_bound(0.0), 0.0);
    assert!((constraint.box_bound(100.0) - 35.355_339_059_327_38).abs() <= 1e-12);
    assert!((constraint.box_bound(200.0) - 70.710_678_118_654_76).abs() <= 1e-12);
    let corner = constraint.box_bound(100.0) * std::f64::consts::SQRT_2;
    assert!(corner <= 0.5 * 100.0 * (1.0 + 1e-15));
}

#[test]
fn the_jacobian_has_three_rows_of_the_same_structure_for_every_direction() {
    let contact = touching(0.5);
    let constraint = ContactConstraint::new(&contact).unwrap();
    let frame = constraint.frame();
    let j: SMatrix<f64, 3, 12> = constraint.jacobian();
    for (row, d) in [frame.n(), frame.t1(), frame.t2()].into_iter().enumerate() {
        let part = |column: usize| j.fixed_view::<1, 3>(row, column).transpose();
        assert_eq!(part(0), -d);
        assert_eq!(part(3), -contact.r_a.cross(&d));
        assert_eq!(part(6), d);
        assert_eq!(part(9), contact.r_b.cross(&d));
    }
    assert_eq!(constraint.normal_jacobian(), j.fixed_rows::<1>(0).into_owned());
}

/// Where a body's contact point goes when the body moves for `h` seconds: translation and rotation to first order.
fn moved(x: &Vector3<f64>, v: &Vector3<f64>, w: &Vector3<f64>, r: &Vector3<f64>, h: f64) -> Vector3<f64> {
    let rotation = nalgebra::Rotation3::from_scaled_axis(w * h);
    x + v * h + rotation * r
}

#[test]
fn the_jacobian_matches_finite_differences_of_relative_position() {
    let cases = (contact(0, 1, Shape::default()), vector(1.0), vector(1.0), vector(1.0), vector(1.0));
    check(1000, cases, |(contact, v_a, w_a, v_b, w_b)| {
        let constraint = ContactConstraint::new(&contact).unwrap();
        let frame = *constraint.frame();
        let (x_a, x_b) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1.0, 0.5, 2.0));
        let relative = |h: f64| {
            let on_a = moved(&x_a, &v_a, &w_a, &contact.r_a, h);
            let on_b = moved(&x_b, &v_b, &w_b, &contact.r_b, h);
            frame.components(&(on_b - on_a))
        };
        let h = 1e-5;
        let numerical = (relative(h) - relative(-h)) / (2.0 * h);
        let velocity = SVector::<f64, 12>::from_iterator([v_a, w_a, v_b, w_b].iter().flat_map(|v| v.iter().copied()));
        prop_assert!((constraint.jacobian() * velocity - numerical).amax() <= 1e-8);
        // The first row is also the rate of the gap.
        let gap = |h: f64| {
            let shift_a = moved(&x_a, &v_a, &w_a, &contact.r_a, h) - contact.r_a;
            let shift_b = moved(&x_b, &v_b, &w_b, &contact.r_b, h) - contact.r_b;
            constraint.gap(&shift_a, &shift_b)
        };
        prop_assert!(((gap(h) - gap(-h)) / (2.0 * h) - numerical.x).abs() <= 1e-8);
        Ok(())
    });
}

#[test]
fn get_returns_the_contact_that_was_pushed() {
    let mut contacts = Contacts::<f64, 64>::new();
    let contact = Contact {
        restitution: 0.25,
        depth: 0.02,
        pre_impact_normal_velocity: Some(-1.5),
        warm: stiction::WarmStart { normal_impulse: 2.0, tangent_impulse: Vector3::x() },
        ..touching(0.7)
    };
    contacts.push(contact).unwrap();
    assert_eq!(contacts.get(0), Some(contact));
    assert_eq!(contacts.get(1), None);
}

fn rejection(contact: Contact<f64>) -> InputError<f64> {
    Contacts::<f64, 64>::new().push(contact).expect_err("an error")
}

#[test]
fn a_rejected_contact_names_its_index_field_and_reason() {
    let length = |factor: f64| rejection(Contact { normal: touching(0.5).normal * factor, ..touching(0.5) });
    assert_eq!(length(0.98).to_string(), "contacts[0].normal: length 0.98, must be 1 within 1e-3");
    assert!(matches!(length(1.0 + 2e-3).kind, ErrorKind::NotUnit { .. }));
    let cases = [
        (
            Contact { depth: -1e21, ..touching(0.5) },
            "contacts[0].depth: -1000000000000000000000 is below -100000000000000000000",
        ),
        (Contact { restitution: -0.1, ..touching(0.5) }, "contacts[0].restitution: -0.1 is below 0"),
        (Contact { restitution: 1.5, ..touching(0.5) }, "contacts[0].restitution: 1.5 is above 1"),
        (touching(-0.5), "contacts[0].mu: -0.5 is below 0"),
        (touching(f64::NAN), "contacts[0].mu: must be a finite number"),
        (Contact { b: 0, ..touching(0.5) }, "contacts[0].b: is the same body as a"),
    ];
    for (contact, line) in cases {
        assert_eq!(rejection(contact).to_string(), line);
    }
    let error: &dyn std::error::Error = &rejection(touching(-1.0));
    assert!(error.source().is_none());
}

#[test]
fn a_push_beyond_capacity_is_rejected() {
    let mut contacts = Contacts::<f64, 1>::new();
    contacts.push(touching(0.5)).unwrap();
    assert_eq!(contacts.push(touching(0.1)).unwrap_err().to_string(), "contacts[1]: full, the capacity is 1");
    assert_eq!(contacts.len(), 1);
    let mut bodies = stiction::Bodies::<f64, 1>::new();
    bodies.push(Body::fixed()).unwrap();
    assert_eq!(bodies.push(Body::fixed()).unwrap_err().to_string(), "bodies[1]: full, the capacity is 1");
}

#[test]
fn invalid_bodies_are_rejected_by_field() {
    let mut bodies = stiction::Bodies::<f64, 8>::new();
    let good = Body::from_inverse(1.0, Matrix3::identity());
    let mut rejection = |body: Body<f64>| bodies.push(body).expect_err("an error").to_string();
    assert_eq!(rejection(Body { inverse_mass: -1.0, ..good }), "bodies[0].inverse_mass: -1 is below 0");
    assert!(rejection(Body { inverse_mass: 1e-41, ..good }).contains("is below"));
    assert!(
        rejection(Body { linear_velocity: Vector3::new(0.0, f64::INFINITY, 0.0), ..good })
            .starts_with("bodies[0].linear")
    );
    let mut lopsided = Matrix3::identity();
    lopsided[(0, 1)] = 0.1;
    assert!(rejection(Body { inverse_inertia_world: lopsided, ..good }).contains("symmetric"));
    for indefinite in [
        Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -0.1)),
        Matrix3::new(1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        Matrix3::new(1.0, 0.9, 0.9, 0.9, 1.0, -0.9, 0.9, -0.9, 1.0),
        Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ] {
        assert!(
            rejection(Body { inverse_inertia_world: indefinite, ..good }).contains("negative eigenvalue"),
            "{indefinite}"
        );
    }
    assert!(rejection(Body { inverse_mass: 0.0, ..good }).contains("must be 0 where inverse_mass is 0"));
    assert!(bodies.is_empty());
    for semidefinite in [Matrix3::zeros(), Matrix3::new(1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0)] {
        bodies.push(Body { inverse_inertia_world: semidefinite, ..good }).unwrap();
    }
}

#[test]
fn invalid_settings_are_rejected_by_name() {
    let check = |settings: Settings<f64>| settings.validate().expect_err("an error").to_string();
    assert_eq!(
        check(Settings { relaxation: 2.5, ..Settings::default() }).split(':').next(),
        Some("settings.relaxation")
    );
    assert!(check(Settings { tolerance: f64::NAN, ..Settings::default() }).starts_with("settings.tolerance"));
    assert_eq!(Settings::<f64>::default().error_reduction, 0.2);
    assert_eq!(Settings::<f64>::default().slop, 0.01);
}

/// Frames cannot be built by hand from vectors that are not orthonormal, in either precision.
#[test]
fn a_frame_rejects_vectors_that_are_not_orthonormal() {
    let (x, y, z) = (Vector3::<f64>::x(), Vector3::y(), Vector3::z());
    for length in [0.0, 0.998, 1.002, 5.0] {
        assert_eq!(Frame::from_normal(&(z * length)), Err(ErrorKind::NotUnit { length }));
        assert_eq!(Frame::opposing(&(z * length), &x), Err(ErrorKind::NotUnit { length }));
        assert_eq!(Frame::new(&z, &(x * length), &y), Err(ErrorKind::NotUnit { length }));
        assert_eq!(Frame::new(&z, &x, &(y * length)), Err(ErrorKind::NotUnit { length }));
    }
    assert_eq!(Frame::from_normal(&(z * f64::NAN)), Err(ErrorKind::NotFinite));
    assert_eq!(Frame::new(&z, &x, &(y * f64::INFINITY)), Err(ErrorKind::NotFinite));
    let leaning = Vector3::new(1.0, 0.0, 0.01).normalize();
    for (t1, t2) in [(y, x), (x, -y), (leaning, y), (x, leaning), (z, y)] {
        assert_eq!(Frame::new(&z, &t1, &t2), Err(ErrorKind::NotOrthonormal));
    }
    // Within the tolerance the result is orthonormal to rounding.
    let near = Frame::new(&(z * 1.0005), &Vector3::new(1.0, 0.0, 4e-4), &(y * 0.9995)).unwrap();
    assert_orthonormal(&near, 1e-15);
    let single = Frame::new(&Vector3::z(), &Vector3::<f32>::x(), &Vector3::y()).unwrap();
    assert_eq!((single.n(), single.t1(), single.t2()), (Vector3::z(), Vector3::x(), Vector3::y()));
}

/// A constraint validates its contact like `Contacts::push`, and normalises the normal.
#[test]
fn a_constraint_validates_its_contact() {
    let long = Contact { normal: Vector3::new(0.0, 0.0, 1.5), ..touching(0.5) };
    for error in [ContactConstraint::new(&long).err(), ContactConstraint::opposing(&long, &Vector3::x()).err()] {
        assert_eq!(
            error.map(|error| error.to_string()).as_deref(),
            Some("contacts[0].normal: length 1.5, must be 1 within 1e-3")
        );
    }
    let negative = ContactConstraint::new(&touching(-0.5)).unwrap_err();
    assert_eq!(
        (negative.field, negative.kind),
        (InputField::Contact(0, "mu"), ErrorKind::TooSmall { value: -0.5, min: 0.0 })
    );
    let near = Contact { normal: Vector3::new(0.0, 0.0, 1.0005), ..touching(0.5) };
    assert_eq!(ContactConstraint::new(&near).unwrap().frame().n(), Vector3::z());
}
