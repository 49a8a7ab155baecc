//! The shortest demonstration: one sliding cube, solved by the common projection rule and by the exact one, as a table
//! and as a picture. It is built from the kernel, its scenes and test kit, and a writer of SVG.

use std::fmt::Write;

use stiction::{LocalRule, Settings, Status};
use stiction_pictures::strip::{Moment, Outline, Pose};
use stiction_pictures::{Played, versus};
use stiction_scenes::boxes::{Boxes, FRAME, HALF_SIDE, sliding_cube};
use stiction_testkit::known_answers::{self, DT, GRAVITY};

/// Speeds shown, m/s.
const SPEEDS: [f64; 4] = [1.0, 6.0, 30.0, 100.0];

/// Steps of the picture: 1.5 s.
const STEPS: usize = 90;

/// Moments drawn of each rule.
const MOMENTS: usize = 6;

/// A table of both rules side by side, for new users.
pub fn sliding_cube_table() -> String {
    let mut out = String::from(
        "A cube of 1 kg slides along its diagonal on four corners, friction 0.5, for one step of 1/60 s.\n\
         Nothing lifts it: its vertical velocity must end at 0.\n\n",
    );
    line(&mut out, ["speed", "rule", "v_z after", "speed after", "energy lost", "residual", "status"]);
    for speed in SPEEDS {
        for (name, local) in [("projection", LocalRule::Projection), ("exact", LocalRule::Exact)] {
            let settings = Settings::<f64> { local, sweeps: 200, tolerance: 1e-12, ..Settings::default() };
            let island = known_answers::sliding_cube(speed, std::f64::consts::FRAC_PI_4, 0.5);
            let solved = island.solve(&settings).expect("the built-in problem is admissible");
            let (v, report) = (solved.velocities[1].0, &solved.report);
            line(
                &mut out,
                [
                    &format!("{speed} m/s"),
                    name,
                    &format!("{:+.1e} m/s", v.z),
                    &format!("{:.3} m/s", v.x.hypot(v.y)),
                    &format!("{:.3} J", report.energy_before - report.energy_after),
                    &format!("{:.0e}", report.residual.natural),
                    status(report.status),
                ],
            );
        }
    }
    let expected = 6.0 - 0.5 * GRAVITY * DT;
    let _ = writeln!(out, "\nCoulomb's law at 6 m/s: v_z = 0, speed after = 6 - 0.5 g dt = {expected:.3} m/s.");
    out
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::Deadline => "deadline",
        // One word for every other status; other fields give the reason.
        _ => "sweep_limit",
    }
}

fn line(out: &mut String, cells: [&str; 7]) {
    let [speed, rule, v_z, after, lost, residual, status] = cells;
    let _ = writeln!(out, "{speed:>8}  {rule:<10}  {v_z:>13}  {after:>12}  {lost:>12}  {residual:>8}  {status}");
}

/// The picture of the same cube along its whole path, as SVG, and a line of text about it.
pub fn sliding_cube_picture() -> (String, String) {
    let rules =
        [play(LocalRule::Projection, "friction scaled back after the solve"), play(LocalRule::Exact, "solved exactly")];
    let outlines =
        [Outline::HalfSpace { normal: nalgebra::Vector3::z() }, Outline::cuboid([HALF_SIDE, HALF_SIDE, HALF_SIDE])];
    let svg = versus("A cube slides along its diagonal at 6 m/s, friction 0.5", &outlines, &rules);
    let [jump, stay] = rules.each_ref().map(|played| played.height.iter().copied().fold(0.0, f64::max));
    let about =
        format!("highest: {jump:.3} m with friction scaled back, {stay:.3} m solved exactly; 0.5 m is the ground");
    (svg, about)
}

/// The cube's path with a rule.
fn play(local: LocalRule, name: &'static str) -> Played {
    let mut scene: Boxes<f64, 2, 8> = sliding_cube();
    scene.pipeline.settings.solver.local = local;
    let (mut moments, mut time, mut height, mut energy) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for step in 0..STEPS {
        scene.step().expect("the built-in scene is admissible");
        time.push((step + 1) as f64 * FRAME);
        energy.push(scene.energy());
        let (positions, orientations) = (scene.world.positions(), scene.world.orientations());
        height.push(positions.last().map_or(0.0, |position| position.z));
        if step.is_multiple_of(STEPS / MOMENTS) {
            let poses = positions.iter().zip(orientations);
            let bodies = poses.map(|(position, orientation)| Pose { position: *position, orientation: *orientation });
            moments.push(Moment { time: time[step], bodies: bodies.collect(), forces: Vec::new(), joints: Vec::new() });
        }
    }
    Played { name, moments, time, height, energy }
}
