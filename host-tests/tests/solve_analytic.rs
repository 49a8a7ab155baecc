//! Problems whose answers are known in closed form.

use nalgebra::Vector3;
use stiction::{BounceMode, ContactState, LocalRule, MethodChoice, Settings, Status};
use stiction_testkit::known_answers::*;

fn tight() -> Settings<f64> {
    Settings { tolerance: 1e-14, sweeps: 200, ..Settings::default() }
}

#[test]
fn a_cube_sliding_obliquely_stays_on_the_ground_at_any_speed() {
    for speed in [0.1, 1.0, 3.0, 6.0, 10.0, 30.0, 60.0, 100.0] {
        for degrees in [0.0_f64, 20.0, 45.0] {
            let solved = sliding_cube(speed, degrees.to_radians(), 0.5).solve(&tight()).unwrap();
            let v = solved.velocities[1].0;
            println!("{speed} m/s at {degrees} degrees: v_z = {:.1e} after {} sweeps", v.z, solved.report.sweeps);
            assert!(v.z.abs() <= 1e-9, "v_z = {:e} at {speed} m/s", v.z);
        }
    }
}

#[test]
fn the_projection_rule_makes_a_sliding_cube_jump() {
    // Why the exact rule exists: this is one cold solve, and only the local rule is wrong.
    let jump = |local| {
        let settings = Settings { local, ..tight() };
        sliding_cube(6.0, std::f64::consts::FRAC_PI_4, 0.5).solve(&settings).unwrap()
    };
    let (projection, hold) = (jump(LocalRule::Projection), jump(LocalRule::HoldAndResolve));
    println!(
        "v_z after one solve at 6 m/s: projection {:.3}, hold and resolve {:.3}",
        projection.velocities[1].0.z, hold.velocities[1].0.z
    );
    assert!((projection.velocities[1].0.z - 2.225).abs() < 1e-3);
    assert!((hold.velocities[1].0.z - 0.857).abs() < 1e-3);
    // And the report says so: neither is a solution.
    assert!(projection.report.residual.natural > 0.1 && hold.report.residual.natural > 0.1);
    assert!(projection.report.status != Status::Converged && hold.report.status != Status::Converged);
}

#[test]
fn a_thrown_sphere_sticks_at_five_sevenths_or_slides_by_coulomb() {
    let (mu, e, down) = (0.2, 0.5, 2.0);
    let slow = thrown_sphere(1.0, down, mu, e).solve(&tight()).unwrap();
    assert!((slow.velocities[1].0 - Vector3::new(5.0 / 7.0, 0.0, e * down)).norm() <= 1e-12);
    assert_eq!(slow.contacts[0].state, ContactState::Stick);
    let fast = thrown_sphere(6.0, down, mu, e).solve(&tight()).unwrap();
    let expected = 6.0 - mu * (1.0 + e) * down;
    assert!((fast.velocities[1].0 - Vector3::new(expected, 0.0, e * down)).norm() <= 1e-12);
    assert_eq!(fast.contacts[0].state, ContactState::Slide);
}

#[test]
fn a_cube_dropped_flat_leaves_at_e_times_its_speed_without_spin() {
    let solved = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -3.0), 0.5, 0.5).solve(&tight()).unwrap();
    let (v, w) = solved.velocities[1];
    assert!((v - Vector3::new(0.0, 0.0, 1.5)).norm() <= 1e-12 && w.norm() <= 1e-12);
    let settings = Settings { bounce: BounceMode::Sequential, ..tight() };
    let solved = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -3.0), 0.5, 0.5).solve(&settings).unwrap();
    assert!(solved.velocities[1].1.norm() > 1e-3, "one pass in order is order-dependent");
}

#[test]
fn normal_impulse_on_a_ramp_is_m_g_cos_theta_dt() {
    let angle = 30.0_f64.to_radians();
    for speed in [0.0, 0.5, 5.0] {
        let solved = cube_on_ramp(angle, speed, 0.3).solve(&tight()).unwrap();
        let normal: f64 = solved.contacts.iter().map(|c| c.normal_impulse + c.bounce_impulse).sum();
        let expected = 2.0 * GRAVITY * angle.cos() * DT;
        assert!((normal / expected - 1.0).abs() <= 1e-9);
    }
}

#[test]
fn a_resting_cube_started_from_its_own_answer_needs_no_sweep() {
    let cube = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -GRAVITY * DT), 0.5, 0.0);
    let settings = Settings { tolerance: 1e-9, ..Settings::default() };
    let cold = cube.solve(&settings).unwrap();
    let mut warm = cube.clone();
    for (contact, outcome) in warm.contacts.iter_mut().zip(&cold.contacts) {
        contact.warm =
            stiction::WarmStart { normal_impulse: outcome.normal_impulse, tangent_impulse: outcome.tangent_impulse };
    }
    let again = warm.solve(&settings).unwrap();
    assert_eq!((again.report.sweeps, again.report.status), (0, Status::Converged));
    assert!(cold.report.sweeps > 10, "{}", cold.report.sweeps);
}

#[test]
fn a_thousand_to_one_stack_converges_with_memory_for_direct_methods() {
    for boxes in [1, 2, 4, 8, 16] {
        let island = stack(boxes, 1000.0, 0.5);
        let solved = island.solve(&Settings::<f64>::default()).unwrap();
        let single = island.solve(&Settings::<f32>::default()).unwrap();
        assert_eq!((solved.report.status, single.report.status), (Status::Converged, Status::Converged), "{boxes}");
        let fastest = solved.velocities.iter().flat_map(|(v, w)| [v.norm(), w.norm()]).fold(0.0, f64::max);
        println!("{boxes} boxes: residual {:.1e}, fastest {fastest:.1e} m/s", solved.report.residual.natural);
        // At rest after a step of gravity, to the tolerance of their speed.
        assert!(fastest <= 1e-5 && solved.report.residual.natural < 1e-9, "{boxes}: {fastest:e}");
    }
}

#[test]
fn a_thousand_to_one_stack_without_that_memory_is_finite_and_reports_its_true_status() {
    for boxes in [1, 2, 4] {
        let settings = Settings::<f64> { method: MethodChoice::Sweeps, ..Settings::default() };
        let solved = stack(boxes, 1000.0, 0.5).solve(&settings).unwrap();
        println!("{boxes} boxes: {:?}, natural residual {:.1e}", solved.report.status, solved.report.residual.natural);
        assert!(solved.velocities.iter().all(|(v, w)| v.iter().chain(w.iter()).all(|x| x.is_finite())));
        assert_eq!(solved.report.status == Status::Converged, boxes == 1);
        assert_eq!(boxes == 1, solved.report.residual.natural < settings.tolerance);
    }
}
