//! The robot follows its script, so that the board's loop demonstrates all phases.

use stiction::Hooks;
use stiction::Status;
use stiction_scenes::digest::{PINNED, of_everything};
use stiction_scenes::robot::{FEET, Phase, Robot, TICKS};

/// The tilt of the trunk from level, as 1 − z·z'.
fn tilt(robot: &Robot<f64>) -> f64 {
    1.0 - (robot.world.orientations()[1] * nalgebra::Vector3::z()).z
}

#[test]
fn the_robot_lands_stands_is_pushed_slips_jumps_and_lands() {
    let mut robot = Robot::<f64>::new().unwrap();
    let (mut most_contacts, mut highest, mut slid, mut unsolved, mut held) = (0, 0.0_f64, 0.0_f64, 0, 0.0);
    for _ in 0..TICKS {
        let phase = robot.phase();
        let report = robot.step(Hooks::default()).unwrap();
        most_contacts = most_contacts.max(report.contacts);
        unsolved += u32::from(report.status != Status::Converged);
        let press: f64 = (0..FEET).map(|foot| robot.ground_force(foot).z).sum();
        match (phase, robot.tick) {
            (Phase::Stance, 600) => {
                let weight = (6.0 + 4.0 * 0.15) * 9.81;
                assert!((press / weight - 1.0).abs() < 0.02, "stands with {press} N of {weight} N");
            }
            // It swings from side to side three times a second, so a third of a second is averaged.
            (Phase::Push, 651..=1000) => held -= (0..FEET).map(|foot| robot.ground_force(foot).y).sum::<f64>() / 350.0,
            (Phase::Slip, _) => slid = slid.max(robot.world.bodies().linear_velocities()[2].x),
            (Phase::Landing, 1261..) => highest = highest.max(robot.world.positions()[2].z),
            _ => {}
        }
        assert!(tilt(&robot) < 0.1, "tick {}: tilts by {}", robot.tick, tilt(&robot));
    }
    println!(
        "{most_contacts} contacts at most, front foot slides at {slid:.3} m/s, jumps {highest:.3} m, {unsolved} unsolved"
    );
    assert!(most_contacts >= 6 && slid > 0.02 && highest > 0.03);
    assert!((held / 30.0 - 1.0).abs() < 0.2, "ground and wall hold {held} N of 30 N");
    let rest = robot.world.bodies().linear_velocities()[1].norm();
    assert!(rest < 0.05, "still moves at {rest} m/s");
}

/// The board's robot beside one in double precision whose contacts are solved in every step.
#[test]
fn feet_are_where_a_converged_run_has_them() {
    let mut board = Robot::<f32>::new().unwrap();
    let mut converged = Robot::<f64>::new().unwrap();
    converged.pipeline.settings.solver.sweeps = 1000;
    converged.pipeline.settings.solver.tolerance = 1e-12;
    let mut worst = 0.0_f64;
    for _ in 0..TICKS {
        board.step(Hooks::default()).unwrap();
        converged.step(Hooks::default()).unwrap();
        for foot in 2..2 + FEET {
            let apart = board.world.positions()[foot].cast::<f64>() - converged.world.positions()[foot];
            worst = worst.max(apart.norm());
        }
    }
    println!("feet at most {:.3} mm from those of a converged run", 1e3 * worst);
    assert!(worst <= 0.3e-3, "{worst} m");
}

#[test]
fn digests_are_the_pinned_ones() {
    let (single, double) = (of_everything::<f32>(), of_everything::<f64>());
    println!("f32 {single:016x} f64 {double:016x}");
    assert_eq!([single, double], PINNED);
    assert!(single != double && single != 0 && double != 0);
}
