//! Figures of the book's page of derivations: how exact contact frames are, how fast they rotate, and what box friction
//! loses. `STICTION_DRAW=1 cargo test -p stiction-demo` writes them.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, Frame, LocalRule, Real, Settings, Solver};
use stiction_repo_checks::part;
use stiction_testkit::rng::Rng;

const PAGE: &str = "docs/book/src/derivations.md";

/// Random normals.
const NORMALS: usize = 100_000;

/// Largest entry of `FᵀF − 1`, computed in double precision.
fn error<T: Real>(frame: &Frame<T>) -> f64 {
    let columns = [frame.n(), frame.t1(), frame.t2()].map(|v| v.map(Real::to_f64));
    let f = Matrix3::from_columns(&columns);
    (f.transpose() * f - Matrix3::identity()).amax()
}

#[test]
fn frames_are_orthonormal_to_a_few_rounding_errors() {
    let mut rng = Rng::new(1);
    let (mut single, mut double) = (0.0_f64, 0.0_f64);
    for _ in 0..NORMALS {
        let normal = rng.direction();
        double = double.max(error(&Frame::<f64>::from_normal(&normal).unwrap()));
        single = single.max(error(&Frame::<f32>::from_normal(&normal.map(|x| x as f32)).unwrap()));
    }
    let (single, double) = (single / f64::from(f32::EPSILON), double / f64::EPSILON);
    assert!(single < 4.0 && double < 4.0, "{single} ε, {double} ε");
    part(
        PAGE,
        "rounding",
        &format!(
            "| | largest entry of `FᵀF − 1` |\n|---|---:|\n| `f64` | {double:.1} ε |\n| `f32` | {single:.1} ε |\n"
        ),
    );
}

#[test]
fn tangents_rotate_at_most_root_two_times_as_fast_as_the_normal() {
    let mut rng = Rng::new(2);
    let mut worst = 0.0_f64;
    for _ in 0..NORMALS {
        let normal = rng.direction();
        let next = (normal + rng.direction() * 1e-6).normalize();
        if (normal.z < 0.0) == (next.z < 0.0) {
            let (a, b) = (Frame::from_normal(&normal).unwrap(), Frame::from_normal(&next).unwrap());
            worst = worst.max((a.t1() - b.t1()).norm().max((a.t2() - b.t2()).norm()) / (a.n() - b.n()).norm());
        }
    }
    assert!(worst <= 2.0_f64.sqrt() + 1e-6 && worst > 1.4, "{worst}");
}

/// Where a point mass comes to rest that slides at 6 m/s at an angle to the first tangent, in m.
fn rest(local: LocalRule, angle: f64) -> Vector3<f64> {
    let (dt, settings) = (1e-3, Settings { local, ..Settings::default() });
    let mut bodies = Bodies::<f64, 2>::new();
    bodies.push(Body::fixed()).unwrap();
    let linear_velocity = Vector3::new(angle.cos(), angle.sin(), 0.0) * 6.0;
    bodies.push(Body { linear_velocity, ..Body::from_inverse(1.0, Matrix3::zeros()) }).unwrap();
    let mut contacts = Contacts::<f64, 1>::new();
    contacts.push(Contact { mu: 0.5, ..Contact::default() }).unwrap();
    assert_eq!(Frame::from_normal(&contacts.get(0).unwrap().normal).unwrap().t1(), Vector3::x());
    let (mut solver, mut position) = (Solver::<f64, 2, 1>::new(), Vector3::zeros());
    for _ in 0..2000 {
        let v = bodies.linear_velocities()[1];
        bodies.set_velocity(1, v - Vector3::z() * (9.81 * dt), Vector3::zeros()).unwrap();
        solver.solve(&mut bodies, &contacts, &settings, dt).unwrap();
        // The mean of both ends: exact while the force is constant.
        position += (v + bodies.linear_velocities()[1]) * (0.5 * dt);
    }
    position
}

#[test]
fn box_friction_slides_further_and_to_the_side() {
    let mut rows = String::from("| angle to `t1` | way, box | closed form | deflection, box | closed form |\n");
    rows += "|---:|---:|---:|---:|---:|\n";
    for degrees in [0.0_f64, 15.0, 30.0, 45.0] {
        let angle = degrees.to_radians();
        let (cone, square) = (rest(LocalRule::Exact, angle), rest(LocalRule::Box, angle));
        let direction = |v: &Vector3<f64>| v.y.atan2(v.x).to_degrees();
        assert!((cone.norm() - 36.0 / 9.81).abs() < 1e-4 && (direction(&cone) - degrees).abs() < 1e-6, "{cone:?}");
        let (c, s) = (angle.cos().powi(2), angle.sin().powi(2));
        let (way, way_expected) = (square.norm() / cone.norm(), 2.0_f64.sqrt() * c.hypot(s));
        let (turn, turn_expected) = (degrees - direction(&square), degrees - s.atan2(c).to_degrees());
        assert!((way - way_expected).abs() < 1e-3 && (turn - turn_expected).abs() < 0.1, "{way} {turn}");
        rows += &format!(
            "| {degrees}° | {way:.3} | {way_expected:.3} | {:.1}° | {:.1}° |\n",
            turn.abs(),
            turn_expected.abs()
        );
    }
    part(PAGE, "box", &rows);
}
