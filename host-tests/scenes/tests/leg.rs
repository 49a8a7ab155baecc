//! The leg follows its script, so that the board's loop has landing, stance, squat and jump.

use stiction::Status;
use stiction_scenes::digest::{PINNED_JOINTS, of_joints};
use stiction_scenes::leg::{BLOCKS, Leg, TICKS};

/// Largest distance that a joint is apart, m.
fn apart<const NF: usize>(leg: &Leg<f64, NF>) -> f64 {
    let at = |body: usize, own| leg.world.positions()[body] + leg.world.orientations()[body] * own;
    let hinges = leg.world.joints().skip(1);
    hinges.map(|joint| (at(joint.a, joint.anchor_a) - at(joint.b, joint.anchor_b)).norm()).fold(0.0, f64::max)
}

/// With a factor of `NF` blocks; how far joints may come apart, m.
fn follows_its_script<const NF: usize>(may_be_apart: f64) {
    let mut leg = Leg::<f64, NF>::new(false).unwrap();
    let (mut unsolved, mut worst, mut lowest, mut highest, mut pressed) = (0, 0.0_f64, 1.0_f64, 0.0_f64, 0.0);
    for tick in 0..TICKS {
        let report = leg.step().unwrap();
        unsolved += u32::from(report.status != Status::Converged);
        worst = worst.max(apart(&leg));
        // The guard may take a rounding of the scheme, no more: a scaled impulse leaves as large a residual.
        assert!(!report.passivity_guard || report.residual < 1e-3, "tick {tick}: {:e}", report.residual);
        assert!(report.ledger.closure() < 1e-12, "tick {tick}: {}", report.ledger.closure());
        let trunk = leg.height();
        match tick {
            450..500 => pressed += leg.ground_force() / 50.0,
            500..800 => lowest = lowest.min(trunk),
            860.. => highest = highest.max(leg.world.positions()[3].z - 0.1),
            _ => {}
        }
    }
    println!(
        "{unsolved} unsolved, apart {worst:.1e} m, trunk down to {lowest:.3} m, foot up {highest:.3} m, {pressed:.3} N"
    );
    assert!(worst < may_be_apart && lowest < 0.32 && highest > 0.1);
    let weight = (3.0 + 0.8 + 0.4) * 9.81;
    assert!((pressed / weight - 1.0).abs() < 1e-4, "stands with {pressed} N of {weight} N");
    assert!(leg.world.bodies().linear_velocities()[1].norm() < 1e-3, "still moves");
    assert!(NF == 0 || unsolved < 20, "{unsolved}");
}

#[test]
fn the_leg_lands_stands_squats_and_jumps() {
    follows_its_script::<BLOCKS>(1e-4);
}

#[test]
fn the_leg_does_so_without_memory_for_a_factor() {
    follows_its_script::<0>(1e-3);
}

#[test]
fn a_leg_that_hangs_stays_where_its_servos_hold_it() {
    let mut leg = Leg::<f64, BLOCKS>::new(true).unwrap();
    for _ in 0..500 {
        leg.step().unwrap();
    }
    let position = |joint| leg.pipeline.joint(joint).unwrap().position;
    println!("hip {:.4} rad, knee {:.4} rad", position(0), position(1));
    assert!(position(0).abs() < 0.01 && position(1).abs() < 0.01 && position(1) != 0.0);
}

#[test]
fn digests_are_the_pinned_ones() {
    let (single, double) = (of_joints::<f32>(), of_joints::<f64>());
    println!("f32 {single:016x} f64 {double:016x}");
    assert_eq!([single, double], PINNED_JOINTS);
}
