//! What the report of a step says of joints.

use nalgebra::{Matrix3, Vector3};
use stiction::{JointAxis, JointKind, Motor, Real, RigidBody, Status, StepSettings, manifolds};

use crate::step_joints_contacts::{Mechanism, Stepper};

const LINKS: usize = 5;

/// Links in a row along x with a hinge between each and the next, and one to a wall if there is one.
fn row<T: Real>(has_wall: bool, motor: Option<Motor<T>>, velocity: Vector3<T>) -> Mechanism<T> {
    let at = |x: f64| Vector3::new(T::lit(x), T::ZERO, T::ZERO);
    // As one body, if they fly.
    let angular = if has_wall { Vector3::zeros() } else { Vector3::new(0.2, 0.1, 0.5).map(T::lit) };
    let mut world = Mechanism::empty();
    let mut last = has_wall.then(|| world.push(RigidBody::fixed()).unwrap());
    for link in 0..LINKS {
        let x = 0.2 * link as f64;
        let inertia = Matrix3::identity() * T::lit(1e-3);
        let linear = velocity + angular.cross(&at(x - 0.4));
        let body = RigidBody {
            linear_velocity: linear,
            angular_velocity: angular,
            ..RigidBody::from_mass(T::lit(0.4), inertia)
        };
        let body = world.push(RigidBody { position: at(x + 0.1), ..body }).unwrap();
        if let Some(last) = last {
            let kind = JointKind::Hinge(JointAxis { motor, ..JointAxis::FREE });
            world.push_joint(world.joint_between(last, body, kind, [at(x); 2], Vector3::y())).unwrap();
        }
        last = Some(body);
    }
    world
}

/// The statuses of two seconds, and sweeps of the frame with the most of them.
fn statuses<T: Real>(mut world: Mechanism<T>) -> (Vec<Status>, u32) {
    let mut pipeline = Box::new(Stepper::<T>::with_factor_memory(StepSettings::default()));
    let (mut all, mut sweeps) = (Vec::new(), 0);
    for _ in 0..120 {
        let report = pipeline.step(&mut world, manifolds(&[]), T::lit(1.0 / 60.0)).unwrap();
        assert_eq!(report.status == Status::Guarded, report.passivity_guard && report.residual >= solved::<T>());
        sweeps = sweeps.max(report.sweeps);
        all.push(report.status);
    }
    (all, sweeps)
}

fn solved<T: Real>() -> T {
    StepSettings::<T>::default().solver.tolerance
}

/// Rounding of velocities that all links have in common is no error of their joints.
fn free_flight_is_solved<T: Real>() {
    for speed in [0.0, 1.0, 30.0] {
        let (statuses, sweeps) =
            statuses::<T>(row(false, None, Vector3::new(1.1, 0.3, -0.7).map(|v| T::lit(speed * v))));
        assert!(statuses.iter().all(|status| *status == Status::Converged), "{speed} m/s: {statuses:?}");
        println!("at {speed} m/s: {sweeps} sweeps in the frame with the most");
        assert!(sweeps <= 32, "{speed} m/s: {sweeps}");
    }
}

#[test]
fn free_flight_is_solved_f32() {
    free_flight_is_solved::<f32>();
}

#[test]
fn free_flight_is_solved_f64() {
    free_flight_is_solved::<f64>();
}

/// Servos are solved, or the guard has scaled impulses and the report says so: no step ends at the limit of sweeps.
fn servos_are_solved<T: Real>() {
    let servo =
        Motor::Position { position: T::lit(0.5), stiffness: T::lit(150.0), damping: T::lit(6.0), max: T::lit(22.0) };
    for has_wall in [false, true] {
        let (statuses, _) = statuses::<T>(row(has_wall, Some(servo), Vector3::zeros()));
        let count = |wanted: Status| statuses.iter().filter(|status| **status == wanted).count();
        let [converged, guarded] = [Status::Converged, Status::Guarded].map(count);
        println!("{} bits, wall {has_wall}: {converged} converged, {guarded} guarded", 8 * size_of::<T>());
        assert_eq!(converged + guarded, 120, "{statuses:?}");
        assert!(converged >= if has_wall { 60 } else { 110 }, "{converged}");
    }
}

#[test]
fn servos_are_solved_f32() {
    servos_are_solved::<f32>();
}

#[test]
fn servos_are_solved_f64() {
    servos_are_solved::<f64>();
}
