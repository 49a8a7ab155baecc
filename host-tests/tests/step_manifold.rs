//! From a collision manifold to contacts.

use nalgebra::{Matrix3, Vector3};
use stiction::Body;
use stiction::PointId;
use stiction::step::manifold::{Side, contacts_of, relative_normal_velocity};
use stiction::{Manifold, ManifoldPoint, Material};

fn body(linear: Vector3<f64>, angular: Vector3<f64>) -> Body<f64> {
    Body { linear_velocity: linear, angular_velocity: angular, ..Body::from_inverse(1.0, Matrix3::identity()) }
}

const A: Material<f64> = Material { mu: 0.4, restitution: 0.8 };
const B: Material<f64> = Material { mu: 0.9, restitution: 0.2 };

fn point(i: usize) -> ManifoldPoint<f64> {
    let on_a = Vector3::new(i as f64 * 0.1, 0.2, 0.0);
    ManifoldPoint { on_a, on_b: on_a - Vector3::z() * 0.01, depth: 0.01, id: PointId::Feature(10 + i as u32) }
}

fn make_contacts_with_ids(
    count: usize,
    approach: f64,
    material: Option<Material<f64>>,
) -> Vec<(stiction::Contact<f64>, PointId)> {
    let (a, b) = (body(Vector3::zeros(), Vector3::zeros()), body(-Vector3::z() * approach, Vector3::zeros()));
    let a = Side { body: &a, centre: Vector3::new(0.0, 0.0, -1.0), material: A };
    let b = Side { body: &b, centre: Vector3::new(0.0, 0.0, 1.0), material: B };
    let mut manifold = Manifold { material, ..Manifold::new(3, 7, Vector3::z()) };
    manifold.points.extend((0..count).map(point));
    contacts_of(&manifold, &a, &b, 0.5).to_vec()
}

fn make_contacts(count: usize, approach: f64) -> Vec<stiction::Contact<f64>> {
    make_contacts_with_ids(count, approach, None).into_iter().map(|(contact, _)| contact).collect()
}

#[test]
fn one_point_makes_one_contact_with_arms_from_the_centres_of_mass() {
    let contacts = make_contacts(1, 2.0);
    assert_eq!(contacts.len(), 1);
    let contact = contacts[0];
    assert_eq!((contact.a, contact.b), (3, 7));
    assert_eq!(contact.r_a, Vector3::new(0.0, 0.2, 1.0));
    assert!((contact.r_b - Vector3::new(0.0, 0.2, -1.01)).norm() <= 1e-15);
    assert_eq!(contact.depth, 0.01);
    assert_eq!(contact.pre_impact_normal_velocity, Some(-2.0));
}

#[test]
fn four_points_make_four_contacts_with_friction() {
    let contacts = make_contacts(4, 2.0);
    assert_eq!(contacts.len(), 4);
    assert!(contacts.iter().all(|c| (c.mu - 0.6).abs() <= 1e-15));
}

#[test]
fn an_empty_manifold_makes_no_contact_and_a_fifth_point_is_rejected() {
    assert!(make_contacts(0, 1.0).is_empty());
    let mut manifold = Manifold::new(0, 1, Vector3::z());
    manifold.points.extend((0..4).map(point));
    assert_eq!(manifold.points.try_push(point(4)).unwrap_err().element(), point(4));
}

#[test]
fn every_contact_keeps_its_feature_id() {
    let ids: Vec<PointId> = make_contacts_with_ids(4, 1.0, None).into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids, [10, 11, 12, 13].map(PointId::Feature));
}

#[test]
fn a_manifold_material_overrides_the_combined_one() {
    let own = Material { mu: 0.25, restitution: 0.75 };
    let (contact, _) = make_contacts_with_ids(1, 2.0, Some(own))[0];
    assert_eq!((contact.mu, contact.restitution), (0.25, 0.75));
}

#[test]
fn materials_combine_by_geometric_mean() {
    let pair = A.combined(&B);
    assert!((pair.restitution - 0.4).abs() <= 1e-15 && (pair.mu - 0.6).abs() <= 1e-15);
    assert_eq!(A.combined(&Material { mu: 0.0, restitution: 0.0 }), Material { mu: 0.0, restitution: 0.0 });
}

#[test]
fn head_on_bodies_approach_at_the_sum_of_their_speeds() {
    let (a, b) = (body(Vector3::x() * 2.0, Vector3::zeros()), body(-Vector3::x() * 3.0, Vector3::zeros()));
    let arm = Vector3::x();
    assert_eq!(relative_normal_velocity(&a, &b, &arm, &-arm, &Vector3::x()), -5.0);
}

#[test]
fn spin_adds_to_the_approach_through_the_lever_arm() {
    let a = body(Vector3::zeros(), Vector3::zeros());
    let b = body(Vector3::zeros(), Vector3::new(0.0, 4.0, 0.0));
    let r_b = Vector3::new(0.5, 0.0, -1.0);
    // ω × r = (4·−1 − 0, 0, 0 − 4·0.5): the point moves down at 2 m/s.
    assert_eq!(relative_normal_velocity(&a, &b, &Vector3::zeros(), &r_b, &Vector3::z()), -2.0);
}

#[test]
fn restitution_is_dropped_at_and_below_the_rest_threshold() {
    assert_eq!(make_contacts(1, 0.5)[0].restitution, 0.0);
    assert_eq!(make_contacts(1, 0.1)[0].restitution, 0.0);
    assert!((make_contacts(1, 0.51)[0].restitution - 0.4).abs() <= 1e-15);
}
