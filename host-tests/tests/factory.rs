//! From a collision manifold to contacts.

use nalgebra::{Matrix3, Vector3};
use stiction::Body;
use stiction::manifold::{ManifoldPoint, Material, Side, contacts_of, relative_normal_velocity};

fn body(linear: Vector3<f64>, angular: Vector3<f64>) -> Body<f64> {
    Body { linear, angular, ..Body::at_rest(1.0, Matrix3::identity()) }
}

const A: Material<f64> = Material { mu: 0.4, restitution: 0.8 };
const B: Material<f64> = Material { mu: 0.9, restitution: 0.2 };

fn side(index: usize, body: &Body<f64>, center: Vector3<f64>, material: Material<f64>) -> Side<'_, f64> {
    Side { index, body, center, material }
}

fn points(count: usize) -> Vec<ManifoldPoint<f64>> {
    let at = |i: usize| Vector3::new(i as f64 * 0.1, 0.2, 0.0);
    (0..count).map(|i| ManifoldPoint { on_a: at(i), on_b: at(i) - Vector3::z() * 0.01, depth: 0.01 }).collect()
}

fn factory(count: usize, approach: f64) -> Vec<stiction::Contact<f64>> {
    let (a, b) = (body(Vector3::zeros(), Vector3::zeros()), body(-Vector3::z() * approach, Vector3::zeros()));
    let a = side(3, &a, Vector3::new(0.0, 0.0, -1.0), A);
    let b = side(7, &b, Vector3::new(0.0, 0.0, 1.0), B);
    contacts_of(&a, &b, &Vector3::z(), &points(count), 0.5).to_vec()
}

#[test]
fn one_point_makes_one_contact_with_arms_from_the_centres_of_mass() {
    let contacts = factory(1, 2.0);
    assert_eq!(contacts.len(), 1);
    let contact = contacts[0];
    assert_eq!((contact.a, contact.b), (3, 7));
    assert_eq!(contact.r_a, Vector3::new(0.0, 0.2, 1.0));
    assert!((contact.r_b - Vector3::new(0.0, 0.2, -1.01)).norm() <= 1e-15);
    assert_eq!(contact.depth, 0.01);
    assert_eq!(contact.pre_impact_normal_velocity, Some(-2.0));
}

#[test]
fn four_points_make_four_contacts_each_with_friction_in_it() {
    let contacts = factory(4, 2.0);
    assert_eq!(contacts.len(), 4);
    assert!(contacts.iter().all(|c| (c.mu - 0.6).abs() <= 1e-15));
}

#[test]
fn an_empty_manifold_makes_no_contact_and_a_fifth_point_is_not_taken() {
    assert!(factory(0, 1.0).is_empty());
    assert_eq!(factory(5, 1.0).len(), 4);
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
    assert_eq!(factory(1, 0.5)[0].restitution, 0.0);
    assert_eq!(factory(1, 0.1)[0].restitution, 0.0);
    assert!((factory(1, 0.51)[0].restitution - 0.4).abs() <= 1e-15);
}
